# SPDX-License-Identifier: Apache-2.0
"""images.py [FILE...]: pictures of 64 x 64 (colour, depth, bodies) a second of processor time, of the arm of PickAndPlace
and of robots from files."""

import sys
import time

import affix
from affix.envs.pick import arm_scene


def rate(model: affix.Model, samples: int, count: int = 200) -> float:
    """Pictures a second of processor time."""
    sim, imager = affix.Sim(model), affix.Imager(model, 64, 64, samples=samples)
    imager.draw(sim, position=(1.2, -1.0, 0.8), target=(0.2, 0, 0.3))
    begun = time.process_time()
    for _ in range(count):
        imager.draw(sim, position=(1.2, -1.0, 0.8), target=(0.2, 0, 0.3))
    return count / (time.process_time() - begun)


if __name__ == "__main__":
    models = [("the arm with three cubes", affix.Model.from_string(arm_scene(3), "mjcf"))]
    models += [(path, affix.Model.from_file(path)) for path in sys.argv[1:]]
    for name, model in models:
        print(f"{name}: " + ", ".join(f"{rate(model, samples):.0f} a second with {samples} x {samples} samples a pixel"
                                      for samples in (1, 3)))
