%% Tables of all types, match specs, concurrent writers, heirs.
-module(boot_ets).
-export([main/0]).

main() ->
    {[table(T) || T <- [set, ordered_set, bag, duplicate_bag]], select(), counters(), writers(), heir(), errors(), fold()}.

table(Type) ->
    T = ets:new(t, [Type, public]),
    [ets:insert(T, {I rem 17, I, {val, I}}) || I <- lists:seq(1, 200)],
    ets:insert(T, [{float, 1.0}, {<<"bin">>, binary:copy(<<"y">>, 100)}, {#{a => 1}, [1, 2]}, {{t, 1}, "s"}]),
    ets:delete(T, 3),
    L = lists:sort(ets:tab2list(T)),
    R = {Type, ets:info(T, size), erlang:phash2(L), ets:lookup(T, 5), ets:member(T, 3), ets:lookup(T, #{a => 1}),
         length(ets:match(T, {'_', '$1', {val, '$1'}})), ets:match_delete(T, {4, '_', '_'}), ets:info(T, size)},
    ets:delete(T),
    R.

select() ->
    T = ets:new(t, [ordered_set]),
    [ets:insert(T, {I, I * I, integer_to_binary(I)}) || I <- lists:seq(1, 500)],
    MS = [{{'$1', '$2', '_'}, [{'>', '$2', 1000}, {'=:=', {'rem', '$1', 50}, 0}], [{{'$1', {'*', '$2', 2}}}]}],
    {A, C} = ets:select(T, MS, 3),
    {ets:select(T, MS), A, pages(C, 0), ets:select_count(T, [{{'_', '_', '_'}, [], [true]}]),
     ets:select_replace(T, [{{'$1', '$2', '$3'}, [{'<', '$1', 5}], [{{'$1', {'+', '$2', 1}, '$3'}}]}]),
     ets:select_delete(T, [{{'$1', '_', '_'}, [{'>', '$1', 100}], [true]}]), ets:first(T), ets:last(T), ets:next(T, 50), ets:prev(T, 50),
     ets:tab2list(T) =:= lists:sort(ets:tab2list(T))}.

pages('$end_of_table', N) -> N;
pages(C, N) -> case ets:select(C) of {_, C2} -> pages(C2, N + 1); '$end_of_table' -> N end.

counters() ->
    T = ets:new(c, [set, public, {write_concurrency, true}]),
    ets:insert(T, {k, 0, 10}),
    {[ets:update_counter(T, k, X) || X <- [1, {2, 5}, {3, -4, 0, 100}, [{2, 1}, {3, 2}]]],
     ets:update_counter(T, new, 5, {new, 7}), ets:lookup(T, k), ets:update_element(T, k, {2, big()}), ets:take(T, new)}.

big() -> 1 bsl 200.

writers() ->
    T = ets:new(w, [set, public, {write_concurrency, true}, {read_concurrency, true}]),
    Ms = [element(2, spawn_monitor(fun() -> [write(T, W, I) || I <- lists:seq(1, 150)] end)) || W <- lists:seq(1, 6)],
    [receive {'DOWN', M, _, _, normal} -> ok end || M <- Ms],
    {ets:info(T, size), ets:lookup(T, sum), erlang:phash2(lists:sort(ets:tab2list(T)))}.

write(T, W, I) ->
    ets:insert(T, {{W, I}, lists:seq(1, I rem 10), <<W, I:32>>}),
    ets:update_counter(T, sum, I, {sum, 0}).

heir() ->
    Self = self(),
    {P, M} = spawn_monitor(fun() -> T = ets:new(h, [{heir, Self, gift}]), ets:insert(T, {a, "text"}) end),
    receive {'DOWN', M, _, P, _} -> ok end,
    receive {'ETS-TRANSFER', T, P, gift} -> ets:lookup(T, a) end.

errors() ->
    T = ets:new(e, [private]),
    [try F() catch C:R -> {C, R} end ||
        F <- [fun() -> ets:insert(T, x) end, fun() -> ets:lookup(no_table, 1) end, fun() -> ets:update_counter(T, k, 1) end,
              fun() -> ets:new(e, [bad]) end, fun() -> ets:select(T, [bad]) end]].

fold() ->
    T = ets:new(f, [bag]),
    [ets:insert(T, {I rem 5, I}) || I <- lists:seq(1, 100)],
    {ets:foldl(fun({_, V}, A) -> A + V end, 0, T), length(ets:lookup(T, 2)), ets:lookup_element(T, 1, 2),
     begin ets:safe_fixtable(T, true), ets:delete(T, 1), R = ets:info(T, size), ets:safe_fixtable(T, false), R end}.
