%% Big and shared messages, deep terms, many senders.
-module(boot_messages).
-export([main/0]).

main() -> {big(), deep(), sharing(), offheap(), flood(), funs(), pingpong(3000), mixed(), copies()}.

big() ->
    T = {lists:seq(1, 50000), maps:from_list([{I, <<I:64>>} || I <- lists:seq(1, 2000)]), binary:copy(<<"q">>, 100000), list_to_tuple(lists:seq(1, 10000))},
    erlang:phash2([echo(T, N) || N <- [1, 2, 3]]).

echo(T, N) ->
    Self = self(),
    P = spawn_link(fun() -> receive {X, K} -> Self ! {self(), X, K} end end),
    P ! {T, N},
    receive {P, X, N} -> X =:= T andalso erlang:phash2(X) end.

deep() ->
    D = lists:foldl(fun(I, A) -> {I, A} end, [], lists:seq(1, 100000)), L = lists:foldl(fun(_, A) -> [A] end, [], lists:seq(1, 100000)),
    {echo(D, 1), echo(L, 2), D < L, D =:= lists:foldl(fun(I, A) -> {I, A} end, [], lists:seq(1, 100000)), byte_size(term_to_binary(D)), binary_to_term(term_to_binary(L)) =:= L}.

sharing() ->
    L = lists:seq(1, 100), T = lists:duplicate(50, L), {echo(T, 1), erts_debug:size(T) < erts_debug:flat_size(T)}.

offheap() ->
    Self = self(),
    P = spawn_opt(fun() -> process_flag(message_queue_data, on_heap), collect(Self, 200, 0) end, [link, {message_queue_data, off_heap}]),
    [P ! {I, lists:seq(1, I)} || I <- lists:seq(1, 200)],
    receive {sum, S} -> S end.
collect(P, 0, S) -> P ! {sum, S};
collect(P, N, S) -> receive {N, L} -> garbage_collect(), collect(P, N - 1, S + length(L)) end.

flood() ->
    Self = self(),
    [spawn_link(fun() -> [Self ! {s, K, I, {x, [I]}} || I <- lists:seq(1, 300)] end) || K <- lists:seq(1, 10)],
    lists:sort([begin Ls = [receive {s, K, I, {x, [I]}} -> I end || _ <- lists:seq(1, 300)], {K, Ls =:= lists:seq(1, 300)} end || K <- lists:seq(10, 1, -1)]).

funs() ->
    A = lists:seq(1, 20), F = fun(X) -> lists:sum(A) + X end,
    P = spawn_link(fun() -> receive {Fr, G} -> Fr ! {r, G(5)} end end), P ! {self(), F}, receive {r, V} -> V end.

pingpong(N) ->
    P = spawn_link(fun pong/0), V = ping(P, N, 0), P ! stop, V.
ping(_, 0, A) -> A;
ping(P, N, A) -> P ! {self(), N, [N, A]}, receive {P, X} -> ping(P, N - 1, X rem 1000003) end.
pong() -> receive {F, N, [N, A]} -> F ! {self(), A * 31 + N}, pong(); stop -> ok end.

mixed() ->
    self() ! a, self() ! {b, 1}, self() ! c, self() ! {b, 2},
    X = receive {b, N} -> N end, R = make_ref(), self() ! {R, z},
    {X, receive {R, Z} -> Z end, [receive M -> M end || _ <- [1, 2, 3]], process_info(self(), message_queue_len)}.

copies() ->
    {P, M} = spawn_monitor(fun() -> Ls = [lists:duplicate(100, I) || I <- lists:seq(1, 500)], exit({big, erlang:phash2(Ls), lists:nth(77, Ls)}) end),
    receive {'DOWN', M, _, P, {big, H, L}} -> {H, L} end.
