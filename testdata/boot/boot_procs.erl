%% Rings, trees of processes, selective receive, registered names.
-module(boot_procs).
-export([main/0]).

main() -> {ring(50, 20), tree(8), selective(300), names(), order(), hib(), aliases(), info()}.

ring(N, Rounds) ->
    Self = self(),
    First = spawn_link(fun() -> receive {next, P} -> node_loop(P, Self) end end),
    Last = lists:foldl(fun(_, Next) -> spawn_link(fun() -> node_loop(Next, Self) end) end, First, lists:seq(2, N)),
    First ! {next, Last},
    Last ! {token, N * Rounds, 0},
    receive {done, V} -> V end.

node_loop(_, Owner) when not is_pid(Owner) -> error(owner);
node_loop(Next, Owner) ->
    receive
        {token, 0, V} -> Owner ! {done, V}, unlink(Owner), node_loop(Next, Owner);
        {token, N, V} -> Next ! {token, N - 1, V + length(lists:seq(1, N rem 7))}, node_loop(Next, Owner)
    end.

tree(0) -> 1;
tree(D) ->
    Self = self(),
    Refs = [begin R = make_ref(), spawn(fun() -> Self ! {R, tree(D - 1)} end), R end || _ <- [1, 2]],
    lists:sum([receive {R, V} -> V end || R <- Refs]).

selective(N) ->
    Self = self(),
    spawn(fun() -> [Self ! {I, lists:duplicate(I rem 5, I)} || I <- lists:seq(1, N)] end),
    erlang:phash2([receive {I, L} -> L end || I <- lists:seq(N, 1, -1)]).

names() ->
    P = spawn(fun() -> receive {F, X} -> F ! {got, X} end end),
    true = register(boot_name, P),
    E1 = (catch register(boot_name, self())),
    boot_name ! {self(), 42},
    V = receive {got, X} -> X end,
    M = monitor(process, P),
    receive {'DOWN', M, _, _, _} -> ok end,
    {element(1, E1), element(1, element(2, E1)), V, whereis(boot_name), catch element(1, boot_name ! x)}.

order() ->
    P = self(),
    [spawn_monitor(fun() -> [P ! {K, I} || I <- lists:seq(1, 50)] end) || K <- [a, b, c]],
    Ms = [receive {'DOWN', _, _, _, normal} -> ok end || _ <- [1, 2, 3]],
    {Ms, [drain(K) =:= lists:seq(1, 50) || K <- [c, a, b]]}.

drain(K) -> receive {K, I} -> [I | drain(K)] after 0 -> [] end.

hib() ->
    Self = self(),
    P = spawn(fun() -> erlang:hibernate(erlang, send, [Self, woken]) end),
    Q = spawn(fun() -> proc_lib:hibernate(lists, foreach, [fun(X) -> Self ! X end, [q1, q2]]) end),
    P ! go, Q ! go,
    [receive X -> X end || X <- [woken, q1, q2]].

aliases() ->
    A = alias([reply]),
    spawn(fun() -> A ! one, A ! two end),
    R = receive one -> first end,
    {R, receive two -> second after 20 -> none end, unalias(A)}.

info() ->
    P = spawn(fun() -> put(k, v), receive stop -> ok end end),
    [P ! I || I <- [1, 2, 3]],
    L = wait_info(P, 60000),
    exit(P, kill),
    L.

wait_info(P, N) ->
    case process_info(P, [messages, dictionary, status, trap_exit, links]) of
        [{messages, [1, 2, 3]}, _, {status, waiting} | _] = L -> L;
        L when N =:= 0 -> L;
        _ -> erlang:yield(), timer:sleep(1), wait_info(P, N - 1)
    end.
