# SPDX-License-Identifier: Apache-2.0
"""Scenes built in Python: what goes in comes out of the model, and what is wrong is told."""

import math

import numpy as np
import pytest
from conftest import pendulum_scene

import affix


def test_masses_of_shapes():
    scene = affix.Scene()
    cube = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], dtype=float)
    faces = [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4],
             [1, 5, 7], [1, 7, 3]]
    masses = {
        "box": (scene.add_body().add_box((1, 2, 3), density=10), 60),
        "sphere": (scene.add_body().add_sphere(0.5, density=3), 3 * math.pi / 6),
        "capsule": (scene.add_body().add_capsule(0.5, 2), 1000 * (math.pi / 6 + math.pi / 4 * 2)),
        "cylinder": (scene.add_body().add_cylinder(0.5, 2), 1000 * math.pi / 4 * 2),
        "ellipsoid": (scene.add_body().add_ellipsoid((1, 2, 3)), 1000 * 4 / 3 * math.pi * 6),
        "convex": (scene.add_body().add_convex(cube), 1000),
        "mesh": (scene.add_body().add_mesh(cube, faces), 1000),
        "two": (scene.add_body().add_sphere(0.1, mass=1).add_box((1, 1, 1), mass=2, position=(5, 0, 0)), 3),
        "given": (scene.add_body(mass=7, inertia=(1, 1, 1)), 7),
    }
    for name, (body, mass) in masses.items():
        assert body.mass == pytest.approx(mass, rel=1e-12), name
    np.testing.assert_allclose(affix.Model(scene).parameter("body.mass"), [mass for _, mass in masses.values()])


def test_inertia_in_all_forms():
    """A free body that spins about x keeps its energy ω² Jxx / 2, however the tensor was given."""
    energies = []
    for inertia in ((2, 3, 4), (2, 3, 4, 0, 0, 0), np.diag([2, 3, 4])):
        scene = affix.Scene(gravity=(0, 0, 0))
        scene.add_body("top", mass=1, inertia=inertia, angular_velocity=(3, 0, 0), rigid=True)
        energies.append(affix.Sim(affix.Model(scene)).energy.kinetic)
    np.testing.assert_allclose(energies, 9.0)
    tensor = np.array([[2, 0.1, 0], [0.1, 3, 0], [0, 0, 4]])
    scene = affix.Scene()
    scene.add_body(mass=1, inertia=tensor, angular_velocity=(1, 1, 0), rigid=True)
    assert affix.Sim(affix.Model(scene)).energy.kinetic == pytest.approx((2 + 3 + 0.2) / 2)
    with pytest.raises(affix.ArgumentError, match="symmetric"):
        scene.add_body(mass=1, inertia=tensor + np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]]))


def test_every_kind_of_joint_can_be_added():
    links = ("distance", "revolute-spherical", "revolute-revolute")
    for kind in affix.joint_kinds():
        scene = affix.Scene()
        where = (0, 1, 0) if kind in links else (1, 0, 0)
        a, b = scene.add_body("a").add_sphere(0.1), scene.add_body("b", position=where).add_sphere(0.1)
        options = {"length": 1.0} if kind in links else {"pitch": 0.1} if kind == "screw" else {}
        if kind in links:
            joint = scene.add_joint(kind, a, b, name="j", base_frame=affix.Pose(), follower_frame=affix.Pose(), **options)
        else:
            joint = scene.add_joint(kind, a, b, name="j", at=(0.5, 0, 0), **options)
        sim = affix.Sim(affix.Model(scene))
        sim.step(3)
        where = sim.model.joint_slice(joint)
        assert sim.joint("j").coordinates.shape == sim.joint("j").rates.shape == (where.stop - where.start,)


