-module(maps_yield).
-export([main/0]).

%% Large maps are built, read and merged in several slices.
main() ->
    N = 60000,
    L = [{X * 7919, X} || X <- lists:seq(1, N)],
    M = maps:from_list([{7919, old}, {<<"k">>, v} | L]),
    K = maps:from_keys(lists:seq(1, N), [v]),
    A = maps:from_list([{X, a} || X <- lists:seq(1, 20000)]),
    B = maps:from_list([{X, b} || X <- lists:seq(15000, 30000)]),
    C = maps:merge(A, B),
    Few = maps:from_keys([X rem 20 || X <- lists:seq(1, 20000)], x),
    Some = maps:from_keys([X rem 50 || X <- lists:seq(1, 20000)], x),
    {map_size(M), maps:get(7919, M), maps:get(<<"k">>, M), erlang:phash2(M),
     erlang:phash2(maps:keys(M)), erlang:phash2(maps:values(M)), erlang:phash2(maps:to_list(M)),
     map_size(K), maps:get(N, K), erlang:phash2(maps:keys(K)), maps:values(Few), Few, Some,
     map_size(C), maps:get(14999, C), maps:get(15000, C), erlang:phash2(C), C =:= maps:merge(B, C), C =:= maps:merge(A, C),
     lists:sort(maps:keys(C)) =:= lists:seq(1, 30000),
     t(fun() -> maps:from_list([{a, b} || _ <- lists:seq(1, 20000)] ++ [x]) end)}.

t(F) -> try F() catch C:R -> {C, R} end.
