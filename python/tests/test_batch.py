# SPDX-License-Identifier: Apache-2.0
"""Batches are the same bits as sims one by one, whatever the number of threads."""

import contextlib
import math
import threading

import numpy as np
import pytest
from conftest import pendulum_scene

import affix


def servo_model():
    scene = pendulum_scene()
    scene.add_servo("motor", "hinge", stiffness=80, damping=8)
    return affix.Model(scene)


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_bit_identical_to_one_by_one(threads):
    model = servo_model()
    rng = np.random.default_rng(4)
    masses, targets = rng.uniform(1, 20, 13), rng.uniform(-1, 1, 13)
    gravity = rng.normal(size=(13, 3))
    batch = affix.Batch(model, 13, threads=threads, params={"body.mass": {"rod": masses}, "gravity": gravity})
    batch.ctrl[:, 0] = targets
    batch.step(40)
    batch.ctrl[:, 0] = 0
    batch.step(20)
    for k in range(13):
        sim = affix.Sim(model)
        sim.set_param("body.mass", "rod", masses[k])
        sim.set_param("gravity", None, gravity[k])
        sim.ctrl[0] = targets[k]
        sim.step(40)
        sim.ctrl[0] = 0
        for _ in range(20):
            sim.step()
        for name in ("q", "v", "poses", "twists", "joint_positions", "joint_rates", "reactions", "efforts", "markers",
                     "energy", "time"):
            assert (batch.read(name)[k] == sim.read(name)).all(), name
    assert len({float(angle) for angle in batch.joint_positions[:, 0]}) == 13


def test_shapes_and_reads():
    batch = affix.Batch(affix.Model.from_case("four-bar"), 3)
    assert batch.q.shape == batch.v.shape == (3, 3, 12)
    assert batch.poses.shape == (3, 3, 7) and batch.twists.shape == (3, 3, 6)
    assert batch.read("reactions").shape == (3, 4, 6) and batch.read("markers").shape == (3, 1, 6)
    assert batch.energy.shape == (3, 4) and batch.time.shape == (3,)
    assert batch[1].q.shape == (3, 12) and len(list(batch)) == len(batch) == 3
    with pytest.raises(affix.ArgumentError, match="nothing called"):
        batch.read("colour")
    with pytest.raises(affix.ArgumentError):
        affix.Batch(batch.model, 0)


def test_small_pendulums_have_their_periods():
    """Gravity from Moon to Jupiter: a small swing is back after 2π sqrt(J / (m g d)), each in its own time."""
    scene = affix.Scene()
    rod = scene.add_body("rod", rotation=affix.rotation((0, 1, 0), 0.01), rigid=True)
    rod.add_box((0.1, 0.1, 1), position=(0, 0, -0.5))
    scene.add_joint("revolute", None, rod, base_frame=affix.frame_along((0, 0, 0), (0, 1, 0)),
                    follower_frame=affix.frame_along((0, 0, 0), (0, 1, 0)))
    g = np.array([1.62, 3.71, 9.81, 24.79])
    batch = affix.Batch(affix.Model(scene), 4, dt=3e-3, integrator="alpha",
                        params={"gravity": np.stack([0 * g, 0 * g, -g], axis=1)})
    run = batch.rollout(2000, every=2)
    angle, time = run["joint_positions"][:, :, 0], run["time"]
    for k in range(4):
        up = np.flatnonzero((angle[:-1, k] < 0) & (angle[1:, k] >= 0))[:2]
        zero = [time[i, k] - angle[i, k] * 6e-3 / (angle[i + 1, k] - angle[i, k]) for i in up]
        if k > 0:  # the Moon's takes longer than this ran
            expected = 2 * math.pi * math.sqrt((1 / 3 + 0.01 / 12) / (g[k] * 0.5))
            assert zero[1] - zero[0] == pytest.approx(expected, rel=5e-4)


def test_rollout_with_inputs():
    model = servo_model()
    batch = affix.Batch(model, 2)
    ctrl = np.zeros((10, 2, 1))
    ctrl[:, 1] = 0.5
    run = batch.rollout(100, every=10, record=["joint_positions", "efforts"], ctrl=ctrl)
    assert run["joint_positions"].shape == (11, 2, 1) and run["efforts"].shape == (11, 2, 1)
    np.testing.assert_allclose(run["time"][:, 0], 0.1 * np.arange(11))
    assert run["joint_positions"][-1, 1] > run["joint_positions"][-1, 0] + 0.2


