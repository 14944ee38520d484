-module(sock_opts).
-export([main/0]).

%% Options, names, interfaces, services.
main() -> [defaults(), set(), raw(), multicast(), names(), before_open(), interfaces(), services()].

all() ->
    [reuseaddr, keepalive, dontroute, linger, broadcast, priority, tos, ttl, recvtos, recvttl, nodelay, nopush, header, active,
     packet, mode, deliver, exit_on_close, high_watermark, low_watermark, high_msgq_watermark, low_msgq_watermark,
     send_timeout, send_timeout_close, delay_send, packet_size, read_packets, netns, show_econnreset, buffer, bind_to_device].

defaults() ->
    {ok, T} = prim_inet:open(tcp, inet, stream),
    {ok, U} = prim_inet:open(udp, inet, dgram),
    {ok, X} = prim_inet:open(tcp, inet6, stream),
    {prim_inet:getopts(T, all()), prim_inet:getopts(U, all()), prim_inet:getopts(X, [ipv6_v6only, tclass, recvtclass])}.

set() ->
    {ok, S} = prim_inet:open(tcp, inet, stream),
    [{O, prim_inet:setopts(S, [O]), prim_inet:getopts(S, [element(1, O)])}
     || O <- [{reuseaddr, true}, {keepalive, true}, {linger, {true, 3}}, {linger, {true, 0}}, {linger, {false, 0}},
              {priority, 5}, {tos, 16}, {nodelay, true}, {ttl, 33}, {nopush, true}, {nopush, false}, {packet, http_bin}, {packet, httph},
              {packet, ssl_tls}, {packet, asn1}, {packet, 4}, {header, 4}, {mode, binary}, {deliver, port}, {exit_on_close, false},
              {high_watermark, 1000}, {low_watermark, 2000}, {high_watermark, 500}, {high_msgq_watermark, 5},
              {low_msgq_watermark, 0}, {send_timeout, 77}, {send_timeout, infinity}, {send_timeout_close, true},
              {delay_send, true}, {packet_size, 99}, {show_econnreset, true}, {buffer, 0}, {buffer, 77}, {recbuf, 100000},
              {line_delimiter, $x}, {active, once}, {active, 7}, {active, -7}, {active, false}]] ++
    [prim_inet:getopts(S, [tos, priority, buffer])].

raw() ->
    {ok, S} = prim_inet:open(tcp, inet, stream),
    %% SOL_SOCKET, SO_KEEPALIVE
    [prim_inet:setopts(S, [{raw, 1, 9, <<1:32/native>>}]), prim_inet:getopts(S, [{raw, 1, 9, 4}]),
     prim_inet:getopts(S, [{raw, 1, 9, <<0:64>>}]), prim_inet:getopts(S, [{raw, 1, 9999, 4}, keepalive]),
     prim_inet:setopts(S, [{raw, 1, 9999, <<1:32>>}])].

multicast() ->
    {ok, S} = prim_inet:open(udp, inet, dgram),
    [prim_inet:setopts(S, [{multicast_ttl, 3}, {multicast_loop, false}, {multicast_if, {127, 0, 0, 1}}]),
     prim_inet:getopts(S, [multicast_ttl, multicast_loop]),
     prim_inet:setopts(S, [{add_membership, {{224, 0, 0, 251}, {127, 0, 0, 1}}}]),
     prim_inet:setopts(S, [{drop_membership, {{224, 0, 0, 251}, {127, 0, 0, 1}}}])].

names() ->
    {ok, S} = prim_inet:open(udp, inet, dgram),
    A = prim_inet:sockname(S),
    ok = prim_inet:setsockname(S, {{1, 2, 3, 4}, 5}),
    B = prim_inet:sockname(S),
    ok = prim_inet:setpeername(S, {{1, 2, 3, 4}, 6}),
    C = prim_inet:peername(S),
    ok = prim_inet:connect(S, {127, 0, 0, 1}, 9),
    D = prim_inet:peername(S),
    E = prim_inet:peernames(S),
    ok = prim_inet:setpeername(S, undefined),
    ok = prim_inet:setsockname(S, undefined),
    {A, B, C, D, E, prim_inet:peername(S), element(1, prim_inet:socknames(S)), prim_inet:setsockname(S, {local, <<"x">>}),
     prim_inet:bind(S, {127, 0, 0, 1}, 0)}.

before_open() ->
    P = open_port({spawn_driver, "tcp_inet"}, [binary]),
    [prim_inet:setopts(P, [{mode, binary}, {keepalive, true}]), prim_inet:setopts(P, [{tos, 3}]),
     prim_inet:getopts(P, [mode, keepalive]), prim_inet:getstatus(P), prim_inet:sockname(P), prim_inet:getfd(P),
     prim_inet:gettype(P), prim_inet:getifaddrs(P), prim_inet:listen(P), prim_inet:connect(P, {127, 0, 0, 1}, 80),
     erlang:port_info(P, name), prim_inet:close(P)].

interfaces() ->
    {ok, S} = prim_inet:open(udp, inet, dgram),
    [prim_inet:getifaddrs(S), prim_inet:getiflist(S), prim_inet:ifget(S, "lo", [addr, netmask, flags, mtu, hwaddr, broadaddr]),
     prim_inet:ifget(S, "nosuch", [addr, flags]), prim_inet:gethostname(S)].

services() ->
    {ok, S} = prim_inet:open(udp, inet, dgram),
    [prim_inet:getservbyname(S, http, tcp), prim_inet:getservbyname(S, "nosuch", "tcp"),
     prim_inet:getservbyport(S, 53, udp), prim_inet:getservbyport(S, 1, udp)].
