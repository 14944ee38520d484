-module(basic_data).
-export([main/0]).
-record(r, {a, b = 2, c}).

main() ->
    R = #r{a = 1},
    R2 = R#r{b = 5, c = [x]},
    M = #{a => 1, b => 2, 3 => {x}},
    M2 = M#{a := 7, z => 9},
    #{b := B} = M2,
    Big = maps:from_list([{I, I * I} || I <- lists:seq(1, 100)]),
    #{50 := Fifty} = Big,
    {R, R2, R2#r.b, M2, B, Fifty, map_size(Big#{200 => 1}),
     [sel(X) || X <- [1, 2, 3, 4, 5, 100, a, b, c, d, e, f, g, h, i, j, k, l, 1.5, "s", {}, {a}, {a, b}]],
     [types(X) || X <- [1, 1 bsl 70, 1.0, a, true, [], [a], {}, {a}, #{}, <<1>>, <<1:3>>, fun main/0]],
     floats(3, 2.5), tup(5), str("abc"), cmp(), guard(5), guard({1, 2}), guard([1]),
     [fl(X) || X <- [0, 1, 2, -3, 1 bsl 65]]}.

sel(1) -> one; sel(2) -> two; sel(3) -> three; sel(4) -> four; sel(5) -> five;
sel(a) -> aa; sel(b) -> bb; sel(c) -> cc; sel(d) -> dd; sel(e) -> ee; sel(f) -> ff;
sel(g) -> gg; sel(h) -> hh; sel(i) -> ii; sel(j) -> jj; sel(k) -> kk;
sel(1.5) -> float; sel("s") -> str; sel({}) -> t0; sel({_}) -> t1; sel({_, _}) -> t2;
sel(_) -> other.

types(X) ->
    [is_integer(X), is_float(X), is_number(X), is_atom(X), is_boolean(X), is_list(X),
     is_tuple(X), is_map(X), is_binary(X), is_bitstring(X), is_function(X), is_function(X, 0),
     is_pid(X), is_reference(X), is_port(X)].

floats(A, B) ->
    C = A * B + 1.5,
    D = C / 2 - A,
    {C, D, -D, C > D, trunc(C), round(D), float(A)}.

fl(X) -> X * 1.5 + 2 * (X - 0.5).

tup(N) -> setelement(2, {a, b, c, list_to_tuple([N, N])}, new).

str(S) -> S ++ "def" ++ [$x].

cmp() ->
    L = [3, 1.0, a, "x", {1}, #{}, <<"b">>, 1 bsl 80, -5, [], 2.5, 1],
    {lists:sort(L), 1 == 1.0, 1 =:= 1.0, 1 /= 1.0, 1 =/= 1.0,
     [X || X <- L, X > 2], [X || X <- L, X =< b], lists:max(L), min(1, 1.0)}.

guard(X) when is_integer(X), X > 3 orelse X < 0 -> {int, X};
guard(X) when is_tuple(X), element(2, X) =:= 2, tuple_size(X) == 2 -> pair;
guard(X) when hd(X) == 1 -> list;
guard(_) -> none.
