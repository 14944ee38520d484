%% Options of error/3, and receives after one that failed or that many
%% references were made in.
-module(basic_options).
-export([main/0]).

main() -> [options(), args(), bad_timeout(), markers(40)].

raised(F) -> try F() catch C:R:S -> [{M, N, A, I} | _] = S, {C, R, M, N, A, lists_key(error_info, I)} end.

lists_key(K, [{K, V} | _]) -> V;
lists_key(K, [_ | T]) -> lists_key(K, T);
lists_key(_, []) -> none.

options() ->
    [raised(fun() -> error(r, [x], O) end)
     || O <- [[], [{error_info, not_map}], [{bad, tuple}], [bad], bad, [{error_info, #{}}, bad],
              [bad, {error_info, #{a => 1}}], [{error_info, #{a => 1}} | tail],
              [{error_info, #{a => 1}}, {error_info, #{b => 1}}], [{error_info, #{a => 1}}, {error_info, x}]]].

args() ->
    [{raised(fun() -> error(r, A) end), raised(fun() -> error(r, A, []) end),
      raised(fun() -> error(r, A, [{error_info, #{a => 1}}]) end)} || A <- [[], none, [a | b], foo, {x}]].

%% The receive that follows sees all messages.
bad_timeout() ->
    [begin
         self() ! {first, T},
         self() ! {second, T},
         R = try receive never -> ok after T -> late end catch C:E -> {C, E} end,
         {R, receive {first, T} -> 1 end, receive {second, T} -> 2 end}
     end || T <- [blupp, -1, 1.5, 1 bsl 32, 1 bsl 70]].

%% More receives for a reference of its own, one in another, than there are
%% markers.
markers(0) -> [];
markers(N) ->
    R = make_ref(),
    self() ! {other, N},
    self() ! {R, N},
    T = markers(N - 1),
    V = receive {R, X} -> X end,
    receive {other, N} -> [V | T] end.
