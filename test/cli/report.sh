#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The JSON of affix run and affix cases, and the readable report.
. "$(dirname "$0")/common.bash"
needs_python

# holds <title> <python expression over d>
holds() {
    json "$2"
    report $? "$1"
}

run run t-handle --json
report "$code" "t-handle runs"
holds "one object with every key" 'set(d) >= set("""case bodies joints rows solver integrator dt steps time threads start_s start_parts_s wall_s
    ms_per_step stages_ms solves_mean solves_max residual_max residual_rel compliant_rows energy_first energy_last momentum
    angular_momentum markers peak_bytes finite status parameters state_hash lanes instruction_set flags
    rotation_error_max contacts_max depth_max""".split())'
[ ! -s "$work/err" ]
report $? "nothing on stderr"
holds "what ran" 'd["case"] == "t-handle" and d["parameters"] == {"omega": 15, "kick": 0.1, "young": 1e9}'
holds "counts" 'd["bodies"] == 1 and d["joints"] == d["rows"] == d["compliant_rows"] == 0 and d["solver"] == "free"'
holds "defaults of the case" 'd["dt"] == 0.001 and d["steps"] == 10000 and abs(d["time"] - 10) < 1e-9 and d["threads"] == 1'
holds "default integrator" 'd["integrator"] == "bdf2"'
holds "stages" 'set(d["stages_ms"]) == {"input", "start", "contact", "joints", "free", "check"} and all(v >= 0 for v in d["stages_ms"].values())'
holds "start" 'set(d["start_parts_s"]) == {"scene", "compile", "create"} and all(v >= 0 for v in d["start_parts_s"].values())
    and 0 < d["start_s"] and abs(sum(d["start_parts_s"].values()) / d["start_s"] - 1) < 1e-9'
holds "vectors and markers" 'len(d["momentum"]) == len(d["angular_momentum"]) == 3 and set(d["markers"]) == {"tip", "bar"}
    and all(len(p) == 3 for p in d["markers"].values())'
holds "times" '0 < d["ms_per_step"] and 0 < d["wall_s"] and d["ms_per_step"] * d["steps"] < 2e3 * d["wall_s"]'
holds "solves" '1 <= d["solves_mean"] <= d["solves_max"]'
holds "memory" 'd["peak_bytes"] > 192'
holds "outcome" 'd["finite"] is True and d["status"] == "ok" and "restarted" in d["flags"] and "failed" not in d["flags"]'
holds "energy is nearly kept" 'abs(d["energy_last"] / d["energy_first"] - 1) < 0.01'
holds "hash" 'len(d["state_hash"]) == 16 and int(d["state_hash"], 16) >= 0'

# Settings reach the sim.
run run free-top omega=4 --json --dt=0.002 --steps 7 --integrator alpha --rho 0.5 --accuracy accurate
holds "--dt=, --steps, --integrator" 'd["dt"] == 0.002 and d["steps"] == 7 and abs(d["time"] - 0.014) < 1e-12
    and d["integrator"] == "alpha" and d["parameters"]["omega"] == 4 and d["parameters"]["young"] == "inf"'
for name in bdf2 bdf1 sdirk2 alpha; do
    run run spinning-box --json --steps 5 --integrator $name
    holds "--integrator $name" "d['integrator'] == '$name' and d['status'] == 'ok'"
done
for name in conserving conserving4 reference; do
    run run bricard --json --steps 50 --dt 0.01 --integrator $name
    holds "--integrator $name" "d['integrator'] == '$name' and d['status'] == 'ok' and d['residual_max'] < 1e-12
        and abs(d['energy_last'] / d['energy_first'] - 1) < 1e-12 and 'regularised' in d['flags']"
done
run run spinning-box shape=box --json --solves 3 --steps 5
holds "--solves 3" 'd["solves_max"] == 3 and abs(d["solves_mean"] - 3) < 1e-12'
run run spinning-box shape=box --json --iterations 3 --steps 5
holds "--iterations 3" 'd["solves_max"] == 3 and abs(d["solves_mean"] - 3) < 1e-12'
run run spinning-box shape=box --json --steps 50
soft=$(hash)
run run spinning-box shape=box --json --steps 50 --rigid
rigid=$(hash)
run run spinning-box shape=box young=inf --json --steps 50
[ "$rigid" = "$(hash)" ] && [ "$rigid" != "$soft" ]
report $? "--rigid is young=inf"
run run tumbling n=10 --json --steps 0
holds "no steps at all" 'd["steps"] == 0 and d["time"] == 0 and d["ms_per_step"] is None and d["status"] == "ok"'

# The time that is reached.
run run spinning-box --json --time 1 --dt 0.3
holds "dt that does not divide the time: one more step" 'd["steps"] == 4 and abs(d["time"] - 1.2) < 1e-12'
grep -q 'note: .*reached 1.2 s' "$work/err"
report $? "and a note tells the time reached"
run run spinning-box --json --time 0.3 --dt 0.1
holds "rounding of 0.3 / 0.1 adds no step" 'd["steps"] == 3'
[ ! -s "$work/err" ]
report $? "and no note"

# A numerical failure: velocities so large that positions overflow.
run run spinning-box speed=1e300 --dt 1e6 --steps 1000 --json
[ "$code" -eq 4 ] && grep -Eq '^affix: body "box": .*diverged: before step [0-9]+ .*at time [0-9.e+]+ s, was kept' "$work/err"
report $? "numerical failure: exit 4, body, step and time named"
holds "and the JSON tells it" 'd["status"] == "AFX_E_NUMERIC" and d["finite"] is True and "failed" in d["flags"]
    and 0 < d["steps"] < 1000 and d["energy_last"] is None'

# Joints.
run run chain n=5 --json --steps 20
holds "joints and rows are counted" 'd["joints"] == 5 and d["rows"] == 15 and d["solver"] == "tree"'
holds "joints are met" '0 < d["residual_max"] < 1e-12 and 0 < d["residual_rel"] < 1e-12 and set(d["markers"]) == {"tip"}'
run run hoberman --json --steps 0
holds "the Hoberman sphere of the paper" 'd["bodies"] == 240 and d["joints"] == 420 and d["rows"] == 1980'

# Structure and solvers.
run info chain n=40 --json
holds "a ball chain" 'd["solver"] == "chain" and d["bodies"] == d["moving"] == 40 and d["free"] == 0 and d["rows"] == 120
    and d["components"] == [{"count": 1, "structure": "chain", "solver": "chain", "bodies": 40, "joints": 40, "rows": 120,
                             "loop_rows": 0}]
    and d["flops"] > 0 and d["model_bytes"] > 0 and d["sim_bytes"] > d["factor_bytes"]'
run info hoberman --solver schur --json
holds "a solver by choice" 'd["solver"] == "schur" and d["components"][0]["structure"] == "graph"
    and 0 < d["components"][0]["loop_rows"] < d["rows"]'
run info tumbling n=7 --json
holds "free bodies" 'd["free"] == 7 and d["components"] == [] and d["solver"] == "free" and d["flops"] == 0'
prints '1 x chain: 40 bodies, 40 joints, 120 constraints, solver chain' info chain n=40
prints 'sim .* bytes per body' info net
run run chain n=10 --solver cg --steps 5 --json
holds "a run says its solver" 'd["solver"] == "cg"'
run run chain n=60 --solver gs --solves 1 --steps 3 --json
holds "sweeps that do not get there are told" '"unconverged" in d["flags"]'

# The list of cases.
run cases --json
holds "cases --json" '{"spinning-box", "t-handle", "free-top", "tumbling"} <= {c["name"] for c in d["cases"]}'
holds "cases --json: members" 'all(set(c) >= {"name", "summary", "dt", "time", "parameters"} for c in d["cases"])
    and all(set(p) >= {"name", "kind", "default", "help"} for c in d["cases"] for p in c["parameters"])'
names=$("$python" -c 'import json, sys; print(*(c["name"] for c in json.load(open(sys.argv[1]))["cases"]))' "$work/out")
for name in $names; do
    # shellcheck disable=SC2046
    run run "$name" $(small "$name") --json --steps 2
    holds "$name runs" 'd["status"] == "ok" and d["finite"]'
done

# The readable report.
run run t-handle
for pattern in '^t-handle: ' 'energy .* J at the start, .* J at the end: change [+-][0-9.e-]+ J' '^ +10  [+-]' 'solver iterations per step: mean [0-9.]+, max [0-9]+$' '7 flips, the first at 0\.67[0-9]+ s, then every 1\.4'; do
    grep -Eq "$pattern" "$work/out"
    report $? "the report has \"$pattern\""
done
[ "$(grep -cE '^ +[0-9.]+  [+-][0-9.]+e[+-][0-9]+  [+-][0-9.]+e[+-][0-9]+ ' "$work/out")" -eq 17 ]
report $? "17 rows over time"
prints '7 flips, the first at 0\.6755[0-9]* s, then every 1\.51[34][0-9]* s' run t-handle --rigid --integrator alpha
LC_ALL=C run run t-handle --time 3
grep -q '\*' "$work/out" && ! LC_ALL=C grep -q '[^ -~]' "$work/out"
report $? "a plot of stars without UTF-8"
LC_ALL=C.UTF-8 run run t-handle --time 3
! grep -q '\*' "$work/out" && grep -q '⠉' "$work/out"
report $? "a plot of dots with UTF-8"
run run t-handle --brief
[ "$(wc -l <"$work/out")" -lt 15 ] && grep -q 'marker tip' "$work/out"
report $? "--brief is short"
run run t-handle --quiet --time 0.1004
[ "$code" -eq 0 ] && [ ! -s "$work/out" ] && [ ! -s "$work/err" ]
report $? "--quiet prints nothing"
run run tumbling n=50
[ "$code" -eq 0 ] && grep -q 'angular velocity of body 0,' "$work/out"
report $? "many bodies: a table of the first"
run run incline --time 0.5
[ "$code" -eq 0 ] && grep -Eq 'contacts  tion, m' "$work/out" && grep -Eq '^  max contacts [0-9]+, max penetration [0-9.e-]+ m$' "$work/out" &&
    grep -q 'body "[a-z]*", m$\|marker [a-z]*, m$' "$work/out" && ! grep -q 'ground' <(sed -n '/iter/p' "$work/out")
report $? "contact: a table of contacts, and of a body that moves"
prints '1 body$' run spinning-box --steps 1 --brief
prints '1 step to 0' run spinning-box --steps 1 --brief

run run chain n=5 --time 1
for pattern in '5 joints with 15 constraints \(0 redundant\), 15 degrees of freedom$' 'marker tip, m' \
    '^ +1  [+-][0-9.]+e[+-][0-9]+  [+-][0-9.]+e[+-][0-9]+ +[0-9.]+e-[0-9]+ +[0-9]+ +[+-][0-9.]+ ' \
    'max constraint violation [0-9.]+e-1[0-9] m or rad'; do
    grep -Eq -- "$pattern" "$work/out"
    report $? "the report of a jointed case has \"$pattern\""
done
run run pendulum
[ "$code" -eq 0 ] && ! grep -q flip "$work/out" && grep -q 'angular velocity about' "$work/out"
report $? "a pendulum: a plot, no flips"

# The progress bar: on a terminal only, and not with --quiet. The run is ended when the bar is seen, or after the seconds given.
cat >"$work/terminal.py" <<'PY'
import os, pty, select, subprocess, sys, time
leader, follower = pty.openpty()
process = subprocess.Popen(sys.argv[2:], stdout=subprocess.DEVNULL, stderr=follower)
os.close(follower)
text = b""
end = time.monotonic() + float(sys.argv[1])
while process.poll() is None and b" left" not in text and time.monotonic() < end:
    if select.select([leader], [], [], 0.05)[0]:
        text += os.read(leader, 65536)
process.kill()
process.wait()
sys.stdout.buffer.write(text)
PY
long=(run tumbling n=1000 --steps 1e9 --json)
command="affix ${long[*]}"
"$python" "$work/terminal.py" 20 "$affix" "${long[@]}" >"$work/out" 2>"$work/err"
grep -aEq '\[[#.]+\] +[0-9]+ %  [0-9.e+]+ steps/s  [0-9a-z:]+ left' "$work/out"
report $? "progress bar on a terminal"
"$python" "$work/terminal.py" 0.5 "$affix" "${long[@]}" --quiet >"$work/out" 2>"$work/err"
[ ! -s "$work/out" ]
report $? "no progress bar with --quiet"

finish