def test_aliases_of_joint_kinds_and_of_infinity():
    for alias, kind in (("hinge", "revolute"), ("slide", "prismatic"), ("ball", "spherical"), ("Pin_In_Slot", "pin-in-slot")):
        scene = affix.Scene()
        body = scene.add_body("a", young="infinite").add_sphere(0.1)
        scene.add_joint(alias, None, body, name="j")
        assert affix.Model(scene).joint_kind("j") == kind
    with pytest.raises(affix.ArgumentError, match="there is no kind of joint"):
        affix.Scene().add_joint("hinges", None, None)
    sim = affix.Sim(affix.Model.from_case("pendulum"))
    sim.step()
    assert sim.report.iterations == sim.report.solves and sim.report.violation == sim.report.residual
    assert sim.report.penetration == sim.report.depth and sim.report.iterations_mean == sim.report.solves_mean


def test_drives_with_and_without_targets():
    scene = pendulum_scene()
    scene.add_drive("velocity", "hinge", target=affix.polynomial(2.0), name="steady")
    model = affix.Model(scene)
    assert model.actuator_names == ("steady",) and model.input_names == ()
    sim = affix.Sim(model)
    sim.step(100)
    assert sim.joint("hinge").angle == pytest.approx(2.0, abs=1e-9)
    assert sim.joint("hinge").rate == pytest.approx(2.0, abs=1e-3)
    with pytest.raises(affix.ArgumentError, match="takes no input"):
        sim.actuator("steady").target = 1


def test_signals():
    assert affix.sine(2, 0.25, offset=1)(1.0) == pytest.approx(3)
    assert affix.constant(4)(9) == 4
    curve = affix.table([0, 1, 2], [0, 1, 4])
    assert curve(1) == pytest.approx(1) and curve(5) == pytest.approx(4)
    with pytest.raises(affix.ArgumentError):
        affix.table([0, 1], [0])
    with pytest.raises(affix.ArgumentError):
        affix.polynomial(*range(9))


def test_kinematic_body_follows_its_motion():
    scene = affix.Scene()
    motion = affix.Motion((affix.polynomial(0, 0.5), 0, 0), (0, 0, 1), affix.sine(0.3, 1))
    scene.add_body("table", motion=motion).add_box((1, 1, 0.1))
    sim = affix.Sim(affix.Model(scene), dt=0.01)
    sim.step(25)
    pose = sim.pose("table")
    assert pose.position[0] == pytest.approx(0.125)
    np.testing.assert_allclose(pose.rotation, affix.rotation((0, 0, 1), 0.3), atol=1e-9)


def test_coupling_spring_wrench():
    """Gears turn against each other; a spring hangs its load lower by m g / k; a wrench accelerates by F / m."""
    scene = affix.Scene(gravity=(0, 0, 0))
    for k in range(2):
        wheel = scene.add_body(f"wheel {k}", position=(k, 0, 0)).add_cylinder(0.1, 0.02)
        scene.add_joint("revolute", None, wheel, at=(k, 0, 0), axis=(0, 0, 1), name=f"axle {k}")
    scene.add_coupling([("axle 0", 2), ("axle 1", 0, 1)])
    scene.add_drive("velocity", "axle 0", target=1)
    puck = scene.add_body("puck", position=(0, 5, 0)).add_sphere(0.1, mass=2)
    scene.add_wrench(puck, force=(6, 0, 0))
    sim = affix.Sim(affix.Model(scene))
    sim.step(100)
    assert sim.joint("axle 1").angle == pytest.approx(-2.0, abs=1e-9)
    assert sim.body("puck").position[0] == pytest.approx(0.5 * 3 * 1**2, rel=1e-3)
    sim.wrench(0).value = (0, 0, 0, 0, 0, 0)
    before = sim.body("puck").velocity
    sim.step(10)
    np.testing.assert_allclose(sim.body("puck").velocity, before, rtol=1e-2)

    scene = affix.Scene()
    load = scene.add_body("load", position=(0, 0, -1), rigid=True).add_sphere(0.1, mass=3)
    scene.add_joint("prismatic", None, load, at=(0, 0, -1), axis=(0, 0, 1), name="rail")
    scene.add_spring(None, (0, 0, 0), load, (0, 0, 0), stiffness=300, damping=60)
    sim = affix.Sim(affix.Model(scene))
    sim.step(1000)
    assert sim.joint("rail").position == pytest.approx(-3 * 9.81 / 300, rel=1e-6)


