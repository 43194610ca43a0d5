# SPDX-License-Identifier: Apache-2.0
"""Recording, reading back and plotting."""

import os
import threading

import numpy as np
import pytest
from conftest import pendulum_scene

import affix


def test_a_trajectory_holds_what_the_sim_did(tmp_path, no_leak):
    scene = pendulum_scene()
    scene.add_motor("motor", "hinge")
    sim = affix.Sim(affix.Model(scene))
    path = tmp_path / "run.h5"
    sim.start_reactions()  # as a recording does for its first frame
    angles, tips, reactions = [sim.joint(0).angle], [sim.marker("tip").position], [sim.joint(0).reaction]
    sim.ctrl[0] = 3.0
    with sim.record(path, "all", every=5, title="a pendulum") as recorder:
        for _ in range(8):
            sim.step(5)
            angles.append(sim.joint(0).angle)
            tips.append(sim.marker("tip").position)
            reactions.append(sim.joint(0).reaction)
        assert recorder.frames == 9
    sim.step(5)  # not recorded
    run = affix.Trajectory(path)
    assert len(run) == 9 and run.title == "a pendulum" and run.body_names == ("rod",)
    np.testing.assert_allclose(run.time, np.arange(9) * 0.05)
    assert (run.joint("hinge") == angles).all()
    assert (run.marker("tip") == tips).all()
    assert (run.reaction("hinge") == reactions).all()
    assert (run.effort("motor")[1:] == 3.0).all()
    np.testing.assert_allclose(run.position("rod"), 0, atol=1e-15)
    assert run.poses.shape == (9, 1, 7)
    assert run.rate("hinge").shape == (9,) and run.energy.shape == (9, 4)
    assert run.read("report/residual").max() < 1e-9
    with pytest.raises(affix.NotFoundError, match="colour"):
        run.read("colour")
    with pytest.raises(affix.NotFoundError, match="no joint"):
        run.joint("elbow")


def test_tables_and_columns(tmp_path):
    sim = affix.Sim(affix.Model(pendulum_scene()))
    with sim.record(tmp_path / "run.csv", "time,joint:hinge"), sim.record(tmp_path / "run.h5"):
        sim.step(10)
    table, trajectory = (affix.read_table(tmp_path / name, "time", "joint:hinge") for name in ("run.csv", "run.h5"))
    assert list(table) == list(trajectory) == ["time", "joint:hinge"]
    assert (table["joint:hinge"] == trajectory["joint:hinge"]).all() and len(table["time"]) == 11
    with pytest.raises(affix.AffixError):
        affix.read_table(tmp_path / "run.csv", "energy")


def test_animations(tmp_path):
    sim = affix.Sim(affix.Model(pendulum_scene()))
    with sim.record(tmp_path / "run.glb"), sim.record(tmp_path / "run.pvd", every=5):
        sim.step(10)
    assert (tmp_path / "run.glb").read_bytes()[:4] == b"glTF"
    assert (tmp_path / "run.pvd").is_file()


def test_recorders_end_with_their_sim(tmp_path, no_leak):
    with affix.Sim(affix.Model(pendulum_scene())) as sim:
        recorder = sim.record(tmp_path / "run.h5")
        sim.step(3)
    with pytest.raises(affix.ClosedError):
        recorder.frames
    assert len(affix.Trajectory(tmp_path / "run.h5")) == 4
    sim = affix.Sim(affix.Model(pendulum_scene()))
    sim.record(tmp_path / "lost.csv", "time")
    sim.step(2)
    del sim  # neither was closed
    assert (tmp_path / "lost.csv").read_text().count("\n") == 4


def test_files_that_cannot_be_written(tmp_path):
    sim = affix.Sim(affix.Model(pendulum_scene()))
    with pytest.raises(affix.AffixError) as caught:
        sim.record(tmp_path / "nowhere" / "run.h5")
    assert "nowhere" in str(caught.value)
    with pytest.raises(affix.ArgumentError, match="no ending"):
        sim.record(tmp_path / "run.txt")
    with pytest.raises(affix.AffixError):
        sim.record(tmp_path / "run.h5", "colours")
    sim.step()
    with pytest.raises(OSError):
        affix.Trajectory(tmp_path / "none.h5")
    (tmp_path / "text.h5").write_text("no trajectory")
    with pytest.raises(OSError):
        affix.Trajectory(tmp_path / "text.h5")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full")
def test_a_full_disk_is_raised(tmp_path):
    sim = affix.Sim(affix.Model(pendulum_scene()))
    os.symlink("/dev/full", tmp_path / "run.csv")
    with pytest.raises(affix.AffixError) as caught:
        with sim.record(tmp_path / "run.csv", "time"):
            sim.step(100000)
    assert "run.csv" in str(caught.value)


def test_reading_while_another_thread_records(tmp_path):
    """HDF5 is for one thread at a time; h5py's lock is respected."""
    import h5py
    sim = affix.Sim(affix.Model.from_case("tumbling", n=200))
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = np.arange(1000)

    def record():
        with sim.record(tmp_path / "run.h5", "all"):
            for _ in range(20):
                sim.step(5)

    thread = threading.Thread(target=record)
    thread.start()
    total = 0
    while thread.is_alive() or total == 0:
        with h5py.File(tmp_path / "other.h5", "r") as file:
            total += int(file["x"][:].sum())
    thread.join()
    assert total % 499500 == 0 and len(affix.Trajectory(tmp_path / "run.h5")) == 101


def test_plots(tmp_path):
    path = tmp_path / "run.h5"
    sim = affix.Sim(affix.Model(pendulum_scene()))
    with sim.record(path, "all"):
        sim.step(100)
    run = affix.Trajectory(path)
    figure = run.plot("joint:hinge", "energy", "residual", title="pendulum")
    assert len(figure.axes) == 3 and figure.axes[2].get_yscale() == "log"
    line = figure.axes[0].get_lines()[0]
    assert (line.get_ydata() == run.joint("hinge")).all() and (line.get_xdata() == run.time).all()
    figure.savefig(tmp_path / "run.png")
    assert (tmp_path / "run.png").stat().st_size > 5000
