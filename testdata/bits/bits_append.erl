-module(bits_append).
-export([main/0]).

%% Appending in place, and what must not be seen of it.

main() ->
    [grow(2000, <<>>), fork(), bits(300, <<>>, 1), sent(), matched(), nested(), private(), tiny()].

grow(0, A) -> {byte_size(A), erlang:md5(A)};
grow(N, A) -> grow(N - 1, <<A/binary, N:16>>).

%% Two appends to the same binary.
fork() ->
    A = add(100, <<0>>),
    B = <<A/binary, "b">>,
    C = <<A/binary, "c">>,
    D = <<B/binary, "d">>,
    E = <<B/binary, C/binary, B/binary>>,
    F = <<A/binary, (binary_part(C, 0, 50))/binary>>,
    [erlang:md5(X) || X <- [A, B, C, D, E, F]] ++ [B =:= C, hash(B), hash(C), byte_size(A)].

add(0, A) -> A;
add(N, A) -> add(N - 1, <<A/binary, N>>).

bits(0, A, _) -> {bit_size(A), hash(A), A};
bits(N, A, K) -> bits(N - 1, <<A/bits, N:K>>, K rem 13 + 1).

sent() ->
    A = add(90, <<"x">>),
    self() ! A,
    B = <<A/binary, "after">>,
    C = receive X -> X end,
    D = <<C/binary, "received">>,
    E = <<A/binary, "again">>,
    [erlang:md5(Y) || Y <- [A, B, C, D, E]].

matched() ->
    A = add(90, <<"x">>),
    <<H:70/binary, T/binary>> = A,
    B = <<A/binary, "1234567">>,
    C = <<H/binary, "h">>,
    D = <<T/binary, "t">>,
    _ = lists:foldl(fun(I, _) -> lists:seq(1, I) end, [], lists:seq(1, 300)),
    [erlang:md5(Y) || Y <- [A, B, C, D, H, T]].

nested() ->
    L = lists:foldl(fun(I, {A, Old}) -> B = <<A/binary, I:32>>, {B, [B | Old]} end, {<<>>, []}, lists:seq(1, 200)),
    {Last, All} = L,
    [byte_size(Last) | [hash(X) || X <- All]].

private() ->
    B = << <<X:3, (X * 3):11>> || X <- lists:seq(1, 500) >>,
    C = << <<X/binary, 0>> || <<X:2/binary>> <= <<B/bits, 0:4>> >>,
    [hash(B), bit_size(B), hash(C), byte_size(C)].

tiny() ->
    A = id(<<>>),
    B = id(<<A/binary>>),
    C = id(<<B/binary, 1>>),
    D = id(<<C/binary, A/binary>>),
    {A, B, C, D, <<D/bits, 0:0>>}.

id(X) -> X.

hash(X) -> erlang:md5(<<X/bits, 0:(-bit_size(X) band 7)>>).
