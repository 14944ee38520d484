-module(basic_wide).
-export([main/0, many/30, hib/2, loop/2]).

%% Wide frames, many arguments, long tuples, selects of every kind.
main() ->
    T = list_to_tuple(lists:seq(1, 9000)),
    Me = self(),
    P = spawn_link(fun() -> erlang:hibernate(?MODULE, hib, [Me, 1]) end),
    P ! go,
    H = receive {hib, N} -> N end,
    {el(T), wide(1), apply(?MODULE, many, lists:seq(1, 30)),
     spawned(), H, [sparse(X) || X <- [1, 1000, 1000000, -5, 3, a]],
     [dense(X) || X <- lists:seq(-2, 12)], [arity(X) || X <- [{}, {1}, {1, 2}, {1, 2, 3}, x]],
     [big(X) || X <- [1 bsl 64, 1 bsl 65, 1.5, 2, <<"abc">>, "s", {a, [b]}, #{a => 1}]],
     tail(200000), apply_tail(1000), fun_tail(1000), catch apply(?MODULE, nosuch, []),
     (catch apply(?MODULE, many, [1 | 2])), strings([]), try_stack(50),
     [eq(X, Y) || {X, Y} <- [{1, 1.0}, {{1}, {1}}, {"a", "a"}, {a, b}, {[1.0], [1]}, {1 bsl 70, 1 bsl 70}]],
     swap3(1, 2, 3), comprehension(), maps_(), update()}.

el({_, _, _, A, B, C, _, _, _}) -> {A, B, C};
el(T) -> {element(1, T), element(9000, T), tuple_size(T)}.

wide(A) ->
    B = id(A + 1), C = id(B + 1), D = id(C + 1), E = id(D + 1), F = id(E + 1), G = id(F + 1),
    H = id(G + 1), I = id(H + 1), J = id(I + 1), K = id(J + 1), L = id(K + 1), M = id(L + 1),
    N = id(M + 1), O = id(N + 1), P = id(O + 1), Q = id(P + 1), R = id(Q + 1), S = id(R + 1),
    T = id(S + 1), U = id(T + 1), V = id(U + 1), W = id(V + 1), X = id(W + 1), Y = id(X + 1),
    {A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T, U, V, W, X, Y, id([A, Y])}.

id(X) -> X.

many(A, B, C, D, E, F, G, H, I, J, K, L, M, N, O, P, Q, R, S, T, U, V, W, X, Y, Z, A1, B1, C1, D1) ->
    id(x),
    [D1, C1, B1, A1, Z, Y, X, W, V, U, T, S, R, Q, P, O, N, M, L, K, J, I, H, G, F, E, D, C, B, A].

spawned() ->
    Me = self(),
    spawn(?MODULE, loop, [Me, 3]),
    receive {loop, X} -> X end.

loop(Pid, 0) -> Pid ! {loop, done};
loop(Pid, N) -> loop(Pid, N - 1).

hib(Pid, N) -> receive go -> Pid ! {hib, N} end.

sparse(1) -> a; sparse(1000) -> b; sparse(1000000) -> c; sparse(-5) -> d; sparse(_) -> e.

dense(0) -> z; dense(1) -> o; dense(2) -> t; dense(3) -> th; dense(4) -> f; dense(5) -> fi;
dense(7) -> s; dense(9) -> n; dense(_) -> none.

arity({}) -> 0; arity({_}) -> 1; arity({_, _}) -> 2; arity({_, _, _}) -> 3; arity(_) -> no.

big(16#10000000000000000) -> b64; big(16#20000000000000000) -> b65; big(1.5) -> f;
big(2) -> two; big(<<"abc">>) -> bin; big("s") -> s; big({a, [b]}) -> t; big(#{a := 1}) -> m.

tail(0) -> ok;
tail(N) -> tail(N - 1).

apply_tail(0) -> ok;
apply_tail(N) -> apply(fun apply_tail/1, [N - 1]).

fun_tail(N) ->
    F = fun(_, 0) -> done; (G, K) -> G(G, K - 1) end,
    F(F, N).

strings(L) when length(L) > 100 -> lists:reverse(L);
strings(L) -> strings([integer_to_list(length(L)) ++ "x" | L]).

try_stack(0) -> throw(bottom);
try_stack(N) ->
    try try_stack(N - 1)
    catch
        throw:bottom when N < 25 -> throw(bottom);
        throw:bottom when N =:= 25 -> error({half, N});
        error:{half, K} when N < 50 -> exit({K, N});
        exit:{K, M} when N < 50 -> erlang:raise(exit, {K, M + 1}, []);
        exit:R -> {caught, R}
    after
        put(depth, N)
    end.

eq(X, Y) -> {X == Y, X =:= Y, X < Y, X >= Y}.

swap3(A, B, C) -> rot(C, A, B).
rot(A, B, C) -> {A, B, C}.

comprehension() ->
    [{X, Y} || X <- [1, 2, 3], Y <- "ab", X rem 2 =:= 1] ++ [<<X>> || <<X>> <= <<1, 2, 3>>].

maps_() ->
    M = #{x => id(1), id(2) => 3},
    M.

update() ->
    L = [{I, atom_to_list(a)} || I <- lists:seq(1, 50)],
    lists:sort(maps:to_list(lists:foldl(fun({I, A}, M) -> M#{I => A, {k, I rem 7} => I} end, #{}, L))).
