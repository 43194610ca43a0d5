# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # What a robot senses
# A finger is bent by a tendon that goes around its joints. Sensors tell what it feels, with noise and delay as real ones have, and a
# camera on it shows what is before it.

# %%
import numpy as np

import affix

finger = affix.Model.from_string("""<mujoco><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>
    <site name="anchor" pos="-.02 0 .012"/><geom type="box" size=".02 .2 .2" pos=".3 0 0"/>
    <body name="near"><joint name="a" axis="0 1 0" range="-1.6 .2" damping=".002" stiffness=".05"/>
      <geom name="pulley a" type="cylinder" size=".008 .01" euler="1.5708 0 0" contype="0" conaffinity="0"/><site name="over a" pos="0 0 .02"/>
      <geom type="capsule" fromto="0 0 0 .05 0 0" size=".006" contype="0" conaffinity="0"/><site name="middle" pos=".025 0 .008"/>
      <body name="far" pos=".05 0 0"><joint name="b" axis="0 1 0" range="-1.6 .2" damping=".002" stiffness=".05"/>
        <geom name="pulley b" type="cylinder" size=".006 .01" euler="1.5708 0 0" contype="0" conaffinity="0"/><site name="over b" pos="0 0 .02"/>
        <geom type="capsule" fromto="0 0 0 .04 0 0" size=".006" contype="0" conaffinity="0"/><site name="end" pos=".03 0 .006"/>
        <site name="tip" pos=".046 0 0" euler="0 1.5708 0"/>
        <camera name="eye" pos=".05 0 0" xyaxes="0 -1 0 0 0 1" fovy="60"/></body></body></worldbody>
    <tendon><spatial name="tendon" range="0 .2"><site site="anchor"/><geom geom="pulley a" sidesite="over a"/><site site="middle"/>
      <geom geom="pulley b" sidesite="over b"/><site site="end"/></spatial></tendon>
    <actuator><motor name="pull" tendon="tendon" ctrlrange="-20 0"/></actuator>
    <sensor><tendonpos name="length" tendon="tendon"/><rangefinder name="distance" site="tip" noise=".001"/>
      <framepos name="tip" objtype="site" objname="tip"/><jointpos name="angle" joint="a" noise=".002"/></sensor></mujoco>""", "mjcf")
sim = affix.Sim(finger, dt=0.002)
senses = affix.Sensors(sim, seed=1, delay=2)
imager = affix.Imager(finger, 64, 64)

# %% [markdown]
# Straight, the wall is 0.184 m before the tip. The tendon lies above the joints: pulled, it bends the finger upwards against its springs.

# %%
ahead = float(sim.sensor("distance")[0])
seen = imager.draw(sim, "eye")
before, lengths = float(sim.sensor("length")[0]), []
sim.ctrl[:] = -4
for step in range(500):
    sim.step()
    noisy = senses.read()
    lengths.append(float(sim.sensor("length")[0]))
after = lengths[-1]
bent = sim.qpos
print(f"wall {ahead:.3f} m ahead, in the picture {seen.depth[32, 32]:.3f} m; tendon {1000 * (before - after):.1f} mm shorter, "
      f"joints at {np.degrees(bent).round(1)} degrees, the first felt as {np.degrees(noisy[-1]):.1f}")
