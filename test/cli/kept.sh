#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Trajectories and snapshots hold their scene: moved away from it, they are shown, checked, run and gone on with.
. "$(dirname "$0")/common.bash"
needs_python
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$work" || exit 1
cp "$root/examples/rope.json" rope.json

run run rope.json links=5 --record all -o rope.h5 --json
whole=$(hash)
run run rope.json links=5 --csv whole.csv --json
run run rope.json links=5 --csv half.csv --time 1 --snapshot half.snap --quiet
run run four-bar omega=3 --steps 20 -o four-bar.h5 --quiet
mkdir away && mv rope.h5 half.snap half.csv whole.csv four-bar.h5 away && rm rope.json && cd away || exit 1

prints '^  bodies     6: 6 moving$' check rope.h5
prints '^  run        dt 0.002 s, 2 s, bdf2, accurate$' check rope.h5
prints '^  cameras    side$' check half.snap
run run rope.h5 --json
[ -n "$whole" ] && [ "$(hash)" = "$whole" ] && [ ! -e rope.csv ]
report $? "a trajectory, run again, has the bits of its run, and overwrites nothing"
run run --resume half.snap --time 2 --json
[ "$(hash)" = "$whole" ] && cmp -s half.csv whole.csv
report $? "a run goes on without its scene file, bit for bit"
run run four-bar.h5 --steps 20 --json
again=$(hash)
run run four-bar omega=3 --steps 20 --json
[ -n "$again" ] && [ "$(hash)" = "$again" ]
report $? "a case with its parameters"
run convert rope.h5 -o rope.json
prints '^rope.json: fine$' check rope.json
run plot rope.h5 --x marker:load.x --y marker:load.z -o path.svg
[ "$code" -eq 0 ] && grep -q '<svg' path.svg
report $? "a path in space from a trajectory"
"$python" -c 'import h5py' 2>/dev/null && {
    "$python" -c 'import h5py, json; d = json.loads(bytes(h5py.File("rope.h5")["scene"][:])); assert d["run"]["dt"] == 0.002 and len(d["bodies"]) == 6 and d["bodies"][5]["shapes"][0]["color"] == "#8c2f2b"' 2>"$work/err"
    report $? "the scene of a trajectory by h5py"
}
printf '\x89HDF\r\n\x1a\nnothing' >bad.h5
refuses 1 'bad.h5' check bad.h5
head -c 400 half.snap >bad.snap
refuses 3 'bad.snap' check bad.snap

# Playing it: a page until a signal comes.
if [ -s "$(dirname "$affix")/viewer/page.html.gz" ] || "$affix" run pendulum --steps 1 --html "$work/p.html" --quiet 2>/dev/null; then
    "$affix" view rope.h5 >"$work/out" 2>"$work/err" &
    process=$!
    for _ in $(seq 200); do
        grep -q 'Ctrl-C' "$work/out" && break
        sleep 0.05
    done
    page=$(sed -n 's|.*open file://\([^ ]*\) in.*|\1|p' "$work/out")
    [ -s "$page" ] && grep -q 'affix-data' "$page"
    report $? "view of a trajectory makes a page"
    kill -TERM "$process"
    wait "$process"
    [ $? -eq 0 ] && [ ! -e "$page" ]
    report $? "which is gone with it"
fi
finish
