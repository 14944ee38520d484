-module(maps_bifs).
-export([main/0]).

main() ->
    [flat(), large(), grow_shrink(), errors(), keys_of_every_kind(), iterators(), merge(),
     updates(#{a => 1, b => 2}), order(), nested(), high_level(), guards(), sharing(), info()].

t(F) -> try F() catch C:R -> {C, R} end.

flat() ->
    M = maps:from_list([{b, 2}, {a, 1}, {1.0, f}, {1, i}, {<<"x">>, bin}, {a, again}, {{}, t}, {[], n}, {"s", s}]),
    {M, maps:keys(M), maps:values(M), maps:to_list(M), map_size(M), maps:get(1, M), maps:get(1.0, M),
     maps:find(a, M), maps:find(zz, M), maps:is_key([], M), maps:is_key("t", M),
     maps:put(c, 3, M), maps:remove(a, M), maps:remove(zz, M), maps:take("s", M), maps:take(no, M),
     maps:update(a, new, M), maps:from_keys([x, y, x, 1, 1.0], v), maps:new(), maps:from_list([])}.

large() ->
    L = [{I, I * I} || I <- lists:seq(1, 500)],
    M = maps:from_list(L),
    {maps:to_list(M), maps:keys(M), maps:values(M), map_size(M), maps:get(77, M), maps:find(501, M),
     maps:is_key(500, M), maps:to_list(maps:put(501, x, M)) =:= maps:to_list(maps:from_list([{501, x} | L])),
     maps:take(3, M) =:= {9, maps:from_list(lists:keydelete(3, 1, L))},
     maps:update(4, y, M) =:= M#{4 := y}, M =:= maps:from_list(lists:reverse(L)),
     M == maps:from_list([{I, float(I * I)} || I <- lists:seq(1, 500)]),
     maps:from_keys(lists:seq(1, 40), z), lists:sort(maps:keys(M)) =:= lists:seq(1, 500)}.

grow_shrink() ->
    Up = lists:foldl(fun(I, A) -> A#{I => {I}} end, #{}, lists:seq(1, 300)),
    Down = lists:foldl(fun(I, A) -> maps:remove(I, A) end, Up, lists:seq(11, 300)),
    Mid = lists:foldl(fun(I, A) -> maps:remove(I, A) end, Up, lists:seq(34, 300)),
    {map_size(Up), Down, Mid, maps:remove(33, Mid), maps:put(34, x, maps:remove(33, Mid))}.

errors() ->
    M = #{a => 1},
    [t(fun() -> maps:get(b, M) end), t(fun() -> maps:get(b, x) end), t(fun() -> map_get(b, M) end),
     t(fun() -> map_get(b, []) end), t(fun() -> map_size([]) end), t(fun() -> maps:find(a, []) end),
     t(fun() -> maps:put(a, b, c) end), t(fun() -> maps:update(b, 1, M) end), t(fun() -> maps:update(b, 1, q) end),
     t(fun() -> maps:remove(a, 1) end), t(fun() -> maps:take(a, 1) end), t(fun() -> maps:keys(1) end),
     t(fun() -> maps:values(1) end), t(fun() -> maps:merge(1, M) end), t(fun() -> maps:merge(M, 1) end),
     t(fun() -> maps:merge(2, 1) end), t(fun() -> maps:from_list([a]) end), t(fun() -> maps:from_list([{a, b} | c]) end),
     t(fun() -> maps:from_list(x) end), t(fun() -> maps:from_list([{a, b, c}]) end), t(fun() -> maps:from_keys(x, 1) end),
     t(fun() -> maps:from_keys([a | b], 1) end), t(fun() -> maps:to_list(x) end), t(fun() -> maps:is_key(a, b) end),
     t(fun() -> is_map_key(a, b) end), t(fun() -> maps:next(x) end), t(fun() -> maps:iterator(x) end),
     t(fun() -> maps:fold(x, y, z) end), t(fun() -> M#{b := 1} end), t(fun() -> (id([]))#{b => 1} end),
     t(fun() -> (id(y))#{b := 1} end), t(fun() -> erts_internal:map_next(0, x, []) end),
     t(fun() -> erts_internal:map_next(9, M, []) end), t(fun() -> erts_internal:map_next(0, M, foo) end)].

id(X) -> X.

keys_of_every_kind() ->
    Ks = [1, 1.0, -1, 1 bsl 80, -(1 bsl 80), a, 'B', "str", [1 | 2], {}, {a}, {1, 2}, #{}, #{a => b}, <<>>, <<1>>, <<1:3>>,
          [], true, 0.0, 1.5e300],
    Ms = [maps:from_list([{K, N} || {K, N} <- lists:zip(Ks, lists:seq(1, length(Ks)))])],
    Big = maps:from_list([{{K, I}, I} || K <- [1, 1.0, "s", <<"b">>, [], {}], I <- lists:seq(1, 20)]),
    {Ms, maps:keys(Big), [maps:get(K, hd(Ms)) || K <- Ks]}.

iterators() ->
    M = maps:from_list([{I, I} || I <- lists:seq(1, 2000)]),
    All = fun All(I) -> case maps:next(I) of {K, V, N} -> [{K, V} | All(N)]; none -> [] end end,
    L = All(maps:iterator(M)),
    {length(L), L =:= lists:reverse(maps:to_list(M)), lists:sublist(L, 100),
     All(maps:iterator(#{a => 1, 2 => b})), maps:next(maps:iterator(#{})),
     maps:fold(fun(K, V, A) -> K + V + A end, 0, M), map_size(maps:filter(fun(K, _) -> K rem 3 == 0 end, M)),
     maps:map(fun(_, V) -> V * 2 end, #{a => 1, b => 2})}.

merge() ->
    R = fun(A, B) -> maps:from_list([{I, {A, I}} || I <- lists:seq(A, B)]) end,
    Pairs = [{R(1, 5), R(3, 8)}, {R(1, 30), R(20, 60)}, {R(1, 500), R(400, 410)}, {R(400, 410), R(1, 500)},
             {R(1, 400), R(300, 700)}, {R(1, 300), R(1, 300)}, {#{}, R(1, 40)}, {R(1, 40), #{}}],
    [lists:sort(maps:to_list(maps:merge(A, B))) =:= lists:ukeysort(1, maps:to_list(B) ++ maps:to_list(A)) orelse {A, B}
     || {A, B} <- Pairs] ++ [maps:merge(A, B) || {A, B} <- lists:sublist(Pairs, 2)].

updates(M) ->
    M1 = M#{a := 5, c => 6, b => 7},
    M2 = M1#{z => 1, y => 2, x => 3, a => 0, c := 9},
    M3 = maps:from_list([]),
    {M1, M2, M3, t(fun() -> M2#{a := 1, nope := 2, c => 3} end), M2#{a := 0}}.

order() ->
    Ms = [#{}, #{a => 1}, #{a => 2}, #{b => 0}, #{1 => a}, #{1.0 => a}, #{a => 1, b => 2}, #{a => 1, c => 0}, #{2 => a},
          maps:from_keys(lists:seq(1, 40), 1), maps:from_keys(lists:seq(1, 40), 1.0), maps:from_keys(lists:seq(2, 41), 1),
          maps:put(7, 0, maps:from_keys(lists:seq(1, 40), 1)), maps:put(7, 2, maps:from_keys(lists:seq(1, 40), 1)),
          maps:put(1.0, 2, maps:remove(1, maps:from_keys(lists:seq(1, 40), 1)))],
    [[{A < B, A == B, A =:= B} || B <- Ms] || A <- Ms].

nested() ->
    M = lists:foldl(fun(I, A) -> #{I => A, {x, I} => [A]} end, #{}, lists:seq(1, 12)),
    {M =:= M, erlang:phash2(M), erlang:phash(M, 1 bsl 32)}.

high_level() ->
    M = maps:from_list([{I, I} || I <- lists:seq(1, 50)]),
    {maps:with([1, 2, 99], M), maps:without(lists:seq(3, 50), M), maps:get(9, M, d), maps:get(99, M, d),
     maps:update_with(1, fun(X) -> X + 100 end, #{1 => 1}), maps:update_with(2, fun(X) -> X end, init, #{1 => 1}),
     maps:groups_from_list(fun(X) -> X rem 3 end, lists:seq(1, 10)), maps:intersect(M, #{3 => x, 70 => y}),
     maps:filtermap(fun(K, V) -> K < 3 andalso {true, V * 10} end, M)}.

guards() ->
    F = fun(M) when map_size(M) > 1, is_map_key(a, M), map_get(a, M) =:= 1 -> yes; (_) -> no end,
    [F(X) || X <- [#{a => 1, b => 2}, #{a => 1}, #{a => 2, b => 1}, #{b => 1, c => 1}, [], x]].

sharing() ->
    M = maps:from_list([{I, I} || I <- lists:seq(1, 20)]),
    M2 = M#{3 := x},
    {erts_internal:map_to_tuple_keys(M) =:= erts_internal:map_to_tuple_keys(M2),
     erts_debug:same(erts_internal:map_to_tuple_keys(M), erts_internal:map_to_tuple_keys(M2)),
     erts_debug:same(M, M#{3 := 3}), erts_debug:same(M, maps:put(3, 3, M))}.

info() ->
    M = maps:from_list([{I, I} || I <- lists:seq(1, 1000)]),
    {erts_debug:map_info(M), t(fun() -> erts_debug:map_info(#{}) end), t(fun() -> erts_debug:map_info(x) end),
     length(erts_internal:map_hashmap_children(M)), erts_debug:flat_size(M), erts_debug:flat_size(#{a => {b}})}.
