# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # Quantities for control
# An arm holds its weight by gravity forces, and its hand follows a circle by forces in operational space.

# %%
import numpy as np

import affix

arm = affix.Model.from_string("""<mujoco><compiler angle="radian"/><worldbody>
    <body name="upper" pos="0 0 1"><joint name="a" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .5 0 0" size=".03" mass="2"/>
      <body name="lower" pos=".5 0 0"><joint name="b" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 .4 0 0" size=".03" mass="1"/>
        <site name="hand" pos=".4 0 0"/></body></body></worldbody>
    <actuator><motor name="a" joint="a"/><motor name="b" joint="b"/></actuator></mujoco>""", "mjcf")
sim = affix.Sim(arm, dt=0.001)
sim.qpos = (-0.4, 1.2)
centre, radius, rate = sim.site("hand").position - (0.1, 0, 0), 0.1, 2.0

# %% [markdown]
# Forces are J^T f with f = inertia of the task times the acceleration that is wanted, less what velocities make by themselves, and
# bias forces: along the two directions in which the hand can move.

# %%
errors = []
for step in range(2000):
    phase = rate * sim.time
    wanted = centre + radius * np.array([np.cos(phase), 0, np.sin(phase)])
    speed = radius * rate * np.array([-np.sin(phase), 0, np.cos(phase)])
    J = sim.site_jacobian("hand")[0][[0, 2]]
    drift = sim.point_acceleration("lower", (0.4, 0, 0))[0][[0, 2]]
    off, slip = (wanted - sim.site("hand").position)[[0, 2]], (speed - sim.site("hand").twist[:3])[[0, 2]]
    asked = 400 * off + 40 * slip - radius * rate**2 * np.array([np.cos(phase), np.sin(phase)]) - drift
    sim.ctrl[:] = J.T @ sim.operational_inertia(J) @ asked + sim.bias_forces()
    sim.step()
    errors.append(np.linalg.norm(off))
print(f"on its circle to {1000 * max(errors[1000:]):.2f} mm; centre of mass {sim.center_of_mass().position.round(3)}")
assert max(errors[1000:]) < 2e-3
