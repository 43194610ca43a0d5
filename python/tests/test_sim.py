# SPDX-License-Identifier: Apache-2.0
"""Sims against closed forms, and their settings, inputs, parameters and snapshots."""

import math

import numpy as np
import pytest
from conftest import pendulum_scene

import affix


def elliptic_k(m):
    """The complete elliptic integral of the first kind, by the arithmetic-geometric mean."""
    a, b = 1.0, math.sqrt(1 - m)
    for _ in range(30):
        a, b = (a + b) / 2, math.sqrt(a * b)
    return math.pi / (2 * a)


def test_pendulum_has_the_period_of_the_elliptic_integral():
    """From the horizontal, at rest: T = 4 K(1/2) sqrt(J / (m g d)); then it is back where it was."""
    with affix.Sim(affix.Model(pendulum_scene()), dt=1e-3, integrator="alpha") as sim:
        inertia = (1 / 3 + 0.01 / 12)  # per kg, about the hinge
        period = 4 * elliptic_k(0.5) * math.sqrt(inertia / (9.81 * 0.5))
        sim.dt = period / 2000
        sim.step(1000)
        assert sim.joint("hinge").angle == pytest.approx(math.pi, abs=1e-3)
        sim.step(1000)
        assert sim.joint("hinge").angle == pytest.approx(0, abs=1e-4)
        assert sim.time == pytest.approx(period)


def test_reaction_of_a_hanging_rod():
    scene = affix.Scene()
    rod = scene.add_body("rod", rigid=True).add_box((0.1, 0.1, 1), position=(0, 0, -0.5), mass=2)
    scene.add_joint("revolute", None, rod, name="hinge", at=(0, 0, 0), axis=(0, 1, 0))
    sim = affix.Sim(affix.Model(scene))
    sim.step(2)
    assert np.linalg.norm(sim.joint("hinge").force) == pytest.approx(2 * 9.81, rel=1e-9)
    np.testing.assert_allclose(sim.joint("hinge").torque, 0, atol=1e-9)


def test_a_trace_tells_what_the_solver_does():
    model = affix.Model.from_case("falling-joints", pairs=2)
    sim, other = affix.Sim(model, dt=0.01), affix.Sim(model, dt=0.01)
    assert sim.trace_events() == [] and sim.trace_dropped == 0
    sim.trace(10000)
    for _ in range(80):
        sim.step()
        other.step()
        events = [event for event in sim.trace_events() if event.step == sim.report.step]
        solves = [event for event in events if event.kind == "solve"]
        assert events[0].kind == "step" and events[0].time == pytest.approx(sim.time - 0.01)
        assert max(event.solve for event in solves) == sim.report.solves and solves[-1].verdict == "accept"
        assert sum(event.bodies for event in solves if event.verdict == "accept") == 4  # apart, or as one island
    assert np.array_equal(sim.q, other.q)
    reasons = {event.reason for event in sim.trace_events()}
    assert {"contact-set", "turn", "fine"} <= reasons  # boxes come to touch, and turn in the air
    assert sum(event.changes["contacts"] for event in sim.trace_events()) > 0
    sim.trace(7)
    sim.step(10)
    assert len(sim.trace_events()) == 7 and sim.trace_dropped > 7
    sim.trace(0)
    sim.step()
    assert sim.trace_events() == []
    with pytest.raises(affix.ArgumentError, match="0 to"):
        sim.trace(-1)


def test_a_motor_gives_its_torque():
    scene = pendulum_scene(gravity=(0, 0, 0))
    scene.add_motor("motor", "hinge")
    sim = affix.Sim(affix.Model(scene), dt=1e-3)
    inertia = 10 * (1 / 3 + 0.01 / 12)
    sim.actuator("motor").target = 0.5
    sim.step(1000)
    assert sim.actuator("motor").effort == pytest.approx(0.5)
    assert sim.joint("hinge").rate == pytest.approx(0.5 / inertia, rel=2e-3)
    sim.ctrl[0] = math.nan
    with pytest.raises(affix.ArgumentError, match='actuator "motor".*not finite'):
        sim.step()


