-module(heap_gc).
-export([main/0, main2/2]).

%% Collections in the middle of receives, with old generations, fragments,
%% binaries, deep stacks and hibernation.
main() ->
    {selective(), deep(200000), generations(), binaries(), hibernate(), dict(), many()}.

%% Guards and bit syntax allocate while a message is only looked at.
selective() ->
    Self = self(),
    P = spawn_link(fun() ->
        [Self ! {I, <<I:32, "payload">>, [I, I * 1.5, {I, I bsl 70}]} || I <- lists:seq(1, 300)],
        Self ! done
    end),
    R = [receive {I, <<J:32, _/binary>> = B, [_, F, {_, G}]} when I * 1.5 =:= F, (J bsl 70) + 1 > G, I =:= K -> {I, B, F, G} end
         || K <- lists:reverse(lists:seq(1, 300))],
    receive done -> ok end,
    unlink(P),
    {length(R), erlang:phash2(R)}.

deep(0) -> 0;
deep(N) -> A = {N, [N]}, R = deep(N - 1), element(1, A) + R.

generations() ->
    Old = [{I, integer_to_list(I), <<I:64>>} || I <- lists:seq(1, 3000)],
    _ = [lists:seq(1, 50) || _ <- lists:seq(1, 3000)],
    New = [{X, Y} || {X, Y, _} <- Old, X rem 2 =:= 0],
    erlang:garbage_collect(self(), [{type, minor}]),
    _ = [lists:seq(1, 50) || _ <- lists:seq(1, 3000)],
    erlang:garbage_collect(),
    {erlang:phash2(Old), erlang:phash2(New), length(Old)}.

binaries() ->
    A = lists:foldl(fun(I, Acc) -> <<Acc/binary, I:16>> end, <<>>, lists:seq(1, 20000)),
    Parts = [binary:part(A, I * 100, 70) || I <- lists:seq(0, 300)],
    C = << <<X:3>> || <<X:5, _:11>> <= A >>,
    erlang:garbage_collect(),
    {erlang:phash2(A), erlang:phash2(Parts), erlang:phash2(C), bit_size(C)}.

hibernate() ->
    Self = self(),
    P = spawn(fun() -> L = lists:seq(1, 10000), proc_lib:hibernate(?MODULE, main2, [Self, L]) end),
    P ! go,
    receive {P, X} -> X end.

dict() ->
    [put({k, I}, {I, lists:duplicate(I rem 50, I)}) || I <- lists:seq(1, 500)],
    erlang:garbage_collect(),
    _ = lists:seq(1, 100000),
    erlang:garbage_collect(),
    [erase({k, I}) || I <- lists:seq(1, 500, 2)],
    erlang:phash2(lists:sort(get())).

many() ->
    Self = self(),
    Ps = [spawn(fun() -> receive {Self, M} -> Self ! {self(), erlang:phash2(M), maps:fold(fun(_, V, A) -> V + A end, 0, M)} end end)
          || _ <- lists:seq(1, 200)],
    [P ! {Self, maps:from_list([{X, X} || X <- lists:seq(1, I)])} || {P, I} <- lists:zip(Ps, lists:seq(1, 200))],
    erlang:phash2([receive {P, H, S} -> {H, S} end || P <- Ps]).

main2(To, L) -> receive go -> To ! {self(), lists:sum(L)} end.
