# SPDX-License-Identifier: Apache-2.0
"""Quantities in joint coordinates: against differences of forward kinematics and of steps, and batches against single sims."""

import importlib.machinery
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import MENAGERIE, ROOT

import affix

ARM = """<mujoco><compiler angle="radian"/><worldbody><body name="base" pos="0 0 1"><freejoint name="root"/>
  <geom type="box" size=".2 .1 .05" mass="3"/>
  <body name="upper" pos=".2 0 0"><joint name="a" axis="0 1 0" armature=".02"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".03"/>
    <body name="lower" pos=".4 0 0"><joint name="b" type="ball"/><geom type="box" size=".2 .03 .05" pos=".2 0 0"/>
      <site name="tip" pos=".4 .1 0" quat=".8 .6 0 0"/></body></body></body></worldbody></mujoco>"""


def moved(model, qpos, qvel, h):
    """qpos after a time h at constant generalised velocities."""
    out = qpos.copy()
    for places, rates in model._robot.slices:
        if places.stop - places.start == 1:
            out[places] += h * qvel[rates]
            continue
        if places.stop - places.start == 7:
            out[places.start:places.start + 3] += h * qvel[rates][:3]
        w, q = qvel[rates][-3:] * h / 2, out[places.stop - 4:places.stop].copy()
        turn = np.array([np.cos(np.linalg.norm(w)), *(w * np.sinc(np.linalg.norm(w) / np.pi))])
        out[places.stop - 4] = q[0] * turn[0] - q[1:] @ turn[1:]
        out[places.stop - 3:places.stop] = q[0] * turn[1:] + turn[0] * q[1:] + np.cross(q[1:], turn[1:])
    return out


@pytest.fixture
def sim():
    model = affix.Model.from_string(ARM, "mjcf")
    one = affix.Sim(model, dt=1e-4)
    random = np.random.default_rng(3)
    one.qpos = moved(model, one.qpos, random.uniform(-1, 1, model.nv), 1.0)
    one.qvel = random.uniform(-1, 1, model.nv)
    return one


def test_degrees_of_freedom_are_qvel(sim):
    assert sim.dof_count == sim.model.nv == 10
    np.testing.assert_allclose(sim.dof_velocities, sim.qvel, atol=1e-14)


def test_jacobians_are_differences_of_forward_kinematics(sim):
    model, h, before = sim.model, 1e-6, sim.qpos
    linear, angular = sim.site_jacobian("tip")
    for k in range(model.nv):
        unit = np.eye(model.nv)[k]
        sides = sim.forward_kinematics([moved(model, before, unit, s * h) for s in (1, -1)], ["tip"])[:, 0]
        np.testing.assert_allclose(linear[:, k], (sides[0, :3] - sides[1, :3]) / (2 * h), atol=1e-8)
        a, b = sides[:, 3:]
        turn = 2 * (b[0] * a[1:] - a[0] * b[1:] - np.cross(a[1:], b[1:])) / (2 * h)
        np.testing.assert_allclose(angular[:, k], turn, atol=1e-8)
    np.testing.assert_array_equal(sim.qpos, before)
    turned = sim.site("tip").pose.matrix.T @ linear
    np.testing.assert_allclose(sim.site_jacobian("tip", "site")[0], turned, atol=1e-13)
    with pytest.raises(affix.ArgumentError, match="axes"):
        sim.site_jacobian("tip", "body")
    with pytest.raises(affix.ArgumentError, match="a posture"):
        sim.forward_kinematics([1.0])


def test_accelerations_are_differences(sim):
    """J a + J' u, and accelerations of a step."""
    forces = sim.inverse_dynamics(np.linspace(-1, 1, 10))
    linear, angular = sim.point_acceleration("lower", (0.4, 0.1, 0), np.linspace(-1, 1, 10))
    h, u = 1e-6, sim.dof_velocities
    sides = []
    for s in (1, -1):
        other = affix.Sim(sim.model)
        other.qpos = moved(sim.model, sim.qpos, u, s * h)
        other.qvel = u + s * h * np.linspace(-1, 1, 10)
        sides.append(other.site("tip").twist)
    np.testing.assert_allclose(np.concatenate([linear, angular]), (sides[0] - sides[1]) / (2 * h), atol=1e-7)
    np.testing.assert_allclose(sim.forward_dynamics(forces), np.linspace(-1, 1, 10), atol=1e-11)
    free = sim.forward_dynamics(np.zeros(10))
    sim.step()
    np.testing.assert_allclose(sim.dof_accelerations, free, atol=2e-3 * np.abs(free).max())


def test_the_whole(sim):
    """Momentum is mass times velocity of the centre; about it, what falls freely keeps its angular momentum."""
    center, momentum = sim.center_of_mass(), sim.centroidal_momentum()
    np.testing.assert_allclose(momentum.linear, center.mass * center.velocity, atol=1e-12)
    np.testing.assert_allclose(sim.center_of_mass_jacobian() @ sim.dof_velocities, center.velocity, atol=1e-13)
    np.testing.assert_allclose(momentum.matrix @ sim.dof_velocities, [*momentum.linear, *momentum.angular], atol=1e-12)
    part = sim.center_of_mass("lower")
    assert part.mass < center.mass
    sim.step(20)
    np.testing.assert_allclose(sim.centroidal_momentum().angular, momentum.angular, atol=1e-5)


