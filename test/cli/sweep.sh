#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# affix sweep: the same bytes for any number of threads and processes, after kills and full disks, and as affix run gives.
. "$(dirname "$0")/common.bash"
needs_python
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$work" || exit 1

# A tenth of the runs fail: negative masses are refused.
cat >study.json <<'END'
{"affix_sweep": 1, "scene": "four-bar", "run": {"dt": 0.01, "steps": 60},
 "design": {"kind": "sobol", "count": 200, "seed": 3},
 "vary": [{"param": "body.mass:*", "from": -0.5, "to": 4.5}, {"param": "gravity.z", "from": -20, "to": -1}],
 "record": ["energy.total", "max(joint:0)", "min(joint:1)", "peak(reaction:1)", "mean(joint:0)", "rms(joint:0)",
            "integral(joint:0)", "start(energy.total)"],
 "objective": {"minimise": {"of": "peak(reaction:1.fx)", "target": 30}},
 "series": {"what": ["time", "joint:0"], "every": 20}}
END
run sweep study.json --out one --jobs 1 --json --merge --replays 2
[ "$code" -eq 0 ] && json 'd["runs"] == 200 and 15 <= d["failed"] <= 25 and not d["stopped"] and d["processes"] == 1'
report $? "a sweep of which a tenth fails"
for jobs in 2 5; do
    run sweep study.json --out "jobs$jobs" --jobs "$jobs" --quiet --replays 0
    [ "$code" -eq 0 ] && cmp -s one/runs.csv "jobs$jobs/runs.csv"
    report $? "$jobs threads: equal bytes"
done

# Rows are runs of their own.
cat >rows.py <<'END'
import csv, json, subprocess, sys
affix = sys.argv[1]
rows = list(csv.DictReader(open("one/runs.csv")))
assert [int(r["run"]) for r in rows] == list(range(200)) and len({r["id"] for r in rows}) == 200
bad = [r for r in rows if r["status"] != "ok"]
assert all(r["status"] == "AFX_E_INPUT" and float(r["body.mass:*"]) <= 0 and "not allowed" in r["reason"] and
           r["objective"] == "nan" for r in bad)
for r in [r for r in rows if r["status"] == "ok"][::50]:
    given = "body.mass:*=%s,gravity.z=%s" % (r["body.mass:*"], r["gravity.z"])
    out = subprocess.run([affix, "run", "four-bar", "--dt", "0.01", "--steps", "60", "--set", given, "--json", "--csv",
                          "t.csv", "--columns", "time,energy.total,joint:0,joint:1,reaction:1.fx"],
                         check=True, capture_output=True, text=True)
    assert json.loads(out.stdout)["state_hash"] == r["state_hash"]
    table = list(csv.DictReader(open("t.csv")))
    column = lambda name: [float(t[name]) for t in table]
    angle, time = column("joint:0"), column("time")
    assert float(r["energy.total"]) == column("energy.total")[-1]
    assert float(r["start(energy.total)"]) == column("energy.total")[0]
    assert float(r["max(joint:0)"]) == max(angle) and float(r["min(joint:1)"]) == min(column("joint:1"))
    assert float(r["peak(reaction:1.fx)"]) == max(abs(x) for x in column("reaction:1.fx"))
    assert float(r["mean(joint:0)"]) == sum(angle) / 61
    assert abs(float(r["rms(joint:0)"]) - (sum(x * x for x in angle) / 61) ** .5) < 1e-14
    trapezoids = sum((time[k + 1] - time[k]) * (angle[k] + angle[k + 1]) / 2 for k in range(60))
    assert abs(float(r["integral(joint:0)"]) - trapezoids) < 1e-13
    assert abs(float(r["objective"]) - (float(r["peak(reaction:1.fx)"]) - 30) ** 2) < 1e-9
