# SPDX-License-Identifier: Apache-2.0
"""The examples run, and come to the results that they should."""

import os
import runpy
import sys

import numpy as np
import pytest
from conftest import ROOT

FOLDER = ROOT / "python" / "examples"


def run(name, monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
    return runpy.run_path(str(FOLDER / name))


def test_all_are_tested():
    with open(__file__, encoding="utf-8") as file:
        text = file.read()
    names = [path.name for path in FOLDER.glob("*.py")]
    assert len(names) >= 7 and all(f'"{name}"' in text for name in names)


def test_hello_pendulum(monkeypatch):
    """rate² = 2 m g h / J: the angle's largest rate; energy stays."""
    result = run("01_hello_pendulum.py", monkeypatch)
    assert np.abs(np.diff(result["angle"])).max() / 0.005 == pytest.approx(np.sqrt(9.81 / (1 / 3 + 0.01 / 12)), rel=1e-3)
    assert np.ptp(result["energy"]) < 0.02


def test_four_bar(monkeypatch):
    result = run("02_four_bar.py", monkeypatch)
    work, gained = result["work"], result["gained"]
    assert np.abs(work - gained).max() < 0.01 * np.ptp(gained)
    assert result["sim"].mobility() == (0, 3)


def test_catenary(monkeypatch):
    result = run("03_catenary.py", monkeypatch)
    assert result["error"] < 5e-4
    assert result["tension"] == pytest.approx(result["expected"], rel=1e-3)
    np.testing.assert_allclose(np.linalg.norm(np.diff(result["hanging"], axis=0), axis=1), 0.05, atol=1e-12)


def test_net(monkeypatch):
    result = run("04_net.py", monkeypatch)
    assert result["lift"] == pytest.approx(result["held"], rel=1e-3)
    assert result["residual"].max() < 1e-12 and result["height"][-1] < -0.05


def test_robot(monkeypatch):
    result = run("05_robot.py", monkeypatch)
    assert result["names"] == ["shoulder servo", "elbow servo"] and result["error"].max() < 0.1
    # forward kinematics of two links, turning about y
    a, b = result["reached"][:, 0], result["reached"].sum(axis=1)
    x, z = 0.4 * np.cos(a) + 0.3 * np.cos(b), 1 - 0.4 * np.sin(a) - 0.3 * np.sin(b)
    np.testing.assert_allclose(result["path"][:, [0, 2]], np.stack([x, z], axis=1), atol=1e-9)


def test_robot_of_ones_own(monkeypatch, panda):
    result = run("05_robot.py", monkeypatch, panda)
    assert len(result["names"]) == 7 and result["error"].max() < 0.1


def test_sweep(monkeypatch):
    result = run("06_sweep.py", monkeypatch)
    np.testing.assert_allclose(result["overshoot"], result["formula"], atol=1e-3)


def test_incline(monkeypatch, capsys):
    """g (sin a - mu cos a) where it slides, 0 where it holds; the contacts carry what is left."""
    result = run("07_incline.py", monkeypatch)
    np.testing.assert_allclose(result["acceleration"], result["formula"], atol=0.01)
    weight = 3 * result["GRAVITY"]
    np.testing.assert_allclose(result["load"], weight * np.cos(result["SLOPE"]), rtol=2e-3)
    np.testing.assert_allclose(result["drag"], weight * np.sin(result["SLOPE"]) - 3 * result["formula"], atol=0.03)
    assert capsys.readouterr().out.count(" N\n") == 9


def test_control(monkeypatch):
    """The hand is where the circle is, from wherever it starts."""
    result = run("08_control.py", monkeypatch)
    assert max(result["errors"][1000:]) < 1e-4


def test_identify(monkeypatch):
    """Friction, damping and inertia of the recorded run come back, and Newton's steps converge as they should."""
    result = run("09_identify.py", monkeypatch)
    np.testing.assert_allclose(result["guess"], result["truth"], rtol=1e-6)
    assert result["iteration"] <= 5


def test_reach(monkeypatch):
    result = run("10_reach.py", monkeypatch)
    np.testing.assert_allclose(result["by"], result["slope"], rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(result["values"], result["wanted"], atol=1e-9)


def test_slide(monkeypatch):
    result = run("11_slide.py", monkeypatch)
    assert result["mu"] == pytest.approx(0.3, abs=1e-6)


def test_bounce(monkeypatch):
    result = run("15_bounce.py", monkeypatch)
    assert result["found"] == pytest.approx(0.7, abs=1e-7)


def test_synthesis(monkeypatch):
    """The linkage that drew the path is found again; its Jacobian is that of differences."""
    result = run("16_synthesis.py", monkeypatch)
    assert result["gap"] < 1e-8
    np.testing.assert_allclose(result["guess"], result["truth"], atol=1e-8)


def test_panda(monkeypatch):
    result = run("17_panda.py", monkeypatch)
    np.testing.assert_allclose(result["by"], result["slope"], atol=1e-7)
    np.testing.assert_allclose(result["values"], result["wanted"], atol=1e-9)


def test_designs(monkeypatch):
    """One of the designs comes near a singular position, where poses answer to torques thirty times as much; seconds, so only in the
    long tests."""
    if os.environ.get("AFFIX_TEST_LONG"):
        result = run("18_designs.py", monkeypatch, 13, 12)
        good, bad = (found for _, found in result["curves"].values())
        assert bad.max() > 10 * good.max()
    else:
        compile((FOLDER / "18_designs.py").read_text(encoding="utf-8"), "18_designs.py", "exec")


def test_throw(monkeypatch):
    """Newton's method finds the throw again; a minute of loops, so only in the long tests."""
    if os.environ.get("AFFIX_TEST_LONG"):
        result = run("12_throw.py", monkeypatch, 2, 1)
        np.testing.assert_allclose(result["found"], result["aims"], rtol=1e-5)
        assert result["iteration"] <= 5
    else:
        compile((FOLDER / "12_throw.py").read_text(encoding="utf-8"), "12_throw.py", "exec")


def test_senses(monkeypatch):
    """The wall is where the file says; lengths by the lever arms of the joints; noise is small."""
    result = run("13_senses.py", monkeypatch)
    assert result["ahead"] == pytest.approx(0.28 - 0.096, abs=1e-9)
    assert result["seen"].depth[32, 32] == pytest.approx(0.28 - 0.1, abs=1e-3)
    assert result["after"] < result["before"] - 0.005 and result["bent"].max() < 0
    assert abs(result["noisy"][-1] - result["bent"][0]) < 0.02


def test_tasks(monkeypatch):
    result = run("14_tasks.py", monkeypatch)
    assert (result["reached"] >= 1).all() and len(set(result["masses"])) == 3
