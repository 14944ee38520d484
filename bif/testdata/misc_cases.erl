%% Calls of small builtins and what real erl answers, as one external term in
%% base 64: [{M, F, Args, Bind, {ok,R} | {Class,Reason}}]. Bind names the result
%% of a call for {ref, Name} in later arguments; it is not compared then.
-module(misc_cases).
-export([main/1]).

main([_]) ->
    {Out, _} = lists:mapfoldl(fun one/2, #{}, [norm(C) || C <- cases()]),
    io:put_chars(base64:encode(term_to_binary(Out))),
    halt(0).

norm({M, F, A}) -> {M, F, A, none};
norm(C) -> C.

one({M, F, A, B}, Env) ->
    A1 = [case X of {ref, N} -> maps:get(N, Env); _ -> X end || X <- A],
    R = try {ok, apply(M, F, A1)} catch C:E -> {C, E} end,
    case {B, R} of
        {none, _} -> {{M, F, A, B, R}, Env};
        {_, {ok, V}} -> {{M, F, A, B, ok}, Env#{B => V}}
    end.

cases() ->
    lists() ++ tuples() ++ types() ++ ops() ++ atomics() ++ persistent().

vals() ->
    [a, b, '', 1, 1.0, -1, 0, 0.0, 1 bsl 70, -(1 bsl 70), [], {}, [1], [1|2], {a, 1}, {a}, <<>>, <<1:3>>, <<"abc">>, #{}, #{a => 1},
     true, false, "abc", fun erlang:abs/1, undefined].

lists() ->
    Ls = [[], [1], [1, 2, 3], [1, 1.0, a, {x}, 1], foo, [a|b], [1, 2|3], lists:seq(1, 40), [{a, 1}, {b, 2}, {1, c}, {1.0, d}, x, {}]],
    [{lists, member, [K, L]} || K <- [1, 1.0, a, {x}, 40], L <- Ls] ++
    [{lists, reverse, [L, T]} || L <- Ls, T <- [[], foo, [z]]] ++
    [{lists, F, [K, N, L]} || F <- [keyfind, keymember, keysearch], K <- [a, 1, 1.0, c, {x}, 2], N <- [1, 2, 0, foo, 1.0],
        L <- [[], [{a, 1}, {b, 2}, {1, c}, {1.0, d}, x, {}], [{1.0, f}, {1, g}], foo, [{a, 1}|foo], [{z, {x}}]]] ++
    [{erlang, F, [A, B]} || F <- ['++', append, '--', subtract], A <- Ls, B <- Ls] ++
    [{erlang, '--', [lists:seq(1, 100) ++ lists:seq(1, 100), lists:seq(50, 120)]},
     {erlang, '--', [[{N rem 7, <<N:16>>} || N <- lists:seq(1, 60)] ++ [1.0, 1, 2], [{N rem 7, <<N:16>>} || N <- lists:seq(10, 40)] ++ [1, 2.0]]},
     {erlang, '--', [lists:seq(1, 50), [1|2]]}, {erlang, '--', [[1|2], lists:seq(1, 50)]}] ++
    [{erlang, F, [V]} || F <- [hd, tl, length, list_to_tuple, tuple_to_list], V <- vals() ++ Ls].

tuples() ->
    Ts = [{}, {a}, {a, b, c}, foo, [a]],
    Ns = [0, 1, 2, 3, 4, -1, a, 1.0, 1 bsl 70],
    [{erlang, element, [N, T]} || N <- Ns, T <- Ts] ++ [{erlang, setelement, [N, T, x]} || N <- Ns, T <- Ts] ++
    [{erlang, insert_element, [N, T, x]} || N <- Ns, T <- Ts] ++ [{erlang, delete_element, [N, T]} || N <- Ns, T <- Ts] ++
    [{erlang, append_element, [T, x]} || T <- Ts] ++ [{erlang, make_tuple, [N, x]} || N <- Ns] ++
    [{erlang, make_tuple, [N, x, L]} || N <- [0, 3, -1], L <- [[], [{1, a}], [{1, a}, {3, c}, {1, d}], [{4, a}], [{0, a}], foo, [foo], [{1, a}|b]]] ++
    [{erlang, F, [V]} || F <- [tuple_size, size], V <- vals()].

types() ->
    [{erlang, F, [V]} || F <- [is_atom, is_binary, is_bitstring, is_boolean, is_float, is_function, is_integer, is_list, is_map, is_number,
        is_pid, is_port, is_reference, is_tuple], V <- vals()] ++
    [{erlang, is_function, [F, N]} || F <- [fun erlang:abs/1, foo], N <- [0, 1, -1, a, 1 bsl 70, -(1 bsl 70)]] ++
    [{erlang, is_record, [T, Tag]} || T <- [{a}, {a, 1}, {}, x], Tag <- [a, b, 1]] ++
    [{erlang, is_record, [T, Tag, N]} || T <- [{a}, {a, 1}, {}, x], Tag <- [a, b, 1], N <- [0, 1, 2, a, 1 bsl 70]] ++
    [{erts_internal, term_type, [V]} || V <- vals()].

ops() ->
    [{erlang, F, [A, B]} || F <- ['==', '/=', '=:=', '=/=', '<', '>', '=<', '>='], A <- vals(), B <- vals()] ++
    [{erts_internal, cmp_term, [A, B]} || A <- vals(), B <- vals()] ++
    [{erlang, 'not', [A]} || A <- [true, false, a]] ++
    [{erlang, F, [A, B]} || F <- ['and', 'or', 'xor'], A <- [true, false, a], B <- [true, false, a]].

atomics() ->
    Vs = [0, 1, -1, (1 bsl 59) - 1, 1 bsl 59, (1 bsl 63) - 1, 1 bsl 63, -(1 bsl 63), -(1 bsl 63) - 1, (1 bsl 64) - 1, 1 bsl 64, a, 1.0],
    [{erts_internal, atomics_new, [3, 1], s}, {erts_internal, atomics_new, [2, 0], u}, {erts_internal, counters_new, [11], c},
     {erts_internal, atomics_new, [0, 0]}, {erts_internal, atomics_new, [a, 0]}, {erts_internal, atomics_new, [-1, 0]},
     {erts_internal, counters_new, [0]}, {erts_internal, counters_new, [a]},
     {atomics, info, [{ref, s}]}, {atomics, info, [{ref, u}]}, {atomics, info, [foo]}, {atomics, info, [{ref, c}]}] ++
    lists:append([[{atomics, put, [{ref, R}, 1, V]}, {atomics, get, [{ref, R}, 1]}, {atomics, add, [{ref, R}, 1, V]}, {atomics, get, [{ref, R}, 1]},
      {atomics, add_get, [{ref, R}, 2, V]}, {atomics, exchange, [{ref, R}, 1, V]}, {atomics, compare_exchange, [{ref, R}, 1, V, 5]},
      {atomics, compare_exchange, [{ref, R}, 1, 5, V]}] || R <- [s, u], V <- Vs]) ++
    [{atomics, get, [{ref, R}, I]} || R <- [s, u, c], I <- [0, 1, 3, 4, a, -1]] ++ [{atomics, get, [foo, 1]}] ++
    lists:append([[{erts_internal, counters_put, [{ref, c}, I, V]}, {erts_internal, counters_add, [{ref, c}, I, V]}, {erts_internal, counters_get, [{ref, c}, I]}]
      || V <- Vs, I <- [1, 9, 11]]) ++ [{erts_internal, counters_get, [{ref, c}, I]} || I <- lists:seq(0, 12)].

persistent() ->
    [{persistent_term, get, [nokey]}, {persistent_term, get, [nokey, default]}, {persistent_term, put, [{k, 1}, "value"]},
     {persistent_term, get, [{k, 1}]}, {persistent_term, put, [{k, 1}, <<0:1000>>]}, {persistent_term, get, [{k, 1}, x]},
     {persistent_term, put, [1, one]}, {persistent_term, put, [1.0, one0]}, {persistent_term, get, [1]}, {persistent_term, get, [1.0]},
     {persistent_term, erase, [1]}, {persistent_term, erase, [1]}, {persistent_term, get, [1, none]}, {persistent_term, get, [1.0]},
     {persistent_term, put, [[], []]}, {persistent_term, get, [[]]}, {persistent_term, erase, [{k, 1}]}, {persistent_term, erase, [zzz]}].
