# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # A four-bar linkage and its reactions
# A crank of 0.1 m turns once a second and swings a rocker. A closed loop: three moving links, four hinges. What do the
# hinges carry, and what torque does the motor need?

# %% The linkage, from the built-in case; a trajectory keeps everything
import os
import tempfile

import matplotlib.pyplot as plt
import numpy as np

import affix

model = affix.Model.from_case("four-bar", omega=2 * np.pi)
sim = affix.Sim(model, dt=0.002)
path = os.path.join(tempfile.mkdtemp(), "four-bar.h5")
with sim.record(path, "all"):
    sim.step(1000)
print("degrees of freedom, redundant constraints:", sim.mobility())

# %% What the ground carries in the last second
run = affix.Trajectory(path)
last = run.time > 1.0
ground = [np.linalg.norm(run.reaction(joint)[:, :3], axis=1) for joint in (0, 3)]
torque = run.effort(0)
print(f"at most {ground[0][last].max():.2f} N at the crank, {ground[1][last].max():.2f} N at the rocker")

# %% The motor's work is the change of energy: the crank turns at a constant rate
power = (torque * run.rate(0))[1:]
work = np.concatenate([[0], np.cumsum((power[1:] + power[:-1]) / 2) * sim.dt])
gained = run.energy[1:, 3] - run.energy[1, 3]
print(f"energy goes up and down by {np.ptp(gained):.4f} J; the motor's work agrees within {np.abs(work - gained).max():.1e} J")

# %% Pictures: the coupler's curve, and the loads
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), constrained_layout=True)
curve = run.marker("coupler")
left.plot(curve[:, 0], curve[:, 2])
left.set_aspect("equal")
left.set(title="path of the coupler's point", xlabel="x, m", ylabel="z, m")
for force, name in zip(ground, ("crank's bearing", "rocker's bearing")):
    right.plot(run.time[1:], force[1:], label=f"{name}, N")
right.plot(run.time[1:], 10 * torque[1:], label="motor, 0.1 Nm")
right.set(title="loads", xlabel="time, s")
right.legend()
plt.show()
