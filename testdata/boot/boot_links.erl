%% Links, monitors and exit signals.
-module(boot_links).
-export([main/0]).

main() ->
    process_flag(trap_exit, true),
    {chain(40), reasons(), kill(), monitors(), many(200), mutual(), noproc(), spawn_opts(), down_tag()}.

chain(N) ->
    P = spawn_link(fun() -> chain_loop(N) end),
    receive {'EXIT', P, R} -> R end.

chain_loop(0) -> exit({end_of_chain, lists:seq(1, 5)});
chain_loop(N) -> spawn_link(fun() -> chain_loop(N - 1) end), receive never -> ok end.

reasons() ->
    Fs = [fun() -> ok end, fun() -> exit(normal) end, fun() -> exit(shutdown) end, fun() -> throw(x) end,
          fun() -> error(badarg) end, fun() -> exit({a, [1.5, <<"bin">>, #{k => v}]}) end,
          fun() -> 1 = length([]) end, fun() -> exit(binary:copy(<<"x">>, 200)) end],
    [begin P = spawn_link(fun() -> F() end),
           receive {'EXIT', P, R} -> strip(R) end end || F <- Fs].

strip({{nocatch, X}, S}) when is_list(S) -> {nocatch, X};
strip({R, [{_, _, _, _} | _]}) -> {err, R};
strip(R) -> R.

kill() ->
    Self = self(),
    P = spawn_link(fun() -> process_flag(trap_exit, true), Self ! up, loop([]) end),
    receive up -> ok end,
    exit(P, normal), exit(P, foo),
    L = call(P),
    exit(P, kill),
    {L, receive {'EXIT', P, R} -> R end}.

loop(L) ->
    receive
        {'EXIT', _, R} -> loop([R | L]);
        {F, get} when length(L) =:= 2 -> F ! {self(), L}, loop(L)
    end.

call(P) -> P ! {self(), get}, receive {P, R} -> R end.

monitors() ->
    P = spawn(fun() -> receive stop -> exit(bye) end end),
    Ms = [monitor(process, P) || _ <- lists:seq(1, 5)],
    true = demonitor(hd(Ms), [flush]),
    P ! stop,
    Rs = [receive {'DOWN', M, process, P, R} -> R end || M <- tl(Ms)],
    {Rs, demonitor(hd(Ms), [info]), receive {'DOWN', _, _, _, _} -> extra after 0 -> none end}.

many(N) ->
    Ps = [spawn_link(fun() -> receive stop -> exit({n, I}) end end) || I <- lists:seq(1, N)],
    [P ! stop || P <- Ps],
    erlang:phash2([receive {'EXIT', P, R} -> R end || P <- Ps]).

mutual() ->
    Self = self(),
    P = spawn(fun() -> Q = spawn_link(fun() -> receive {die, R} -> exit(R) end end), Self ! {q, Q}, receive x -> ok end end),
    M = monitor(process, P),
    receive {q, Q} -> Q ! {die, boom} end,
    receive {'DOWN', M, _, _, R} -> R end.

noproc() ->
    P = spawn(fun() -> ok end),
    M = monitor(process, P),
    receive {'DOWN', M, _, _, _} -> ok end,
    M2 = monitor(process, P),
    R = receive {'DOWN', M2, _, _, R2} -> R2 end,
    link(P),
    {R, receive {'EXIT', P, R3} -> R3 end, monitor_name()}.

monitor_name() ->
    M = monitor(process, no_such_name_here),
    receive {'DOWN', M, process, {N, _}, R} -> {N, R} end.

spawn_opts() ->
    {P, M} = spawn_opt(fun() -> exit(lists:sum(lists:seq(1, 1000))) end,
                       [monitor, {min_heap_size, 10}, {fullsweep_after, 0}, {priority, high}, {message_queue_data, off_heap}]),
    receive {'DOWN', M, process, P, R} -> R end.

down_tag() ->
    {P, M} = spawn_opt(fun() -> exit(tagged) end, [{monitor, [{tag, my_tag}]}]),
    receive {my_tag, M, process, P, R} -> R end.
