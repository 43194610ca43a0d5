#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# schema/affix-scene.schema.json against scene files: what affix writes is valid, and schema and reader agree on a list
# of scenes, right and wrong.
. "$(dirname "$0")/common.bash"
needs_python
root=$(cd "$(dirname "$0")/../.." && pwd)
if ! "$python" -c 'import jsonschema; jsonschema.Draft202012Validator' 2>/dev/null; then
    echo "SKIP: python3-jsonschema is not there (tools/deps test installs it)"
    exit 0
fi

# valid <file>...: a line "<file> ok" or "<file>: what is wrong" for each; fails when one is wrong.
cat >"$work/valid.py" <<'END'
import json, sys
from jsonschema import Draft202012Validator
schema = json.load(open(sys.argv[1]))
Draft202012Validator.check_schema(schema)
validator = Draft202012Validator(schema)
bad = 0
for name in sys.argv[2:]:
    errors = list(validator.iter_errors(json.load(open(name))))
    bad += bool(errors)
    print(name, "ok" if not errors else f": {list(errors[0].absolute_path)}: {errors[0].message[:200]}")
sys.exit(bad > 0)
END
valid() {
    command="schema $*"
    code=0
    "$python" "$work/valid.py" "$root/schema/affix-scene.schema.json" "$@" >"$work/out" 2>"$work/err" || code=$?
}

for name in $("$affix" cases | sed -n 's/^\([a-z][a-z0-9-]*\) .*/\1/p'); do
    # shellcheck disable=SC2046
    "$affix" convert "$name" $(small "$name") "$work/case-$name.json" --quiet || report 1 "affix convert $name"
done
valid "$work"/case-*.json
report "$code" "the saved files of all cases"