END
"$python" rows.py "$affix" 2>err
report $? "rows are what affix run --set gives, bit for bit"
# Parameters of a scene file, given and varied: the file is built anew, and what follows from them follows.
cat >files.py <<'END'
import csv, json, subprocess, sys
affix, root = sys.argv[1:]
rows = list(csv.DictReader(open("rope/runs.csv")))
assert len(rows) == 10 and all(r["status"] == "ok" for r in rows) and len({r["state_hash"] for r in rows}) == 10
for r in rows[::4]:
    out = subprocess.run([affix, "run", root + "/examples/rope.json", "links=8", "load=" + r["load"], "length=" + r["length"],
                          "--time", "0.5", "--json"], check=True, capture_output=True, text=True)
    assert json.loads(out.stdout)["state_hash"] == r["state_hash"], r
END
run sweep "$root/examples/rope-load.sweep.json" --out rope --quiet --replays 1
[ "$code" -eq 0 ] && [ -s rope/replays/run-"$(ls rope/replays | sed 's/run-//; s/.html//')".html ] && "$python" files.py "$affix" "$root" 2>err
report $? "parameters of a scene file, as affix run takes them"
sed "s|rope.json|$root/examples/rope.json|; s|\"links\": 8|\"lincs\": 8|" "$root/examples/rope-load.sweep.json" >wrong.json
refuses 3 'lincs.*did you mean links' sweep wrong.json --out wrong
sed "s|rope.json|$root/examples/rope.json|; s|\"links\": 8|\"links\": 8000|" "$root/examples/rope-load.sweep.json" >wrong.json
refuses 3 'links' sweep wrong.json --out wrong
prints '"dt": 0.01' run pendulum --steps 1 --set body.mass:rod=3 --json
refuses 3 '^affix: body.mass:stick: there is no such item \(there are 1, for example rod\)' run pendulum --set body.mass:stick=3
refuses 3 '^affix: body.mass:rod: this value is not allowed' run pendulum --set body.mass:rod=-3
refuses 2 '^affix: --set: "gravity.z" is not NAME=number' run pendulum --set gravity.z

# A load hangs on a spring with a table: where its samples carry 9.81 N, by name and by number.
cat >"$work/table.json" <<'END'
{"affix_scene": 1, "bodies": [{"name": "load", "position": [0, 0, -0.3], "shapes": [{"kind": "sphere", "radius": 0.05, "mass": 1}]}],
 "springs": [{"name": "s", "body_a": "load", "rest_length": 0.3, "damping": 20,
              "spring_table": {"positions": [-0.1, 0, 0.1], "forces": [-10, 0, 10]}}]}
END
for given in table:s.spring.2=10:0.3981 table:s.spring.2=20:0.356108 table:2=20:0.356108; do
    run run "$work/table.json" --time 5 --quiet --set "${given%:*}" --csv "$work/table.csv" --columns body:load.z
    python3 -c "