def test_a_servo_starts_where_the_joint_is():
    scene = pendulum_scene()
    scene.add_servo("motor", "hinge", stiffness=1e5, damping=1e3)
    sim = affix.Sim(affix.Model(scene))
    sim.joint("hinge").angle = 0.2
    assert sim.actuator("motor").target == 0.0
    sim = affix.Sim(affix.Model(scene))
    sim.step(200)
    # the rod's weight: 10 kg at 0.5 m
    assert sim.joint("hinge").angle == pytest.approx(10 * 9.81 * 0.5 / 1e5, rel=1e-3)
    sim.actuator("motor").set_target(0.4, rate=0.0)
    assert sim.ctrl[0] == 0.4
    sim.step(300)
    assert sim.joint("hinge").angle == pytest.approx(0.4 + 10 * 9.81 * 0.5 * math.cos(0.4) / 1e5, rel=1e-4)


def test_target_with_a_rate_is_not_overwritten():
    """A servo without stiffness follows the rate that comes with its target."""
    scene = pendulum_scene(gravity=(0, 0, 0))
    scene.add_servo("servo", "hinge", stiffness=0.0, damping=1e4)
    sim = affix.Sim(affix.Model(scene), dt=0.01)
    sim.actuator("servo").set_target(0.0, rate=0.7)
    sim.step(100)
    assert sim.joint("hinge").rate == pytest.approx(0.7, rel=1e-4)
    sim.actuator("servo").target = 1.0  # a target alone has the rate 0
    sim.step(100)
    assert sim.joint("hinge").rate == pytest.approx(0.0, abs=1e-4)


def test_arrays_agree_with_handles():
    """Joints with several coordinates, drives and markers: what is read at once is what is read one by one."""
    scene = affix.Scene()
    a = scene.add_body("a", angular_velocity=(1, 2, 3)).add_box((0.1, 0.2, 0.3), position=(0.4, 0, 0))
    b = scene.add_body("b", position=(1, 0, 0), linear_velocity=(0.3, 0, 0)).add_box((0.3, 0.2, 0.1))
    scene.add_joint("spherical", None, a, name="ball", at=(0, 0, 0))
    scene.add_joint("cylindrical", None, b, name="tube", at=(1, 0, 0), axis=(1, 1, 0))
    scene.add_drive("spring", "tube", axis=1, stiffness=3, rest=0.5)
    scene.add_drive("force", "tube", axis=0, target=0.7)
    scene.add_marker("m", a, (1, 2, 3))
    scene.add_marker("n", b, (3, 2, 1))
    sim = affix.Sim(affix.Model(scene))
    sim.step(30)
    joints = [sim.joint(name) for name in ("ball", "tube")]
    assert len(set(np.abs(sim.joint_rates).round(6))) == 5
    assert (sim.joint_positions == np.concatenate([joint.coordinates for joint in joints])).all()
    assert (sim.joint_rates == np.concatenate([joint.rates for joint in joints])).all()
    assert (sim.read("reactions") == [joint.reaction for joint in joints]).all()
    assert (sim.read("efforts") == [sim.actuator(k).effort for k in range(2)]).all()
    assert sim.actuator(1).effort == pytest.approx(0.7)
    for k, name in enumerate("mn"):
        assert (sim.read("markers")[k, :3] == sim.marker(name).position).all()
        assert (sim.read("markers")[k, 3:] == sim.marker(name).velocity).all()
    for k, name in enumerate("ab"):
        assert (sim.poses[k, :3] == sim.body(name).position).all() and (sim.poses[k, 3:] == sim.body(name).rotation).all()
        assert (sim.twists[k] == sim.body(name).twist).all()
    assert (sim.read("energy") == sim.energy).all() and sim.read("time") == sim.time
    assert sim.model.joint_slice("tube") == slice(3, 5)


