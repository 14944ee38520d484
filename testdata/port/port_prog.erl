%% Ports of programs, descriptors and files.
-module(port_prog).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    [eof(), eof_once(), status(), line(), packet(), env(), stderr_out(), connect(), closed(), badsig(),
     info(), monitored(), named(), data(), traffic(), large(), files(), badopts()].

%% So many messages of a port, and what comes soon after them, which should be
%% nothing.
all(P, N) ->
    receive
        {P, M} -> [M | all(P, N - 1)];
        {'EXIT', P, R} -> [{exit, R} | all(P, N - 1)];
        {'DOWN', _, port, P, R} -> [{down, R} | all(P, N - 1)]
    after if N > 0 -> 60000; true -> 30 end -> []
    end.

%% Large binaries are lent to drivers that take them; this one gets a copy.
large() ->
    P = open_port({spawn, "cat"}, [{packet, 4}, binary]),
    B = binary:copy(<<"0123456789">>, 30000),
    true = port_command(P, [B, 1, binary:part(B, 1, 200000)]),
    B2 = <<B/binary, "and more">>,
    receive {P, {data, D}} -> port_close(P) end,
    {D =:= iolist_to_binary([B, 1, binary:part(B, 1, 200000)]), byte_size(B2)}.

%% Bytes of ports that are gone still count.
traffic() ->
    {{input, I}, {output, O}} = statistics(io),
    P = open_port({spawn, "cat"}, [{packet, 4}, binary]),
    port_command(P, binary:copy(<<1>>, 10000)),
    receive {P, {data, _}} -> port_close(P) end,
    {{input, I1}, {output, O1}} = statistics(io),
    {I1 - I >= 10000, O1 - O >= 10000}.

sh(Cmd, Opts) -> open_port({spawn_executable, "/bin/sh"}, [{args, ["-c", Cmd]} | Opts]).

eof() -> P = sh("printf abc", [eof, binary]), R = all(P, 2), true = port_close(P), {R, all(P, 1)}.
%% The end of the output and the exit of the program are one end.
eof_once() -> all(sh("exit 1", [eof]), 1).
status() -> [all(sh(C, [exit_status | O]), N) || {C, N} <- [{"exit 3", 2}, {"kill -9 $$", 2}, {"printf x; exit 0", 3}], O <- [[], [eof]]].
line() -> all(sh("printf 'one\\ntwo\\r\\nlonger than ten\\nrest'", [{line, 10}, exit_status]), 7).
packet() ->
    [begin
         P = open_port({spawn, "cat"}, [{packet, N}, binary]),
         true = port_command(P, ["he", <<"llo">>]), P ! {self(), {command, []}},
         R = [receive {P, {data, D}} -> D end || _ <- [1, 2]], port_close(P), {N, R}
     end || N <- [1, 2, 4]].
env() -> all(sh("printf \"$A-$B-$PWD\"", [{env, [{"A", "x"}, {"B", false}]}, {cd, "/"}, exit_status]), 3).
stderr_out() -> all(sh("echo err >&2", [stderr_to_stdout, exit_status]), 3).
connect() ->
    P = open_port({spawn, "cat"}, []), Me = self(),
    Q = spawn(fun() -> receive {P, {data, D}} -> Me ! {q, D} end end),
    true = port_connect(P, Q), true = unlink(P), true = port_command(P, "hi"),
    receive {q, D} -> D after 60000 -> none end.
closed() -> P = open_port({spawn, "cat"}, []), P ! {self(), close}, {all(P, 2), erlang:port_info(P), try port_command(P, "x") catch C:E -> {C, E} end}.
badsig() -> P = open_port({spawn, "cat"}, []), P ! {self(), bad}, R = all(P, 1), {R, is_list(erlang:port_info(P)), try port_close(P) catch C:E -> {C, E} end}.
info() ->
    P = open_port({spawn, "cat"}, []), true = port_command(P, "12345"), receive {P, {data, D}} -> ok end,
    written(P),
    R = [erlang:port_info(P, I) || I <- [name, input, output, queue_size, parallelism, locking, registered_name]],
    {D, R, port_close(P), links()}.
%% The answer may come before the port knows that its queue is empty.
written(P) -> case erlang:port_info(P, queue_size) of {_, 0} -> ok; _ -> receive after 1 -> written(P) end end.
%% In a process of its own: the first one of a node is linked to port 0.
links() ->
    Me = self(),
    spawn(fun() -> P = open_port({spawn, "cat"}, []), Me ! {links, erlang:port_info(P, links) =:= {links, [self()]}} end),
    receive {links, R} -> R end.
monitored() -> P = open_port({spawn, "cat"}, []), erlang:monitor(port, P), port_close(P), all(P, 2).
named() ->
    P = open_port({spawn, "cat"}, []), true = register(port_prog_cat, P), port_prog_cat ! {self(), {command, "n"}},
    R = receive {P, {data, D}} -> D end, port_close(port_prog_cat), {R, whereis(port_prog_cat)}.
data() ->
    P = open_port({spawn, "cat"}, []),
    R = [erlang:port_get_data(P), erlang:port_set_data(P, {a, [1]}), erlang:port_get_data(P)], port_close(P), R.
files() ->
    F = "/tmp/port_prog_" ++ os:getpid(), W = open_port(F, [out]), port_command(W, "one\ntwo\n"), W ! {self(), close},
    A = all(W, 2), B = all(open_port(F, [in, {line, 80}]), 3), C = (catch element(1, open_port(F ++ "/none", [in]))),
    all(sh("rm -f " ++ F, [exit_status]), 2), {A, B, element(1, C), element(1, element(2, C))}.
badopts() ->
    [try open_port(N, O) of _ -> ok catch E:R -> {E, R} end
     || {N, O} <- [{{spawn, "cat"}, [bad]}, {{spawn, "cat"}, [{line, 5}, {packet, 2}]}, {{spawn, "cat"}, [{packet, 3}]},
                   {{spawn_executable, "/none"}, []}, {{spawn_driver, "none"}, []}, {{spawn, ""}, []}, {{spawn, "cat"}, [{args, []}]},
                   {{fd, 0, 1}, [exit_status]}, {nope_none, [in]}, {<<"x">>, []}]].
