#!/bin/sh
# Builds a program against an installation of the C library that was moved elsewhere,
# with pkg-config and with CMake, and runs it on a file that Python saved.
#
# usage: run.sh PREFIX WORK_FOLDER
# PYTHONPATH names where cyxla is, for the python on PATH.
set -eux
here=$(cd "$(dirname "$0")" && pwd)
prefix=$1 work=$2
rm -rf "$work"
mkdir -p "$work"
work=$(cd "$work" && pwd)
moved="$work/moved prefix"
cp -R "$prefix" "$moved"
CYXLA_CACHE_DIR=none python "$here/save_function.py" "$work/scale.cyxla"
cd "$work"

# Neither Python nor a C++ library comes along.
check_needs() {
  if ldd "$1" | grep -E 'libpython|libstdc\+\+|libc\+\+|not found'; then
    exit 1
  fi
}

export PKG_CONFIG_PATH="$moved/lib/pkgconfig"
version=$(pkg-config --modversion cyxla)
# The paths that pkg-config prints are quoted for the shell.
eval set -- "$(pkg-config --cflags cyxla)" \
  "-I$(pkg-config --variable=abi_includedir cyxla)"
${CC:-cc} -std=c99 "$@" "-DEXPECTED_VERSION=\"$version\"" -c "$here/program.c"

eval set -- "$(pkg-config --libs cyxla)"
${CC:-cc} -o with_shared program.o "$@" "-Wl,-rpath,$moved/lib"
check_needs ./with_shared
./with_shared scale.cyxla

# Without the shared library beside it, the linker takes the static one.
rm "$moved"/lib/libcyxla.so*
eval set -- "$(pkg-config --libs --static cyxla)"
${CC:-cc} -o with_static program.o "$@"
check_needs ./with_static
./with_static scale.cyxla

cp -R "$prefix"/lib/libcyxla.so* "$moved/lib/"
cmake -S "$here" -B cmake -DCMAKE_PREFIX_PATH="$moved" -DCMAKE_C_COMPILER="${CC:-cc}"
cmake --build cmake
for kind in cyxla cyxla_static; do
  check_needs "cmake/with_$kind"
  "cmake/with_$kind" scale.cyxla
done
ldd cmake/with_cyxla | grep -q libcyxla.so
! ldd cmake/with_cyxla_static | grep -q libcyxla.so
