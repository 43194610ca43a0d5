#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# --trace and affix explain, --dump-failure and --from: the lines are valid, tell what happened, change nothing of the
# run; a step that fails is kept and fails again in the same words.
. "$(dirname "$0")/common.bash"
needs_python
root=$(cd "$(dirname "$0")/../.." && pwd)

# Two rods that a motion first folds and then pulls further apart than they reach.
cat >"$work/torn.json" <<'END'
{"affix_scene": 1, "contact": false, "bodies": [
 {"name": "rod", "mass": 1, "inertia": [0.01, 0.1, 0.1, 0, 0, 0], "young": "infinite", "position": [0.5, 0, 0]},
 {"name": "other", "mass": 1, "inertia": [0.01, 0.1, 0.1, 0, 0, 0], "young": "infinite", "position": [1.5, 0, 0]},
 {"name": "puller", "kind": "kinematic", "position": [2, 0, 0], "motion": {"translation": [{"polynomial": [0, -1, 2.02]}, 0, 0]}}],
 "joints": [
 {"kind": "revolute", "base": "world", "follower": "rod", "frame": {"position": [0, 0, 0], "rotation": {"along": [0, 1, 0]}}},
 {"kind": "revolute", "base": "rod", "follower": "other", "frame": {"position": [1, 0, 0], "rotation": {"along": [0, 1, 0]}}},
 {"kind": "spherical", "base": "other", "follower": "puller", "frame": {"position": [2, 0, 0]}}]}
END

# lines <python expression over d, a list of objects> : of $work/trace.jsonl
lines() {
    "$python" -c '
import json, sys
d = [json.loads(line) for line in open(sys.argv[1])]
sys.exit(0 if eval("(" + sys.argv[2] + ")") else 1)' "$work/trace.jsonl" "$1"
}

# ---- a trace changes nothing ----

for what in "pendulum --steps 20" "falling-joints pairs=3 --steps 60" "t-handle --steps 20" "chain --steps 10"; do
    # shellcheck disable=SC2086
    run run $what --json
    plain=$(hash)
    # shellcheck disable=SC2086
    run run $what --json --trace "$work/trace.jsonl" --dump-failure "$work/none"
    [ "$code" -eq 0 ] && [ -n "$plain" ] && [ "$plain" = "$(hash)" ] && [ -z "$(ls "$work/none")" ]
    report $? "same bits with --trace and --dump-failure: $what"
    cp "$work/trace.jsonl" "$work/${what%% *}.jsonl"
done

# ---- what it says ----

cp "$work/pendulum.jsonl" "$work/trace.jsonl"
lines 'd[0]["event"] == "run" and d[0]["scene"] == "pendulum" and d[0]["bodies"] == 1 and d[-1] == {"event": "end", "steps": 20, "status": "ok"}'
report $? "the run comes first, the end last"
lines '[e["step"] for e in d if e["event"] == "step"] == list(range(1, 21)) and [e["step"] for e in d if e["event"] == "restart"] == [1]'
report $? "a line for every step"
lines '{e["step"] for e in d if e.get("solve", 1) > 1} == {1, 2} and all(e["verdict"] == "accept" and e["reason"] == "fine" and e["engine"] == "tree" and e["island"] == 0
    and e["island_name"] == "rod" and e["bodies"] == 1 for e in d if e["event"] == "solve" and e["solve"] == 1 + (e["step"] <= 2))'
report $? "a pendulum takes one iteration a step, but for the first two from rest"
cp "$work/falling-joints.jsonl" "$work/trace.jsonl"
lines '{"rotation", "residual", "contact-set", "contacts-stale", "fine"} <= {e.get("reason") for e in d} and any("contacts" in e.get("changes", {}) for e in d)'
report $? "bodies that fall on each other are solved again for many reasons"
prints 'Solver iterations per step: median [0-9]+, mean .*, max' explain "$work/falling-joints.jsonl"
grep -q 'stale contacts: .*-> contacts are looked for again' "$work/out" && grep -q '6 bodies), graph' "$work/out" &&
    grep -Eq '^  step [0-9]+, from .* s on: [0-9]+ solver iterations' "$work/out" && grep -q 'tolerance' "$work/out"
