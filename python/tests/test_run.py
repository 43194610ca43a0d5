# SPDX-License-Identifier: Apache-2.0
"""How files are run, replays for notebooks, colours, plots of one column over another."""

import html
import json
import re

import numpy as np
import pytest

import affix

ROPE = """{"affix_scene": 1, "about": "balls", "parameters": {"r": {"value": 0.1, "min": 0.01, "max": 1, "about": "m"}, "n": 2},
  "run": {"dt": 0.004, "time": 0.5, "integrator": "alpha", "rho": 0.6, "accuracy": "accurate", "outputs": ["a.h5"]},
  "cameras": [{"name": "side", "position": [0, -3, 0], "follow": "ball.0"}],
  "bodies": [{"name": "ball", "shapes": [{"kind": "sphere", "radius": "=r"}],
              "repeat": {"count": "=n", "step": {"position": ["=3 * r", 0, 0]}}}]}"""


def test_parameters_and_run(no_leak):
    model = affix.Model.from_string(ROPE, parameters={"r": 0.2, "n": 3})
    run = model.run
    assert model.body_names == ("ball.0", "ball.1", "ball.2")
    assert run.settings == {"dt": 0.004, "integrator": "alpha", "rho": 0.6, "accuracy": "accurate"}
    assert run.steps == 125 and run.outputs == ("a.h5",) and run.about == "balls"
    assert run.parameters[0] == affix.RunParameter("r", 0.2, 0.01, 1.0, "m")
    assert run.cameras[0].follow == "ball.0" and run.cameras[0].position == (0.0, -3.0, 0.0)
    sim = affix.Sim(model, **run.settings)
    sim.step(2)
    assert sim.pose(1).position[0] == pytest.approx(0.6)
    with pytest.raises(affix.InputError, match="no such parameter"):
        affix.Model.from_string(ROPE, parameters={"m": 3})
    with pytest.raises(affix.InputError, match="the parameter r is 2"):
        affix.Model.from_string(ROPE, parameters={"r": 2})


def test_cases_and_scenes_have_a_run():
    assert affix.Model.from_case("pendulum").run.time == affix.cases()["pendulum"].time
    assert affix.Scene().run.dt == 0.001 and affix.Scene().run.cameras == ()


def test_a_trajectory_holds_its_scene(tmp_path):
    model = affix.Model.from_string(ROPE)
    sim = affix.Sim(model, **model.run.settings)
    with sim.record(tmp_path / "run.h5"):
        sim.step(5)
    again = affix.Model.from_file(tmp_path / "run.h5")
    assert again.hash == model.hash and again.run.dt == 0.004 and again.run.integrator == "alpha"
    assert again.run.cameras == model.run.cameras


def test_replays_are_pages(tmp_path, no_leak):
    model = affix.Model.from_string(ROPE)
    sim = affix.Sim(model, dt=0.01)
    try:
        replay = sim.replay(0.3, title="balls <1>")
    except affix.SystemRefusedError as error:
        pytest.skip(f"built without a page: {error}")
    assert sim.time == pytest.approx(0.3)
    shown = replay._repr_html_()
    page = html.unescape(re.search(r'srcdoc="([^"]*)"', shown).group(1))
    assert page == replay.page and shown.startswith("<iframe") and "allow-scripts" in shown
    data = json.loads(re.search(r'<script[^>]*id="affix-data"[^>]*>(.*?)</script>', page, re.S).group(1))
    assert data["bodies"] == 2 and data["frames"] == 16
    replay.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page


def test_colours(tmp_path):
    scene = affix.Scene()
    scene.add_body("a").add_sphere(1, color="#ff8800").add_box((1, 1, 1), color=0x1000001, visual=True)
    scene.save(tmp_path / "a.json")
    shapes = json.loads((tmp_path / "a.json").read_text())["bodies"][0]["shapes"]
    assert [shape["color"] for shape in shapes] == ["#ff8800", "#000001"]
    with pytest.raises(affix.ArgumentError, match="no colour"):
        scene.body("a").add_sphere(1, color="red")


def test_plots_of_one_column_over_another(tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    sim = affix.Sim(affix.Model.from_case("four-bar"), dt=0.01)
    with sim.record(tmp_path / "a.h5", "all"):
        sim.step(20)
    figure = affix.Trajectory(tmp_path / "a.h5").plot("marker:coupler.z", x="marker:coupler.x")
    table = affix.read_table(tmp_path / "a.h5", "marker:coupler.x", "marker:coupler.z")
    line = figure.axes[0].get_lines()[0]
    assert np.array_equal(line.get_xdata(), table["marker:coupler.x"])
    assert np.array_equal(line.get_ydata(), table["marker:coupler.z"])
    both = affix.plot([tmp_path / "a.h5", tmp_path / "a.h5"], "energy.total")
    assert len(both.axes[0].get_lines()) == 2
