#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# affix compare: joint coordinates and affine bodies have the same limits. With AFFIX_TEST_LONG, in all cases that both
# can run.
. "$(dirname "$0")/common.bash"

# agrees <case and arguments...>
agrees() {
    run compare "$@" --rigid --formulations affix,reduced --dt 0.004,0.002,0.001
    [ "$code" -eq 0 ]
    report $? "affix and reduced agree: $*"
}

agrees a01 --time 0.1             # a point mass, which has no size of its own
agrees door --time 0.1            # hinges on one axis: rows that nothing changes
agrees tree links=30 --time 0.05  # stiff springs of balls
agrees grasp --time 0.1           # contact between bodies, and drives
run compare a01 --rigid --formulations affix,reduced --dt 0.1,0.05 --time 1 --tolerance 1e-9
[ "$code" -eq 4 ]
report $? "limits that differ: exit 4"

if [ -n "${AFFIX_TEST_LONG:-}" ]; then
    for name in spinning-box t-handle free-top pendulum a02 bricard heavy-top slider-crank universal-shaft four-bar klann \
        satellite hand bridge umbrella incline rolling stack arch wrecking-ball turntable panda-pick protein; do
        agrees "$name" --time 0.2
    done
    agrees card-house --time 0.2 --tolerance 1e-2 # cards slip, and where depends on the last digits
    agrees tumbling n=40 --time 0.2
    agrees chain n=12 --time 0.2
    agrees chains count=2 links=16 --time 0.2
    agrees beads chains=4 beads=8 --time 0.1
    agrees net k=3 --time 0.1
    agrees ring n=8 --time 0.2
    agrees hub arms=12 --time 0.2
    agrees falling-joints pairs=3 --time 0.1
    agrees hagfish joints=20 --time 0.1 --tolerance 1e-2
    agrees net-cylinder k=3 --time 0.1
    agrees rings rings=2 --time 0.1 --tolerance 1e-2
fi
finish
