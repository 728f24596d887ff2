#!/bin/sh
# Prints the line coverage of src/ that the C tests of a build folder reached.
#
# usage: measure_c_coverage.sh BUILD RESULT MINIMUM_PERCENT
set -u
build=$1 result=$2 minimum=$3

# Each compiler has its own reader of its coverage files.
if "${CC:-cc}" --version 2>/dev/null | grep -qi clang; then
  reader='llvm-cov gcov'
else
  reader=gcov
fi
if ! command -v "${reader%% *}" >/dev/null; then
  echo "C line coverage was NOT measured: there is no ${reader%% *}" | tee "$result"
  exit 0
fi

gcovr --root . --filter 'src/' --exclude-throw-branches --gcov-executable "$reader" \
  --object-directory "$build" --fail-under-line "$minimum" \
  --txt "$result.txt" --json-summary "$result.json" "$build"
status=$?
cat "$result.txt"
python -c '
import json, sys
summary = json.load(open(sys.argv[1]))
print("%(line_percent)s %% of %(line_total)s lines of src/ are covered" % summary)
' "$result.json" | tee "$result"
[ $status -eq 0 ] || echo "At least $minimum % are wanted."
exit $status
