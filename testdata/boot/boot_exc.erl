%% Exceptions, traces, cleanup.
-module(boot_exc).
-export([main/0, thrower/1]).

main() -> {kinds(), traces(), deep(2000), nested(), after_order(), in_proc(), info(), bif_errors(), raise()}.

kinds() -> [catcher(F) || F <- [fun() -> throw({t, 1}) end, fun() -> exit(e) end, fun() -> error(er) end, fun() -> error(er, [a, b]) end,
    fun() -> 1 = id(2) end, fun() -> case id(x) of y -> z end end, fun() -> if_clause(3) end, fun() -> (id(fun(_) -> ok end))() end,
    fun() -> id(notfun) end, fun() -> (id(notfun))(1) end, fun() -> no_mod_here:f(1) end, fun() -> id(a) + 1 end, fun() -> 1 div id(0) end,
    fun() -> hd(id([])) end, fun() -> element(5, id({})) end, fun() -> {maps:get(k, id(#{}))} end, fun() -> (id(x))#{a => 1} end,
    fun() -> binary_to_atom(id("x")) end, fun() -> list_to_integer(id("12x")) end, fun() -> thrower(id({a, b})) end,
    fun() -> << (id(a)):8 >> end, fun() -> try id(1) of 2 -> ok catch _ -> no end end, fun() -> lists:nth(9, id([1])) end]].

catcher(F) -> try {ok, F()} catch C:R:S -> {C, R, [{M, N, A} || {M, N, A, _} <- S, M =/= boot_main], [L || {_, _, _, L} <- S]} end.

if_clause(X) -> if X =:= 1 -> a; X =:= 2 -> b end.
thrower(X) when is_atom(X) -> throw(X).

traces() -> try a(3) catch error:R:S -> {R, S} end.
a(0) -> error(bottom);
a(N) -> {N, a(N - 1)}.

deep(0) -> ok;
deep(N) ->
    try deep2(N) catch throw:{up, X} -> {length(X), lists:sum(X)} end.
deep2(0) -> throw({up, []});
deep2(N) -> try deep2(N - 1) catch throw:{up, L} -> throw({up, [N | L]}) end.

nested() ->
    try try error(first) catch error:first -> error(second) after put(aft, 1) end
    catch C:R -> {C, R, erase(aft)} end.

after_order() ->
    put(o, []),
    R = (catch try try put(o, [1 | get(o)]), throw(x) after put(o, [2 | get(o)]) end after put(o, [3 | get(o)]) end),
    {R, erase(o), catch exit(c), begin {'EXIT', {E, _}} = (catch error(ce)), E end}.

in_proc() ->
    [begin {P, M} = spawn_monitor(F), receive {'DOWN', M, _, P, {R, S}} when is_list(S) -> {R, length(S) > 0}; {'DOWN', M, _, P, R} -> R end end ||
        F <- [fun() -> exit({x, y}) end, fun() -> exit(quiet) end]].

info() ->
    [try apply(M, F, A) catch error:R:S -> [{M1, F1, _, I} | _] = S, {M1, F1, R, I, catch format(R, I, M1, F1, A)} end ||
        {M, F, A} <- [{erlang, binary_part, [<<1, 2>>, 5, 1]}, {ets, insert, [none, {a}]}, {lists, keyfind, [a, 0, []]}, {erlang, element, [3, {a}]},
                      {binary, at, [<<1>>, 7]}, {erlang, list_to_atom, [lists:duplicate(300, $a)]}, {maps, from_list, [[a]]}, {erlang, register, [undefined, self()]}]].
format(R, I, M, F, A) ->
    #{module := FM} = proplists:get_value(error_info, I, #{module => erl_erts_errors}),
    FM:format_error(R, [{M, F, A, I}]).

bif_errors() -> [catcher(fun() -> apply(erlang, F, A) end) ||
    {F, A} <- [{tuple_to_list, [a]}, {atom_to_list, [1]}, {'++', [a, b]}, {length, [[1 | 2]]}, {setelement, [0, {a}, b]}, {float, [x]}, {round, [a]},
               {send_after, [-1, self(), m]}, {monitor, [process, 1]}, {spawn_opt, [lists, map, [], [bad]]}, {'bsl', [1, 1.0]}, {apply, [a, b, c]}]].

raise() -> {catcher(fun() -> erlang:raise(error, r, [{m, f, 1, [{line, 3}]}]) end), catch erlang:raise(bad, r, []), catch erlang:raise(throw, t, [])}.

id(X) -> X.
