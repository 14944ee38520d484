-module(binary_module).
-export([main/0]).

main() ->
    B = list_to_binary([I rem 251 || I <- lists:seq(1, 1000)]),
    <<_:3, U:100/binary, _/bits>> = B,
    [simple(B, U), parts(B), matches(), splits(), multi(), compiled(), unsigned(), common(), copies(B, U), replaced(), long()].

t(F) ->
    try F()
    catch C:R:S -> {C, R, [{M, N, A, [I || {K, _} = I <- L, K =:= error_info]} || {M, N, A, L} <- [hd(S)]]}
    end.

simple(B, U) ->
    [t(fun() -> binary:first(X) end) || X <- [B, U, <<>>, <<1:3>>, a]]
        ++ [t(fun() -> binary:last(X) end) || X <- [B, U, <<>>, <<1:3>>, a]]
        ++ [t(fun() -> binary:at(X, N) end) || X <- [B, U, <<7>>], N <- [0, 1, 99, 999, 1000, -1, a, 1 bsl 70]]
        ++ [t(fun() -> binary:list_to_bin(X) end) || X <- [[1, [B]], [], a, B]]
        ++ [t(fun() -> binary:referenced_byte_size(X) end) || X <- [<<1, 2, 3>>, B, U, a]].

parts(B) ->
    [t(fun() -> binary:part(B, P, L) end) || P <- [0, 1, 1000, 1001, -1, a], L <- [0, 2, -2, 1000, -1000, a]]
        ++ [t(fun() -> binary:part(B, X) end) || X <- [{0, 1}, {1000, -1}, {1, 2, 3}, a, {999, 2}]]
        ++ [t(fun() -> binary:bin_to_list(<<1, 2, 3>>, P, L) end) || P <- [0, 3, 4], L <- [0, 1, -1, 3]].

matches() ->
    S = <<"the quick brown fox jumps over the lazy dog the end">>,
    [t(fun() -> binary:F(S, P) end) || F <- [match, matches], P <- [<<"the">>, <<"x">>, <<"zzz">>, <<>>, a, [], [<<"a">>, <<>>], [<<"fox">>], S, <<S/binary, "x">>]]
        ++ [t(fun() -> binary:F(S, <<"the">>, O) end)
            || F <- [match, matches],
               O <- [[], [{scope, {1, 40}}], [{scope, {40, -39}}], [{scope, {0, 3}}], [{scope, {50, 10}}], [{scope, {-1, 2}}], [foo], foo, [{scope, {0, 0}}], [{scope, {51, -51}}], [{scope, {3, 0}}], [global]]]
        ++ [t(fun() -> binary:F(X, P) end) || F <- [match, matches], X <- [<<>>, <<1:3>>, a, <<"aaaa">>], P <- [<<"a">>, <<"aa">>, [<<"aa">>, <<"a">>], bad]].

splits() ->
    [t(fun() -> binary:split(S, P, O) end)
     || S <- [<<"a,b,,c,,">>, <<",a">>, <<",">>, <<>>, <<",,">>, <<"abc">>], P <- [<<",">>, [<<",">>, <<"b,">>], <<",,">>],
        O <- [[], [global], [trim], [global, trim], [trim_all], [global, trim_all], [global, trim, trim_all], [{scope, {1, 1}}], [global, {scope, {0, 100}}], [x], [global | x]]]
        ++ [t(fun() -> binary:split(<<"a b c">>, <<" ">>) end), t(fun() -> binary:split(x, <<" ">>) end)].

multi() ->
    [t(fun() -> {binary:match(S, P), binary:matches(S, P)} end)
     || S <- [<<"abcdef">>, <<"xabcdabcdeabc">>, <<"aaaaaaa">>, <<"mississippi river">>],
        P <- [[<<"abc">>, <<"abcde">>], [<<"bc">>, <<"abcd">>, <<"cd">>], [<<"a">>, <<"aa">>, <<"aaa">>], [<<"iss">>, <<"issip">>, <<"ppi">>, <<"s">>, <<"riv">>],
              [<<"de">>, <<"cdef">>, <<"bcdex">>], [<<"abcd">>, <<"bcde">>, <<"cdea">>, <<"c">>]]].

