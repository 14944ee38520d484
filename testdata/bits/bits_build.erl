-module(bits_build).
-export([main/0]).

%% Construction of bitstrings: every kind of segment, at every offset.

main() ->
    [ints(), bigs(), floats(), bins(), utf(), strings(), tests(), comps()].

nums() ->
    [0, 1, -1, 127, 128, 255, 256, -128, -129, 16#12345678, -16#12345678,
     (1 bsl 59) - 1, -(1 bsl 59), 1 bsl 59, -(1 bsl 59) - 1, 1 bsl 64, -(1 bsl 64), (1 bsl 130) + 12345, -(1 bsl 130) + 7].

ints() ->
    [{<<1:O, N:S, 2:3>>, <<0:O, N:S/little, 1:1>>} || N <- nums(), S <- [0, 1, 5, 8, 12, 16, 33, 64, 65, 129], O <- [0, 1, 7, 8]].

bigs() ->
    [{<<N:200, N:16/little, N:7, N:64/native, N:8/signed>>, <<N:3, N:100/little>>} || N <- nums()].

floats() ->
    [begin
         A = <<0:O, F:64/float, F:64/float-little, 1:1>>,
         B = <<0:O, F:32/float, F:32/float-little, 1:1>>,
         C = <<0:O, F:16/float, F:16/float-little, 1:1>>,
         {A, B, C}
     end || F <- [0.0, -0.0, 1.5, -2.25, 3.14159, 1.0e-40, 65504.0, 6.0e-8, 5, -1000, 1 bsl 62, 16#ffffff1], O <- [0, 3]].

bins() ->
    B = list_to_binary(lists:seq(1, 100)),
    <<_:3, U/bits>> = B,
    [begin
         <<P:N/bits, _/bits>> = X,
         {<<0:O, P/bits>>, <<0:O, P/bits, 1:1>>, <<0:O, X:4/binary, X:13/bits, P/bits>>}
     end || X <- [B, U], N <- [0, 1, 8, 12, 64, 100, 512, 520, 700], O <- [0, 1, 8]].

utf() ->
    [{<<0:O, C/utf8>>, <<0:O, C/utf16>>, <<0:O, C/utf16-little, 3>>, <<0:O, C/utf32>>, <<C/utf32-little, 0:O>>}
     || C <- [0, 127, 128, 2047, 2048, 16#D7FF, 16#E000, 16#FFFF, 16#10000, 16#10FFFF], O <- [0, 5, 8]].

strings() ->
    X = 7,
    [<<"abc", X, "def"/utf16, X:3, "tail">>, <<X:1, "shifted string that is longer than eight bytes", X>>].

%% In guards a failed construction is a failed test.
tests() ->
    [g(X) || X <- [1, a, <<>>, 1.5, <<1:3>>, 1 bsl 80]].

g(X) when <<X:8>> =:= <<1>> -> int;
g(X) when bit_size(<<X/binary, 1>>) >= 8 -> bin;
g(X) when bit_size(<<X/bits, 1>>) =:= 11 -> bits;
g(X) when <<X:64/float>> =/= <<>> -> float;
g(_) -> none.

comps() ->
    B = list_to_binary(lists:seq(1, 255)),
    [<< <<X:5>> || <<X>> <= B >>, << <<X, Y:3>> || <<X, Y>> <= B, X rem 3 =:= 0 >>,
     [X || <<X:7>> <= B], << <<(X * X)/utf8>> || X <- lists:seq(1, 150) >>,
     byte_size(<< <<0:800>> || _ <- lists:seq(1, 100) >>)].
