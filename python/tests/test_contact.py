# SPDX-License-Identifier: Apache-2.0
"""Contact from Python: weights, slopes and bounces in closed form, and who may touch whom."""

import math

import numpy as np
import pytest

import affix

G = 9.81


def ground(scene, **settings):
    return scene.add_body("ground", kind="fixed").add_plane(**settings)


def slope_sim(angle, dt=0.005, **material):
    """A box of 3 kg at rest on a slope that descends along x."""
    scene, turned = affix.Scene(), affix.rotation((0, 1, 0), angle)
    scene.add_material("surface", **material)
    scene.add_body("slope", kind="fixed").add_plane(rotation=turned, material="surface")
    box = scene.add_body("box", position=(0.05 * math.sin(angle), 0, 0.05 * math.cos(angle)), rotation=turned)
    box.add_box((0.2, 0.2, 0.1), mass=3, material="surface")
    return affix.Sim(affix.Model(scene), dt=dt)


def test_a_resting_body_carries_its_weight():
    scene = affix.Scene()
    ground(scene)
    scene.add_body("lower", position=(0, 0, 0.1)).add_box((0.4, 0.4, 0.2), mass=5)
    scene.add_body("upper", position=(0.03, 0, 0.3)).add_box((0.2, 0.2, 0.2), mass=2)
    sim = affix.Sim(affix.Model(scene), dt=0.005)
    sim.step(200)
    np.testing.assert_allclose(sim.body("ground").contact_force[:3], (0, 0, -7 * G), atol=0.01)
    np.testing.assert_allclose(sim.body("lower").contact_force[:3], (0, 0, 5 * G), atol=0.01)
    np.testing.assert_allclose(sim.body("upper").contact_force, (0, 0, 2 * G, 0, 0, 0), atol=0.01)
    # all bodies at once are the bodies one by one, and an array of a batch
    each = [sim.body(k).contact_force for k in range(3)]
    np.testing.assert_allclose(sim.read("contact_forces"), each, atol=1e-9)
    report = sim.report
    assert report.contacts == len(sim.contacts) >= 8 and 0 <= report.depth < 1e-4


def test_fields_of_contacts():
    scene = affix.Scene()
    ground(scene)
    scene.add_body("ball", position=(1, 2, 0.5)).add_sphere(0.5, mass=4)
    sim = affix.Sim(affix.Model(scene), dt=0.005)
    assert sim.contacts.dtype == affix.CONTACT and len(sim.contacts) == 0
    sim.step(100)
    (contact,) = sim.body("ball").contacts
    assert (contact["body_a"], contact["body_b"], contact["shape_a"], contact["shape_b"]) == (1, 0, 1, 0)
    np.testing.assert_allclose(contact["point"], (1, 2, 0), atol=1e-4)
    np.testing.assert_allclose(contact["normal"], (0, 0, 1), atol=1e-6)
    np.testing.assert_allclose(contact["friction"], 0, atol=1e-3)
    assert contact["force"] == pytest.approx(4 * G, rel=1e-4)
    assert contact["depth"] == pytest.approx(sim.report.depth, abs=1e-9) and not contact["sliding"]
    kept = sim.contacts
    sim.close()
    assert kept["force"][0] == pytest.approx(4 * G, rel=1e-4)


@pytest.mark.parametrize("mu", [0.0, 0.2, 0.4])
def test_a_block_slides_below_the_limit(mu):
    """g (sin a - mu cos a), friction mu N against the motion."""
    angle = math.radians(30)
    sim = slope_sim(angle, friction=mu)
    sim.step(40)
    before = np.linalg.norm(sim.body("box").velocity)
    sim.step(60)
    rate = (np.linalg.norm(sim.body("box").velocity) - before) / 0.3
    assert rate == pytest.approx(G * (math.sin(angle) - mu * math.cos(angle)), rel=2e-3)
    contacts = sim.contacts[sim.contacts["force"] > 0]
    normal, friction = contacts["force"].sum(), contacts["friction"].sum(axis=0)
    assert normal == pytest.approx(3 * G * math.cos(angle), rel=2e-3)
    np.testing.assert_allclose(friction, -mu * normal * np.array([math.cos(angle), 0, -math.sin(angle)]), atol=0.02)
    assert contacts["sliding"].all() or mu == 0


def test_a_block_holds_above_the_limit():
    angle = math.radians(30)
    sim = slope_sim(angle, friction=0.7)
    sim.step(200)
    assert np.linalg.norm(sim.body("box").velocity) < 1e-4
    force = sim.body("box").contact_force
    np.testing.assert_allclose(force[:3], (0, 0, 3 * G), atol=0.02)
    assert not sim.contacts["sliding"].any()


