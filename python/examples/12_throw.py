# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # A sphere thrown at three targets
# A Hoberman sphere, 240 links in redundant loops with one freedom within, is thrown up with spin, which opens it. With which speed, spin and
# opening is it at a given height, as wide and turned as far as wanted after a given time? Derivatives go back through all loops to the start
# (after Maloisel et al. 2025, Fig. 13).
#
#     python3 12_throw.py [steps [targets]]

# %%
import sys

import numpy as np

import affix

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 6
TARGETS = int(sys.argv[2]) if len(sys.argv) > 2 else 3
DT = 0.02
NAMES = ("opening", "spin", "speed")  # degrees, rad/s, m/s


def sim_of(x):
    return affix.Sim(affix.Model.from_case("hoberman", young=np.inf, **dict(zip(NAMES, x))), dt=DT, accuracy="converged")


def quantities(q):
    """Height of the centre, mean radius, angle about the vertical; and their derivatives by q [3, bodies, 12]."""
    t = q[:, 9:]
    n, centre = len(t), t.mean(0)
    arm = t - centre
    radius = np.sqrt((arm**2).sum(1).mean())
    x, y = arm[0, 0], arm[0, 1]
    by = np.zeros((3, *q.shape))
    by[0, :, 11] = 1 / n
    by[1, :, 9:] = arm / (n * radius)
    turn = np.array([-y, x]) / (x * x + y * y)
    by[2, :, 9:11] = -turn / n
    by[2, 0, 9:11] += turn
    return np.array([centre[2], radius, np.arctan2(y, x)]), by


def start_by(x):
    """How the start changes with each unknown: q, v [3, bodies, 12], by differences of what the case lays out."""
    out = []
    for k, h in enumerate((1e-3, 1e-3, 1e-3)):
        ends = [sim_of(np.asarray(x) + sign * h * np.eye(3)[k]) for sign in (1, -1)]
        out.append([(ends[0].q - ends[1].q) / (2 * h), (ends[0].v - ends[1].v) / (2 * h)])
    return out


def throw(x):
    """What the throw comes to, and its Jacobian by the unknowns: one backward pass for each quantity."""
    sim = sim_of(x)
    with sim.gradient() as g:
        g.step(STEPS)
        values, by = quantities(np.array(sim.q))
        starts, rows = start_by(x), []
        for k in range(3):
            g.clear()
            g.seed(q=by[k])
            g.backward()
            q, v = g.start
            rows.append([np.sum(q * dq) + np.sum(v * dv) for dq, dv in starts])
    return values, np.array(rows)


# %% Three targets: where throws with other numbers would come to
aims = [(50.0, 4.0, 11.0), (40.0, 7.5, 8.0), (55.0, 5.0, 9.0)][:TARGETS]
found = []
for aim in aims:
    end = sim_of(aim)
    end.step(STEPS)
    target, _ = quantities(np.array(end.q))
    x = np.array([45.0, 6.0, 10.0])
    for iteration in range(10):
        values, jacobian = throw(x)
        off = np.abs(values - target).max()
        print(f"target {len(found)}, iteration {iteration}: off by {off:.2e}, " + ", ".join(f"{n} {v:.5f}" for n, v in zip(NAMES, x)))
        if off < 1e-8:
            break
        x = x - np.linalg.solve(jacobian, values - target)
    found.append(x)
assert np.allclose(found, aims, rtol=1e-5)
