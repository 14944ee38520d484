#!/bin/bash
# conformance.sh OTP_SRC SHARED SELECTOR...: run OTP's suites on beamrd and
# compare with what passes on real erl.
set -euo pipefail
src=$(realpath "$1"); shared=$(realpath "$2"); shift 2
here=$(cd "$(dirname "$0")/.." && pwd)
work=$here/build/conformance; out=$work/out
mkdir -p "$work"
export OTPTEST_EBIN=$work/ebin
"$shared/conformance/bin/otptest" build --c --otp-src "$src" --work "$work/suites" --jobs 2 "$@" | tail -3
rm -rf "$out"
"$shared/conformance/bin/otptest" run --work "$work/suites" --out "$out" --jobs "${JOBS:-2}" --mode suite --retry 1 \
  --erl "$here/bin/beamrd erl" --limit "${LIMIT:-60}" "$@" >"$work/run.log" || true
tail -1 "$work/run.log"
"$shared/conformance/bin/otptest" diff "$shared/conformance/baseline/all.tsv" "$out/results.tsv" | tee "$work/diff.txt" | tail -12 || true
