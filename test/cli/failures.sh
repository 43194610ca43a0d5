#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What a run says when it cannot go on: which body or joint, the cause, and a cure that was tried.
. "$(dirname "$0")/common.bash"
cd "$work" || exit 1

# says <exit code> <pattern> <arguments...>: that code, and one line of error with that pattern.
says() {
    local want=$1 pattern=$2
    shift 2
    run run "$@" --quiet
    [ "$code" -eq "$want" ] && grep -Eq -- "$pattern" err && [ "$(grep -c '^affix: ' err)" -eq 1 ]
    report $? "exit $want, \"$pattern\""
}

# Two rigid links of 1 m cannot reach over 5 m.
cat >apart.json <<'J'
{"affix_scene": 1, "bodies": [
  {"name": "left", "mass": 1, "shapes": [{"kind": "box", "size": [1, 0.1, 0.1], "position": [0.5, 0, 0]}]},
  {"name": "right", "position": [1, 0, 0], "mass": 1, "shapes": [{"kind": "box", "size": [1, 0.1, 0.1], "position": [0.5, 0, 0]}]}],
 "joints": [
  {"name": "near", "kind": "spherical", "follower": "left", "frame": {"position": [0, 0, 0]}},
  {"name": "middle", "kind": "spherical", "base": "left", "follower": "right", "frame": {"position": [1, 0, 0]}},
  {"name": "far", "kind": "spherical", "follower": "right", "base_frame": {"position": [5, 0, 0]}, "follower_frame": {"position": [1, 0, 0]}}]}
J
says 4 '^affix: joint "middle": the joints cannot be assembled: .*misses by 1.5 m and 0 rad \(check the frames of its ends.*no time step helps\)' apart.json --rigid
! grep -q 'smaller --dt' err
report $? "and does not advise a smaller step"
says 4 '^affix: joint "middle": the joints cannot be assembled: .*misses by 1.5 m' apart.json
sed 's/\[5, 0, 0\]/[2.001, 0, 0]/' apart.json >tight.json
run run tight.json --steps 3
[ "$code" -eq 0 ] && grep -q 'note: joints do not meet at the start, .*straining elastic' out && grep -q 'joint "far": 0.001 m, 0 rad apart' out
report $? "elastic links are stretched by a little, and a note tells it"

# A body that is lost: the solver diverged before.
says 4 '^affix: body "box": the solver diverged: before step [0-9]+ it moves at .* m/s and [-0-9.e+]+ rad/s' spinning-box speed=1e300 --dt 1e6 --steps 1000

# A smaller step is advised where it was tried and got through, and by its number.
dt=$(sed -n 's/.*(use a smaller --dt: \([0-9.e+-]*\) gets through this step)$/\1/p' err)
[ -n "$dt" ]
report $? "the step that gets through is named"

# Bodies far inside each other.
cat >deep.json <<'J'
{"affix_scene": 1, "bodies": [
  {"name": "ground", "kind": "fixed", "shapes": [{"kind": "plane"}]},
  {"name": "sunk", "position": [0, 0, -5], "shapes": [{"kind": "box", "size": [1, 1, 1]}]}]}
J
run run deep.json --steps 3
[ "$code" -eq 0 ] && grep -q 'note: excessive penetration, up to .* m.*(move bodies apart at the start' out &&
    grep -q 'body "ground" and body "sunk": 5.5 m' out
report $? "a start with bodies inside each other is told"

# What does not fit is told before anything runs, too.
run check deep.json
[ "$code" -eq 0 ] && grep -q 'note: bodies overlap at the start' out && grep -q 'body "ground" and body "sunk": 5.5 m' out
report $? "affix check lists overlaps"
run check deep.json --json
grep -q '"b": "body \\"sunk\\"", "depth": 5.5' out && grep -q '"overlap_count": 1' out
report $? "as JSON"
run check tight.json --json
[ "$code" -eq 0 ] && grep -Eq '"joint": "joint \\"far\\"", "distance": 0.00(1|0999)[0-9]*, "angle": 0' out && grep -q '"open_joint_count": 1' out
report $? "and joints that do not meet"
run run tight.json --steps 1 --json
grep -q '"open_joint_count": 1' out
report $? "in affix run as well"
sed 's/"mass": 1,/"mass": 1, "young": "inf",/' apart.json >rigid.json
refuses 4 'joint "middle": the joints cannot be assembled: .*misses by 1.5 m' check rigid.json

