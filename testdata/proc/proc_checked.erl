%% The compiler knows that pair/1 returns a pair and takes it apart while a part
%% of the message, still in the queue, is in the frame already. The loader does
%% not know it, and checks.
-module(proc_checked).
-export([main/0]).

main() -> [in_try(), in_catch(), twice()].

pair(N) when N > 0 -> {N, [N]};
pair(_) -> {0, []}.

in_try() ->
    Ref = make_ref(),
    self() ! {other, x},
    self() ! {'DOWN', Ref, process, self(), {made, here}},
    R = try
            {N, L} = pair(erlang:system_time() rem 2 + 5),
            receive
                {'DOWN', Ref, _, _, Result} ->
                    seen([N, L, Result]),
                    case Result of
                        {Tag, here} when N > 1 -> {Tag, length(L), N > 1};
                        _ -> seen([Result])
                    end
            end
        catch error:E -> {caught, E}
        end,
    garbage_collect(),
    {R, receive {other, X} -> X end}.

in_catch() ->
    Ref = make_ref(),
    self() ! {Ref, lists:seq(1, 5)},
    catch begin
              {N, L} = pair(erlang:system_time() rem 2 + 5),
              receive {Ref, Result} -> seen([N, L, Result]), {lists:sum(Result), N > 0, length(L)} end
          end.

twice() ->
    [self() ! {K, {K, "text"}} || K <- lists:seq(1, 10)],
    [in_loop(K) || K <- lists:seq(10, 1, -1)].

in_loop(K) ->
    try
        {N, L} = pair(K),
        receive {K, Result} -> seen([N, L, Result]), {Result, N, L} end
    after
        seen(K)
    end.

seen(_) -> garbage_collect().
