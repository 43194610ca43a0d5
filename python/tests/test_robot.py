# SPDX-License-Identifier: Apache-2.0
"""State and control of robots, inverse kinematics, sensors and tasks."""

import json
import os

import numpy as np
import pytest
from conftest import MENAGERIE, ROOT

import affix
from affix import ik
from affix.envs import CartPole, PickAndPlace, VectorEnv

ARM = """<mujoco><compiler angle="radian"/><worldbody><body name="a"><joint name="a" axis="0 0 1" range="-2 2" armature=".1"/>
  <geom type="capsule" fromto="0 0 0 .4 0 0" size=".03"/><body name="b" pos=".4 0 0"><joint name="b" axis="0 1 0" range="-1.5 .1"/>
  <geom type="capsule" fromto="0 0 0 .4 0 0" size=".03"/><body name="c" pos=".4 0 0"><joint name="c" type="ball"/>
  <geom type="capsule" fromto="0 0 0 .2 0 0" size=".03"/><site name="tip" pos=".2 0 0"/></body></body></body></worldbody>
  <actuator><position name="pa" joint="a" kp="50" kv="5" ctrlrange="-1 1"/></actuator>
  <sensor><jointpos name="qa" joint="a" noise=".1"/></sensor>
  <keyframe><key name="bent" qpos=".3 -1 1 0 0 0" ctrl=".3"/></keyframe></mujoco>"""


@pytest.fixture(scope="module")
def arm():
    return affix.Model.from_string(ARM, "mjcf")


def test_names_sizes_and_ranges(arm):
    assert arm.qpos_names == ("a", "b", "c") and (arm.nq, arm.nv, arm.nu) == (6, 5, 1)
    assert arm.body_names == ("a", "b", "c") and arm.joint_names == ("a", "b", "c")   # nothing else stands for armature
    assert arm.keyframe_names == ("bent",) and arm.site_names == ("tip",)
    assert arm.ctrl_range.tolist() == [[-1, 1]]
    assert arm.qpos_range[:2].tolist() == [[-2, 2], [-1.5, 0.1]] and np.isinf(arm.qpos_range[2:]).all()
    assert arm.qpos_slice("c") == slice(2, 6) and arm.qvel_slice("c") == slice(2, 5)


def test_postures_and_rates(arm):
    sim = affix.Sim(arm, dt=0.002)
    random = np.random.default_rng(1)
    for _ in range(50):
        q = random.uniform(-1, 1, 6)
        q[2:] *= np.sign(q[2]) / np.linalg.norm(q[2:])
        v = random.uniform(-1, 1, 5)
        sim.qpos, sim.qvel = q, v
        assert abs(sim.qpos - q).max() < 1e-14 and abs(sim.qvel - v).max() < 1e-12
    sim.coordinate("b").qpos = -0.5
    assert sim.coordinate("b").qpos == pytest.approx(-0.5, abs=1e-15)
    assert abs(np.delete(sim.qpos - q, 1)).max() < 1e-14
    with pytest.raises(affix.ArgumentError):
        sim.qpos = np.full(6, np.nan)


def test_reset_and_ctrl(arm):
    sim = affix.Sim(arm, dt=0.002)
    sim.ctrl[:] = 9
    sim.step(100)
    assert sim.actuator_force[0] != 0
    sim.reset("bent")
    assert sim.time == 0 and sim.ctrl.tolist() == [pytest.approx(0.3)] and sim.qvel.tolist() == [0] * 5
    assert abs(sim.qpos - [0.3, -1, 1, 0, 0, 0]).max() < 1e-15
    sim.reset()
    assert abs(sim.qpos - [0, 0, 1, 0, 0, 0]).max() < 1e-15
    sim.set_param("joint.armature", "a", 0.2)
    assert sim.get_param("joint.armature", "a") == 0.2


