#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Files that a run writes: trajectories, also while they are written, tables, animations; and files that cannot be written.
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm # syncing to a disk takes long
. "$(dirname "$0")/common.bash"
needs_python
"$python" -c 'import h5py' 2>/dev/null || { echo "SKIP: python3-h5py is not there"; exit 0; }
cd "$work" || exit 1

# h5 <file> [<title> <python expression over f, np, d (the JSON report in out)>]...
h5() {
    while read -r verdict title; do
        report "$verdict" "$title"
    done < <("$python" -c '
import h5py, json, sys
import numpy as np
f = h5py.File(sys.argv[1], "r")
d = json.load(open("out"))
for title, check in zip(sys.argv[2::2], sys.argv[3::2]):
    try:
        fine = eval("(" + check + ")")
    except Exception as error:
        fine = print("%s: %s: %s" % (title, type(error).__name__, error), file=sys.stderr)
    print(0 if fine else 1, title)' "$@" 2>>"$work/err" || echo "1 $1 can be opened")
}

# A trajectory says what the report says.
run run four-bar --time 2 --out a.h5 --json
h5 a.h5 "a frame for the start and for every step" \
    'f["time"].shape == (d["steps"] + 1,) and abs(f["time"][-1] - d["time"]) < 1e-12' \
    "energies as in the report" 'f["energy"][0, 3] == d["energy_first"] and f["energy"][-1, 3] == d["energy_last"]' \
    "residuals and solves as in the report" \
    'f["report/residual"][:].max() == d["residual_max"] and f["report/solves"][:].max() == d["solves_max"]' \
    "poses with unit quaternions" \
    'f["poses"].shape == (d["steps"] + 1, d["bodies"], 7) and np.allclose((f["poses"][:, :, 3:] ** 2).sum(2), 1)' \
    "what ran is in the attributes" \
    'f.attrs["format"] == "affix-trajectory" and f.attrs["integrator"] == "bdf2" and f.attrs["dt"] == d["dt"]
    and f.attrs["program"].startswith("affix ") and f.attrs["title"] == "four-bar" and len(f.attrs["model_hash"]) == 16' \
    "names are in the file" 'len(f["model/bodies"]) == d["bodies"] and len(f["model/joint_first"]) == d["joints"] + 1' \
    "chunked, compressed, with checksums, extendable" \
    'f["poses"].chunks and f["poses"].compression == "gzip" and f["poses"].shuffle and f["poses"].fletcher32
    and f["poses"].maxshape[0] is None' \
    "the default leaves out what is large" '"velocities" not in f and "reactions" not in f'
run run hand --steps 40 --out b.h5 --record all --every 7 --compress 0 --chunk 3 --json
h5 b.h5 "--every, --chunk, --compress" \
    'list(f["step"][:]) == [0, 7, 14, 21, 28, 35] and f["poses"].chunks[0] == 3 and f["poses"].compression is None' \
    "--record all" \
    '"velocities" in f and "reactions" in f and f["efforts"].shape == (6, 10) and "momentum" in f
    and f["joints"].shape[1] == f["model/joint_first"][-1]'
run run hand --steps 3 --out c.h5 --record velocities --json
h5 c.h5 "--record velocities" 'sorted(f) == ["drawings", "model", "report", "scene", "step", "time", "velocities"]'

# It can be read while it is written, and after the run was killed.
"$affix" run chain n=4 --steps 1e9 --out live.h5 --quiet >out 2>err &
child=$!
"$python" - <<'PY'
import h5py, sys, time
end = time.monotonic() + 20
lengths = []
while len(set(lengths)) < 4 and time.monotonic() < end:
    try:
        with h5py.File("live.h5", "r", swmr=True) as f:
            n = len(f["time"])
            t = f["time"][:n]
            assert all(abs(x - 0.01 * k) < 1e-9 for k, x in enumerate(t))
            assert len(f["poses"]) >= n and len(f["report/flags"]) >= n
            f["poses"][:n]
            lengths.append(n)
    except OSError:
        pass
    time.sleep(0.01)
sys.exit(0 if len(set(lengths)) >= 4 else 1)
PY
report $? "h5py sees a run grow"
kill -KILL $child
wait $child 2>/dev/null
"$python" -c '
import h5py
f = h5py.File("live.h5", "r", swmr=True)
n = len(f["time"])
assert n > 0 and f["poses"][:n].shape[0] == n' 2>>err
report $? "h5py reads what a killed run left"
run plot live.h5 -o live.svg
[ "$code" -eq 0 ]
report $? "affix plot reads it too"

# What touches.
run run net-cylinder k=4 --time 0.4 --dt 0.01 --out c.h5 --csv c.csv --columns contacts,depth --every 3 --json
h5 c.h5 "contacts and depth as in the report" \
    '0 < f["report/contacts"][:].max() == d["contacts_max"] and 0 < f["report/depth"][:].max() == d["depth_max"]' \
    "and in the table" \
    'np.array_equal(np.loadtxt("c.csv", delimiter=",", skiprows=1), np.stack([f["report/contacts"][:], f["report/depth"][:]], 1))'

# Tables have the same numbers.
run run four-bar --time 2 --csv a.csv --columns time,energy,body:0,joint:1,residual --json
"$python" -c '
import csv, h5py
rows = list(csv.reader(open("a.csv")))
f = h5py.File("a.h5", "r")
names = ["time"] + ["energy." + n for n in f["energy"].attrs["components"].split()]
names += ["body:0." + n for n in f["poses"].attrs["components"].split()] + ["joint:1", "residual"]
assert rows[0] == names, rows[0]
assert len(rows) == len(f["time"]) + 1
first = f["model/joint_first"][1]
for k, row in enumerate(rows[1:]):
    want = [f["time"][k]] + list(f["energy"][k]) + list(f["poses"][k, 0]) + [f["joints"][k, first], f["report/residual"][k]]
    assert [float(x) for x in row] == want, k' 2>>err
report $? "a table holds the numbers of the trajectory"

# Animations.
run run hand --steps 20 --gltf a.glb --vtk a.pvd --every 5 --json
"$python" -c '
import json, struct
data = open("a.glb", "rb").read()
magic, version, length, size, kind = struct.unpack("<4sIII4s", data[:20])
assert magic == b"glTF" and version == 2 and length == len(data) and kind == b"JSON"
g = json.loads(data[20:20 + size])
assert g["asset"]["version"] == "2.0" and len(g["animations"][0]["channels"]) == 2 * 15
assert g["accessors"][g["animations"][0]["samplers"][0]["input"]]["count"] == 5
' 2>>err && [ ! -e a.glb.part ]
report $? "a .glb of 15 moving bodies and 5 frames"
"$python" -c '
import xml.etree.ElementTree as e
sets = e.parse("a.pvd").getroot().findall(".//DataSet")
assert [s.get("file") for s in sets] == ["a_%06d.vtp" % k for k in range(5)]
assert all(open(s.get("file"), "rb").read().startswith(b"<?xml") for s in sets)' 2>>err
report $? "a series for VTK"

# What cannot be written.
refuses 1 '^affix: none/a.h5: cannot be made: No such file' run t-handle --out none/a.h5
refuses 1 '^affix: none/a.csv: cannot be made: No such file' run t-handle --csv none/a.csv
refuses 1 '^affix: none/a.glb: cannot be made: No such file' run t-handle --gltf none/a.glb
mkdir folder
refuses 1 '^affix: none/a.snap: cannot be made: No such file' run t-handle --snapshot none/a.snap
refuses 1 '^affix: folder: is not a regular file' run t-handle --snapshot folder
refuses 1 '^affix: folder: is a folder' run t-handle --out folder
refuses 1 '^affix: /dev/null: is not a regular file' run t-handle --gltf /dev/null
refuses 3 '^affix: record "heat": there is no such thing to record \(there are all, poses, ' run t-handle --out a.h5 --record heat
refuses 3 '^affix: column "body:leg.z": there is no such body ' run hand --csv a.csv --columns time,body:leg.z
refuses 2 '^affix: --record: needs --out ' run t-handle --record poses
refuses 2 '^affix: --columns: needs --csv ' run t-handle --columns time
refuses 2 '^affix: --every: needs an output ' run t-handle --every 2
refuses 2 '^affix: --every: ' run t-handle --csv a.csv --every 0
refuses 2 '^affix: --compress: .*0 to 9' run t-handle --out a.h5 --compress 10
refuses 2 '^affix: a: is the file of --out and of --csv ' run t-handle --out a --csv a
if [ "$(id -u)" -ne 0 ]; then
    mkdir closed
    chmod a-w closed
    refuses 1 'closed/a.h5: cannot be made: Permission denied' run t-handle --out closed/a.h5
fi

# A full disk: the error names the file, the result is printed all the same.
if [ -w /dev/full ]; then
    run run t-handle --csv /dev/full --json
    [ "$code" -eq 1 ] && grep -q '^affix: /dev/full: cannot be written: No space left on device' err && json 'd["steps"] == 10000 and d["status"] == "ok"'
    report $? "a table on a full disk"
fi
for kilobytes in 1 30 100; do
    code=0
    command="affix run chain (files of at most $kilobytes KiB)"
    (ulimit -f $kilobytes && "$affix" run chain n=6 --time 20 --out full.h5 --record all --chunk 32 --json) >out 2>err || code=$?
    if [ $kilobytes -eq 1 ]; then # not even the beginning
        [ "$code" -eq 1 ] && grep -q '^affix: full.h5: cannot be written: File too large' err && [ ! -e full.h5 ] && [ ! -e full.h5.new ]
    else
        [ "$code" -eq 1 ] && grep -q '^affix: full.h5: cannot be written: File too large' err && json 'd["steps"] == 2000' &&
            "$python" -c '
import h5py
f = h5py.File("full.h5", "r", swmr=True)
n = len(f["time"])
assert n > 0 and (f["step"][:n] == range(n)).all() and f["reactions"][:n].shape[0] == n' 2>>err
    fi
    report $? "files of at most $kilobytes KiB"
    rm -f full.h5
done
if mkdir small && mount -t tmpfs -o size=200k none small 2>/dev/null; then
    trap 'umount "$work/small" 2>/dev/null; rm -rf "$work"' EXIT
    run run chain n=6 --time 20 --out small/a.h5 --record all --chunk 32 --csv small/a.csv --json
    [ "$code" -eq 1 ] && grep -q '^affix: small/a.h5: cannot be written: No space left on device (make room' err && json 'd["steps"] == 2000'
    report $? "a small disk that fills"
    rm -f small/*
    run run chain n=6 --time 20 --snapshot small/a.snap --snapshot-every 50 --out small/b.h5 --record all --json
    [ "$code" -eq 1 ] && grep -q 'No space left on device' err && json 'd["steps"] < 2000'
    report $? "a run with snapshots stops when its disk is full"
    mount -t tmpfs -o remount,size=4m none small
    run run --resume small/a.snap --steps 600 --json
    [ "$code" -eq 0 ] && json 'd["steps"] == 600' && "$python" -c '
import h5py
assert list(h5py.File("small/b.h5", "r")["step"]) == list(range(601))' 2>>err
    report $? "and goes on when there is room"
    umount small
fi

finish
