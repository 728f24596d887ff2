#!/bin/sh
# Runs the C tests of a build folder under the thread sanitizer, but not those of real
# plugins: the sanitizer does not see how code that it was not built into synchronizes.
#
# usage: run_thread_tests.sh BUILD RESULTS
set -u
build=$1 results=$2
# Some versions of the sanitizer need memory where a kernel's randomization may put it.
fixed=
setarch -R true 2>/dev/null && fixed='setarch -R'
if ! message=$($fixed "$build/tests/c/test_version" 2>&1); then
  echo "SKIPPED threads: the thread sanitizer does not work here: $message"
  echo skipped >"$results/threads.check"
  exit 0
fi
exec $fixed "$(dirname "$0")/run_c_tests.sh" "$build" "$results/c-threads.tests.json" \
  --no-suite plugins
