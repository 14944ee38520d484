%% gen_server, supervisor, gen_statem, gen_event, proc_lib, application.
-module(boot_otp).
-behaviour(gen_server).
-export([main/0, init/1, handle_call/3, handle_cast/2, handle_info/2, terminate/2, code_change/3, start/1, format_status/1]).

main() ->
    process_flag(trap_exit, true),
    logger:set_primary_config(level, none),
    R = {server(), sup(), strategies(), event(), statem(), proclib(), names(), sys(), app()},
    logger:set_primary_config(level, notice),
    R.

start(Arg) -> gen_server:start_link(?MODULE, Arg, []).
init({sup, Spec}) -> {ok, Spec};
init({fail, R}) -> {stop, R};
init(ignore) -> ignore;
init(S) -> {ok, S}.
handle_call({add, N}, _, S) -> {reply, S + N, S + N};
handle_call(slow, From, S) -> spawn(fun() -> gen_server:reply(From, {slow, S}) end), {noreply, S};
handle_call(crash, _, _) -> error(crashed);
handle_call(stop, _, S) -> {stop, normal, bye, S};
handle_call(cont, _, S) -> {reply, S, S, 1}.
handle_cast(N, S) -> {noreply, S + N}.
handle_info(timeout, S) -> hd(get('$ancestors')) ! timed_out, {noreply, S + 1000};
handle_info({From, get}, S) -> From ! {state, S}, {noreply, S}.
terminate(R, S) when is_pid(S) -> S ! {terminated, R};
terminate(_, _) -> ok.
code_change(_, S, X) -> {ok, {S, X}}.
format_status(S) -> S.

server() ->
    {ok, P} = start(1),
    A = gen_server:call(P, {add, 5}), gen_server:cast(P, 10), B = gen_server:call(P, slow),
    C = gen_server:call(P, cont), receive timed_out -> ok end, P ! {self(), get}, D = receive {state, S} -> S end,
    E = (catch gen_server:call(P, crash)), X = receive {'EXIT', P, {R, _}} -> R end,
    {ok, Q} = start(0),
    F = gen_server:call(Q, stop), Y = receive {'EXIT', Q, R2} -> R2 end,
    {A, B, C, D, element(1, E), element(1, element(1, element(2, E))), X, F, Y, start(ignore), start({fail, why}), failed(),
     element(1, element(2, catch gen_server:call(Q, x)))}.

%% A server acknowledges before it exits: its 'EXIT' message may come after the answer of start.
failed() -> receive {'EXIT', _, normal} -> failed(); {'EXIT', _, R} -> R end.

flush() -> receive {'EXIT', _, _} -> flush() after 0 -> ok end.

spec(Id, Restart) -> #{id => Id, start => {?MODULE, start, [0]}, restart => Restart}.

sup() ->
    {ok, S} = supervisor:start_link(?MODULE, {sup, {#{strategy => one_for_one, intensity => 3, period => 3600}, [spec(a, permanent), spec(b, transient), spec(c, temporary)]}}),
    Ids = [Id || {Id, _, _, _} <- supervisor:which_children(S)],
    kill(S, a), kill(S, c),
    Ids2 = [Id || {Id, P, _, _} <- supervisor:which_children(S), is_pid(P)],
    {ok, _} = supervisor:start_child(S, spec(d, permanent)),
    E = supervisor:start_child(S, spec(a, permanent)),
    N = supervisor:count_children(S),
    [kill(S, a) || _ <- [1, 2, 3]],
    R = receive {'EXIT', S, X} -> X end,
    {Ids, Ids2, element(1, element(2, E)), N, R}.

kill(S, Id) ->
    case lists:keyfind(Id, 1, supervisor:which_children(S)) of
        {_, P, _, _} -> M = monitor(process, P), exit(P, kill), receive {'DOWN', M, _, _, _} -> ok end, noticed(S, Id, P);
        false -> ok
    end.

%% The supervisor may hear of the exit later than this process.
noticed(S, Id, P) ->
    case catch lists:keyfind(Id, 1, supervisor:which_children(S)) of
        {_, P, _, _} -> timer:sleep(1), noticed(S, Id, P);
        _ -> ok
    end.

strategies() ->
    [begin
        {ok, S} = supervisor:start_link(?MODULE, {sup, {#{strategy => St, intensity => 5, period => 1000}, [spec(I, permanent) || I <- [a, b, c]]}}),
        Before = supervisor:which_children(S),
        kill(S, b),
        After = supervisor:which_children(S),
        Same = [{Id, P =:= element(2, lists:keyfind(Id, 1, Before))} || {Id, P, _, _} <- After],
        unlink(S), M = monitor(process, S), exit(S, shutdown), {St, Same, receive {'DOWN', M, _, _, R} -> R end}
     end || St <- [one_for_one, one_for_all, rest_for_one]].

event() ->
    {ok, P} = gen_event:start_link(),
    R = {gen_event:which_handlers(P), gen_event:add_handler(P, no_such_handler_mod, x) =/= ok, gen_event:sync_notify(P, hello)},
    gen_event:stop(P), receive {'EXIT', P, normal} -> ok end, R.

statem() ->
    {ok, P} = boot_statem:start(), 
    R = [boot_statem:press(P, K) || K <- [1, 2, 9, 1, 2, 3, go]],
    gen_statem:stop(P), receive {'EXIT', P, normal} -> ok end,
    R.

proclib() ->
    Self = self(),
    {ok, P, Info} = proc_lib:start_link(erlang, apply, [fun() -> proc_lib:init_ack(Self, {ok, self(), get('$ancestors') =:= [Self]}), receive x -> ok end end, []]),
    P ! x, receive {'EXIT', P, R} -> {Info, R, proc_lib:translate_initial_call(P) =/= x} end.

names() ->
    {ok, P} = gen_server:start_link({local, boot_srv}, ?MODULE, 3, []),
    {error, {already_started, P}} = gen_server:start_link({local, boot_srv}, ?MODULE, 3, []),
    {ok, G} = gen_server:start_link({global, boot_glob}, ?MODULE, 4, []),
    {ok, V} = gen_server:start_link({via, global, boot_via}, ?MODULE, 5, []),
    R = {gen_server:call(boot_srv, {add, 1}), gen_server:call({global, boot_glob}, {add, 1}), gen_server:call({via, global, boot_via}, {add, 1})},
    [gen_server:stop(X) || X <- [P, G, V]], flush(), R.

sys() ->
    {ok, P} = start(7),
    A = sys:get_state(P), B = sys:replace_state(P, fun(X) -> X * 2 end), sys:suspend(P), 
    C = sys:change_code(P, ?MODULE, vsn, extra), sys:resume(P), D = sys:get_state(P),
    gen_server:stop(P), flush(), {A, B, C, D}.

app() ->
    ok = application:load({application, boot_app, [{description, "d"}, {vsn, "1"}, {modules, []}, {registered, []}, {applications, [kernel, stdlib]}, {env, [{k, v}]}]}),
    ok = application:start(boot_app),
    R = {application:get_env(boot_app, k), lists:keymember(boot_app, 1, application:which_applications()), application:start(no_such_app)},
    application:stop(boot_app), application:unload(boot_app), R.
