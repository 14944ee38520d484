-module(proc_registry).
-export([main/0]).

main() ->
    [reg(), dup(), dead(), errors(), dict(), dict_many(), procs(), sends(), info_name()].

reg() ->
    true = register(pr_a, self()),
    Me = self(),
    A = whereis(pr_a) =:= Me,
    B = lists:member(pr_a, registered()),
    pr_a ! hello,
    C = receive hello -> ok end,
    true = unregister(pr_a),
    {A, B, C, whereis(pr_a), lists:member(pr_a, registered())}.

dup() ->
    true = register(pr_b, self()),
    R = [e(fun() -> register(pr_b, self()) end), e(fun() -> register(pr_c, self()) end)],
    unregister(pr_b),
    R.

dead() ->
    {P, M} = spawn_monitor(fun() -> register(pr_d, self()), ok end),
    receive {'DOWN', M, process, P, _} -> ok end,
    R = (e(fun() -> register(pr_d, P) end)),
    {whereis(pr_d), R}.

errors() ->
    [e(fun() -> unregister(pr_zzz) end), e(fun() -> unregister(1) end), e(fun() -> whereis(1) end), e(fun() -> register(undefined, self()) end),
     e(fun() -> register(1, self()) end), e(fun() -> register(pr_x, foo) end), e(fun() -> (pr_nobody ! x) end), e(fun() -> erlang:send(pr_nobody, x) end),
     e(fun() -> erlang:send(self(), x, [foo]) end), e(fun() -> erlang:send(self(), x, foo) end), e(fun() -> (17 ! x) end), e(fun() -> ({a, b, c} ! x) end)].

dict() ->
    undefined = put(k, 1),
    1 = put(k, 2),
    R = {get(k), get(nokey), erase(k), erase(k), get(k)},
    put({a, <<"b">>}, [x]),
    {R, get({a, <<"b">>}), erase({a, <<"b">>})}.

dict_many() ->
    [put(K, K * K) || K <- lists:seq(1, 1000)],
    [put({K, "key"}, K) || K <- lists:seq(1, 300)],
    [erase(K) || K <- lists:seq(1, 1000, 3)],
    A = lists:sum([case get(K) of undefined -> 0; V -> V end || K <- lists:seq(1, 1000)]),
    B = lists:sum([get({K, "key"}) || K <- lists:seq(1, 300)]),
    [erase({K, "key"}) || K <- lists:seq(1, 300)],
    C = length([x || {K, V} <- get(), is_integer(K), V =:= K * K]),
    D = lists:sort(get_keys(49)),
    [erase(K) || K <- lists:seq(1, 1000)],
    {A, B, C, D}.

procs() ->
    P = spawn(fun() -> receive stop -> ok end end),
    A = lists:member(P, processes()),
    M = monitor(process, P),
    P ! stop,
    receive {'DOWN', M, _, _, _} -> ok end,
    {A, lists:member(P, processes()), is_process_alive(P), is_process_alive(self())}.

sends() ->
    self() ! a,
    {pr_nobody, node()} ! lost,
    erlang:send(self(), b),
    ok = erlang:send(self(), c, [noconnect, nosuspend]),
    register(pr_s, self()),
    {pr_s, node()} ! d,
    ok = erlang:send({pr_s, node()}, e, []),
    unregister(pr_s),
    [receive X -> X after 60000 -> none end || _ <- [1, 2, 3, 4, 5]].

info_name() ->
    A = process_info(self(), registered_name),
    register(pr_i, self()),
    B = process_info(self(), registered_name),
    C = process_info(self(), [registered_name, trap_exit]),
    unregister(pr_i),
    D = process_info(self(), [registered_name, trap_exit]),
    {A, B, C, D}.

e(F) ->
    try F() of V -> V
    catch C:R:St -> [{M, Fn, A, I} | _] = St, {C, R, M, Fn, if is_list(A) -> length(A); true -> {A} end, proplists:get_value(error_info, I)}
    end.
