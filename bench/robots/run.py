#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run.py BUILD FILE.xml ... [--integrator rk4|bdf2] [--batch N] [--count]: steps of robots in joint coordinates beside MuJoCo's.

Each MJCF file is copied without its geoms, meshes, ranges of joints, friction of joints, and for rk4 without actuators, whose gains no explicit
method can follow at this step; bodies have inertias of their own. bench_robots then steps both engines by turns. With --batch, N robots
go side by side. With --count, instructions a step by callgrind, the difference of two run lengths."""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile


def air(text, smooth):
    """The robot in the air: nothing that touches or strikes."""
    for pattern in (r"<geom\b[^>]*/>", r"<mesh\b[^>]*/>", r"<(light|camera)\b[^>]*/>", r"<contact>.*?</contact>", r"<keyframe>.*?</keyframe>",
                    r"<sensor>.*?</sensor>", r"<geom\b[^>]*>\s*</geom>") + ((r"<actuator>.*?</actuator>",) if smooth else ()):
        text = re.sub(pattern, "", text, flags=re.S)
    text = re.sub(r'(<joint\b[^>]*?) range="[^"]*"', r"\1", text)
    text = re.sub(r'(<joint\b[^>]*?) frictionloss="[^"]*"', r"\1", text)
    text = re.sub(r'\bactuatorfrcrange="[^"]*"', "", text)
    return text.replace('integrator="implicitfast"', "")


def instructions(program, path, engine, integrator, batch):
    counts = []
    lengths = (100, 600) if batch == 1 else (10, 60)
    for steps in lengths:
        run = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, path, "--count", engine, "--integrator",
                              integrator, "--steps", str(steps), "--batch", str(batch)], capture_output=True, text=True)
        found = re.search(r"Collected : (\d+)", run.stderr)
        if run.returncode or not found:
            sys.exit(run.stderr)
        counts.append(int(found[1]))
    return (counts[1] - counts[0]) / (lengths[1] - lengths[0]) / (batch if engine == "affix" else 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--integrator", default="rk4")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--count", action="store_true")
    given = parser.parse_args()
    program = str(given.build / "bench_robots")
    for file in given.files:
        with tempfile.TemporaryDirectory() as folder:
            path = str(pathlib.Path(folder) / file.name)
            pathlib.Path(path).write_text(air(file.read_text(), given.integrator == "rk4"))
            subprocess.run([program, path, "--integrator", given.integrator, "--batch", str(given.batch), "--steps",
                            str(2000 // given.batch + 4)], check=False)
            if given.count:
                ours, theirs = (instructions(program, path, engine, given.integrator, given.batch) for engine in ("affix", "mujoco"))
                print(f"{file.name}: {ours:,.0f} instructions a step, mujoco {theirs:,.0f}, ratio {ours / theirs:.3f}")


main()
