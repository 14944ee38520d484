#!/bin/sh
# Boot the installed OTP on beamrd and run a module compiled on the spot.
set -eu
cd "$(dirname "$0")/.."
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
cat >"$tmp/hello.erl" <<'ERL'
-module(hello).
-export([main/0]).
main() ->
    Self = self(),
    Pids = [spawn_link(fun() -> Self ! {self(), N * N} end) || N <- lists:seq(1, 5)],
    [receive {P, R} -> R end || P <- Pids].
ERL
bin/beamrd erl -noshell -eval 'io:format("~s ~p~n",[erlang:system_info(otp_release), [A || {A,_,_} <- application:which_applications()]]), halt().'
erlc -o "$tmp" "$tmp/hello.erl"
bin/beamrd run "$tmp/hello.beam"
