-module(basic_exc).
-export([main/0, f/1, g/2]).

main() ->
    [catch_it(F) ||
        F <- [fun() -> error(foo) end,
              fun() -> exit(bar) end,
              fun() -> throw(baz) end,
              fun() -> error(foo, [1, 2]) end,
              fun() -> error(foo, none) end,
              fun() -> error(foo, [a], [{error_info, #{cause => x}}]) end,
              fun() -> f(x) end,
              fun() -> g(1, a) end,
              fun() -> g(a, 1) end,
              fun() -> hd(id([])) end,
              fun() -> element(id(3), id({a, b})) end,
              fun() -> atom_to_list(id(1)) end,
              fun() -> list_to_atom(id(1)) end,
              fun() -> nosuch:fn(1, 2) end,
              fun() -> (id(fun f/1))(1, 2) end,
              fun() -> (id(notfun))(1) end,
              fun() -> case id(3) of 4 -> ok end end,
              fun() -> if_it(id(3)) end,
              fun() -> {a, _} = id({b, c}) end,
              fun() -> try id(3) of 4 -> ok catch _:_ -> no end end,
              fun() -> id(1) + id(a) end,
              fun() -> id(1) div id(0) end,
              fun() -> apply(id(lists), id(reverse), id(foo)) end,
              fun() -> apply(id(1), id(reverse), []) end,
              fun() -> apply(id(fun f/1), id([1, 2])) end,
              fun() -> erlang:raise(error, reraised, [{a, b, 1}]) end,
              fun() -> erlang:raise(foo, reraised, []) end,
              fun() -> erlang:nif_error(undef_nif) end,
              fun() -> maps:get(a, id(#{})) end,
              fun() -> (id(#{}))#{a := 1} end,
              fun() -> (id(x))#{a => 1} end,
              fun() -> lists:nth(5, [1]) end,
              fun() -> length(id([a | b])) end,
              fun() -> tuple_size(id(a)) end,
              fun() -> self() ! ok, receive ok -> error(after_receive) end end,
              fun() -> receive after id(foo) -> ok end end,
              fun() -> deep(20) end,
              fun rethrow/0,
              fun() -> after_it() end]]
    ++ [catch error(x), catch exit(y), catch throw(z), catch f(q),
        (catch id(17)), nested(), cleanup()].

catch_it(F) ->
    try F() of
        V -> {value, V}
    catch
        C:R:S -> {C, R, S}
    end.

id(X) -> X.

f(1) -> one;
f(N) when is_integer(N), N > 1 -> more.

g(A, B) ->
    A + B.

if_it(X) ->
    if X > 5 -> big;
       X < 2 -> small
    end.

deep(0) -> error(bottom);
deep(N) -> [N | deep(N - 1)].

rethrow() ->
    try f(zz)
    catch
        error:function_clause = R:S -> erlang:raise(exit, {R, length(S)}, S)
    end.

after_it() ->
    try f(zzz)
    after put(after_it, ran)
    end.

nested() ->
    try
        try throw(inner)
        catch throw:other -> no
        end
    catch
        throw:inner -> {outer, get(after_it)}
    end.

cleanup() ->
    R = (catch try error(a) after self() ! cleaned end),
    receive cleaned -> ok end,
    element(1, R).
