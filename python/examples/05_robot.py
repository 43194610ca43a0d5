# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # A robot from MJCF, moved by its servos
# `python 05_robot.py path/to/robot.xml` takes a model of your own, for example one of the MuJoCo Menagerie; without one, an
# arm of two links that is written below. Every servo of a hinge is given a smooth sine of its own.

# %% The model, and what its loader has to say
import sys

import matplotlib.pyplot as plt
import numpy as np

import affix

ARM = """
<mujoco model="arm">
  <default><joint damping="0.5" axis="0 1 0"/><geom type="capsule" size="0.03"/><position kp="400" kv="40"/></default>
  <worldbody>
    <body name="upper" pos="0 0 1"><joint name="shoulder"/><geom fromto="0 0 0 0.4 0 0"/>
      <body name="lower" pos="0.4 0 0"><joint name="elbow"/><geom fromto="0 0 0 0.3 0 0"/><site name="hand" pos="0.3 0 0"/></body>
    </body>
  </worldbody>
  <actuator><position name="shoulder servo" joint="shoulder"/><position name="elbow servo" joint="elbow"/></actuator>
</mujoco>
"""
model = affix.Model.from_file(sys.argv[1]) if len(sys.argv) > 1 else affix.Model.from_string(ARM, "mjcf")
print(model)
for notice in model.notices[:5]:
    print("note:", notice.element, "-", notice.text)

# %% The servos that turn a hinge, and the coordinates that they aim at
sim = affix.Sim(model, dt=0.004)
servos = [number for number, coordinate in enumerate(model.input_coordinates)
          if coordinate >= 0 and model.joint_kind(model.coordinate_joints[coordinate]) == "revolute"]
coordinates = model.input_coordinates[servos]

# %% Targets: where they start, plus a sine that grows from nothing
home = sim.ctrl[servos]
hand = sim.marker(model.marker_names[-1])
steps = 1000
wanted, reached, path = np.empty((steps, len(servos))), np.empty((steps, len(servos))), np.empty((steps, 3))
for k in range(steps):
    t = sim.time + sim.dt
    sim.ctrl[servos] = home + 0.2 * min(t, 1.0) * np.sin(2 * np.pi * (0.3 + 0.05 * np.arange(len(servos))) * t)
    sim.step()
    wanted[k], reached[k], path[k] = sim.ctrl[servos], sim.joint_positions[coordinates], hand.position

# %% How well do they follow?
names = [model.input_names[number] for number in servos]
error = np.abs(reached - wanted).max(axis=0)
for name, value in zip(names, error):
    print(f"{name}: off by at most {value:.4f} rad")

# %% Pictures
figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4), constrained_layout=True)
time = sim.dt * np.arange(1, steps + 1)
for k, name in enumerate(names):
    line, = left.plot(time, reached[:, k], label=name)
    left.plot(time, wanted[:, k], ":", color=line.get_color())
left.set(title="angles, and targets dotted", xlabel="time, s")
left.legend(fontsize="small")
right.plot(time, path)
right.set(title=f"the marker {hand.name}, m", xlabel="time, s")
plt.show()
