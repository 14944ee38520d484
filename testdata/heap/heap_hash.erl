-module(heap_hash).
-export([main/0]).
-compile(nowarn_deprecated_function).

%% phash2 and phash of large and odd terms; sizes; sharing.
main() ->
    L = lists:seq(1, 200000),
    X2 = [L, L],
    T = list_to_tuple(L),
    M = maps:from_list([{X, {X, [X]}} || X <- lists:seq(1, 50000)]),
    N = lists:foldl(fun(I, A) -> #{I => A, a => [A, {A}]} end, x, lists:seq(1, 9)),
    B = list_to_binary(lists:duplicate(100000, "abc")),
    <<_:3, B3/bits>> = B,
    <<B5:77777/bits, _/bits>> = B,
    Terms = [L, T, M, N, B, B3, B5, {L, M, [T | B]}, [], {}, #{}, 0.0, -0.0, 1 bsl 100, "string", [a | b], 'åäö'],
    {[{erlang:phash2(X), erlang:phash2(X, 1 bsl 32), erlang:phash2(X, 17), erlang:phash(X, 1 bsl 32), erlang:phash(X, 1)} || X <- Terms],
     [t(fun() -> erlang:phash2(a, R) end) || R <- [0, -1, (1 bsl 32) + 1, a, 1.0]],
     [t(fun() -> erlang:phash(a, R) end) || R <- [0, 1 bsl 33, x]],
     [erts_debug:flat_size(X) || X <- [L, T, {}, #{}, N, [], "abc", {a, [b]}, 1.0, 1 bsl 64, <<"abc">>, B, B3, <<1:3>>]],
     erts_debug:size_shared([X2, L]) =:= erts_debug:flat_size(L) + 8, erts_debug:flat_size(X2),
     erts_debug:same(L, hd(X2)), erts_debug:same({1, id(2)}, {1, id(2)})}.

id(X) -> X.
t(F) -> try F() catch C:R -> {C, R} end.
