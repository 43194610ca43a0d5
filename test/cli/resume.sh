#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs that are killed at random moments and resumed end with the files and the state of a run that was not: 30 kills (every cut of a write is in test_torn.c), 20 under
# sanitizers, with AFFIX_TEST_LONG 200. Then snapshots that are damaged, and what may change when a run is resumed.
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm # syncing to a disk takes long
. "$(dirname "$0")/common.bash"
needs_python
"$python" -c 'import h5py' 2>/dev/null || { echo "SKIP: python3-h5py is not there"; exit 0; }
cd "$work" || exit 1

kills=30
! grep -qs '^AFFIX_SANITIZE:STRING=.' "$(dirname "$affix")/CMakeCache.txt" || kills=20
[ -z "${AFFIX_TEST_LONG:-}" ] || kills=200
command=
"$python" - "$affix" "$kills" >out 2>err <<'PY'
import h5py, hashlib, json, os, random, shutil, subprocess, sys, tempfile, time

affix, wanted = sys.argv[1], int(sys.argv[2])
random.seed(4)
folder = tempfile.mkdtemp()
os.chdir(folder)

# Many small frames with all outputs; few large ones, of which snapshots take most of the time.
scenes = [
    (["chain", "n=4", "--steps", "2500", "--record", "all", "--every", "3", "--chunk", "32", "--snapshot-every", "97",
      "--columns", "time,energy,body:0,joint:0,flags"], ["h5", "csv", "glb"]),
    (["tumbling", "n=900", "--steps", "60", "--chunk", "4", "--snapshot-every", "2", "--integrator", "alpha"], ["h5"]),
]
options = {"h5": "--out", "csv": "--csv", "glb": "--gltf"}


def command(scene, outputs, name):
    files = [word for e in outputs for word in (options[e], name + "." + e)]
    return [affix, "run"] + scene + files + ["--snapshot", name + ".snap", "--json"]


def contents(path, **mode):
    with h5py.File(path, "r", **mode) as f:
        found = {"attributes": sorted((k, str(v)) for k, v in f.attrs.items())}
        f.visititems(lambda n, o: found.update({n: (o.shape, hashlib.md5(o[...].tobytes()).hexdigest())})
                     if isinstance(o, h5py.Dataset) else None)
        return found


def results(name, outputs):
    return [contents(name + ".h5") if e == "h5" else open(name + "." + e, "rb").read() for e in outputs]


def readable(path):
    """Whether a file that was cut can be read as it is. A reader of HDF5 waits for a writer that was killed within its
    metadata: it has a process of its own, and a few seconds."""
    reader = os.fork()
    if reader == 0:
        try:
            contents(path, swmr=True)
            os._exit(0)
        except BaseException:
            os._exit(1)
    for _ in range(100):
        pid, status = os.waitpid(reader, os.WNOHANG)
        if pid:
            assert status == 0, ("cannot be read", path, status)
            return True
        time.sleep(0.1)
    os.kill(reader, 9)
    os.waitpid(reader, 0)
    return False


done = stuck = 0
try:
    while done < wanted:
        for scene, outputs in scenes:
            begin = time.monotonic()
            report = json.loads(subprocess.run(command(scene, outputs, "whole"), capture_output=True, check=True).stdout)
            whole = time.monotonic() - begin
            want = results("whole", outputs)
            for path in os.listdir("."):
                if path.startswith("cut."):
                    os.unlink(path)
            words, left = command(scene, outputs, "cut"), 10
            while True:
                process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                try:
                    out, err = process.communicate(timeout=random.random() * 0.6 * whole if left > 0 else 60 + 20 * whole)
                    break
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.communicate()
                    assert left > 0, ("does not end", words)
                done, left = done + 1, left - 1
                if os.path.exists("cut.h5"):
                    stuck += not readable("cut.h5")
                if any(os.path.exists("cut.snap" + e) for e in ("", ".1")):
                    words = [affix, "run", "--resume", "cut.snap"]
            assert process.returncode == 0, (process.returncode, err)
            got = json.loads(out)
            for key in ("state_hash", "steps", "time", "flags", "residual_max", "contacts_max", "depth_max", "solves_mean", "energy_first", "energy_last"):
                assert got[key] == report[key], (key, got[key], report[key])
            for kind, a, b in zip(outputs, want, results("cut", outputs)):
                assert a == b, (kind, done)
            assert not os.path.exists("cut.h5.new") and not os.path.exists("cut.h5.redo") and not os.path.exists("cut.snap.new")
finally:
    shutil.rmtree(folder)
assert 4 * stuck <= done, (stuck, done)
print(done)
PY
code=$?
[ "$code" -eq 0 ] && [ "$(cat out)" -ge "$kills" ]
report $? "killed $kills times and more, and nothing is missing, twice or different"

# The one before a damaged snapshot is used, and the user told.
scene=(four-bar --steps 600 --snapshot s --snapshot-every 200)
run run "${scene[@]}" --out whole.h5 --json
want=$(hash)
cut_at_400() { # a run that ended after its second snapshot
    rm -f s s.1
    "$affix" run four-bar --steps 400 --snapshot s --snapshot-every 200 --out a.h5 --chunk 64 --json >out 2>err
}
# spoil <file>: changes a byte in its middle.
spoil() {
    printf 'X' | dd of="$1" bs=1 seek=$(($(stat -c %s "$1") / 2)) conv=notrunc 2>/dev/null
}
cut_at_400
run run --resume s --steps 600 --json
[ "$code" -eq 0 ] && [ "$(hash)" = "$want" ] && grep -q '^affix: note: going on from step 400, time' err && json 'd["resumed_step"] == 400'
report $? "from the newest snapshot"
cut_at_400
spoil s
run run --resume s --steps 600 --json
[ "$code" -eq 0 ] && [ "$(hash)" = "$want" ] && json 'd["resumed_step"] == 200' &&
    grep -q '^affix: note: s: is damaged: its checksum is wrong; going on from the snapshot before it, s.1, at step 200$' err
