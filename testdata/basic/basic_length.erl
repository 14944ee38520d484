%% The length of long lists, in guards and bodies, by name, of what is no list.
-module(basic_length).
-export([main/0]).

main() ->
    L = lists:seq(1, 300000),
    I = L ++ [a | b],
    [length(L), guard(L, 1), guard(I, 2), guard(id(x), 3), erlang:apply(erlang, length, [L]), (fun erlang:length/1)(L),
     [t(fun() -> length(id(X)) end, X) || X <- [x, [1 | 2], I, #{}]],
     t(fun() -> erlang:apply(erlang, id(length), [I]) end, I),
     keeps(L, a, b, c), in_receive(L), reductions(L)].

guard(L, N) when length(L) > 10, N > 0 -> {long, length(L) + N};
guard(_, N) -> {other, N}.

keeps(L, A, B, C) ->
    N = length(L),
    {A, B, C, N, hd(L)}.

%% Of a message that is only looked at.
in_receive(L) ->
    self() ! {skip, L},
    self() ! {take, [x | L]},
    A = receive {_, M} when length(M) =:= 300001 -> length(M) end,
    {A, receive {skip, S} -> length(S) end}.

reductions(L) ->
    {reductions, A} = process_info(self(), reductions),
    length(L),
    {reductions, B} = process_info(self(), reductions),
    B - A > 1000.

id(X) -> X.

t(F, X) ->
    try F()
    catch C:R:S -> [{M, N, [A], I} | _] = S, {C, R, M, N, A =:= X, lists:keymember(error_info, 1, I)}
    end.
