# SPDX-License-Identifier: Apache-2.0
"""Misuse of every public function of the C interface, made from the headers: nothing at all (NULL, 0), ids of another scene or out of
range, and numbers that are NaN or infinite, one argument at a time and all at once. No call may crash; a setter that gets NaN must
refuse it and change nothing. Run in a process of its own by test_misuse.py; ends with the numbers of functions and calls."""

import os
import re
import sys
import tempfile
from pathlib import Path

import affix
from affix._affix import ffi, lib

ROOT = Path(__file__).resolve().parents[2]
OBJECTS = {name for path in (ROOT / "include" / "affix").glob("*.h")  # what is declared and not told
           for name in re.findall(r"^typedef struct (Afx\w+) \1;", path.read_text(encoding="utf-8"), re.M)}
COUNTS = re.compile(r"(count|size|capacity|rows|columns|samples)$")
# Reading so many bytes or items as it is told is what the caller asked for; files and callbacks are not misuse.
ROOM = 1 << 16
NAN, INF = float("nan"), float("inf")


def prototypes():
    """name -> (result, [(declaration, name)]) of every function in the public headers."""
    found = {}
    for path in sorted((ROOT / "include" / "affix").glob("*.h")):
        text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.S)
        for result, name, args in re.findall(r"AFX_API\s+([^;(]*?)\s*\b(afx_\w+)\(([^;]*?)\);", text, re.S):
            parts = [] if args.strip() == "void" else [re.sub(r"\s+", " ", part).strip() for part in args.split(",")]
            found[name] = (result, [(part, re.search(r"(\w+)(\[\w*\])?$", part).group(1)) for part in parts])
    return found


class World:
    """A scene with something of everything, its model and a sim; and the ids of another scene."""

    def __init__(self):
        self.keep = []
        self.scene = self.make_scene()
        self.other = self.make_scene()
        self.python_model = affix.Model.from_case("four-bar")
        self.python_sim = affix.Sim(self.python_model)
        self.python_sim.step(3)
        self.sim = self.python_sim._raw
        self.model = lib.afx_sim_model(self.sim)
        self.python_drawing = affix.Drawing()
        self.drawing = self.python_drawing._pointer
        self.caster, self.imager = affix.Caster(self.python_model), affix.Imager(self.python_model)

    def make_scene(self):
        out = ffi.new("AfxScene **")
        definition = ffi.new("AfxSceneDef *", lib.afx_default_scene())
        assert lib.afx_scene_create(definition, out) == 0
        scene = out[0]
        body, shape = ffi.new("AfxBodyDef *", lib.afx_default_body()), ffi.new("AfxShapeDef *", lib.afx_default_box(1, 1, 1))
        ids = [ffi.new("AfxBodyId *"), ffi.new("AfxBodyId *")]
        for each in ids:
            assert lib.afx_scene_add_body(scene, body, each) == 0
            assert lib.afx_scene_add_shape(scene, each[0], shape) == 0
        joint = ffi.new("AfxJointDef *", lib.afx_default_joint(lib.AFX_JOINT_REVOLUTE))
        joint.base, joint.follower = ids[0][0], ids[1][0]
        assert lib.afx_scene_add_joint(scene, joint, ffi.new("AfxJointId *")) == 0
        return scene

    def handle(self, name):
        return {"AfxScene": self.scene, "AfxModel": self.model, "AfxSim": self.sim, "AfxDrawing": self.drawing,
                "AfxCaster": self.caster._pointer, "AfxImager": self.imager._pointer}.get(name)

    def state(self):
        size = lib.afx_sim_snapshot_size(self.sim)
        data = ffi.new("char[]", size)
        assert lib.afx_sim_snapshot(self.sim, data, size) == 0
        counts = [getattr(lib, f"afx_scene_{kind}_count")(self.scene) for kind in ("body", "joint", "material", "marker")]
        return ffi.buffer(data)[:], counts


def fill(struct, value):
    """Sets every number of a struct that is no id, count or enum to `value`; whether it has any."""
    kind, some = ffi.typeof(struct), False
    for name, field in (kind.item if kind.kind == "pointer" else kind).fields:
        kind = field.type.kind
        if kind == "primitive" and field.type.cname in ("double", "float"):
            setattr(struct, name, value)
            some = True
        elif kind == "struct":
            some = fill(getattr(struct, name), value) or some
        elif kind == "array" and field.type.item.cname == "double":
            for k in range(field.type.length):
                getattr(struct, name)[k] = value
            some = True
    return some


def definition(cname):
    """A definition as the library makes it, where it makes one of that type."""
    stem = re.sub(r"(?<!^)([A-Z])", r"_\1", cname.removeprefix("Afx").removesuffix("Def")).lower()
    make = getattr(lib, f"afx_default_{stem}", None)
    if make is None and cname == "AfxShapeDef":
        return ffi.new("AfxShapeDef *", lib.afx_default_box(1, 1, 1))
    if make is None or len(ffi.typeof(make).args) > 1 or ffi.typeof(make).result.cname.removeprefix("struct ") != cname:
        return ffi.new(cname + " *")
    argument = ffi.typeof(make).args
    return ffi.new(cname + " *", make(0) if argument else make())


