#!/bin/sh
# Installs a build into a temporary prefix and builds the consumer against it: CMake (shared and static), pkg-config
# (shared and static). The prefix is moved after the install: nothing may remember where it was.
# usage: run.sh BUILD_DIR CMAKE CC LIBDIR
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$1 cmake=$2 cc=$3 libdir=$4

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
prefix=$tmp/prefix

"$cmake" --install "$build" --prefix "$prefix" >"$tmp/install.log" || { cat "$tmp/install.log"; exit 1; }

fail() { echo "consumer: $*" >&2; exit 1; }
expect_version()  # program must print the version
{
    got=$("$@") || fail "$1 failed"
    case $got in [0-9]*.[0-9]*.[0-9]*) echo "$1: $got" ;; *) fail "$1 printed '$got'" ;; esac
}

test -f "$prefix/include/trammel/base.h" || fail "no headers"
PKG_CONFIG_PATH=$prefix/$libdir/pkgconfig
export PKG_CONFIG_PATH

# pkg-config; $(...) is split into words on purpose
"$cc" -std=c17 "$here/main.c" $(pkg-config --cflags --libs trammel) -Wl,-rpath,"$prefix/$libdir" -o "$tmp/pc_shared"
expect_version "$tmp/pc_shared"
"$cc" -std=c17 "$here/main.c" $(pkg-config --cflags trammel) "$prefix/$libdir/libtrammel.a" \
    $(pkg-config --static --libs-only-L --libs-only-other trammel) \
    $(pkg-config --static --libs-only-l trammel | sed 's/-ltrammel//') -o "$tmp/pc_static"
expect_version "$tmp/pc_static"
if ldd "$tmp/pc_static" 2>/dev/null | grep -q libtrammel; then fail "pc_static needs libtrammel.so"; fi

# CMake, from a prefix that was moved
mv "$prefix" "$tmp/moved"
"$cmake" -S "$here" -B "$tmp/build" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$tmp/moved" >"$tmp/log" 2>&1 &&
    "$cmake" --build "$tmp/build" >>"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
expect_version "$tmp/build/consumer_shared"
expect_version "$tmp/build/consumer_static"
# by its other name alike, also in what is not there
"$cmake" -S "$here" -B "$tmp/other" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$tmp/moved" -DTRAMMEL_AS=Trammel \
    >"$tmp/log" 2>&1 && "$cmake" --build "$tmp/other" >>"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
expect_version "$tmp/other/consumer_shared"
expect_version "$tmp/other/consumer_static"
for name in trammel Trammel; do
    if "$cmake" -S "$here" -B "$tmp/missing_$name" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$tmp/moved" \
        -DTRAMMEL_AS=$name -DTRAMMEL_COMPONENTS=nosuch >"$tmp/log" 2>&1; then
        fail "find_package($name) has a component that does not exist"
    fi
done
if ldd "$tmp/build/consumer_static" 2>/dev/null | grep -q libtrammel; then fail "consumer_static needs libtrammel.so"; fi

# the shared libraries show names of their own headers and nothing else; the core does not need those of the others
if command -v nm >/dev/null 2>&1; then
    for part in :tml_ '_plot:tml_\(plot\|series\)_'; do
        library=libtrammel${part%%:*}.so
        others=$(nm -D --defined-only "$tmp/moved/$libdir/$library" | awk '{ print $3 }' | grep -v "^\(${part#*:}\)" || true)
        test -z "$others" || fail "$library exports: $others"
    done
fi
for file in "$libdir/libtrammel.so" "$libdir/libtrammel_plot.so" bin/trammel; do
    if ldd "$tmp/moved/$file" | grep -q "cairo\|hdf5\|arpack\|expat\|trammel_"; then
        fail "$file needs cairo, HDF5, ARPACK, expat or its own extras at once, not when they are used"
    fi
done
if ldd "$tmp/moved/bin/trammel" | grep -q "blas\|lapack"; then fail "the command loads LAPACK before it is used"; fi

# linked with the static library of HDF5, its module loads none of what stands behind the shared one
if grep -q "^TRAMMEL_HDF5_MODULE_LINKS:INTERNAL=1" "$build/CMakeCache.txt"; then
    for module in "$tmp/moved/$libdir"/trammel-*/hdf5.so; do
        if ldd "$module" | grep -q "hdf5\|curl"; then fail "$module loads HDF5 and what stands behind it"; fi
    done
fi

if test -x "$build/trammel"; then
    test -x "$tmp/moved/bin/trammel" || fail "the command is not installed"
    if ldd "$tmp/moved/bin/trammel" | grep -q libtrammel; then fail "the command needs libtrammel.so"; fi

    # Modules are found beside the moved libraries; without them the rest works, and the message says what is missing.
    command=$tmp/moved/bin/trammel
    modules=$(echo "$tmp/moved/$libdir"/trammel-*)
    cat >"$tmp/pendulum.yaml" <<END
gravity: 9.81
bodies:
  bob: {mass: 1, point: true, position: [-1, 0, 0]}
joints:
  rod: {type: distance, a: ground, b: bob, length: 1}
run: {end: 0.1, output_step: 0.1}
END
    "$command" run "$tmp/pendulum.yaml" --out "$tmp/a.h5" >/dev/null || fail "HDF5 cannot be written"
    set -- compare "$tmp/pendulum.yaml" --methods radau5 --tols 1e-4,1e-5 --reference "$tmp/a.h5"
    "$command" "$@" >/dev/null || fail "HDF5 cannot be read"
    if test -f "$modules/png.so"; then
        "$command" "$@" --plot "$tmp/a.png" >/dev/null || fail "PNG cannot be drawn"
    fi
    # hdf5, if the command does not contain HDF5 itself, and lapack: NAME|arguments that need it
    write="run $tmp/pendulum.yaml --out $tmp/b.h5"
    set -- "lapack|modes $tmp/pendulum.yaml"
    if ! grep -q "^TRAMMEL_HDF5_ARCHIVE:BOOL=ON" "$build/CMakeCache.txt" ||
        ! grep -q "^TRAMMEL_HDF5_COMMAND_LINKS:INTERNAL=1" "$build/CMakeCache.txt"; then
        set -- "$@" "hdf5|$write"
    fi
    mv "$modules" "$tmp/away"
    "$command" run "$tmp/pendulum.yaml" --out "$tmp/a.csv" >/dev/null || fail "CSV needs a module"
    case "$*" in
    *hdf5*) ;;
    *) "$command" $write >/dev/null || fail "the command contains HDF5 but needs its module" ;;
    esac
    for use in "$@"; do
        name=${use%%|*}
        if "$command" ${use#*|} >/dev/null 2>"$tmp/missing"; then fail "works without the module $name: ${use#*|}"; fi
        grep -q "'$name' is not installed.*$name.so" "$tmp/missing" || fail "no word of the missing module: $(cat "$tmp/missing")"
        printf x >"$tmp/away/$name.so"
    done
    mv "$tmp/away" "$modules"
    for use in "$@"; do
        name=${use%%|*}
        if "$command" ${use#*|} >/dev/null 2>"$tmp/missing"; then fail "works with a broken module $name: ${use#*|}"; fi
        grep -q "'$name' cannot be loaded: .*$name.so" "$tmp/missing" || fail "no reason: $(cat "$tmp/missing")"
    done
fi