def test_state_can_be_replaced():
    sim = affix.Sim(affix.Model.from_case("tumbling", n=5))
    sim.step(3)
    q, v = sim.q.copy(), sim.v.copy()
    sim.step(3)
    sim.set_state(q, v)
    assert (sim.q == q).all() and (sim.v == v).all()
    sim.q = q + 0
    sim.v = np.zeros_like(v)
    assert not sim.v.any()
    sim.step()
    assert sim.report.flags & affix.StepFlag.RESTARTED
    with pytest.raises(affix.ArgumentError):
        sim.q = np.full_like(q, np.nan)
    with pytest.raises(affix.ArgumentError, match="60 numbers"):
        sim.set_state(q[:2])
    poses = sim.poses
    poses[:, 2] += 1
    sim.poses = poses
    np.testing.assert_allclose(sim.poses, poses, atol=1e-14)
    twists = sim.twists
    sim.twists = 2 * twists
    np.testing.assert_allclose(sim.twists, 2 * twists, atol=1e-13)
    sim.body(0).twist = (1, 2, 3, 4, 5, 6)
    np.testing.assert_allclose(sim.body(0).twist, (1, 2, 3, 4, 5, 6), atol=1e-12)


def test_raw_coordinates_map_the_principal_frame():
    """A x + t of ``q`` is the pose after the principal frame."""
    sim = affix.Sim(affix.Model.from_case("t-handle", young=math.inf))
    sim.step(20)
    frame, pose = sim.model.body_frame(0), sim.pose(0)
    a, t = sim.q[0, :9].reshape(3, 3).T, sim.q[0, 9:]
    np.testing.assert_allclose(a, pose.matrix @ frame.matrix, atol=1e-8)
    np.testing.assert_allclose(t, pose @ frame.position, atol=1e-12)


def test_joint_positions_place_a_mechanism():
    sim = affix.Sim(affix.Model.from_case("chain", n=3, joint="hinge"))
    sim.joint_positions = [0.1, 0.2, -0.3]
    np.testing.assert_allclose(sim.joint_positions, [0.1, 0.2, -0.3], atol=1e-12)
    assert sim.assemble() < 1e-12
    sim.step()
    assert sim.joint_rates.shape == (3,)
    with pytest.raises(affix.ArgumentError, match="3 numbers"):
        sim.joint_positions = [0, 0]


def test_parameters_belong_to_the_sim():
    model = affix.Model(pendulum_scene())
    heavy, light = affix.Sim(model), affix.Sim(model)
    heavy.set_param("gravity", None, (0, 0, -20))
    heavy.step(10)
    light.step(10)
    assert heavy.joint("hinge").angle == pytest.approx(light.joint("hinge").angle * 20 / 9.81, rel=1e-2)
    assert light.get_param("body.mass", "rod") == model.parameter("body.mass")[0]
    with pytest.raises(affix.AffixError, match='body.mass of body "rod"'):
        light.set_param("body.mass", "rod", -1)
    with pytest.raises(affix.NotFoundError, match="body.mass"):
        light.set_param("body.mas", "rod", 1)
    two = affix.Sim(affix.Model.from_case("tumbling", n=2))
    with pytest.raises(affix.ArgumentError, match="2 items: say which"):
        two.set_param("body.mass", None, 1)


