#!/bin/sh
# Compiles the public header alone, as C99 and as C++, with every warning an error.
#
# usage: check_header.sh INCLUDE_DIRECTORY c|c++
# CC and CXX name the compilers.
set -eu
include=$1 language=$2
flags='-Wall -Wextra -Wpedantic -pedantic-errors -Werror -Wconversion'
case $language in
  c)
    compiler=${CC:-cc} flags="$flags -Wstrict-prototypes" standards='c99 c11'
    ;;
  c++)
    compiler=${CXX:-c++} flags="$flags -Wold-style-cast" standards='c++11 c++17'
    if ! echo | $compiler -x c++ -fsyntax-only - 2>/dev/null; then
      compiler=${CC:-cc}
    fi
    if ! echo | $compiler -x c++ -fsyntax-only - 2>/dev/null; then
      echo 'there is no C++ compiler (CXX names one)'
      exit 77
    fi
    ;;
esac
for standard in $standards; do
  # shellcheck disable=SC2086
  printf '#include <cyxla.h>\n#include <cyxla.h>\nint translation_unit_is_not_empty;\n' |
    $compiler $flags -std=$standard -I "$include" -x "$language" -fsyntax-only -
done
