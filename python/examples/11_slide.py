# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # How rough is the slope?
# A block slides down a slope of 30 degrees. Gradients go through contact and sliding friction: by how far it comes, friction can be found, and the
# derivatives are those of the formula x = t² g (sin a - mu cos a) cos a / 2 as far as the step allows.

# %%
import numpy as np

import affix

TIME, DT, ANGLE = 0.15, 0.005, np.radians(30)


def slide(mu):
    """Where the block comes to, and the derivatives of that by friction and by gravity."""
    sim = affix.Sim(affix.Model.from_case("incline", mu=mu, young=np.inf), dt=DT, accuracy="converged")
    with sim.gradient() as g:
        start = g.value("marker:block.x")
        g.step(round(TIME / DT))
        far = g.value("marker:block.x") - start
        g.seed("marker:block.x")
        g.backward()
        return far, g.param("material.pair")[0, 0], g.param("gravity").ravel()[2]


# %% Beside the formula
far, by_friction, by_gravity = slide(0.2)
reach = 0.5 * TIME**2 * np.cos(ANGLE)
print(f"by friction {by_friction:.5f} m, formula {-reach * 9.81 * np.cos(ANGLE):.5f}; "
      f"by gravity {by_gravity:.6f} s², formula {-reach * (np.sin(ANGLE) - 0.2 * np.cos(ANGLE)):.6f}")
assert abs(by_friction + reach * 9.81 * np.cos(ANGLE)) < 2e-2 * abs(by_friction)

# %% Friction from a measured way, by Newton's method
measured, mu = slide(0.3)[0], 0.1
for iteration in range(6):
    far, by_friction, _ = slide(mu)
    mu -= (far - measured) / by_friction
    if abs(far - measured) < 1e-10:
        break
print(f"friction {mu:.9f} after {iteration + 1} runs")
assert abs(mu - 0.3) < 1e-6
