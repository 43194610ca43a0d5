# SPDX-License-Identifier: Apache-2.0
"""What the engine reports about steps and states."""

from __future__ import annotations

import enum
from typing import Any, Dict, NamedTuple, Tuple

import numpy as np

from ._affix import ffi, lib
from ._native import Array, enum_names, get_vec3, text

__all__ = ["Energy", "EnergyBook", "Momentum", "Residual", "StepFlag", "StepReport", "TraceEvent"]

_FLAGS = ffi.typeof("AfxStepFlag").relements
StepFlag = enum.IntFlag("StepFlag", {name[len("AFX_STEP_"):]: value  # type: ignore[misc]
                                     for name, value in sorted(_FLAGS.items(), key=lambda item: item[1])})
StepFlag.__doc__ = "Bits of a step's report; docs/joints.md and sim.h tell what each means."
_STAGES = enum_names("AfxStage", "AFX_STAGE_")
_ELEMENTS = enum_names("AfxElement", "AFX_ELEMENT_")


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
    """Of the last step: flags, solver ``iterations``, the largest constraint ``violation`` (m or rad), ``contacts``, the deepest
    ``penetration`` (m), seconds spent in each stage, how many bodies are ``asleep``. ``solves``, ``residual`` and ``depth`` are older names.

    >>> import affix
    >>> sim = affix.Sim(affix.Model.from_case("pendulum"))
    >>> sim.step()
    >>> sim.report.flags & affix.StepFlag.RESTARTED
    <StepFlag.RESTARTED: 1>
    >>> sim.report.violation < 1e-12
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
    asleep: int = 0

    @classmethod
    def _read(cls, value: Any) -> "StepReport":
        stages = {name: value.stage_seconds[k] for k, name in enumerate(_STAGES)}
        return cls(StepFlag(value.flags), value.solves, value.solves_mean, value.rotation_error, value.residual,
                   value.contacts, value.depth, value.step, value.time, stages, value.asleep)

    @property
    def iterations(self) -> int:
        """Solver iterations: the most that any body needed."""
        return self.solves

    @property
    def iterations_mean(self) -> float:
        """Solver iterations per moving body."""
        return self.solves_mean

    @property
    def violation(self) -> float:
        """Largest constraint violation of a joint, m or rad."""
        return self.residual

    @property
    def penetration(self) -> float:
        """Deepest penetration of a contact, m."""
        return self.depth


class Residual(NamedTuple):
    """How far the last step is from meeting its equations, evaluated apart from the solver (docs/step.md, section 9):
    ``force`` on a body over the sum of the forces there, ``constraint`` in m, rad or 1, ``law`` (a force that is not that
    of its law) and ``friction`` (of contacts) over the forces of their bodies. ``*_at`` tell where, ("joint", 3) for
    example, or ("none", -1).

    >>> import affix
    >>> sim = affix.Sim(affix.Model.from_case("pendulum"), solves=10)
    >>> sim.verify = True
    >>> sim.step()
    >>> sim.residual.force < 1e-9 and sim.residual.constraint < 1e-9
    True
    """

    force: float
    constraint: float
    law: float
    friction: float
    force_at: Tuple[str, int]
    constraint_at: Tuple[str, int]
    law_at: Tuple[str, int]
    friction_at: Tuple[str, int]
    stages: int

    @classmethod
    def _read(cls, value: Any) -> "Residual":
        def place(element: str, index: int) -> Tuple[str, int]:
            return ("none", -1) if index == 0xFFFFFFFF else (element, index)
        return cls(value.force, value.constraint, value.law, value.friction, place("body", value.body),
                   place(_ELEMENTS[value.constraint_element], value.constraint_index),
                   place(_ELEMENTS[value.law_element], value.law_index), place("contact", value.friction_body),
                   value.stages)


class EnergyBook(NamedTuple):
    """Where the energy of the moving bodies went, J (docs/step.md, section 11): what is stored, by how much that changed, and
    the work of all that acted, which adds up to the change; ``integrator`` is what the others leave over.

    >>> import affix
    >>> sim = affix.Sim(affix.Model.from_case("pendulum"))
    >>> sim.keeps_energy_book = True
    >>> sim.step()
    >>> book = sim.energy_book
    >>> abs(sum(book[5:]) - book.change) < 1e-12
    True
    """

    kinetic: float
    potential: float
    elastic: float
    springs: float
    change: float
    position_drives: float
    velocity_drives: float
    force_drives: float
    servos: float
    limits: float
    joint_friction: float
    dampers: float
    contact_normal: float
    contact_friction: float
    impacts: float
    holds: float
    wrenches: float
    kinematic: float
    integrator: float

    @classmethod
    def _read(cls, value: Any) -> "EnergyBook":
        return cls(*(getattr(value, name) for name in cls._fields))


class TraceEvent(NamedTuple):
    """What happened in a step (docs/trace.md): words as in the files of ``affix run --trace``. Numbers that are not known
    are NaN, bodies and joints -1."""

    kind: str
    step: int
    time: float
    part: int
    parts: int
    stage: int
    solve: int
    engine: str
    method: str
    island: int
    bodies: int
    rotation: float
    turn: float
    residual: float
    excess: float
    rotation_tolerance: float
    residual_tolerance: float
    changes: Dict[str, int]
    verdict: str
    reason: str
    body: int
    joint: int
    count: int  # type: ignore[assignment]  # hides the method of tuples, which nobody asks an event

    @classmethod
    def _read(cls, value: Any) -> "TraceEvent":
        def index(number: int) -> int:
            return -1 if number == 0xffffffff else int(number)
        changes = {name: getattr(value.changes, name) for name in dir(value.changes)}
        return cls(text(lib.afx_trace_kind_name(value.kind)), value.step, value.time, value.part, value.parts, value.stage,
                   value.solve, text(lib.afx_trace_engine_name(value.engine)),
                   text(lib.afx_trace_method_name(value.method)), index(value.island), value.bodies, value.rotation,
                   value.turn, value.residual, value.excess, value.rotation_tolerance, value.residual_tolerance, changes,
                   text(lib.afx_trace_verdict_name(value.verdict)), text(lib.afx_trace_reason_name(value.reason)),
                   index(value.body), index(value.joint), value.count)


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


def read_shape(model: Any, name: str) -> Tuple[int, ...]:
    """The shape of one sim's result."""
    kind, item = READS[name]
    size = lib.afxi_py_read_size(model, kind)
    if name == "time":
        return ()
    return (size // int(np.prod(item)),) + item if item else (size,)
