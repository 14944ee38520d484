%% Loading, replacing, deleting and purging code; on_load; what code is asked.
-module(code_load).
-export([main/0]).

main() ->
    lists:foreach(
      fun({Name, F}) -> io:format("~s: ~p~n", [Name, e(F)]) end,
      [{versions, fun versions/0}, {kill, fun kill/0}, {funs, fun funs/0}, {deleted, fun deleted/0},
       {on_load, fun on_load/0}, {errors, fun errors/0}, {prepared, fun prepared/0}, {info, fun info/0},
       {chunks, fun chunks/0}, {exported, fun exported/0}, {waits, fun waits/0}]),
    halt().

e(F) ->
    try F()
    catch C:R:S -> {C, R, [setelement(3, X, args) || X <- lists:sublist(S, 1), is_list(element(3, X))]}
    end.

comp(M, Body) ->
    {ok, Ts, _} = erl_scan:string("-module(" ++ atom_to_list(M) ++ "). -compile([export_all,nowarn_export_all]). " ++ Body),
    {ok, M, Bin} = compile:forms(forms(Ts, [], []), [nowarn_unused_function]),
    Bin.

forms([{dot, _} = D | T], Acc, Fs) ->
    {ok, F} = erl_parse:parse_form(lists:reverse([D | Acc])),
    forms(T, [], [F | Fs]);
forms([X | T], Acc, Fs) -> forms(T, [X | Acc], Fs);
forms([], [], Fs) -> lists:reverse(Fs).

version(M, N) ->
    A = atom_to_list(M),
    comp(M, "f() -> " ++ integer_to_list(N) ++ ". g(X) -> fun(Y) -> {X, Y, f()} end. "
         "h() -> " ++ integer_to_list(N) ++ ", fun() -> here end. "
         "loop() -> receive {P, r} -> P ! {self(), f(), " ++ A ++ ":f()}, loop(); up -> " ++ A ++ ":loop(); stop -> ok end.").

load(M, Bin) -> code:load_binary(M, atom_to_list(M) ++ ".erl", Bin).

ask(P) -> P ! {self(), r}, receive {P, X, Y} -> {X, Y} after 60000 -> {alive, is_process_alive(P)} end.

versions() ->
    L1 = load(aa, version(aa, 1)),
    F = aa:g(7),
    P = spawn(fun() -> aa:loop() end),
    R1 = ask(P),
    L2 = load(aa, version(aa, 2)),
    R2 = [ask(P), F(9), erlang:check_old_code(aa), erlang:check_process_code(P, aa), erlang:check_process_code(self(), aa)],
    S1 = code:soft_purge(aa),
    P ! up,
    R3 = [ask(P), erlang:check_process_code(P, aa)],
    R = {L1, R1, L2, R2, S1, R3, code:soft_purge(aa), aa:f(), erlang:check_old_code(aa)},
    P ! stop,
    R.

%% Purge kills who still executes the code.
kill() ->
    load(ab, version(ab, 1)),
    {P, M} = spawn_monitor(fun() -> ab:loop() end),
    ask(P),
    L = [load(ab, version(ab, 2)), ask(P), load(ab, version(ab, 3))],
    D = receive {'DOWN', M, process, P, R} -> R after 60000 -> alive end,
    {L, D, ab:f()}.

funs() ->
    load(ac, version(ac, 1)),
    F = ac:g(1),
    H = ac:h(),
    A = [F(2), H()] ++ [erlang:fun_info(F, I) || I <- [type, module, arity, env, new_index, index]],
    load(ac, version(ac, 2)),
    code:purge(ac),
    %% The new code has the funs, but with another MD5.
    B = [e(fun() -> F(2) end), e(H), [e(fun() -> erlang:fun_info(F, I) end) || I <- [module, name, arity]]],
    load(ac, version(ac, 1)),
    C = [F(3), H()],
    {A, B, C, erlang:fun_info(fun lists:map/2), erlang:fun_to_list(fun lists:map/2),
     lists:prefix("#Fun<code_load.", erlang:fun_to_list(fun() -> F end))}.

deleted() ->
    load(ad, version(ad, 1)),
    F = fun ad:f/0,
    R = [F(), code:delete(ad), e(fun() -> ad:f() end), e(F), erlang:check_old_code(ad), erlang:module_loaded(ad),
         e(fun() -> erlang:delete_module(nosuch_module) end), code:purge(ad), erlang:check_old_code(ad)],
    load(ad, version(ad, 5)),
    {R, F(), ad:f()}.

on_load() ->
    O1 = comp(ba, "-on_load(init/0). init() -> put(x, 1), ok. f() -> ok."),
    O2 = comp(bb, "-on_load(init/0). init() -> nope. f() -> ok."),
    O3 = comp(bc, "-on_load(init/0). init() -> erlang:load_nif(\"/nosuch/lib\", 0). f() -> ok."),
    O4 = comp(bd, "-on_load(init/0). init() -> bd_nosuch:f(). f() -> ok."),
    O5 = comp(be, "-on_load(init/0). init() -> code_load_main ! loading, timer:sleep(20), ok. f() -> ok."),
    load(bb, version(bb, 1)),
    R = [load(ba, O1), ba:f(), load(bb, O2), bb:f(), load(bc, O3), e(fun() -> bc:f() end), load(bd, O4),
         erlang:module_loaded(bd)],
    Me = self(),
    register(code_load_main, Me),
    spawn_link(fun() -> Me ! {loaded, load(be, O5)} end),
    receive loading -> ok end,
    unregister(code_load_main),
    Calls = [spawn_monitor(fun() -> exit(be:f()) end) || _ <- lists:seq(1, 3)],
    {R, [receive {'DOWN', M, process, P, X} -> X end || {P, M} <- Calls], receive {loaded, L} -> L end}.

