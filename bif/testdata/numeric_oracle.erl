%% Evaluates builtins of numbers, text and checksums on random and chosen
%% arguments, and writes {Module, Function, Arguments, Outcome}, each as a
%% length (32 bits) and a term in the external format.
-module(numeric_oracle).
-export([main/1]).

main([Out, N]) ->
    rand:seed(exsss, {5, 6, 7}),
    {ok, F} = file:open(Out, [write, raw, binary, delayed_write]),
    [emit(F, M, Fn, A) || {M, Fn, A} <- fixed() ++ random(list_to_integer(N))],
    ok = file:close(F),
    halt().

emit(F, M, Fn, A) ->
    R = try {ok, apply(M, Fn, A)} catch C:E -> {C, E} end,
    B = term_to_binary({M, Fn, A, R}),
    ok = file:write(F, [<<(byte_size(B)):32>>, B]).

fixed() ->
    F = [0.0, -0.0, 1.5, -2.5, 0.5, -0.5, 1.0e22, 123456789.125, 9007199254740993.0, 9007199254740991.0, 5.0e-324,
         1.7976931348623157e308, -1.0e-7, 0.0001, 0.00001, 100.0, 1000.0, 1.0e5, 12345678900.0, 123456789000.0,
         18014398509481984.0, 1.0e16, 1.0e15, 0.1, 0.3, 2.0e-4, 1.05, 0.05, 1.0e100, 4.35, 1.005, 999.9995, 0.99999],
    O = [[], [short], [compact], [{decimals, 0}], [{decimals, 0}, compact], [{decimals, 2}], [{decimals, 3}, compact], [{decimals, 10}],
         [{decimals, 18}], [{decimals, 18}, compact], [{decimals, 19}], [{decimals, 30}, compact], [{decimals, 253}], [{decimals, 254}],
         [{decimals, -1}], [{scientific, -1}], [{scientific, 0}], [{scientific, 5}], [{scientific, 20}], [{scientific, 249}],
         [{scientific, 250}], [{scientific, 3}, compact], [{decimals, 3}, short], [short, {decimals, 3}], [x], x, [short | x],
         [{decimals, x}], [{x, 1}], [{decimals, 1 bsl 40}], [{decimals, 300}, short]],
    Texts = ["", "-", "+", "1", "-1", "+1", "--1", "1 ", " 1", "0", "-0", "00012", "12x", "x", "1.5", "1,5", "1.", ".5", "1.5e", "1.5e3",
             "1.5E+3", "-1.5e-3", "1.5e400", "1.5e-400", "1.5e+", [$1, $., $5, 0, $x], "1.5x", "+1.5", "-", [304], [$1 | x], "1.0e10", "1e5",
             lists:duplicate(18, $9), lists:duplicate(19, $9), lists:duplicate(20, $9), "-" ++ lists:duplicate(18, $9),
             "576460752303423487", "576460752303423488", "-576460752303423488", "-576460752303423489", lists:duplicate(5000, $7),
             "zz", "ZZ", "1Z", a, 1, [a], [1.0], "1.5e5e", "1.5.3", "1.5-3", "1.5e-x", "1.2345678901234567890123456789"],
    [{erlang, Fn, [X, Y]} || Fn <- [float_to_list, float_to_binary], X <- F ++ [1, a], Y <- O] ++
    [{erlang, Fn, [X]} || Fn <- [float_to_list, float_to_binary, round, trunc, ceil, floor, abs, float, '-', '+'], X <- F ++ [a]] ++
    [{M, Fn, [X]} || {M, Fn} <- [{erlang, list_to_integer}, {erlang, list_to_float}, {string, list_to_integer},
                                 {string, list_to_float}], X <- Texts] ++
    [{erlang, Fn, [list_to_binary(X)]} || Fn <- [binary_to_integer, binary_to_float], X <- Texts, is_bin(X)] ++
    [{erlang, list_to_integer, [X, B]} || X <- Texts, B <- [2, 8, 11, 16, 36, 1, 37, a]] ++
    [{erlang, binary_to_integer, [list_to_binary(X), B]} || X <- Texts, is_bin(X), B <- [2, 8, 11, 16, 36, 1, 37, a]] ++
    [{erlang, Fn, [X, B]} || Fn <- [integer_to_list, integer_to_binary], X <- [0, 35, -35, 1 bsl 100, -(1 bsl 64), 1.0, a],
                             B <- [2, 3, 10, 16, 36, 1, 37, a]] ++
    [{erlang, Fn, [X, Y]} || Fn <- ops(), X <- odd(), Y <- odd()] ++
    [{erlang, Fn, [X]} || Fn <- ['-', '+', 'bnot', abs, float, round, trunc, ceil, floor, integer_to_list, integer_to_binary], X <- odd()] ++
    [{erlang, Fn, [X, Y]} || Fn <- ['bsl', 'bsr'], X <- [0, 1, -1, 1 bsl 100, -(1 bsl 100)],
        Y <- [1 bsl 100, -(1 bsl 100), 1 bsl 58, -(1 bsl 58), 33554431, 33554432, 33554367, -33554432, 64, 63, -63, -64, -128]] ++
    [{math, Fn, [X]} || Fn <- [ceil, floor, sqrt], X <- F ++ odd()] ++
    [{math, Fn, [X, Y]} || Fn <- [fmod], X <- F ++ odd(), Y <- F ++ odd()] ++
    [{math, Fn, [X]} || Fn <- [acos, acosh, asin, atanh, log, log2, log10], X <- [-2, -1.5, -1, 0, 1, a, 1 bsl 2000, -1.0]] ++
    [{math, pow, [X, Y]} || {X, Y} <- [{0, -1}, {-1, 0.5}, {2, 10}, {2.0, 10000}, {a, 1}, {1, a}, {1 bsl 2000, a}, {0, 0}, {10, 2}, {-2, 3}]] ++
    [{erlang, Fn, [X]} || Fn <- [crc32, adler32, md5], X <- io()] ++
    [{erlang, Fn, [S, X]} || Fn <- [crc32, adler32], S <- [0, 1, 16#FFFF0000, 12345678, -1, 1 bsl 32, a], X <- io()] ++
    [{erlang, Fn, [A, B, N]} || Fn <- [crc32_combine, adler32_combine], {A, B} <- [{1, 1}, {16#12345678, 16#0BCDEF01}, {0, 0}],
        N <- [0, 1, 2, 15, 1000, 65521, 65522, 16#FFFFFFFF, 1 bsl 32, -1, a]] ++
    [{erlang, md5_final, [<<>>]}, {erlang, md5_update, [<<>>, <<>>]}] ++
    [{erlang, Fn, [X, Opts]} || Fn <- [term_to_binary, term_to_iovec], X <- terms(),
        Opts <- [[], [compressed], [{compressed, 0}], [{compressed, 1}], [{compressed, 9}], [{compressed, 10}], [{minor_version, 0}],
                 [{minor_version, 2}], [{minor_version, 3}], [{minor_version, 2}, {minor_version, 1}], [deterministic, compressed],
                 [local], x, [x], [compressed | x], [{minor_version, a}]]] ++
    [{erlang, Fn, [X]} || Fn <- [term_to_binary, term_to_iovec, external_size], X <- terms()] ++
    [{erlang, external_size, [X, Opts]} || X <- [1.5, {1.5, a}], Opts <- [[], [{minor_version, 0}], [{minor_version, 1}], [{minor_version, 2}], x, [x]]] ++
    [{erlang, binary_to_term, [B | Os]} || B <- bins(), Os <- [[], [[]], [[used]], [[safe]], [[used, safe]], [[x]], [x]]].

is_bin(X) -> try is_binary(list_to_binary(X)) catch error:_ -> false end.

ops() -> ['+', '-', '*', '/', 'div', 'rem', 'band', 'bor', 'bxor'].

odd() -> [0, 1, -1, a, 1.5, -1.5, (1 bsl 59) - 1, -(1 bsl 59), 1 bsl 59, -(1 bsl 59) - 1, 1 bsl 64, -(1 bsl 64), 1 bsl 1023, 1 bsl 1024,
          -(1 bsl 2000), 1.7e308, -1.7e308, (1 bsl 128) - 1, -(1 bsl 63), 9007199254740993, 16#FFFFFFFFFFFFFBFF, <<1>>, []].

io() -> [<<>>, [], "abc", [<<"abc">>, "de" | <<"f">>], [[[], [97]], 98 | <<>>], [256], [a], a, <<1:3>>, [<<1:3>>], binary:copy(<<"xyz">>, 5000),
         lists:duplicate(3000, $a), [lists:duplicate(300, 255) | binary:copy(<<7>>, 70)]].

terms() -> [a, 1, "abc", lists:duplicate(60, 65), lists:duplicate(3000, 65), {a, binary:copy(<<7>>, 70), b, binary:copy(<<8>>, 64), binary:copy(<<9>>, 71)},
            binary:copy(<<7>>, 70), lists:seq(1, 300), 1.5, [1.5, 2.5], list_to_tuple(lists:seq(1, 300)), lists:seq(1, 10), {[], [[]]}].

bins() -> [term_to_binary(T) || T <- terms()] ++ [term_to_binary(T, [compressed]) || T <- terms()] ++
          [<<(term_to_binary(T, [compressed]))/binary, 1, 2, 3>> || T <- terms()] ++ [<<131, 97, 1, 2>>, <<>>, <<131>>, <<130, 97, 1>>, a,
          <<131, 80, 0, 0, 0, 1>>, <<131, 80, 255, 255, 255, 255, 120, 156>>, <<131, 80, 0, 0, 0, 2, 1, 2, 3>>, <<131, 119, 9, "no_such_a">>,
          <<131, 100, 0, 300:16>>, <<1:7>>].

random(N) -> lists:append([rnd() || _ <- lists:seq(1, N)]).

rnd() ->
    A = int(), B = int(), X = num(), Y = num(), S = rand:uniform(300) - 150, F = float_(),
    [{erlang, O, [A, B]} || O <- ops()] ++ [{erlang, O, [X, Y]} || O <- ['+', '-', '*', '/']] ++
    [{erlang, 'bsl', [A, S]}, {erlang, 'bsr', [A, S]}, {erlang, 'bnot', [A]}, {erlang, '-', [X]}, {erlang, float, [A]},
     {erlang, round, [F]}, {erlang, trunc, [F]}, {erlang, ceil, [F]}, {erlang, floor, [F]},
     {erlang, float_to_list, [F]}, {erlang, float_to_binary, [F, [short]]}, {erlang, float_to_list, [F, [{decimals, rand:uniform(19)}, compact]]},
     {erlang, float_to_list, [F, [{decimals, rand:uniform(19)}]]}, {erlang, list_to_float, [float_to_list(F)]},
     {erlang, integer_to_list, [A]}, {erlang, integer_to_binary, [A, 1 + rand:uniform(35)]}, {erlang, list_to_integer, [integer_to_list(A)]},
     {erlang, binary_to_integer, [integer_to_binary(B, 16), 16]}, {math, sqrt, [X]}, {math, fmod, [X, Y]}, {math, floor, [X]}].

num() -> case rand:uniform(3) of 1 -> float_(); _ -> int() end.

float_() ->
    case rand:uniform(5) of
        1 -> rand:normal();
        2 -> float(rand:uniform(1 bsl 60));
        3 -> rand:normal() * math:pow(10, rand:uniform(600) - 300);
        4 -> rand:uniform(100000) / 1000;
        5 -> <<G/float>> = <<(rand:uniform(2)-1):1, (rand:uniform(2046)):11, (rand:uniform(1 bsl 52)-1):52>>, G
    end.

int() ->
    V = case rand:uniform(4) of
            1 -> rand:uniform(200);
            2 -> (1 bsl lists:nth(rand:uniform(9), [58, 59, 60, 62, 63, 64, 127, 128, 192])) + rand:uniform(5) - 3;
            _ -> rand:uniform(1 bsl rand:uniform(700))
        end,
    case rand:uniform(2) of 1 -> V; 2 -> -V end.
