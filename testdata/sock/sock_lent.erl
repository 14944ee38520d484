%% Large binaries are sent from where they are: they must neither change nor go
%% before they are written, and must go then.
-module(sock_lent).
-export([main/0]).

-define(BIG, 300000).

main() ->
    [{K, sent(D)} || {K, D} <- data()] ++
        [grown(), dropped(), closed(), refused(), shut(), busy(), bad()].

bytes(N, Seed) ->
    P = << <<((I * 31 + Seed) rem 251)>> || I <- lists:seq(1, 1009) >>,
    binary:copy(binary:part(binary:copy(P, N div 1009 + 1), 0, N)).

data() ->
    B = bytes(?BIG, 1),
    <<_:3, Odd:(?BIG - 8)/binary, _/bits>> = B,
    [{whole, B},
     {part, binary:part(B, 1000, 200000)},
     {unaligned, Odd},
     {list, [1, 2, <<"abc">>, B, "text", [B | <<9>>], 10]},
     {packets, [binary:part(B, I, 70000) || I <- [0, 1, 2, 65536]]},
     {literal, persistent()}].

persistent() ->
    persistent_term:put(?MODULE, bytes(?BIG, 7)),
    persistent_term:get(?MODULE).

pair(Opts) ->
    {ok, L} = prim_inet:open(tcp, inet, stream),
    ok = prim_inet:setopts(L, [{mode, binary}, {active, false}]),
    {ok, Port} = prim_inet:bind(L, {127, 0, 0, 1}, 0),
    ok = prim_inet:listen(L, 10),
    {ok, C} = prim_inet:open(tcp, inet, stream),
    ok = prim_inet:setopts(C, [{mode, binary}, {active, false}, {sndbuf, 8192} | Opts]),
    ok = prim_inet:connect(C, {127, 0, 0, 1}, Port),
    {ok, S} = prim_inet:accept(L),
    prim_inet:close(L),
    {C, S}.

%% What arrives at a slow reader while the sender collects garbage.
sent(Data) ->
    {C, S} = pair([]),
    Flat = iolist_to_binary(Data),
    Me = self(),
    spawn_link(fun() -> Me ! {got, prim_inet:recv(S, byte_size(Flat))} end),
    ok = prim_inet:send(C, Data),
    garbage_collect(),
    {ok, Got} = receive {got, R} -> R end,
    prim_inet:close(C),
    Got =:= Flat.

%% The binary is appended to while its first part waits.
grown() ->
    {C, S} = pair([{high_watermark, 10000000}]),
    B0 = bytes(?BIG, 3),
    B1 = <<B0/binary, 1, 2, 3>>,
    ok = prim_inet:send(C, B1),
    B2 = lists:foldl(fun(I, A) -> <<A/binary, I:32>> end, B1, lists:seq(1, 20000)),
    ok = prim_inet:send(C, B2),
    {ok, G1} = prim_inet:recv(S, byte_size(B1)),
    {ok, G2} = prim_inet:recv(S, byte_size(B2)),
    {G1 =:= B1, G2 =:= B2, erlang:md5(G2)}.

%% When everything has arrived, nobody but the sender has the binary.
dropped() ->
    {C, S} = pair([{high_watermark, 10000000}]),
    B = bytes(?BIG, 4),
    [ok = prim_inet:send(C, B) || _ <- lists:seq(1, 5)],
    {ok, G} = prim_inet:recv(S, 5 * ?BIG),
    {byte_size(G), alone(B)}.

alone(B) ->
    garbage_collect(),
    {binary, L} = process_info(self(), binary),
    case [R || {_, Size, R} <- L, Size >= byte_size(B), Size < byte_size(B) + 1000] of
        [1] -> true;
        _ -> receive after 1 -> alone(B) end
    end.

%% A queue that is given up gives back what is in it.
closed() ->
    {C, S} = pair([{high_watermark, 10000000}, {linger, {true, 0}}]),
    B = bytes(?BIG, 5),
    [ok = prim_inet:send(C, B) || _ <- lists:seq(1, 30)],
    ok = prim_inet:close(C),
    prim_inet:close(S),
    alone(B).

refused() ->
    {C, S} = pair([]),
    prim_inet:shutdown(C, write),
    B = bytes(?BIG, 6),
    R = prim_inet:send(C, B),
    prim_inet:close(C), prim_inet:close(S),
    {R, prim_inet:send(C, B), alone(B)}.

%% The connection is reset while the queue is not empty.
shut() ->
    {C, S} = pair([{high_watermark, 100000000}]),
    B = bytes(?BIG, 8),
    [ok = prim_inet:send(C, B) || _ <- lists:seq(1, 30)],
    prim_inet:setopts(S, [{linger, {true, 0}}]),
    prim_inet:close(S),
    {error, R} = until_error(C),
    prim_inet:close(C),
    {R, alone(B)}.

until_error(C) ->
    case prim_inet:recv(C, 0) of
        {ok, _} -> until_error(C);
        E -> E
    end.

%% The sender gives up with the data in the queue, which goes on being written.
busy() ->
    {C, S} = pair([{send_timeout, 10}, {high_watermark, 1000}, {low_watermark, 500}]),
    B = bytes(20 * ?BIG, 9),
    R = prim_inet:send(C, B),
    R2 = prim_inet:send(C, B),
    {ok, G} = prim_inet:recv(S, 20 * ?BIG),
    prim_inet:close(S), prim_inet:close(C),
    {R, R2, G =:= B, alone(B)}.

bad() ->
    {C, _} = pair([]),
    B = bytes(?BIG, 11),
    [try F() catch Class:Reason -> {Class, Reason} end
     || F <- [fun() -> port_command(C, [B | a]) end, fun() -> port_command(C, [B, 256]) end,
              fun() -> port_command(C, [B, <<1:1>>]) end, fun() -> port_control(C, 1, [B, 256]) end]] ++ [alone(B)].
