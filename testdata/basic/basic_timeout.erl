-module(basic_timeout).
-export([main/0]).

%% Selective receive, timeouts, receive markers, exits while waiting.
main() ->
    Me = self(),
    [self() ! {n, I} || I <- lists:seq(1, 200)],
    Ref = make_ref(),
    spawn(fun() -> timer_like(20), Me ! {Ref, now} end),
    A = receive {Ref, X} -> X after 60000 -> late end,
    B = [receive {n, I} -> I end || I <- lists:seq(200, 1, -1)],
    C = receive _ -> more after 0 -> empty end,
    D = wait_loop(3, []),
    E = call(spawn(fun server/0), hello),
    {P, R} = spawn_monitor(fun() -> receive never -> ok end end),
    exit(P, kill),
    F = receive {'DOWN', R, process, P, Why} -> Why end,
    process_flag(trap_exit, true),
    Q = spawn_link(fun() -> receive stop -> exit(stopped) after 60000 -> late end end),
    Q ! stop,
    G = receive {'EXIT', Q, W} -> W end,
    S = spawn_link(fun() -> link_dead(), receive never -> ok end end),
    H = receive {'EXIT', S, W2} -> W2 end,
    {A, lists:sum(B), C, D, E, F, G, H, infinity(), nested_after()}.

timer_like(T) -> receive after T -> ok end.

wait_loop(0, L) -> L;
wait_loop(N, L) ->
    self() ! N,
    receive N -> wait_loop(N - 1, [N | L]) after 60000 -> lost end.

call(P, M) ->
    R = monitor(process, P),
    P ! {self(), R, M},
    receive
        {R, Reply} -> demonitor(R, [flush]), {ok, Reply};
        {'DOWN', R, _, _, Why} -> {down, Why}
    after 60000 -> timeout
    end.

server() ->
    receive {From, R, M} -> From ! {R, {reply, M}} end.

link_dead() ->
    spawn_link(fun() -> exit(child_died) end).

infinity() ->
    self() ! x,
    receive x -> y after infinity -> never end.

nested_after() ->
    receive a -> b after 1 -> receive c -> d after 1 -> e end end.
