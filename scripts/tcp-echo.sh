#!/bin/bash
# tcp-echo.sh [RUNS [CONNECTIONS [ROUNDS [BYTES]]]]: time tcp_echo.erl on erl and
# on beamrd, run by run in turn, and print the medians and their ratio. Exits 1
# when beamrd takes more than twice erl's time.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
runs=${1:-5}; args=("${2:-1000}" "${3:-100}" "${4:-64}")
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
erlc -o "$work" "$here/scripts/tcp_echo.erl"
ulimit -n 16384 2>/dev/null || ulimit -n "$(ulimit -Hn)"
one() { # one NAME COMMAND…
    local name=$1; shift
    timeout 300 "$@" +Q 65536 -noshell -pa "$work" -run tcp_echo main "${args[@]}" </dev/null | sed "s/^/$name /" >>"$work/times"
}
for _ in $(seq "$runs"); do
    one erl ${ERL:-erl}
    one beamrd ${BEAMRD:-"$here/bin/beamrd" erl}
done
median() { awk -v n="$1" -v l="$2" '$1 == n && $2 == l { print $3 }' "$work/times" | sort -n | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }
printf '%-9s %10s %10s %7s\n' load 'erl ms' 'beamrd ms' ratio
bad=0
for load in connect passive once active; do
    a=$(median erl $load) b=$(median beamrd $load)
    awk -v l="$load" -v a="$a" -v b="$b" 'BEGIN { printf "%-9s %10.1f %10.1f %7.2f\n", l, a / 1000, b / 1000, b / a; exit b > 2 * a }' || bad=1
done
exit $bad