def test_operational_space(sim):
    jacobian = np.concatenate(sim.site_jacobian("tip"))
    mobility = jacobian @ np.linalg.solve(sim.mass_matrix(), jacobian.T)
    np.testing.assert_allclose(sim.operational_mobility(jacobian), mobility, atol=1e-10)
    np.testing.assert_allclose(sim.operational_inertia(jacobian) @ mobility, np.eye(6), atol=1e-9)
    with pytest.raises(affix.NumericError, match="cannot be done"):
        sim.operational_inertia(np.vstack([jacobian, jacobian[:1]]))


def test_loops():
    sim = affix.Sim(affix.Model.from_case("four-bar"))
    rows, u = sim.constraint_jacobian(), sim.project_velocities(np.ones(sim.dof_count))
    assert rows.shape == (sim.constraint_count, sim.dof_count)
    np.testing.assert_allclose(rows @ u, 0, atol=1e-12)
    a = sim.constrained_forward_dynamics(np.ones(sim.dof_count))
    forces = sim.constrained_inverse_dynamics(a, [0])
    assert np.count_nonzero(forces) == 1
    np.testing.assert_allclose(sim.constrained_forward_dynamics(forces), a, rtol=1e-6)
    mass = sim.mass_matrix()
    np.testing.assert_allclose(u @ sim.projected_mass_matrix() @ u, u @ mass @ u, rtol=1e-10)


def test_batches_are_single_sims():
    model = affix.Model.from_string(ARM, "mjcf")
    batch = affix.Batch(model, 3)
    batch.qpos = np.stack([moved(model, batch[0].qpos, np.full(10, 0.1 * k), 1.0) for k in range(3)])
    batch.qvel = np.random.default_rng(1).uniform(-1, 1, (3, 10))
    a = np.arange(30.0).reshape(3, 10)
    for name, arguments in (("mass_matrix", ()), ("bias_forces", ()), ("gravity_forces", ()), ("inverse_dynamics", (a,)),
                            ("forward_dynamics", (a,)), ("projected_mass_matrix", ()), ("center_of_mass_jacobian", ()),
                            ("constrained_forward_dynamics", (a,)), ("constrained_inverse_dynamics", (a,))):
        stacked = getattr(batch, name)(*arguments)
        for k in range(3):
            np.testing.assert_array_equal(stacked[k], getattr(batch[k], name)(*[x[k] for x in arguments]))
    assert batch.site_jacobian("tip").shape == batch.point_jacobian("upper").shape == (3, 6, 10)
    assert batch.center_of_mass().shape == batch.centroidal_momentum().shape == (3, 6)
    assert batch.dof_velocities.shape == batch.dof_accelerations.shape == (3, 10)


def test_reactions_in_any_frame():
    """A lamp on a wire: its weight, turned, and a torque about a point beside it."""
    scene = affix.Scene()
    lamp = scene.add_body("lamp", position=(0, 0, -1), rigid=True).add_sphere(0.1, mass=2)
    scene.add_joint("revolute", None, lamp, at=(0, 0, 0), axis=(0, 1, 0), name="wire")
    sim = affix.Sim(affix.Model.from_scene(scene))
    sim.step(5)
    frame = affix.Pose((0.5, 0, 0), (np.sqrt(0.5), np.sqrt(0.5), 0, 0))    # its y is the world's z
    found = sim.joint("wire").reaction_in(frame)
    np.testing.assert_allclose(found, [0, 19.62, 0, 0, 0, -9.81], atol=1e-6)


if os.environ.get("AFFIX_TEST_LONG"):  # not asked for, it is neither passed nor skipped
    @pytest.mark.parametrize("name", ["kinova_gen3/gen3.xml", "unitree_go1/go1.xml", "shadow_hand/left_hand.xml"])
    def test_public_robots_agree_with_mujoco(name):
        """Mass matrix, bias forces, inverse dynamics and Jacobians of a robot to 1e-9; needs node and npm."""
        if not (MENAGERIE / name).is_file():
            pytest.skip("the robot's model is not there")
        build = Path(affix.__file__).resolve().parents[2]
        command = [sys.executable, ROOT / "tools/robots", "--quantities", "--match", name, "--build", build]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0 and "largest" in done.stdout, done.stdout + done.stderr


def test_what_is_not_a_number_does_not_agree(capsys):
    """A mass matrix of NaN is no agreement, nor is a comparison of nothing."""
    loader = importlib.machinery.SourceFileLoader("robots", str(ROOT / "tools/robots"))
    robots = importlib.util.module_from_spec(importlib.util.spec_from_loader("robots", loader))
    loader.exec_module(robots)

    class Asked:
        def ask(self, line):
            return {}

    for value, agrees in ((1e-12, True), (np.nan, False), (1e-3, False)):
        robots.quantities = lambda *_: {"bias": 0.0, "mass matrix": value, "inverse": 0.0}
        assert robots.main_quantities(affix, None, ["one.xml"], Asked()) == agrees
    assert not robots.main_quantities(affix, None, [], Asked())
    assert np.isinf(robots.largest(0.0, np.nan)) and "largest inf of 1 files" in capsys.readouterr().out
