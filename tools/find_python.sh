#!/bin/sh
# Prints the path of the newest Python that can build and test cyxla, or tells what
# every candidate lacks and exits with 1. A name on PATH may be a shim that starts
# nothing, so each candidate is run and asked.
#
# usage: find_python.sh [PYTHON]      with PYTHON, that one is the only candidate
set -u
probe=$(dirname "$0")/probe_python.py
versions='3.14 3.13 3.12 3.11'

# A virtual environment is no base for another one: its own Python is the better one.
candidate_directories() {
  printf '%s\n' "$PATH" | tr ':' '\n'
  for root in "${PYENV_ROOT:-}" "${HOME:-}/.pyenv"; do
    for directory in "$root"/versions/*/bin; do
      printf '%s\n' "$directory"
    done
  done
  printf '%s\n' /usr/local/bin /usr/bin /opt/python*/bin
}

candidates() {
  for version in $versions; do
    candidate_directories | while read -r directory; do
      printf '%s\n' "$directory/python$version"
    done
  done
  candidate_directories | while read -r directory; do
    printf '%s\n' "$directory/python3"
  done
}

if [ $# -gt 0 ] && [ -n "$1" ]; then
  list=$(command -v "$1" || printf '%s' "$1")
else
  list=$(candidates | awk '!seen[$0]++')
fi

best='' best_minor=0 best_patch=0 reasons=''
newline='
'
IFS=$newline
for candidate in $list; do
  [ -x "$candidate" ] && [ ! -d "$candidate" ] || continue
  case $candidate in "${VIRTUAL_ENV:-/nowhere}"/*) continue ;; esac
  if answer=$("$candidate" -I "$probe" 2>/dev/null </dev/null); then
    version=${answer#fits }
    version=${version%% *}
    minor=${version#3.}
    patch=${minor#*.}
    minor=${minor%%.*}
    if [ "$minor" -gt "$best_minor" ] ||
      { [ "$minor" -eq "$best_minor" ] && [ "$patch" -gt "$best_patch" ]; }; then
      best=${answer#fits "$version" } best_minor=$minor best_patch=$patch
    fi
  else
    reasons="$reasons  $candidate ${answer:-does not start}$newline"
  fi
done

if [ -z "$best" ]; then
  {
    echo 'No Python was found that fits. Needed is CPython 3.11 to 3.14 with the'
    echo 'modules venv and ensurepip and with its C headers (on Debian: apt-get install'
    echo 'python3 python3-venv python3-dev). Name one with: make PYTHON=/path/to/python3'
    if [ -n "$reasons" ]; then
      echo 'What was found:'
      printf '%s' "$reasons"
    elif [ $# -gt 0 ] && [ -n "$1" ]; then
      echo "There is no program $1."
    fi
  } >&2
  exit 1
fi
printf '%s\n' "$best"