def test_errors_name_the_thing_and_the_cure():
    scene = affix.Scene()
    with pytest.raises(affix.InputError) as caught:
        scene.add_body("stone", young=-5)
    assert caught.value.status == "AFX_E_INPUT" and "stone" in caught.value.element and caught.value.cure
    assert isinstance(caught.value, ValueError)
    body = scene.add_body("wheel").add_sphere(0.1)
    with pytest.raises(affix.NotFoundError, match='did you mean "wheel"'):
        scene.body("whel")
    with pytest.raises(affix.ArgumentError, match="no kind of joint.*revolute"):
        scene.add_joint("hinged", None, body)
    with pytest.raises(affix.ArgumentError, match="another scene"):
        affix.Scene().add_joint("revolute", None, body)
    with pytest.raises(affix.ArgumentError, match="3 numbers"):
        scene.add_body(position=(1, 2))
    with pytest.raises(affix.ArgumentError, match="there is no setting 'colour'"):
        scene.add_body(colour="red")
    with pytest.raises(affix.ArgumentError, match="not both"):
        scene.add_joint("revolute", None, body, at=(0, 0, 0), base_frame=affix.Pose())
    with pytest.raises(affix.InputError):
        scene.add_body("wheel")  # twice
    with pytest.raises(affix.InputError) as caught:
        scene.add_body("open").add_mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    assert "open" in str(caught.value)
    with pytest.raises(affix.ArgumentError, match="2|1 to 8"):
        scene.add_coupling([])
    with pytest.raises(TypeError):
        affix.rotation((0, 0, 1))


def test_save_and_load_give_the_same_model(tmp_path):
    scene = pendulum_scene()
    scene.add_servo("motor", "hinge", stiffness=10)
    path = tmp_path / "scene.json"
    scene.save(path)
    model = affix.Model.from_file(path)
    assert model.hash == affix.Model(scene).hash
    assert model.body_names == ("rod",) and model.input_names == ("motor",)
    assert affix.Model.from_string(path.read_text()).hash == model.hash
    with pytest.raises(affix.AffixError) as caught:
        affix.Model.from_file(tmp_path / "none.json")
    assert "none.json" in str(caught.value)
    with pytest.raises(affix.InputError) as caught:
        affix.Model.from_string('{"affix_scene": 1,\n "bodies": [{"nam": 3}]}')
    assert caught.value.line == 2


def test_notices_of_a_loader():
    text = '<mujoco><option integrator="RK4"/><worldbody><body><freejoint/><geom size="1"/></body></worldbody></mujoco>'
    model = affix.Model.from_string(text, "mjcf")
    assert any("integrator" in notice.element for notice in model.notices)
    with pytest.raises(affix.AffixError):
        affix.Model.from_string(text, "mjcf", strict=True)


def test_cases():
    assert {"pendulum", "net", "hand"} <= set(affix.cases())
    assert affix.Model.from_case("chain", n=7).body_names == ("",) * 7
    with pytest.raises(affix.NotFoundError, match='did you mean "pendulum"'):
        affix.Model.from_case("pendulun")
    with pytest.raises(affix.InputError, match="case chain, parameter n"):
        affix.Model.from_case("chain", n=-1)


def test_poses():
    a = affix.Pose((1, 2, 3), affix.rotation((1, 1, 0), 0.7))
    b = affix.Pose((-1, 0, 2), affix.rotation((0, 1, 2), degrees=50))
    point = np.array([0.3, -0.2, 0.9])
    np.testing.assert_allclose((a @ b) @ point, a @ (b @ point), atol=1e-14)
    np.testing.assert_allclose(a @ point, a.matrix @ point + a.position, atol=1e-14)
    np.testing.assert_allclose(~a @ (a @ point), point, atol=1e-14)
