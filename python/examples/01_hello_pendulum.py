# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # Hello, pendulum
# A rod on a hinge is let go from the horizontal. Scene, model, sim; then the angle, and the energy that should not change.

# %% The scene: one body, one joint
import matplotlib.pyplot as plt
import numpy as np

import affix

scene = affix.Scene()
rod = scene.add_body("rod", rigid=True)
rod.add_box((1, 0.1, 0.1), position=(0.5, 0, 0), density=1000)
rod.add_marker("tip", (1, 0, 0))
scene.add_joint("revolute", None, rod, name="hinge", at=(0, 0, 0), axis=(0, 1, 0))

# %% The model, and a sim of it
model = affix.Model.from_scene(scene)
sim = affix.Sim(model, dt=0.005, integrator="alpha")
print(model)

# %% Run, and look at every step
steps = 800
time, angle, energy = np.empty(steps), np.empty(steps), np.empty(steps)
for k in range(steps):
    sim.step()
    time[k], angle[k], energy[k] = sim.time, sim.joint("hinge").angle, sim.energy.total
print(f"tip at {sim.marker('tip').position.round(3)}, energy within {np.ptp(energy):.1e} J")

# %% A picture
figure = affix.plotting.plot_columns(time, {"joint:hinge": angle, "energy.total": energy}, title="A rod of 1 m")
plt.show()
