#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tools/papers --quick: every part runs, the page has its tables and pictures, and the published step shows its failure.
. "$(dirname "$0")/common.bash"
needs_python
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
program=$(dirname "$affix")/bench_papers
if [ ! -x "$program" ]; then
    echo "SKIP: bench_papers is not built"
    exit 0
fi

command="tools/papers --quick"
code=0
timeout 300 "$python" "$tools/papers" --quick --program "$program" --out "$work/page" >"$work/out" 2>"$work/err" || code=$?
[ "$code" -eq 0 ]
report $? "tools/papers --quick ends well"

page=$work/page/papers.md
for word in 'M-ABD, Tab. 1' 'M-ABD, Fig. 2' 'Figs. 7 to 10' 'where it fails' 'Figs. 12 to 14' 'Quaternion paper, Tab. 6' 'Fig. 7: Hoberman' \
    'RedMax, Tab. 2' 'GPU chain post'; do
    grep -q "^##.*$word" "$page"
    report $? "the page has a part on $word"
done
! grep -Eq '/(home|work|tmp|root)/|None|[| ](nan|-?inf)[| ]' "$page"
report $? "no path and nothing that is not a number is in the page"
for link in $(grep -o 'images/papers-[a-z-]*\.svg' "$page" | sort -u); do
    grep -q '</svg>' "$work/page/$link"
    report $? "$link is drawn"
done

# from <expression over r, the results>
results() {
    "$python" -c 'import json, sys
r = json.load(open(sys.argv[1]))
sys.exit(0 if eval(sys.argv[2]) else 1)' "$work/page/results.json" "$1"
    report $? "$2"
}
results 'all(row["result"]["status"] == "AFX_OK" and row["result"]["residual"] < 1e-9 for part in r["speed"] for row in part["rows"] if row["case"])' \
    "every scene steps, and its joints hold"
results 'all(m["way"] > 4.99 for m in r["single"]["methods"].values())' "every method has moved the cylinder"
results '[x for x in r["bodies"]["pendulum"]["runs"] if x["method"] == "affix-bdf2"][0]["end"] < 0.02' "the pendulum swings as Runge-Kutta says"
results 'abs([x for x in r["bodies"]["handle"]["runs"] if x["method"] == "affix-bdf1"][0]["end"]
             - [x for x in r["bodies"]["handle"]["runs"] if x["method"] == "rigid-implicit"][0]["end"]) < 1e-2' \
    "implicit Euler of ours is that of the rigid baseline"
results 'all(p["iterations"] == 4 and p["solves"] == 4 for p in (row["published"] for row in r["redmax"]["scenes"][0]["rows"]))' \
    "RedMax's preconditioner is all of a bridge with rigid towers: one iteration for each of four solutions"
apart() {
    "$program" redmax "$@" | "$python" -c 'import json, sys; print(json.load(sys.stdin)["apart"])'
}
for case in "bridge deck=20 tower=2" "umbrella pieces=2"; do
    # shellcheck disable=SC2086
    "$python" -c 'import sys; a, b = map(float, sys.argv[1:]); sys.exit(not 1.8 < a / b < 2.2)' \
        "$(apart 0.01 20 5 $case)" "$(apart 0.005 40 5 $case)"
    report $? "RedMax's step comes to where ours does, and halves what is between with the step: $case"
done
gain='{x["method"]: x["rows"][-1]["energy"] - x["rows"][0]["energy"] for x in r["failure"]["chain"] if x["h"] == 0.01}'
results "$gain[\"mabd-paper\"] > 100 and -10 < $gain[\"affix-bdf1\"] < 0 and -10 < $gain[\"abd-vanilla\"] < 0" \
    "the published step makes energy, ours and the converged one do not"

# what cannot be run is said
command="bench_papers"
for words in "" "bogus" "series affix-bdf2 0 1 10 pendulum" "series nothing 0.01 1 10 pendulum" "steps affix 0.01 0 1 pendulum" \
    "redmax 0 1 1 bridge"; do
    code=0
    # shellcheck disable=SC2086
    "$program" $words >"$work/out" 2>"$work/err" || code=$?
    [ "$code" -eq 2 ] && [ -s "$work/err" ] && [ ! -s "$work/out" ]
    report $? "exit 2 and a message: bench_papers $words"
done
code=0
"$program" steps mabd-paper 0.01 5 1 umbrella >"$work/out" 2>"$work/err" || code=$?
[ "$code" -eq 1 ] && grep -q 'no drives, couplings or springs' "$work/err"
report $? "a scene that a formulation does not have is refused"
finish
