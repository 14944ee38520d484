%% Heaps that grow and shrink; data that lives through collections.
-module(boot_gc).
-export([main/0]).

main() -> {live(), recursion(60000), sort(), dict(), tuples(), fullsweep(), shrink(), floats(), bignums(), limits(), lib()}.

live() -> L = [{I, integer_to_list(I), #{i => I}} || I <- lists:seq(1, 3000)], erlang:garbage_collect(), G = gb_trees:from_orddict([{A, B} || {A, B, _} <- L]), {erlang:phash2(L), gb_trees:get(77, G), gb_trees:size(G)}.
recursion(0) -> 0;
recursion(N) -> 1 + recursion(N - 1).
sort() -> L = [erlang:phash2(I) || I <- lists:seq(1, 20000)], S = lists:sort(L), {erlang:phash2(S), lists:usort(L) =:= lists:usort(S), hd(S), erlang:phash2(lists:keysort(2, [{I, X} || {I, X} <- lists:zip(lists:seq(1, 20000), L)]))}.
dict() -> [put({k, I}, lists:seq(1, I rem 30)) || I <- lists:seq(1, 2000)], garbage_collect(), S = lists:sum([length(get({k, I})) || I <- lists:seq(1, 2000)]), [erase({k, I}) || I <- lists:seq(1, 1990)], {S, length([K || {{k, _} = K, _} <- get()])}.
tuples() -> T = list_to_tuple(lists:seq(1, 2000)), T2 = lists:foldl(fun(I, A) -> setelement(I, A, {I}) end, T, lists:seq(1, 300)), {erlang:phash2(T2), element(300, T2), tuple_size(erlang:append_element(T2, x))}.
fullsweep() -> {P, M} = spawn_opt(fun() -> exit(loop(300, [])) end, [monitor, {fullsweep_after, 0}]), receive {'DOWN', M, _, P, R} -> R end.
loop(0, A) -> erlang:phash2(A);
loop(N, A) -> loop(N - 1, [lists:seq(1, N), {N, length(A)} | lists:sublist(A, 10)]).
shrink() -> {P, M} = spawn_monitor(fun() -> X = length(lists:seq(1, 200000)), garbage_collect(), {_, H} = process_info(self(), total_heap_size), exit({X, H < 20000}) end), receive {'DOWN', M, _, P, R} -> R end.
floats() -> lists:foldl(fun(I, A) -> A * 0.999 + math:sqrt(I) - 1 / I end, 1.0, lists:seq(1, 5000)).
bignums() -> {erlang:phash2(fib(3000)), fact(300) div fact(295), (fact(100) band fact(50)) rem 997, -fact(30) bsr 7}.
fib(N) -> fib(N, 0, 1).
fib(0, A, _) -> A;
fib(N, A, B) -> fib(N - 1, B, A + B).
fact(0) -> 1;
fact(N) -> N * fact(N - 1).
limits() -> {P, M} = spawn_opt(fun() -> grow([]) end, [monitor, {max_heap_size, #{size => 20000, kill => true, error_logger => false}}]), receive {'DOWN', M, _, P, R} -> R end.
grow(L) -> grow([L, L | L]).
lib() -> Q = lists:foldl(fun queue:in/2, queue:new(), lists:seq(1, 1000)), S = sets:from_list(lists:seq(1, 500)), A = array:from_list(lists:seq(1, 1000)), D = dict:from_list([{I, I} || I <- lists:seq(1, 1000)]),
    {queue:len(Q), queue:get(Q), sets:size(sets:subtract(S, sets:from_list([1, 2, 3]))), array:foldl(fun(_, V, X) -> V + X end, 0, A), dict:fetch(500, D), digraph(), rand:uniform_s(1000, rand:seed_s(exsss, 42)), ordsets:union([1, 3], [2])}.
digraph() -> G = digraph:new(), [digraph:add_vertex(G, V) || V <- lists:seq(1, 30)], [digraph:add_edge(G, V, V * 7 rem 30 + 1) || V <- lists:seq(1, 30)], R = {lists:sort([length(C) || C <- digraph_utils:components(G)]), digraph:get_path(G, 1, 8)}, digraph:delete(G), R.