# One scene per line, without its head; the first word says whether it is one.
cat >"$work/scenes" <<'END'
right "run": {"dt": 0.002, "time": 2, "integrator": "alpha", "rho": 0.9, "accuracy": "accurate", "solver": "dense", "rigid": true, "every": 3, "record": ["poses"], "columns": "time,energy", "set": {"gravity.z": -1.6}}
right "run": {"iterations": 3, "formulation": "abd-vanilla", "energy_book": false, "outputs": ["a.h5", "b.csv", "c.HTML"]}
wrong "run": {"dt": 0}
wrong "run": {"time": -1}
wrong "run": {"integrator": "euler"}
wrong "run": {"iterations": 3, "accuracy": "fast"}
wrong "run": {"steps": 3}
wrong "run": {"every": 0}
wrong "run": {"outputs": ["../a.h5"]}
wrong "run": {"outputs": ["/tmp/a.h5"]}
wrong "run": {"outputs": [".h5"]}
wrong "run": {"outputs": ["a.json"]}
wrong "run": {"set": {"a=b": 1}}
right "parameters": {"about": "two", "r": {"value": 0.1, "min": 0, "max": 1, "about": "m"}, "n": 3, "w": "=2*r"}, "bodies": [{"shapes": [{"kind": "sphere", "radius": "= r * pi"}], "repeat": {"count": "=n"}}]
wrong "parameters": {"2r": 1}
wrong "parameters": {"t": 1}
wrong "parameters": {"r": {"min": 1}}
wrong "parameters": {"r": {"value": 1, "most": 2}}
wrong "parameters": 3
right "cameras": [{"name": "side", "position": [0, -3, 1], "target": [0, 0, 1], "field_of_view": 0.6}]
wrong "cameras": [{"name": "side"}]
wrong "cameras": {"side": [0, 0, 0]}
right "materials": {"brass": {"color": "#b5a642"}}, "bodies": [{"color": "#102030", "shapes": [{"kind": "sphere", "radius": 1, "color": "#FFffff"}, {"kind": "cylinder", "radius": 1, "length": 1, "along": [0, 1, 0]}]}]
wrong "bodies": [{"color": "red", "shapes": [{"kind": "sphere", "radius": 1}]}]
wrong "bodies": [{"shapes": [{"kind": "sphere", "radius": 1, "along": [0, 1, 0]}]}]
right "about": "nothing"
right "$schema": "affix-scene.schema.json", "about": ["any", {"thing": 1}]
right "gravity": [0, 0, -1.5]
wrong "gravity": [0, 0]
wrong "gravity": 9.81
right "bodies": [{"kind": "fixed"}], "joints": [{"kind": "hinge", "follower": 0}, {"kind": "slide", "follower": 0}, {"kind": "ball", "follower": 0}]
wrong "bodies": [{"kind": "fixed"}], "joints": [{"kind": "hing", "follower": 0}]
right "materials": {"ideal": {"young": "inf"}}
wrong "bodys": []
right "units": {"length": "mm", "angle": "deg", "mass": "lb", "time": "min", "force": "lbf", "torque": "lbf-in", "pressure": "psi", "density": "g/cm3"}
wrong "units": {"length": "yard"}
wrong "units": {"speed": "m/s"}
right "materials": {"steel": {"density": 7850, "young": 2.1e11, "poisson": 0.3}, "ideal": {"young": "infinite"}}
wrong "materials": {"steel": {"color": 1}}
right "bodies": [{"kind": "fixed", "rotation": {"axis": [0, 0, 1], "degrees": 3}}, {"kind": "fixed", "rotation": {"euler": [1, 2, 3], "order": "ZXZ"}}]
wrong "bodies": [{"kind": "fixed", "rotation": {"euler": [1, 2, 3], "order": "xxz"}}]
wrong "bodies": [{"kind": "fixed", "rotation": {"axis": [0, 0, 1]}}]
wrong "bodies": [{"kind": "fixed", "rotation": {"axis": [0, 0, 1], "degrees": 3, "angle": 1}}]
right "bodies": [{"kind": "fixed", "rotation": {"along": [0, 0, 1]}}, {"kind": "fixed", "rotation": [0, 1, 0, 0]}]
wrong "bodies": [{"kind": "fixed", "rotation": [0, 1, 0]}]
wrong "bodies": [{"kind": "still"}]
wrong "bodies": [{"kind": "fixed", "positon": [0, 0, 0]}]
right "bodies": [{"mass": 1, "inertia": [1, 1, 1, 0, 0, 0], "center": [0, 0, 1], "young": "infinite", "gravity": false}]
wrong "bodies": [{"kind": "fixed", "center": [0, 0, 1]}]
wrong "bodies": [{"mass": -1, "inertia": [1, 1, 1, 0, 0, 0]}]
wrong "bodies": [{"mass": 1, "inertia": [1, 1, 1]}]
wrong "bodies": [{"kind": "fixed", "poisson": 0.5}]
wrong "bodies": [{"kind": "fixed", "gravity": "no"}]
wrong "bodies": [{"kind": "fixed", "name": ""}]
right "bodies": [{"kind": "kinematic", "motion": {"translation": [1, {"polynomial": [1, 2]}, {"sine": {"amplitude": 1, "frequency": 2}}], "axis": [0, 1, 0], "angle": {"table": {"times": [0, 1], "values": [0, 3]}}}}]
wrong "bodies": [{"kind": "fixed", "motion": {}}]
wrong "bodies": [{"kind": "kinematic", "motion": {"angle": {"polynomial": []}}}]
wrong "bodies": [{"kind": "kinematic", "motion": {"angle": {"ramp": 1}}}]
right "bodies": [{"kind": "kinematic", "motion": {"angle": {"formula": "0.1 * (1 - cos(2 * pi * t))"}}}]
wrong "bodies": [{"kind": "kinematic", "motion": {"angle": {"formula": 1}}}]
wrong "bodies": [{"kind": "kinematic", "motion": {"angle": {"formula": ""}}}]
wrong "bodies": [{"kind": "kinematic", "motion": {"translation": [1, 2]}}]
right "bodies": [{"shapes": [{"kind": "box", "size": [1, 2, 3], "density": 5}, {"kind": "sphere", "radius": 1, "mass": 2}, {"kind": "capsule", "radius": 1, "length": 2}, {"kind": "cylinder", "radius": 1, "length": 2}, {"kind": "ellipsoid", "semi_axes": [1, 2, 3]}]}]
right "bodies": [{"shapes": [{"kind": "convex", "vertices": [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]}, {"kind": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], "triangles": [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]}]}]
wrong "bodies": [{"shapes": [{"kind": "box", "radius": 1}]}]
wrong "bodies": [{"shapes": [{"kind": "box", "size": [1, 2, 3], "radius": 1}]}]
wrong "bodies": [{"shapes": [{"kind": "box"}]}]
wrong "bodies": [{"shapes": [{"kind": "cone", "radius": 1}]}]
wrong "bodies": [{"shapes": [{"kind": "sphere", "radius": 0}]}]
wrong "bodies": [{"shapes": [{"kind": "sphere", "radius": 1, "mass": 1, "density": 1}]}]
wrong "bodies": [{"shapes": [{"kind": "convex", "vertices": []}]}]
wrong "bodies": [{"shapes": [{"kind": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]}]}]
wrong "bodies": [{"shapes": [{"kind": "box", "size": [1, 1, 1], "file": "part.stl"}]}]
wrong "bodies": [{"shapes": [{"kind": "mesh", "file": "part.stl", "triangles": [[0, 1, 2]]}]}]
wrong "bodies": [{"shapes": [{"kind": "mesh", "file": 3}]}]
right "bodies": [{"shapes": [{"kind": "mesh", "file": "part.obj", "scale": 2}, {"kind": "convex", "file": "part.obj", "scale": [1, 2, 3], "density": 10}]}]
right "bodies": [{"kind": "fixed", "repeat": {"count": 3, "step": {"position": [1, 0, 0]}}}]
right "bodies": [{"kind": "fixed", "repeat": {"count": [2, 3], "step": [{}, {"position": [1, 0, 0]}], "joint": [null, {"kind": "fixed"}]}}]
wrong "bodies": [{"kind": "fixed", "repeat": {"count": 0}}]
wrong "bodies": [{"kind": "fixed", "repeat": {"count": 1.5}}]
wrong "bodies": [{"kind": "fixed", "repeat": {"step": {}}}]
wrong "bodies": [{"kind": "fixed", "repeat": {"count": [1, 1, 1, 1]}}]
wrong "bodies": [{"kind": "fixed", "repeat": {"count": 2, "joint": {"kind": "fixed", "base": 0}}}]
right "groups": [{"name": "g", "position": [1, 0, 0], "repeat": {"count": 2}, "bodies": [{"name": "a", "kind": "fixed"}, {"name": "b", "kind": "fixed"}], "joints": [{"kind": "fixed", "base": {"previous": "a"}, "follower": "b"}, {"kind": "fixed", "base": {"previous": 0, "along": 0}, "follower": 1}]}]
right "groups": [{"name": "g", "file": "scene-1.json", "bodies": [{"kind": "fixed"}]}]
wrong "groups": [{"file": ""}]
wrong "groups": [{"repeat": {"count": 2, "joint": {"kind": "fixed"}}}]
right "bodies": [{"kind": "fixed"}], "joints": [{"kind": "revolute", "base": "world", "follower": 0, "frame": {"position": [1, 0, 0]}, "drives": [{"kind": "limit", "lower": -1, "upper": 1}, {"kind": "servo", "axis": "rx", "stiffness": 1, "effort": "infinite"}]}]
right "bodies": [{"kind": "fixed"}], "joints": [{"kind": "universal", "follower": 0, "cross": {"mass": 1, "size": 1}}, {"kind": "spherical", "follower": 0, "base_points": [[0, 0, 0]], "follower_points": [[0, 0, 0]]}]
wrong "bodies": [{"kind": "fixed"}], "joints": [{"kind": "twist", "follower": 0}]
wrong "bodies": [{"kind": "fixed"}], "joints": [{"kind": "revolute"}]
wrong "bodies": [{"kind": "fixed"}], "joints": [{"follower": 0}]
wrong "bodies": [{"kind": "fixed"}], "joints": [{"kind": "fixed", "follower": 0, "frame": {}, "base_frame": {}}]
wrong "bodies": [{"kind": "fixed"}], "joints": [{"kind": "fixed", "follower": 0, "base_points": [[0, 0, 0], [1, 0, 0]]}]
wrong "bodies": [{"kind": "fixed"}], "joints": [{"kind": "revolute", "follower": 0, "cross": {"mass": 1, "size": 1}}]
wrong "bodies": [{"kind": "fixed"}], "joints": [{"kind": "revolute", "follower": 0, "drives": [{"kind": "force", "joint": 0}]}]
right "bodies": [{"kind": "fixed"}], "joints": [{"name": "j", "kind": "cylindrical", "follower": 0}], "drives": [{"kind": "force", "joint": "j", "axis": "tx", "target": {"constant": 1}}], "couplings": [{"terms": [{"joint": "j", "axis": 0}, {"joint": 0, "axis": 1, "factor": -2}], "constant": 1}]
wrong "bodies": [{"kind": "fixed"}], "joints": [{"name": "j", "kind": "revolute", "follower": 0}], "drives": [{"kind": "motor", "joint": "j"}]
wrong "bodies": [{"kind": "fixed"}], "joints": [{"name": "j", "kind": "revolute", "follower": 0}], "drives": [{"kind": "force"}]
wrong "bodies": [{"kind": "fixed"}], "joints": [{"name": "j", "kind": "revolute", "follower": 0}], "couplings": [{"terms": []}]
right "bodies": [{"kind": "fixed"}], "springs": [{"body_a": 0, "point_b": [0, 0, 1], "stiffness": 1}], "markers": [{"name": "m", "body": 0}], "wrenches": [{"body": 0, "frame": "body", "force": [1, 0, 0]}]
wrong "springs": [{"stiffness": 1}]
wrong "bodies": [{"kind": "fixed"}], "springs": [{"body_a": 0, "stiffness": -1}]
wrong "bodies": [{"kind": "fixed"}], "markers": [{"body": 0}]
wrong "bodies": [{"kind": "fixed"}], "wrenches": [{"body": 0, "frame": "local"}]
right "bodies": [{"kind": "fixed", "markers": [{"name": "m"}], "wrenches": [{"force": [1, 0, 0]}]}]
wrong "bodies": [{"kind": "fixed", "markers": [{"name": "m", "body": 0}]}]
right "contact": false, "materials": {"rubber": {"density": 1100, "friction": 1.2, "restitution": 0.5, "rolling_friction": 0.01, "torsional_friction": 0.02, "stiffness": 1e6}, "ice": {"friction": 0}}, "default_material": {"name": "plain", "friction": 0.3}, "material_pairs": [{"materials": ["ice", "rubber"], "friction": 0.1}, {"materials": [null, null], "stiffness": 1e5}]
wrong "contact": 1
wrong "materials": {"rubber": {"friction": -1}}
wrong "materials": {"rubber": {"restitution": 1.5}}
wrong "default_material": {"density": 1}
wrong "material_pairs": [{"friction": 0.1}]
wrong "material_pairs": [{"materials": [null], "friction": 0.1}]
right "bodies": [{"name": "a", "kind": "fixed"}, {"kind": "fixed"}], "exclusions": [["a", 1]]
wrong "bodies": [{"name": "a", "kind": "fixed"}], "exclusions": [["a"]]
wrong "exclusions": [[true, 1]]
right "materials": {"ice": {"friction": 0}}, "bodies": [{"shapes": [{"kind": "sphere", "radius": 1, "mass": 1, "material": "ice", "contact_group": 4294967295, "contact_mask": 0}, {"kind": "sphere", "radius": 2, "visual": true}]}]
wrong "bodies": [{"shapes": [{"kind": "sphere", "radius": 1, "contact_group": -1}]}]
right "bodies": [{"kind": "fixed", "shapes": [{"kind": "plane", "position": [0, 0, 1]}, {"kind": "height-field", "size": [2, 3], "heights": [[0, 1], [1, 0]]}]}]
wrong "bodies": [{"kind": "fixed", "shapes": [{"kind": "plane", "size": [1, 1]}]}]
wrong "bodies": [{"kind": "fixed", "shapes": [{"kind": "height-field", "size": [2, 3, 1], "heights": [[0, 1], [1, 0]]}]}]
wrong "bodies": [{"kind": "fixed", "shapes": [{"kind": "height-field", "size": [2, 3], "heights": [[0, 1]]}]}]
wrong "bodies": [{"kind": "fixed", "shapes": [{"kind": "height-field", "size": [2, 3]}]}]
right "bodies": [{"kind": "fixed", "shapes": [{"kind": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [0, 1, 2], "vertex_frames": {"rate": 25, "loop": true, "frames": [[[0, 0, 0], [1, 0, 0], [0, 1, 0]], [0, 0, 1, 1, 0, 1, 0, 1, 1]]}}]}]
wrong "bodies": [{"kind": "fixed", "shapes": [{"kind": "mesh", "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], "triangles": [0, 1, 2], "vertex_frames": {"frames": [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]]}}]}]
wrong "bodies": [{"kind": "fixed", "shapes": [{"kind": "sphere", "radius": 1, "vertex_frames": {"rate": 25, "frames": [[[0, 0, 0]]]}}]}]
right "bodies": [{"kind": "fixed"}], "joints": [{"kind": "fixed", "follower": 0, "contact": true}]
wrong "bodies": [{"kind": "fixed"}], "joints": [{"kind": "fixed", "follower": 0, "contact": "yes"}]
END
printf 'v %s\n' '0 0 0' '1 0 0' '0 1 0' '0 0 1' >"$work/part.obj"
printf 'f %s\n' '1 3 2' '1 2 4' '2 3 4' '1 4 3' >>"$work/part.obj"
number=0
while read -r want rest; do
    number=$((number + 1))
    printf '{"affix_scene": 1, %s}\n' "$rest" >"$work/scene-$number.json"
done <"$work/scenes"
valid "$work"/scene-*.json
sed -n 's/ ok$//p' "$work/out" >"$work/valid"
number=0
while read -r want rest; do
    number=$((number + 1))
    schema_says=$(grep -qxF "$work/scene-$number.json" "$work/valid" && echo right || echo wrong)
    run check "$work/scene-$number.json"
    affix_says=$([ "$code" -eq 0 ] && echo right || echo wrong)
    [ "$schema_says" = "$want" ] && [ "$affix_says" = "$want" ]
    report $? "$want (schema: $schema_says, affix: $affix_says): $rest"
done <"$work/scenes"
[ "$number" -gt 60 ]
report $? "$number scenes"

finish
