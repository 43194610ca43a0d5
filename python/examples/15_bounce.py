# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # How does it bounce?
# A ball falls 0.2 m and bounces. Gradients go through the impact: by how high it is afterwards its restitution can be found, and the derivative is
# that of the formula z = e v (t - t1) - g (t - t1)² / 2, t1 = sqrt(2 h / g), v = g t1, as far as the step allows.

# %%
import numpy as np

import affix

TIME, DT, HEIGHT, RADIUS, GRAVITY = 0.3, 0.002, 0.2, 0.1, 9.81


def model(e):
    scene = affix.Scene(gravity=(0, 0, -GRAVITY))
    scene.add_material("rubber", friction=0, restitution=e)
    scene.add_body("ground", kind="fixed").add_plane(material="rubber")
    ball = scene.add_body("ball", position=(0, 0, RADIUS + HEIGHT), rigid=True)
    ball.add_sphere(RADIUS, material="rubber")
    ball.add_marker("middle")
    return affix.Model.from_scene(scene)


def bounce(e):
    """How high the ball is above the ground at the end, and the derivative of that by its restitution."""
    sim = affix.Sim(model(e), dt=DT, accuracy="converged")
    with sim.gradient() as g:
        g.step(round(TIME / DT))
        g.seed("marker:middle.z")
        g.backward()
        return g.value("marker:middle.z") - RADIUS, g.param("material.pair")[:, 1].sum()


# %% Beside the formula
fall = np.sqrt(2 * HEIGHT / GRAVITY)
high, by_restitution = bounce(0.8)
formula = GRAVITY * fall * (TIME - fall)
print(f"by restitution {by_restitution:.5f} m, formula {formula:.5f}")
assert abs(by_restitution - formula) < 0.02 * formula

# %% Restitution from a measured height, by Newton's method
measured, found = bounce(0.7)[0], 0.5
for iteration in range(6):
    high, by_restitution = bounce(found)
    found -= (high - measured) / by_restitution
    if abs(high - measured) < 1e-10:
        break
print(f"restitution {found:.9f} after {iteration + 1} runs")
assert abs(found - 0.7) < 1e-7