def test_a_crowd_is_refused_by_name():
    """Solving costs more than is allowed; with a higher limit the same step is taken."""
    scene = affix.Scene()
    for k in range(4):
        scene.add_body(f"ball {k}", position=(0.01 * k, 0, 0)).add_sphere(0.1)
    model = affix.Model.from_scene(scene)
    sim = affix.Sim(model, dt=0.01, flops_most=1e3)
    with pytest.raises(affix.LimitError, match='ball 0.*touches 3 others in a crowd of 4 bodies.*flops_most'):
        sim.step()
    assert sim.time == 0
    affix.Sim(model, dt=0.01, flops_most=1e9).step()


def test_a_file_says_who_sleeps(tmp_path):
    path = tmp_path / "box.json"
    path.write_text('{"affix_scene": 1, "run": {"dt": 0.01, "sleep": {"speed": 0.01, "time": 0.1}}, "bodies": ['
                    '{"name": "ground", "kind": "fixed", "shapes": [{"kind": "plane"}]},'
                    '{"name": "box", "position": [0, 0, 0.1], "shapes": [{"kind": "box", "size": [0.2, 0.2, 0.2]}]}]}')
    model = affix.Model.from_file(path)
    sim = affix.Sim(model, **model.run.settings)
    sim.step(60)
    assert sim.asleep.tolist() == [False, True] and sim.report.asleep == 1
    assert np.linalg.norm(sim.body("box").velocity) == 0
    sim.wake()
    assert not sim.asleep.any()


def test_materials_and_their_pairs():
    scene = affix.Scene()
    ice = scene.add_material("ice", friction=0.04, stiffness=1e5)
    steel = scene.add_material("steel", friction=0.25, restitution=0.1, rolling_friction=1e-3, torsional_friction=2e-3)
    assert scene.material_names == ("", "ice", "steel")
    assert scene.material("ice") == ice and scene.material(2) == steel and scene.material(0).friction == 0.5
    assert (steel.rolling_friction, steel.torsional_friction, ice.stiffness) == (1e-3, 2e-3, 1e5)
    steel.friction = 0.36
    assert steel.friction == 0.36 and steel.name == "steel" and scene.material("steel").restitution == 0.1
    with pytest.raises(affix.NotFoundError, match='did you mean "steel"'):
        scene.material("steal")
    with pytest.raises(affix.ArgumentError, match="there is no material 3"):
        scene.material(3)
    with pytest.raises(affix.AffixError):
        scene.add_material(friction=-1)
    with pytest.raises(affix.AffixError):
        steel.restitution = 2
    with pytest.raises(affix.ArgumentError, match="another scene"):
        affix.Scene().material(ice)


@pytest.mark.parametrize("pair", [None, 0.1])
def test_friction_of_a_pair(pair):
    """Two materials give sqrt(mu_a mu_b), unless the pair has a number of its own."""
    angle, scene = math.radians(35), affix.Scene()
    a, b = scene.add_material("a", friction=0.2), scene.add_material("b", friction=0.45)
    if pair is not None:
        scene.set_material_pair(b, a, friction=pair)
    scene.add_body("slope", kind="fixed").add_plane(rotation=affix.rotation((0, 1, 0), angle), material=a)
    box = scene.add_body("box", position=(0.05 * math.sin(angle), 0, 0.05 * math.cos(angle)),
                         rotation=affix.rotation((0, 1, 0), angle))
    box.add_box((0.4, 0.4, 0.1), material="b")
    sim = affix.Sim(affix.Model(scene), dt=0.005)
    sim.step(20)
    before = np.linalg.norm(sim.body("box").velocity)
    sim.step(40)
    rate = (np.linalg.norm(sim.body("box").velocity) - before) / 0.2
    assert rate == pytest.approx(G * (math.sin(angle) - (pair or 0.3) * math.cos(angle)), rel=2e-3)


def falls(edit=None, body=None, shape=None):
    """Whether a ball goes through the ground in half a second."""
    scene = affix.Scene()
    ground(scene, **(body or {}))
    scene.add_body("ball", position=(0, 0, 0.11)).add_sphere(0.1, **(shape or {}))
    if edit:
        edit(scene)
    sim = affix.Sim(affix.Model(scene), dt=0.005)
    sim.step(100)
    return bool(sim.body("ball").position[2] < 0)


def test_who_touches_whom():
    assert not falls()
    assert falls(lambda scene: scene.exclude_contact("ground", "ball"))
    assert falls(lambda scene: setattr(scene, "contact", False))
    assert falls(shape={"contact_group": 2, "contact_mask": 2})
    assert not falls(shape={"contact_group": 2, "contact_mask": 1})  # it looks for what is in group 1
    assert not falls(body={"contact_mask": 2}, shape={"contact_group": 2, "contact_mask": 0})
    assert not falls(lambda scene: scene.body("ball").add_sphere(0.1, mass=1), shape={"visual": True})
    assert falls(body={"visual": True})
    scene = affix.Scene()
    scene.contact = False
    assert scene.contact is False and affix.Scene().contact is True


