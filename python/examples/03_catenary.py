# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # A chain against the catenary
# A chain of links with ball joints hangs between two points and comes to rest. With many links its joints lie on
# z = a cosh(x / a) + c, where a follows from the length and the span.

# %% A chain that starts as a tent, with air that damps it
import matplotlib.pyplot as plt
import numpy as np

import affix

links, length, span = 60, 3.0, 2.0
step = length / links
half = links // 2
rise = np.sqrt((length / 2)**2 - (span / 2)**2)
down, up = np.array([span, 0, -2 * rise]) / length, np.array([span, 0, 2 * rise]) / length
nodes = np.vstack([[k * step * down for k in range(half + 1)],
                   [half * step * down + k * step * up for k in range(1, links - half + 1)]])

scene = affix.Scene()
before = None
for k in range(links):
    pose = affix.frame_along((nodes[k] + nodes[k + 1]) / 2, nodes[k + 1] - nodes[k])
    link = scene.add_body(pose=pose, rigid=True, linear_damping=1.0, angular_damping=1.0)
    link.add_box((step, 0.01, 0.01))
    scene.add_joint("spherical", before, link, at=nodes[k])
    scene.add_marker(f"node {k}", link, (-step / 2, 0, 0))
    before = link
scene.add_joint("spherical", None, before, at=nodes[-1])
scene.add_marker(f"node {links}", before, (step / 2, 0, 0))

# %% Let it swing until it hangs still
sim = affix.Sim(affix.Model.from_scene(scene), dt=0.02, integrator="bdf1")
sim.step(1500)
hanging = sim.read("markers")[:, :3]
print(f"kinetic energy left: {sim.energy.kinetic:.1e} J")

# %% The catenary of that length: 2 a sinh(span / 2a) = length, by Newton's method
a = 1.0
for _ in range(50):
    f = 2 * a * np.sinh(span / (2 * a)) - length
    a -= f / (2 * np.sinh(span / (2 * a)) - span / a * np.cosh(span / (2 * a)))
x = np.linspace(0, span, 400)
catenary = a * np.cosh((x - span / 2) / a) - a * np.cosh(span / (2 * a))
exact = a * np.cosh((hanging[:, 0] - span / 2) / a) - a * np.cosh(span / (2 * a))
error = np.abs(hanging[:, 2] - exact).max()
print(f"a = {a:.6f} m, the joints are off by at most {1000 * error:.2f} mm")

# %% The tension at the support: weight per length times the height over the directrix
weight = 9.81 * scene.body(0).mass / step
tension = np.linalg.norm(sim.joint(0).force)
expected = weight * a * np.cosh(span / (2 * a))
print(f"support carries {tension:.4f} N, the catenary says {expected:.4f} N")

# %% A picture
plt.figure(figsize=(6, 5), constrained_layout=True)
plt.plot(x, catenary, label="catenary")
plt.plot(hanging[:, 0], hanging[:, 2], "o", markersize=3, label=f"{links} links")
plt.gca().set_aspect("equal")
plt.legend()
plt.show()
