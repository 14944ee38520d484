%% A cluster of four nodes, of which this is the first: E1, E2, B1 and B2. The
%% test's other half splits the net into {E1,B1} and {E2,B2}, heals it, and kills
%% and restarts nodes when asked by a line "? split", "? heal" or "? restart NODE",
%% and answers with a line when it has done so.
-module(cluster).
-export([main/1, idle/0, keeper/4, collect/3, sender/4, echo/0, member/1, rival/2]).

main([Size | Names]) ->
    Nodes = [_, E2, _, B2] = [list_to_atom(N) || N <- Names],
    N = list_to_integer(Size),
    step(meet, fun() -> meet(Nodes) end),
    step(rpc, fun() -> rpcs(Nodes) end),
    step(order, fun() -> order(Nodes, max(200, N div 50)) end),
    step(big, fun() -> big(Nodes, N) end),
    step(global, fun() -> names(Nodes) end),
    step(pg, fun() -> groups(Nodes) end),
    Keepers = step(links, fun() -> links(Nodes, N) end),
    step(split, fun() -> split(Nodes, Keepers) end),
    step(restart, fun() -> [restart(X, Nodes) || X <- [B2, E2]] end),
    step(ends, fun() -> ends(Nodes, Keepers) end),
    io:format("cluster ok~n"),
    halt().

step(Name, F) ->
    io:format("~s~n", [Name]),
    F().

pairs(Nodes) -> [{A, B} || A <- Nodes, B <- Nodes, A =/= B].

%% until waits for a condition; a node that is gone makes it false.
until(What, F) -> until(What, F, 3000).

until(What, _, 0) -> error({never, What});
until(What, F, N) ->
    case catch F() of
        true -> ok;
        Other ->
            N rem 500 =:= 1 andalso io:format("~p: ~p~n", [What, Other]),
            timer:sleep(20),
            until(What, F, N - 1)
    end.

ask(What) ->
    io:format("? ~s~n", [What]),
    "done\n" = io:get_line("").

meet(Nodes) ->
    [until({meet, A, B}, fun() ->
         net_adm:ping(A) =:= pong andalso erpc:call(A, net_adm, ping, [B]) =:= pong
     end) || A <- Nodes, B <- Nodes],
    [until({nodes, A}, fun() -> lists:sort([A | erpc:call(A, erlang, nodes, [])]) =:= lists:sort(Nodes) end) || A <- Nodes],
    ok.

rpcs(Nodes) ->
    [begin
         B = rpc:call(A, rpc, call, [B, erlang, node, []]),
         B = erpc:call(A, erpc, call, [B, erlang, node, []]),
         {'EXIT', {{exception, {exception, badarith, _}, _}, _}} = (catch erpc:call(A, erpc, call, [B, erlang, '+', [a, 1]])),
         {badrpc, {'EXIT', {foo, _}}} = rpc:call(A, rpc, call, [B, erlang, error, [foo]])
     end || {A, B} <- pairs(Nodes)],
    {Rs, []} = rpc:multicall(Nodes, erlang, node, []),
    Rs = Nodes,
    ok.

%% Four processes of each node send to one of each other node, short and long
%% messages; of each sender all must come, in order.
order(Nodes, M) ->
    Cs = [begin
              C = spawn(B, ?MODULE, collect, [self(), maps:from_list([{I, 1} || I <- [1, 2, 3, 4]]), M]),
              [spawn(A, ?MODULE, sender, [C, I, 1, M]) || I <- [1, 2, 3, 4]],
              C
          end || {A, B} <- pairs(Nodes)],
    [receive {C, in_order} -> ok; {C, Wrong} -> error(Wrong) after 300000 -> error(timeout) end || C <- Cs],
    ok.

sender(_, _, S, M) when S > M -> ok;
sender(C, I, S, M) ->
    C ! {I, S, if S rem 50 =:= I -> binary:copy(<<S>>, 150000 + S); true -> <<S>> end},
    sender(C, I, S + 1, M).

