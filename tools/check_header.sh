#!/bin/sh
# Compiles the public headers alone, as C99 and as C++, with every warning an error.
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
    compiler=${CXX:-c++} standards='c++11 c++17'
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
  for header in cyxla.h cyxla_ffi.h; do
    extra=
    # The functions in cyxla_ffi.h are C, with C's casts.
    [ "$language-$header" != c++-cyxla.h ] || extra=-Wold-style-cast
    # shellcheck disable=SC2086
    printf '#include <%s>\n#include <%s>\nint translation_unit_is_not_empty;\n' \
      $header $header |
      $compiler $flags $extra -std=$standard -I "$include" -I "$include/../src" \
        -x "$language" -fsyntax-only -
  done
done
