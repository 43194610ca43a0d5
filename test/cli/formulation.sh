#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# affix run --formulation: names, what it takes and what it refuses, and that its snapshots go on bit for bit.
. "$(dirname "$0")/common.bash"

refuses 2 'formulation.*"mabd" .*affix.*mabd-paper.*abd-vanilla' run pendulum --formulation mabd
refuses 3 'formulation: it is defined with implicit Euler' run pendulum --formulation mabd-paper --integrator bdf2
refuses 3 "formulation: body 0: it needs elastic bodies .*finite Young's modulus" run pendulum --rigid --formulation abd-vanilla
refuses 3 'formulation: joint 0, universal: it has ball joints, hinges and fixed joints only' run chain joint=universal --formulation mabd-paper
refuses 3 'formulation: it has no contact' run rolling --formulation mabd-paper
refuses 3 'formulation: it has no drives, couplings or springs' run umbrella --formulation mabd-paper-nopolar
refuses 3 'formulation: [0-9]+ rows: its matrix needs more than 2\^25 numbers' run net k=70 --formulation mabd-paper

needs_python
for name in mabd-paper mabd-paper-nopolar abd-vanilla abd-ipc; do
    run run pendulum --formulation "$name" --steps 20 --json --quiet
    json "d['formulation'] == '$name' and d['integrator'] == 'bdf1' and d['status'] == 'ok' and d['residual_max'] < 1e-9"
    report $? "$name runs, with implicit Euler"
done
run run pendulum --steps 2 --json --quiet
json "d['formulation'] == 'affix' and d['integrator'] == 'bdf2'"
report $? "the default is our own formulation"

# auto goes by any integrator: the file's own stays, what stands there for another formulation does not.
"$affix" convert pendulum -o "$work/plain.json" --quiet
"$python" - "$work" <<'END'
import json, sys
scene = json.load(open(sys.argv[1] + "/plain.json"))
for name, run in (("alpha", {"integrator": "alpha"}), ("reduced", {"formulation": "reduced"}),
                  ("both", {"formulation": "reduced", "integrator": "alpha"})):
    scene["run"] = {**{k: v for k, v in scene.get("run", {}).items() if k not in ("integrator", "formulation", "rho")}, **run}
    json.dump(scene, open(f"{sys.argv[1]}/{name}.json", "w"))
END
for pair in alpha:alpha both:alpha reduced:bdf2 plain:bdf2; do
    run run "$work/${pair%:*}.json" --formulation auto --steps 2 --json --quiet
    json "d['integrator'] == '${pair#*:}'"
    report $? "--formulation auto with a file of ${pair%:*}: ${pair#*:}"
done
run run "$work/alpha.json" --formulation auto --integrator bdf1 --steps 2 --json --quiet
json "d['integrator'] == 'bdf1'"
report $? "--integrator comes before the file's"

run run chain n=5 --formulation mabd-paper --steps 40 --json --quiet
whole=$(hash)
run run chain n=5 --formulation mabd-paper --steps 20 --snapshot "$work/half.snap" --json --quiet
run run --resume "$work/half.snap" --steps 40 --json --quiet
[ "$code" -eq 0 ] && [ -n "$whole" ] && [ "$(hash)" = "$whole" ] && json "d['formulation'] == 'mabd-paper'"
report $? "a resumed run goes on with the formulation, bit for bit"
finish
