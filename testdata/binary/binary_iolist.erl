-module(binary_iolist).
-export([main/0]).

main() ->
    Big = list_to_binary(lists:duplicate(1000, $x)),
    Ls = [[], <<>>, [1, 2], [1, [2, [3 | <<4, 5>>]], <<6>>], [[[[]]]], [<<>>, [<<>>]], [Big, 1, Big | Big], [1 | 2], [256], [-1], [a], a, 1, [<<1:3>>],
          [<<1:3>>, <<2:5>>], [1, <<1:3>> | <<2:7>>], <<1:3>>, [[] | []], [[1] | a], {1}, [1.0], [1 bsl 70], deep(3000, []), lists:seq(0, 255)],
    [[short(t(fun() -> iolist_size(L) end)), short(t(fun() -> iolist_to_binary(L) end)), short(t(fun() -> list_to_binary(L) end)),
      short(t(fun() -> list_to_bitstring(L) end)), short(t(fun() -> erlang:iolist_to_iovec(L) end))] || L <- Ls]
        ++ [t(fun() -> binary_to_list(X) end) || X <- [<<>>, <<1, 2>>, <<1:3>>, a]]
        ++ [t(fun() -> binary_to_list(<<1, 2, 3, 4:4>>, X, Y) end) || X <- [0, 1, 3, 4, a], Y <- [0, 1, 3, 4, a]]
        ++ [t(fun() -> bitstring_to_list(X) end) || X <- [<<>>, <<1, 2>>, <<1:3>>, <<1, 2, 5:7>>, a]]
        ++ [t(fun() -> split_binary(X, N) end) || X <- [<<1, 2, 3:3>>, Big, a], N <- [0, 1, 2, 3, -1, a]]
        ++ [t(fun() -> binary_part(<<1, 2, 3:3>>, X) end) || X <- [{0, 1}, {2, -1}, {1, 1}, {2, 1}, a, {a, 1}]]
        ++ [t(fun() -> {byte_size(X), bit_size(X)} end) || X <- [<<>>, <<1:3>>, <<1:9>>, Big, a]]
        ++ [iovec(), atoms(), ids(), huge()].

deep(0, A) -> A;
deep(N, A) -> deep(N - 1, [A, N band 255 | <<N>>]).

short(B) when is_bitstring(B), bit_size(B) > 800 -> {bit_size(B), erlang:md5(B)};
short({error, R, [{M, F, _, I}]}) -> {error, R, M, F, I};
short(L) when is_list(L), length(L) > 100 -> {length(L), erlang:md5(L)};
short(L) when is_list(L) -> [short(X) || X <- L];
short(X) -> X.

iovec() ->
    Z = fun(N) -> <<0:N/unit:8>> end,
    [[byte_size(X) || X <- erlang:iolist_to_iovec(L)]
     || L <- [[Z(2000), 1, Z(255), Z(256), Z(600), 1, 2, Z(300)], [Z(10), Z(500), Z(10)], [Z(200), Z(400), Z(400)], lists:duplicate(20000, 1),
              lists:duplicate(100, Z(200)), [1, Z(511)], [1, Z(510)], [Z(300), 1, Z(300)]]].

t(F) ->
    try F()
    catch C:R:S -> {C, R, [{M, N, A, [I || {K, _} = I <- L, K =:= error_info]} || {M, N, A, L} <- [hd(S)]]}
    end.

atoms() ->
    D = fun(N, C) -> lists:duplicate(N, C) end,
    [t(fun() -> list_to_atom(L) end) || L <- ["abc", "", [955], [16#1F600], [16#D800], [-1], [a], a, "ab" ++ c, D(255, $a)]]
        ++ [element(2, t(fun() -> list_to_atom(L) end)) || L <- [D(256, $a), [-1 | D(256, $a)], D(300, $a) ++ [-1]]]
        ++ [element(2, t(fun() -> list_to_existing_atom(L) end)) || L <- ["surely no such atom", D(256, $a), [-1], a]]
        ++ [t(fun() -> list_to_existing_atom("error") end)]
        ++ [t(fun() -> atom_to_list(X) end) || X <- ['', abc, 'å', list_to_atom([955]), 1, "a"]]
        ++ [t(fun() -> atom_to_binary(X, E) end) || X <- ['', abc, 'å', list_to_atom([955]), 1], E <- [latin1, utf8, unicode, foo]]
        ++ [short(t(fun() -> binary_to_atom(X, E) end)) || X <- [<<>>, <<"abc">>, <<"å">>, <<"å"/utf8>>, <<255>>, <<1:3>>, a, binary:copy(<<"a">>, 256), binary:copy(<<255>>, 300)], E <- [latin1, utf8, unicode, foo]]
        ++ [short(t(fun() -> binary_to_existing_atom(X, E) end)) || X <- [<<"error">>, <<"surely no such atom">>, <<255>>, <<1:3>>, a, binary:copy(<<"a">>, 256)], E <- [latin1, utf8, foo]]
        ++ [t(fun() -> {atom_to_binary(abc), binary_to_atom(<<"xyz">>), binary_to_existing_atom(<<"error">>)} end)].

ids() ->
    [t(fun() -> pid_to_list(list_to_pid(X)) end) || X <- ["<0.1.2>", "<0.32767.8191>", "<0.32768.1>", "<0.1.8192>", "<0.1>", "0.1.2", "<0.1.2>x", a, "<0.-1.2>"]]
        ++ [t(fun() -> erlang:port_to_list(list_to_port(X)) end) || X <- ["#Port<0.1>", "#Port<0.268435455>", "#Port<0.268435456>", "#Port<0.1.2>", "#Pid<0.1>"]]
        ++ [t(fun() -> ref_to_list(list_to_ref(X)) end) || X <- ["#Ref<0.1.2.3>", "#Ref<0.4294967295.1.1>", "#Ref<0.1.1>", "#Ref<0.1.2.262144>", "#Ref<0.1.2.3.4>", "x"]]
        ++ [t(fun() -> pid_to_list(X) end) || X <- [a, 1]] ++ [t(fun() -> ref_to_list(a) end), t(fun() -> erlang:port_to_list(a) end)].

%% Long enough for several slices.
huge() ->
    L = lists:seq(1, 200000),
    I = [[X band 255, <<X:16>>] || X <- L],
    B = iolist_to_binary(I),
    M = binary_to_list(B),
    C = list_to_binary(M),
    {iolist_size(I), erlang:md5(B), length(M), B =:= C, erlang:md5(erlang:iolist_to_iovec(I)), bit_size(list_to_bitstring([I, <<1:3>>]))}.
