#!/bin/sh
# Runs fuzz targets of a build folder, each for a time: on the corpus that is kept in
# tests/fuzz/corpus, and on what comes of it. Inputs that libFuzzer finds to lead to new
# places are left in BUILD/corpus; inputs that crash, in BUILD/found.
#
# usage: run_fuzz.sh BUILD SECONDS [TARGET...]
set -u
build=$1 seconds=$2
shift 2
source=$(cd "$(dirname "$0")/.." && pwd)
export ASAN_OPTIONS="detect_leaks=1:halt_on_error=1:strict_string_checks=1"
export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1"
if [ $# -eq 0 ]; then
  for corpus in "$source"/tests/fuzz/corpus/*/; do
    set -- "$@" "$(basename "$corpus")"
  done
fi
status=0
for target; do
  mkdir -p "$build/found" "$build/corpus/$target"
  log="$build/found/$target.log"
  echo "$target: $seconds s"
  if "$build/tests/fuzz/fuzz_$target" "-max_total_time=$seconds" -timeout=60 \
    "-artifact_prefix=$build/found/$target-" "$build/corpus/$target" \
    "$source/tests/fuzz/corpus/$target" >"$log" 2>&1 </dev/null; then
    tail -n 1 "$log"
  else
    tail -n 50 "$log"
    echo "FAILED $target: the whole log is $log"
    status=1
  fi
done
exit $status
