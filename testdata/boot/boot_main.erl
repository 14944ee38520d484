%% Runs programs in a row and prints {Module, Result} of each on a line of its own.
-module(boot_main).
-export([run/1]).

run(Mods) ->
    lists:foreach(fun(M) -> io:format("~0p~n", [{M, value(M)}]) end, Mods),
    io:format("end~n"),
    halt(0).

value(M) ->
    {Pid, Ref} = spawn_monitor(fun() -> exit({result, try M:main() catch C:R:S -> {C, R, S} end}) end),
    receive {'DOWN', Ref, process, Pid, R} -> R end.
