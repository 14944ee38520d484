-module(proc_where).
-export([main/0, loop/1, hib/0]).

main() ->
    [self_fun(), self_loc(), self_stack(), other(), hibernating(), tail(), display()].

self_fun() ->
    R = process_info(self(), current_function),
    {R, x}.

self_loc() ->
    {current_location, {M, F, A, [{file, _}, {line, L}]}} = process_info(self(), current_location),
    {M, F, A, L}.

self_stack() ->
    {current_stacktrace, L} = process_info(self(), current_stacktrace),
    [{M, F, A, proplists:get_value(line, P)} || {M, F, A, P} <- L].

tail() -> process_info(self(), current_function).

loop(D) ->
    receive
        deeper -> loop(D + 1), D;
        stop -> ok
    end.

wait(P, N) ->
    case process_info(P, [status, message_queue_len]) of
        [{status, waiting}, {message_queue_len, 0}] -> ok;
        _ when N > 0 -> receive after 5 -> wait(P, N - 1) end
    end.

other() ->
    P = spawn(?MODULE, loop, [0]),
    P ! deeper,
    wait(P, 20000),
    R = process_info(P, [current_function, initial_call]),
    {current_stacktrace, L} = process_info(P, current_stacktrace),
    {current_location, {M, F, A, Pos}} = process_info(P, current_location),
    exit(P, kill),
    {R, [{M1, F1, A1, proplists:get_value(line, Q)} || {M1, F1, A1, Q} <- L], {M, F, A, proplists:get_value(line, Pos)}}.

hib() -> ok.

hibernating() ->
    P = spawn(fun() -> erlang:hibernate(?MODULE, hib, []) end),
    wait(P, 20000),
    R = process_info(P, [current_function, current_stacktrace]),
    M = monitor(process, P),
    P ! wake,
    {R, receive {'DOWN', M, _, _, X} -> X after 60000 -> timeout end}.

display() ->
    {backtrace, B} = process_info(self(), backtrace),
    is_binary(B) andalso byte_size(B) > 20.
