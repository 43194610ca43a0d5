# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # A path for the Panda
# An arm of seven joints with the Panda's kinematics is led by servos. What must they be told over a second for the flange to be at a given place with
# the whole arm at rest there? Of all paths the one that bends least is taken: derivatives by every target of every step come from one backward pass
# for each thing that is asked.

# %%
import numpy as np

import affix

STEPS, DT = 50, 0.02
# origin in the last link and turn about x, joint by joint; masses about those of the arm
PLACES = [((0, 0, 0.333), 0), ((0, 0, 0), -1), ((0, -0.316, 0), 1), ((0.0825, 0, 0), 1), ((-0.0825, 0.384, 0), -1), ((0, 0, 0), 1), ((0.088, 0, 0), 1)]
MASSES = (3.0, 3.0, 2.5, 2.5, 2.2, 1.6, 1.2)
POSTURE = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])


def model_of():
    """All links begin with the axes of the world, in the posture above; joints count from there."""
    scene, link = affix.Scene(), None
    at, axes = np.zeros(3), np.eye(3)
    joints = []
    for k, ((origin, quarters), mass) in enumerate(zip(PLACES, MASSES)):
        at = at + axes @ np.array(origin)
        s, c = quarters, 1 - abs(quarters)
        axes = axes @ np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
        axis, q = axes[:, 2].copy(), POSTURE[k]
        axes = axes @ np.array([[np.cos(q), -np.sin(q), 0], [np.sin(q), np.cos(q), 0], [0, 0, 1]])
        ahead = axes @ np.array(PLACES[k + 1][0] if k < 6 else (0, 0, 0.107))
        body = scene.add_body(f"link{k + 1}", mass=mass, inertia=(0.02, 0.02, 0.015), position=tuple(at + 0.5 * ahead), rigid=True)
        joints.append(scene.add_joint("revolute", link, body, at=tuple(at), axis=tuple(axis), name=f"j{k + 1}"))
        scene.add_servo(f"s{k + 1}", joints[-1], stiffness=4500 if k < 4 else 2000, damping=450 if k < 4 else 200)
        link = body
    scene.add_marker("flange", link, tuple(0.5 * ahead))
    return affix.Model(scene), at + ahead


model, start = model_of()
goal = start + np.array([-0.15, 0.3, -0.2])
ASKED = {**{f"marker:flange.{c}": goal[k] for k, c in enumerate("xyz")}, **{f"rate:j{k + 1}": 0.0 for k in range(7)}}


def run(targets):
    """What is asked for, and its derivatives by all targets [asked, steps, joints]."""
    sim, rows = affix.Sim(model, dt=DT, accuracy="converged"), []
    with sim.gradient() as g:
        for step in range(STEPS):
            sim.ctrl[:] = targets[step]
            g.step()
        values = np.array([g.value(name) for name in ASKED])
        for name in ASKED:
            g.clear()
            g.seed(name)
            g.backward()
            rows.append([g.inputs(step) for step in range(STEPS)])
    return values, np.array(rows)


# %% The derivative along a direction is that of differences
random = np.random.default_rng(2)
targets = np.zeros((STEPS, 7))
along = np.cumsum(random.normal(size=targets.shape), axis=0) / STEPS
by = np.tensordot(run(targets)[1], along, 2)
ends = [(run(targets + h * along)[0] - run(targets - h * along)[0]) / (2 * h) for h in (1e-2, 2e-2)]
slope = (4 * ends[0] - ends[1]) / 3
print("largest difference:", np.abs(by - slope).max(), "of", np.abs(slope).max())

# %% Newton's method, by the changes of targets whose second differences are least
second = np.zeros((STEPS, STEPS))
for k in range(STEPS):
    second[k, max(k - 2, 0):k + 1] = (1.0, -2.0, 1.0)[max(2 - k, 0):]
spread = np.linalg.inv(second.T @ second)
wanted = np.array(list(ASKED.values()))
values, jacobian = run(targets)
for iteration in range(20):
    off = wanted - values
    if np.abs(off).max() < 1e-9:
        break
    smooth = np.einsum("ab,qbj->qaj", spread, jacobian)  # how the least bending answers each thing asked
    step = np.tensordot(np.linalg.solve(np.einsum("qaj,raj->qr", jacobian, smooth), off), smooth, 1)
    targets = targets + min(1.0, 0.5 / np.abs(step).max()) * step
    values, jacobian = run(targets)
print(f"after {iteration} steps the flange is off by {np.abs((wanted - values)[:3]).max():.1e} m, rates are at most {np.abs(values[3:]).max():.1e} rad/s")
