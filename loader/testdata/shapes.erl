%% Each kind of instruction that compilers write.
-module(shapes).
-export([lists/2, tuples/1, maps/2, bins/2, build/3, loop/2, catches/2, funs/2, floats/2, big/1, rec/1, select/1]).
-record(r, {a, b = 1, c = <<"c">>, d = [], e = #{}, f}).

lists([H | T], Acc) -> lists(T, [H, {H, T} | Acc]);
lists([], Acc) -> Acc.

tuples({A, B}) -> {B, A, [A | B], "literal", {1.5, <<1, 2, 3>>}};
tuples({A, B, _}) when A > B; is_atom(A) -> A;
tuples(T) when tuple_size(T) > 5 -> element(4, T);
tuples(_) -> error(badarg).

maps(#{a := A, b := B} = M, K) -> M#{a := B, K => A, c => {A, K}};
maps(M, K) when is_map_key(K, M) -> map_get(K, M);
maps(M, _) -> map_size(M).

bins(<<A:8, B:16/little, N:4, Rest:N/binary, _/bitstring>>, _) -> {A, B, Rest};
bins(<<F:64/float, "abc", T/binary>>, X) -> [F | bins(T, X)];
bins(<<C/utf8, T/binary>>, X) -> [C | bins(T, X)];
bins(B, _) -> B.

build(A, B, C) -> <<A:12, B/binary, C/float, "tail", (byte_size(B)):32, $é/utf8>>.

loop(N, Acc) when N > 0 ->
    receive
        {add, M} -> loop(N - 1, [M | Acc]);
        stop -> Acc
    after N * 10 -> loop(N div 2, Acc)
    end;
loop(_, Acc) -> Acc.

catches(F, G) ->
    try F() of
        {ok, V} -> V;
        O -> G(O)
    catch
        throw:T -> {thrown, T};
        error:E:S -> {E, S};
        C:R -> erlang:raise(C, R, [])
    after
        catch G(done)
    end.

funs(X, Y) -> fun(Z) -> lists:map(fun(E) -> E + X * Y end, [Z, fun ?MODULE:lists/2]) end.

floats(A, B) when is_float(A), is_float(B) -> (A + B) * (A - B) / (-A * 2.5).

big(X) -> X * 123456789012345678901234567890 + -98765432109876543210.

rec(#r{a = A} = R) -> R#r{b = A, f = R#r.e, d = [A | R#r.d]}.

select(a) -> 1; select(b) -> 2; select(c) -> 3;
select(1) -> a; select(2) -> b; select(300) -> c;
select("x") -> d; select(_) -> e.
