#!/bin/sh
# Runs the C tests of a build folder and keeps their results for the summary.
#
# usage: run_c_tests.sh BUILD RESULT.tests.json [ARGUMENT_OF_MESON...]
set -u
build=$1 result=$2
shift 2
# No error is passed over, and what leaks is an error too.
export ASAN_OPTIONS="detect_leaks=1:halt_on_error=1:strict_string_checks=1"
export TSAN_OPTIONS="halt_on_error=1:second_deadlock_stack=1"
export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1"
meson test -C "$build" --no-rebuild --print-errorlogs "$@" </dev/null
status=$?
cp "$build/meson-logs/testlog.json" "$result" || status=1
exit $status
