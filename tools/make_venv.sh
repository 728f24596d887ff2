#!/bin/sh
# Makes the virtual environment that everything runs in, or brings it up to date.
#
# usage: make_venv.sh VENV REQUIREMENTS [PYTHON]
#
# VENV/base-python holds the interpreter that it was made with. The environment is
# made anew where another one is asked for, or where that one no longer starts.
set -eu
venv=$1 requirements=$2 wanted=${3:-}
tools=$(dirname "$0")

keep=no
if "$venv/bin/python" -c '' 2>/dev/null && [ -f "$venv/base-python" ]; then
  if [ -z "$wanted" ] || [ "$wanted" = "$(cat "$venv/base-python")" ]; then
    keep=yes
  fi
fi
if [ $keep = no ]; then
  python=$("$tools/find_python.sh" "$wanted")
  echo "Making $venv with $python"
  rm -rf "$venv"
  "$python" -I -m venv "$venv"
fi
echo "Installing $requirements into $venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check \
  --upgrade-strategy only-if-needed --requirement "$requirements"
if [ $keep = no ]; then
  printf '%s\n' "${wanted:-$python}" > "$venv/base-python"
fi
