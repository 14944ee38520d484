-module(proc_monitors).
-export([main/0]).

main() ->
    [basic(), noproc(), name(), name_missing(), demon(), demon_flush(), demon_info(), many(),
     tag(), aliases(), alias_reply(), alias_demonitor(), alias_explicit(), errors(), self_mon(),
     kill_order(), monitors_info(), spawn_mon()].

down(M) -> receive {'DOWN', M, T, O, R} -> {T, is_pid(O), R} after 60000 -> timeout end.

basic() ->
    {_, M} = spawn_monitor(fun() -> exit(foo) end),
    down(M).

noproc() ->
    {P, M} = spawn_monitor(fun() -> ok end),
    down(M),
    down(monitor(process, P)).

name() ->
    P = spawn(fun() -> receive stop -> ok end end),
    register(pm_name, P),
    M = monitor(process, pm_name),
    M2 = monitor(process, {pm_name, node()}),
    pm_name ! stop,
    {receive {'DOWN', M, process, O, R} -> {O, R} end,
     receive {'DOWN', M2, process, O2, R2} -> {O2, R2} end}.

name_missing() ->
    M = monitor(process, pm_nobody),
    receive {'DOWN', M, process, O, R} -> {O, R} after 60000 -> timeout end.

demon() ->
    P = spawn(fun() -> receive stop -> ok end end),
    M = monitor(process, P),
    true = demonitor(M),
    M2 = monitor(process, P),
    P ! stop,
    {down(M2), receive {'DOWN', M, _, _, _} -> bad after 10 -> good end, demonitor(M)}.

demon_flush() ->
    {P, M} = spawn_monitor(fun() -> ok end),
    M2 = monitor(process, P),
    down(M2),
    true = demonitor(M, [flush]),
    receive {'DOWN', M, _, _, _} -> bad after 0 -> good end.

demon_info() ->
    P = spawn(fun() -> receive stop -> ok end end),
    M = monitor(process, P),
    A = demonitor(M, [info]),
    B = demonitor(M, [info]),
    C = demonitor(M, [info, flush]),
    D = demonitor(make_ref(), [flush, info]),
    P ! stop,
    {A, B, C, D}.

many() ->
    P = spawn(fun() -> receive stop -> exit(bye) end end),
    Ms = [monitor(process, P) || _ <- lists:seq(1, 100)],
    P ! stop,
    lists:usort([down(M) || M <- Ms]).

tag() ->
    {P, M} = spawn_monitor(fun() -> ok end),
    down(M),
    M2 = monitor(process, P, [{tag, {my, [tag], <<"binary">>}}]),
    receive {T, M2, process, P, R} -> {T, R} after 60000 -> timeout end.

aliases() ->
    A = alias(),
    A ! one,
    spawn(fun() -> A ! two, A ! three end),
    R = [receive X -> X after 60000 -> timeout end || _ <- [1, 2, 3]],
    true = unalias(A),
    false = unalias(A),
    A ! four,
    {R, receive Y -> Y after 10 -> none end, unalias(make_ref())}.

alias_reply() ->
    A = alias([reply]),
    A ! one, A ! two,
    {receive one -> one end, receive two -> two after 10 -> none end, unalias(A)}.

server() -> spawn(fun Loop() -> receive {From, Msg} -> From ! {From, Msg}, Loop(); stop -> exit(stopped) end end).

alias_demonitor() ->
    P = server(),
    M = monitor(process, P, [{alias, reply_demonitor}]),
    P ! {M, hi},
    A = receive {M, X} -> X after 60000 -> timeout end,
    P ! {M, again},
    B = receive {M, _} -> bad after 20 -> none end,
    M2 = monitor(process, P),
    P ! stop,
    {A, B, down(M2), receive {'DOWN', M, _, _, _} -> bad after 0 -> good end}.

alias_explicit() ->
    P = server(),
    M = monitor(process, P, [{alias, explicit_unalias}]),
    true = demonitor(M),
    P ! {M, still},
    A = receive {M, X} -> X after 60000 -> timeout end,
    true = unalias(M),
    P ! {M, not_any_more},
    B = receive {M, _} -> bad after 20 -> none end,
    M3 = monitor(process, P, [{alias, demonitor}]),
    P ! {M3, x},
    C = receive {M3, x} -> x after 60000 -> timeout end,
    demonitor(M3),
    P ! {M3, y},
    D = receive {M3, y} -> y after 20 -> none end,
    P ! stop,
    {A, B, C, D}.

errors() ->
    [e(fun() -> monitor(process, 17) end), e(fun() -> monitor(foo, self()) end), e(fun() -> monitor(process, {a, b, c}) end),
     e(fun() -> demonitor(x) end), e(fun() -> demonitor(make_ref(), [foo]) end), e(fun() -> demonitor(make_ref(), foo) end),
     e(fun() -> monitor(process, self(), [{alias, foo}]) end), e(fun() -> monitor(process, self(), foo) end),
     e(fun() -> alias([foo]) end), e(fun() -> unalias(foo) end), e(fun() -> monitor(process, {x, 'other@host'}) end)].

self_mon() ->
    M = monitor(process, self()),
    {is_reference(M), demonitor(M, [info]), element(2, process_info(self(), monitors))}.

kill_order() ->
    P = spawn(fun() -> receive never -> ok end end),
    M = monitor(process, P),
    P ! x, P ! y,
    exit(P, kill),
    {down(M), is_process_alive(P)}.

monitors_info() ->
    P = spawn(fun() -> receive stop -> ok end end),
    M = monitor(process, P),
    {monitors, L} = process_info(self(), monitors),
    {monitored_by, B} = process_info(P, monitored_by),
    Me = self(),
    R = {L =:= [{process, P}], B =:= [Me]},
    demonitor(M),
    exit(P, kill),
    {R, process_info(self(), monitors)}.

spawn_mon() ->
    {P, M} = spawn_opt(fun() -> exit(opt) end, [{monitor, [{tag, 'MINE'}]}]),
    receive {'MINE', M, process, P, R} -> R after 60000 -> timeout end.

e(F) ->
    try F() of V -> V
    catch C:R:St -> [{M, Fn, A, I} | _] = St, {C, R, M, Fn, if is_list(A) -> length(A); true -> {A} end, proplists:get_value(error_info, I)}
    end.
