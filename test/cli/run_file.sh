#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Scene files as whole runs: affix run FILE alone does what its options would, parameters are set by name=value.
. "$(dirname "$0")/common.bash"
needs_python
root=$(cd "$(dirname "$0")/../.." && pwd)
cd "$work" || exit 1
cp "$root/examples/rope.json" rope.json

# A case, written as a file, is run as the case is, whatever the time step and duration.
for name in four-bar slider-crank klann; do
    "$affix" convert "$name" -o "$name.json" --quiet || report 1 "affix convert $name"
    run run "$name" --json
    want=$(hash)
    run run "$name.json" --json
    [ -n "$want" ] && [ "$(hash)" = "$want" ]
    report $? "affix run $name.json has the bits of affix run $name"
done

prints '^  links=12 length=1.2 load=5 link=0.1$' run rope.json --brief
[ -s rope.h5 ] && [ "$(wc -l <rope.csv)" -eq 202 ] && head -n 1 rope.csv | grep -qx 'time,marker:load.x,marker:load.z,energy.total'
report $? "outputs of the file, a frame after every five steps"
run run rope.json --json
json 'd["dt"] == 0.002 and d["time"] == 2'
report $? "time step and duration of the file"
want=$(hash)
run run rope.json --dt 0.002 --time 2 --accuracy accurate --json
[ -n "$want" ] && [ "$(hash)" = "$want" ]
report $? "the same as options"
rm -f rope.h5 rope.csv
run run rope.json --dt 0.01 --time 0.5 -o other.csv --json
json 'd["dt"] == 0.01 and d["time"] == 0.5' && [ -s other.csv ] && [ ! -e rope.csv ] && [ ! -e rope.h5 ]
report $? "options come before what the file says; outputs of one's own in place of all of the file's"
run run rope.json --every 50 --quiet
[ "$code" -eq 0 ] && [ "$(wc -l <rope.csv)" -eq 22 ]
report $? "--every with outputs of the file"

# Parameters.
run run rope.json links=30 'load=2*pi' --steps 2 --json
json 'd["bodies"] == 31 and d["parameters"]["links"] == 30'
report $? "parameters by name=value, and formulas as values"
refuses 3 'parameter lnks: there is no such parameter \(did you mean links\?\)' run rope.json lnks=3
refuses 3 'the parameter links is 0 \(it may be from 1 to 1000\)' run rope.json links=0
refuses 3 'has no parameters' run "$root/examples/crank.json" a=1
prints '^  parameters links=12  \(1 to 1000\)  number of links$' check rope.json
prints '^  run        dt 0.002 s, 2 s, bdf2, accurate$' check rope.json
run check rope.json length=3 --json
json '[p["name"] for p in d["parameters"]] == ["links", "length", "load", "link"] and d["parameters"][1]["value"] == 3 and d["run"]["dt"] == 0.002'
report $? "check --json has run and parameters"
echo '<robot name="r"><link name="base"/></robot>' >r.urdf
refuses 3 'a file of this format has no parameters' check r.urdf a=1

# A study of a file runs it as the file says.
echo '{"affix_sweep": 1, "scene": "rope.json", "vary": [{"param": "gravity.z", "values": [-9.81]}], "design": "grid", "record": ["energy.total"]}' >study.json
run run rope.json -o other.csv --json
want=$(hash)
run sweep study.json --out swept --quiet
[ "$code" -eq 0 ] && [ -n "$want" ] && grep -q "$want" swept/runs.csv
report $? "a sweep has the bits of affix run of the file"

# A file may name outputs, but nowhere else than here.
sed 's|"rope.h5"|"../rope.h5"|' rope.json >away.json
refuses 3 'run.outputs\[0\]: this is no name of an output' run away.json
finish
