#!/bin/sh
# Install what is missing: Erlang/OTP from the distribution's packages.
set -eu
command -v go >/dev/null || { echo "setup: Go is not on PATH" >&2; exit 1; }
need=""
command -v erl  >/dev/null || need="$need erlang-nox"
command -v erlc >/dev/null || need="$need erlang-dev"
root=$(command -v erl >/dev/null && erl -noshell -noinput -eval 'io:format("~s",[code:root_dir()]),halt().' 2>/dev/null || echo /usr/lib/erlang)
ls -d "$root"/lib/eunit-* >/dev/null 2>&1 || need="$need erlang-eunit"
ls -d "$root"/lib/common_test-* >/dev/null 2>&1 || need="$need erlang-common-test"
ls -d "$root"/lib/stdlib-*/src/lists.erl >/dev/null 2>&1 || need="$need erlang-src"
command -v python3 >/dev/null || need="$need python3"
command -v systemd-analyze >/dev/null || need="$need systemd"
[ -z "$need" ] && exit 0
command -v apt-get >/dev/null || { echo "setup: please install:$need" >&2; exit 1; }
sudo=""; [ "$(id -u)" = 0 ] || sudo=sudo
echo "setup: installing$need"
$sudo apt-get update -qq
DEBIAN_FRONTEND=noninteractive $sudo apt-get install -y -qq --no-install-recommends $need >/dev/null