report $? "affix explain tells reasons, islands and the worst steps"
prints 'No step needed more solver iterations' explain "$work/chain.jsonl"
prints 'up to [0-9]+: within all tolerances -> accepted' explain "$work/t-handle.jsonl" --step 2
prints '100 bodies.*, chain' explain "$work/chain.jsonl"
"$affix" explain - <"$work/pendulum.jsonl" >"$work/out" 2>"$work/err"
[ $? -eq 0 ] && grep -q 'pendulum: 20 steps' "$work/out"
report $? "affix explain - reads stdin"

# ---- a step that fails ----

run run "$work/torn.json" --quiet --dt 0.01 --time 2 --accuracy accurate --dump-failure "$work/dump" --trace "$work/trace.jsonl"
cp "$work/err" "$work/err.first"
[ "$code" -eq 4 ] && [ -f "$work/dump/scene.json" ] && [ -f "$work/dump/before.snapshot" ] && [ -f "$work/dump/trace.jsonl" ] &&
    grep -q 'explain .*/trace.jsonl' "$work/err"
report $? "a step that fails is kept"
lines 'd[-2]["event"] == "failed" and d[-2]["parts"] == 64 and d[-1]["status"] != "ok" and [e["parts"] for e in d if e["event"] == "cut" and e["step"] == d[-2]["step"]] == [2, 4, 8, 16, 32, 64]'
report $? "the trace ends with the failure, after all cuts"
again=$(sed -n 's/^    affix //p' "$work/dump/README")
command="affix $again"
code=0
# shellcheck disable=SC2086
(cd "$work/dump" && "$affix" $again --quiet --trace "$work/again.jsonl") >"$work/out" 2>"$work/err" || code=$?
[ "$code" -eq 4 ] && grep -q 'accuracy=accurate' <<<"$again" && grep -q 'step [0-9]' "$work/err" && [ "$(cat "$work/err")" = "$(grep 'step [0-9]* did' "$work/err.first")" ]
report $? "the command of its README fails at the same step, in the same words"
for name in "$work/dump/trace.jsonl" "$work/again.jsonl"; do
    grep -Ev '"event": *"(run|end)"' "$name" >"$name.events"
done
grep -q '"event": *"failed"' "$work/again.jsonl.events" && cmp "$work/dump/trace.jsonl.events" "$work/again.jsonl.events"
report $? "iteration by iteration as it did, without a restart of the method"
prints 'likely cause: the constraints cannot all be met' explain "$work/dump/trace.jsonl"
grep -q '"rod" (2 bodies), graph' "$work/out" && grep -q 'step is cut into sub-steps: now in 64' "$work/out"
report $? "affix explain tells the story of the failure"

