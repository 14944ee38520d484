-module(basic_calls).
-export([main/0, ext/1]).

main() ->
    F = fun(X, Y) -> X + Y end,
    Z = 10,
    G = fun(X) -> X * Z end,
    {fib(20), tak(12, 8, 4), rev([a, b, c, d]), F(1, 2), G(7),
     ext(3), ?MODULE:ext(4), apply(?MODULE, ext, [5]), apply(F, [3, 4]),
     mutual(10), many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
     [G(I) || I <- [1, 2, 3], I =/= 2], nested(3),
     (fun ?MODULE:ext/1)(9), deep(5000)}.

ext(X) -> {ext, X}.

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).

tak(X, Y, Z) when Y >= X -> Z;
tak(X, Y, Z) ->
    tak(tak(X - 1, Y, Z), tak(Y - 1, Z, X), tak(Z - 1, X, Y)).

rev([]) -> [];
rev([H | T]) -> app(rev(T), [H]).

app([], L) -> L;
app([H | T], L) -> [H | app(T, L)].

mutual(0) -> done;
mutual(N) -> mutual2(N - 1).
mutual2(0) -> done2;
mutual2(N) -> mutual(N - 1).

many(A, B, C, D, E, F, G, H, I, J) -> many2(J, I, H, G, F, E, D, C, B, A).
many2(A, B, C, D, E, F, G, H, I, J) -> {A, B, C, D, E, F, G, H, I, J}.

nested(N) ->
    F = fun Loop(0) -> [];
            Loop(K) -> [K * N | Loop(K - 1)]
        end,
    F(N).

deep(0) -> 0;
deep(N) -> 1 + deep(N - 1).