def test_batches_by_index(arm):
    batch = affix.Batch(arm, 3, dt=0.002)
    batch.qpos = [0.1, -1, 1, 0, 0, 0]
    batch.set_qpos([0.5, -0.5, 1, 0, 0, 0], np.ones((1, 5)), indices=[2])
    assert batch.qpos[:, 0].tolist() == pytest.approx([0.1, 0.1, 0.5], abs=1e-15)
    assert batch.qvel[:, 0].tolist() == pytest.approx([0, 0, 1], abs=1e-14)
    batch.ctrl[:, 0] = [0.1, 0.2, 0.3]
    batch.step(10)
    batch.reset("bent", indices=[1])
    assert batch.qpos[1, 0] == pytest.approx(0.3) and batch.ctrl[:, 0].tolist() == pytest.approx([0.1, 0.3, 0.3])
    assert batch.sensordata.shape == (3, 1)


def test_sensors_are_seeded_and_late(arm):
    sim = affix.Sim(arm, dt=0.002)
    sim.qpos = [0.5, -1, 1, 0, 0, 0]
    assert sim.sensor("qa") == pytest.approx(0.5)
    one, two, late = (affix.Sensors(sim, seed=s, delay=d) for s, d in ((3, 0), (3, 0), (3, 2)))
    first = one.read()
    assert (first == two.read()).all() and first != sim.sensor("qa")
    assert [late.read()[0] for _ in range(3)] == [first[0]] * 3 and late.read()[0] != first[0]


def test_inverse_kinematics_within_limits(arm):
    solver = ik.Solver(arm)
    random = np.random.default_rng(4)
    sim = affix.Sim(arm)
    for _ in range(10):
        q = np.array([random.uniform(-1.5, 1.5), random.uniform(-1.2, 0), 1, 0, 0, 0])
        q[2:] = random.normal(size=4) * 0.2 + [1, 0, 0, 0]
        q[2:] /= np.linalg.norm(q[2:])
        sim.qpos = q
        goal = sim.site("tip").pose
        found = solver.solve({"tip": goal}, start=[0, -0.3, 1, 0, 0, 0])
        assert found.converged, found
        sim.qpos = found.qpos
        assert abs(sim.site("tip").position - goal.position).max() < 1e-8
        assert -1.5 <= found.qpos[1] <= 0.1
    far = solver.solve({"tip": (0, 0, -3)})                     # out of reach: as near as it gets, within limits
    assert not far.converged and far.qpos[1] <= 0.1 + 1e-12


def test_inverse_kinematics_keeps_loops_closed():
    model = affix.Model.from_string("""<mujoco><worldbody><body name='crank'><joint name='a' axis='0 1 0'/>
      <geom type='capsule' fromto='0 0 0 0 0 .3' size='.02'/><body name='coupler' pos='0 0 .3'><joint name='b' axis='0 1 0'/>
      <geom type='capsule' fromto='0 0 0 1 0 0' size='.02'/><site name='mid' pos='.5 0 0'/><body name='rocker' pos='1 0 0'>
      <joint name='c' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 0 0 -.3' size='.02'/></body></body></body></worldbody>
      <equality><connect body1='rocker' anchor='0 0 -.3'/></equality></mujoco>""", "mjcf")
    assert model.closed_kinematics
    found = ik.solve(model, {"mid": (0.5 + 0.3 * np.sin(0.4), 0, 0.3 * np.cos(0.4))})
    assert found.converged and abs(found.qpos - [0.4, -0.4, 0.4]).max() < 1e-6
    paths = np.array([(0.5 + 0.3 * np.sin(t), 0, 0.3 * np.cos(t)) for t in np.linspace(0, 0.6, 7)])
    qpos, left = ik.fit(model, {"mid": paths})
    assert left.max() < 1e-8 and abs(qpos[:, 0] - np.linspace(0, 0.6, 7)).max() < 1e-6


