-module(sock_udp).
-export([main/0]).

%% Datagrams: passive and active, connected, ancillary data, IPv6, local.
main() ->
    [plain(inet, {127, 0, 0, 1}), plain(inet6, {0, 0, 0, 0, 0, 0, 0, 1}), active(), connected(), ancillary(), local(), misuse()].

open(Fam, Addr, Opts) ->
    {ok, S} = prim_inet:open(udp, Fam, dgram, Opts),
    {ok, P} = prim_inet:bind(S, Addr, 0),
    {S, P}.

plain(Fam, Addr) ->
    {A, PA} = open(Fam, Addr, [{mode, binary}]),
    {B, PB} = open(Fam, Addr, [{header, 2}]),
    ok = prim_inet:sendto(A, Addr, PB, "hello"),
    {ok, {IP, PA, D}} = prim_inet:recvfrom(B, 0, 60000),
    ok = prim_inet:sendto(B, Addr, PA, [<<"wo">>, "rld"]),
    {ok, {IP2, PB, D2}} = prim_inet:recvfrom(A, 0, 60000),
    ok = prim_inet:sendto(B, Addr, PA, []),
    {ok, {_, _, D3}} = prim_inet:recvfrom(A, 0, 60000),
    {IP, D, IP2, D2, D3, prim_inet:recvfrom(A, 0, 10), prim_inet:sendto(A, {1, 2}, PB, "x"),
     prim_inet:gettype(A), prim_inet:close(A), prim_inet:recvfrom(A, 0, 10)}.

active() ->
    L = {127, 0, 0, 1},
    {A, PA} = open(inet, L, []),
    {B, PB} = open(inet, L, [{mode, binary}, {active, 2}]),
    [ok = prim_inet:sendto(A, L, PB, integer_to_list(N)) || N <- [1, 2, 3]],
    M = [receive {udp, B, IP, PA, D} -> {IP, D}; {udp_passive, B} -> passive after T -> none end || T <- [60000, 60000, 60000, 50]],
    {ok, {_, _, R}} = prim_inet:recvfrom(B, 0, 60000),
    ok = prim_inet:setopts(B, [{active, once}]),
    ok = prim_inet:sendto(A, L, PB, "4"),
    O = receive {udp, B, _, _, X} -> X after 60000 -> none end,
    {M, R, O, prim_inet:getopts(B, [active, read_packets, mode, header])}.

connected() ->
    L = {127, 0, 0, 1},
    {A, PA} = open(inet, L, []),
    {B, PB} = open(inet, L, []),
    ok = prim_inet:connect(A, L, PB),
    ok = prim_inet:sendto(A, {9, 9, 9, 9}, 9, "to the peer"),
    {ok, {_, _, D}} = prim_inet:recvfrom(B, 0, 60000),
    ok = prim_inet:sendto(B, L, PA, "back"),
    {ok, {L, PB, E}} = prim_inet:recvfrom(A, 0, 60000),
    prim_inet:close(B),
    ok = prim_inet:sendto(A, L, PB, "nobody"),
    {D, E, prim_inet:recvfrom(A, 0, 60000), prim_inet:getstatus(A)}.

ancillary() ->
    L = {127, 0, 0, 1},
    {A, _} = open(inet, L, []),
    {B, PB} = open(inet, L, []),
    ok = prim_inet:setopts(B, [{recvtos, true}, {recvttl, true}]),
    ok = prim_inet:sendto(A, {L, PB}, [{tos, 8}, {ttl, 7}], "x"),
    {ok, {L, _, Anc, D}} = prim_inet:recvfrom(B, 0, 60000),
    ok = prim_inet:setopts(B, [{active, true}]),
    ok = prim_inet:sendto(A, {L, PB}, [{ttl, 9}], "y"),
    M = receive {udp, B, _, _, Anc2, D2} -> {lists:sort(Anc2), D2} after 60000 -> none end,
    {lists:sort(Anc), D, M}.

local() ->
    Name = <<0, "beamrd-fixture-u", (integer_to_binary(erlang:unique_integer([positive])))/binary>>,
    {ok, A} = prim_inet:open(udp, local, dgram),
    {ok, 0} = prim_inet:bind(A, {local, Name}, 0),
    {ok, B} = prim_inet:open(udp, local, dgram),
    ok = prim_inet:sendto(B, {local, Name}, [], "hi"),
    {prim_inet:recvfrom(A, 0, 60000), element(1, element(2, prim_inet:sockname(A)))}.

misuse() ->
    {ok, S} = prim_inet:open(udp, inet, dgram),
    [prim_inet:listen(S), prim_inet:accept(S, 10), prim_inet:setopts(S, [{read_packets, 0}]), prim_inet:peername(S),
     prim_inet:recvfrom(S, 0, 0), prim_inet:setopts(S, [{high_watermark, 5}]), prim_inet:getopts(S, [high_watermark, netns]),
     prim_inet:getstat(S, [send_cnt])].
