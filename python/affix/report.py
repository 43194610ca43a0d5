# SPDX-License-Identifier: Apache-2.0
"""What the engine tells about steps and states."""

from __future__ import annotations

import enum
from typing import Any, Dict, NamedTuple

import numpy as np

from ._affix import ffi, lib
from ._native import Array, enum_names, get_vec3

__all__ = ["Energy", "Momentum", "StepFlag", "StepReport"]

_FLAGS = ffi.typeof("AfxStepFlag").relements
StepFlag = enum.IntFlag("StepFlag", {name[len("AFX_STEP_"):]: value  # type: ignore[misc]
                                     for name, value in sorted(_FLAGS.items(), key=lambda item: item[1])})
StepFlag.__doc__ = "Bits of a step's report; docs/joints.md and sim.h tell what each means."
_STAGES = enum_names("AfxStage", "AFX_STAGE_")


class Energy(NamedTuple):
    """J; potential energy of gravity is zero at the origin."""

    kinetic: float
    potential: float
    elastic: float
    total: float


class Momentum(NamedTuple):
    """Of all moving bodies: mass, centre of mass, linear momentum, and angular momentum about the world's origin."""

    mass: float
    center: Array
    linear: Array
    angular: Array

    @classmethod
    def _read(cls, value: Any) -> "Momentum":
        return cls(value.mass, get_vec3(value.center), get_vec3(value.linear), get_vec3(value.angular))


class StepReport(NamedTuple):
    """Of the last step: flags, solves, the largest joint row (``residual``), ``contacts`` (points that touch) and the
    deepest penetration (``depth``, m), seconds spent in each stage.

    >>> import affix
    >>> sim = affix.Sim(affix.Model.from_case("pendulum"))
    >>> sim.step()
    >>> sim.report.flags & affix.StepFlag.RESTARTED
    <StepFlag.RESTARTED: 1>
    >>> sim.report.residual < 1e-12
    True
    """

    flags: Any
    solves: int
    solves_mean: float
    rotation_error: float
    residual: float
    contacts: int
    depth: float
    step: int
    time: float
    stage_seconds: Dict[str, float]

    @classmethod
    def _read(cls, value: Any) -> "StepReport":
        stages = {name: value.stage_seconds[k] for k, name in enumerate(_STAGES)}
        return cls(StepFlag(value.flags), value.solves, value.solves_mean, value.rotation_error, value.residual,
                   value.contacts, value.depth, value.step, value.time, stages)


# Kinds of results that are read as one array: name, kind, numbers per item.
READS = {
    "q": (lib.AFXI_PY_Q, (12,)),
    "v": (lib.AFXI_PY_V, (12,)),
    "poses": (lib.AFXI_PY_POSES, (7,)),
    "twists": (lib.AFXI_PY_TWISTS, (6,)),
    "joint_positions": (lib.AFXI_PY_JOINTS, ()),
    "joint_rates": (lib.AFXI_PY_RATES, ()),
    "reactions": (lib.AFXI_PY_REACTIONS, (6,)),
    "efforts": (lib.AFXI_PY_EFFORTS, ()),
    "markers": (lib.AFXI_PY_MARKERS, (6,)),
    "contact_forces": (lib.AFXI_PY_CONTACTS, (6,)),
    "energy": (lib.AFXI_PY_ENERGY, ()),
    "time": (lib.AFXI_PY_TIME, ()),
}


def read_shape(model: Any, name: str) -> tuple:
    """The shape of one sim's result."""
    kind, item = READS[name]
    size = lib.afxi_py_read_size(model, kind)
    if name == "time":
        return ()
    return (size // int(np.prod(item)),) + item if item else (size,)
