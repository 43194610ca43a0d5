# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # Which of two designs
# Eight drives in the legs of the gazelle move a pelvis of six freedoms. Two of them could go, for cost and weight: the dance stays the same, but how much poses
# answer to an error of a torque does not. The one-step map of each step with torques in place of positions tells it (after Maloisel et al. 2025, Fig. 12).
#
#     python3 18_designs.py [steps [of which one in so many is looked at]]

# %%
import json
import pathlib
import sys
import tempfile

import numpy as np

import affix

STEPS = int(sys.argv[1]) if len(sys.argv) > 1 else 13
EVERY = int(sys.argv[2]) if len(sys.argv) > 2 else 4
DT, LEGS = 0.02, 8
DESIGNS = {"without ankle 1 and knee 4": (0, 7), "without ankles 2 and 4": (2, 6)}

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "gazelle.json"
    affix.Scene.from_case("gazelle").save(path)
    whole = json.loads(path.read_text(encoding="utf-8"))


def model_of(gone, torques):
    """The figure without two of its drives; the others of the legs tell positions, or give torques."""
    scene = json.loads(json.dumps(whole))
    drives = [drive for k, drive in enumerate(scene["drives"]) if k not in gone]
    for drive in drives[:LEGS - len(gone)]:
        if torques:
            drive.update(kind="force", target=0, from_input=True)
    scene["drives"] = drives
    return affix.Model(affix.Scene.loads(json.dumps(scene)))


def sensitivities(gone):
    """Times, and the largest derivative of a body's coordinates at the end of a step by a torque in it."""
    dance = affix.Sim(model_of(gone, False), dt=DT, accuracy="converged")
    sim, times, found = affix.Sim(model_of(gone, True), dt=DT, accuracy="converged"), [], []
    for step in range(STEPS):
        sim.set_state(np.array(dance.q), np.array(dance.v))
        dance.step()
        sim.ctrl[:] = [dance.actuator(k).effort for k in range(LEGS - len(gone))]
        if step % EVERY:
            sim.step()
            continue
        with sim.gradient() as g:
            g.step()
            by = g.jacobian(states=False)[1]
        times.append(dance.time)
        found.append(np.abs(by[:by.shape[0] // 2]).max())
    return np.array(times), np.array(found)


# %%
curves = {name: sensitivities(gone) for name, gone in DESIGNS.items()}
for name, (times, found) in curves.items():
    print(f"{name}: at most {found.max():.2e} m (or 1) per Nm, at {times[found.argmax()]:.2f} s; at least {found.min():.2e}")
