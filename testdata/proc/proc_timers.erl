-module(proc_timers).
-export([main/0]).

main() ->
    [after0(), after_order(), send_after(), start_timer(), cancel(), read(), async(), name(), dead(),
     abs_timer(), errors(), many(), receive_timeout_message(), zero()].

after0() -> receive x -> y after 0 -> none end.

after_order() ->
    Self = self(),
    Start = erlang:monotonic_time(),
    [spawn(fun() -> receive after T -> Self ! {t, T} end end) || T <- [60, 20, 40, 0, 1]],
    [receive {t, T} -> {T, erlang:monotonic_time() - Start >= erlang:convert_time_unit(T, millisecond, native)} end
     || T <- [0, 1, 20, 40, 60]].

send_after() ->
    erlang:send_after(10, self(), {hello, [1, 2, 3]}),
    receive X -> X after 60000 -> timeout end.

start_timer() ->
    R = erlang:start_timer(5, self(), msg),
    receive {timeout, R, M} -> M after 60000 -> timeout end.

cancel() ->
    R = erlang:send_after(100000, self(), x),
    A = erlang:cancel_timer(R),
    B = erlang:cancel_timer(R),
    {A > 0 andalso A =< 100000, B}.

read() ->
    R = erlang:send_after(100000, self(), x),
    A = erlang:read_timer(R),
    erlang:cancel_timer(R),
    {A > 0 andalso A =< 100000, erlang:read_timer(R), erlang:read_timer(make_ref())}.

async() ->
    R = erlang:send_after(100000, self(), x),
    ok = erlang:read_timer(R, [{async, true}]),
    A = receive {read_timer, R, X} when is_integer(X) -> ok after 60000 -> timeout end,
    ok = erlang:cancel_timer(R, [{async, true}, {info, true}]),
    B = receive {cancel_timer, R, Y} when is_integer(Y) -> ok after 60000 -> timeout end,
    C = erlang:cancel_timer(R, [{info, false}]),
    D = erlang:cancel_timer(R, []),
    ok = erlang:cancel_timer(R, [{async, true}]),
    E = receive {cancel_timer, R, Z} -> Z after 60000 -> timeout end,
    {A, B, C, D, E}.

name() ->
    register(pt_me, self()),
    erlang:send_after(1, pt_me, by_name),
    erlang:send_after(1, pt_nobody, lost),
    R = receive by_name -> ok after 60000 -> timeout end,
    unregister(pt_me),
    R.

dead() ->
    {P, M} = spawn_monitor(fun() -> receive stop -> ok end end),
    R = erlang:send_after(100000, P, x),
    P ! stop,
    receive {'DOWN', M, _, _, _} -> ok end,
    R2 = erlang:send_after(100000, P, x),
    {erlang:read_timer(R), erlang:cancel_timer(R), erlang:cancel_timer(R2)}.

abs_timer() ->
    T = erlang:monotonic_time(millisecond) + 10,
    R = erlang:start_timer(T, self(), abs, [{abs, true}]),
    A = receive {timeout, R, X} -> X after 60000 -> timeout end,
    {A, erlang:monotonic_time(millisecond) >= T}.

errors() ->
    [e(fun() -> erlang:send_after(-1, self(), x) end), e(fun() -> erlang:send_after(a, self(), x) end),
     e(fun() -> erlang:send_after(1, 17, x) end), e(fun() -> erlang:start_timer(1 bsl 64, self(), x) end),
     e(fun() -> erlang:start_timer(1, self(), x, [{foo, true}]) end), e(fun() -> erlang:start_timer(1, self(), x, foo) end),
     e(fun() -> erlang:cancel_timer(foo) end), e(fun() -> erlang:read_timer(1) end),
     e(fun() -> erlang:cancel_timer(make_ref(), [foo]) end),
     e(fun() -> begin receive after -1 -> x end end end),
     e(fun() -> begin receive after 1 bsl 32 -> x end end end),
     e(fun() -> begin receive after foo -> x end end end)].

many() ->
    L = lists:seq(1, 2000),
    [erlang:send_after(I rem 50, self(), {m, I}) || I <- L],
    lists:sum([receive {m, I} -> I end || _ <- L]).

receive_timeout_message() ->
    Self = self(),
    spawn(fun() -> receive after 10 -> Self ! late end end),
    A = receive late -> late after 60000 -> timeout end,
    B = receive late -> late after 20 -> timeout end,
    {A, B}.

zero() ->
    erlang:send_after(0, self(), zero),
    receive zero -> zero after 60000 -> timeout end.

e(F) ->
    try F() of V -> V
    catch C:R:St -> [{M, Fn, A, I} | _] = St, {C, R, M, Fn, if is_list(A) -> length(A); true -> {A} end, proplists:get_value(error_info, I)}
    end.
