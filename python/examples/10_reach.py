# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # Torques that lead to a place
# An arm of two links hangs down, and its hand is to be at a given place, at rest, after a second. One backward pass gives the derivatives of a
# quantity by all 200 torques at once, through the run itself: four passes make the Jacobian of Newton's method, whose least steps keep torques small.

# %%
import numpy as np

import affix

arm = affix.Scene()
arm.gravity = (0, 0, -9.81)
bodies = [None]
for k in range(2):
    bodies.append(arm.add_body(f"link{k}", mass=1.0 - 0.4 * k, inertia=(0.002, 0.02, 0.02), position=(0, 0, -0.25 - 0.5 * k), rigid=True))
    joint = arm.add_joint("revolute", bodies[k], bodies[k + 1], at=(0, 0, -0.5 * k), axis=(0, 1, 0), name=f"j{k}")
    arm.add_drive("force", joint, from_input=True, name=f"m{k}")
arm.add_marker("hand", bodies[2], (0, 0, -0.25))
model = affix.Model(arm)
STEPS, DT = 100, 0.01
ASKED = {"marker:hand.x": 0.45, "marker:hand.z": 0.6, "rate:j0": 0.0, "rate:j1": 0.0}


def run(torques):
    """What is asked for, and its derivatives by all torques [asked, steps, motors]."""
    sim = affix.Sim(model, dt=DT, accuracy="converged")
    with sim.gradient() as g:
        for step in range(STEPS):
            sim.ctrl[:] = torques[step]
            g.step()
        values, rows = [], []
        for name in ASKED:
            values.append(g.value(name))
            g.clear()
            g.seed(name)
            g.backward()
            rows.append([g.inputs(step) for step in range(STEPS)])
    return np.array(values), np.array(rows)


# %% The derivative along a direction is that of differences
random = np.random.default_rng(1)
torques = 2 * np.sin(np.arange(STEPS)[:, None] * (0.09, 0.13))
along = random.normal(size=torques.shape)
by = np.tensordot(run(torques)[1], along, 2)
differences = [(run(torques + h * along)[0] - run(torques - h * along)[0]) / (2 * h) for h in (1e-4, 2e-4)]
slope = (4 * differences[0] - differences[1]) / 3
print("along a random direction:", by, "by differences:", slope)
assert np.allclose(by, slope, rtol=1e-6, atol=1e-8)

# %% Newton's method: the least change of torques that would lead there, no longer than the model holds
wanted = np.array(list(ASKED.values()))
values, jacobian = run(torques)
for iteration in range(60):
    off = wanted - values
    J = jacobian.reshape(len(wanted), -1)
    step = (J.T @ np.linalg.solve(J @ J.T, off)).reshape(STEPS, 2)
    share = min(1.0, 2.0 / np.abs(step).max())
    torques = torques + share * step
    values, jacobian = run(torques)
    if np.abs(wanted - values).max() < 1e-9:
        break
print(f"after {iteration + 1} steps the hand is off by {np.abs(wanted - values).max():.1e}; at most {np.abs(torques).max():.1f} Nm")
assert np.abs(wanted - values).max() < 1e-9
