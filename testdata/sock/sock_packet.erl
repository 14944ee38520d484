-module(sock_packet).
-export([main/0]).

%% Packet types of streams, whole and in pieces, passive and active.
main() ->
    [both(P, D) || {P, D} <-
        [{raw, "raw"}, {1, [3, "abc", 0]}, {2, [0, 3, "abc"]}, {4, [0, 0, 0, 3, "abc"]}, {asn1, [4, 3, "abc"]},
         {sunrm, [128, 0, 0, 3, "abc"]}, {cdr, ["GIOP", 1, 0, 0, 0, 0, 0, 0, 3, "abc"]},
         {fcgi, [1, 1, 0, 1, 0, 3, 1, 0, "abc", 0]}, {tpkt, [3, 0, 0, 7, "abc"]},
         {ssl_tls, [22, 3, 1, 0, 3, "abc"]}, {line, "one\ntwo\r\n"},
         {http, "GET /x HTTP/1.1\r\nHost: a\r\nx-other: b\r\n\r\n"},
         {http_bin, "HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\n"},
         {httph, "Host: a\n b\r\nAge: 1\r\n\r\n"}, {httph_bin, "nonsense\r\nA: 1\r\n\r\n"}]] ++
    [too_long(), bad()].

pair(Opts) ->
    {ok, L} = prim_inet:open(tcp, inet, stream),
    {ok, P} = prim_inet:bind(L, {127, 0, 0, 1}, 0),
    ok = prim_inet:listen(L, 10),
    {ok, C} = prim_inet:open(tcp, inet, stream),
    ok = prim_inet:connect(C, {127, 0, 0, 1}, P),
    {ok, S} = prim_inet:accept(L),
    ok = prim_inet:setopts(S, Opts),
    prim_inet:close(L),
    {C, S}.

both(P, D) ->
    B = iolist_to_binary(D),
    {C, S} = pair([{packet, P}, {mode, binary}]),
    ok = prim_inet:send(C, B),
    A = drain(S),
    {C2, S2} = pair([{packet, P}, {active, true}]),
    [begin ok = prim_inet:send(C2, [X]), receive after 2 -> ok end end || <<X>> <= B],
    prim_inet:close(C2),
    {P, A, whole(P, messages(S2))}.

%% A stream comes in pieces of any size.
whole(raw, M) -> iolist_to_binary([X || {tcp, X} <- M]);
whole(_, M) -> M.

drain(S) ->
    case prim_inet:recv(S, 0, 100) of
        {ok, X} -> [strip(S, X) | drain(S)];
        E -> [E]
    end.

%% All messages, which end with tcp_closed.
messages(S) ->
    receive
        {tcp, S, X} -> [{tcp, iolist_to_binary(X)} | messages(S)];
        {tcp_closed, S} -> [tcp_closed];
        {T, S, X} -> [{T, X} | messages(S)];
        {T, S, X, Y, Z} -> [{T, X, Y, Z} | messages(S)]
    end.

strip(S, {ssl_tls, S, A, B, C}) -> {ssl_tls, A, B, C};
strip(_, X) -> X.

too_long() ->
    {C, S} = pair([{packet, 4}, {packet_size, 10}]),
    ok = prim_inet:send(C, [0, 0, 0, 11, "elevenbytes"]),
    [prim_inet:recv(S, 0, 60000), prim_inet:recv(S, 0, 60000)].

bad() ->
    {C, S} = pair([{packet, tpkt}, {active, true}]),
    ok = prim_inet:send(C, "nonsense"),
    messages(S).
