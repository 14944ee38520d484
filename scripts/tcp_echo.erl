%% Many TCP connections at once to an echo server in the same node, over the
%% loopback interface: tcp_echo:main([Connections, Rounds, Bytes]).
%%
%% Three loads, each with its own connections, printed as "LOAD Microseconds":
%%   connect  opening the connections and accepting them
%%   passive  all send and receive with gen_tcp:recv/2 at once, for so many rounds
%%   once     the same with {active, once} on both sides
%%   active   the same with {active, true} and {packet, 4} on both sides
-module(tcp_echo).
-export([main/1]).

main([Conns, Rounds, Bytes]) ->
    C = list_to_integer(Conns), R = list_to_integer(Rounds),
    Data = binary:copy(<<"e">>, list_to_integer(Bytes)),
    Loads = [{passive, [{active, false}]}, {once, [{active, once}]}, {active, [{active, true}, {packet, 4}]}],
    Connects = [load(Mode, [binary, {nodelay, true} | Opts], C, R, Data) || {Mode, Opts} <- Loads],
    io:format("connect ~b~n", [lists:sum(Connects)]),
    halt(0).

%% Returns the microseconds of connecting, and prints those of the rounds.
load(Mode, Opts, Conns, Rounds, Data) ->
    {ok, L} = gen_tcp:listen(0, [{ip, {127, 0, 0, 1}}, {backlog, 1024} | Opts]),
    {ok, Port} = inet:port(L),
    Me = self(),
    T0 = erlang:monotonic_time(microsecond),
    Acceptor = spawn_link(fun() -> accept(L, Mode, Conns) end),
    Clients = [spawn_link(fun() -> client(Me, Port, Mode, Opts, Rounds, Data) end) || _ <- lists:seq(1, Conns)],
    [receive {Pid, connected} -> ok end || Pid <- Clients],
    T1 = erlang:monotonic_time(microsecond),
    [Pid ! go || Pid <- Clients],
    [receive {Pid, done} -> ok end || Pid <- Clients],
    T2 = erlang:monotonic_time(microsecond),
    io:format("~s ~b~n", [Mode, T2 - T1]),
    [Pid ! stop || Pid <- Clients],
    receive {Acceptor, closed} -> ok after 60000 -> exit(still_open) end,
    gen_tcp:close(L),
    T1 - T0.

accept(L, Mode, Conns) ->
    {links, [Parent]} = process_info(self(), links),
    Servers = [begin
                   {ok, S} = gen_tcp:accept(L),
                   {Pid, Ref} = spawn_monitor(fun() -> receive go -> server(S, Mode) end end),
                   ok = gen_tcp:controlling_process(S, Pid),
                   Pid ! go,
                   Ref
               end || _ <- lists:seq(1, Conns)],
    [receive {'DOWN', Ref, process, _, normal} -> ok end || Ref <- Servers],
    Parent ! {self(), closed}.

server(S, Mode) ->
    case get_data(S, Mode) of
        {ok, Data} -> ok = gen_tcp:send(S, Data), server(S, Mode);
        closed -> ok
    end.

get_data(S, passive) ->
    case gen_tcp:recv(S, 0) of
        {ok, _} = R -> R;
        {error, closed} -> closed
    end;
get_data(S, Mode) ->
    receive
        {tcp, S, Data} when Mode =:= once -> inet:setopts(S, [{active, once}]), {ok, Data};
        {tcp, S, Data} -> {ok, Data};
        {tcp_closed, S} -> closed
    end.

client(Parent, Port, Mode, Opts, Rounds, Data) ->
    {ok, S} = gen_tcp:connect({127, 0, 0, 1}, Port, Opts),
    Parent ! {self(), connected},
    receive go -> ok end,
    rounds(S, Mode, Rounds, Data),
    Parent ! {self(), done},
    receive stop -> gen_tcp:close(S) end.

rounds(_, _, 0, _) -> ok;
rounds(S, Mode, N, Data) ->
    ok = gen_tcp:send(S, Data),
    back(S, Mode, byte_size(Data)),
    rounds(S, Mode, N - 1, Data).

back(_, _, 0) -> ok;
back(S, Mode, Left) ->
    {ok, Data} = get_data(S, Mode),
    back(S, Mode, Left - byte_size(Data)).