def test_settings():
    model = affix.Model.from_case("t-handle")
    for integrator in ("bdf2", "bdf1", "alpha", "sdirk2"):
        affix.Sim(model, integrator=integrator, accuracy="accurate").step(2)
    rigid = affix.Model.from_case("t-handle", young="inf")
    for integrator in ("conserving", "conserving4", "reference"):
        sim = affix.Sim(rigid, integrator=integrator)
        before = sim.energy.total
        sim.step(200)
        assert sim.energy.total == pytest.approx(before, rel=1e-11 if integrator != "reference" else 1e-5)
        with pytest.raises(affix.AffixError, match="exactly rigid bodies only"):
            affix.Sim(model, integrator=integrator)
    with pytest.raises(affix.ArgumentError, match="there are bdf2, bdf1, alpha, sdirk2"):
        affix.Sim(model, integrator="euler")
    with pytest.raises(affix.AffixError):
        affix.Sim(model, dt=-1)
    with pytest.raises(TypeError):
        affix.Sim("t-handle")
    sim = affix.Sim(model, lanes=1)
    assert sim.dt == 0.01
    sim.step(np.int64(3))
    sim.step(0)
    assert sim.report.step == 3
    with pytest.raises(OverflowError):
        sim.step(-1)
    with pytest.raises(TypeError):
        sim.step(1.5)


def test_snapshots_go_on_bit_for_bit_with_their_inputs():
    scene = pendulum_scene()
    scene.add_servo("motor", "hinge", stiffness=50, damping=5)
    model = affix.Model(scene)
    sim = affix.Sim(model)
    sim.ctrl[0] = 1.0
    sim.step(20)
    sim.ctrl[0] = -1.0  # not yet told to the drive
    state = sim.snapshot()
    sim.step(20)
    once = sim.q.copy()
    other = affix.Sim(model)
    other.restore(state)
    other.step(20)
    assert (other.q == once).all() and other.ctrl[0] == -1.0
    with pytest.raises(affix.VersionError):
        affix.Sim(model, integrator="alpha").restore(state)
    with pytest.raises(affix.VersionError):
        affix.Sim(affix.Model.from_case("pendulum")).restore(state)


def test_numeric_failure_keeps_the_state():
    sim = affix.Sim(affix.Model.from_case("spinning-box"))
    sim.step()
    sim.body(0).twist = (0, 0, 0, 1e300, 0, 0)
    before = sim.q.copy()
    with pytest.raises(affix.NumericError) as caught:
        sim.step(5)
    assert isinstance(caught.value, ArithmeticError) and "body" in str(caught.value)
    assert (sim.q == before).all()
    assert sim.flags & affix.StepFlag.FAILED
    sim.clear_flags()
    assert not sim.flags


def test_body_wrenches_and_targets():
    scene = affix.Scene(gravity=(0, 0, 0))
    scene.add_body("puck", rigid=True).add_sphere(0.1, mass=2)
    scene.add_body("hand", kind="kinematic", position=(0, 5, 0)).add_sphere(0.1)
    sim = affix.Sim(affix.Model(scene), dt=0.01)
    sim.set_body_wrenches([[4, 0, 0, 0, 0, 0], np.zeros(6)])
    sim.body("hand").set_target(affix.Pose((0, 5, 0.1)))
    sim.step(100)
    assert sim.body("puck").velocity[0] == pytest.approx(2.0, rel=1e-3)
    assert sim.body("hand").position[2] == pytest.approx(0.1)
    sim.set_body_wrenches(None)
    with pytest.raises(affix.ArgumentError, match="kinematic"):
        sim.body("puck").set_target(affix.Pose())


def test_hold_and_release():
    scene = affix.Scene(gravity=(0, 0, -10))
    scene.add_body("ball", rigid=True).add_sphere(0.1, mass=2)
    scene.add_body("led", kind="kinematic", position=(0, 5, 0)).add_sphere(0.1)
    sim = affix.Sim(affix.Model(scene), dt=0.01)
    ball = sim.body("ball")
    ball.hold((0, 1, 0), stiffness=100, damping=30)
    sim.step(1000)
    np.testing.assert_allclose(ball.position, (0, 1, -0.2), atol=1e-9)
    np.testing.assert_allclose(ball.hold_force, (0, 0, 20), atol=1e-6)
    ball.hold((0, 1, 0), stiffness=1e12, point=(0, 0, 0.1))
    sim.step(100)
    assert ball.position[2] == pytest.approx(-0.1, abs=1e-3)
    ball.release()
    for call in (ball.release, lambda: ball.hold_force, lambda: sim.body("led").hold((0, 0, 0), 1),
                 lambda: ball.hold((0, 0, 0), -1)):
        with pytest.raises(affix.ArgumentError, match="held"):
            call()


