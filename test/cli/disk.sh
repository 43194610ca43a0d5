#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Disks that are full, files that may not grow, folders that are read-only: for every kind of output the error names the file and the
# reason, nothing is left that looks complete and is not, and no lock stays.
[ ! -w /dev/shm ] || export TMPDIR=/dev/shm # syncing to a disk takes long
. "$(dirname "$0")/common.bash"
cd "$work" || exit 1

kinds="out:a.h5 csv:a.csv gltf:a.glb vtk:a.pvd html:a.html snapshot:a.snap"
"$affix" run pendulum --steps 1 --quiet --html probe.html >/dev/null 2>&1 || kinds=${kinds/html:a.html/}

# fails <reason> <option> <file> <title>: after a run, the code, the message with the file's name and the reason, no lock, nothing new.
fails() {
    local reason=$1 file=$3 stem=${3%.*}
    [ "$code" -eq 1 ] && grep -Eq "^affix: $stem[._0-9a-z]*: .*$reason" err && [ "$(grep -c '^affix: ' err)" -ge 1 ] &&
        [ ! -e "$file.lock" ] && [ ! -e "$file.new" ]
    report $? "$4"
}

for kind in $kinds; do
    option=${kind%%:*} file=${kind#*:}
    # A run that writes more than the limit, with all its results printed nevertheless.
    code=0
    command="affix run chain --$option (files of at most 8 KiB)"
    (ulimit -f 8 && "$affix" run chain n=40 --time 3 "--$option" $file --json) >out 2>err || code=$?
    fails 'File too large' "$option" $file "--$option: a limit on the size of files"
    case $option in
    gltf | html | snapshot) [ ! -e $file ] ;;
    *) true ;;
    esac
    report $? "--$option: nothing looks complete that is not"
    rm -rf ./a*
done

# Folders that cannot be written. Root may write anywhere but where the file system is read-only.
shut=
if [ "$(id -u)" -ne 0 ]; then
    mkdir shut && chmod a-w shut && shut=yes && reason='Permission denied'
elif mkdir shut && mount -t tmpfs -o ro none shut 2>/dev/null; then
    trap 'umount "$work/shut" "$work/tiny" 2>/dev/null; rm -rf "$work"' EXIT
    shut=yes reason='Read-only file system'
fi
for kind in ${shut:+$kinds}; do
    option=${kind%%:*} file=shut/${kind#*:}
    run run pendulum --steps 5 "--$option" $file --quiet
    fails "$reason" "$option" $file "--$option: a folder that is read-only"
done

# Disks that are full from the start, and ones that fill.
for size in 4k 16k; do
    for kind in $kinds; do
        option=${kind%%:*} file=tiny/${kind#*:}
        mkdir -p tiny && mount -t tmpfs -o size=$size none tiny 2>/dev/null || break 2
        trap 'umount "$work/shut" "$work/tiny" 2>/dev/null; rm -rf "$work"' EXIT
        run run chain n=40 --time 3 "--$option" $file --json
        fails 'No space left on device' "$option" $file "--$option: a disk of $size"
        umount tiny
    done
done

finish
