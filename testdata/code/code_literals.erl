%% The literals of purged code live on in copies: in heaps, dictionaries,
%% messages, funs, sub binaries.
-module(code_literals).
-export([main/0]).

main() ->
    io:format("~p~n", [[rnd(I) || I <- lists:seq(1, 10)]]),
    halt().

expect(N) ->
    lists:duplicate(3, {N, [a, <<"a binary of some bytes">>, binary:copy(<<"x">>, 100), #{k => {N, [v, w, 1.5]}}, 1 bsl 80]}).

comp(M, N) ->
    Lit = expect(N),
    Forms = [{attribute, 1, module, M}, {attribute, 1, export, [{f, 0}, {g, 0}]},
             {function, 1, f, 0, [{clause, 1, [], [], [erl_parse:abstract(Lit)]}]},
             {function, 1, g, 0, [{clause, 1, [], [], [erl_parse:abstract({msg, N, Lit, "abc"})]}]}],
    {ok, M, Bin} = compile:forms(Forms, []),
    Bin.

holder(Ps) ->
    receive
        {keep, X} -> holder([X | Ps]);
        {get, P} -> P ! {self(), {Ps, get(d)}}, holder(Ps);
        {pd, X} -> put(d, X), holder(Ps);
        gc -> garbage_collect(), holder(Ps)
    end.

sink() -> receive {get, P} -> P ! {self(), flush([])} end.
flush(A) -> receive M -> flush([M | A]) after 0 -> A end.

rnd(N) ->
    {module, lm} = code:load_binary(lm, "lm", comp(lm, N)),
    Hs = [spawn(fun() -> holder([]) end) || _ <- lists:seq(1, 8)],
    Ss = [spawn(fun() -> receive go -> sink() end end) || _ <- lists:seq(1, 4)],
    [begin H ! {keep, lm:f()}, H ! {keep, {sub, hd(lm:f())}}, H ! {pd, lm:g()}, H ! gc end || H <- Hs],
    [begin S ! lm:g(), S ! {w, [lm:f() | x]} end || S <- Ss],
    Mine = lm:f(),
    {_, [_, Bin | _]} = hd(Mine),
    <<_:16, Sub/binary>> = Bin,
    <<_:3, Sub2/bits>> = lists:nth(3, element(2, hd(Mine))),
    Fun = fun() -> {Mine, Sub} end,
    T = ets:new(tt, [public]),
    ets:insert(T, {k, lm:g()}),
    true = code:delete(lm),
    false = code:purge(lm),
    [spawn(fun() -> exit({r, id(Mine)}) end) || _ <- lists:seq(1, 5)],
    [wait_idle() || _ <- [1, 2, 3]],
    Exp = expect(N),
    Exp = Mine,
    {Exp, Sub} = Fun(),
    <<"binary of some bytes">> = Sub,
    <<_:5, _/binary>> = Sub2,
    [begin H ! {get, self()}, receive {H, R} -> {[{sub, E1}, Exp], {msg, N, Exp, "abc"}} = R, E1 = hd(Exp) end end || H <- Hs],
    [begin S ! go, S ! {get, self()}, receive {S, R} -> [{w, [Exp | x]}, {msg, N, Exp, "abc"}] = R end end || S <- Ss],
    [{k, {msg, N, Exp, "abc"}}] = ets:lookup(T, k),
    garbage_collect(),
    Exp = Mine,
    [exit(H, kill) || H <- Hs],
    N.

id(X) -> X.

wait_idle() ->
    R = make_ref(),
    [C] = [P || P <- processes(), process_info(P, initial_call) =:= {initial_call, {erts_literal_area_collector, start, 0}}],
    C ! {get_status, R, self()},
    receive
        {R, idle} -> ok;
        {R, _} -> timer:sleep(5), wait_idle()
    after 60000 -> error(C)
    end.
