#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The documents tell the truth: their programs compile, run and print what is shown; their links and commands work.
. "$(dirname "$0")/common.bash"

root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(dirname "$affix")
documents=("$root/README.md" "$root/CONTRIBUTING.md" "$root"/docs/*.md "$root"/docs/decisions/*.md)

# blocks <file> <language> <number>: code block <number> (from 1) of that language.
blocks() {
    awk -v want="\`\`\`$2" -v number="$3" '
        /^ *```/ { line = $0; sub(/^ +/, "", line); open = inside ? 0 : line == want; inside = !inside; seen += open; next }
        inside && open && seen == number' "$1"
}

# A document whose first C block is an example, and whose first text block is what it prints (numbers within 1e-3):
# docs/hello.md has examples/hello.c, docs/joints.md has examples/crank.c.
shows() {
    blocks "$root/docs/$1.md" c 1 >"$work/shown.c"
    diff "$root/examples/$2.c" "$work/shown.c" >"$work/out" 2>"$work/err"
    report $? "the program in docs/$1.md is examples/$2.c"
    blocks "$root/docs/$1.md" text 1 >"$work/$2.txt"
}
shows hello hello
shows joints crank

# same_numbers <shown> <printed>
same_numbers() {
    awk 'NR == FNR { shown[FNR] = $0; lines = FNR; next }
         {
             count = split(shown[FNR], want, " ")
             if (count != NF) { bad = 1 }
             for (k = 1; k <= NF; k++) {
                 number = want[k] ~ /^[-+]?[0-9.]+(e[-+]?[0-9]+)?$/
                 if (number ? (want[k] - $k > 1e-3 || $k - want[k] > 1e-3) : want[k] != $k) { bad = 1 }
             }
         }
         END { exit bad || lines != FNR || FNR < 2 }' "$1" "$2"
}

if [ -x "$build/hello" ]; then
    "$build/hello" >"$work/out" 2>"$work/err" && same_numbers "$work/hello.txt" "$work/out"
    report $? "build/hello runs and prints what docs/hello.md shows"
    "$build/crank" >"$work/out" 2>"$work/err" && same_numbers "$work/crank.txt" "$work/out"
    report $? "build/crank runs and prints what docs/joints.md shows"
    "$build/flip" alpha 0.01 0.1 >"$work/out" 2>"$work/err" && [ "$(wc -l <"$work/out")" -eq 13 ]
    report $? "build/flip runs"
else
    echo "SKIP: the examples are not built here"
fi

# An installed tree: pkg-config and CMake find it, and programs compile against it and run.
cached() {
    sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt" | head -n 1
}
compiler=$(cached CMAKE_C_COMPILER)
flags=(-std=c17 -Wall -Wextra -Werror)
sanitize=$(cached AFFIX_SANITIZE)
if [ -n "$sanitize" ]; then
    flags+=("-fsanitize=$sanitize")
fi
prefix=$work/installed
command=
cmake --install "$build" --prefix "$prefix" >"$work/out" 2>"$work/err"
report $? "cmake --install"
package=$(find "$prefix" -name affix.pc 2>/dev/null)
library=$(dirname "$(dirname "${package:-/none/none}")")

# compiles <source> <program> <title>: against the installed tree, then runs; its output is in $work/out.
compiles() {
    local found=()
    read -ra found < <(PKG_CONFIG_PATH=$(dirname "$package") pkg-config --cflags --libs affix 2>"$work/err")
    "$compiler" "${flags[@]}" "$1" "${found[@]}" "-Wl,-rpath,$library" -lm -o "$2" >"$work/out" 2>>"$work/err" &&
        "$2" >"$work/out" 2>"$work/err"
    report $? "$3"
}
if command -v pkg-config >/dev/null; then
    compiles "$root/examples/hello.c" "$work/hello" "hello.c with pkg-config and the installed library"
    same_numbers "$work/hello.txt" "$work/out"
    report $? "and it prints the same"
    compiles "$root/examples/crank.c" "$work/crank" "crank.c with pkg-config and the installed library"
    same_numbers "$work/crank.txt" "$work/out"
    report $? "and it prints the same"
    blocks "$root/README.md" c 1 >"$work/ball.c"
    compiles "$work/ball.c" "$work/ball" "the program in README.md"
    grep -qx 'z = 5.0950 m' "$work/out"
    report $? "and it prints what it says"
else
    echo "SKIP: pkg-config is not there"
fi
mkdir "$work/project"
blocks "$root/docs/hello.md" cmake 1 >"$work/project/CMakeLists.txt"
cp "$root/examples/hello.c" "$work/project"
{
    cmake -S "$work/project" -B "$work/project/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$compiler" \
        -DCMAKE_C_FLAGS="${flags[*]}" && cmake --build "$work/project/build" && "$work/project/build/hello"
} >"$work/out" 2>"$work/err"
report $? "the CMakeLists.txt of docs/hello.md"
[ -s "$prefix/share/man/man1/affix-run.1" ] && [ -s "$prefix/share/bash-completion/completions/affix" ] &&
    [ -s "$prefix/share/zsh/site-functions/_affix" ] && [ -s "$prefix/share/fish/vendor_completions.d/affix.fish" ]
report $? "manual pages and completions are installed"
"$prefix/bin/affix" --version >"$work/out" 2>"$work/err"
report $? "the installed program"
module=$(find "$prefix" -name '_affix*.so' 2>/dev/null)
if [ -n "$module" ] && [ -z "$sanitize" ]; then
    python=$(cached AFFIX_PYTHON)
    (cd "$work" && PYTHONPATH=$(dirname "$(dirname "$module")") "${python:-python3}" -c '
import affix, os, sys
assert affix.__file__.startswith(sys.argv[1]), affix.__file__
libraries = [line.split()[-1] for line in open("/proc/self/maps") if "libaffix" in line]
assert libraries and all(name.startswith(sys.argv[1]) for name in libraries), libraries
assert affix.viewer.find_program() == os.path.join(sys.argv[1], "bin", "affix")
sim = affix.Sim(affix.Model.from_case("four-bar"))
sim.step(10)
print(sim.time)' "$(realpath "$prefix")") >"$work/out" 2>"$work/err" && grep -qx '0.[01].*' "$work/out"
    report $? "the installed Python package, with the installed libraries and program"
elif [ -z "$module" ]; then
    echo "SKIP: the Python package was not built"
fi

# Every public function is documented right above its declaration, and the tool that says so can fail.
command=
if [ -n "${python:=$(command -v python3)}" ]; then
    "$python" "$root/tools/check_docs" >"$work/out" 2>"$work/err"
    report $? "tools/check_docs"
    printf '/** One. */\n/** Two. */\nAFX_API int afx_a(void);\nAFX_API int afx_b(void);\n' >"$work/bad.h"
    ! "$python" "$root/tools/check_docs" "$work/bad.h" >"$work/out" 2>"$work/err" && grep -q 'bad.h:1: this comment' "$work/err" &&
        grep -q 'bad.h:4: afx_b is not documented' "$work/err"
    report $? "tools/check_docs finds a comment that documents nothing, and a function without one"
fi

# The reference has every exported function.
if [ -n "$python" ]; then
    "$python" "$root/tools/make_reference" "$work/reference.html" "$build" >"$work/out" 2>"$work/err"
    report $? "tools/make_reference"
    missing=$(cat "$root"/tools/symbols*.txt | while read -r name; do grep -q "<article id=\"$name\">" "$work/reference.html" || echo "$name"; done)
    [ -z "$missing" ]
    report $? "the reference has every exported function"
fi

# Every relative link leads somewhere: to a file, and to a heading of it.
# anchors <file>: the anchors that its headings get.
anchors() {
    sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}
links=0
for document in "${documents[@]}"; do
    name=${document#"$root"/}
    while IFS= read -r link; do
        links=$((links + 1))
        target=${link%%#*}
        file=$(dirname "$document")/$target
        [ -n "$target" ] || file=$document
        if [ ! -e "$file" ]; then
            report 1 "$name: no such file: $link"
        elif [[ $link == *#* ]] && ! anchors "$file" | grep -qxF -- "${link#*#}"; then
            report 1 "$name: no such heading: $link"
        fi
    done < <(awk '/^ *```/ { inside = !inside; next } !inside' "$document" | grep -oE '\]\([^) ]+\)' |
        sed 's/^](//; s/)$//' | grep -vE '^[a-z]+:')
done
[ "$links" -gt 0 ]
report $? "$links relative links"

# Every command line that begins with affix or build/affix in a code block works, as five steps where it is a run.
# They run in a folder that looks like the root, so that files they write go elsewhere.
mkdir "$work/here"
ln -s "$root"/* "$work/here"
affix() { # called by eval
    "$affix" "$@"
}
served() { # the same: serves until it has said where
    local process tries=0
    : >"$work/served"
    "$affix" view "$@" >"$work/served" &
    process=$!
    while ! grep -q ': open ' "$work/served" && kill -0 "$process" 2>/dev/null && [ $((tries++)) -lt 400 ]; do
        sleep 0.05
    done
    kill -TERM "$process" 2>/dev/null
    wait "$process"
}
viewer=
if "$affix" run spinning-box --steps 1 --quiet --html "$work/page.html" >/dev/null 2>&1 && "$affix" view --help >/dev/null; then
    viewer=yes
fi
lines=0
for document in "${documents[@]}"; do
    name=${document#"$root"/}
    [ "$name" != docs/output.md ] || continue # output_docs.sh runs them in full
    while IFS= read -r line; do
        lines=$((lines + 1))
        short=$(sed -E 's/^(build\/|\$ )*affix/affix/; s/ --(time|steps) [^ |]+//g; s/ n=[0-9]+/ n=1000/' <<<"$line")
        if [[ $short == "affix run "[a-z]* ]]; then
            short=$(sed -E 's/^affix run ([^ ]+)/affix run \1 --steps 5/' <<<"$short")
        fi
        if [[ $short == *"affix view "* || $short == *"affix video "* || $short == *" --html "* ]] && [ -z "$viewer" ]; then
            echo "SKIP: this build has no viewer: $short"
            continue
        fi
        if [[ $short == "affix view "* ]]; then # it serves until it is told to end
            short="served ${short#affix view }"
        elif [[ $short == "affix video "* ]]; then
            if ! command -v chromium >/dev/null || ! command -v ffmpeg >/dev/null; then
                echo "SKIP: chromium or ffmpeg is not there: $short"
                continue
            fi
            short+=" --time 0.02 --size 64x64"
        fi
        command=$short
        code=0
        (set -o pipefail; cd "$work/here" && eval "$short") >"$work/out" 2>"$work/err" </dev/null || code=$?
        report "$code" "$name: $line"
    done < <(awk '/^ *```/ { inside = !inside; next } inside' "$document" | grep -E '^ *(\$ )?(build/)?affix ' |
        sed 's/^ *//; s/ *#.*$//')
done
command=
[ "$lines" -gt 0 ]
report $? "$lines command lines"

# All other lines of shell blocks: what a reader types to install and compile runs as it is printed, in a home of its own; targets
# of make and programs of the build are there; whatever is none of these is named here.
home=$work/home
mkdir "$home"
ln -s "$prefix" "$home/.local"
blocks "$root/README.md" c 1 >"$work/here/ball.c"
built() { # a program that the build makes, whether or not it has been made
    [ -x "$build/${1#build/}" ] || grep -qE "^build ([^:]* )?(bench/|test/)?${1#build/}( [^:]*)?:" "$build/build.ninja"
}
typed() { # <line>: 0 when it works, or is there to be run
    local words first
    read -ra words <<<"$1"
    [[ ${words[0]} != *=* ]] || words=("${words[@]:1}")
    first=${words[0]}
    case $1 in
        make | make\ *) eval "make -C \"\$root\" -n ${1#make} PREFIX=\"\$home/.local\"" ;; # its targets are there
        export\ PKG_CONFIG_PATH=* | export\ PYTHONPATH=* | cc\ * | ./hello | */python3\ -c\ *)
            echo "$1" >>"$work/typed.sh"
            (cd "$work/here" && HOME=$home bash -e "$work/typed.sh")
            ;;
        for\ * | done | valgrind\ * | callgrind_annotate\ * | mpirun\ * | cmake\ --build\ *) true ;; # minutes, or two lines in one
        *pip\ wheel* | *python/tools/bench.py*) [ -e "$root/python" ] ;;                            # python/tests/test_wheel.py
        bash\ *) [ -f "$root/${words[1]}" ] ;;
        *) [ -x "$root/$first" ] || { [[ $first == build/* ]] && built "$first"; } ;;
    esac
}
if command -v pkg-config >/dev/null && [ -z "$sanitize" ]; then
    lines=0
    for document in "${documents[@]}"; do
        name=${document#"$root"/}
        : >"$work/typed.sh"
        while IFS= read -r line; do
            lines=$((lines + 1))
            code=0
            typed "$line" >"$work/out" 2>"$work/err" </dev/null || code=$?
            report "$code" "$name: $line"
        done < <(awk '/^ *```/ { inside = !inside && /```sh/; next } inside' "$document" | grep -vE '^ *(\$ )?(build/)?affix |^ *#|^ *$' |
            sed -E 's/^ *//; s/ +# .*$//')
    done
    [ "$lines" -gt 30 ]
    report $? "$lines other lines of shell blocks"
fi

finish
