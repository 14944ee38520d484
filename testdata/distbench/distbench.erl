%% Throughput over distribution. The first node runs main/0 with the name of the
%% second in the environment; each line of output is a name and microseconds.
-module(distbench).
-export([main/0, sink/0, echo/0, answer/1]).

main() ->
    Node = list_to_atom(os:getenv("DISTBENCH_PEER")),
    Scale = list_to_integer(os:getenv("DISTBENCH_SCALE", "100")),
    connect(Node, 200),
    Only = os:getenv("DISTBENCH_ONLY", ""),
    [run(Name, max(1, N * Scale div 100), F, Node) || {Name, N, F} <- cases(),
        Only =:= "" orelse Only =:= atom_to_list(Name)],
    rpc:cast(Node, erlang, halt, []),
    halt().

connect(Node, 0) -> io:format("cannot reach ~p~n", [Node]), halt(1);
connect(Node, N) ->
    case net_kernel:connect_node(Node) of
        true -> ok;
        _ -> timer:sleep(100), connect(Node, N - 1)
    end.

run(Name, N, F, Node) ->
    F(max(1, N div 20), Node),
    {T, ok} = timer:tc(fun() -> F(N, Node) end),
    io:format("~s ~b~n", [Name, T]).

cases() ->
    Small = {small, 12345, [a, "text"], self()},
    Medium = [{I, <<"some bytes of text">>, foo} || I <- lists:seq(1, 100)],
    Large = binary:copy(<<"0123456789abcdef">>, 65536),
    Huge = binary:copy(<<"0123456789abcdef">>, 65536 * 64),
    Terms = [{I, [I, I + 1], "abc", <<I:64>>} || I <- lists:seq(1, 100000)],
    [{small, 200000, fun(N, Node) -> send(N, Small, Node) end},
     {medium, 5000, fun(N, Node) -> send(N, Medium, Node) end},
     {mega, 300, fun(N, Node) -> send(N, Large, Node) end},
     {mega64, 5, fun(N, Node) -> send(N, Huge, Node) end},
     {terms, 10, fun(N, Node) -> send(N, Terms, Node) end},
     {fan, 100000, fun(N, Node) -> fan(N, Small, Node) end},
     {back, 20000, fun(N, Node) -> back(N, Node) end},
     {rpc, 10000, fun(N, Node) -> rpc(N, Node) end},
     {erpc, 10000, fun(N, Node) -> erpc(N, Node) end},
     {spawns, 5000, fun(N, Node) -> spawns(N, Node) end}].

%% Messages to one process.
send(N, M, Node) ->
    P = spawn(Node, ?MODULE, sink, []),
    send1(N, P, M),
    P ! {done, self()},
    receive {P, done} -> ok end.

send1(0, _, _) -> ok;
send1(N, P, M) -> P ! M, send1(N - 1, P, M).

sink() ->
    receive
        {done, P} -> P ! {self(), done};
        _ -> sink()
    end.

%% From ten processes to ten.
fan(N, M, Node) ->
    Ps = [spawn_monitor(fun() -> ok = send(N div 10, M, Node) end) || _ <- lists:seq(1, 10)],
    [receive {'DOWN', R, _, _, Why} -> normal = Why end || {_, R} <- Ps],
    ok.

%% Round trips of a message.
back(N, Node) ->
    P = spawn(Node, ?MODULE, echo, []),
    back1(N, P).

back1(0, P) -> exit(P, kill), ok;
back1(N, P) ->
    P ! {self(), N},
    receive {P, N} -> back1(N - 1, P) end.

echo() -> receive {P, N} -> P ! {self(), N}, echo() end.

rpc(0, _) -> ok;
rpc(N, Node) -> {ok, N} = rpc:call(Node, ?MODULE, answer, [N]), rpc(N - 1, Node).

erpc(0, _) -> ok;
erpc(N, Node) -> {ok, N} = erpc:call(Node, ?MODULE, answer, [N]), erpc(N - 1, Node).

answer(N) -> {ok, N}.

%% Processes with link and monitor, and their ends.
spawns(0, _) -> ok;
spawns(N, Node) ->
    process_flag(trap_exit, true),
    {P, R} = spawn_opt(Node, ?MODULE, answer, [1], [link, monitor]),
    receive {'DOWN', R, _, _, normal} -> ok end,
    receive {'EXIT', P, normal} -> ok end,
    spawns(N - 1, Node).