def test_cart_poles_side_by_side():
    def lighter(env, random):
        env.sim.set_param("body.mass", "pole", random.uniform(0.05, 0.2))

    def run(threads):
        envs = VectorEnv(CartPole, 3, threads=threads, randomise=lighter)
        observations, _ = envs.reset(seed=5)
        kept = []
        for k in range(60):
            actions = [env.script(one) for env, one in zip(envs.envs, observations)]
            actions[2] = [10.0]                                  # pushes until it falls, and begins anew
            observations, rewards, terminated, _, info = envs.step(actions)
            kept.append(observations)
            if terminated[2]:
                assert abs(info["infos"][2]["final_observation"][1]) > 0.2 and abs(observations[2][1]) < 0.06
        assert not terminated[:2].any()
        again, _ = envs.reset(indices=[1])
        assert again.shape == (1, 4)
        envs.close()
        return np.array(kept)
    assert (run(1) == run(2)).all()


@pytest.mark.parametrize("dt", [0.002, 0.01] if os.environ.get("AFFIX_TEST_LONG") else [0.01])
def test_cubes_are_stacked(dt):
    runs = 50 if os.environ.get("AFFIX_TEST_LONG") else 1
    env, good = PickAndPlace(dt=dt, cubes=3 if runs > 1 else 2), 0
    for seed in range(runs):
        env.reset(seed=seed)
        for action in env.script():
            env.step(action)
        good += env.stacked() == env.cubes - 1
    assert good == runs


def test_pandas_postures():
    path = ROOT / ".." / "shared" / "data" / "mjcf" / "menagerie" / "franka_emika_panda" / "panda.xml"
    if not path.exists():
        pytest.skip("the model is not there")
    model = affix.Model.from_file(path)
    sim = affix.Sim(model)
    q = np.array([0.1, -0.3, 0.2, -1.9, 0.3, 1.4, 0.5, 0.02, 0.02])
    sim.qpos = q
    assert abs(sim.qpos - q).max() < 1e-14
    found = ik.solve(model, {"hand": affix.Pose((0.5, 0.2, 0.4), (0, 1, 0, 0))}, fixed=["finger_joint1", "finger_joint2"])
    assert found.converged


def test_what_is_exported_moves_alike():
    text = """<mujoco><compiler angle="radian"/><worldbody><body name="a" pos="0 0 1" quat="1 .2 0 .1">
      <joint name="a" axis="0 1 1" pos=".1 0 0" range="-1 2" armature=".05" damping=".1" frictionloss=".01"/>
      <geom type="capsule" fromto="0 0 0 .4 0 0" size=".03"/><body name="b" pos=".4 0 0"><joint name="b" axis="0 1 0" stiffness="3"/>
      <geom type="box" size=".1 .02 .03"/><body name="c" pos=".2 0 0"><joint name="c" type="ball"/><geom size=".05"/></body>
      </body></body><body name="d" pos="3 0 1"><freejoint name="d"/><geom type="cylinder" size=".1 .2"/></body></worldbody>
      <actuator><position name="p" joint="a" kp="20" kv="2" forcerange="-3 3"/></actuator></mujoco>"""
    first = affix.Model.from_string(text, "mjcf")
    again = affix.Model.from_string(affix.export.mjcf(affix.Scene.loads(text, "mjcf")), "mjcf")
    assert again.qpos_names == first.qpos_names and again.nu == 1
    ends = []
    for model in (first, again):
        sim = affix.Sim(model, dt=0.001)
        sim.ctrl[:] = 0.4
        sim.step(300)
        ends.append(sim.qpos)
    assert abs(ends[0] - ends[1]).max() < 1e-9
    scene = affix.Scene()
    body = scene.add_body("x").add_sphere(0.1)
    scene.add_joint("universal", None, body, at=(0, 0, 0), axis=(1, 0, 0))
    with pytest.raises(affix.InputError):
        affix.export.mjcf(scene)


