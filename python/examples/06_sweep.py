# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # A parameter sweep
# A servo turns a wheel by one radian. How far does it overshoot, for 32 different dampings? One model, a batch of 32 sims,
# one array out; and the formula for comparison: exp(-π ζ / sqrt(1 - ζ²)).

# %% The model
import matplotlib.pyplot as plt
import numpy as np

import affix

scene = affix.Scene(gravity=(0, 0, 0))
wheel = scene.add_body("wheel", rigid=True).add_cylinder(0.2, 0.05)
axle = scene.add_joint("revolute", None, wheel, name="axle", at=(0, 0, 0), axis=(0, 0, 1))
scene.add_servo("servo", axle, stiffness=10.0)
model = affix.Model.from_scene(scene)
inertia = wheel.mass * 0.2**2 / 2

# %% 32 sets of parameters: a drive's numbers are stiffness, damping, rest, effort, ...
zeta = np.linspace(0.05, 0.9, 32)
numbers = np.tile(model.parameter("drive"), (32, 1))
numbers[:, 1] = 2 * zeta * np.sqrt(10.0 * inertia)
batch = affix.Batch(model, 32, dt=0.002, params={"drive": numbers})

# %% All at once
batch.ctrl[:] = 1.0
run = batch.rollout(1500, every=3, record=["joint_positions"])
angle = run["joint_positions"][:, :, 0]
overshoot = angle.max(axis=0) - 1
formula = np.exp(-np.pi * zeta / np.sqrt(1 - zeta**2))
print(f"{batch}: overshoot within {np.abs(overshoot - formula).max():.1e} rad of the formula")

# %% Pictures
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), constrained_layout=True)
left.plot(run["time"][:, ::6], angle[:, ::6])
left.set(title="every sixth of them", xlabel="time, s", ylabel="angle, rad")
right.plot(zeta, formula, label="formula")
right.plot(zeta, overshoot, "o", markersize=4, label="simulated")
right.set(xlabel="damping ratio", ylabel="overshoot, rad")
right.legend()
plt.show()
