-module(sock_tcp).
-export([main/0]).

%% Streams: connect, accept, send and receive, passive and active, ends of
%% connections, timeouts, several acceptors.
main() ->
    [passive([]), passive([{packet, 4}, {mode, binary}]), passive([{packet, 2}, {header, 2}, {mode, binary}]),
     active(), once_and_count(), ends(), refused(), acceptors(), shutdown(), unrecv(), lines(), stat(), local(),
     big(), misuse()].

listen(Opts) ->
    {ok, L} = prim_inet:open(tcp, inet, stream),
    ok = prim_inet:setopts(L, [{reuseaddr, true} | Opts]),
    {ok, P} = prim_inet:bind(L, {127, 0, 0, 1}, 0),
    ok = prim_inet:listen(L, 10),
    {L, P}.

pair(Opts) ->
    {L, P} = listen(Opts),
    {ok, C} = prim_inet:open(tcp, inet, stream),
    ok = prim_inet:setopts(C, Opts),
    ok = prim_inet:connect(C, {127, 0, 0, 1}, P),
    {ok, S} = prim_inet:accept(L),
    prim_inet:close(L),
    {C, S}.

passive(Opts) ->
    {C, S} = pair(Opts),
    ok = prim_inet:send(C, ["hel", <<"lo">>]),
    A = prim_inet:recv(S, 0, 60000),
    ok = prim_inet:send(S, "more"),
    B = prim_inet:recv(C, 0, 60000),
    T = prim_inet:recv(C, 0, 10),
    Z = prim_inet:recv(C, 0, 0),
    D = prim_inet:recv(C, 3, 10),
    prim_inet:close(C),
    E = [prim_inet:recv(S, 0, 60000) || _ <- [1, 2]],
    F = [prim_inet:send(S, "x") || _ <- [1, 2]],
    prim_inet:close(S),
    {A, B, T, Z, D, E, F, prim_inet:recv(S, 0)}.

active() ->
    {C, S} = pair([{mode, binary}]),
    ok = prim_inet:setopts(S, [{active, true}]),
    ok = prim_inet:send(C, "abc"),
    A = msg(S),
    prim_inet:close(C),
    B = msg(S),
    process_flag(trap_exit, true),
    {A, B, nothing(S), erlang:port_info(S)}.

msg(S) ->
    receive
        {T, S, D} -> {T, D};
        {T, S} -> T
    after 60000 -> none
    end.

nothing(S) -> receive M when element(2, M) =:= S -> M after 100 -> none end.

once_and_count() ->
    {C, S} = pair([{packet, 1}]),
    ok = prim_inet:setopts(S, [{active, once}]),
    [ok = prim_inet:send(C, [X]) || X <- "abcdef"],
    A = msg(S),
    {ok, G} = prim_inet:getopts(S, [active]),
    B = prim_inet:recv(S, 0, 60000),
    ok = prim_inet:setopts(S, [{active, 2}]),
    M = [msg(S), msg(S), msg(S)],
    N = nothing(S),
    ok = prim_inet:setopts(S, [{active, 3}]),
    ok = prim_inet:setopts(S, [{active, -1}]),
    {ok, H} = prim_inet:getopts(S, [active]),
    ok = prim_inet:setopts(S, [{active, -5}]),
    I = prim_inet:setopts(S, [{active, 32767}]),
    J = prim_inet:setopts(S, [{active, 32767}]),
    {A, G, B, M, N, H, I, J, prim_inet:recv(S, 0, 10)}.

ends() ->
    {C, S} = pair([{exit_on_close, false}]),
    prim_inet:close(C),
    A = [prim_inet:recv(S, 0, 60000) || _ <- [1, 2]],
    B = prim_inet:getstatus(S),
    ok = prim_inet:setopts(S, [{active, true}]),
    {A, B, msg(S), prim_inet:close(S), port_gone(S)}.

port_gone(S) -> erlang:port_info(S) =:= undefined.

refused() ->
    {L, P} = listen([]),
    prim_inet:close(L),
    {ok, C} = prim_inet:open(tcp, inet, stream),
    A = prim_inet:connect(C, {127, 0, 0, 1}, P),
    B = prim_inet:accept(C, 10),
    {A, B, prim_inet:send(C, "x"), prim_inet:recv(C, 0), prim_inet:peername(C), prim_inet:getstatus(C)}.

acceptors() ->
    {L, P} = listen([]),
    Me = self(),
    A = prim_inet:accept(L, 10),
    Pids = [begin
                P0 = spawn(fun() ->
                      R = case prim_inet:accept(L, T) of
                              {ok, S} -> prim_inet:send(S, integer_to_list(I)), ok;
                              E -> E
                          end,
                      Me ! {I, R}, receive stop -> ok end
                  end),
                accepting(P0),
                P0
            end || {I, T} <- [{1, 60000}, {2, 20}, {3, 60000}, {4, 60000}]],
    R2 = receive {2, X2} -> X2 after 60000 -> none end,
    {_, M3} = {exit(lists:nth(3, Pids), kill), monitor(process, lists:nth(3, Pids))},
    receive {'DOWN', M3, _, _, _} -> ok end,
    pause(),
    Cs = [begin
              {ok, C} = prim_inet:open(tcp, inet, stream),
              ok = prim_inet:connect(C, {127, 0, 0, 1}, P),
              C
          end || _ <- [1, 2]],
    R = [receive {I, X} -> X after 60000 -> none end || I <- [1, 4]],
    G = [prim_inet:recv(C, 1, 60000) || C <- Cs],
    [P1 ! stop || P1 <- Pids],
    {A, R2, R, G, prim_inet:getstatus(L), prim_inet:close(L)}.