errors() ->
    A = version(aa, 1),
    [e(fun() -> load(ca, <<"FOR1garbage">>) end), e(fun() -> load(ca, A) end), e(fun() -> load(ca, <<>>) end),
     e(fun() -> erlang:load_module(foo, bar) end), e(fun() -> erlang:finish_loading([a]) end),
     e(fun() -> erlang:finish_loading(a) end), e(fun() -> erlang:prepare_loading(1, A) end),
     e(fun() -> erlang:load_nif("nolib", 0) end), e(fun() -> erlang:load_nif(1, 0) end),
     e(fun() -> erlang:check_old_code(1) end), e(fun() -> erlang:function_exported(a, b, c) end),
     e(fun() -> erlang:call_on_load_function(lists) end), e(fun() -> erlang:finish_after_on_load(lists, true) end),
     e(fun() -> erts_internal:purge_module(aa, prepare) end), e(fun() -> erlang:delete_module(1) end),
     e(fun() -> erlang:fun_info(1, env) end), e(fun() -> erlang:fun_info(fun lists:map/2, foo) end),
     e(fun() -> erlang:module_loaded("lists") end)].

prepared() ->
    P1 = erlang:prepare_loading(da, version(da, 1)),
    P2 = erlang:prepare_loading(da, version(da, 2)),
    P3 = erlang:prepare_loading(db, version(db, 3)),
    O = erlang:prepare_loading(dc, comp(dc, "-on_load(init/0). init() -> ok.")),
    A = [erlang:has_prepared_code_on_load(P1), erlang:has_prepared_code_on_load(O), erlang:finish_loading([P1, P3, P2]),
         e(fun() -> erlang:finish_loading([P1, O]) end), erlang:finish_loading([P1, P3]), da:f(), db:f(),
         e(fun() -> erlang:finish_loading([P1]) end), e(fun() -> erlang:has_prepared_code_on_load(P1) end),
         erlang:finish_loading([P2]), da:f()],
    P4 = erlang:prepare_loading(da, version(da, 4)),
    B = [erlang:finish_loading([P4]), e(fun() -> erlang:delete_module(da) end), code:purge(da), erlang:finish_loading([P4]), da:f()],
    {A, B}.

info() ->
    A = version(aa, 1),
    load(aa, A),
    {[K || {K, _} <- lists:module_info()], lists:module_info(attributes), [K || {K, _} <- lists:module_info(compile)],
     lists:module_info(md5) =:= proplists:get_value(md5, lists:module_info()),
     erts_internal:beamfile_module_md5(A) =:= code:module_md5(A), aa:module_info(md5) =:= code:module_md5(A),
     lists:sort(aa:module_info(exports)), aa:module_info(functions),
     e(fun() -> erlang:get_module_info(nosuch) end), e(fun() -> erlang:get_module_info(lists, nosuch) end),
     lists:sort(erlang:pre_loaded()), lists:member(aa, erlang:loaded()), length(zlib:module_info(nifs)) > 20}.

chunks() ->
    A = version(aa, 1),
    [byte_size(erts_internal:beamfile_chunk(A, "Code")), erts_internal:beamfile_chunk(A, "XXXX"),
     e(fun() -> erts_internal:beamfile_chunk(A, "XXX") end), e(fun() -> erts_internal:beamfile_chunk(a, "Code") end),
     erts_internal:beamfile_chunk(<<"foo">>, "Code"), erts_internal:beamfile_module_md5(<<"foo">>),
     code:get_chunk(A, "Attr") =:= element(2, hd(element(2, element(2, beam_lib:chunks(A, ["Attr"])))))].

exported() ->
    [erlang:function_exported(M, F, N) || {M, F, N} <- [{aa, f, 0}, {aa, f, 1}, {lists, map, 2}, {erlang, self, 0}, {erlang, nosuch, 0}, {nosuch, f, 0}]] ++
        [erlang:is_builtin(M, F, N) || {M, F, N} <- [{erlang, self, 0}, {lists, member, 2}, {lists, map, 2}, {a, b, -1}, {a, b, 300}]].

%% A call of a fun whose code is being purged waits for the end of the purge.
waits() ->
    load(ea, version(ea, 1)),
    F = ea:g(1),
    {P, M} = spawn_monitor(fun() -> ea:loop() end),
    ask(P),
    load(ea, version(ea, 2)),
    Ps = [spawn_monitor(fun() -> timer:sleep(N rem 3), exit(try F(N) catch C:R -> {C, is_tuple(R)} end) end) || N <- lists:seq(1, 50)],
    code:purge(ea),
    Rs = [receive {'DOWN', M1, process, P1, R} -> R end || {P1, M1} <- Ps],
    D = receive {'DOWN', M, process, P, X} -> X end,
    {D, [R || R <- Rs, R =/= {error, true}, element(1, R) =/= 1]}.
