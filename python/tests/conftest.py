# SPDX-License-Identifier: Apache-2.0
"""Counts for tools/run_tests (`ok - `, `not ok - `, `SKIP: `), and what the tests share."""

import gc
import os
import sys
from pathlib import Path

import pytest

import affix

ROOT = Path(__file__).resolve().parents[2]
os.environ.setdefault("MPLBACKEND", "Agg")

# A wheel with sanitizers cannot be used without them loaded first: that of the plain build is the one to try.
collect_ignore = ["test_wheel.py"] if "san" in os.path.basename(os.environ.get("LD_PRELOAD", "")) else []

MENAGERIE = ROOT.parent / "shared" / "data" / "mjcf" / "menagerie"


def pytest_terminal_summary(terminalreporter):
    write = terminalreporter.write_line
    for outcome, word in (("passed", "ok"), ("failed", "not ok"), ("error", "not ok")):
        for report in terminalreporter.stats.get(outcome, []):
            if report.when == "call" or outcome != "passed":
                write(f"{word} - {report.nodeid}")
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        write(f"SKIP: {report.nodeid}: {reason}")


@pytest.fixture
def panda():
    """The Panda's MJCF file, which is not part of this repository."""
    path = MENAGERIE / "franka_emika_panda" / "panda.xml"
    if not path.is_file():
        pytest.skip("the Panda's model is not there")
    return path


@pytest.fixture
def no_leak():
    """Fails when the engine holds more memory after the test than before."""
    gc.collect()
    before = affix.memory_in_use()
    yield
    gc.collect()
    assert affix.memory_in_use() == before


@pytest.fixture(autouse=True)
def close_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def pendulum_scene(**settings):
    """A rigid rod of 1 m on a hinge "hinge" along y, hanging to the right."""
    scene = affix.Scene(**settings)
    rod = scene.add_body("rod", rigid=True).add_box((1, 0.1, 0.1), position=(0.5, 0, 0))
    scene.add_joint("revolute", None, rod, name="hinge", at=(0, 0, 0), axis=(0, 1, 0))
    rod.add_marker("tip", (1, 0, 0))
    return scene
