%% Compile forms, load, call, change, purge.
-module(boot_compile).
-export([main/0]).

main() -> {forms(), versions(), purge(), errors(), literals(), onload(), eval(), same()}.

mod(M, Body) ->
    Fs = [begin {ok, Ts, _} = erl_scan:string(S), {ok, F} = erl_parse:parse_form(Ts), F end || S <- ["-module(" ++ M ++ ").", "-compile(export_all)."] ++ Body],
    {ok, Mod, Bin} = compile:forms(Fs, [deterministic, nowarn_export_all]),
    {Mod, Bin}.

load({M, B}) -> {module, M} = code:load_binary(M, "mem", B), M.

forms() ->
    M = load(mod("boot_gen1", ["f(N) when N < 2 -> 1; f(N) -> N * f(N - 1).", "g(B) -> << <<(X + 1)>> || <<X>> <= B >>.", "h(L) -> [{K, V} || #{k := K, v := V} <- L].",
        "m(#{a := X} = M) -> M#{b => X}.", "t(F) -> try F() of X -> {ok, X} catch C:R -> {C, R} after put(a, b) end.",
        "r(T) -> receive {T, X} -> X; stop -> s after 0 -> none end."])),
    self() ! {tag, 1},
    {M:f(30), M:g(<<"HAL">>), M:h([#{k => 1, v => 2}, x, #{k => 3, v => 4}]), M:m(#{a => 9}), M:t(fun() -> error(x) end), M:r(tag), M:r(tag), lists:sort(M:module_info(exports))}.

versions() ->
    Vs = [begin load(mod("boot_gen2", ["v() -> " ++ integer_to_list(I) ++ ".", "loop() -> receive {F, v} -> F ! {v, v()}, loop(); {F, new} -> F ! moved, boot_gen2:loop(); stop -> ok end." ])), code:purge(boot_gen2), boot_gen2:v() end || I <- [1, 2, 3]],
    P = spawn(boot_gen2, loop, []),
    A = ask(P), load(mod("boot_gen2", ["v() -> 4.", "loop() -> receive {F, v} -> F ! {v, v()}, loop(); stop -> ok end."])),
    B = ask(P), P ! {self(), new}, receive moved -> ok end, C = ask(P),
    {Vs, A, B, C, code:soft_purge(boot_gen2), erlang:check_process_code(P, boot_gen2), begin P ! stop, ok end}.
ask(P) -> P ! {self(), v}, receive {v, V} -> V end.

purge() ->
    Self = self(),
    load(mod("boot_gen3", ["loop(P) -> P ! up, receive stop -> ok end."])),
    {P, Mon} = spawn_monitor(boot_gen3, loop, [Self]), receive up -> ok end,
    load(mod("boot_gen3", ["loop(_) -> new."])),
    S = code:soft_purge(boot_gen3), R = code:purge(boot_gen3),
    D = receive {'DOWN', Mon, _, P, X} -> X end,
    {S, R, D, boot_gen3:loop(1), code:delete(boot_gen3), code:is_loaded(boot_gen3), catch element(1, element(2, catch boot_gen3:loop(1)))}.

errors() ->
    {code:load_binary(boot_x, "x", <<"FOR1junk">>), code:load_binary(boot_x, "x", <<>>), element(1, code:load_file(no_such_module_file)), 
     compile:forms([{attribute, 1, module, m}, {function, 1, f, 0, [{clause, 1, [], [], [{var, 1, 'X'}]}]}], [return])}.

literals() ->
    M = load(mod("boot_gen4", ["lit() -> {\"a literal list\", #{k => [1, 2, 3]}, <<\"binary literal that is longer than sixty-four bytes so that it is off heap ......\">>, 1.5, 1 bsl 100}.", "f() -> fun(X) -> {X, lit()} end."])),
    L = M:lit(), F = M:f(), P = spawn(fun() -> receive {Fr, X} -> Fr ! {lits, L, X} end end),
    R1 = F(1), code:delete(M), code:purge(M), garbage_collect(),
    P ! {self(), 5}, {L, R1, receive {lits, L2, X} -> {L2, X} end, catch element(1, element(2, catch F(2)))}.

onload() ->
    {_, B} = mod("boot_gen5", ["-on_load(init/0).", "init() -> put(onl, 1), ok.", "f() -> here."]), {_, B2} = mod("boot_gen6", ["-on_load(init/0).", "init() -> {error, no}.", "f() -> here."]),
    {code:load_binary(boot_gen5, "m", B), boot_gen5:f(), code:load_binary(boot_gen6, "m", B2), code:is_loaded(boot_gen6)}.

eval() ->
    F = fun(S) -> {ok, Ts, _} = erl_scan:string(S), {ok, Es} = erl_parse:parse_exprs(Ts), {value, V, _} = erl_eval:exprs(Es, []), V end,
    [F("lists:map(fun(X) -> X * 2 end, [1,2,3])."), F("F = fun G(0) -> 0; G(N) -> N + G(N - 1) end, F(100)."), F("[X || <<X:2>> <= <<\"abc\">>]."), F("try throw(a) catch throw:X -> {c, X} end.")].

same() ->
    Src = filename:join([code:lib_dir(stdlib), "ebin", "queue.beam"]),
    {ok, {_, [{abstract_code, AC}]}} = beam_lib:chunks(Src, [abstract_code]),
    case AC of
        {_, Fs} -> {ok, queue, B} = compile:forms(Fs, [deterministic]), {byte_size(B), erlang:md5(B)};
        no_abstract_code -> none
    end.
