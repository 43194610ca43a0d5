# SPDX-License-Identifier: Apache-2.0
"""Misuse of the C interface (misuse.py), and the same bits through Python and the program."""

import json
import os
import subprocess
import sys

import pytest
from conftest import ROOT

import affix


def test_misuse_of_every_function_is_refused():
    run = subprocess.run([sys.executable, str(ROOT / "python" / "tests" / "misuse.py")], capture_output=True, text=True, check=False)
    last = run.stderr.strip().splitlines()[-1:] if run.returncode < 0 else []
    assert run.returncode == 0, f"{run.stdout[-3000:]}\nended with {run.returncode} in {last}\n{run.stderr[-600:]}"
    functions, calls = (int(word) for word in run.stdout.split("\n")[-2].replace(",", "").split()[0:3:2])
    assert functions > 150 and calls > 1000


def fnv(data, value=0xcbf29ce484222325):
    for byte in data:
        value = (value ^ byte) * 0x100000001b3 & (1 << 64) - 1
    return value


@pytest.mark.parametrize("case, parameters", [("four-bar", {}), ("stack", {}), ("net-cylinder", {"k": 3}), ("ragdolls", {"count": 1})])
def test_the_bits_are_those_of_the_program(case, parameters):
    program = os.path.join(os.path.dirname(affix.__file__), "..", "..", "affix")  # of the same build folder
    words = [program, "run", case, *(f"{key}={value}" for key, value in parameters.items()), "--steps", "60", "--json"]
    report = json.loads(subprocess.run(words, capture_output=True, check=True).stdout)
    with affix.Sim(affix.Model.from_case(case, **parameters), dt=report["dt"]) as sim:
        sim.step(60)
        assert f"{fnv(sim.v.tobytes(), fnv(sim.q.tobytes())):016x}" == report["state_hash"]
