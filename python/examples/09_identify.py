# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # What a recorded swing tells
# A pendulum was recorded while it swung out. How large are the dry friction and the damping of its hinge, and its mass moment? Gradients of
# the run by these parameters give Gauss and Newton's method its Jacobian, row by row.

# %%
import numpy as np

import affix

STEPS, EVERY, DT = 150, 10, 0.01


def pendulum(friction, damping, stretch):
    """A rod on a hinge with Coulomb's friction and a damper; its second moments are `stretch` times those of a rod."""
    scene = affix.Scene()
    scene.gravity = (0, 0, -9.81)
    rod = scene.add_body("rod", mass=1.0, inertia=(0.01, stretch / 12, stretch / 12), position=(0.5, 0, 0), rigid=True)
    hinge = scene.add_joint("revolute", None, rod, at=(0, 0, 0), axis=(0, 1, 0), name="hinge")
    scene.add_drive("friction", hinge, effort=friction, name="dry")
    scene.add_drive("spring", hinge, damping=damping, name="wet")
    return affix.Sim(affix.Model(scene), dt=DT, accuracy="converged")


def angles(sim):
    """The angle every tenth step."""
    out = []
    for _ in range(STEPS // EVERY):
        sim.step(EVERY)
        out.append(sim.joint("hinge").angle)
    return np.array(out)


truth = (0.25, 0.08, 1.1)
recorded = angles(pendulum(*truth))

# %% Gauss and Newton, with derivatives of every sample by one backward pass
guess = np.array([0.1, 0.15, 1.0])
for iteration in range(8):
    sim = pendulum(*guess)
    moments = sim.model.parameter("body.second_moments")[0]
    rows, off = [], []
    with sim.gradient() as g:
        for k in range(STEPS // EVERY):
            g.step(EVERY)
            off.append(g.value("joint:hinge") - recorded[k])
            g.clear()
            g.seed("joint:hinge")
            g.backward()
            by_drive, by_moments = g.param("drive"), g.param("body.second_moments")[0]
            rows.append([by_drive[0, 3], by_drive[1, 1], np.nan])
            # second moments s = (yy + zz - xx) / 2 and so on: by what `stretch` changes of them
            largest = int(np.argmax(moments))
            rows[-1][2] = by_moments[largest] / 12
    J, off = np.array(rows), np.array(off)
    guess = guess - np.linalg.lstsq(J, off, rcond=None)[0]
    print(f"{iteration}: off by {np.abs(off).max():.2e} rad, friction {guess[0]:.6f} Nm, damping {guess[1]:.6f} Nms, moments x {guess[2]:.6f}")
    if np.abs(off).max() < 1e-8:
        break
assert np.allclose(guess, truth, rtol=1e-6)
