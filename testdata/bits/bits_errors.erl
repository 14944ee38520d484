-module(bits_errors).
-export([main/0]).

%% What failed constructions say.

main() ->
    B = id(<<1, 2, 3:4>>),
    [t(fun() -> <<(id(a)):8>> end),
     t(fun() -> <<1, (id(1.5)):16, 2>> end),
     t(fun() -> <<1:(id(-1))>> end),
     t(fun() -> <<1:(id(a))>> end),
     t(fun() -> <<1:(id(1 bsl 70))>> end),
     t(fun() -> <<1:(id(-(1 bsl 70)))>> end),
     t(fun() -> <<1:(id(1 bsl 58))/unit:100>> end),
     t(fun() -> <<B/binary>> end),
     t(fun() -> <<0, B/binary>> end),
     t(fun() -> <<0, (id(x))/binary>> end),
     t(fun() -> <<0, (id(x))/bits>> end),
     t(fun() -> <<(id(x))/bits, 0>> end),
     t(fun() -> <<0, B:3/binary>> end),
     t(fun() -> <<B:3/binary>> end),
     t(fun() -> <<B:(id(30))/bits>> end),
     t(fun() -> <<B:(id(-3))/bits>> end),
     t(fun() -> <<(id(q)):3/binary>> end),
     t(fun() -> <<(id(a)):64/float>> end),
     t(fun() -> <<1.0:(id(63))/float>> end),
     t(fun() -> <<1.0:(id(2))/float-unit:8>> end),
     t(fun() -> <<(id(1 bsl 2000)):64/float>> end),
     t(fun() -> <<(id(-1))/utf8>> end),
     t(fun() -> <<(id(16#D800))/utf8>> end),
     t(fun() -> <<(id(16#110000))/utf16>> end),
     t(fun() -> <<(id(16#DFFF))/utf16-little>> end),
     t(fun() -> <<(id(a))/utf32>> end),
     t(fun() -> <<(id(1 bsl 70))/utf32, 0>> end),
     t(fun() -> <<0, B/binary-unit:4>> end),
     t(fun() -> <<0, B/binary-unit:16>> end),
     t(fun() -> <<B/binary-unit:4, 1>> end),
     t(fun() -> <<B/binary-unit:16, 1>> end),
     t(fun() -> <<1:(id(-1)), (id(a))/binary>> end),
     t(fun() -> <<(id(a)):8, 1:(id(b))>> end),
     t(fun() -> <<(id(1.0e300)):32/float>> end),
     t(fun() -> <<(id(70000.0)):16/float>> end),
     t(fun() -> <<X:8, _/bits>> = B, <<Y:40>> = id(<<X>>), Y end)].

t(F) ->
    try {ok, F()}
    catch C:R:S -> {C, R, [{M, N, A, [I || {K, _} = I <- L, K =:= error_info]} || {M, N, A, L} <- [hd(S)]]}
    end.

id(X) -> X.
