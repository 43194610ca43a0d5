#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# affix plot: pictures of trajectories and tables.
. "$(dirname "$0")/common.bash"
needs_python
cd "$work" || exit 1

run run slider-crank --out a.h5 --record all --csv a.csv --columns time,energy,joint:0,residual --quiet

# svg <file> <python expression over s (the text), paths, texts>
svg() {
    "$python" -c '
import sys, xml.etree.ElementTree as e
s = open(sys.argv[1], encoding="utf-8").read()
root = e.fromstring(s)
ns = "{http://www.w3.org/2000/svg}"
paths = [p.get("d") for p in root.iter(ns + "path")]
texts = ["".join(t.itertext()) for t in root.iter(ns + "text")]
sys.exit(0 if eval("(" + sys.argv[2] + ")") else 1)' "$1" "$2" 2>>"$work/err"
}

run plot a.h5 -o a.svg
[ "$code" -eq 0 ] && svg a.svg 'len(paths) == 4 and all(p.startswith("M") and p.count("L") > 100 for p in paths)'
report $? "energy by default: four curves"
svg a.svg '{"energy.kinetic", "energy.potential", "energy.elastic", "energy.total", "time, s", "energy, J", "a.h5"} <= set(texts)'
report $? "with labels, legend and title"
run plot a.h5 --what residual,joint:0,energy.total --out b.svg --title 'Crank & <rod>'
[ "$code" -eq 0 ] && svg b.svg 'len(paths) == 3 and "Crank & <rod>" in texts and "constraint violation, m or rad" in texts and any(t.startswith("10-") for t in texts)'
report $? "panels of their own, a logarithmic axis for residuals"
run plot a.csv --what energy,joint:0 -o c.svg
[ "$code" -eq 0 ] && svg c.svg 'len(paths) == 5'
report $? "of a table"
run plot a.csv --what energy -o -
[ "$code" -eq 0 ] && svg out 'len(paths) == 4'
report $? "on stdout"
cat a.csv >d.csv
run plot d.csv --what joint:0 -o d.svg
run plot a.h5 --what joint:0 -o e.svg --title d.csv
cmp -s d.svg e.svg
report $? "trajectory and table give the same picture"
printf 'time,a,b\n0,1,1e-3\n1,nan,0\n2,3,1e-6\n3,inf,1e-9\n' >gaps.csv
run plot gaps.csv --what a,b --log -o gaps.svg
[ "$code" -eq 0 ] && svg gaps.svg 'len(paths) == 2 and "nan" not in s and "inf" not in s and paths[0].count("M") == 2'
report $? "gaps where there is no number"
printf 'time,a\n0,5\n1,5\n' >flat.csv
run plot flat.csv --what a -o flat.svg
[ "$code" -eq 0 ] && svg flat.svg 'len(paths) == 1 and "nan" not in s'
report $? "a constant"
printf 'time,a\n0,1000000\n1,1000000.001\n' >close.csv
run plot close.csv --what a -o close.svg
[ "$code" -eq 0 ] && svg close.svg '"+ 1000000" in texts'
report $? "an offset for numbers that are close"

# One column over another, and several runs.
run plot a.csv --x joint:0 --y energy.total -o path.svg
[ "$code" -eq 0 ] && svg path.svg 'len(paths) == 1 and "joint:0 (joint coordinate, m or rad)" in texts and "energy, J" in texts'
report $? "one column over another"
printf 'time,a,b\n0,0,0\n1,1,0\n2,1,1\n3,0,1\n4,0,0\n' >square.csv
run plot square.csv --x a --y b -o square.svg
"$python" -c '
import re, xml.etree.ElementTree as e
d = [p.get("d") for p in e.parse("square.svg").getroot().iter("{http://www.w3.org/2000/svg}path")][0]
points = [tuple(map(float, p.split())) for p in re.split("[ML]", d)[1:]]
assert len(points) == 5 and points[0] == points[4] and points[0][1] == points[1][1] and points[1][0] == points[2][0], points' 2>err
report $? "a path may go back and forth"
refuses 2 '"energy" stands for 4 columns' plot a.csv --x energy --y joint:0 -o x.svg
refuses 2 'are the same' plot a.csv --what energy --y energy -o x.svg
printf 'time,a\n0,1\n5,2\n' >longer.csv
run plot flat.csv longer.csv --y a -o two.svg
[ "$code" -eq 0 ] && svg two.svg 'len(paths) == 2 and {"flat.csv: a", "longer.csv: a", "5"} <= set(texts)'
report $? "two runs of different length"
refuses 3 'none.csv' plot flat.csv none.csv --y a -o x.svg

if command -v rsvg-convert >/dev/null; then
    run plot a.h5 -o a.png
    [ "$code" -eq 0 ] && [ "$(head -c 4 a.png | tail -c 3)" = PNG ] && [ ! -e a.png.new.svg ]
    report $? "a PNG"
    refuses 1 'rsvg-convert could not write it|none/a.png' plot a.h5 -o none/a.png
else
    echo "SKIP: rsvg-convert is not there"
fi
code=0
command="affix plot without rsvg-convert"
PATH=/nowhere "$affix" plot a.h5 -o x.png >out 2>err || code=$?
[ "$code" -eq 1 ] && grep -q '^affix: x.png: PNG needs the program rsvg-convert, which is not there (install librsvg2-bin, or write an .svg)$' err && [ ! -e x.png.new.svg ]
report $? "PNG without rsvg-convert: a clear error"

refuses 2 'which file' plot -o a.svg
refuses 2 '^affix: -o: needs a file' plot a.h5
refuses 2 'neither .svg nor .png' plot a.h5 -o a.pdf
refuses 3 '^affix: none.h5: cannot be opened: No such file' plot none.h5 -o a.svg
refuses 3 '^affix: column "joint:knee": there is no such joint' plot a.h5 --what joint:knee -o a.svg
refuses 3 '^affix: a.csv: has no column "body:0"' plot a.csv --what body:0 -o a.svg
refuses 1 '^affix: none/a.svg: cannot be written: No such file' plot a.h5 -o none/a.svg
head -c 3000 a.h5 >cut.h5
refuses 3 '^affix: cut.h5: ' plot cut.h5 -o a.svg
prints 'Usage: affix plot' plot --help
prints '^affix [0-9]' plot --version

finish
