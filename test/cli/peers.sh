#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/peers with drivers that are shell scripts: one that answers, and others that crash, hang, print nonsense, refuse, blow
# up or are not there. Every one of them must be a row of the tables, and the run must end.
. "$(dirname "$0")/common.bash"
tools=$(cd "$(dirname "$0")/../../tools" && pwd)

cat >"$work/scene" <<'END'
echo "scene $*"
END
# answer FINITE MILLISECONDS GAP: the line that a driver prints.
cat >"$work/answer" <<'END'
printf '{"version": "1", "bodies": 2, "joints": 1, "steps": 10, "time": 1, "ms_median": %s, "ms_mean": %s, "gap": %s, ' $2 $2 $3
printf '"energy_error": 0.5, "potential_range": 2, "finite": %s, "failed": false, "complete": true, ' $1
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
}
scene = {"id": "one", "title": "One", "case": ["chain"], "h": [0.01], "time": 1, "contenders": list(contenders),
         "group": "chain", "size": 2, "link": 0.1}
sweep = {"id": "one", "title": "One", "case": ["chain"], "limit": 1, "link": 0.1,
         "settings": {"affix": [[0.01]], "good": [[0.01], [0.001]], "crash": [[0.01]]}}
json.dump({"limit": 1, "patience": 4, "scene_command": shell("scene"), "contenders": contenders, "scenes": [scene],
           "sweeps": [sweep]}, open(f"{work}/plan.json", "w"))
END

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
grep -q '<svg' "$work/results/images/peers-chain-time.svg"
report $? "the curves are drawn"
finish
