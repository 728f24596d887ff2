#!/bin/sh
# Runs the Python tests against the development build in BUILD/python under coverage,
# the examples against the C library in BUILD/prefix, and packages that use cyxla against
# the wheel in BUILD/wheel-dist.
#
# usage: run_python_tests.sh BUILD RESULTS [PYTEST_ARGUMENT...]
set -u
build=$(realpath "$1") results=$(realpath "$2")
shift 2
plugins=$(realpath "$(dirname "$0")/coverage")
export PYTHONPATH="$build/python:$plugins" COVERAGE_FILE="$build/coverage/data"
export CYXLA_TEST_PREFIX="$build/prefix" CYXLA_TEST_WHEEL="$build/wheel-dist"
rm -rf "$build/coverage"
mkdir -p "$build/coverage"

# Nothing but the development build may be imported.
python -P -c '
import sys, cyxla
if not cyxla.__file__.startswith(sys.argv[1]):
    sys.exit(f"cyxla comes from {cyxla.__file__}, and not from {sys.argv[1]}")
' "$build/python" || exit 1

python -P -m coverage run -m pytest --junitxml="$results/python.xml" \
  -o cache_dir="$build/pytest-cache" "$@" </dev/null
status=$?
[ -f "$results/python.xml" ] || echo failed >"$results/python-tests.check"

covered=passed
python -m coverage combine --quiet || covered=failed
# Workers of multiprocessing that their pool has ended leave parts of files.
rm -f "$COVERAGE_FILE".*
python -m coverage report || covered=failed
# It would go unnoticed if a part of the Cython module were not traced.
for source in "$build"/python/cyxla/*.pyx "$build"/python/cyxla/*.pxi; do
  python -m coverage report --include="$source" --fail-under=0 >/dev/null || {
    echo "$source was not measured."
    covered=failed
  }
done
echo $covered >"$results/python-coverage.check"
echo "$(python -m coverage report --format=total --fail-under=0) % of the lines of cyxla are covered" |
  tee "$results/python-lines.coverage"
[ $covered = passed ] || status=1
exit $status
