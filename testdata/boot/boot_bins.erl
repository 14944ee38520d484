%% Binaries of all kinds, shared between processes.
-module(boot_bins).
-export([main/0]).

main() ->
    {append(2000), subs(), matches(), bits(), shared(), bif(), unicode(), comp(), etf(), checksums()}.

append(N) ->
    B = lists:foldl(fun(I, A) -> <<A/binary, I:16, (I rem 3):3/integer, 0:5>> end, <<>>, lists:seq(1, N)),
    {byte_size(B), erlang:md5(B)}.

subs() ->
    B = list_to_binary([I rem 256 || I <- lists:seq(1, 5000)]),
    Ss = [binary:part(B, I, 100) || I <- lists:seq(0, 4000, 37)],
    garbage_collect(),
    {erlang:phash2(Ss), lists:sum([binary:last(S) || S <- Ss]), binary:referenced_byte_size(hd(Ss)), byte_size(binary:copy(hd(Ss), 3))}.

matches() ->
    B = << <<(I * 7):24, (float(I)):64/float, "k", I/utf8>> || I <- lists:seq(1, 300) >>,
    {length(parse(B, [])), erlang:phash2(parse(B, []))}.

parse(<<A:24, F/float, "k", C/utf8, R/binary>>, L) -> parse(R, [{A, F, C} | L]);
parse(<<>>, L) -> L.

bits() ->
    B = << <<I:7>> || I <- lists:seq(1, 1000) >>,
    <<_:3, C/bitstring>> = B,
    {bit_size(B), erlang:phash2(C), [X || <<X:11>> <= C, X rem 5 =:= 0], erlang:crc32(<<C/bitstring, 0:3>>)}.

shared() ->
    B = binary:copy(<<"abcdefgh">>, 1000),
    Self = self(),
    Ps = [spawn_link(fun() -> receive Bin -> Self ! {self(), binary:part(Bin, I, I), erlang:md5(Bin)} end end) || I <- lists:seq(1, 40)],
    [P ! B || P <- Ps],
    erlang:phash2([receive {P, S, M} -> {S, M} end || P <- Ps]).

bif() ->
    B = <<"the quick brown fox jumps over the lazy dog">>,
    {binary:split(B, <<" ">>, [global]), binary:matches(B, [<<"o">>, <<"the">>]), binary:replace(B, <<"o">>, <<"0">>, [global]),
     binary:longest_common_prefix([B, <<"the quiet">>]), binary:decode_unsigned(B), binary:encode_unsigned(1 bsl 100),
     string:split("a,b,,c", ",", all), string:uppercase(B), string:reverse("räksmörgås"), string:pad("x", 5, leading)}.

unicode() ->
    S = [16#410 + I rem 32 || I <- lists:seq(1, 500)],
    B = unicode:characters_to_binary(S),
    {byte_size(B), unicode:characters_to_list(B) =:= S, unicode:characters_to_binary(B, utf8, {utf16, little}) =:= unicode:characters_to_binary(S, unicode, {utf16, little}),
     unicode:characters_to_list(<<B/binary, 16#D0>>) =:= {incomplete, S, <<16#D0>>},
     unicode:characters_to_binary([<<"ok">>, 16#D800]), string:length("e\x{301}x"), unicode:characters_to_nfc_list("e\x{301}")}.

comp() -> [ [<<X>> || <<X>> <= <<"abc">>], << <<(X + 1)>> || X <- "HAL" >>, [{X, Y} || <<X:4, Y:4>> <= <<"az">>] ].

etf() ->
    T = {[1, -1, 1 bsl 70, 1.5, "str", [a | b]], #{k => [1, 2], <<"b">> => 1.0e300}, fun lists:map/2, binary:copy(<<"z">>, 100), <<1:3>>,
         maps:from_list([{I, I} || I <- lists:seq(1, 50)])},
    B = term_to_binary(T), C = term_to_binary(T, [compressed]),
    {binary_to_term(B) =:= T, binary_to_term(C) =:= T, erlang:md5(B), byte_size(B) =:= erlang:external_size(T), catch binary_to_term(<<131, 255>>)}.

checksums() ->
    B = binary:copy(<<"0123456789">>, 20000),
    {erlang:crc32(B), erlang:adler32(B), erlang:md5(B), erlang:phash2(B), zlib:gunzip(zlib:gzip(B)) =:= B, erlang:md5(zlib:compress(B))}.
