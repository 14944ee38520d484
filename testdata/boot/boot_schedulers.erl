%% Blocking of schedulers and how many are online; the results do not depend on
%% how many there are.
-module(boot_schedulers).
-export([main/0]).

main() -> {states(), nested(), dead_blocker(), online(), bad()}.

flag(K, V) -> erlang:system_flag(K, V).
info(K) -> erlang:system_info(K).

normal() -> {normal, _, _, Active} = lists:keyfind(normal, 1, info(all_schedulers_state)), Active.
dirty() -> {dirty_cpu, _, _, Active} = lists:keyfind(dirty_cpu, 1, info(all_schedulers_state)), Active.
%% The counts follow the calls, not always at once.
until(F, N) ->
    case F() of
        N -> true;
        _ -> receive after 1 -> until(F, N) end
    end.

%% With one scheduler nobody is named.
mine() -> mine(self()).
mine(P) -> case info(schedulers) of 1 -> []; _ -> [P] end.
blockers() -> {info(multi_scheduling_blockers), info(normal_multi_scheduling_blockers)}.

states() ->
    On = info(schedulers_online),
    [enabled =:= info(multi_scheduling), until(fun normal/0, On),
     blocked_normal =:= flag(multi_scheduling, block_normal), until(fun normal/0, 1),
     blockers() =:= {[], mine()},
     blocked =:= flag(multi_scheduling, block), blocked =:= info(multi_scheduling),
     until(fun normal/0, 1), blockers() =:= {mine(), mine()},
     until(fun dirty/0, 0),
     is_tuple(file:read_file_info(code:which(lists))),     % a dirty call still runs
     blocked =:= flag(multi_scheduling, unblock_normal),
     enabled =:= flag(multi_scheduling, unblock), until(fun normal/0, On), blockers() =:= {[], []},
     enabled =:= flag(multi_scheduling, unblock)].

nested() ->
    [blocked =:= flag(multi_scheduling, block), blocked =:= flag(multi_scheduling, block),
     blocked =:= flag(multi_scheduling, unblock), enabled =:= flag(multi_scheduling, unblock)].

dead_blocker() ->
    S = self(),
    {P, M} = spawn_monitor(fun() ->
                                   S ! {self(), flag(multi_scheduling, block_normal)},
                                   receive never -> ok end
                           end),
    R = receive {P, X} -> X end,
    B = blockers(),
    exit(P, kill),
    receive {'DOWN', M, process, P, killed} -> ok end,
    {R =:= blocked_normal, B =:= {[], mine(P)}, blockers(),
     info(multi_scheduling) =:= enabled}.

online() ->
    All = info(schedulers), On = info(schedulers_online),
    X = flag(schedulers_online, 1), Y = until(fun normal/0, 1), Z = flag(schedulers_online, All),
    N = until(fun normal/0, All),
    A = flag(schedulers_online, On),
    {X =:= On, Y, Z, N, A =:= All, info(schedulers_online) =:= On}.

bad() ->
    [try flag(K, V) of R -> R catch C:E -> {C, E} end
     || {K, V} <- [{multi_scheduling, foo}, {multi_scheduling, 1}, {schedulers_online, 0}, {schedulers_online, 5000},
                   {schedulers_online, x}]].
