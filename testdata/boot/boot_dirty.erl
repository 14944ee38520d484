%% Dirty calls as erts_debug's test functions make them, and processes bound to
%% schedulers.
-module(boot_dirty).
-export([main/0]).

main() -> {kinds(), errors(), rescheduled(), data(), killed(), bound()}.

e(F) -> try F() catch C:R -> {C, R} end.

kinds() ->
    [erts_debug:dirty_cpu(scheduler, type), erts_debug:dirty_io(scheduler, type),
     erts_debug:dirty(normal, scheduler, type), erts_debug:dirty(dirty_io, scheduler, type)].

errors() ->
    [e(fun() -> erts_debug:dirty_io(error, E) end)
     || E <- [notsup, undef, badarith, noproc, system_limit, badarg, x]].

rescheduled() ->
    [e(fun() -> erts_debug:dirty_io(reschedule, N) end) || N <- [0, 2, 4, 100, 5, -1, a]].

data() ->
    S = self(),
    ok = erts_debug:dirty_cpu(send, S),
    L = erts_debug:dirty_cpu(copy, {a, "bc", <<"d">>}),
    {receive {ok, S} -> got end, length(L), lists:usort(L), erts_debug:dirty_cpu(wait, 2)}.

killed() ->
    S = self(),
    P = spawn(fun() -> erts_debug:dirty_io(alive_waitexiting, S) end),
    M = monitor(process, P),
    receive {alive, P} -> ok end,
    exit(P, kill),
    receive {'DOWN', M, process, P, R} -> R end.

%% The process has moved when the call returns.
bound() ->
    lists:all(fun(N) -> process_flag(scheduler, N), erlang:system_info(scheduler_id) =:= N end,
              [I rem erlang:system_info(schedulers) + 1 || I <- lists:seq(1, 50)])
        andalso is_integer(process_flag(scheduler, 0)).