collect(To, Next, M) ->
    case lists:all(fun(S) -> S > M end, maps:values(Next)) of
        true -> To ! {self(), in_order};
        false ->
            receive
                {I, S, <<B, Rest/binary>> = Bin} ->
                    Last = if Rest =:= <<>> -> B; true -> binary:last(Rest) end,
                    case Next of
                        #{I := S} when B =:= S rem 256, Last =:= B, byte_size(Bin) =:= 1;
                                       byte_size(Bin) =:= 150000 + S, Last =:= B ->
                            collect(To, Next#{I := S + 1}, M);
                        #{} -> To ! {self(), {wrong, I, S, byte_size(Bin), Next}}
                    end
            end
    end.

%% Fragmented messages, 64 MB of them at full size, between two short ones.
big(Nodes, N) ->
    Bytes = if N >= 100000 -> 64 bsl 20; true -> 8 bsl 20 end,
    Bin = binary:copy(<<"0123456789abcdef">>, Bytes div 16),
    List = lists:seq(1, Bytes div 64),
    Hash = {erlang:md5(Bin), erlang:phash2(List)},
    [begin
         P = spawn(B, ?MODULE, echo, []),
         Me = self(),
         erpc:call(A, fun() -> P ! {Me, 1}, P ! {Me, {Bin, List}}, P ! {Me, 2}, ok end),
         [{P, 1}, {P, Hash}, {P, 2}] = [receive {P, _} = M -> M after 300000 -> error(timeout) end || _ <- [1, 2, 3]],
         exit(P, kill)
     end || {A, B} <- pairs(Nodes), A =:= hd(Nodes) orelse B =:= hd(Nodes) orelse A > B],
    ok.

echo() ->
    receive
        {To, {Bin, List}} -> To ! {self(), {erlang:md5(Bin), erlang:phash2(List)}};
        {To, M} -> To ! {self(), M}
    end,
    echo().

names(Nodes) ->
    [begin
         P = spawn(A, ?MODULE, idle, []),
         yes = erpc:call(A, global, register_name, [{name, A}, P]),
         [until({global, A, B}, fun() -> erpc:call(B, global, whereis_name, [{name, A}]) =:= P end) || B <- Nodes],
         no = global:register_name({name, A}, self()),
         P ! {stop, 0},
         [until({gone, A, B}, fun() -> erpc:call(B, global, whereis_name, [{name, A}]) =:= undefined end) || B <- Nodes]
     end || A <- Nodes],
    ok.

groups(Nodes) ->
    [{ok, _} = erpc:call(A, pg, start, [cluster]) || A <- Nodes],
    [begin P = spawn(A, ?MODULE, member, [self()]), receive {P, joined} -> ok end end || A <- Nodes],
    grouped(Nodes).

member(To) ->
    ok = pg:join(cluster, group, self()),
    To ! {self(), joined},
    idle().

grouped(Nodes) ->
    [until({pg, A}, fun() ->
         lists:sort([node(P) || P <- erpc:call(A, pg, get_members, [cluster, group])]) =:= lists:sort(Nodes)
     end) || A <- Nodes],
    ok.

idle() -> receive {stop, I} -> exit({done, I}) end.

%% On each node a keeper for each other node, with processes there that it is
%% linked to and monitors. Those of even number end at once.
links(Nodes, N) ->
    K = max(4, N div 24),
    Ks = [{{A, B}, spawn(A, ?MODULE, keeper, [self(), B, K, #{}])} || {A, B} <- pairs(Nodes)],
    [receive {P, half} -> ok after 600000 -> error(timeout) end || {_, P} <- Ks],
    Ks.

%% keeper holds a map from number to pid, reference, and what came for each.
keeper(To, Node, K, _) ->
    process_flag(trap_exit, true),
    Kept = [begin
                P = spawn(Node, ?MODULE, idle, []),
                link(P),
                {I, P, monitor(process, P)}
            end || I <- lists:seq(1, K)],
    By = maps:from_list([{P, {exit, I}} || {I, P, _} <- Kept] ++ [{R, {down, I}} || {I, _, R} <- Kept]),
    [P ! {stop, I} || {I, P, _} <- Kept, I rem 2 =:= 0],
    Got = gather(By, K div 2 * 2, #{}),
    [[{done, I}] = maps:get({T, I}, Got) || {I, _, _} <- Kept, I rem 2 =:= 0, T <- [exit, down]],
    To ! {self(), half},
    keep(To, By, Kept, Got).

%% gather receives until there is something for so many keys.
gather(_, Size, Got) when map_size(Got) >= Size -> Got;
gather(By, Size, Got) ->
    receive
        {'EXIT', P, Why} -> gather(By, Size, note(By, P, Why, Got));
        {'DOWN', R, process, _, Why} -> gather(By, Size, note(By, R, Why, Got))
    end.

note(By, Key, Why, Got) ->
    K = maps:get(Key, By),
    Got#{K => [Why | maps:get(K, Got, [])]}.

keep(To, By, Kept, Got) ->
    receive
        {'EXIT', P, Why} -> keep(To, By, Kept, note(By, P, Why, Got));
        {'DOWN', R, process, _, Why} -> keep(To, By, Kept, note(By, R, Why, Got));
        stop ->
            [P ! {stop, I} || {I, P, _} <- Kept, I rem 2 =:= 1],
            keep(To, By, Kept, Got);
        {all, Reason} ->
            All = gather(By, map_size(By), Got),
            Odd = fun(I) -> if Reason =:= done -> {done, I}; true -> Reason end end,
            Wrong = [{K, Whys} || {{_, I} = K, Whys} <- maps:to_list(All),
                        Whys =/= [if I rem 2 =:= 0 -> {done, I}; true -> Odd(I) end]],
            To ! {self(), lists:sublist(Wrong, 5)},
            keep(To, By, Kept, All)
    end.

%% check has a keeper say whether each of its links and monitors got exactly what
%% it should.
check(P, Reason) ->
    P ! {all, Reason},
    receive {P, []} -> ok; {P, Wrong} -> error({wrong, P, Reason, Wrong}) after 300000 -> error({timeout, P}) end.

split([E1, E2, B1, B2] = Nodes, Keepers) ->
    Rivals = [{spawn(E2, ?MODULE, rival, [self(), [E1, B1]]), E2}, {spawn(B1, ?MODULE, rival, [self(), [E2, B2]]), B1}],
    [receive {R, watching} -> ok end || {R, _} <- Rivals],
    ask("split"),
    [until({split, A}, fun() -> erpc:call(A, erlang, nodes, []) -- [E1, B1] =:= [] end) || A <- [E1, B1]],
    [until({pg_split, A}, fun() -> length(erpc:call(A, pg, get_members, [cluster, group])) =:= 2 end) || A <- [E1, B1]],
    [check(P, noconnection) || {{A, B}, P} <- Keepers, lists:member(A, [E1, B1]), lists:member(B, [E2, B2])],
    until(rival, fun() -> node(global:whereis_name(rival)) =:= B1 end),
    B1 = rpc:call(B1, rpc, call, [E1, rpc, call, [B1, erlang, node, []]]),
    ask("heal"),
    meet(Nodes),
    grouped(Nodes),
    [check(P, noconnection) || {{A, B}, P} <- Keepers, lists:member(A, [E1, B1]) =/= lists:member(B, [E1, B1])],
    until(one_rival, fun() ->
        [W] = lists:usort([erpc:call(A, global, whereis_name, [rival]) || A <- Nodes]),
        lists:keymember(W, 1, Rivals)
    end),
    receive {R1, conflict} -> true = lists:keymember(R1, 1, Rivals) end,
    [exit(R, kill) || {R, _} <- Rivals],
    ok.

%% rival takes a name as soon as its side of the net is alone.
rival(To, Others) ->
    [monitor_node(N, true) || N <- Others],
    To ! {self(), watching},
    [receive {nodedown, N} -> ok end || N <- Others],
    until(alone, fun() -> nodes() -- Others =:= nodes() end),
    yes = global:register_name(rival, self(), fun global:random_notify_name/3),
    receive {global_name_conflict, rival} -> To ! {self(), conflict} end,
    receive after infinity -> ok end.

restart(X, Nodes) ->
    [E1, _, B1, _] = Nodes,
    Old = spawn(X, ?MODULE, idle, []),
    Ws = [spawn_monitor(A, fun() ->
              R = monitor(process, Old),
              receive {'DOWN', R, process, Old, Why} -> exit({down, Why}) end
          end) || A <- [E1, B1]],
    ask(["restart ", atom_to_list(X)]),
    [receive {'DOWN', M, process, P, {down, noconnection}} -> ok after 300000 -> error({timeout, X}) end || {P, M} <- Ws],
    meet(Nodes),
    New = spawn(X, ?MODULE, idle, []),
    true = creation(Old) =/= creation(New),
    [ok = erpc:call(A, fun() ->
         Old ! {stop, 1},
         R = monitor(process, Old),
         receive {'DOWN', R, process, Old, noproc} -> ok end,
         process_flag(trap_exit, true),
         link(Old),
         receive {'EXIT', Old, noproc} -> ok end,
         {badrpc, nodedown} =/= rpc:call(X, erlang, node, []) andalso ok
     end) || A <- [E1, B1]],
    New ! {stop, 2},
    ok.

creation(Pid) ->
    B = term_to_binary(Pid),
    binary:decode_unsigned(binary:part(B, byte_size(B), -4)).

%% Links that nothing has touched so far end as they should.
ends([E1, E2, B1, B2], Keepers) ->
    [begin P ! stop, check(P, done) end || {Pair, P} <- Keepers, Pair =:= {E1, B1} orelse Pair =:= {B1, E1}],
    [check(P, noconnection) || {{A, B}, P} <- Keepers, lists:member(A, [E1, B1]), lists:member(B, [E2, B2])],
    ok.
