#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/peers with drivers that are shell scripts: one that answers, and others that crash, hang, print nonsense, refuse, blow
# up or are not there. Every one of them must be a row of the tables, and the run must end. And what engines are measured by,
# on cases that can be worked out by hand (bench/peers/check.c); and peer_node with engines that answer, crash and refuse.
. "$(dirname "$0")/common.bash"
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
sources=$(cd "$(dirname "$0")/../../bench/peers" && pwd)

cat >"$work/scene" <<'END'
echo "scene $*"
END
# answer FINITE MILLISECONDS GAP [DEPTH]: the line that a driver prints.
cat >"$work/answer" <<'END'
printf '{"version": "1", "bodies": 2, "joints": 1, "steps": 10, "time": 1, "ms_median": %s, "ms_mean": %s, "gap": %s, ' $2 $2 $3
printf '"energy_error": 0.5, "potential_range": 2, "finite": %s, "failed": false, "complete": true, ' $1
case $4 in 0.*) printf '"depth": %s, "depth_end": 0.001, "energy_gain": 5, "weight": 10, ' $4 ;; esac
printf '"marker": [0, 0, %s]}\n' $3
END
echo 'kill -SEGV $$' >"$work/crash"
cat >"$work/hang" <<'END'
trap '' TERM
echo $$ >"${0%/*}/hang.pid"
sleep 300 &
echo $! >>"${0%/*}/hang.pid"
wait
wait
END
echo 'echo hello' >"$work/nonsense"
echo 'echo "no such joint" >&2; exit 3' >"$work/refuse"

python3 - "$work" <<'END'
import json, sys
work = sys.argv[1]
shell = lambda *words: ["bash", *(f"{work}/{words[0]}", *words[1:])]
def contender(label, *command, **more):
    return {"label": label, "command": list(command), **more}
contenders = {
    "affix": contender("Ours", *shell("answer", "true", "2", "1e-9"), ours=True),
    "good": contender("Good", *shell("answer", "true", "6", "1e-3")),
    "fast": contender("Fast", *shell("answer", "true", "1", "1e-2")),
    "wild": contender("Wild", *shell("answer", "false", "6", "1e-3")),
    "crash": contender("Crash", *shell("crash")),
    "hang": contender("Hang", *shell("hang")),
    "nonsense": contender("Nonsense", *shell("nonsense")),
    "refuse": contender("Refuse", *shell("refuse")),
    "missing": contender("Missing", f"{work}/nowhere"),
    "deep": contender("Deep", *shell("answer", "true", "4", "1e-9", "0.25")),
    "flat": contender("Flat", *shell("answer", "true", "8", "1e-9", "0.125"), ours=True),
    "slow": contender("Twin", *shell("answer", "true", "9", "1e-3"), twin="good", wasm=True),
}
scene = {"id": "one", "title": "One", "case": ["chain"], "h": [0.01], "time": 1, "group": "chain", "size": 2, "link": 0.1,
         "contenders": [name for name in contenders if name not in ("deep", "flat")]}
touch = {"id": "net-20", "title": "Touch", "case": ["stack"], "h": [0.01], "time": 1, "contenders": ["flat", "deep"], "link": 0.1}
absent = {**scene, "id": "absent", "title": "Absent", "case": ["no/such/file.xml"], "needs": True}
sweep = {"id": "one", "title": "One", "case": ["chain"], "limit": 1, "link": 0.1,
         "settings": {"affix": "coarse", "good": [0.01, [0.001, "--iterations", 3]], "slow": [0.01], "crash": [0.01]}}
json.dump({"limit": 1, "patience": 4, "scene_command": shell("scene"), "contenders": contenders,
           "scenes": [scene, touch, absent], "steps": {"coarse": [0.01]}, "sweeps": [sweep]}, open(f"{work}/plan.json", "w"))
END

mkdir "$work/results"
printf 'before\n<!-- peers: begin (written by make peers) -->\nold\n<!-- peers: end -->\nafter\n' >"$work/results/README.md"
command="tools/peers"
code=0
timeout 120 "$tools/peers" --plan "$work/plan.json" --out "$work/results" >"$work/out" 2>"$work/err" || code=$?
[ "$code" -eq 0 ]
report $? "tools/peers ends well whatever the drivers do"

# status <contender> <expected status> <pattern of why>
status() {
    python3 - "$work/results/results.json" "$@" <<'END'
import json, re, sys
rows = {row["contender"]: row for row in json.load(open(sys.argv[1]))["scenes"][0]["results"]}
row = rows[sys.argv[2]]
sys.exit(row["status"] != sys.argv[3] or not re.search(sys.argv[4], row.get("why", "")))
END
    report $? "$1 is marked: $2"
}
status affix ok ""
status good ok ""
status wild "not finite" ""
status crash crashed SIGSEGV
status hang hung "4 s"
status nonsense "no result" hello
status refuse "cannot run" "no such joint"
status missing "cannot run" "No such file"

