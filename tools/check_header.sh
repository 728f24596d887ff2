#!/bin/sh
# Compiles the public header alone, as C99 and as C++, with every warning an error.
#
# usage: check_header.sh INCLUDE_DIRECTORY c|c++
# CC and CXX name the compilers.
set -eu
include=$1 language=$2
flags='-Wall -Wextra -Wpedantic -pedantic-errors -Werror -Wconversion'
case $language in
  c) compiler=${CC:-cc} flags="$flags -Wstrict-prototypes" standards='c99 c11' ;;
  c++) compiler=${CXX:-c++} flags="$flags -Wold-style-cast" standards='c++11 c++17' ;;
esac
for standard in $standards; do
  # shellcheck disable=SC2086
  printf '#include <cyxla.h>\n#include <cyxla.h>\nint translation_unit_is_not_empty;\n' |
    $compiler $flags -std=$standard -I "$include" -x "$language" -fsyntax-only -
done
