#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Files for the commands: convert and run again, check, notices and --strict, files outside the folder.
. "$(dirname "$0")/common.bash"
needs_python

# Every case, converted, runs to the same bits with the same settings.
cases=$("$affix" cases | sed -n 's/^\([a-z][a-z0-9-]*\) .*/\1/p')
for name in $cases; do
    # shellcheck disable=SC2046
    run convert "$name" $(small "$name") "$work/$name.json"
    [ "$code" -eq 0 ] && grep -Eq "bod(y|ies), .* joints?$" "$work/out"
    report $? "affix convert $name"
    # shellcheck disable=SC2046
    run run "$name" $(small "$name") --json --steps 3
    want=$(hash)
    run run "$work/$name.json" --json --steps 3
    [ "$code" -eq 0 ] && [ -n "$want" ] && [ "$(hash)" = "$want" ]
    report $? "$name.json runs to the same bits"
done
json 'd["file"] is True and d["parameters"] == {} and d["notices"] == [] and d["dt"] > 0'
report $? "the report of a file"
run run "$work/t-handle.json"
[ "$code" -eq 0 ] && head -n 1 "$work/out" | grep -q 't-handle.json: a T spinning'
report $? "a readable report of a file"
run convert chain n=7 "$work/seven.json"
run check "$work/seven.json" --json
json 'd["bodies"] == 7 and d["joints"] == 7 and d["status"] == "ok"'
report $? "parameters of a converted case"

# check
run check hand --json
json 'd["case"] == "hand" and d["bodies"] == 16 and d["body_kinds"] == {"moving": 15, "fixed": 1} and d["joints"] == 15
    and d["joint_kinds"] == {"revolute": 15} and d["drives"] == 10 and d["couplings"] == 10 and d["dof"] == 5
    and d["redundant_rows"] == 0 and d["rows"] == 85 and d["mass"] > 0 and len(d["model_hash"]) == 16'
report $? "affix check of a case"
first=$(sed -n 's/.*"model_hash": "\(.*\)",/\1/p' "$work/out")
run check "$work/hand.json" --json
json "d['model_hash'] == '$first'"
report $? "a converted case has the same model"
prints '^  bodies     16: 15 moving, 1 fixed$' check hand
prints '^  mobility   5 degrees of freedom; 85 constraints, 0 redundant$' check hand
run check bricard --json
json 'd["dof"] == 1 and d["redundant_rows"] == 1'
report $? "redundant rows"

# What has no effect is told; with --strict it is an error.
cat >"$work/loose.json" <<'END'
{"affix_scene": 1, "bodies": [{"name": "a", "mass": 2, "inertia": [1, 1, 1, 0, 0, 0]}], "joints": [
 {"kind": "revolute", "follower": "a", "length": 3}]}
END
run check "$work/loose.json"
[ "$code" -eq 0 ] && grep -q '^  1 notice:$' "$work/out" && grep -q 'loose.json:2: joints\[0\].length: ' "$work/out" &&
    grep -q '^  mass       2 kg' "$work/out"
report $? "a notice in affix check"
run check "$work/loose.json" --json
json 'len(d["notices"]) == 1 and d["notices"][0]["line"] == 2 and d["notices"][0]["kind"] == "ignored"'
report $? "a notice in affix check --json"
run run "$work/loose.json" --steps 2
[ "$code" -eq 0 ] && grep -q '^affix: note: .*loose.json:2: joints\[0\].length' "$work/err"
report $? "a notice in affix run"
run run "$work/loose.json" --steps 2 --quiet
[ "$code" -eq 0 ] && [ ! -s "$work/err" ]
report $? "--quiet"
run run "$work/loose.json" --steps 2 --json
json 'len(d["notices"]) == 1'
report $? "a notice in affix run --json"
for name in run check; do
    refuses 3 'loose.json:2: joints\[0\].length: .*take it out' $name "$work/loose.json" --strict
done
refuses 3 'loose.json:2: ' convert "$work/loose.json" "$work/never.json" --strict
[ ! -e "$work/never.json" ]
report $? "and nothing is written"

# Mistakes.
echo '{"affix_scene": 1, "bodies": [{"mas": 1}]}' >"$work/bad.json"
for name in run check; do
    refuses 3 'bad.json:1: bodies\[0\].mas: there is no key "mas" here .*name, kind, position' $name "$work/bad.json"
done
echo '{"affix_scene": 1, "bodies": [{"name": "ghost"}]}' >"$work/bad.json"
refuses 3 'body "ghost": it has no mass' check "$work/bad.json"
refuses 3 'none.json.*cannot be opened' check "$work/none.json"
refuses 3 'not a regular file' check "$work/."
refuses 3 'there is no such parameter \(the file has no parameters\)' check "$work/hand.json" n=3
refuses 2 'strict.*is for files' check hand --strict
refuses 2 'to which file' convert hand
refuses 2 'to which file' convert hand "$work/hand.txt"
refuses 2 'one file at a time' convert "$work/hand.json" "$work/y.json" "$work/z.json"
refuses 1 'cannot be written' convert hand "$work/no/folder/x.json"
mkdir "$work/folder.json"
refuses 3 'that is no file' convert hand "$work/folder.json"

# Files outside the folder.
mkdir -p "$work/in" "$work/parts"
echo '{"affix_scene": 1, "bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 1, 0, 0, 0]}]}' >"$work/parts/part.json"
echo '{"affix_scene": 1, "groups": [{"name": "p", "file": "../parts/part.json"}]}' >"$work/in/scene.json"
refuses 3 'part.json": it lies outside' check "$work/in/scene.json"
prints '^  bodies     1: 1 moving$' check "$work/in/scene.json" --allow-outside
prints '^  bodies     1: 1 moving$' check "$work/in/scene.json" --package "parts=$work/parts" --package "in=$work/in"

# Files that ask for too much are refused before anything of that size is made, and limits can be raised.
{
    echo '{"affix_scene": 1, "bodies": ['
    for ((k = 0; k < 60; k++)); do
        ((k == 0)) || echo ,
        echo "{\"name\": \"b$k\", \"shapes\": [{\"kind\": \"sphere\", \"radius\": 1}]}"
    done
    echo '], "joints": ['
    for ((i = 0; i < 60; i++)); do
        for ((k = 0; k < i; k++)); do
            ((i + k == 1)) || echo ,
            echo "{\"kind\": \"fixed\", \"base\": \"b$i\", \"follower\": \"b$k\"}"
        done
    done
    echo ']}'
} >"$work/clique.json"
for name in check run; do
    refuses 3 'clique.json: a solver iteration takes 1.7e\+11 operations.*1770 joints with [0-9]+ constraints hold 60 bodies.*--limit-flops' $name "$work/clique.json"
done
prints '^  joints     1770' check "$work/clique.json" --limit-flops 2e11
echo '<mujoco><worldbody><replicate count="1000"><body><freejoint/><geom size="1"/></body></replicate></worldbody></mujoco>' \
    >"$work/many.xml"
refuses 3 'many.xml:1: scene: it makes 4000 elements .*limit is 3999 .*--limit-items' check "$work/many.xml" --limit-items 3999
prints '^  bodies     1000: 1000 moving$' check "$work/many.xml" --limit-items 4000
refuses 2 'limit-items' check "$work/many.xml" --limit-items 0
refuses 2 'limit-flops' check "$work/many.xml" --limit-flops none
refuses 2 'limit-items.*is for files' check hand --limit-items 5

finish