# Memory that runs out, wherever it does, is called by its name. Sanitizers need more of it than a limit can tell.
fits=0
limits="40 60 80 120 160"
(ulimit -v 1000000 && "$affix" --version) >/dev/null 2>&1 || limits= fits=1
for megabytes in $limits; do
    code=0
    command="affix run net (with at most $megabytes MB)"
    (ulimit -v $((megabytes * 1024)) && "$affix" run net k=60 --steps 3 --quiet) >out 2>err || code=$?
    case $code in
    0) fits=$((fits + 1)) ;;
    1) grep -Eqi 'memory' err || { report 1 "out of memory is called so ($megabytes MB)" && continue; } ;;
    127 | 126) continue ;; # not even the program could be started
    *) report 1 "out of memory: exit 1 ($megabytes MB)" && continue ;;
    esac
done
[ "$fits" -gt 0 ]
report $? "memory that is not there is called so, and enough of it is enough"

# A crowd that would take more than is allowed, which an option raises.
cat >crowd.json <<'J'
{"affix_scene": 1, "run": {"dt": 0.01, "limits": {"flops": 1e3}}, "bodies": [
  {"name": "a", "shapes": [{"kind": "sphere", "radius": 0.1}]},
  {"name": "b", "position": [0.02, 0, 0], "shapes": [{"kind": "sphere", "radius": 0.1}]},
  {"name": "c", "position": [0, 0.02, 0], "shapes": [{"kind": "sphere", "radius": 0.1}]}]}
J
says 3 '^affix: body "a": step 1 was refused: this body touches 2 others in a crowd of 3 bodies, .* flops.*--flops-most' crowd.json --steps 2
says 3 'crowd of 3 bodies, .* flops and .* MB' crowd.json --steps 2 --flops-most 1e9 --bytes-most 10
run run crowd.json --steps 2 --flops-most 1e9 --quiet
[ "$code" -eq 0 ]
report $? "a crowd that is allowed is solved"

# An arm whose joints all are at limits or follow such a one, and which touches something: nothing of it can move, and the rates that
# an impact asks for have no solution.
run run "$(dirname "$0")/../../fuzz/corpus/urdf/locked.urdf" --dt 0.01 --steps 20 --json
[ "$code" -eq 0 ] && grep -q '"status": "ok"' "$work/out"
report $? "an impact on what cannot move leaves it where it is"

# Balls fall on a row of three links between the ground and a ball joint, whose hinges are at their ends: the rates that an impact asks
# for would take thousands of joules.
link='"shapes": [{"kind": "box", "size": [0.9, 0.2, 0.2], "position": [0.5, 0, 0], "material": "m"}]'
ball='"shapes": [{"kind": "sphere", "radius": 0.1, "material": "m"}]'
about_y='"rotation": [0.7071067811865476, -0.7071067811865476, 0, 0]'
cat >row.json <<J
{"affix_scene": 1, "contact": true, "gravity": [0, 0, -9.81], "run": {"dt": 0.01},
 "materials": {"m": {"density": 1000, "friction": 0.5, "restitution": 0.3}}, "bodies": [
  {"name": "ground", "kind": "fixed", "shapes": [{"kind": "plane", "material": "m"}]},
  {"name": "a", "position": [0, 0, 0.35], $link}, {"name": "b", "position": [1, 0, 0.35], $link},
  {"name": "c", "position": [2, 0, 0.35], $link},
  {"name": "first", "position": [0.5932756951901001, 0.024736149089366874, 0.7], $ball},
  {"name": "second", "position": [1.9900796833588101, -0.033890836885969056, 1], $ball}], "joints": [
  {"kind": "revolute", "base": "world", "follower": "a", "frame": {"position": [0, 0, 0.35], $about_y},
   "drives": [{"kind": "limit", "lower": 0, "upper": 0, "restitution": 0.4}]},
  {"kind": "revolute", "base": "a", "follower": "b", "frame": {"position": [1, 0, 0.35], $about_y},
   "drives": [{"kind": "limit", "lower": 0, "upper": 0.05, "restitution": 0}]},
  {"kind": "revolute", "base": "b", "follower": "c", "frame": {"position": [2, 0, 0.35], $about_y},
   "drives": [{"kind": "limit", "lower": -0.3, "upper": 0, "restitution": 0.4}]},
  {"kind": "spherical", "base": "world", "follower": "c", "frame": {"position": [3, 0, 0.35], $about_y}}]}
J
run run row.json --steps 60
[ "$code" -eq 0 ] && grep -q 'J at the end: change -' "$work/out"
report $? "an impact on a row of links at their ends makes no energy"

finish