def test_momentum_and_energy():
    scene = affix.Scene(gravity=(0, 0, 0))
    scene.add_body(position=(1, 0, 0), linear_velocity=(0, 3, 0), rigid=True).add_sphere(0.1, mass=2)
    sim = affix.Sim(affix.Model(scene))
    momentum = sim.momentum
    assert momentum.mass == pytest.approx(2)
    np.testing.assert_allclose(momentum.linear, (0, 6, 0))
    np.testing.assert_allclose(momentum.angular, (0, 0, 6))
    assert sim.energy.total == pytest.approx(9)


def test_handles_by_name_number_and_item():
    scene = pendulum_scene()
    motor = scene.add_motor("motor", "hinge")
    sim = affix.Sim(affix.Model(scene))
    assert sim.actuator(motor).name == sim.actuator(0).name == "motor"
    assert sim.body(scene.body("rod")).index == 0
    assert sim.marker("tip").position == pytest.approx((1, 0, 0))
    assert "hinge" in repr(sim.joint(0))
    with pytest.raises(affix.NotFoundError, match='no joint "hing".*did you mean "hinge"'):
        sim.joint("hing")
    with pytest.raises(affix.ArgumentError, match="no body 3"):
        sim.body(3)
    with pytest.raises(affix.ArgumentError, match="is no joint"):
        sim.joint(motor)
    with pytest.raises(KeyError):
        sim.body("nobody")
    ball = affix.Sim(affix.Model.from_case("chain", n=1))
    with pytest.raises(affix.ArgumentError, match="3 coordinates"):
        ball.joint(0).angle
    sim.joint("hinge").active = False
    assert not sim.joint("hinge").active


def test_residual_of_a_step():
    sim = affix.Sim(affix.Model.from_case("four-bar"), solves=10)
    assert not sim.verify
    with pytest.raises(affix.ArgumentError):
        sim.residual
    sim.verify = True
    assert sim.verify and sim.residual.stages == 0 and sim.residual.force_at == ("none", -1)
    sim.step()
    assert sim.residual.stages == 1
    assert max(sim.residual.force, sim.residual.constraint, sim.residual.law) < 1e-9
    sim.verify = False
    assert not sim.verify
    rough = affix.Sim(affix.Model.from_case("pendulum"), solves=1)
    rough.verify = True
    rough.step()
    assert rough.residual.force > 1e-6 and rough.residual.force_at == ("body", 0)


def test_dynamics_in_joint_coordinates():
    """The equations of motion that the queries give are those that the motion obeys."""
    sim = affix.Sim(affix.Model.from_case("pendulum"), dt=1e-4)
    sim.step(200)
    mass, bias = sim.mass_matrix(), sim.bias_forces()
    forward = sim.forward_dynamics(np.zeros(sim.dof_count))
    np.testing.assert_allclose(mass @ forward, -bias, rtol=1e-12)
    np.testing.assert_allclose(sim.inverse_dynamics(forward), 0, atol=1e-12)
    before = sim.dof_velocities
    sim.step(1)
    np.testing.assert_allclose((sim.dof_velocities - before) / 1e-4, forward, rtol=1e-3)
    linear, angular = sim.point_jacobian(0)
    np.testing.assert_allclose(linear @ sim.dof_velocities, sim.twists[0, :3], atol=1e-12)
    np.testing.assert_allclose(angular @ sim.dof_velocities, sim.twists[0, 3:], atol=1e-12)
    sim.dof_velocities = 2 * before
    np.testing.assert_allclose(sim.dof_velocities, 2 * before, rtol=1e-12)
    assert np.all(np.isfinite(sim.gravity_forces()))
