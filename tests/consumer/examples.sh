#!/bin/sh
# Installs a build into a temporary prefix, compiles every example against it with the C compiler and, where there is
# one, with the C++ compiler, and runs it.
# usage: examples.sh BUILD_DIR CMAKE CC LIBDIR SOURCE_DIR
set -eu
build=$1 cmake=$2 cc=$3 libdir=$4 source=$5

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
prefix=$tmp/prefix
"$cmake" --install "$build" --prefix "$prefix" >"$tmp/install.log" || { cat "$tmp/install.log"; exit 1; }
PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
export PKG_CONFIG_PATH
ln -s "$source/models" "$tmp/models"
cd "$tmp"

run()  # name, compiler and its options: compile, run
{
    name=$1
    shift
    # $(...) is split into words on purpose
    "$@" -Wall -Wextra $(pkg-config --cflags trammel) -x "$language" "$source/examples/$name.c" -x none \
        -Wl,-rpath,"$prefix/$libdir" -L"$prefix/$libdir" $(pkg-config --libs trammel) -lm -lpthread -o "$name" ||
        { echo "examples: $name does not compile as $language" >&2; exit 1; }
    "./$name" >"$name.log" 2>&1 || { cat "$name.log"; echo "examples: $name ($language) failed" >&2; exit 1; }
    echo "$name ($language): $(tail -n 1 "$name.log")"
}

for file in "$source"/examples/*.c; do
    example=$(basename "$file" .c)
    language=c
    run "$example" "$cc" -std=c17 -Werror
    if command -v c++ >/dev/null 2>&1; then
        language=c++
        run "$example" c++ -std=c++17 -Werror -Wno-missing-field-initializers
    fi
done

# the project that the README shows
mkdir project
sed -n '/^```cmake$/,/^```$/p' "$source/examples/README.md" | sed '/^```/d' >project/CMakeLists.txt
test -s project/CMakeLists.txt || { echo "examples: README.md has no project of CMake" >&2; exit 1; }
cp "$source/examples/first.c" project
"$cmake" -S project -B project/build -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" >log 2>&1 &&
    "$cmake" --build project/build >>log 2>&1 || { cat log; exit 1; }
project/build/first >log || { cat log; exit 1; }