%% Acceptors are served in the order they came.
accepting(P) ->
    case process_info(P, [status, current_function]) of
        [{status, waiting}, {current_function, {prim_inet, _, _}}] -> ok;
        [{status, waiting}, {current_function, {?MODULE, _, _}}] -> ok;
        _ -> receive after 1 -> accepting(P) end
    end.

%% For what the port of a process that is gone has to do yet.
pause() -> receive after 300 -> ok end.

shutdown() ->
    {C, S} = pair([{mode, binary}]),
    ok = prim_inet:send(C, "last"),
    A = prim_inet:shutdown(C, write),
    B = prim_inet:recv(S, 0, 60000),
    ok = prim_inet:setopts(S, [{exit_on_close, false}]),
    E = prim_inet:recv(S, 0, 60000),
    F = prim_inet:send(S, "answer"),
    G = prim_inet:recv(C, 0, 60000),
    H = prim_inet:send(C, "x"),
    {A, B, E, F, G, H, prim_inet:recv(C, 0, 100)}.

unrecv() ->
    {C, S} = pair([{packet, line}]),
    ok = prim_inet:unrecv(S, "first\nsec"),
    ok = prim_inet:send(C, "ond\nthird"),
    A = prim_inet:recv(S, 0, 60000),
    B = prim_inet:recv(S, 0, 60000),
    D = prim_inet:recv(S, 0, 20),
    ok = prim_inet:setopts(S, [{packet, raw}]),
    {A, B, D, prim_inet:recv(S, 0, 60000)}.

lines() ->
    {C, S} = pair([{mode, binary}]),
    ok = prim_inet:setopts(S, [{packet, line}, {buffer, 8}]),
    ok = prim_inet:send(C, "short\nthis one is long\nx\n"),
    [prim_inet:recv(S, 0, 60000) || _ <- lists:seq(1, 5)].

stat() ->
    {C, S} = pair([{packet, 4}]),
    [ok = prim_inet:send(C, lists:duplicate(N, $x)) || N <- [1, 10, 100]],
    [{ok, _} = prim_inet:recv(S, 0, 60000) || _ <- [1, 2, 3]],
    All = [recv_cnt, recv_max, recv_avg, recv_dvi, send_cnt, send_max, send_avg, send_pend, send_oct, recv_oct],
    {prim_inet:getstat(C, All), prim_inet:getstat(S, All), prim_inet:gettype(C), prim_inet:getstatus(C)}.

local() ->
    Name = <<0, "beamrd-fixture-", (integer_to_binary(erlang:unique_integer([positive])))/binary>>,
    {ok, L} = prim_inet:open(tcp, local, stream),
    A = prim_inet:bind(L, {local, Name}, 0),
    ok = prim_inet:listen(L),
    {ok, C} = prim_inet:open(tcp, local, stream),
    ok = prim_inet:connect(C, {local, Name}, 0, infinity),
    {ok, S} = prim_inet:accept(L),
    ok = prim_inet:send(C, "hi"),
    {ok, {local, N}} = prim_inet:sockname(L),
    {A, prim_inet:recv(S, 2), N =:= Name, prim_inet:peername(S), prim_inet:sockname(C)}.

%% More than the buffers of the system hold: queue, busy port, empty queue.
big() ->
    {C, S} = pair([{mode, binary}, {sndbuf, 8192}, {recbuf, 8192}]),
    ok = prim_inet:setopts(C, [{high_watermark, 20000}, {low_watermark, 10000}, {send_timeout, 50}]),
    B = binary:copy(<<"0123456789">>, 100000),
    Self = self(),
    ok = prim_inet:send(C, B),
    T = prim_inet:send(C, B),
    ok = prim_inet:setopts(C, [{send_timeout, infinity}]),
    spawn(fun() -> Self ! {got, total(S, 0)} end),
    prim_inet:close(C),
    {T, receive {got, N} -> N after 60000 -> none end}.

total(S, N) ->
    case prim_inet:recv(S, 0, 2000) of
        {ok, B} -> total(S, N + byte_size(B));
        E -> {N, E}
    end.

misuse() ->
    {ok, S} = prim_inet:open(tcp, inet, stream),
    [prim_inet:listen(S, -1), prim_inet:recv(S, 0, 1), prim_inet:shutdown(S, write),
     prim_inet:bind(S, {0, 0, 0, 0, 0, 0, 0, 1}, 0), prim_inet:setopts(S, [{packet, 3}]),
     prim_inet:getopts(S, [line_delimiter]), prim_inet:getopts(S, [read_packets]),
     prim_inet:ignorefd(S, true), catch erlang:port_control(S, 1000, []), catch erlang:port_control(S, 66167552, []),
     prim_inet:close(S)].
