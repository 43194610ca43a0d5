#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Equal bits at any number of threads and lanes, for every integrator; other bits for another seed.
. "$(dirname "$0")/common.bash"

# same <hash to compare with> <title> <arguments...>
same() {
    local want=$1 title=$2
    shift 2
    run "$@"
    [ "$code" -eq 0 ] && [ "$(hash)" = "$want" ]
    report $? "$title"
}

# Lane counts of this machine.
run run tumbling n=3 --steps 1 --json --quiet
widest=$(sed -n 's/^  "lanes": \([0-9]*\),$/\1/p' "$work/out")
counts=()
for lanes in 1 2 4 8; do
    if [ "$lanes" -le "${widest:-0}" ]; then
        counts+=("$lanes")
    fi
done
[ "${#counts[@]}" -ge 2 ]
report $? "lanes of this machine: ${counts[*]}"

# Instructions that every processor has, and some that none has.
export AFFIX_INSTRUCTION_SET=base
prints '"instruction_set": "base"' run tumbling n=3 --steps 1 --json --quiet
export AFFIX_INSTRUCTION_SET=abacus
refuses 3 'AFFIX_INSTRUCTION_SET asks for instructions that are not there' run tumbling n=3 --steps 1 --quiet
unset AFFIX_INSTRUCTION_SET

# More bodies than one task takes, and no multiple of the lanes.
for method in "bdf2 fast" "bdf2 accurate" "bdf1 fast" "sdirk2 accurate" "alpha accurate"; do
    set -- $method
    scene=(run tumbling n=3001 --steps 6 --json --quiet --integrator "$1" --accuracy "$2")
    run "${scene[@]}"
    want=$(hash)
    [ -n "$want" ]
    report $? "$method: $want"
    same "$want" "$method: the same again" "${scene[@]}"
    for threads in 2 3 8; do
        same "$want" "$method: $threads threads" "${scene[@]}" --threads $threads
    done
    for lanes in "${counts[@]}"; do
        same "$want" "$method: $lanes lanes" "${scene[@]}" --lanes $lanes
        same "$want" "$method: $lanes lanes, 2 threads" "${scene[@]}" --lanes $lanes --threads 2
    done
done
rigid=(run tumbling n=1003 --steps 6 --json --quiet --rigid)
run "${rigid[@]}"
want=$(hash)
for lanes in "${counts[@]}"; do
    same "$want" "rigid: $lanes lanes" "${rigid[@]}" --lanes $lanes --threads 2
done
run run tumbling n=1003 --steps 6 --json --quiet seed=2 --rigid
[ -n "$(hash)" ] && [ "$(hash)" != "$want" ]
report $? "another seed, another hash"

finish
