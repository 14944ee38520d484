%% Processes that are killed while they do each kind of thing: all end, those
%% who watch are told once, names and tables are free again, nothing hangs.
-module(boot_kill).
-export([main/0, sleeper/0]).

main() -> [{Name, killed(F)} || {Name, F} <- states()].

states() ->
    [{running, fun(Up) -> Up(), spin(0) end},
     {waiting, fun(Up) -> Up(), receive never -> ok end end},
     {timeout, fun(Up) -> Up(), receive never -> ok after 100000 -> ok end end},
     {selective, fun(Up) -> [self() ! X || X <- lists:seq(1, 1000)], Up(), receive never -> ok end end},
     {collecting, fun(Up) -> Up(), garbage([]) end},
     {growing, fun(Up) -> Up(), grow() end},
     {hibernating, fun(Up) -> Up(), erlang:hibernate(?MODULE, sleeper, []) end},
     {suspended, fun(Up) -> Up(), spin(0) end},
     {named, fun(Up) -> register(boot_kill_name, self()), Up(), receive never -> ok end end},
     {trapping_exit, fun(Up) -> process_flag(trap_exit, true), Up(), flood() end},
     {reverse, fun(Up) -> L = lists:seq(1, 300000), Up(), again(fun() -> lists:reverse(L) end) end},
     {to_binary, fun(Up) -> L = lists:seq(1, 300000), Up(), again(fun() -> term_to_binary(L) end) end},
     {to_term, fun(Up) -> B = term_to_binary(lists:seq(1, 300000)), Up(), again(fun() -> binary_to_term(B) end) end},
     {deflate, fun(Up) -> L = lists:seq(1, 100000), Up(), again(fun() -> term_to_binary(L, [compressed]) end) end},
     {iolist, fun(Up) -> L = lists:duplicate(300000, $a), Up(), again(fun() -> iolist_to_binary(L) end) end},
     {matches, fun(Up) -> B = binary:copy(<<"ab">>, 300000), Up(), again(fun() -> binary:matches(B, <<"ba">>) end) end},
     {regexp, fun(Up) -> S = lists:duplicate(30, $a), Up(), again(fun() -> re:run(S, "^(a+)+$|(a+)+b") end) end},
     {hash, fun(Up) -> L = lists:seq(1, 300000), Up(), again(fun() -> erlang:phash2(L) end) end},
     {bignum, fun(Up) -> B = 1 bsl 100000, Up(), again(fun() -> B * B div (B + 1) end) end},
     {maps, fun(Up) -> L = [{I, I} || I <- lists:seq(1, 100000)], Up(), again(fun() -> maps:keys(maps:from_list(L)) end) end},
     {chars, fun(Up) -> L = lists:duplicate(300000, 1000), Up(), again(fun() -> unicode:characters_to_binary(L) end) end},
     {select, fun(Up) -> T = table(20000), Up(), again(fun() -> ets:select_count(T, [{{'$1', '_'}, [{'<', '$1', 0}], [true]}]) end) end},
     {owner, fun(Up) -> [table(2000) || _ <- lists:seq(1, 20)], Up(), receive never -> ok end end},
     {fixing, fun(Up) -> T = table(100), ets:safe_fixtable(T, true), ets:delete(T, 5), Up(), receive never -> ok end end},
     {spawning, fun(Up) -> Up(), again(fun() -> spawn(fun() -> ok end) end) end},
     {timers, fun(Up) -> [erlang:send_after(1000000, self(), x) || _ <- lists:seq(1, 1000)], Up(), receive never -> ok end end},
     {port, fun(Up) -> open_port({spawn, "cat"}, []), Up(), receive never -> ok end end},
     {files, fun(Up) -> Up(), again(fun() -> file:read_file(code:which(lists)) end) end},
     {lists_dir, fun(Up) -> Up(), again(fun() -> file:list_dir(code:root_dir()) end) end},
     {loading, fun(Up) -> {ok, B} = file:read_file(code:which(?MODULE)), Up(), again(fun() -> erlang:prepare_loading(?MODULE, B) end) end},
     {collecting_another, fun(Up) -> P = spawn_link(fun() -> spin(0) end), Up(), again(fun() -> garbage_collect(P) end) end},
     {info, fun(Up) -> P = spawn_link(fun() -> spin(0) end), Up(), again(fun() -> process_info(P, [messages, links]) end) end},
     {sending, fun(Up) -> P = spawn_link(fun() -> swallow() end), Up(), again(fun() -> P ! lists:seq(1, 1000) end) end},
     {calling, fun(Up) -> P = spawn_link(fun() -> receive never -> ok end end), Up(), gen_server:call(P, x, infinity) end},
     {linked, fun(Up) -> [spawn_link(fun() -> receive never -> ok end end) || _ <- lists:seq(1, 1000)], Up(), receive never -> ok end end},
     {exiting, fun(Up) -> [table(2000) || _ <- lists:seq(1, 20)], Up(), exit(kill_me) end},
     {literal, fun(Up) -> persistent_term:put(?MODULE, lists:seq(1, 1000)), Up(), again(fun() -> persistent_term:put(?MODULE, make_ref()) end) end}].

%% killed/1 starts a process, lets it get there, kills it, and tells what is seen.
killed(F) ->
    Self = self(),
    process_flag(trap_exit, true),
    Ref = make_ref(),
    P = spawn_link(fun() -> F(fun() -> Self ! {up, Ref} end) end),
    M = monitor(process, P),
    receive {up, Ref} -> ok end,
    erlang:yield(),
    Suspended = suspend(P, F),
    exit(P, kill),
    Down = receive {'DOWN', M, process, P, R} -> why(R) end,
    Exit = receive {'EXIT', P, R1} -> why(R1) end,
    {Down, Exit, Suspended, is_process_alive(P), process_info(P), exit(P, kill), link_error(P),
     whereis(boot_kill_name), owned(P), more(P)}.

why(kill_me) -> killed; % the process ended by itself first
why(R) -> R.

%% Only the process of the state "suspended" is; it is told by the fun's name.
suspend(P, F) ->
    {suspended, S} = lists:keyfind(suspended, 1, states()),
    case erlang:fun_info(S, name) =:= erlang:fun_info(F, name) of
        true -> erlang:suspend_process(P);
        false -> false
    end.

link_error(P) ->
    link(P),
    receive {'EXIT', P, R} -> R end.

%% Tables of the dead, which may be deleted a little later than DOWN comes.
owned(P) ->
    case [T || T <- ets:all(), ets:info(T, owner) =:= P] of
        [] -> none;
        _ -> erlang:yield(), owned(P)
    end.

more(P) ->
    receive
        {'EXIT', P, _} = X -> X;
        {'DOWN', _, _, P, _} = X -> X
    after 0 -> nothing
    end.

table(N) ->
    T = ets:new(t, [public]),
    ets:insert(T, [{I, I} || I <- lists:seq(1, N)]),
    T.

spin(N) -> spin(N + 1).

garbage(L) when length(L) > 1000 -> garbage([]);
garbage(L) -> garbage([list_to_tuple(lists:seq(1, 100)) | L]).

grow() -> grow([], 0).
grow(_, 2000000) -> grow();
grow(L, N) -> grow([N | L], N + 1).

flood() -> self() ! x, receive x -> flood() end.

again(F) -> F(), again(F).

swallow() -> receive _ -> swallow() end.

sleeper() -> sleeper().