ROBOT = """<mujoco><compiler angle="radian"/><worldbody><site name="post" pos="-.2 0 1.3"/><geom name="floor" type="plane" size="1 1 1"/>
  <camera name="room" pos="0 -3 1" xyaxes="1 0 0 0 0 1" fovy="50"/>
  <body name="a" pos="0 0 1"><freejoint name="base"/><geom type="box" size=".2 .1 .05"/><site name="imu" pos=".1 0 0"/>
    <camera name="eye" pos=".2 0 0" xyaxes="0 -1 0 0 0 1"/><site name="hold" pos="-.1 0 .1"/>
    <body name="b" pos=".2 0 0"><joint name="b" axis="0 1 0" range="-1 1" armature=".02"/><geom type="capsule" fromto="0 0 0 .3 0 0" size=".03"/>
      <geom name="pulley" type="cylinder" size=".06 .05" euler="1.5707963267948966 0 0" contype="0" conaffinity="0" mass="0"/>
      <site name="in" pos="0 0 0"/><site name="knee" pos=".1 0 .07"/>
      <body name="c" pos=".3 0 0"><joint name="c" axis="0 1 0" damping=".1" stiffness="2" springref=".3"/>
        <geom type="capsule" fromto="0 0 0 .2 0 0" size=".02"/><site name="tip" pos=".2 0 0" type="sphere" size=".05"/>
        <body name="d" pos=".2 0 0"><joint name="d" type="ball" damping=".05"/><geom size=".03"/></body></body></body></body></worldbody>
  <contact><exclude body1="a" body2="c"/></contact>
  <tendon><fixed name="sum" range="-1 1.5" damping=".1" armature=".01"><joint joint="b" coef=".5"/><joint joint="c" coef="1"/></fixed>
    <spatial name="cable" stiffness="30" springlength=".3" armature=".001"><site site="hold"/><geom geom="pulley" sidesite="in"/><site site="knee"/>
      <site site="tip"/></spatial></tendon>
  <actuator><position name="p" joint="b" kp="20" kv="1" gear="2" forcerange="-5 5" ctrlrange="-1 1"/><motor name="m" tendon="sum"/>
    <velocity name="v" joint="c" kv=".5"/><general name="f" joint="c" dyntype="filter" dynprm=".05" gainprm="2" actrange="-1 1"/>
    <motor name="jet" site="imu" gear="0 0 1 0 .1 0"/><muscle name="mus" tendon="cable" force="4" lengthrange=".2 .6"/></actuator>
  <sensor><gyro name="gyro" site="imu"/><accelerometer name="acc" site="imu" noise=".1"/><touch name="touch" site="tip"/>
    <framepos name="at" objtype="site" objname="tip" reftype="site" refname="imu"/><jointpos name="q" joint="c"/>
    <tendonpos name="l" tendon="cable"/><tendonvel name="lv" tendon="sum"/><actuatorfrc name="uf" actuator="p"/>
    <subtreecom name="com" body="b"/><camprojection name="px" site="tip" camera="eye"/><distance name="gap" body1="c" body2="a" cutoff="1"/>
    <insidesite name="in" site="tip" objtype="xbody" objname="d"/><clock name="t" cutoff=".07"/></sensor>
  <keyframe><key name="home" qpos="0 0 1.5 1 0 0 0 .2 -.1 1 0 0 0" ctrl=".1 0 .2 0 3 .5"/></keyframe></mujoco>"""


def there_and_back(scene, model):
    """How far a robot and its export are apart after a tenth of a second: positions, and readings of sensors."""
    again = affix.Model.from_string(affix.export.mjcf(scene, cameras=model.run.cameras), "mjcf")
    assert again.qpos_names == model.qpos_names and again.sensor_names == model.sensor_names
    assert set(model.keyframe_names) <= set(again.keyframe_names)
    assert {c.name for c in model.run.cameras} <= {c.name for c in again.run.cameras}
    ends = []
    for one in (model, again):
        sim = affix.Sim(one, dt=0.002)
        if model.keyframe_names:
            sim.reset(model.keyframe_names[0])
        sim.ctrl[:] = sim.ctrl + 0.05
        sim.step(50)
        ends.append((sim.qpos, sim.sensordata))
    return [float(abs(a - b).max(initial=0)) for a, b in zip(*ends)]


