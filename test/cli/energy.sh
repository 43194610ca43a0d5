#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# affix run --energy-book: where the energy of a run went.
. "$(dirname "$0")/common.bash"
needs_python

# holds <title> <python expression over d>
holds() {
    json "$2"
    report $? "$1"
}

run run slider-crank --steps 40 --energy-book --json
report "$code" "slider-crank runs"
holds "works add up to the change" \
    'abs(sum(v for k, v in d["energy_book"].items() if k not in ("kinetic", "potential", "elastic", "springs", "change",
     "largest_gain", "largest_gain_step")) - d["energy_book"]["change"]) < 1e-9'
holds "its drive did work" 'd["energy_book"]["position_drives"] != 0 or d["energy_book"]["velocity_drives"] != 0'
hash_with=$(hash)

run run slider-crank --steps 40 --json
holds "without it there is none of that" '"energy_book" not in d'
[ "$(hash)" = "$hash_with" ]
report $? "and the same bits"

prints 'energy book: change' run pendulum --steps 20 --energy-book --brief
run run pendulum --steps 5 --energy-book --csv - --columns time,work.integrator --quiet
[ "$(grep -c , "$work/out")" -ge 5 ] && ! grep -qi nan "$work/out"
report $? "tables have works"
run run chain n=20 --integrator alpha --dt 0.02 --time 3 --iterations 1 --energy-book --json
holds "energy from nothing is told" '"energy" in d["flags"]'
prints 'made energy from nothing' run chain n=20 --integrator alpha --dt 0.02 --time 3 --iterations 1 --energy-book --brief
run run pendulum --energy-book --json
holds "and nothing else is" '"energy" not in d["flags"]'
refuses 2 '--energy-book' run pendulum --formulation mabd-paper --energy-book

finish