class Caller:
    """Arguments for one function, by what they are to be: "null", "fine" or a number."""

    def __init__(self, world, name, result, parameters):
        self.world, self.name, self.result, self.parameters = world, name, result, parameters
        self.function = getattr(lib, name)
        self.types = ffi.typeof(self.function).args
        self.keep = []

    def value(self, k, how):
        """The argument, and whether it holds a number that is not finite."""
        declaration, name = self.parameters[k]
        kind = self.types[k]
        number = how if isinstance(how, float) else 0.0
        if kind.kind == "primitive":
            if kind.cname in ("double", "float"):
                return number, how not in ("null", "fine")
            if kind.cname in ("_Bool", "bool"):
                return True, False
            if COUNTS.search(name):
                return 2, False
            return (0 if how in ("null", "fine") else (1 << 32) - 1 if kind.cname in ("uint32_t", "unsigned int") else 7), False
        if kind.kind == "enum":
            return 0 if how in ("null", "fine") else 0x7ffffff, False
        if kind.kind == "struct":
            struct = ffi.new(kind.cname + " *")
            if kind.cname.endswith("Id"):
                if how not in ("null",):
                    struct.index, struct.scene = 0, 12345  # of no scene that there is
                return struct[0], False
            fill(struct, number)
            self.keep.append(struct)
            return struct[0], how not in ("null", "fine")
        return self.pointer(declaration, kind, how, number)

    def pointer(self, declaration, kind, how, number):
        item = kind.item
        base = item.cname.removeprefix("struct ").replace(" *", "")
        if base in OBJECTS and item.kind == "struct":
            handle = None if how == "null" else self.world.handle(base)
            return (ffi.NULL if handle is None else handle), False
        if how == "null" or item.kind == "function":
            return ffi.NULL, False
        given = declaration.startswith("const") and not isinstance(how, str)
        if item.kind == "struct":
            struct = definition(base)
            if given:
                given = fill(struct, number)  # a struct of arrays alone has no number to spoil
            room = ffi.new("char[]", ROOM)  # some take arrays of them
            ffi.memmove(room, struct, ffi.sizeof(base))
            if given:
                for n in range(1, min(ROOM // ffi.sizeof(base), 64)):
                    ffi.memmove(room + n * ffi.sizeof(base), struct, ffi.sizeof(base))
            self.keep += [struct, room]
            return ffi.cast(kind, room), given
        room = ffi.new("char[]", ROOM)
        if item.cname in ("double", "float"):
            numbers = ffi.cast("double *", room)
            for n in range(ROOM // 8):
                numbers[n] = number
        elif item.cname == "char":
            ffi.memmove(room, b"no such thing", 13)
            given = False
        else:
            given = False
        self.keep.append(room)
        return ffi.cast(kind, room), given

    def call(self, hows):
        """Calls; the result, and whether it was given a number that is not finite."""
        values = [self.value(k, how) for k, how in enumerate(hows)]
        return self.function(*(value for value, _ in values)), any(bad for _, bad in values)


def changes(name, parameters):
    """Whether a function is one that sets or adds something to an object."""
    first = parameters[0][0] if parameters else ""
    return not first.startswith("const") and re.match(r"(AfxScene|AfxSim) \*", first) is not None


def main():
    world, calls, refused, spoiled, faults = World(), 0, 0, set(), []
    listed = set()
    for file in ("symbols.txt", "symbols_io.txt"):
        listed |= set((ROOT / "tools" / file).read_text(encoding="ascii").split())
    declared = prototypes()
    assert listed <= set(declared), sorted(listed - set(declared))
    skipped = {name for name in listed if name.endswith("_destroy") or name in ("afx_output_close",)}
    for name in sorted(listed - skipped):
        result, parameters = declared[name]
        caller = Caller(world, name, result, parameters)
        count = len(parameters)
        plans = [["null"] * count, ["fine"] * count]
        plans += [[("null" if n == k else "fine") for n in range(count)] for k in range(count)]
        plans += [[(number if n == k else "fine") for n in range(count)] for k in range(count) for number in (NAN, INF)]
        plans += [[NAN] * count, [INF] * count]
        for hows in plans:
            print(name, hows, file=sys.stderr)  # the last line tells where it ended
            before = world.state()
            status, bad = caller.call(hows)
            calls += 1
            if result != "AfxStatus" or not changes(name, parameters):
                continue
            if bad and NAN in hows:
                spoiled.add(name)
                if status == 0:
                    faults.append(f"{name}{hows}: took NaN")
            if status != 0:
                refused += 1
                if world.state() != before:
                    faults.append(f"{name}{hows}: refused with {status}, and changed something")
                    world = World()
                    caller.world = world
            caller.keep.clear()
    for name in sorted(skipped):
        getattr(lib, name)(*([ffi.NULL] * len(declared[name][1])))
    for fault in faults:
        print(fault)
    assert len(spoiled) >= 25, spoiled  # setters that NaN was given to
    print(f"{len(listed)} functions, {calls} calls, {refused} refused, {len(faults)} faults, NaN to {len(spoiled)} setters")
    return 1 if faults else 0


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)  # some of them write files
        code = main()
        os.chdir("/")
    sys.exit(code)
