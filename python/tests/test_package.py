# SPDX-License-Identifier: Apache-2.0
"""The package as a whole: declarations, types, versions, viewer, documents."""

import importlib
import importlib.util
import inspect
import json
import os
import pkgutil
import re
import subprocess
import sys

import pytest
from conftest import ROOT

import affix
import affix.envs
from affix._affix import ffi, lib


def test_every_public_function_is_declared():
    """Whatever the public headers declare is in the module: names are looked for by other means than generate.py's."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "include" / "affix").glob("*.h")))
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    names = set(re.findall(r"\b(afx_[a-z0-9_]+)\s*\(", text))
    assert len(names) > 150
    assert names <= set(dir(lib))
    listed = set()
    for file in ("symbols.txt", "symbols_io.txt"):
        listed |= set((ROOT / "tools" / file).read_text(encoding="ascii").split())
    assert listed <= set(dir(lib))


def test_structs_are_those_of_the_headers():
    text = re.sub(r"/\*.*?\*/", "", (ROOT / "include" / "affix" / "sim.h").read_text(encoding="utf-8"), flags=re.S)
    body = re.search(r"typedef struct AfxStepReport \{(.*?)\} AfxStepReport;", text, re.S)
    assert body is not None
    fields = re.findall(r"(\w+)(?:\[\w+\])?\s*;", body.group(1))
    found = []  # a union without a name has its fields one level below
    for name, field in ffi.typeof("AfxStepReport").fields:
        found += [name] if name else [inner for inner, _ in field.type.fields]
    assert fields == found


def test_version():
    header = (ROOT / "include" / "affix" / "base.h").read_text(encoding="utf-8")
    numbers = re.findall(r"#define AFX_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header)
    assert affix.__version__ == ".".join(numbers)


def public_callables():
    for info in pkgutil.walk_packages(affix.__path__, "affix."):
        if info.name.endswith(("_affix", ".torch", ".jax")):  # the last two need what may not be installed
            continue
        module = importlib.import_module(info.name)
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            if inspect.isclass(thing) and thing.__module__.startswith("affix"):
                yield f"{info.name}.{name}", thing
                for key, member in vars(thing).items():
                    if isinstance(member, property):
                        member = member.fget
                    member = inspect.unwrap(getattr(member, "__func__", member))
                    if inspect.isfunction(member) and (not key.startswith("_") or key == "__init__") \
                            and member.__module__.startswith("affix"):
                        yield f"{info.name}.{name}.{key}", member
            elif inspect.isfunction(thing):
                yield f"{info.name}.{name}", thing


def test_everything_public_is_typed_and_explained():
    found = dict(public_callables())
    assert len(found) > 150
    for name, thing in found.items():
        if inspect.isfunction(thing):
            signature = inspect.signature(thing)
            assert signature.return_annotation is not inspect.Signature.empty, name
            for parameter in list(signature.parameters.values()):
                assert parameter.name in ("self", "cls") or parameter.annotation is not inspect.Parameter.empty, name
        if not name.endswith("__init__"):
            assert thing.__doc__, name
    assert (ROOT / "python" / "affix" / "py.typed").is_file()
    assert os.path.isfile(os.path.join(os.path.dirname(affix.__file__), "py.typed"))


def test_all_names_exist():
    for name in affix.__all__:
        assert getattr(affix, name) is not None


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Writes a program "affix" for the viewer to find."""
    def write(view):
        path = tmp_path / "affix"
        path.write_text(f'#!/bin/sh\nif [ "$2" = --help ]; then exit 0; fi\n{view}\n')
        path.chmod(0o755)
        monkeypatch.setenv("AFFIX_PROGRAM", str(path))
        return path
    return write


