# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # A net
# A net of balls and links hangs by its four corners: 176 bodies here, with 49 closed loops. It falls, swings and, damped,
# comes to rest; then the corners carry its weight.

# %% The net, from the built-in case; damping is a parameter of every body
import matplotlib.pyplot as plt
import numpy as np

import affix

size = 8
model = affix.Model.from_case("net", k=size, fixed="corners")
sim = affix.Sim(model, dt=0.02, integrator="bdf1")
for body in range(len(model.body_names)):
    sim.set_param("body.linear_damping", body, 2.0)
    sim.set_param("body.angular_damping", body, 2.0)
print(model.components[0])

# %% The middle falls and comes to rest
steps = 400
height, residual = np.empty(steps), np.empty(steps)
for k in range(steps):
    sim.step()
    height[k], residual[k] = sim.marker("middle").position[2], sim.report.residual
print(f"the middle hangs {-height[-1]:.3f} m low; max constraint violation {residual.max():.1e} m")

# %% What holds it: the joints between a corner and its two links
corners = [0, size - 1, size * (size - 1), size * size - 1]
masses = model.parameter("body.mass")
held = np.delete(masses, corners).sum() * 9.81
lift = 0.0
for joint in range(len(model.joint_names)):
    base, follower = model.joint_bodies(joint)
    if base in corners:
        lift += sim.joint(joint).world_reaction[2]
    elif follower in corners:
        lift -= sim.joint(joint).world_reaction[2]
print(f"the corners carry {lift:.4f} N, the net weighs {held:.4f} N")

# %% Pictures
figure = plt.figure(figsize=(11, 4), constrained_layout=True)
axes = figure.add_subplot(1, 2, 1, projection="3d")
nodes = sim.poses[: size * size, :3].reshape(size, size, 3)
axes.plot_wireframe(nodes[..., 0], nodes[..., 1], nodes[..., 2], linewidth=0.7)
axes.set_title("at rest")
axes = figure.add_subplot(1, 2, 2)
axes.plot(sim.dt * np.arange(1, steps + 1), height)
axes.set(title="the node in the middle", xlabel="time, s", ylabel="z, m")
plt.show()