def test_a_sim_that_fails_does_not_stop_the_others():
    batch = affix.Batch(affix.Model.from_case("spinning-box"), 4, threads=2)
    good = batch.snapshot()
    batch[2].body(0).twist = (0, 0, 0, 1e300, 0, 0)
    with pytest.raises(affix.NumericError, match=r"sim 2 of the batch \(1 of 4 stopped\)"):
        batch.step(10)
    assert batch.failed.tolist() == [False, False, True, False]
    np.testing.assert_allclose(batch.time, [0.1, 0.1, 0.0, 0.1])
    batch.step(10)  # the failed one is left out
    np.testing.assert_allclose(batch.time, [0.2, 0.2, 0.0, 0.2])
    batch.restore(good[2], which=[2])
    batch.step(10)
    assert not batch.failed.any() and batch.time[2] == pytest.approx(0.1)
    batch[1].body(0).twist = (0, 0, 0, 1e300, 0, 0)
    batch.step(strict=False)
    assert batch.failed[1]
    with pytest.raises(affix.ArgumentError, match="2 snapshots for 4 sims"):
        batch.restore(good[:2])


def test_closed_and_bad_input(no_leak):
    with affix.Batch(servo_model(), 3) as batch:
        batch.ctrl[1, 0] = math.inf
        with pytest.raises(affix.ArgumentError, match="sim 1 of the batch.*motor.*not finite"):
            batch.step()
        batch.ctrl = 0.1
        batch.step()
    with pytest.raises(affix.ClosedError):
        batch.step()
    with pytest.raises(affix.ClosedError):
        batch.q


def test_one_thread_at_a_time():
    """A second thread is turned away; a sim of the batch that is closed meanwhile does no harm."""
    batch = affix.Batch(affix.Model.from_case("tumbling", n=300), 6, threads=2)
    thread = threading.Thread(target=batch.step, args=(500,))
    thread.start()
    while not batch._busy.locked() and thread.is_alive():
        pass
    with pytest.raises(affix.ClosedError, match="another thread"):
        batch.step()
    with pytest.raises(affix.ClosedError, match="another thread"):
        batch.close()
    with contextlib.suppress(affix.ClosedError):
        batch[5].close()
    thread.join()
    assert batch[0].report.step == 500
    batch[5].close()
    with pytest.raises(affix.ClosedError, match="a sim of the batch is closed"):
        batch.step()


def test_pandas(panda):
    """A batch of arms: every servo moved in its own way, the same bits on one thread and on two."""
    model = affix.Model.from_file(panda)
    runs = []
    for threads in (1, 2):
        batch = affix.Batch(model, 6, threads=threads, dt=0.004)
        batch.ctrl[:, :7] += np.linspace(-0.2, 0.2, 42).reshape(6, 7)
        batch.step(50)
        runs.append(batch.q)
    assert (runs[0] == runs[1]).all()


def test_lanes():
    """Robots in joint coordinates go side by side: the bits of sims one by one, with parameters and resets of their own, on one thread and on two."""
    model = affix.Model(affix.Scene.from_case("chain", n=6).make_rigid())
    masses = np.linspace(0.5, 2, 11) * affix.Sim(model, dt=0.002, integrator="rk4").get_param("body.mass", 1)
    runs = []
    for threads in (0, 1, 2):
        settings = {"dt": 0.002, "integrator": "rk4"}
        batch = affix.Batch(model, 11, threads=max(threads, 1), params={"body.mass": {1: masses}}, **settings)
        for stretch in range(3):
            if stretch == 1:
                batch.reset(indices=[2, 7])
            for sim in batch if threads == 0 else []:
                sim.step(7)
            if threads:
                batch.step(7)
        runs.append((batch.q, batch.v, batch.read("reactions")))
    assert np.unique(runs[0][0][:, 1], axis=0).shape[0] >= 10
    for run in runs[1:]:
        assert all((a == b).all() for a, b in zip(runs[0], run))
