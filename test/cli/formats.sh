#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# docs/formats.md: its scenes are the files of examples/, they load without a notice, and its program compiles and runs.
. "$(dirname "$0")/common.bash"
needs_python
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(dirname "$affix")
document=$root/docs/formats.md

# block <info string>: the first code block with that after its quotes.
block() {
    awk -v want="\`\`\`$1" '
        /^```/ { open = !inside && $0 == want && !seen++; inside = !inside; next }
        inside && open' "$document"
}

scenes=0
for name in $(sed -n 's/^```json //p' "$document"); do
    scenes=$((scenes + 1))
    command=
    block "json $name" >"$work/shown.json"
    diff "$root/$name" "$work/shown.json" >"$work/out" 2>"$work/err"
    report $? "the scene in docs/formats.md is $name"
    run check "$root/$name" --strict
    report "$code" "affix check $name --strict"
done
[ "$scenes" -ge 4 ]
report $? "$scenes scenes"

# The slider: with a crank of 0.1 m and a rod of 0.3 m it is at sqrt(0.3^2 - 0.1^2) after a quarter of a turn.
run run "$root/examples/crank.json" --time 0.25 --integrator alpha --json
json 'abs(d["markers"]["pin"][0] - 0.08 ** 0.5) < 1e-6 and abs(d["markers"]["pin"][2]) < 1e-9 and d["redundant_rows"] == 3'
report $? "the slider of examples/crank.json is where the formula has it"
# The train: 2 kN for 2 s.
run run "$root/examples/train.json" --time 2 --json
json 'abs(d["momentum"][0] - 4000) < 1e-3 and d["bodies"] == 25 and d["joints"] == 29'
report $? "the train of examples/train.json has the momentum that its engine gave it"

# The program.
block c >"$work/load.c"
compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt" | head -n 1)
sanitize=$(sed -n 's/^AFFIX_SANITIZE:[A-Z]*=//p' "$build/CMakeCache.txt" | head -n 1)
flags=(-std=c17 -Wall -Wextra -Werror)
[ -z "$sanitize" ] || flags+=("-fsanitize=$sanitize")
command=
if command -v pkg-config >/dev/null; then
    cmake --install "$build" --prefix "$work/installed" >"$work/out" 2>"$work/err"
    package=$(find "$work/installed" -name affix_io.pc)
    read -ra found < <(PKG_CONFIG_PATH=$(dirname "$package") pkg-config --cflags --libs affix_io)
    "$compiler" "${flags[@]}" "$work/load.c" "${found[@]}" "-Wl,-rpath,$(dirname "$(dirname "$package")")" \
        -o "$work/load" >"$work/out" 2>"$work/err" && "$work/load" "$root/examples/train.json" >"$work/out" 2>"$work/err"
    report $? "the program of docs/formats.md, with pkg-config and the installed libraries"
    grep -q 'train.json: 25 bodies, fine' "$work/out"
    report $? "and it prints what it should"
    "$work/load" "$root/examples/crank.c" >"$work/out" 2>"$work/err"
    [ $? -eq 1 ] && grep -q 'this is no format that can be read' "$work/err"
    report $? "and it tells what is wrong with a file that is no scene"
else
    echo "SKIP: pkg-config is not there"
fi
mkdir "$work/project"
cat >"$work/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.21)
project(load LANGUAGES C)
find_package(Affix REQUIRED COMPONENTS io)
foreach(kind io io_static)
    add_executable(load_${kind} ../load.c)
    target_link_libraries(load_${kind} PRIVATE affix::affix_${kind})
endforeach()
END
{
    cmake -S "$work/project" -B "$work/project/build" -DCMAKE_PREFIX_PATH="$work/installed" \
        -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="${flags[*]}" && cmake --build "$work/project/build" &&
        "$work/project/build/load_io" "$root/examples/crank.json" &&
        "$work/project/build/load_io_static" "$root/examples/crank.json"
} >"$work/out" 2>"$work/err"
report $? "the same with the CMake package, shared and static"

finish
