#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# affix run --verify: what is left of the equations of the steps.
. "$(dirname "$0")/common.bash"
needs_python

# holds <title> <python expression over d>
holds() {
    json "$2"
    report $? "$1"
}

run run four-bar --solves 10 --steps 12 --verify --json
report "$code" "four-bar runs"
holds "four numbers, each with its place and one value a step" \
    'all(set(d["verify"][k]) == {"max", "at", "step", "steps"} and len(d["verify"][k]["steps"]) == 12
         and d["verify"][k]["max"] == max(d["verify"][k]["steps"]) for k in ("force", "constraint", "law", "friction"))'
holds "converged steps meet their equations" \
    'all(d["verify"][k]["max"] < 1e-9 for k in ("force", "constraint", "law")) and d["verify"]["complete"] is True'
four_bar=$(hash)

run run four-bar --solves 10 --steps 12 --json
holds "without it there is none of that" '"verify" not in d'
[ "$(hash)" = "$four_bar" ]
report $? "and the same bits"

run run pendulum --solves 1 --steps 3 --verify --json
holds "one solve leaves something, at the body, and it says so" \
    'd["verify"]["force"]["max"] > 1e-6 and d["verify"]["force"]["at"] == "body \"rod\"" and d["verify"]["force"]["step"] >= 1
     and d["verify"]["force"]["steps"][d["verify"]["force"]["step"] - 1] == d["verify"]["force"]["max"]'

run run pendulum --solves 1 --steps 3 --verify --brief
grep -Eq '^    force +[0-9.]+e-[0-9]+  body "rod", step [123]$' "$work/out" && grep -q 'largest residual of a step' "$work/out"
report $? "the same for reading"

run run incline angle=30 mu=0.2 --steps 20 --verify --json
holds "contacts are named by their body" 'd["verify"]["friction"]["at"] == "contact of body \"block\""'

refuses 2 'affix formulation only' run pendulum --formulation mabd-paper --verify

finish
