#!/bin/sh
# Runs one check, prints its output only if it fails, and keeps the result for the
# summary.
#
# usage: check.sh RESULTS NAME COMMAND [ARGUMENT...]
set -u
results=$1 name=$2
shift 2
mkdir -p "$results"
log="$results/$name.log"
if "$@" >"$log" 2>&1 </dev/null; then
  echo passed >"$results/$name.check"
  echo "ok      $name"
else
  status=$?
  cat "$log"
  echo failed >"$results/$name.check"
  echo "FAILED  $name"
  exit $status
fi
