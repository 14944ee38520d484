%% Maps small and large.
-module(boot_maps).
-export([main/0]).

main() -> {grow(600), shrink(), ops(), keys(), merge(), iter(), update(), order(), nested(6), errors()}.

grow(N) ->
    M = lists:foldl(fun(I, A) -> A#{I => {I, integer_to_list(I)}, {I} => I * 1.5} end, #{}, lists:seq(1, N)),
    {map_size(M), erlang:phash2(M), maps:get({7}, M), lists:sum([V || {{_}, V} <- maps:to_list(M)])}.

shrink() ->
    M = maps:from_list([{I, I} || I <- lists:seq(1, 100)]),
    M2 = lists:foldl(fun maps:remove/2, M, lists:seq(10, 100)),
    {M2, M2 =:= maps:with(lists:seq(1, 9), M), maps:without(lists:seq(3, 100), M)}.

ops() ->
    M = maps:from_keys(lists:seq(1, 40), x),
    {maps:size(maps:filter(fun(K, _) -> K rem 2 =:= 0 end, M)), maps:fold(fun(K, _, A) -> A + K end, 0, M),
     maps:take(4, M) =:= {x, maps:remove(4, M)}, maps:find(99, M), maps:get(99, M, d), maps:groups_from_list(fun(X) -> X rem 3 end, [1, 2, 3, 4, 5]),
     maps:update_with(c, fun(X) -> X + 1 end, 0, #{c => 1})}.

keys() ->
    Ks = [1, 1.0, a, "a", <<"a">>, {}, [], #{}, #{a => 1}, fun lists:map/2, -1, 1 bsl 80],
    M = maps:from_list([{K, I} || {I, K} <- lists:zip(lists:seq(1, length(Ks)), Ks)]),
    {[maps:get(K, M) || K <- Ks], lists:sort(maps:keys(M)), M}.

merge() ->
    A = maps:from_list([{I, a} || I <- lists:seq(1, 60)]), B = maps:from_list([{I, b} || I <- lists:seq(40, 100)]),
    M = maps:merge(A, B),
    {map_size(M), maps:get(50, M), map_size(maps:intersect(A, B)), maps:merge_with(fun(_, X, Y) -> {X, Y} end, #{k => 1, l => 2}, #{k => 3})}.

iter() -> lists:sort(walk(maps:next(maps:iterator(maps:from_list([{I, I * I} || I <- lists:seq(1, 70)]))))).
walk(none) -> [];
walk({K, V, I}) -> [K + V | walk(maps:next(I))].

update() ->
    M = #{a => 1, b => 2},
    #{a := X} = M2 = M#{a := X0 = 5},
    {X, X0, M2#{c => [1]}, catch M#{z := 1}}.

order() -> lists:sort([#{a => 1}, #{b => 1}, #{}, #{a => 2}, #{1 => a, 2 => b}, #{1.0 => a}, #{a => 1, b => 0}]).

nested(0) -> #{};
nested(N) -> #{N => nested(N - 1), {N} => [nested(N - 2) || N > 4]}.

errors() -> [try F() catch C:R -> {C, R} end ||
    F <- [fun() -> maps:get(a, #{}) end, fun() -> maps:put(a, b, list) end, fun() -> map_size([]) end,
          fun() -> maps:from_list([a]) end, fun() -> map_get(k, id(#{})) end]].
id(X) -> X.