# Every one of the lines fits the schema, and the schema knows what is no trace.
if "$python" -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null; then
    "$python" - "$root/schema/affix-trace.schema.json" "$work"/*.jsonl "$work/dump/trace.jsonl" >"$work/out" 2>&1 <<'END'
import json, sys
from jsonschema import Draft202012Validator
schema = json.load(open(sys.argv[1]))
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
kinds = set()
for name in sys.argv[2:]:
    for number, text in enumerate(open(name), 1):
        line = json.loads(text)
        kinds.add(line["event"])
        for error in validator.iter_errors(line):
            sys.exit(f"{name}:{number}: {text}: {error.message[:300]}")
assert kinds >= {"run", "step", "solve", "cut", "restart", "order", "failed", "end"}, kinds
for wrong in ({}, {"event": "solve"}, {"event": "step", "step": 0, "time": 0}, {"event": "restart", "step": 1, "more": 1}):
    assert not validator.is_valid(wrong), wrong
END
    report $? "all lines fit schema/affix-trace.schema.json"
    "$python" - "$root/schema/affix-trace.schema.json" "$root/include/affix/trace.h" >"$work/out" 2>&1 <<'END'
import json, re, sys
defs = json.load(open(sys.argv[1]))["$defs"]
header = open(sys.argv[2]).read()
for table, key, without in (("ENGINE", "engine", {"none"}), ("METHOD", "method", set()), ("VERDICT", "verdict", set()), ("REASON", "reason", set())):
    body = re.search(rf"#define AFX_TRACE_{table}_TABLE\(X\)(.*?)\n\n", header, re.S).group(1)
    names = set(re.findall(r'X\(\w+, "([a-z-]+)"', body)) - without
    assert names == set(defs[key]["enum"]), (table, names ^ set(defs[key]["enum"]))
END
    report $? "schema and header have the same names"
else
    echo "SKIP: python3-jsonschema is not there: the schema is not tried"
fi

# ---- from a snapshot ----

run run pendulum --json --steps 60
whole=$(hash)
run run pendulum --json --steps 40 --snapshot "$work/half.snap"
run run pendulum --json --steps 20 --from "$work/half.snap"
[ "$code" -eq 0 ] && [ "$whole" = "$(hash)" ]
report $? "20 steps from a snapshot of step 40 are steps 41 to 60, bit for bit"
run run pendulum --json --time 0.1 --from "$work/half.snap"
json 'd["steps"] == 10 and d["dt"] == 0.01'
report $? "--from takes the time step of the snapshot, and --time counts from there"
run run pendulum --json --steps 20 --dt 0.001 --from "$work/half.snap"
json 'd["dt"] == 0.001 and abs(d["time"] - 0.42) < 1e-12 and "restarted" in d["flags"]'
report $? "another --dt may be given"

# ---- what is wrong ----

refuses 3 'another model' run door --from "$work/half.snap" --steps 1
refuses 3 'no-such: .*No such file' run pendulum --from no-such
refuses 2 '--from and --resume: exclude each other' run pendulum --from "$work/half.snap" --resume "$work/half.snap"
refuses 1 'cannot be made' run pendulum --trace "$work/no/trace.jsonl"
refuses 1 'is not a folder' run pendulum --dump-failure "$work/torn.json"
refuses 1 'cannot be made' run pendulum --dump-failure "$work/no/such"
refuses 2 'which trace' explain
refuses 2 'takes one file' explain a b
refuses 3 'cannot be opened' explain "$work/no-such"
: >"$work/empty"
refuses 3 'is empty' explain "$work/empty"
printf 'step,time\n1,2\n' >"$work/table"
refuses 3 'table:1: JSON syntax error' explain "$work/table"
echo '{"event": "step", "step": 1, "time": 0}' >"$work/headless"
refuses 3 'headless:1: no line about the run' explain "$work/headless"
echo '[1]' >"$work/list"
refuses 3 'list:1: JSON syntax error: no object' explain "$work/list"
(head -n 3 "$work/pendulum.jsonl"; echo '{"event": "bump", "step": 3}') >"$work/odd"
refuses 3 'odd:4: "event" has no such value: "bump"' explain "$work/odd"
(head -n 3 "$work/pendulum.jsonl"; echo '{"step": 3}') >"$work/odd"
refuses 3 'odd:4: is no event' explain "$work/odd"
refuses 3 'no step 99' explain "$work/pendulum.jsonl" --step 99
head -c -60 "$work/pendulum.jsonl" >"$work/torn"
prints 'The end of the trace is not there' explain "$work/torn"
if [ -w /dev/full ]; then
    run run pendulum --quiet --trace /dev/full
    [ "$code" -eq 1 ] && grep -q '/dev/full: could not be written' "$work/err"
    report $? "a full disk is a failure"
fi

finish
