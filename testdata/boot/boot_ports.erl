%% Ports, sockets on loopback, the shell command.
-module(boot_ports).
-export([main/0]).

main() -> {cmd(), cat(), status(), errors(), tcp(), udp(), killed(), lines()}.

cmd() -> {os:cmd("echo hello; exit 3"), os:cmd("printf 'a\\nb'")}.
cat() ->
    P = open_port({spawn, "cat"}, [binary, {packet, 2}]), D = [binary:copy(<<I>>, I * 100) || I <- lists:seq(1, 20)],
    [port_command(P, X) || X <- D], R = [receive {P, {data, B}} -> B end || _ <- D], port_close(P), {R =:= D, erlang:port_info(P)}.
status() -> [begin P = open_port({spawn_executable, "/bin/sh"}, [exit_status, {args, ["-c", C]}, {env, [{"V", "val"}]}, {cd, "/"}, stderr_to_stdout]), gather(P, []) end || C <- ["exit 7", "echo $V; pwd; echo err >&2", "kill -9 $$"]].
gather(P, A) -> receive {P, {data, D}} -> gather(P, A ++ D); {P, {exit_status, S}} -> {A, S} end.
errors() -> [try F() catch C:R -> {C, R} end || F <- [fun() -> open_port({spawn_executable, "/none"}, []) end, fun() -> port_command(x, y) end, fun() -> open_port({spawn_driver, "nodrv"}, []) end]].
tcp() ->
    {ok, L} = gen_tcp:listen(0, [binary, {packet, 4}, {active, false}, {ip, {127, 0, 0, 1}}]), {ok, Port} = inet:port(L), Self = self(),
    spawn_link(fun() -> {ok, S} = gen_tcp:accept(L), echo(S, Self) end),
    {ok, C} = gen_tcp:connect({127, 0, 0, 1}, Port, [binary, {packet, 4}, {active, false}]),
    R = [begin ok = gen_tcp:send(C, B), {ok, X} = gen_tcp:recv(C, 0), {byte_size(X), X =:= B} end || B <- [<<>>, <<"x">>, binary:copy(<<"abc">>, 50000)]],
    gen_tcp:close(C), V = receive closed -> closed end, gen_tcp:close(L), {R, V, gen_tcp:connect({127, 0, 0, 1}, Port, [], 60000)}.
echo(S, P) -> case gen_tcp:recv(S, 0) of {ok, B} -> gen_tcp:send(S, B), echo(S, P); {error, closed} -> P ! closed end.
udp() -> {ok, A} = gen_udp:open(0, [binary, {ip, {127, 0, 0, 1}}]), {ok, B} = gen_udp:open(0, [binary, {ip, {127, 0, 0, 1}}, {active, false}]), {ok, PB} = inet:port(B), ok = gen_udp:send(A, {127, 0, 0, 1}, PB, <<"dgram">>), {ok, {_, _, D}} = gen_udp:recv(B, 0, 60000), gen_udp:close(A), gen_udp:close(B), D.
killed() -> process_flag(trap_exit, true), {O, M} = spawn_monitor(fun() -> P = open_port({spawn, "cat"}, []), register(boot_cat, P), exit(gone) end), receive {'DOWN', M, _, O, R} -> R end, wait_gone(60000), {R, whereis(boot_cat)}.
wait_gone(0) -> ok;
wait_gone(N) -> case whereis(boot_cat) of undefined -> ok; _ -> timer:sleep(1), wait_gone(N - 1) end.
lines() -> P = open_port({spawn, "printf 'one\\ntwo three\\nend'"}, [{line, 5}, eof]), collect(P).
collect(P) -> receive {P, {data, D}} -> [D | collect(P)]; {P, eof} -> port_close(P), [] end.
