#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Two runs on one output: the second says so and leaves the first's file alone; what a killed run leaves blocks nobody.
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm # syncing to a disk takes long
. "$(dirname "$0")/common.bash"
cd "$work" || exit 1

# starts <arguments...>: a run that goes on until it is killed; returns when its lock is there.
starts() {
    "$affix" run pendulum --steps 1000000000 --quiet "$@" >first.out 2>first.err &
    child=$!
    for _ in $(seq 300); do
        [ ! -s "$file.lock" ] || return 0
        sleep 0.02
    done
}

ends() {
    kill -"$1" $child
    wait $child 2>/dev/null
}

for kind in out:a.h5 csv:a.csv gltf:a.glb vtk:a.pvd html:a.html snapshot:a.snap; do
    option=${kind%%:*} file=${kind#*:}
    if [ "$option" = html ] && ! "$affix" run pendulum --steps 1 --quiet --html probe.html >/dev/null 2>&1; then
        echo "ok - no viewer in this build # SKIP: no page"
        continue
    fi
    starts "--$option" "$file"
    run run pendulum --steps 5 "--$option" "$file" --quiet
    [ "$code" -eq 1 ] && grep -Eq "^affix: $file: is being written by another run \(process $child\) \(wait until it has ended" err
    report $? "--$option: a second run is refused, and told by whom"
    kill -0 $child 2>/dev/null && [ ! -s first.err ]
    report $? "--$option: the first goes on"
    ends KILL
    [ -e "$file.lock" ]
    report $? "--$option: a killed run leaves its lock lying"
    run run pendulum --steps 5 "--$option" "$file" --quiet
    [ "$code" -eq 0 ] && [ -e "$file" ] && [ ! -e "$file.lock" ]
    report $? "--$option: which blocks nobody, and is gone after the next run"
done

# The first run's files are as if the second had never been.
file=b.csv
"$affix" run pendulum --steps 400000 --csv b.csv --every 100 --snapshot b.snap --snapshot-every 50000 --quiet >first.out 2>first.err &
child=$!
for _ in $(seq 200); do
    [ ! -s b.csv.lock ] || break
    sleep 0.01
done
for _ in 1 2 3; do
    "$affix" run pendulum --steps 3 --csv b.csv --quiet >/dev/null 2>&1
    "$affix" run pendulum --steps 3 --snapshot b.snap --quiet >/dev/null 2>&1
    "$affix" run --resume b.snap --quiet >/dev/null 2>&1
done
wait $child
code=$?
"$affix" run pendulum --steps 400000 --csv c.csv --every 100 --quiet >/dev/null 2>&1
[ "$code" -eq 0 ] && cmp -s b.csv c.csv && [ ! -e b.csv.lock ] && [ ! -e b.snap.lock ]
report $? "the first run's table has every row, and no lock is left"

# One file that is called otherwise: by a link that leads to it, one that leads to a link, or to what is not there yet.
ln -s real.csv link.csv && ln -s link.csv further.csv && mkdir -p deep && ln -s ../real.csv deep/up.csv
for first in real link; do
    rm -f real.csv real.csv.lock # what the killed one left would look like that of the next
    file=real.csv
    starts --csv $first.csv
    for second in real.csv link.csv further.csv deep/up.csv "$work/deep/up.csv"; do
        run run pendulum --steps 3 --csv "$second" --quiet
        [ "$code" -eq 1 ] && grep -q "is being written by another run (process $child)" err
        report $? "$first.csv is written, and $second is the same file"
    done
    ends KILL
done
ln -s round.csv round.csv
refuses 1 'round.csv: .*Too many levels of symbolic links' run pendulum --steps 3 --csv round.csv
file=t.jsonl
starts --trace t.jsonl
run run pendulum --steps 3 --trace t.jsonl --quiet
[ "$code" -eq 1 ] && grep -q "^affix: t.jsonl: is being written by another run (process $child)" err
report $? "--trace: a second run is refused"
ends KILL
run run pendulum --steps 3 --trace t.jsonl --csv t.jsonl --quiet
[ "$code" -eq 1 ] && [ ! -e t.jsonl.lock ]
report $? "--trace and --csv of one file are refused"
"$affix" run pendulum --steps 3 --snapshot s.snap --quiet && cp s.snap kept.snap
for option in csv out trace; do
    refuses 2 's.snap: is the snapshot that is read: it would be overwritten' run pendulum --from s.snap --steps 3 "--$option" s.snap
done
cmp -s s.snap kept.snap
report $? "a snapshot that is read is not overwritten by a table"

# What lies where a lock would, and is somebody's file, is not touched.
echo "my notes" >d.csv.lock
run run pendulum --steps 3 --csv d.csv --quiet
[ "$code" -eq 1 ] && grep -q '^affix: d.csv.lock: lies where a lock would, and is not one' err && [ "$(cat d.csv.lock)" = "my notes" ]
report $? "a file of that name that is no lock is left alone"
ln -s victim e.csv.lock
run run pendulum --steps 3 --csv e.csv --quiet
[ "$code" -eq 1 ] && [ ! -e victim ]
report $? "nor is a link followed"

# The same in a folder that cannot be written: the message is about the folder.
if [ "$(id -u)" -ne 0 ]; then
    mkdir closed && chmod a-w closed
    refuses 1 'closed/a.csv: cannot be made: Permission denied' run pendulum --csv closed/a.csv
fi

finish