def test_the_viewer_gets_the_scene_and_ends(program):
    path = program('echo "$@" > "$0.called"; cp "$2" "$0.scene"; echo "open http://127.0.0.1:8123/ in a browser"; exec sleep 60')
    model = affix.Model.from_case("pendulum")
    with affix.view(affix.Sim(model, dt=0.004, integrator="alpha"), "--paused") as viewer:
        scene, process = viewer.arguments[2], viewer.process
        assert viewer.url == "http://127.0.0.1:8123/" and viewer.running and os.path.exists(scene)
    assert process.poll() is not None and not os.path.exists(scene) and not viewer.running
    assert affix.Model.from_file(f"{path}.scene", format="json").hash == model.hash
    with open(f"{path}.called", encoding="utf-8") as file:
        assert file.read().split() == ["view", scene, "--draw", os.path.join(os.path.dirname(scene), "drawing"), "--dt", "0.004", "--integrator", "alpha", "--paused"]
    with pytest.raises(affix.ViewerError, match="closed"):
        viewer.wait()


def test_without_a_viewer_there_is_a_clear_error(program, tmp_path, monkeypatch):
    model = affix.Model.from_case("pendulum")
    monkeypatch.setenv("AFFIX_PROGRAM", str(tmp_path / "none"))
    with pytest.raises(affix.ViewerError, match="AFFIX_PROGRAM"):
        affix.view(model)
    program("echo 'this build has no viewer' >&2; exit 1")
    with pytest.raises(affix.ViewerError, match="ended with code 1: this build has no viewer"):
        affix.view(model)
    old = tmp_path / "old"
    old.write_text("#!/bin/sh\necho 'there is no such command' >&2\nexit 2\n")
    old.chmod(0o755)
    with pytest.raises(affix.ViewerError, match="no command view: there is no such command"):
        affix.view(model, program=str(old))


def code_blocks(document):
    text = (ROOT / document).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```", text, re.S | re.M)


def documents():
    """Every document that has a block of Python."""
    found = [path.relative_to(ROOT).as_posix() for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]]
    return [document for document in found if code_blocks(document)]


def test_there_are_documents():
    assert {"README.md", "docs/python.md", "docs/output.md", "docs/sweeps.md", "docs/viewer.md"} <= set(documents())


@pytest.mark.parametrize("document", documents())
def test_the_documents_run(document, tmp_path, monkeypatch):
    """The blocks of a document run one after the other, in one folder with what they need: a trajectory, and for sweeps
    the folder that the command before them leaves, of a shorter study."""
    monkeypatch.chdir(tmp_path)
    if document == "docs/sweeps.md":
        study = json.loads((ROOT / "examples" / "klann-motor.sweep.json").read_text(encoding="utf-8"))
        study["design"]["count"], study["run"]["time"] = 8, 0.1
        affix.sweep.run(study, "klann", jobs=2)
    sim = affix.Sim(affix.Model.from_case("four-bar"))
    with sim.record(tmp_path / "run.h5", "all", title="four-bar"):
        sim.step(20)
    blocks = code_blocks(document)
    assert blocks
    space = {"__name__": "__document__"}
    for block in blocks:
        if "ray." in block and importlib.util.find_spec("ray") is None:
            continue  # it cannot be installed everywhere
        exec(compile(block, document, "exec"), space)


def test_an_interpreter_that_ends_with_sims_alive():
    code = ("import affix; sim = affix.Sim(affix.Model.from_case('pendulum')); view = sim.q; sim.loop = sim\n"
            "keep = [affix.Batch(affix.Model.from_case('tumbling', n=3), 3)]; sim.step(); print(view.shape)")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0 and run.stdout.strip() == "(1, 12)" and "Error" not in run.stderr, run.stderr


def test_ctrl_c_ends_a_long_call():
    code = ("import affix, os, signal, threading\n"
            "sim = affix.Sim(affix.Model.from_case('tumbling', n=100))\n"
            "threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
            "try:\n    sim.step(10**12)\nexcept KeyboardInterrupt:\n    sim.step(); print('stopped')\n")
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False)
    assert run.stdout.strip() == "stopped", run.stderr
