%% Formatting, scanning, printing.
-module(boot_io).
-export([main/0]).

main() ->
    io:format("direct ~w ~ts ~p~n", [1, "åäö", [a, {b}]]),
    {formats(), pretty(), floats(), parse(), reads(), big()}.

formats() -> [lists:flatten(io_lib:format(F, A)) ||
    {F, A} <- [{"~10w|~-10w|~10.5.xw", [abc, abc, abc]}, {"~s ~20s ~.3s", ["abc", <<"def">>, "ghijk"]}, {"~b ~.16b ~.2x ~36.r", [255, 255, 5, "p", 1]},
               {"~e ~.3f ~g ~10.2f", [1.5, 2.0, 1.0e10, 3.14159]}, {"~c~3c ~~ ~tc", [65, 66, 1080]}, {"~W ~P", [lists:seq(1, 20), 5, {a, [b, {c, [d, {e}]}]}, 4]},
               {"~i~w", [1, 2]}, {"~*w|~*.*f", [5, a, 8, 2, 1.0]}, {"~w ~p", [<<1, 2, 3:3>>, <<"text">>]}, {"~p ~tp", ["é", "кот"]}] ,
    (catch io_lib:format(F, A)) =/= x, is_list(catch io_lib:format(F, A))].

pretty() ->
    T = #{list => lists:seq(1, 40), tuple => {deep, [{a, b, "string", <<"binary">>}, fun lists:map/2]}, 'quoted atom' => 1.0e-5, nested => #{x => #{y => []}}},
    lists:flatten([io_lib:format("~p~n~0p~n~80p~n", [T, T, T]), io_lib:print(T, 5, 30, -1)]).

floats() -> [{F, float_to_list(F), io_lib:format("~w", [F]), float_to_binary(F, [short]), float_to_list(F, [{decimals, 4}])} ||
    F <- [0.1, 1.0, -0.0, 1.0e22, 123456789.123, 5.0e-324, 1.7976931348623157e308, 2 / 3] , abs(F) < 1.0e100] ++ [float_to_list(1.0e300), 1.7976931348623157e308].

parse() ->
    {ok, Ts, _} = erl_scan:string("X = fun(A) when A > 1 -> [A || A <- \"abc\"] end, X(2.5e3, $\\n, 16#ff, 'q a')."),
    {ok, Es} = erl_parse:parse_exprs(Ts),
    {ok, Es2} = erl_parse:parse_exprs(element(2, erl_scan:string("lists:sum([X*X || X <- lists:seq(1,10), X rem 2 =:= 0])."))),
    {value, V, _} = erl_eval:exprs(Es2, []),
    {Ts, Es, V, lists:flatten(erl_pp:exprs(Es)), erl_scan:string("'abc")}.

reads() -> [io_lib:fread(F, S) || {F, S} <- [{"~d ~s", "12 abc"}, {"~f-~a", "1.5-xy"}, {"~u~c", "7z"}, {"~d", "x"}, {"~16u", "ff"}]].

big() ->
    N = lists:foldl(fun(I, A) -> A * I end, 1, lists:seq(1, 200)),
    {N, length(integer_to_list(N)), integer_to_list(N, 36), list_to_integer(integer_to_list(N)) =:= N, N rem 1000003, N band ((1 bsl 64) - 1), -N bsr 300}.
