#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# docs/output.md: its commands, one after the other in one folder, its Python and its C program do what they say.
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm # syncing to a disk takes long
. "$(dirname "$0")/common.bash"
needs_python
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(dirname "$affix")
document=$root/docs/output.md
cd "$work" || exit 1

# blocks <language>: the lines of all its code blocks.
blocks() {
    awk -v want="\`\`\`$1" '/^```/ { open = inside ? 0 : $0 == want; inside = !inside; next } inside && open' "$document"
}

affix() { # called by eval
    "$affix" "$@"
}
lines=0
while IFS= read -r line; do
    lines=$((lines + 1))
    if [[ $line == *.png* ]] && ! command -v rsvg-convert >/dev/null; then
        echo "SKIP: rsvg-convert is not there"
        continue
    fi
    command=${line%% #*}
    code=0
    eval "$command" >out 2>err </dev/null || code=$?
    report "$code" "$command"
done < <(blocks sh)
command=
[ "$lines" -ge 14 ]
report $? "$lines commands"
for file in run.h5 run.csv hand.glb energy.svg chain.snap crank.csv hoberman.glb klann.pvd klann_000001.vtp crank.svg long.snap; do
    [ -s $file ] || report 1 "$file is there"
done

if "$python" -c 'import h5py' 2>/dev/null; then
    blocks python >read.py
    "$python" read.py >out 2>err && grep -q '^four-bar 401 frames, 3 bodies$' out && grep -q '^the first body went from \[' out
    report $? "the program in Python"
    "$python" -c '
import h5py
assert len(h5py.File("long.h5")["time"]) == 4001
assert sum(1 for line in open("long.csv")) == 4002' 2>err
    report $? "the resumed run was made longer"
else
    echo "SKIP: python3-h5py is not there"
fi

compiler=$(sed -n 's/^CMAKE_C_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
sanitize=$(sed -n 's/^AFFIX_SANITIZE:[A-Z]*=//p' "$build/CMakeCache.txt")
blocks c >ball.c
"$compiler" -std=c17 -Wall -Wextra -Werror ${sanitize:+"-fsanitize=$sanitize"} -I"$root/include" ball.c "$build/libaffix_io.so" \
    "$build/libaffix.so" "-Wl,-rpath,$build" -lm -o ball >out 2>err && ./ball >out 2>err
report $? "the program in C"
blocks text >want
cmp -s out want
report $? "prints what it says"

finish