def test_tendons_actuators_and_sensors_are_exported():
    scene = affix.Scene.loads(ROBOT, "mjcf")
    scene.contact = False
    off = there_and_back(scene, affix.Model.from_scene(scene))
    assert off[0] < 1e-12 and off[1] < 1e-9


GRIP = """<mujoco><worldbody><geom name="wall" type="box" size=".1 1 1" pos="-.1 0 0" margin=".002"/>
    <body name="box" pos=".1 0 0"><freejoint/><geom name="own" type="box" size=".1 .1 .1" mass="2"/>
    <body name="lid" pos="0 0 .2"><joint name="x" type="slide" axis="1 0 0"/><geom size=".05" mass=".5"/><site name="z" type="sphere" size=".4"/>
    </body></body></worldbody><actuator><adhesion name="glue" body="box" ctrlrange="0 1" gain="60"/>
    <damper name="brake" joint="x" kv="3" gear="2" ctrlrange="0 1"/></actuator>
    <sensor><contact name="all" num="4" data="found force dist pos" reduce="mindist" body1="world"/>
    <contact name="net" geom2="own" subtree1="world" reduce="netforce" data="force torque"/>
    <contact name="in" site="z" data="found"/></sensor></mujoco>"""


def test_adhesion_dampers_and_contact_sensors_are_exported():
    scene = affix.Scene.loads(GRIP, "mjcf")
    model = affix.Model.from_scene(scene)
    assert [len(affix.Sim(model).sensor(name)) for name in model.sensor_names] == [32, 6, 1]
    off = there_and_back(scene, model)
    assert off[0] < 1e-9 and off[1] < 1e-4
    sim = affix.Sim(model, dt=0.002)
    sim.ctrl[:] = 1
    sim.step(200)
    assert abs(sim.sensor("net")[0]) == pytest.approx(60, rel=0.02) and sim.sensor("all")[0] >= 4


def test_friction_of_materials_creeps_and_has_margins():
    scene = affix.Scene()
    soft = scene.add_material("soft", friction_damping=50, margin=0.01)
    assert soft.friction_damping == 50 and soft.margin == 0.01
    soft.friction_damping = 100
    scene.add_body("ground", kind="fixed").add_plane(material=soft)
    scene.add_body("box", position=(0, 0, 0.12), mass=2).add_box((0.2, 0.2, 0.2), material=soft)
    sim = affix.Sim(affix.Model.from_scene(scene), dt=0.002)
    wrenches = np.zeros((2, 6))
    wrenches[1, 0] = 1.0
    sim.set_body_wrenches(wrenches)
    sim.step(1000)
    assert sim.body("box").velocity[0] == pytest.approx(1 / (4 * 50), rel=1e-3)  # four corners, two surfaces in series
    assert sim.body("box").position[2] == pytest.approx(0.12, abs=1e-4)


def changed(tmp_path, change):
    """The robot above with something of its file changed."""
    affix.Scene.loads(ROBOT, "mjcf").save(tmp_path / "robot.json")
    data = json.loads((tmp_path / "robot.json").read_text())
    data["contact"] = False
    change(data)
    return affix.Scene.loads(json.dumps(data))


def of_name(items, name):
    return next(item for item in items if item.get("name") == name)


