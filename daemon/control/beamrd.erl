%% The part of the daemon that runs on the node. It is preloaded, and started
%% by `-s beamrd boot', which comes before what the user asks init to run.
%%
%% Regenerate beamrd.beam with `go generate ./daemon' after a change.
-module(beamrd).

%% For clients.
-export([load/2, unload/2, modules/0, stop/0]).
%% For init and the logger.
-export([boot/0, format/2, check_config/1]).
%% Native; see bif/beamrd.go.
-export([settings/0, ready/0, alive/1, stopping/0, reloaded/1, failed/1,
         store_put/1, store_delete/1, store_list/0, store_get/1, beam_info/1]).

settings() -> erlang:nif_error(undef).
ready() -> erlang:nif_error(undef).
alive(_) -> erlang:nif_error(undef).
stopping() -> erlang:nif_error(undef).
reloaded(_) -> erlang:nif_error(undef).
failed(_) -> erlang:nif_error(undef).
store_put(_) -> erlang:nif_error(undef).
store_delete(_) -> erlang:nif_error(undef).
store_list() -> erlang:nif_error(undef).
store_get(_) -> erlang:nif_error(undef).
beam_info(_) -> erlang:nif_error(undef).

%%% Start

boot() ->
    {Policy, Journal} = settings(),
    Journal andalso prefix_logs(),
    restore(Policy),
    Parent = self(),
    {_, Mon} = spawn_opt(fun() -> control(Parent) end, [monitor, {priority, high}]),
    receive
        {?MODULE, up} -> erlang:demonitor(Mon, [flush]), ok;
        {'DOWN', Mon, process, _, Reason} -> failed(text("~0p", [Reason]))
    end.

%% The process that answers the daemon's probes: while it does, processes are
%% being scheduled. Init has started everything when its boot process, which
%% runs `-s' and `-eval' too, has ended.
control(Boot) ->
    register(beamrd_daemon, self()),
    Self = self(),
    Waiter = spawn(fun() -> wait_until_started(Self, Boot) end),
    receive {Waiter, watches} -> ok end, % before Boot may end
    Loader = start_loader(),
    Boot ! {?MODULE, up},
    control_loop(Loader).

control_loop(Loader) ->
    receive
        {probe, N} -> alive(N), control_loop(Loader);
        {reload, _} -> spawn(fun reload/0), control_loop(Loader);
        {'DOWN', Loader, process, _, _} -> control_loop(start_loader());
        _ -> control_loop(Loader)
    end.

wait_until_started(Control, Boot) ->
    Mon = monitor(process, Boot),
    Control ! {self(), watches},
    receive
        {'DOWN', Mon, process, Boot, normal} -> ready();
        {'DOWN', Mon, process, Boot, _} -> ok
    end.

stop() ->
    stopping(),
    init:stop().

%%% What lasts

restore(off) -> ok;
restore(Policy) ->
    case store_list() of
        {ok, Ms} -> lists:foreach(fun(M) -> restore_one(Policy, M) end, Ms);
        {error, Text} -> bad_restore(Policy, Text)
    end.

restore_one(Policy, {M, _, _, _, _, _, _, <<>>}) ->
    case store_get(M) of
        {ok, File, Code} ->
            case code:load_binary(M, unicode:characters_to_list(File), Code) of
                {module, M} -> ok;
                {error, What} -> bad_restore(Policy, text("module ~ts cannot be restored: ~ts", [M, reason(What)]))
            end;
        {error, Text} -> bad_restore(Policy, Text)
    end;
restore_one(Policy, {M, _, _, _, _, _, _, Damage}) ->
    bad_restore(Policy, text("module ~ts cannot be restored: ~ts", [M, Damage])).

bad_restore(strict, Text) -> failed(Text);
bad_restore(lenient, Text) -> logger:error("~ts", [Text]).

%%% Loading and unloading, one request at a time

