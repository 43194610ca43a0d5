#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Help, version and the list of cases; output that cannot be written is a failure.
. "$(dirname "$0")/common.bash"

for option in --help -h help; do
    prints 'Usage: affix <command>' "$option"
done
prints '^affix [0-9]+\.[0-9]+\.[0-9]+$' --version
for name in run info check convert cases sweep plot explain view video help man completion; do
    prints "Usage: affix $name" "$name" --help
    prints "Usage: affix $name" "$name" -h
    prints '^affix [0-9]+\.[0-9]+\.[0-9]+$' "$name" --version
done
prints 'Exit codes: 0 fine.*2 usage, 3 bad input, 4 numerical failure' run --help
prints '--integrator NAME' run --help
prints 'Parameters of t-handle' run t-handle --help
prints 'Usage: affix run' run --help no-such-case
for name in run info check convert cases sweep plot explain view video help man completion; do
    prints "^  $name +[a-z]" help
    prints "Usage: affix $name" help "$name"
done
prints 'Parameters of t-handle' help run t-handle
prints '^pendulum +a rod' cases pendulum
run cases pendulum
[ "$code" -eq 0 ] && [ "$(grep -c '^[a-z]' "$work/out")" -eq 1 ]
report $? "cases NAME: one case"

for name in spinning-box t-handle free-top tumbling pendulum a01 a02 bricard hoberman chain chains beads net ring hub tree; do
    prints "^$name +[a-z]" cases
done
prints 'omega=15 .*\[-10000 to 10000\]' cases
prints 'shape=cube .*\[cube\|box\]' cases
prints '--dt 0.001 --time 20' cases

command=
if [ -w /dev/full ]; then
    for arguments in --help --version "cases" "cases --json" "run t-handle --steps 3" "run t-handle --steps 3 --json"; do
        # shellcheck disable=SC2086
        "$affix" $arguments >/dev/full 2>"$work/err"
        [ $? -eq 1 ] && grep -q '^affix: output: could not be written' "$work/err"
        report $? "a full disk is a failure: affix $arguments"
    done
fi
"$affix" cases >&- 2>"$work/err"
[ $? -eq 1 ]
report $? "a closed stdout is a failure"
# The reader closes the pipe before affix may write, else what fits the pipe's buffer is written without an error.
(
    trap '' PIPE
    until [ -e "$work/closed" ]; do sleep 0.01; done
    "$affix" cases 2>"$work/err"
    echo $? >"$work/code"
) | { exec <&-; touch "$work/closed"; }
[ "$(cat "$work/code")" -eq 1 ]
report $? "a closed pipe is a failure"

finish