import sys
z = float(open('$work/table.csv').read().split()[-1])
sys.exit(abs(z + ${given##*:}) > 1e-4)"
    report $? "--set ${given%:*} makes the spring of a table so stiff"
done
refuses 3 '^affix: table:s.spring.3: there is no such item' run "$work/table.json" --set table:s.spring.3=1

# HDF5: the index finds every run, the merged file has them in order, and both have the numbers of the table.
if "$python" -c 'import h5py' 2>/dev/null; then
    cat >h5.py <<'END'
import csv, h5py, numpy as np
rows = list(csv.DictReader(open("jobs5/runs.csv")))
index, merged = h5py.File("jobs5/index.h5"), h5py.File("one/runs.h5")
assert index["values"].is_virtual and list(index["runs"]) == list(range(200)) == list(merged["run"])
names, row = list(index.attrs["values"]), index["row"][:]
for name in ("energy.total", "objective"):
    want = np.array([float(r[name]) for r in rows])
    np.testing.assert_array_equal(index["values"][:][row, names.index(name)], want)
    np.testing.assert_array_equal(merged["values"][:, names.index(name)], want)
np.testing.assert_array_equal(index["parameters"][:][row], merged["parameters"][:])
np.testing.assert_array_equal(index["series"][:][row], merged["series"][:])
good = merged["status"][:] == 0
np.testing.assert_allclose(merged["series"][:][good][:, :, 0], np.tile([0, .2, .4, .6], (good.sum(), 1)), rtol=1e-12)
assert np.isnan(merged["series"][:][~good]).all() and merged["series"].shape == (200, 4, 2)
END
    "$python" h5.py 2>err
    report $? "index and merged file"
else
    echo "SKIP: python3-h5py is not there"
fi

# A million runs have an index like any other; how long it took is said.
if [ -n "${AFFIX_TEST_LONG:-}" ] && "$python" -c 'import h5py' 2>/dev/null; then
    sed 's/"four-bar"/"pendulum"/; s/"steps": 60/"steps": 1/; s/"count": 200/"count": 1000000/; s/^ "record".*/ "record": ["energy.total"]}/' study.json | sed '/"record"/q' >million.json
    run sweep million.json --out million --json --replays 0
    [ "$code" -eq 0 ] && json 'd["runs"] == 1000000' && "$python" -c 'import h5py, numpy as np
index = h5py.File("million/index.h5")
assert (index["runs"][:] == np.arange(1000000)).all() and (index["run"][:][index["row"][:]] == index["runs"][:]).all()' 2>err
    report $? "a million runs: $(grep -E 'index_s|finish_s' out | tr -d '\n')"
    rm -rf million
fi

# The report is one page with its data.
cat >page.py <<'END'
import json, re
page = open("one/report.html", encoding="utf-8").read()
data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S).group(1))
assert data["runs"] == 200 and len(data["rows"]) == 200 and len(data["best"]) == 100
objective = [c["name"] for c in data["columns"]].index("objective") + 2
assert [r[objective] for r in data["best"]] == sorted(r[objective] for r in data["best"])
assert not re.search(r'(src|href)\s*=\s*"https?:', page)
END
"$python" page.py 2>err
report $? "the report"

# What is killed goes on; what is done is not done again.
for signal in KILL TERM INT; do
    rm -rf cut
    sed 's/"steps": 60/"steps": 4000/; s/"count": 200/"count": 40/; s/"every": 20/"every": 2000/' study.json >long.json
    [ -d whole ] || "$affix" sweep long.json --out whole --quiet --replays 0
    default=()
    [ "$signal" = KILL ] || default=(env --default-signal="$signal") # it may be ignored where this runs
    "${default[@]}" "$affix" sweep long.json --out cut --jobs 2 --quiet --replays 0 >out 2>err &
    child=$!
    for _ in $(seq 500); do
        [ "$(stat -c %s cut/journal/rank-00000.journal 2>/dev/null || echo 0)" -lt 1000 ] || break
        sleep 0.02
    done
    kill -"$signal" "$child"
    wait "$child" 2>/dev/null
    [ ! -e cut/runs.csv ] || [ "$(wc -l <cut/runs.csv)" -lt 41 ]
    part=$?
    run sweep long.json --out cut --resume --json --replays 0
    [ "$part" -eq 0 ] && [ "$code" -eq 0 ] && json '0 < d["resumed"] < 40 and d["runs"] == 40' && cmp -s whole/runs.csv cut/runs.csv
    report $? "SIG$signal, then --resume: equal bytes"
done
cp cut/journal/rank-00000.journal cut/journal/rank-00007.journal
run sweep long.json --out cut --resume --json --replays 0
[ "$code" -eq 0 ] && json 'd["runs"] == d["resumed"] == 40' && cmp -s whole/runs.csv cut/runs.csv
report $? "a run that two journals hold is one row"
refuses 3 'this folder holds runs of a sweep already \(add --resume' sweep study.json --out one
refuses 3 'is of another study, scene or version' sweep long.json --out one --resume
sed 's/"seed": 3/"seed": 4/' study.json >seed.json
refuses 3 'holds run 0 with other parameters' sweep seed.json --out one --resume

# A full disk: nothing is lost that was written.
for kilobytes in 1 20 60; do
    rm -rf full
    code=0
    (ulimit -f "$kilobytes" && "$affix" sweep study.json --out full --quiet --replays 0) >out 2>err || code=$?
    [ "$code" -eq 1 ] && grep -Eq 'cannot be written.*\(make room, then go on with --resume\)' err && [ ! -e full/runs.csv ] &&
        "$affix" sweep study.json --out full --resume --quiet --replays 0 && cmp -s one/runs.csv full/runs.csv
    report $? "a disk that is full after $kilobytes blocks, then --resume: equal bytes"
done

# Full while the files for people are made: HDF5 of the rank, the index, a replay. The process must not fall over what
# HDF5 keeps of a file that it could not write.
cat >small.json <<'END'
{"affix_sweep": 1, "scene": "pendulum", "run": {"dt": 0.01, "time": 1}, "design": "grid",
 "vary": [{"param": "body.mass:rod", "from": 1, "to": 5, "count": 20}], "record": ["energy"],
 "objective": {"maximise": "energy.total"}}
END
run sweep small.json --out small --json --replays 0
[ "$code" -eq 0 ] && json 'd["runs"] == 20' && "$python" -c 'import csv
rows = list(csv.DictReader(open("small/runs.csv")))
assert all(float(r["objective"]) == -float(r["energy.total"]) for r in rows)' 2>err
report $? "a grid; what is maximised is an objective of the other sign"
for limit in 4:rank-00000.h5 11:index.h5 100:replays/run-; do
    rm -rf full
    code=0
    command="affix sweep small.json with files of ${limit%%:*} blocks"
    (ulimit -f "${limit%%:*}" && "$affix" sweep small.json --out full --quiet --replays 1) >out 2>err || code=$?
    if [ "${limit#*:}" = replays/run- ] && "$affix" sweep small.json --out again --quiet --replays 1 && ! compgen -G "again/replays/run-*.html" >/dev/null; then
        echo "SKIP: this build has no viewer"
        continue
    fi
    [ "$code" -eq 1 ] && grep -q "^affix: full/${limit#*:}.*cannot be written: File too large (make room, then go on with --resume" err &&
        [ -z "$(find full -name '*.new' -o -name '*.part')" ] && "$affix" sweep small.json --out full --resume --quiet --replays 1 &&
        cmp -s small/runs.csv full/runs.csv && [ -e full/index.h5 ]
    report $? "${limit#*:} cannot be written, then --resume"
done

# Threads are as many as the cores that the process may use.
if command -v taskset >/dev/null; then
    code=0
    command="taskset affix sweep small.json"
    taskset -c "$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')" "$affix" sweep small.json --out bound --json --replays 0 >out 2>err || code=$?
    [ "$code" -eq 0 ] && json 'd["jobs"] == 1'
    report $? "one core, one thread"
fi

# Optimisers: the same for any number of workers, and resumed.
cat >optimise.json <<'END'
{"affix_sweep": 1, "scene": "pendulum", "run": {"dt": 0.01, "time": 0.3},
 "vary": [{"param": "gravity.z", "from": -20, "to": -1}, {"param": "gravity.x", "from": -5, "to": 5}],
 "objective": {"minimise": [{"of": "marker:tip.x", "target": 0.85}, {"of": "velocity:rod.wy", "target": 3.5}]},
 "optimiser": {"kind": "METHOD", "rounds": 12}}
END
for method in cma-es cross-entropy gauss-newton l-bfgs; do
    sed "s/METHOD/$method/" optimise.json >this.json
    rm -rf a b
    "$affix" sweep this.json --out a --jobs 1 --quiet --replays 0 && "$affix" sweep this.json --out b --jobs 3 --quiet --replays 0
    cmp -s a/runs.csv b/runs.csv
    same=$?
    truncate -s -1500 b/journal/rank-00000.journal
    run sweep this.json --out b --resume --json --replays 0
    [ "$same" -eq 0 ] && [ "$code" -eq 0 ] && json 'd["resumed"] > 0 and d["best_objective"] < 0.02' && cmp -s a/runs.csv b/runs.csv
    report $? "$method: equal bytes for 1 and 3 threads, and resumed"
done

# MPI.
if command -v mpirun >/dev/null && [ -e "$(dirname "$affix")/affix_mpi.so" ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    for ranks in 1 2 5; do
        timeout 300 mpirun -n "$ranks" "$affix" sweep study.json --out "mpi$ranks" --quiet --replays 0 >out 2>err </dev/null
        code=$?
        [ "$code" -eq 0 ] && cmp -s one/runs.csv "mpi$ranks/runs.csv" && [ "$(ls mpi"$ranks"/rank-*.h5 | wc -l)" -eq "$ranks" ]
        report $? "$ranks processes: equal bytes"
    done
    sed "s/METHOD/cma-es/" optimise.json >this.json
    rm -rf a b
    "$affix" sweep this.json --out a --quiet --replays 0
    timeout 300 mpirun -n 3 "$affix" sweep this.json --out b --quiet --replays 0 >out 2>err </dev/null && cmp -s a/runs.csv b/runs.csv
    report $? "cma-es on 3 processes: equal bytes"
    for which in tail head; do # the last rank; with AFFIX_TEST_LONG the first one too, which hands out
        [ "$which" = tail ] || [ -n "${AFFIX_TEST_LONG:-}" ] || continue
        rm -rf cut
        timeout 300 mpirun -n 3 "$affix" sweep long.json --out cut --quiet --replays 0 >out 2>err </dev/null &
        child=$!
        for _ in $(seq 1000); do
            [ "$(cat cut/journal/rank-*.journal 2>/dev/null | wc -c)" -lt 3000 ] || break
            sleep 0.02
        done
        victim=$(pgrep -f "^$affix sweep long.json --out cut" | "$which" -n 1)
        kill -KILL "$victim"
        wait "$child" 2>/dev/null
        [ ! -e cut/runs.csv ] && timeout 300 mpirun -n 2 "$affix" sweep long.json --out cut --resume --quiet --replays 0 >out 2>err </dev/null &&
            cmp -s whole/runs.csv cut/runs.csv
        report $? "kill -9 of a rank of three ($which), resumed on two: equal bytes"
    done
    timeout 300 mpirun -n 2 "$affix" sweep nothing.json --out none >out 2>err </dev/null
    [ $? -ne 0 ] && [ "$(grep -c '^affix: nothing.json: cannot be read' err)" -eq 1 ]
    report $? "an error of all processes is said once"
elif nm "$affix" | grep -q '__[at]san_init'; then
    echo "builds with sanitizers have no MPI: its library keeps memory until the end"
else
    echo "SKIP: no mpirun, or built without MPI (tools/deps mpi installs it)"
fi

# Designs from lists and tables, choices, and what is wrong with a study.
printf '\357\273\277gravity.z,name,"angle"\r\n-1,a,10\r\n-2,b,20.5\r\n' >points.csv # as spreadsheets write it
cat >table.json <<'END'
{"affix_sweep": 1, "scene": "pendulum", "run": {"steps": 3}, "design": {"kind": "csv", "file": "points.csv"},
 "vary": ["angle", "gravity.z"], "record": ["marker:tip.z"]}
END
run sweep table.json --out table --quiet
[ "$code" -eq 0 ] && cut -d, -f4,5 table/runs.csv | tr '\n' ' ' | grep -q '^angle,gravity.z 10,-1 20.5,-2 $'
report $? "points from a table"
run run pendulum angle=20.5 --steps 3 --set gravity.z=-2 --json
[ "$(hash)" = "$(tail -n 1 table/runs.csv | sed 's/.*,\([0-9a-f]*\),$/\1/')" ]
report $? "parameters of the case and of the run together, as affix run has them"
for design in '{"kind": "list", "points": [[10, -1], [20.5, -2]]}' '{"kind": "random", "count": 2, "seed": 5}'; do
    "$python" -c 'import json, sys
study = json.load(open("table.json")); study["design"] = json.loads(sys.argv[1])
study["run"].update(iterations=3, integrator="sdirk2")
study["vary"] = [{"param": "angle", "from": 5, "to": 20}, {"param": "gravity.z", "normal": {"mean": -1, "sd": 0.1}}]
json.dump(study, open("design.json", "w"))' "$design"
    rm -rf design
    run sweep design.json --out design --quiet
    IFS=, read -r _ _ _ angle gravity _ _ last _ <<<"$(tail -n 1 design/runs.csv)"
    run run pendulum "angle=$angle" --steps 3 --iterations 3 --integrator sdirk2 --set "gravity.z=$gravity" --json
    [ "$code" -eq 0 ] && [ "$(wc -l <design/runs.csv)" -eq 3 ] && [ "$(hash)" = "$last" ]
    report $? "the design $design, as affix run has it"
done
cat >formulation.json <<'END'
{"affix_sweep": 1, "scene": "chain", "run": {"steps": 3, "formulation": "abd-vanilla"}, "vary": [{"param": "gravity.z", "values": [-2]}]}
END
run sweep formulation.json --out formulation --quiet
last=$(tail -n 1 formulation/runs.csv | cut -d, -f6)
run run chain --steps 3 --formulation abd-vanilla --set gravity.z=-2 --json
[ "$code" -eq 0 ] && [ "$(hash)" = "$last" ]
report $? "another formulation, as affix run has it"
while IFS='|' read -r change pattern; do
    "$python" -c 'import json, sys
study = json.load(open("study.json")); study.update(json.loads(sys.argv[1])); json.dump(study, open("wrong.json", "w"))' "$change"
    refuses 3 "$pattern" sweep wrong.json --out wrong
done <<'END'
{"scene": "fourbar"}|wrong.json: scene: there is no case .fourbar. .did you mean four-bar
{"scene": "nothing.json"}|nothing.json
{"run": {"dt": 0}}|run.dt: is not a number that is allowed here
{"run": {"time": 1, "steps": 3}}|time and steps exclude each other
{"vary": []}|vary: must be an array
{"vary": [{"param": "body.mass:0", "from": 3, "to": 1}]}|vary.0.: needs from <= to
{"vary": [{"param": "body.mass:0", "values": [1]}, {"param": "body.mass:0", "values": [2]}]}|vary.1.: body.mass:0 is varied already
{"run": {"formulation": "abd"}}|run.formulation: is none of those
{"vary": [{"param": "body.mass:0.x", "from": 1, "to": 3}]}|body.mass:0.x: there is no such component
{"design": {"kind": "latin"}}|design: is none of those that there are .there are grid, random, sobol, list, csv
{"design": "random"}|design.count: how many runs
{"record": ["median(joint:0)"]}|there is no such reduction
{"record": ["joint:9"]}|there is no such joint
{"objective": {"minimise": "reaction:1"}}|stands for 6 numbers
{"optimiser": "simplex"}|optimiser.kind: is none of those
{"speed": 1}|has no member .speed.
END
printf '{"affix_sweep": 1,\n "scene": }' >wrong.json
refuses 3 'wrong.json:2: JSON syntax' sweep wrong.json
refuses 2 'which study' sweep
refuses 2 '^affix: --jobs' sweep study.json --jobs 0

# Schema and reader agree on the examples; those without models of others run.
for study in "$root"/examples/*.sweep.json; do
    name=$(basename "$study" .sweep.json)
    if "$python" -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null; then
        "$python" -c 'import json, sys
from jsonschema import Draft202012Validator
Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.load(open(sys.argv[2])))' "$root/schema/affix-sweep.schema.json" "$study" 2>err
        report $? "the schema allows examples/$name.sweep.json"
    fi
done
"$python" -c 'import json
study = json.load(open("'"$root"'/examples/klann-motor.sweep.json"))
study["design"]["count"], study["run"] = 3, {"steps": 5}
json.dump(study, open("klann.json", "w"))'
run sweep klann.json --out klann --json --replays 0
[ "$code" -eq 0 ] && json 'd["runs"] == 3 and d["failed"] == 0'
report $? "the walker's study, cut short"

finish