compiled() ->
    P1 = binary:compile_pattern(<<"ab">>),
    P2 = binary:compile_pattern([<<"ab">>, <<"abc">>]),
    {T1, R1} = P1,
    {T2, R2} = P2,
    [T1, T2, binary:matches(<<"xabcab">>, P1), binary:matches(<<"xabcab">>, P2), binary:split(<<"xabcab">>, P2, [global])]
        ++ [element(1, t(fun() -> binary:match(<<"abc">>, X) end)) || X <- [{bm, R2}, {ac, R1}, {bm, make_ref()}, {ac, 1}, {x, R1}]]
        ++ [t(fun() -> binary:compile_pattern(X) end) || X <- [<<>>, a, [], [<<"a">> | b], [1], <<1:2>>]].

unsigned() ->
    Ns = [0, 1, 255, 256, 65535, 65536, 1 bsl 40, (1 bsl 59) - 1, 1 bsl 59, 1 bsl 63, 1 bsl 64, (1 bsl 200) + 77],
    [{binary:encode_unsigned(N), binary:encode_unsigned(N, little), binary:decode_unsigned(binary:encode_unsigned(N)),
      binary:decode_unsigned(<<0, 0, (binary:encode_unsigned(N, little))/binary, 0>>, little)} || N <- Ns]
        ++ [t(fun() -> binary:encode_unsigned(X) end) || X <- [-1, a, 1.0, -(1 bsl 70)]]
        ++ [t(fun() -> binary:encode_unsigned(1, X) end) || X <- [native, a]]
        ++ [t(fun() -> binary:decode_unsigned(X) end) || X <- [<<>>, <<1:3>>, a]]
        ++ [begin <<_:5, X:12/binary, _/bits>> = <<0:5, 0, N:88, 0:3>>, {binary:decode_unsigned(X), binary:decode_unsigned(X, little)} end || N <- Ns].

common() ->
    [t(fun() -> {binary:longest_common_prefix(L), binary:longest_common_suffix(L)} end)
     || L <- [[<<"erlang">>, <<"ergonomy">>], [<<"erlang">>], [<<>>, <<"a">>], [<<"abc">>, <<"abc">>], [<<"xyz">>, <<"ayz">>, <<"yz">>], [], [a], [<<"a">> | b], [<<1:3>>]]].

copies(B, U) ->
    [erlang:md5(binary:copy(B)), erlang:md5(binary:copy(U)), erlang:md5(binary:copy(B, 1234)), erlang:md5(binary:copy(U, 77)), binary:copy(<<"ab">>, 5), binary:copy(<<>>, 100000), binary:copy(B, 0)]
        ++ [t(fun() -> binary:copy(X, N) end) || X <- [a, <<1:3>>, <<"a">>], N <- [-1, a, 1 bsl 70]].

replaced() ->
    [t(fun() -> binary:replace(<<"banana">>, P, R, O) end) || P <- [<<"a">>, [<<"an">>, <<"b">>]], R <- [<<>>, <<"-">>, <<"[]">>], O <- [[], [global], [global, {insert_replaced, 1}], [{insert_replaced, [0, 1]}], [foo]]].

%% Searches that take many slices.
long() ->
    B = binary:copy(<<"0123456789abcdef">>, 60000),
    M = binary:matches(B, <<"9a">>),
    N = binary:matches(B, [<<"9ab">>, <<"f0">>, <<"f012">>]),
    S = binary:split(B, [<<"9ab">>, <<"f0">>, <<"f012">>], [global]),
    C = <<B/binary, "needle">>,
    {length(M), lists:last(M), lists:sum([X || {X, _} <- M]), length(N), lists:last(N), lists:sum([X * Y || {X, Y} <- N]),
     length(S), hd(S), lists:nth(5000, S), lists:last(S), binary:match(C, <<"needle">>), binary:match(C, [<<"needle">>, <<"pin">>]), binary:match(B, <<"needle">>)}.