def test_fields_keyframes_and_starts_are_exported(tmp_path):
    def change(data):
        robot = data["robot"]
        robot["sensors"].append({"name": "north", "kind": "magnetometer", "object": 1, "field": [0.2, 0, -0.4]})
        robot["keyframes"][0].update(qvel=[0.1 * k for k in range(11)], time=2.5)
        robot["keyframes"].append({"name": "idle", "qpos": robot["keyframes"][0]["qpos"], "ctrl": [0] * 6})
        robot["controls"][0]["start"] = 0.25

    scene = changed(tmp_path, change)
    model, text = affix.Model.from_scene(scene), affix.export.mjcf(scene)
    again = affix.Model.from_string(text, "mjcf")
    here, there = affix.Sim(model), affix.Sim(again)
    np.testing.assert_allclose(there.sensor("north"), [0.2, 0, -0.4], atol=1e-12)
    for key in ("home", "idle"):
        here.reset(key)
        there.reset(key)
        for one, two in ((here.qpos, there.qpos), (here.qvel, there.qvel), (here.ctrl, there.ctrl)):
            np.testing.assert_allclose(two, one, atol=1e-12)
    here.reset()
    there.reset("start")
    np.testing.assert_array_equal(there.ctrl, here.ctrl)
    assert there.ctrl[0] == 0.25 and 'time="2.5"' in text


def test_actuators_of_tendons_need_no_control(tmp_path):
    def change(data):
        data["drives"].append({"name": "winch", "kind": "servo", "coupling": "sum", "from_input": True, "stiffness": 5, "damping": 0.5})
        data["drives"].append({"name": "pull", "kind": "force", "coupling": "sum", "from_input": True})

    again = affix.Scene.loads(affix.export.mjcf(changed(tmp_path, change)), "mjcf")
    names = affix.Model.from_scene(again).input_names
    assert {"winch", "pull"} < set(names) and len(names) == 8


def spring_table(data):
    of_name(data["drives"], "cable spring")["damper_table"] = {"rates": [-1, 0, 1], "forces": [-1, 0, 2]}


def ball_springs(data):
    for k in range(3):
        of_name(data["drives"], f"d spring {'xyz'[k]}")["axis"] = 0


def two_springs(data):
    data["drives"].append({"name": "more", "kind": "spring", "joint": "c", "stiffness": 1, "rest": 0.1})


def held(data):
    drive = of_name(data["drives"], "v")
    drive.pop("damping")
    drive["kind"] = "velocity"


def fields(data):
    data["robot"]["sensors"] += [{"kind": "magnetometer", "object": 1, "field": [0, 0, k]} for k in (1, 2)]


def lengths(data):
    data["robot"]["controls"][0]["length"] = 0.3
    data["robot"]["sensors"].append({"kind": "actuatorpos", "object": 0})


def strangers(data):
    data["robot"]["coordinates"][1]["name"] = "knee of the file"
    data["robot"]["sensors"] = []


@pytest.mark.parametrize("change, word", [
    (strangers, "keyframes"), (fields, "magnetometers"), (lengths, 'control "p"'), (held, 'control "v"'), (two_springs, 'joint "c"'), (ball_springs, 'ball "d"'),
    (spring_table, 'tendon="cable"'),
    (lambda data: data["robot"]["controls"][0].pop("upper"), 'control "p"'),
    (lambda data: data["robot"]["controls"][3]["activation"].pop("lower"), 'activation of control "f"'),
    (lambda data: data["robot"]["controls"][3]["activation"].update(start=0.5), 'activation of control "f"'),
    (lambda data: of_name(data["drives"], "b limit").update(restitution=0.5), 'drive "b limit"')])
def test_what_mjcf_cannot_say_is_refused_by_name(tmp_path, change, word):
    scene = changed(tmp_path, change)
    with pytest.raises(affix.InputError, match=word):
        affix.export.mjcf(scene)


@pytest.mark.skipif(not MENAGERIE.is_dir(), reason="the public robots are not there")
@pytest.mark.parametrize("name, bound", [("franka_emika_panda/panda.xml", 1e-12), ("bitcraze_crazyflie_2/cf2.xml", 1e-12),
                                         ("agility_cassie/cassie.xml", 1e-11)])  # loops with springs of 50 Hz
