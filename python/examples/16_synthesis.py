# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # A four-bar whose coupler follows a path
# Where must the four pivots of a linkage be, and which point of its coupler must be taken, so that this point goes through given places while the
# crank turns? Derivatives by the frames of joints (`sim.gradient(frames=True)`) and by the point give a Jacobian, for Gauss's and Newton's method.

# %%
import numpy as np

import affix

STEPS, DT, EVERY = 48, 0.02, 6
PIVOTS = ("crank", "elbow", "hinge", "rocker")


def model_of(x):
    """Pivots (x, z) at the start, and a point of the coupler; all bodies begin with the axes of the world."""
    ends = np.insert(np.reshape(x, (5, 2)), 1, 0.0, axis=1)
    scene = affix.Scene()
    scene.gravity = (0, 0, 0)
    links = [scene.add_body(name, mass=1.0, inertia=(0.01, 0.02, 0.03), position=(k, 0, 0), rigid=True)
             for k, name in enumerate(("crank", "coupler", "rocker"))]
    between = [(None, links[0]), (links[0], links[1]), (links[1], links[2]), (None, links[2])]
    joints = [scene.add_joint("revolute", a, b, at=tuple(end), axis=(0, 1, 0), name=name)
              for (a, b), end, name in zip(between, ends, PIVOTS)]
    scene.add_drive("velocity", joints[0], target=2 * np.pi / (STEPS * DT))
    scene.add_marker("pen", links[1], tuple(ends[4] - (1, 0, 0)))
    return affix.Model(scene)


def path(x, derivatives=True):
    """Where the pen is at some times [times, 2], and the Jacobian [2 times, 10]."""
    sim, places, rows = affix.Sim(model_of(x), dt=DT, accuracy="converged"), [], []
    with sim.gradient(frames=True) as g:
        for _ in range(STEPS // EVERY):
            g.step(EVERY)
            for name in ("marker:pen.x", "marker:pen.z"):
                places.append(g.value(name))
                if derivatives:
                    g.clear()
                    g.seed(name)
                    g.backward()
                    pivots = g.frames[:, :, 3:].sum(axis=1)  # both frames of a joint are shifted
                    rows.append(np.concatenate([pivots[:, ::2].ravel(), g.param("marker.point")[0][::2]]))
    return np.array(places), np.array(rows)


# %% Derivatives are those of differences
truth = np.array([0.0, 0.0, 0.1, 0.3, 1.1, 0.9, 1.2, 0.1, 0.7, 1.1])
guess = truth + np.array([0.03, -0.02, 0.03, 0.02, -0.05, 0.04, 0.03, -0.03, 0.05, -0.06])
wanted = path(truth, derivatives=False)[0]
places, jacobian = path(guess)
along = np.linspace(-1.0, 1.0, len(guess))
d = [(path(guess + h * along, False)[0] - path(guess - h * along, False)[0]) / (2 * h) for h in (1e-3, 2e-3)]
slope = (4 * d[0] - d[1]) / 3
gap = np.abs(jacobian @ along - slope).max()
print(f"along a direction: {gap:.1e} from differences of up to {np.abs(slope).max():.2f}")

# %% Levenberg's and Marquardt's method
damping = 1e-3
for iteration in range(60):
    off = wanted - places
    if np.abs(off).max() < 1e-10:
        break
    step = np.linalg.solve(jacobian.T @ jacobian + damping * np.eye(len(guess)), jacobian.T @ off)
    try:
        there = path(guess + step)
    except affix.Error:  # such a linkage does not close
        there = (np.full_like(places, np.inf), jacobian)
    if np.abs(wanted - there[0]).sum() < np.abs(off).sum():
        guess, (places, jacobian), damping = guess + step, there, damping / 10
    else:
        damping *= 10
print(f"after {iteration} steps the pen misses the path by {np.abs(wanted - places).max():.1e} m")
print("pivots", np.round(guess[:8], 6), "pen", np.round(guess[8:], 6))