report $? "from the one before, when it is damaged"
"$python" -c '
import h5py
a, b = h5py.File("a.h5", "r"), h5py.File("whole.h5", "r")
assert (a["step"][:] == range(601)).all() and (a["poses"][:] == b["poses"][:]).all()' 2>>err
report $? "with the same trajectory"
cut_at_400
rm s
run run --resume s --steps 600 --quiet
[ "$code" -eq 0 ] && grep -q 'going on from the snapshot before it, s.1' err
report $? "from the one before, when it is gone; said with --quiet too"
cut_at_400
: >s
spoil s.1
refuses 3 '^affix: s: is empty$' run --resume s
refuses 3 '^affix: none: cannot be opened: No such file' run --resume none
refuses 3 '^affix: a.h5: is not a snapshot$' run --resume a.h5

# Shapes that touch: what their points remember is part of the snapshot.
for words in "falling-joints pairs=12 --time 1.2" "pulley --time 0.5" "stack n=4 --time 0.5" "ragdolls count=1 --time 0.4"; do
    run run $words --json
    touching=$(hash)
    half=$("$python" -c 'import json; print(json.load(open("out"))["steps"] // 4 * 3)')
    run run ${words% --time*} --steps "$half" --snapshot t --json
    run run --resume t --time "${words#* --time }" --json
    [ "$code" -eq 0 ] && [ "$(hash)" = "$touching" ] && json "d['resumed_step'] == $half and d['contacts_max'] > 0"
    report $? "with contacts, bit for bit: ${words% --time*}"
done

# What may change, and what may not.
cut_at_400
run run four-bar --resume s --steps 600 --snapshot s --threads 2 --lanes 1 --json
[ "$code" -eq 0 ] && [ "$(hash)" = "$want" ]
report $? "the same words again, other threads and lanes"
cut_at_400
refuses 2 '^affix: pendulum: the snapshot is of another run: of four-bar ' run pendulum --resume s
refuses 2 '^affix: --dt: cannot change when a run is resumed; it was not given ' run --resume s --dt 0.1
refuses 2 '^affix: --out: cannot change when a run is resumed; it was a.h5 ' run --resume s --out b.h5
refuses 2 '^affix: snapshot: was taken at step 400, after the end of the run at 300 ' run --resume s --steps 300
refuses 2 '^affix: --snapshot-every: needs --snapshot' run four-bar --snapshot-every 3
rm a.h5
refuses 1 '^affix: a.h5: cannot be opened to go on from' run --resume s --steps 600
cut_at_400
truncate -s 2000 a.h5
refuses 1 '^affix: a.h5: cannot be opened to go on from: truncated file' run --resume s --steps 600
cut_at_400
"$affix" run pendulum --steps 500 --out a.h5 --chunk 64 --quiet >/dev/null
run run --resume s --steps 600
[ "$code" -eq 3 ] && grep -q '^affix: a.h5: is not the trajectory that the run was writing' err
report $? "another trajectory under that name is refused"
run convert four-bar scene.json
run run scene.json --steps 40 --snapshot f.snap --quiet
sed 's/"gravity": *\[[^]]*\]/"gravity": [0, 0, -1]/' scene.json >changed.json
! cmp -s scene.json changed.json && mv changed.json scene.json
run run --resume f.snap --steps 60
[ "$code" -eq 3 ] && grep -q '^affix: snapshot: is of another model than this one (use the scene' err
report $? "a scene file that was changed is refused"

# Everything can be made longer afterwards, an animation too.
"$affix" run hand --steps 60 --gltf whole.glb --csv whole.csv --json >/dev/null 2>&1
"$affix" run hand --steps 25 --gltf g.glb --csv g.csv --snapshot g.snap --json >/dev/null 2>&1
run run --resume g.snap --steps 60
[ "$code" -eq 0 ] && cmp -s whole.glb g.glb && cmp -s whole.csv g.csv
report $? "a run that was complete, made longer"

# Ctrl-C and kill: everything is written, and the run can go on.
# The signal may be ignored where this runs, and is then by what it starts, so it gets its default back.
env --default-signal=TERM "$affix" run chain n=4 --steps 1000000 --out t.h5 --snapshot t.snap --json >out 2>err &
child=$!
for _ in $(seq 200); do
    [ ! -e t.h5 ] || break
    sleep 0.02
done
kill -TERM $child
wait $child
[ $? -eq 143 ] && grep -q '^affix: note: interrupted after step [0-9]*; to go on: affix run --resume t.snap$' err && json 'd["steps"] < 1000000'
report $? "ended by a signal, with a report"
steps=$(sed -n 's/^ *"steps": \([0-9]*\),$/\1/p' out)
run run --resume t.snap --steps $((steps + 50)) --json
[ "$code" -eq 0 ] && "$python" -c '
import h5py, sys
assert len(h5py.File("t.h5", "r")["time"]) == int(sys.argv[1]) + 51' "$steps" 2>>err
report $? "and resumed"
resumed=$(hash)
run run chain n=4 --steps $((steps + 50)) --json
[ "$(hash)" = "$resumed" ]
report $? "to the same bits"

finish
