# SPDX-License-Identifier: Apache-2.0
"""postures.py FILE-OR-FOLDER... [--count N]: of every robot, random postures are set and read back. Tells the largest
difference of a coordinate, and of a velocity; ends with 1 where one is above 1e-12 (angles are read from rotations, whose
rounding is some 1e-16 of a radian), or where a velocity was changed by setting a posture."""

import argparse
import pathlib
import sys

import numpy as np

import affix


def files(paths: list) -> list:
    """Robots that are given, or lie in folders that are given."""
    found: list = []
    for path in map(pathlib.Path, paths):
        found += sorted(p for p in path.rglob("*") if p.suffix in (".xml", ".urdf", ".sdf")) if path.is_dir() else [path]
    return found


def posture(model: affix.Model, random: np.random.Generator) -> np.ndarray:
    """Within limits, or two radians or metres where there are none; quaternions of any rotation, the scalar part positive."""
    low, high = model.qpos_range.T
    q = random.uniform(np.where(np.isfinite(low), low, -2), np.where(np.isfinite(high), high, 2))
    for places, _ in model._robot.slices:
        if places.stop - places.start > 1:
            turn = random.standard_normal(4)
            q[places.stop - 4:places.stop] = turn / np.linalg.norm(turn) * np.sign(turn[0])
    return q


def check(path: pathlib.Path, count: int) -> float:
    model = affix.Model.from_file(path)
    sim, random, worst = affix.Sim(model), np.random.default_rng(1), 0.0
    for _ in range(count):
        q, v = posture(model, random), random.uniform(-1, 1, model.nv)
        sim.qvel = v
        kept = sim.qvel
        sim.qpos = q
        worst = max(worst, np.abs(sim.qpos - q).max(initial=0), np.abs(sim.qvel - kept).max(initial=0) * 1e-3)
    print(f"{path}: {model.nq} coordinates, {count} postures, at most {worst:.1e} off", flush=True)
    return worst


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--count", type=int, default=1000)
    given = parser.parse_args()
    bad = 0
    for path in files(given.paths):
        try:
            bad += check(path, given.count) > 1e-12
        except affix.InputError as error:
            print(f"{path}: not a robot by itself: {error}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
