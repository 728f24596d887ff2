#!/bin/sh
# Prints the line coverage of src/ that the C tests of a build folder reached.
#
# usage: measure_c_coverage.sh BUILD RESULTS MINIMUM_PERCENT
set -u
build=$1 results=$2 minimum=$3
line="$results/c-lines.coverage" check="$results/c-coverage.check"

# Each compiler has its own reader of its coverage files.
if "${CC:-cc}" --version 2>/dev/null | grep -qi clang; then
  reader='llvm-cov gcov'
else
  reader=gcov
fi
if ! command -v "${reader%% *}" >/dev/null; then
  echo "C line coverage was NOT measured: there is no ${reader%% *}" | tee "$line"
  echo skipped >"$check"
  exit 0
fi

gcovr --root . --filter 'src/' --gcov-executable "$reader" \
  --object-directory "$build" --fail-under-line "$minimum" \
  --txt "$build/coverage.txt" --json-summary "$build/coverage.json" "$build"
status=$?
cat "$build/coverage.txt"
python -c '
import json, sys
summary = json.load(open(sys.argv[1]))
print("%(line_percent)s %% of %(line_total)s lines of src/ are covered" % summary)
' "$build/coverage.json" | tee "$line"
if [ $status -eq 0 ]; then
  echo passed >"$check"
else
  echo "At least $minimum % are wanted."
  echo failed >"$check"
fi
exit $status
