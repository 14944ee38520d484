-module(proc_flags).
-export([main/0]).

main() ->
    [flags(), bad(), info_other(), suspend(), group_leader_(), gc(), spawn_opts(), spawn_errors(), priorities(),
     info_errors(), spawn_req(), yield_()].

flags() ->
    in_new(fun() ->
        [process_flag(trap_exit, true), process_flag(trap_exit, false),
         process_flag(priority, high), process_flag(priority, normal),
         process_flag(fullsweep_after, 10), process_flag(fullsweep_after, 20),
         is_integer(process_flag(min_heap_size, 500)), process_flag(min_heap_size, 100), process_flag(min_heap_size, 233),
         process_flag(min_bin_vheap_size, 50000), process_flag(min_bin_vheap_size, 46422),
         process_flag(max_heap_size, 100000), process_flag(max_heap_size, #{size => 200000, kill => false}),
         process_flag(max_heap_size, 0),
         process_flag(message_queue_data, off_heap), process_flag(message_queue_data, on_heap),
         process_flag(error_handler, foo), process_flag(error_handler, error_handler),
         process_flag(sensitive, true), process_flag(sensitive, false),
         process_flag(save_calls, 10), process_flag(save_calls, 0)]
    end).

in_new(F) ->
    {_, M} = spawn_monitor(fun() -> exit({result, F()}) end),
    receive {'DOWN', M, process, _, {result, R}} -> R after 60000 -> timeout end.

bad() ->
    [e(fun() -> process_flag(trap_exit, foo) end), e(fun() -> process_flag(foo, true) end), e(fun() -> process_flag(priority, foo) end),
     e(fun() -> process_flag(min_heap_size, -1) end), e(fun() -> process_flag(max_heap_size, #{kill => true}) end),
     e(fun() -> process_flag(max_heap_size, 10) end),
     e(fun() -> process_flag(save_calls, 10001) end), e(fun() -> process_flag(error_handler, 1) end),
     e(fun() -> process_flag(message_queue_data, x) end)].

info_other() ->
    P = spawn_opt(fun() -> put(key, val), receive stop -> ok end end, [{fullsweep_after, 7}, {message_queue_data, off_heap}, {min_heap_size, 500}]),
    P ! m1, P ! {m2, "two"},
    wait_waiting(P),
    R = process_info(P, [messages, message_queue_len, dictionary, status, links, trap_exit, priority, fullsweep_after,
                         message_queue_data, initial_call, error_handler, catchlevel, suspending, monitors, min_heap_size, trace,
                         sequential_trace_token, last_calls]),
    exit(P, kill),
    R.

wait_waiting(P) ->
    case process_info(P, [status, dictionary]) of
        [{status, waiting}, {dictionary, [_]}] -> ok;
        _ -> erlang:yield(), wait_waiting(P)
    end.

suspend() ->
    Self = self(),
    P = spawn(fun() -> receive go -> Self ! went end, receive stop -> ok end end),
    true = erlang:suspend_process(P),
    P ! go,
    A = receive went -> bad after 20 -> quiet end,
    B = process_info(P, status),
    true = erlang:suspend_process(P),
    C = erlang:suspend_process(P, [unless_suspending]),
    C2 = process_info(self(), suspending),
    true = erlang:resume_process(P),
    D = receive went -> bad after 20 -> quiet end,
    true = erlang:resume_process(P),
    E = receive went -> went after 60000 -> timeout end,
    F = (e(fun() -> erlang:resume_process(P) end)),
    true = erlang:suspend_process(P, [{asynchronous, mytag}]),
    G = receive {mytag, X} -> X after 60000 -> timeout end,
    M = monitor(process, P),
    exit(P, kill),
    H = receive {'DOWN', M, _, _, Rn} -> Rn after 60000 -> timeout end,
    [A, B, C, length(element(2, C2)), D, E, F, G, H, e(fun() -> erlang:suspend_process(self()) end), e(fun() -> erlang:suspend_process(foo) end)].

group_leader_() ->
    Me = self(),
    P = spawn(fun() -> receive {get, From} -> From ! {gl, group_leader()} end end),
    true = group_leader(Me, P),
    M = monitor(process, P),
    P ! {get, Me},
    A = receive {gl, G} -> G =:= Me after 60000 -> timeout end,
    receive {'DOWN', M, _, _, _} -> ok end,
    {A, e(fun() -> group_leader(foo, Me) end), e(fun() -> group_leader(Me, foo) end), e(fun() -> group_leader(Me, P) end)}.

gc() ->
    P = spawn(fun() -> receive stop -> ok end end),
    A = garbage_collect(P),
    B = garbage_collect(),
    C = garbage_collect(P, [{type, minor}]),
    D = garbage_collect(P, [{async, req}]),
    E = receive {garbage_collect, req, X} -> X after 60000 -> timeout end,
    M = monitor(process, P),
    P ! stop,
    receive {'DOWN', M, _, _, _} -> ok end,
    [A, B, C, D, E, garbage_collect(P), e(fun() -> garbage_collect(foo) end)].

spawn_opts() ->
    in_new(fun() ->
        Me = self(),
        F = fun() -> Me ! {info, process_info(self(), [priority, min_heap_size, fullsweep_after, message_queue_data, links, trap_exit, max_heap_size])} end,
        spawn_opt(F, [{priority, low}, {min_heap_size, 1000}, {fullsweep_after, 3}, {message_queue_data, off_heap}, {max_heap_size, #{size => 1000000, error_logger => false}}]),
        receive {info, I} -> I after 60000 -> timeout end
    end).

spawn_errors() ->
    [e(fun() -> spawn(a, b, c) end), e(fun() -> spawn(1, b, []) end), e(fun() -> spawn(a, 2, []) end), e(fun() -> spawn(a, b, [x | y]) end),
     e(fun() -> spawn_opt(a, b, [], [foo]) end), e(fun() -> spawn_opt(a, b, [], foo) end), e(fun() -> spawn_opt(a, b, [], [{priority, foo}]) end),
     e(fun() -> spawn(foo) end), e(fun() -> spawn_link(a, b, c) end), e(fun() -> spawn_opt(fun() -> ok end, [{min_heap_size, -1}]) end)].

priorities() ->
    Me = self(),
    [spawn_opt(fun() -> Me ! {prio, process_info(self(), priority)} end, [{priority, P}]) || P <- [low, normal, high, max]],
    lists:sort([receive {prio, {priority, X}} -> X after 60000 -> timeout end || _ <- [1, 2, 3, 4]]).

info_errors() ->
    [e(fun() -> process_info(foo) end), e(fun() -> process_info(self(), foo) end), e(fun() -> process_info(self(), [status, foo]) end),
     e(fun() -> process_info(self(), [status | x]) end), process_info(self(), [])].

spawn_req() ->
    R = spawn_request(fun() -> ok end),
    A = receive {spawn_reply, R, ok, P} when is_pid(P) -> ok after 60000 -> timeout end,
    R2 = spawn_request(erlang, apply, [fun() -> exit(req) end, []], [monitor, {reply_tag, tag}]),
    B = receive {tag, R2, ok, P2} when is_pid(P2) -> ok after 60000 -> timeout end,
    C = receive {'DOWN', R2, process, _, X} -> X after 60000 -> timeout end,
    R3 = spawn_request(a, b, [], [foo]),
    D = receive {spawn_reply, R3, error, Y} -> Y after 60000 -> timeout end,
    R4 = spawn_request(fun() -> ok end, [{reply, no}]),
    E = receive {spawn_reply, R4, _, _} -> bad after 10 -> none end,
    F = erlang:spawn_request_abandon(R4),
    [A, B, C, D, E, F, e(fun() -> spawn_request(1, b, []) end), e(fun() -> spawn_request(a, b, [], foo) end), e(fun() -> erlang:spawn_request_abandon(x) end)].

yield_() -> {erlang:yield(), erlang:bump_reductions(100), e(fun() -> erlang:bump_reductions(x) end)}.

e(F) ->
    try F() of V -> V
    catch C:R:St -> [{M, Fn, A, I} | _] = St, {C, R, M, Fn, if is_list(A) -> length(A); true -> {A} end, proplists:get_value(error_info, I)}
    end.
