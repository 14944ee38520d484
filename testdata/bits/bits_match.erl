-module(bits_match).
-export([main/0]).
-compile(nowarn_unused_vars).

%% Matching of bitstrings: every kind of segment, at every offset.

main() ->
    B = << <<(I * 37 rem 256)>> || I <- lists:seq(1, 80) >>,
    [ints(B), little(B), vars(B), floats(), bins(B), tails(B), strings(), utf(), units(B), mixed(B)].

ints(B) ->
    [begin
         <<_:O, X1:1, X3:3, X7:7, X8:8, X9:9, _/bits>> = B,
         <<_:O, Y16:16, Y32:32, Y59:59, Y60:60, Y61:61, Y64:64, Y100:100, _/bits>> = B,
         <<_:O, S1:1/signed, S8:8/signed, S16:16/signed, S60:60/signed, S64:64/signed, S65:65/signed, S130:130/signed, _/bits>> = B,
         {O, X1, X3, X7, X8, X9, Y16, Y32, Y59, Y60, Y61, Y64, Y100, S1, S8, S16, S60, S64, S65, S130}
     end || O <- lists:seq(0, 9)].

little(B) ->
    [begin
         <<_:O, A:8/little, C:9/little, D:16/little, E:31/little, F:64/little, G:77/little, _/bits>> = B,
         <<_:O, H:8/little-signed, I:12/little-signed, J:64/little-signed, K:70/little-signed, L:16/native, _/bits>> = B,
         {A, C, D, E, F, G, H, I, J, K, L}
     end || O <- lists:seq(0, 9)].

vars(B) ->
    [case B of
         <<_:O, X:N, R/bits>> -> {X, bit_size(R)};
         _ -> nomatch
     end || O <- [0, 3], N <- [0, 1, 8, 17, 64, 65, 200, 640, 641, -1, 1 bsl 70, a, 2.0]]
        ++ [case B of
                <<X:N/binary, _/bits>> -> X;
                _ -> nomatch
            end || N <- [0, 1, 70, 80, 81, -1, a, 1 bsl 64]]
        ++ [case B of
                <<_:N/binary-unit:4, X:N/unit:3, _/bits>> -> X;
                _ -> nomatch
            end || N <- [0, 1, 13, 100, 1 bsl 58]].

