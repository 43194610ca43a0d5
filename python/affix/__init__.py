# SPDX-License-Identifier: Apache-2.0
"""Affix: multibody dynamics with affine bodies and exact joints.

A :class:`Scene` is described, a :class:`Model` is made from it, and a :class:`Sim` runs the model:

>>> import affix
>>> sim = affix.Sim(affix.Model.from_case("pendulum"), dt=0.01)
>>> sim.step(100)
>>> round(sim.time, 12)
1.0
"""

from . import export, ik, sweep
from ._affix import lib as _lib
from ._native import memory_in_use, text as _text
from .batch import Batch
from .contact import CONTACT, Material
from .drawing import Drawing
from .errors import (AffixError, ArgumentError, ClosedError, InputError, LimitError, NoMemoryError, NotFoundError,
                     NumericError, SystemRefusedError, VersionError, ViewerError)
from .files import Case, CaseParameter, Notice, cases
from .gradient import Gradient, GradientReport
from .image import Image, Imager
from .items import Body, Coupling, Drive, Joint, Marker, Spring, Texture, Wrench
from .model import Component, Model
from .pose import Pose, frame_along, rotation
from .record import Recorder
from .replay import Replay
from .report import Energy, EnergyBook, Momentum, Residual, StepFlag, StepReport, TraceEvent
from .rollout import Rollout
from .run import Camera, Run, RunParameter
from .scene import JointSpring, Motion, Scene, drive_kinds, joint_kinds
from .signals import Signal, constant, formula, polynomial, sine, table
from .sensors import Sensors
from .sim import Sim, Snapshot
from .states import Actuator, BodyState, CoordinateState, JointState, MarkerState, SiteState, WrenchState
from .plotting import plot
from .ray import Caster, RayHits
from .trajectory import Trajectory, read_table
from .viewer import Viewer, follow, view

__version__ = _text(_lib.afx_version())

__all__ = [
    "Actuator", "AffixError", "ArgumentError", "Batch", "Body", "BodyState", "CONTACT", "Camera", "Case", "CaseParameter", "Caster",
    "ClosedError", "Component", "CoordinateState", "Coupling", "Drawing", "Drive", "Energy", "EnergyBook", "Gradient", "GradientReport", "Image", "Imager", "InputError", "Joint", "JointSpring", "JointState",
    "LimitError", "Marker", "MarkerState", "Material", "Model", "Momentum", "Motion", "NoMemoryError", "NotFoundError",
    "Notice", "NumericError", "Pose", "RayHits", "Recorder", "Replay", "Residual", "Rollout", "Run", "RunParameter", "Scene", "Sensors", "Signal", "Sim", "SiteState", "Snapshot", "Spring",
    "StepFlag", "StepReport", "SystemRefusedError", "Texture", "TraceEvent", "Trajectory", "VersionError", "Viewer", "ViewerError", "Wrench",
    "WrenchState", "cases", "constant", "drive_kinds", "export", "formula", "frame_along", "ik", "joint_kinds", "memory_in_use", "plot",
    "follow", "polynomial", "read_table", "rotation", "sine", "sweep", "table", "view",
]
