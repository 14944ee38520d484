%% Receives of the evaluator, which matches messages while they are in the queue.
-module(boot_receive).
-export([main/0]).

main() ->
    [eval(E) || E <-
        ["self() ! a, self() ! {b, [1, 2, 3]}, self() ! c, receive {b, L} -> {L, receive X -> X end} end.",
         "self() ! {x, 1}, self() ! {x, 2}, self() ! {x, 3}, receive {x, N} when N > 2 -> N end.",
         "self() ! {x, y}, self() ! {x, 7}, receive {x, N} when N / 1 > 2 -> N after 0 -> none end.",
         "[self() ! {n, I} || I <- lists:seq(1, 50)], [receive {n, I} -> I end || I <- lists:seq(50, 1, -1)].",
         "self() ! #{k => \"text\"}, self() ! <<1, 2, 3>>, receive <<_, R/binary>> -> {R, receive #{k := T} -> T end} end.",
         "try self() ! q, receive Z when hd(Z) -> Z; q -> throw(got) end catch T -> T end.",
         "F = fun G(Acc) -> receive {v, V} -> G([V | Acc]) after 0 -> Acc end end, [self() ! {v, I} || I <- [1, 2]], self() ! stop, F([])."]].

eval(Text) ->
    {ok, Ts, _} = erl_scan:string(Text),
    {ok, Es} = erl_parse:parse_exprs(Ts),
    Me = self(),
    {_, Ref} = spawn_monitor(fun() -> {value, V, _} = erl_eval:exprs(Es, []), Me ! {value, V, process_info(self(), messages)} end),
    receive {'DOWN', Ref, _, _, Reason} -> ok end,
    receive {value, V, {messages, Ms}} -> {V, lists:sort(Ms)} after 0 -> {failed, Reason} end.
