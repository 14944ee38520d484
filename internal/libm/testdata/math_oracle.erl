%% Writes lines of function, two arguments and result, the numbers as the bits
%% of doubles in hex.
-module(math_oracle).
-export([main/1]).

main([Out]) ->
    rand:seed(exsss, {1, 2, 3}),
    {ok, F} = file:open(Out, [write, raw, delayed_write]),
    One = [sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, exp, log, log2, log10, erf, erfc],
    [emit(F, Fn, [X], X, 0.0) || R <- lists:seq(1, 6), _ <- lists:seq(1, 1000), X <- [x(R)], Fn <- One],
    [emit(F, Fn, [X], X, 0.0) || X <- special(), Fn <- One],
    [emit(F, Fn, [X, Y], X, Y) || R <- lists:seq(1, 6), S <- lists:seq(1, 6), _ <- lists:seq(1, 200), X <- [x(R)], Y <- [x(S)], Fn <- [pow, atan2]],
    [emit(F, Fn, [X, Y], X, Y) || X <- special(), Y <- special(), Fn <- [pow, atan2]],
    ok = file:close(F),
    halt().

emit(F, Fn, Args, X, Y) ->
    R = try bits(apply(math, Fn, Args)) catch error:badarith -> "error" end,
    ok = file:write(F, [atom_to_list(Fn), $\s, bits(X), $\s, bits(Y), $\s, R, $\n]).

x(1) -> rand:uniform();
x(2) -> (rand:uniform() - 0.5) * 20;
x(3) -> rand:uniform() * 1000;
x(4) -> (rand:uniform() - 0.5) * math:pow(10, rand:uniform(40) - 20);
x(5) -> <<V/float>> = <<(rand:uniform(2) - 1):1, (rand:uniform(2046)):11, (rand:uniform(1 bsl 52) - 1):52>>, V;
x(6) -> 1 + (rand:uniform() - 0.5) * math:pow(10, -rand:uniform(15)).

special() ->
    [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 3.0, -3.0, 10.0, 100.0, 1000.0, 0.1, 1.0e-5, 5.0e-324, -5.0e-324, 1.0e-310, 2.2250738585072014e-308,
     1.7976931348623157e308, -1.7976931348623157e308, 709.0, 709.78, 709.79, 710.4, 710.5, -708.0, -744.0, -745.0, -745.2, -746.0, 1.0e10, 1.0e22, -1.0e300,
     1.5707963267948966, 3.141592653589793, 0.7853981633974483, 1.0e-8, 1.0e-9, 1.0e-17, 0.84375, 1.25, 6.0, 28.0, 26.5, 27.5, 22.0, 1.0e16, 9007199254740993.0,
     1.0000000000000002, 0.9999999999999999, 0.3333333333333333, 1024.0, 1.0e15].

bits(X) -> <<B:64>> = <<X/float>>, integer_to_list(B, 16).
