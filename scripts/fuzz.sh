#!/bin/bash
# fuzz.sh TIME: run every fuzz target of the module for TIME.
set -euo pipefail
cd "$(dirname "$0")/.."
for f in $(grep -rl --include='*_test.go' '^func Fuzz' .); do
  pkg=$(dirname "$f")
  for t in $(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$f"); do
    echo "== $pkg $t"
    go test -tags invariants "$pkg" -run '^$' -fuzz "^$t\$" -fuzztime "$1"
  done
done
