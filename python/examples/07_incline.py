# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # A block on an incline
# A block at rest on a slope of angle a holds when mu >= tan a; else it slides with g (sin a - mu cos a). Here for a slope of
# 25 degrees and nine coefficients of friction: what the contacts carry, and how fast the block goes, beside the formula.

# %% The scene: the slope descends along x
import math

import numpy as np

import affix

SLOPE, GRAVITY, SIZE, DT, TIME = math.radians(25), 9.81, 0.2, 0.005, 0.5
DOWN = np.array([math.cos(SLOPE), 0, -math.sin(SLOPE)])
NORMAL = np.array([math.sin(SLOPE), 0, math.cos(SLOPE)])


def incline(mu: float) -> affix.Model:
    scene = affix.Scene(gravity=(0, 0, -GRAVITY))
    turned = affix.rotation((0, 1, 0), SLOPE)
    scene.add_material("wood", friction=mu)
    scene.add_body("slope", kind="fixed", rotation=turned).add_plane(material="wood")
    block = scene.add_body("block", position=SIZE / 4 * NORMAL, rotation=turned)
    block.add_box((SIZE, SIZE, SIZE / 2), mass=3, material="wood")
    return affix.Model.from_scene(scene)


# %% Each runs for half a second; the acceleration is taken from the speeds of its second half
friction = np.linspace(0, 0.8, 9)
formula = np.maximum(0, GRAVITY * (math.sin(SLOPE) - friction * math.cos(SLOPE)))
acceleration, load, drag = np.empty(9), np.empty(9), np.empty(9)
for k, mu in enumerate(friction):
    sim = affix.Sim(incline(mu), dt=DT)
    sim.step(round(TIME / 2 / DT))
    before = sim.body("block").velocity @ DOWN
    sim.step(round(TIME / 2 / DT))
    acceleration[k] = (sim.body("block").velocity @ DOWN - before) / (TIME / 2)
    load[k] = sim.contacts["force"].sum()
    drag[k] = -sim.contacts["friction"].sum(axis=0) @ DOWN

# %% The block slides below mu = tan a = 0.466
print(f"a slope of {math.degrees(SLOPE):.0f} degrees: tan a = {math.tan(SLOPE):.3f}")
print("  mu   acceleration   formula   normal force   friction")
for row in zip(friction, acceleration, formula, load, drag):
    print("{:4.1f}   {:9.5f}      {:7.5f}   {:9.4f} N   {:9.4f} N".format(*row))
