%% Timers and timeouts; only what does not depend on speed.
-module(boot_timers).
-export([main/0]).

main() -> {order(), cancel(), timeouts(), many(500), start_timer(), timer_mod(), monotonic(), absolute(), dead()}.

order() ->
    Start = erlang:monotonic_time(),
    [erlang:send_after(T, self(), {t, T}) || T <- [90, 1, 45]],
    [receive {t, T} -> {T, erlang:monotonic_time() - Start >= erlang:convert_time_unit(T, millisecond, native)} end || T <- [1, 45, 90]].

cancel() ->
    R = erlang:send_after(100000, self(), never),
    L = erlang:cancel_timer(R),
    R2 = erlang:send_after(0, self(), now),
    receive now -> ok end,
    {is_integer(L), erlang:cancel_timer(R), erlang:cancel_timer(R2), erlang:read_timer(R), erlang:cancel_timer(R2, [{async, true}]),
     receive {cancel_timer, R2, V} -> V end, erlang:cancel_timer(erlang:send_after(5000, self(), x), [{info, false}])}.

timeouts() ->
    {receive a -> 1 after 0 -> 2 end, receive a -> 1 after 3 -> 2 end, begin self() ! a, receive a -> 1 after 0 -> 2 end end,
     begin S = self(), spawn(fun() -> timer:sleep(2), S ! late end), receive late -> got after 60000 -> lost end end}.

many(N) ->
    [erlang:send_after(I rem 20, self(), {n, I}) || I <- lists:seq(1, N)],
    lists:sum([receive {n, I} -> I end || I <- lists:seq(1, N)]).

start_timer() ->
    R = erlang:start_timer(1, self(), {msg, lists:seq(1, 10)}),
    receive {timeout, R, M} -> M end.

timer_mod() ->
    {ok, T} = timer:send_interval(1, tick),
    [receive tick -> ok end || _ <- [1, 2, 3]],
    {ok, cancel} = timer:cancel(T),
    {ok, _} = timer:apply_after(1, erlang, send, [self(), applied]),
    receive applied -> yes end.

monotonic() ->
    A = erlang:monotonic_time(), timer:sleep(2), B = erlang:monotonic_time(),
    {B > A, erlang:convert_time_unit(B - A, native, microsecond) >= 2000, element(1, timer:tc(fun() -> timer:sleep(1) end)) >= 1000,
     erlang:unique_integer([monotonic]) < erlang:unique_integer([monotonic])}.

absolute() ->
    T = erlang:monotonic_time(millisecond) + 5,
    erlang:send_after(T, self(), abs, [{abs, true}]),
    receive abs -> erlang:monotonic_time(millisecond) >= T end.

dead() ->
    {P, M} = spawn_monitor(fun() -> ok end),
    receive {'DOWN', M, _, _, _} -> ok end,
    R = erlang:send_after(1, P, x), R2 = erlang:send_after(1, no_such_reg, x),
    {gone(R), gone(R2)}.

gone(R) -> case erlang:read_timer(R) of false -> gone; _ -> timer:sleep(1), gone(R) end.
