-module(binary_unicode).
-export([main/0]).

main() ->
    Ins = [[], <<>>, "abc", <<"abc">>, [$a, [$b | <<"c">>]], [228, 955, 16#1F600], <<228/utf8, 955/utf8>>, <<228>>, [228, <<228>>], [<<228>>, 228],
           [<<195>>, <<164>>], [<<195>>, <<164, 65>>], [<<195>>, 65], [<<226>>, <<130>>, <<172>>], [<<226, 130>>], <<226, 130>>, <<226>>, <<240, 159, 152>>, [<<240, 159>>, <<65>>],
           [16#D800], [$a, 16#D800, $b], [$a, [$b, 16#110000, $c], $d], [-1], [1 bsl 70], [$a, 1 bsl 70, b], [a], a, [$a | b], [$a, a, 16#D800], <<1:3>>, [<<1:3>>], [$a | <<1:3>>],
           [<<237, 160, 128>>], <<97, 237, 160, 128, 98>>, [<<97, 255>>, "tail"], [["x", <<97, 255, 98>>, "y"], "z"], <<192, 128>>, <<193>>, <<245, 1, 1, 1>>, <<245>>, <<248>>, <<128>>,
           [<<"abc">>], [<<"abc", 228>>], [[], [[]], <<>>], [[["deep"], " ", <<"er">>] | <<"tail">>], [<<194>> | <<162>>], [<<194>> | <<65>>], <<16#F4, 16#90, 128, 128>>, [1.5], [$a, 1.5]],
    [[{t(fun() -> unicode:characters_to_binary(X, E) end), t(fun() -> unicode:characters_to_list(X, E) end)} || E <- [latin1, utf8, unicode, utf16, {utf16, little}, utf32, {utf32, little}, foo]]
     || X <- Ins]
        ++ [[t(fun() -> unicode:characters_to_binary(X) end), t(fun() -> unicode:characters_to_list(X) end),
             t(fun() -> unicode:characters_to_binary(X, utf8, latin1) end), t(fun() -> unicode:characters_to_binary(X, latin1, utf16) end)] || X <- Ins]
        ++ [unicode:bin_is_7bit(X) || X <- [<<>>, <<"abc">>, <<200>>, <<1:3>>, a, [1]]]
        ++ [long()].

t(F) ->
    try F()
    catch C:R:S -> {C, R, [{M, N, A, [I || {K, _} = I <- L, K =:= error_info]} || {M, N, A, L} <- [hd(S)]]}
    end.

long() ->
    L = [X || X <- lists:seq(1, 60000), X < 16#D800 orelse X > 16#DFFF],
    D = [[X, <<X/utf8>>] || X <- L],
    B = unicode:characters_to_binary(D),
    M = unicode:characters_to_list(D),
    {error, E1, R1} = unicode:characters_to_binary([D, [D, 16#D800, $x], "y"]),
    {error, E2, R2} = unicode:characters_to_list([B, [B, <<255>>, $x], "y"]),
    {incomplete, E3, R3} = unicode:characters_to_list(<<B/binary, 195>>),
    {erlang:md5(B), length(M), lists:sum(M), M =:= unicode:characters_to_list(B), erlang:md5(E1), R1, lists:sum(E2), R2, length(E3), R3,
     erlang:md5(unicode:characters_to_binary(binary:copy(<<228, 65>>, 100000), latin1)), erlang:md5(unicode:characters_to_binary(L, utf8, utf16))}.
