-module(basic_receive).
-export([main/0, echo/0]).

main() ->
    Me = self(),
    P = spawn(?MODULE, echo, []),
    P ! {Me, hello},
    A = receive {P, X} -> X after 60000 -> timeout end,
    Q = spawn_link(fun() -> Me ! {from, child} end),
    B = receive {from, Y} -> Y end,
    C = receive never -> oops after 10 -> timed end,
    Me ! 3, Me ! 1, Me ! 2,
    D = [receive N -> N end || N <- [1, 2, 3]],
    {Pid, Ref} = spawn_monitor(fun() -> exit(because) end),
    E = receive {'DOWN', Ref, process, Pid, R} -> R end,
    process_flag(trap_exit, true),
    L = spawn_link(fun() -> exit(linked) end),
    F = receive {'EXIT', L, R2} -> R2 end,
    P ! stop,
    _ = Q,
    G = receive zero -> 0 after 0 -> none end,
    Mq = make_ref(),
    spawn(fun() -> Me ! {Mq, ring(100)} end),
    H = receive {Mq, V} -> V end,
    {A, B, C, D, E, F, G, H}.

echo() ->
    receive
        {From, M} -> From ! {self(), {echo, M}}, echo();
        stop -> ok
    end.

ring(N) ->
    Last = lists:foldl(fun(_, To) -> spawn(fun() -> receive X -> To ! X + 1 end end) end,
                       self(), lists:seq(1, N)),
    Last ! 0,
    receive X -> X end.