alive=0
while read -r pid; do
    if kill -0 "$pid" 2>/dev/null && ! grep -q '^State:.*Z' "/proc/$pid/status" 2>/dev/null; then
        alive=1
    fi
done <"$work/hang.pid"
[ "$alive" -eq 0 ]
report $? "nothing of the hanging driver stays behind"

doc=$work/results/comparison.md
grep -Eq '^\| Good \| 6.*\| 3 \|' "$doc"
report $? "the ratio of 6 ms to our 2 ms is 3"
grep -Eq '^\| Crash \|.*crashed: SIGSEGV' "$doc" && grep -Eq '^\| Hang \|.*hung' "$doc"
report $? "the tables name what crashed and hung"
grep -Eq '^- One, h = 0.01 s: Fast: time per step 2 times smaller' "$doc"
report $? "who is faster than we are is said"
grep -Eq '^\| Crash \| not reached' "$doc" && grep -Eq '^\| Good \| not reached' "$doc"
report $? "levels that are not reached are said"
grep -Eq '^\| Deep \| 4 \| 0.5 \| 0.25 \| 0.001 \| 1.0e-9 \| 0.5 \| – \| yes \| gains energy' "$doc"
report $? "rows of contact have overlap, gap and energy"
grep -Eq '^- Touch, h = 0.01 s: Deep: time per step 2 times smaller' "$doc" && ! grep -q 'deepest overlap .* times' "$doc"
report $? "who is faster with contact is said, and no more"
grep -Eq '^\| Twin \| One, h = 0.01 s \| 6 \| 9 \| 1.5 \|' "$doc"
report $? "the factor of WebAssembly is that of the same engine"
! grep -q Absent "$doc" && grep -q 'absent: left out, there is no no/such/file.xml' "$work/err"
report $? "a scene whose file is not there is left out, and that is said"
! grep -q '^old' "$work/results/README.md" && grep -q '^| Touch | 8 ms' "$work/results/README.md" &&
    [ "$(sed -n '1p;$p' "$work/results/README.md" | tr '\n' ' ')" = "before after " ]
report $? "the short table stands between the markers of README"
grep -q '<svg' "$work/results/images/peers-chain-time.svg"
report $? "the curves are drawn"
command="tools/peers --only net-20 --keep"
code=0
timeout 60 "$tools/peers" --plan "$work/plan.json" --out "$work/results" --only net-20 --keep --limit 2 >"$work/out" 2>"$work/err" ||
    code=$?
[ "$code" -eq 0 ] && grep -q '^### One, h = 0.01 s' "$doc" && [ "$(grep -c '^### Touch, h = 0.01 s' "$doc")" -eq 1 ]
report $? "scenes that are run again take their places among the others"

# Measurements, and engines in a process of their own: two bodies that answer with a state.
command="cc"
code=0
build() { # build PROGRAM SOURCE...
    local program=$1
    shift
    "${CC:-cc}" -std=gnu17 -Wall -Wextra -Werror -I"$sources" "${@/#/$sources/}" -lm -o "$work/$program" >"$work/out" 2>"$work/err"
}
build check check.c scene.c measure.c depth.c && "$work/check" >"$work/out" 2>&1
report $? "gaps, depths, energy and trees are what they should be"
build peer_node peer_node.c peer.c scene.c measure.c depth.c
report $? "peer_node compiles"
cat >"$work/two" <<'END'
scene two
gravity 0 0 -10
friction 0.5
young inf
counts 2 0 1
1 0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0 0
0 2 1 1 1 0 0 1 1 0 0 0 0 0 0 0 0 0
0 0 1 0 0 0 1 0 0 0 0 0 -1 1 0 0 0 0 0
1 0 0 0
END
cat >"$work/engine" <<'END'
import os, signal, struct, sys
what = sys.argv[1]
if what == "refuse":
    sys.exit("no such joint")
os.write(3, b"answerer 1.5".ljust(64, b"\0"))
for k in range(10):
    if what == "crash" and k == 3:
        os.kill(os.getpid(), signal.SIGSEGV)
    os.write(3, struct.pack("3d", 1, 0.002, 0) + struct.pack("13d", *[0, 0, 0, 1] + 9 * [0]) +
             struct.pack("13d", *[0, 0, 1 + 0.01 * k, 1] + 9 * [0]))
END
node() { # node WHAT: the exit code is in $code
    command="peer_node $1"
    code=0
    timeout 20 "$work/peer_node" python3 "$work/engine" "$1" -- "$work/two" --h 0.1 >"$work/out" 2>"$work/err" || code=$?
}
node answer
[ "$code" -eq 0 ] && grep -q '"peer": "answerer", "version": "1.5"' "$work/out" && grep -q '"ms_median": 2,' "$work/out" &&
    grep -q '"gap": 0.09' "$work/out" && grep -q '"complete": true' "$work/out"
report $? "an engine in a process of its own is measured"
node crash
[ "$code" -eq 139 ]
report $? "its crash is one of peer_node"
node refuse
[ "$code" -eq 3 ] && grep -q "no such joint" "$work/err"
report $? "its refusal is passed on"
finish
