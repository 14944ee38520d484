%% Runs one fixture: the same code on the oracle and here.
-module(fixture_main).
-export([report/1, oracle/1, bench/2]).

report(M) ->
    R = eval(M),
    fixture:result(R),
    done.

eval(M) ->
    try {ok, M:main()}
    catch C:R:S -> {C, R, S}
    end.

%% On real erl: one line for each fixture.
oracle(Ms) ->
    lists:foreach(
      fun(M) ->
              persistent_term:put(fixture, M),
              {P, Ref} = spawn_monitor(?MODULE, report, [M]),
              receive
                  {'DOWN', Ref, process, P, _} -> ok
              after 30000 ->
                  exit(P, kill)
              end
      end, Ms),
    halt(0).

%% A program of the benchmark set: its work without its report.
bench(M, N) ->
    A = try M:setup(N) catch error:undef -> N end,
    fixture:result(started),
    M:bench(A),
    fixture:result(done),
    done.