def test_public_robots_are_exported(name, bound):
    scene = affix.Scene.load(MENAGERIE / name, meshes=False)
    scene.contact = False
    assert there_and_back(scene, affix.Model(scene))[0] < bound


def test_urdf_comes_back_as_it_was(tmp_path):
    text = """<robot name="r"><link name="base"><inertial><mass value="2"/><inertia ixx=".1" iyy=".2" izz=".2" ixy="0" ixz="0" iyz="0"/>
      </inertial><collision><geometry><box size=".2 .2 .1"/></geometry></collision></link>
      <link name="upper"><inertial><origin xyz=".1 .02 0" rpy=".3 -.2 .5"/><mass value="1"/><inertia ixx=".01" iyy=".02" izz=".015"
      ixy=".001" ixz="0" iyz="0"/></inertial><visual><origin xyz=".1 0 0" rpy="0 1.57 0"/><geometry><cylinder radius=".03" length=".2"/>
      </geometry></visual></link><link name="slider"><inertial><mass value=".5"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0"
      iyz="0"/></inertial></link>
      <joint name="turn" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 .1 .2" rpy=".4 .1 -.7"/>
      <axis xyz="0 .6 .8"/><limit lower="-1" upper="2" effort="5" velocity="9"/><dynamics damping=".2" friction=".05"/></joint>
      <joint name="slide" type="prismatic"><parent link="upper"/><child link="slider"/><origin xyz=".2 0 0"/><axis xyz="1 0 0"/>
      <limit lower="-.1" upper=".3" effort="5" velocity="9"/><mimic joint="turn" multiplier=".1" offset=".01"/></joint>
      <transmission name="t"><type>transmission_interface/SimpleTransmission</type><joint name="turn"/>
      <actuator name="drive"><mechanicalReduction>50</mechanicalReduction></actuator></transmission></robot>"""
    scene = affix.Scene.loads(text, "urdf")
    first = affix.Model.from_scene(scene)
    assert first.input_names == ("drive", "slide motor")
    affix.export.urdf(scene, tmp_path / "again.urdf")
    again = affix.Model.from_file(tmp_path / "again.urdf")
    assert again.qpos_names == first.qpos_names
    ends = []
    for model, effort in ((first, 0.02), (again, 1.0)):  # a reduction of 50; the export has motors at the joints
        sim = affix.Sim(model, dt=0.001)
        sim.ctrl[0] = effort
        sim.step(300)
        ends.append(np.concatenate([sim.qpos, sim.mass_matrix().ravel()]))
    assert abs(ends[0] - ends[1]).max() < 1e-9
    with pytest.raises(affix.InputError):
        affix.export.urdf(affix.Scene.from_case("four-bar"))


def test_cameras_of_files_see_what_is_before_them():
    model = affix.Model.from_string("""<mujoco><worldbody><camera name="fixed" pos="0 -3 1" xyaxes="1 0 0 0 0 1"/>
      <body name="b" pos="0 0 1"><joint name="h" axis="0 0 1"/><geom type="box" size=".2 .2 .2"/>
      <camera name="eye" pos="0 -.5 0" xyaxes="1 0 0 0 0 1" fovy="30"/></body>
      <body name="post" pos="3 0 1"><geom type="box" size=".2 .2 .5"/></body></worldbody></mujoco>""", "mjcf")
    assert [camera.name for camera in model.run.cameras] == ["fixed", "eye"]
    sim, imager = affix.Sim(model), affix.Imager(model, 33, 33)
    seen = imager.draw(sim, "fixed")
    assert seen.body[16, 16] == 0 and abs(seen.depth[16, 16] - 2.8) < 1e-5
    assert abs(imager.draw(sim, "eye").depth[16, 16] - 0.3) < 1e-5  # it looks at the body that carries it
    sim.qpos = [np.pi / 2]  # and goes along with it
    assert abs(imager.draw(sim, "eye").depth[16, 16] - 0.3) < 1e-5
    assert imager.draw(sim, "fixed").body[16, 16] == 0
