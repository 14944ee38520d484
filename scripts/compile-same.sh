#!/bin/bash
# compile-same.sh COUNT [SRC]: the compiler on beamrd and real erlc must write
# the same bytes (+deterministic) for the COUNT largest sources of stdlib and
# compiler. SRC is an OTP source tree; without it Debian's erlang-src is used.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
count=$1
root=${2:-$(erl -noshell -noinput -eval 'io:format("~s",[code:root_dir()]),halt().')}
tmp=$(mktemp -d); trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/erl" "$tmp/beamrd"
lib=$(echo "$root"/lib/stdlib*); kernel=$(echo "$root"/lib/kernel*)
files=$(ls -S "$root"/lib/stdlib*/src/*.erl "$root"/lib/compiler*/src/*.erl | sed -n "1,${count}p")
[ -n "$files" ] || { echo "compile-same: no sources below $root (package erlang-src)" >&2; exit 1; }
same=0; bad=0
for f in $files; do
  flags="+deterministic -I $(dirname "$f")/../include -I $lib/include -I $kernel/include -I $(dirname "$f")"
  erlc $flags -o "$tmp/erl" "$f" 2>"$tmp/e1" || { echo "erlc itself fails: $f"; continue; }
  if ! "${BEAMRD:-$here/bin/beamrd}" erlc $flags -o "$tmp/beamrd" "$f" >"$tmp/e2" 2>&1; then
    echo "FAILED $f"; head -5 "$tmp/e2"; bad=$((bad+1)); continue
  fi
  b=$(basename "$f" .erl).beam
  if cmp -s "$tmp/erl/$b" "$tmp/beamrd/$b"; then same=$((same+1)); else echo "DIFFERS $f"; bad=$((bad+1)); fi
done
echo "compile-same: $same same, $bad differ"
[ "$bad" = 0 ]