@pytest.mark.parametrize("contact", [False, True])
def test_contact_of_jointed_bodies(contact):
    """A door on a hinge swings through its frame, or is stopped by it."""
    scene = affix.Scene(gravity=(0, 0, 0))
    scene.add_body("frame", kind="fixed", position=(0.5, 0.3, 0)).add_box((0.1, 0.1, 1))
    door = scene.add_body("door", angular_velocity=(0, 0, 3)).add_box((1, 0.05, 1), position=(0.55, 0, 0))
    scene.add_joint("revolute", "frame", door, name="hinge", at=(0, 0, 0), axis=(0, 0, 1), contact=contact)
    sim = affix.Sim(affix.Model(scene), dt=0.002)
    sim.step(500)
    assert (sim.joint("hinge").angle < 0.6) == contact


def test_height_field():
    """A ball comes to rest where the ground is lowest: rows along y, columns along x."""
    x, y = np.linspace(-1, 1, 21), np.linspace(-1.5, 1.5, 31)
    scene = affix.Scene()
    scene.add_material("damp", friction=0.8, rolling_friction=0.02)
    heights = np.abs(x - 0.4)[None, :] + np.abs(y + 0.9)[:, None]  # a valley of planes about (0.4, -0.9)
    scene.add_body("land", kind="fixed").add_height_field(heights, (2, 3), material="damp")
    scene.add_body("ball", position=(0.3, -0.8, 0.6)).add_sphere(0.2, material="damp")
    sim = affix.Sim(affix.Model(scene), dt=0.005)
    sim.step(600)
    np.testing.assert_allclose(sim.body("ball").position[:2], (0.4, -0.9), atol=0.02)
    assert sim.body("ball").contact_force[2] == pytest.approx(sim.model.parameter("body.mass")[1] * G, rel=0.02)
    with pytest.raises(affix.ArgumentError, match="rows, columns"):
        scene.add_body(kind="fixed").add_height_field(np.zeros(4), (1, 1))
    with pytest.raises(affix.AffixError):
        scene.add_body().add_plane()


def test_spring_of_a_ball_joint():
    """A rod stands on a sprung ball joint: k angle = m g l sin(angle) where it rests, and the torque is k angle."""
    scene = affix.Scene()
    rod = scene.add_body("rod", rigid=True).add_box((0.1, 0.1, 1), position=(0, 0, 0.5), mass=2)
    scene.add_joint("spherical", None, rod, name="foot", frame=affix.Pose(),
                    spring=affix.JointSpring((30, 30, 30), 5.0, affix.rotation((0, 1, 0), 0.2)))
    scene.add_joint("spherical", None, scene.add_body("bob", position=(5, 0, 0)).add_sphere(0.1), name="bare",
                    at=(5, 0, 0.5))
    sim = affix.Sim(affix.Model(scene), dt=0.01)
    sim.step(3000)
    up = sim.body("rod").pose.matrix[:, 2]
    angle = math.atan2(up[0], up[2])
    assert 30 * (angle - 0.2) == pytest.approx(2 * G * 0.5 * math.sin(angle), rel=1e-3)
    assert -sim.joint("foot").spring_torque[1] == pytest.approx(30 * (angle - 0.2), rel=1e-3)
    with pytest.raises(affix.AffixError, match="no spring"):
        sim.joint("bare").spring_torque


def test_contact_forces_of_a_batch():
    scene = affix.Scene()
    ground(scene)
    scene.add_body("ball", position=(0, 0, 0.1)).add_sphere(0.1, mass=1)
    masses = np.array([1.0, 2.0, 3.0])
    batch = affix.Batch(affix.Model(scene), 3, dt=0.005, params={"body.mass": {"ball": masses}})
    batch.step(100)
    np.testing.assert_allclose(batch.read("contact_forces")[:, 1, 2], masses * G, rtol=1e-3)


def test_reading_does_not_count_as_an_edit(tmp_path):
    scene = affix.Scene()
    ground(scene)
    ball = scene.add_body("ball", position=(0, 0, 1)).add_sphere(0.1, material=0)
    model = affix.Model(scene)
    assert ball.mass > 0 and ball.pose.position[2] == 1 and scene.material(0).friction == 0.5 and scene.contact
    model.save(tmp_path / "scene.json")
    assert affix.Model.from_file(tmp_path / "scene.json").hash == model.hash


def test_closed():
    sim = slope_sim(0.1)
    sim.close()
    with pytest.raises(affix.ClosedError):
        sim.contacts
