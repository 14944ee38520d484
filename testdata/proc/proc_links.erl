-module(proc_links).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    L = [normal(), error_exit(), throw_exit(), killed(), kill_reason(), exit_normal_ignored(),
         dead(), unlink_flush(), self_exit(), no_trap(), chain(), both_ways()],
    process_flag(trap_exit, false),
    L.

exit_of(P) -> receive {'EXIT', P, R} -> R after 60000 -> timeout end.

normal() -> exit_of(spawn_link(fun() -> ok end)).

error_exit() ->
    P = spawn_link(fun() -> exit({bad, [1, 2.5, <<"xyz">>], #{a => b}}) end),
    exit_of(P).

throw_exit() ->
    P = spawn_link(fun() -> error_logger_off(), throw(ball) end),
    {{nocatch, ball}, [_ | _]} = exit_of(P),
    ok.

error_logger_off() -> ok.

killed() ->
    P = spawn_link(fun() -> receive never -> ok end end),
    exit(P, kill),
    exit_of(P).

kill_reason() ->
    P = spawn_link(fun() -> exit(kill) end),
    exit_of(P).

exit_normal_ignored() ->
    P = spawn_link(fun() -> receive go -> exit(went) end end),
    exit(P, normal),
    P ! go,
    exit_of(P).

dead() ->
    {P, M} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', M, process, P, normal} -> ok end,
    true = link(P),
    A = exit_of(P),
    process_flag(trap_exit, false),
    B = try link(P) catch C:R -> {C, R} end,
    process_flag(trap_exit, true),
    {A, B, e(fun() -> link(foo) end), e(fun() -> link(1) end)}.

unlink_flush() ->
    P = spawn_link(fun() -> receive go -> exit(x) end end),
    unlink(P),
    M = monitor(process, P),
    P ! go,
    receive {'DOWN', M, process, P, R} -> ok end,
    {R, receive {'EXIT', P, _} = E -> E after 20 -> none end}.

self_exit() ->
    Self = self(),
    P = spawn_link(fun() ->
                           process_flag(trap_exit, true),
                           exit(self(), hello),
                           receive {'EXIT', Q, hello} when Q =:= self() -> Self ! got end,
                           process_flag(trap_exit, false),
                           exit(self(), normal),
                           Self ! not_reached
                   end),
    R = exit_of(P),
    {receive got -> got after 0 -> no end, R, receive not_reached -> bad after 0 -> good end}.

no_trap() ->
    Self = self(),
    P = spawn(fun() ->
                      Q = spawn_link(fun() -> receive stop -> exit(inner) end end),
                      Self ! {q, Q},
                      receive never -> ok end
              end),
    Q = receive {q, X} -> X end,
    M = monitor(process, P),
    Q ! stop,
    receive {'DOWN', M, process, P, R} -> R end.

chain() ->
    Self = self(),
    P = spawn_link(fun() -> chain(50, Self) end),
    receive deepest -> ok end,
    exit(P, boom),
    exit_of(P).

chain(0, Self) -> Self ! deepest, receive never -> ok end;
chain(N, Self) ->
    spawn_link(fun() -> chain(N - 1, Self) end),
    receive never -> ok end.

both_ways() ->
    Self = self(),
    P = spawn_link(fun() ->
                           process_flag(trap_exit, true),
                           Self ! ready,
                           receive {'EXIT', _, R} -> exit({got, R}) end
                   end),
    receive ready -> ok end,
    link(P), link(P),
    exit(P, why),
    A = exit_of(P),
    {A, receive {'EXIT', P, _} -> twice after 0 -> once end}.

e(F) ->
    try F() of V -> V
    catch C:R:St -> [{M, Fn, A, I} | _] = St, {C, R, M, Fn, if is_list(A) -> length(A); true -> {A} end, proplists:get_value(error_info, I)}
    end.