%% load([{Module, File, Code}], #{persist => boolean(), force => boolean()}).
%% File and all texts are UTF-8 binaries. All modules are loaded, or none; only
%% those with an on_load function follow one by one. Returns
%% {Generation | none, Loaded, [{Module, Error}], [Note]}.
load(Mods, Opts) -> request({load, Mods, Opts}).

%% unload([Module], #{force => boolean()}): the same.
unload(Names, Opts) -> request({unload, Names, Opts}).

request(What) ->
    Ref = monitor(process, beamrd_loader),
    beamrd_loader ! {request, self(), Ref, What},
    receive
        {Ref, {ok, Reply}} -> demonitor(Ref, [flush]), Reply;
        {Ref, {raised, C, R, S}} -> demonitor(Ref, [flush]), erlang:raise(C, R, S);
        {'DOWN', Ref, process, _, Reason} -> exit({beamrd_loader, Reason})
    end.

start_loader() ->
    {Pid, Mon} = spawn_monitor(fun loader/0),
    register(beamrd_loader, Pid),
    Mon.

loader() ->
    receive
        {request, From, Ref, What} ->
            From ! {Ref, try {ok, handle(What)} catch C:R:S -> {raised, C, R, S} end},
            loader();
        _ ->
            loader()
    end.

handle({load, Mods, Opts}) -> do_load(Mods, Opts);
handle({unload, Names, Opts}) -> do_unload(Names, Opts).

do_load(Mods, Opts) ->
    Infos = [{M, beam_info(Code)} || {M, _, Code} <- Mods],
    Checks = [fun() -> [E || {M, I} <- Infos, E <- check_file(M, I)] end,
              fun() -> [{M, <<"named more than once">>} || M <- repeated([M || {M, _, _} <- Mods])] end,
              fun() -> [E || {M, _, _} <- Mods, E <- check_sticky(M)] end,
              fun() -> [E || {M, _, _} <- Mods, E <- check_old(M, Opts)] end],
    case first_errors(Checks) of
        [] ->
            {OnLoad, Plain} = lists:partition(fun({M, _, _}) -> on_load(M, Infos) end, Mods),
            {Loaded, Errors} = load_all(Plain, OnLoad),
            keep([{M, File, md5(M, Infos), Code} || {M, File, Code} <- Mods, lists:member(M, Loaded)], Errors, Opts);
        Errors ->
            {none, [], Errors, []}
    end.

first_errors([]) -> [];
first_errors([F | Fs]) ->
    case F() of
        [] -> first_errors(Fs);
        Errors -> Errors
    end.

check_file(M, {ok, M, _, _}) -> [];
check_file(M, {ok, Other, _, _}) -> [{M, text("the file holds module ~ts: it must be named ~ts.beam", [Other, Other])}];
check_file(M, {error, Text}) -> [{M, Text}].

check_sticky(M) ->
    [{M, reason(sticky_directory)} || code:is_sticky(M)].

%% A module has room for new code when nothing runs its old code.
check_old(M, #{force := true}) -> code:purge(M), [];
check_old(M, _) ->
    case code:soft_purge(M) of
        true -> [];
        false -> [{M, text("~ts its old code; --force kills", [running(M)])}]
    end.

running(M) ->
    case [P || P <- processes(), check_process_code(P, M) =:= true] of
        [P] -> text("process ~ts still runs", [process(P)]);
        Ps -> text("processes ~ts still run", [lists:join(", ", [process(P) || P <- lists:sublist(Ps, 10)])])
    end.

process(P) ->
    case process_info(P, registered_name) of
        {registered_name, N} -> io_lib:format("~p (~ts)", [P, N]);
        _ -> io_lib:format("~p", [P])
    end.

repeated(L) -> lists:usort(L -- lists:usort(L)).

on_load(M, Infos) -> element(4, proplists:get_value(M, Infos)).

md5(M, Infos) -> element(3, proplists:get_value(M, Infos)).

load_all([], OnLoad) -> load_each(OnLoad, [], []);
load_all(Plain, OnLoad) ->
    case code:prepare_loading([{M, unicode:characters_to_list(F), C} || {M, F, C} <- Plain]) of
        {ok, Prepared} ->
            case code:finish_loading(Prepared) of
                ok -> load_each(OnLoad, [M || {M, _, _} <- Plain], []);
                {error, Es} -> {[], [{M, reason(E)} || {M, E} <- Es]}
            end;
        {error, Es} ->
            {[], [{M, reason(E)} || {M, E} <- Es]}
    end.

%% After a failure the rest is left alone.
load_each([], Loaded, Errors) -> {Loaded, lists:reverse(Errors)};
load_each([{M, _, _} | Ms], Loaded, [_ | _] = Errors) ->
    load_each(Ms, Loaded, [{M, <<"not tried">>} | Errors]);
load_each([{M, F, C} | Ms], Loaded, []) ->
    case code:load_binary(M, unicode:characters_to_list(F), C) of
        {module, M} -> load_each(Ms, [M | Loaded], []);
        {error, E} -> load_each(Ms, Loaded, [{M, reason(E)}])
    end.

keep([], Errors, _) -> {none, [], Errors, []};
keep(Rows, Errors, #{persist := false}) ->
    Names = [M || {M, _, _, _} <- Rows],
    {none, Names, Errors, [text("a restart brings back generation ~w of ~ts, which is stored", [G, M])
                           || {M, G} <- stored(), lists:member(M, Names)]};
keep(Rows, Errors, _) ->
    Names = [M || {M, _, _, _} <- Rows],
    case store_put(Rows) of
        {ok, G} -> {G, Names, Errors, []};
        {error, Text} -> {none, Names, Errors ++ [{M, text("loaded, but not stored: ~ts", [Text])} || M <- Names], []}
    end.

%% The modules in the store with their generations.
stored() ->
    try store_list() of
        {ok, Ms} -> [{M, element(7, R)} || R <- Ms, M <- [element(1, R)]];
        {error, _} -> []
    catch
        error:notsup -> []
    end.

do_unload(Names, Opts) ->
    Stored = stored(),
    Checks = [fun() -> [{M, <<"neither loaded nor stored">>}
                        || M <- Names, not erlang:module_loaded(M), not lists:keymember(M, 1, Stored)] end,
              fun() -> [E || M <- Names, E <- check_sticky(M)] end,
              fun() -> [E || M <- Names, E <- check_old(M, Opts)] end],
    case first_errors(Checks) of
        [] ->
            case [M || M <- Names, lists:keymember(M, 1, Stored)] of
                [] -> {none, Names, [], remove(Names, Opts)};
                In ->
                    case store_delete(In) of
                        {ok, G} -> {G, Names, [], remove(Names, Opts)};
                        {error, Text} -> {none, [], [{M, Text} || M <- In], []}
                    end
            end;
        Errors ->
            {none, [], Errors, []}
    end.

%% Takes code out. Processes that still run it may go on, unless forced.
remove(Names, Opts) ->
    lists:append([begin code:delete(M), gone(M, Opts) end || M <- Names]).

gone(M, #{force := true}) -> code:purge(M), [];
gone(M, _) ->
    case code:soft_purge(M) of
        true -> [];
        false -> [text("~ts the code of ~ts that was unloaded", [running(M), M])]
    end.

%% modules(): {ok, [{Module, File, Size, Digest, Seconds, Generation, State}]},
%% State one of current, other, not_loaded, and {damaged, Text}.
modules() ->
    case store_list() of
        {ok, Ms} ->
            {ok, [{M, File, Size, Digest, Time, G, state(M, MD5, Damage)}
                  || {M, File, Size, Digest, MD5, Time, G, Damage} <- Ms]};
        Error -> Error
    end.

state(M, MD5, <<>>) ->
    case erlang:module_loaded(M) andalso erlang:get_module_info(M, md5) of
        false -> not_loaded;
        MD5 -> current;
        _ -> other
    end;
state(_, _, Damage) -> {damaged, Damage}.

reason(sticky_directory) -> <<"it is part of OTP (sticky directory)">>;
reason(on_load_failure) -> <<"its on_load function failed; the node's log says more">>;
reason(not_purged) -> <<"processes still run its old code">>;
reason(badfile) -> <<"the code is refused; the node's log says why">>;
reason(Other) -> text("~0tp", [Other]).

text(Format, Args) -> unicode:characters_to_binary(io_lib:format(Format, Args)).

%%% SIGHUP

%% Reads the configuration files again, as an upgrade of a release does: the
%% applications' environments are replaced, and told what changed.
reload() ->
    reloaded(try reload_config() of
                 ok -> <<>>
             catch
                 throw:Text when is_binary(Text) -> Text;
                 C:R -> text("~0tp", [{C, R}])
             end).

reload_config() ->
    Level = application:get_env(kernel, logger_level),
    Before = application_controller:prep_config_change(),
    case application_controller:change_application_data(app_specs(), config()) of
        ok -> ok;
        {error, Reason} -> throw(text("~0tp", [Reason]))
    end,
    Changed = application_controller:config_change(Before),
    case application:get_env(kernel, logger_level) of
        {ok, New} when {ok, New} =/= Level -> ok = logger:set_primary_config(level, New);
        _ -> ok
    end,
    case Changed of
        {error, Errors} -> throw(text("~0tp", [Errors]));
        _ -> ok
    end.

app_specs() ->
    [Spec || {App, _, _} <- application:loaded_applications(), Spec <- app_spec(App)].

app_spec(App) ->
    case code:where_is_file(atom_to_list(App) ++ ".app") of
        non_existing -> [];
        File ->
            case file:consult(File) of
                {ok, [{application, App, _} = Spec]} -> [Spec];
                _ -> []
            end
    end.

%% The contents of the files of -config, the later ones before the earlier.
config() ->
    Files = case init:get_argument(config) of
                {ok, Ls} -> lists:append(Ls);
                error -> []
            end,
    lists:foldl(fun merge/2, [], [consult(F) || F <- Files]).

consult(F) ->
    Name = filename:rootname(F, ".config") ++ ".config",
    case file:consult(Name) of
        {ok, [L]} when is_list(L) -> L;
        {ok, _} -> throw(text("~ts: not one list", [Name]));
        {error, Reason} -> throw(text("~ts: ~ts", [Name, file:format_error(Reason)]))
    end.

merge(New, Old) ->
    lists:foldl(fun({App, Env}, Acc) when is_atom(App), is_list(Env) ->
                        Env0 = proplists:get_value(App, Acc, []),
                        Keys = [K || {K, _} <- Env],
                        lists:keystore(App, 1, Acc, {App, [E || {K, _} = E <- Env0, not lists:member(K, Keys)] ++ Env});
                   (File, Acc) when is_list(File) -> merge(consult(File), Acc);
                   (Other, _) -> throw(text("bad configuration ~0tp", [Other]))
                end, Old, New).

%%% The journal

%% Has the handlers that write to the terminal start each line with the
%% journal's priority.
prefix_logs() ->
    [logger:update_handler_config(Id, formatter, {?MODULE, #{inner => Formatter}})
     || #{id := Id, module := logger_std_h, formatter := Formatter, config := #{type := Type}} <- logger:get_handler_config(),
        Type =:= standard_io orelse Type =:= standard_error, element(1, Formatter) =/= ?MODULE],
    ok.

check_config(#{inner := {M, C}}) ->
    case erlang:function_exported(M, check_config, 1) of
        true -> M:check_config(C);
        false -> ok
    end;
check_config(Config) -> {error, {invalid_formatter_config, ?MODULE, Config}}.

format(#{level := Level} = Event, #{inner := {M, C}}) ->
    Prefix = [$<, $0 + priority(Level), $>],
    Lines = string:split(string:trim(M:format(Event, C), trailing, "\n"), "\n", all),
    [[Prefix, L, $\n] || L <- Lines].

priority(emergency) -> 0;
priority(alert) -> 1;
priority(critical) -> 2;
priority(error) -> 3;
priority(warning) -> 4;
priority(notice) -> 5;
priority(info) -> 6;
priority(debug) -> 7.