floats() ->
    F = [f(<<1.5:64/float>>), f(<<-0.0:64/float>>), f(<<1.0e300:64/float-little>>), f(<<3.25:32/float>>),
         f(<<127, 240, 0:48>>), f(<<127, 255, 0:48>>), f(<<16#7f800000:32>>), f(<<16#7fc00000:32>>),
         f(<<16#3c00:16>>), f(<<16#7c00:16>>), f(<<16#0001:16>>), f(<<16#fbff:16>>), f(<<0:24>>)],
    G = [begin <<_:O, X:32/float, _/bits>> = <<0:O, 1.25:32/float, 0:5>>, X end || O <- [0, 1, 7]],
    {F, G}.

f(B) ->
    {case B of <<X:64/float>> -> X; <<X:32/float>> -> X; <<X:16/float>> -> X; _ -> none end,
     case B of <<Y:64/float-little>> -> Y; <<Y:32/float-little>> -> Y; <<Y:16/float-little>> -> Y; _ -> none end}.

bins(B) ->
    [begin
         <<_:O, P:5/binary, Q:70/binary, R/bits>> = B,
         <<_:O, S:3/bits, T:13/bits, U/bits>> = B,
         {P, Q, R, S, T, bit_size(U), hash(U)}
     end || O <- [0, 1, 4, 7, 8]].

tails(B) ->
    [tail(B, 0, []), tail2(<<1, 2, 3>>), tail2(<<1, 2, 3:4>>), tail2(<<>>), tail2(<<7>>)].

tail(<<X:10, R/bits>>, N, A) -> tail(R, N + 1, [X, bit_size(R) | A]);
tail(R, N, A) -> {N, R, A}.

tail2(<<A>>) -> {one, A};
tail2(<<A, B/binary>>) -> {more, A, B};
tail2(<<A, B/bits>>) -> {bits, A, B};
tail2(B) -> {other, B}.

strings() ->
    [s(X) || X <- [<<"hello">>, <<"hello world">>, <<"help">>, <<"he">>, <<"">>, <<"xhello">>, <<1:1, "hello">>, <<5:3>>]].

s(<<"hello", R/binary>>) -> {hello, R};
s(<<1:1, "hello", R/bits>>) -> {shifted, R};
s(<<"help">>) -> help;
s(<<"he", _/bits>>) -> he;
s(<<5:3>>) -> five;
s(_) -> other.

utf() ->
    Cs = [0, 127, 128, 2047, 2048, 16#D7FF, 16#E000, 16#FFFF, 16#10000, 16#10FFFF],
    [[u8(<<C/utf8, 1>>), u16(<<C/utf16>>), u16l(<<C/utf16-little, 0>>), u32(<<C/utf32>>), u32l(<<C/utf32-little, 9>>)] || C <- Cs]
        ++ [begin <<_:3, X/utf8, Y/utf16, Z/utf32, _/bits>> = <<0:3, C/utf8, C/utf16, C/utf32, 0:2>>, {X, Y, Z} end || C <- Cs]
        ++ [u8(X) || X <- [<<128>>, <<192, 128>>, <<193, 191>>, <<194>>, <<194, 65>>, <<224, 159, 191>>, <<224, 160>>,
                           <<237, 160, 128>>, <<240, 143, 191, 191>>, <<244, 144, 128, 128>>, <<245, 0, 0, 0>>, <<255>>, <<>>]]
        ++ [u16(X) || X <- [<<16#D8, 0>>, <<16#D8, 0, 16#DC, 0>>, <<16#DC, 0>>, <<16#D8, 0, 0, 0>>, <<1>>]]
        ++ [u32(X) || X <- [<<16#D800:32>>, <<16#110000:32>>, <<16#DFFF:32>>, <<1, 2, 3>>]]
        ++ [skips(X) || X <- [<<"a", 16#D8, 0, 16#DC, 0, 65:32>>, <<200, 0>>, <<"a", 16#DC, 0>>]].

u8(<<C/utf8, R/bits>>) -> {C, R};
u8(_) -> no.
u16(<<C/utf16, R/bits>>) -> {C, R};
u16(_) -> no.
u16l(<<C/utf16-little, R/bits>>) -> {C, R};
u16l(_) -> no.
u32(<<C/utf32, R/bits>>) -> {C, R};
u32(_) -> no.
u32l(<<C/utf32-little, R/bits>>) -> {C, R};
u32l(_) -> no.
skips(<<_/utf8, _/utf16, _/utf32>>) -> ok;
skips(<<_/utf8, R/bits>>) -> R;
skips(_) -> no.

units(B) ->
    [u(B, N) || N <- lists:seq(0, 40)].

u(B, N) ->
    <<X:N/bits, _/bits>> = B,
    {case X of <<_/bits>> -> 1 end,
     case X of <<_/binary>> -> 8; _ -> no end,
     case X of <<_/binary-unit:16>> -> 16; _ -> no end,
     case X of <<_:3, _/bitstring>> -> 3; _ -> no end,
     case X of <<_:4, R/binary-unit:12>> -> R; _ -> no end}.

%% Several clauses over one context, which go back in it.
mixed(B) ->
    [m(X) || X <- [B, <<1, 2>>, <<0:7>>, <<2, 3:16, "abc">>, <<2, 30:16, "abc">>, <<3, 1:1, 77:7>>, <<3, 0:1, 1:7>>, a, [], <<>>]].

m(<<1, X>>) -> {a, X};
m(<<2, N:16, S:N/binary>>) -> {b, S};
m(<<2, N:16, S/binary>>) -> {c, N, S};
m(<<3, 1:1, X:7>>) -> {d, X};
m(<<3, F:1, X:F>>) -> {e, X};
m(<<3, _/binary>> = W) -> {f, W};
m(<<X:8, R/bits>> = W) when bit_size(W) > 100 -> {g, X, bit_size(R), m(R, 0)};
m(<<X/bits>>) -> {h, X};
m(X) -> {i, X}.

m(<<X:3, R/bits>>, A) -> m(R, (A * 7 + X) band 16#fffffff);
m(<<R/bits>>, A) -> {R, A}.

hash(X) -> erlang:md5(<<X/bits, 0:(-bit_size(X) band 7)>>).
