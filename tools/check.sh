#!/bin/sh
# Runs one check, prints its output only if it fails, and keeps the result for the
# summary. A command that exits with 77 could not check and says why.
#
# usage: check.sh RESULTS NAME COMMAND [ARGUMENT...]
set -u
results=$1 name=$2
shift 2
mkdir -p "$results"
log="$results/$name.log"
"$@" >"$log" 2>&1 </dev/null
status=$?
case $status in
  0)
    echo passed >"$results/$name.check"
    echo "ok      $name"
    ;;
  77)
    echo skipped >"$results/$name.check"
    echo "SKIPPED $name: $(cat "$log")"
    status=0
    ;;
  *)
    cat "$log"
    echo failed >"$results/$name.check"
    echo "FAILED  $name"
    ;;
esac
exit $status
