#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# affix grad, sensitivity and optimise: derivatives that agree with differences, and clear errors.
. "$(dirname "$0")/common.bash"

prints 'd/d gravity.z' grad four-bar --of energy@end --wrt gravity --check
prints '"agrees": true' grad pendulum --of joint:0@0.1,rate:0@0.1 --wrt gravity.z,body.mass:* --check --json
prints 'd/d gravity.z' grad pendulum --time 0.1 --of reaction:0.fy@end,reaction:0.fx@end --wrt gravity.z --integrator alpha --check --rigid
prints 'd/d spring:7.rest' grad bridge deck=8 --time 0.1 --of energy@end --wrt spring:*.rest --check
refuses 2 'derivatives of what?' grad pendulum --wrt gravity
refuses 2 'derivatives by what?' grad pendulum --of energy@end
refuses 2 'there is no quantity "colour"' grad pendulum --of colour@end --wrt gravity
refuses 2 'is no time' grad pendulum --of energy@soon --wrt gravity
refuses 3 'there is no such parameter' grad pendulum --of energy@end --wrt colour
refuses 3 'friction of contacts is not differentiated with sdirk2' grad rolling --of energy@end --wrt gravity --integrator sdirk2
prints 'd/d gravity.x' grad rolling angle=10 young=inf --time 0.03 --of marker:0.x@end --wrt gravity.x --check
prints 'd/d material.pair:0.friction' grad incline --time 0.05 --dt 0.005 --of marker:block.x@end --wrt 'material.pair:0.friction' --check
refuses 3 'there are no derivatives of this integrator' grad pendulum --of energy@end --wrt gravity --integrator conserving --rigid
prints 'd/d gravity.z' grad four-bar --rigid --time 0.05 --of effort:0@end --wrt gravity --drive-weight 100 --check
refuses 2 'drive-weight' grad four-bar --of effort:0@end --wrt gravity --drive-weight 0
prints 'redundant' run four-bar --rigid --steps 5 --drive-weight 1e5
refuses 2 'drive-weight' run four-bar --steps 5 --drive-weight -1
refuses 2 'drive-weight' run four-bar --steps 5 --rigid --formulation reduced --drive-weight 2
prints 'gravity.z' sensitivity pendulum --time 0.2 --of energy.kinetic@end --wrt all
refuses 2 '--to' optimise pendulum --time 0.2 --of joint:0@end --wrt gravity.z
prints 'gravity.z=' optimise pendulum --time 0.2 --of joint:0@end --to 0.5 --wrt gravity.z

finish
