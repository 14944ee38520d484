%% A state machine that boot_otp drives; alone it does nothing.
-module(boot_statem).
-behaviour(gen_statem).
-export([main/0, start/0, press/2, init/1, callback_mode/0, locked/3, open/3]).

main() -> ok.
start() -> gen_statem:start_link(?MODULE, [1, 2, 3], []).
press(P, K) -> gen_statem:call(P, K).
init(Code) -> {ok, locked, {Code, Code}}.
callback_mode() -> state_functions.
locked({call, F}, K, {[K], C}) -> {next_state, open, {C, C}, [{reply, F, opened}, {state_timeout, 100000, lock}]};
locked({call, F}, K, {[K | R], C}) -> {keep_state, {R, C}, [{reply, F, {more, length(R)}}]};
locked({call, F}, _, {_, C}) -> {keep_state, {C, C}, [{reply, F, wrong}]}.
open({call, F}, M, D) -> {next_state, locked, D, [{reply, F, {went, M}}]};
open(state_timeout, lock, D) -> {next_state, locked, D}.
