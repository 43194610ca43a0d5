#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Usage errors and exit codes: each names what is wrong and what would be right.
. "$(dirname "$0")/common.bash"

# The command itself.
run
[ "$code" -eq 2 ] && grep -q 'Usage: affix' "$work/err"
report $? "no command: usage on stderr, exit 2"
refuses 2 'no such command.*did you mean affix run\?' rnu
refuses 2 'no such command.*did you mean affix run t-handle' t-handle
refuses 2 'no such option' --bogus

# Which case.
refuses 2 'which case' run
refuses 2 'no such case.*did you mean t-handle' run t-handel
refuses 2 'no such case.*affix cases' run qqqqqq
refuses 3 '^affix: scene.json: file: it cannot be opened' run scene.json
refuses 3 '^affix: models/arm: file: its folder cannot be found' run models/arm
touch "$work/robot"
(cd "$work" && "$affix" run robot >out 2>err)
[ $? -eq 3 ] && grep -q 'robot:1: file: this is no format that can be read' "$work/err"
report $? "a file that is there: exit 3"

# Parameters of the case.
refuses 2 'case t-handle, parameter omega: "fast" is not a number .*-10000 to 10000' run t-handle omega=fast
refuses 2 'parameter omega: "1e5" is out of range' run t-handle omega=1e5
refuses 2 'no parameter "omga" .*did you mean omega' run t-handle omga=3
refuses 2 'parameter shape: "ball" .*cube\|box' run spinning-box shape=ball
refuses 2 'not name=value' run t-handle omega
for name in hinge revolute ball spherical rod distance; do
    run run a01 joint=$name --steps 1 --quiet
    [ "$code" -eq 0 ]
    report $? "a01 joint=$name"
done
refuses 2 'hinge\|ball\|rod' run a01 joint=prismatic
for value in inf infinite; do
    run run t-handle young=$value --steps 1 --quiet
    [ "$code" -eq 0 ]
    report $? "young=$value"
done
refuses 2 'second time' run t-handle omega=1 omega=1
refuses 2 'not an integer' run tumbling n=1.5

# Options.
refuses 2 '^affix: --bogus: there is no such option' run t-handle --bogus
refuses 2 'did you mean --threads' run t-handle --thread 2
refuses 2 '--dt: needs a value' run t-handle --dt
refuses 2 '--dt: is given twice' run t-handle --dt 0.1 --dt=0.1
refuses 2 '--json: takes no value' run t-handle --json=1
for bad in 0 -1 nan inf abc "" 1e999; do
    refuses 2 '^affix: --dt: ' run t-handle --dt "$bad"
done
refuses 2 '^affix: --time: ' run t-handle --time -1
refuses 2 '1e15 steps' run t-handle --time 1e300
refuses 2 '^affix: --steps: "1.5" is not a whole' run t-handle --steps 1.5
refuses 2 '^affix: --steps: ' run t-handle --steps -1
refuses 2 '--time and --steps' run t-handle --time 1 --steps 10
refuses 2 'bdf2\|bdf1\|alpha\|sdirk2' run t-handle --integrator rk45
refuses 2 '--rho: .*alpha' run t-handle --rho 0.5
refuses 2 '--rho: .*out of range .*0 to 1' run t-handle --integrator alpha --rho 1.5
refuses 2 'fast\|accurate' run t-handle --accuracy best
refuses 2 '--accuracy and --solves' run t-handle --accuracy fast --solves 2
refuses 2 '--accuracy and --iterations' run t-handle --accuracy fast --iterations 2
refuses 2 '--iterations and --solves' run t-handle --iterations 2 --solves 2
refuses 2 '^affix: --solves: ' run t-handle --solves 0
refuses 2 '^affix: --threads: ' run t-handle --threads 0
refuses 2 '1\|2\|4\|8' run t-handle --lanes 3
refuses 2 'auto\|dense\|chain\|tree\|schur\|graph\|cg\|gs' run t-handle --solver fast
refuses 2 'auto\|dense\|chain\|tree\|schur\|graph\|cg\|gs' info t-handle --solver fast
refuses 2 'which case' info
refuses 2 'no such case.*did you mean t-handle' info t-handel
refuses 3 'solver tree: .*loops .*schur, graph or auto' run hoberman --solver tree
refuses 3 'solver dense: .*20,000 rows' info chain n=10000 --solver dense
refuses 2 'one case at a time' cases t-handle pendulum
refuses 2 'no such case.*did you mean t-handle' cases t-handel
refuses 2 'no such command.*did you mean affix run' help rn
refuses 2 'for which shell' completion
refuses 2 'for which shell' completion csh
refuses 2 'no such option.*did you mean --json' cases --jsn
refuses 3 '^affix: sim: ' run t-handle --dt 1e200 --steps 1

finish
