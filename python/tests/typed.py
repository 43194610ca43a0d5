# SPDX-License-Identifier: Apache-2.0
"""What users write, for mypy --strict: test_types.py. Lines marked "wrong" are those that it must refuse."""

from typing import Dict, List, Tuple

import numpy as np
import numpy.typing as npt

import affix
from affix import sweep


def build() -> affix.Scene:
    scene = affix.Scene(gravity=(0, 0, -9.81))
    base = scene.add_body("base", kind="fixed")
    arm = scene.add_body("arm", position=(0.5, 0, 0), rigid=True).add_box((1, 0.1, 0.1), mass=2.0, color="#aa3322")
    hinge: affix.Joint = scene.add_joint("revolute", base, arm, name="hinge", at=(0, 0, 0))
    motor: affix.Drive = scene.add_servo("motor", hinge, stiffness=10.0, damping=1.0)
    scene.add_marker("tip", arm, (0.5, 0, 0))
    print(motor, arm.mass + arm.young)
    return scene.make_rigid()


def run(scene: affix.Scene) -> Tuple[float, npt.NDArray[np.float64]]:
    model = affix.Model(scene)
    sim = affix.Sim(model, dt=0.001, integrator="bdf2")
    sim.actuator("motor").target = 0.3
    sim.step(10)
    report: affix.StepReport = sim.report
    angle: float = sim.joint("hinge").angle
    energy: affix.Energy = sim.energy
    pose: affix.Pose = sim.body("arm").pose
    freedom, redundant = sim.mobility()
    print(report.iterations, energy.total, pose.position, freedom + redundant)
    return angle + sim.time, sim.q


def many(model: affix.Model) -> npt.NDArray[np.float64]:
    batch = affix.Batch(model, 4, threads=2)
    batch.step(5)
    return batch.read("efforts")


def study() -> Dict[str, npt.NDArray[np.float64]]:
    names: List[str] = list(affix.cases())
    print(names, sweep.Study({"affix_sweep": 1, "scene": "pendulum"}))
    return affix.read_table("run.h5", "time", "energy")


def mistakes(sim: affix.Sim) -> None:
    sim.step("ten")  # wrong
    text: str = sim.time  # wrong
    sim.bodie("arm")  # wrong
    affix.Sim("four-bar")  # wrong
    affix.Scene().add_body("a", colour=3).nothing()  # wrong
    print(text)
