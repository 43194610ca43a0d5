# SPDX-License-Identifier: Apache-2.0
"""Derivatives of runs."""

import numpy as np
import pytest

import affix


def run(gravity, steps=30):
    sim = affix.Sim(affix.Model.from_case("four-bar"), dt=0.01, accuracy="converged")
    sim.set_param("gravity", None, gravity)
    return sim, steps


def energy(gravity):
    sim, steps = run(gravity)
    sim.step(steps)
    return sim.energy.kinetic


def test_energy_by_gravity():
    gravity = np.array([0.1, 0.0, -9.81])
    sim, steps = run(gravity)
    with sim.gradient() as g:
        g.step(steps)
        assert g.steps == steps
        g.seed("energy.kinetic")
        assert g.value("energy.kinetic") == pytest.approx(sim.energy.kinetic, rel=1e-12)
        g.backward()
        by = g.param("gravity").reshape(-1)
        q, v = g.start
        assert q.shape == v.shape == sim.q.shape
        assert g.report.doubtful == 0 and g.report.steps == steps
        a, b = g.jacobian()
        assert a.shape == (24 * len(q), 24 * len(q)) and b.shape[0] == 24 * len(q)
    for k in range(3):
        step = np.zeros(3)
        step[k] = 1e-3
        d = [(energy(gravity + j * step) - energy(gravity - j * step)) / (2e-3 * j) for j in (1, 2)]
        assert by[k] == pytest.approx((4 * d[0] - d[1]) / 3, rel=1e-7, abs=1e-8)


def test_mistakes():
    model = affix.Model.from_case("pendulum")
    with pytest.raises(affix.InputError, match="converged"):
        affix.Sim(model).gradient()
    sim = affix.Sim(model, accuracy="converged")
    with sim.gradient() as g:
        with pytest.raises(affix.ArgumentError, match="colour"):
            g.seed("colour")
        with pytest.raises(affix.ClosedError):
            g.param("gravity")
    with pytest.raises(affix.ClosedError):
        g.step()
    sim.step()


def test_weights_share_what_two_hinges_carry():
    scene = affix.Scene()
    scene.gravity = (0, 0, -9.81)
    door = scene.add_body("door", mass=43.2, inertia=(14, 17, 3), position=(0.45, 0, 1), rigid=True)
    for height in (0.2, 1.7):
        scene.add_joint("revolute", None, door, at=(0, 0, height), axis=(0, 0, 1))
    sim = affix.Sim(affix.Model(scene), dt=0.01)
    sim.set_weights(joint_force=[1.0, 3.0], joint_torque=1e6)
    sim.step(3)
    up = [sim.joint(k).force[0] for k in range(2)]
    load = 9.81 * 43.2
    assert sum(up) == pytest.approx(load, rel=1e-9) and up[0] == pytest.approx(3 * up[1], rel=1e-6)
    with pytest.raises(affix.ArgumentError):
        sim.set_weights(drive=1.0, joint_force=-1.0)
    sim.clear_weights()


def test_steps_made_again_have_the_same_derivatives():
    found = []
    for keep in (0, 4):
        sim, steps = run([0.1, 0.0, -9.81])
        with sim.gradient(keep=keep, snapshots=3) as g:
            g.step(steps)
            g.seed("energy.kinetic")
            g.backward()
            found.append(g.param("gravity").copy())
    assert np.array_equal(*found)
    with pytest.raises(affix.ArgumentError):
        sim.gradient(keep=-1)


def test_frames_of_joints():
    """They are there where they were asked for, after a pass."""
    model = affix.Model.from_case("pendulum")
    sim = affix.Sim(model, dt=0.01, accuracy="converged")
    with sim.gradient(frames=True) as g:
        with pytest.raises(affix.ClosedError):
            g.frames
        g.step(5)
        g.seed("energy.kinetic")
        g.backward()
        assert g.frames.shape == (1, 2, 6)
        assert np.abs(g.frames[0, 0, 3:]).max() > 0
    with affix.Sim(model, dt=0.01, accuracy="converged").gradient() as g:
        g.step(1)
        g.backward()
        with pytest.raises(affix.ClosedError):
            g.frames


def test_a_ball_joint_follows_a_quaternion():
    scene = affix.Scene()
    body = scene.add_body("ball", mass=1.0, inertia=(0.1, 0.2, 0.3), rigid=True)
    joint = scene.add_joint("spherical", None, body, at=(0, 0, 0), name="j")
    for axis in range(3):
        scene.add_drive("position", joint, axis=axis, from_input=True)
    sim = affix.Sim(affix.Model(scene), dt=0.01)
    half = 0.5 * 0.02
    turned = affix.Pose((0, 0, 0), (np.cos(half), np.sin(half) * 0.6, 0, np.sin(half) * 0.8))
    sim.joint("j").set_target(turned, angular=(1.2, 0, 1.6))
    sim.step()
    assert np.allclose(sim.body("ball").pose.rotation, turned.rotation, atol=1e-9)
    with pytest.raises(affix.AffixError):
        sim.joint("j").set_target(affix.Pose((0, 0, 1)))
