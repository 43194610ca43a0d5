# SPDX-License-Identifier: Apache-2.0
"""Exact derivatives of what a sim comes to, by its parameters, its start and its inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, NamedTuple, Optional, Tuple, Union

import numpy as np

from ._affix import ffi, lib
from ._native import Array, numbers, pointer
from .errors import ArgumentError, ClosedError, check

if TYPE_CHECKING:
    from .model import Model
    from .sim import Sim

__all__ = ["Gradient", "GradientReport"]

_AXES = {name: k for k, name in enumerate("xyz")}
_WRENCH = {name: k for k, name in enumerate(("fx", "fy", "fz", "tx", "ty", "tz"))}
_ENERGY = {name: k for k, name in enumerate(("total", "kinetic", "potential", "elastic"))}
_NUMBERS = {str(k): k for k in range(6)}
# word: kind, whose names, components, the one that is meant without
_KINDS: Dict[str, Tuple[int, Optional[str], Dict[str, int], Optional[int]]] = {
    "marker": (lib.AFX_QUANTITY_MARKER, "_markers", _AXES, None),
    "velocity": (lib.AFX_QUANTITY_MARKER_VELOCITY, "_markers", _AXES, None),
    "joint": (lib.AFX_QUANTITY_JOINT, "_joints", _NUMBERS, 0),
    "rate": (lib.AFX_QUANTITY_RATE, "_joints", _NUMBERS, 0),
    "reaction": (lib.AFX_QUANTITY_REACTION, "_joints", _WRENCH, None),
    "effort": (lib.AFX_QUANTITY_EFFORT, "_drives", {}, 0),
    "spring": (lib.AFX_QUANTITY_SPRING, None, {}, 0),
    "energy": (lib.AFX_QUANTITY_ENERGY, None, _ENERGY, 0)}


def refuse_controls(model: "Model") -> None:
    """Controls of a robot's file act by gain, range and activation, and are held over a step: derivatives by targets are
    not those by them."""
    if model._robot.controls.count:
        raise ArgumentError(f"derivatives by controls of a robot's file ({model._robot.controls.names[0]!r}) are not there",
                            cure="take drives with input of a scene (Scene.add_drive), or derivatives by parameters")


class GradientReport(NamedTuple):
    """How good the last pass was."""

    steps: int  #: recorded
    entries: int  #: solves that were differentiated
    residual: float  #: largest that was left of a right-hand side, over its size
    doubtful: int  #: entries with more than 1e-9 left
    branches: int  #: changes of branch between steps


class Gradient:
    """Steps of a sim that are recorded, and derivatives of what they come to.

    >>> import affix
    >>> sim = affix.Sim(affix.Model.from_case("pendulum"), dt=0.01, accuracy="converged")
    >>> with sim.gradient() as g:
    ...     g.step(20)
    ...     g.seed("energy.kinetic")
    ...     g.backward()
    ...     bool(g.param("body.mass")[0] > 0)
    True

    Quantities are written as ``affix grad`` writes them: "marker:tip.z", "joint:elbow", "rate:elbow", "reaction:elbow.fx",
    "effort:motor", "spring:0", "energy", "energy.kinetic". Made by :meth:`affix.Sim.gradient`.
    """

    def __init__(self, sim: "Sim", keep: int = 0, snapshots: int = 64, frames: bool = False) -> None:
        self._handle: Any = None
        self._error = ffi.new("AfxError *")
        definition, out = ffi.new("AfxGradDef *", lib.afx_default_grad()), ffi.new("AfxGrad **")
        if not (0 <= keep < 2**32 and 2 <= snapshots < 2**32):
            raise ArgumentError("keep must be 0 or more, and snapshots at least 2")
        definition.keep, definition.snapshots = keep, snapshots
        definition.frames = bool(frames)
        definition.error = self._error
        check(lib.afx_grad_create(sim._writable, definition, out), self._error)
        self.sim = sim
        self._sim_handle = sim._handle  # it must live as long
        self._handle = out[0]

    # ---- life ----

    @property
    def _pointer(self) -> Any:
        if self._handle is None:
            raise ClosedError("the gradient is closed")
        self.sim._writable  # raises when the sim is closed, or busy
        return self._handle

    def close(self) -> None:
        """Ends recording and frees what was recorded."""
        if self._handle is not None:
            lib.afx_grad_destroy(self._handle)
            self._handle = None

    def __enter__(self) -> "Gradient":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()

    # ---- recording ----

    def step(self, n: int = 1) -> None:
        """Advances the sim by ``n`` steps, with its ``ctrl``, and records them."""
        for _ in range(n):
            grad, sim = self._pointer, self.sim
            for k in np.flatnonzero(sim._ctrl != sim._given):
                value, text = float(sim._ctrl[k]), f"the target {sim._ctrl[k]!r} is not finite"
                if sim.model._robot.controls.count:  # by its gain, range and activation, as Sim.step has it
                    check(lib.afx_sim_set_control(sim._raw, int(k), value), text=text)
                else:
                    check(lib.afx_sim_set_drive_target(sim._raw, int(sim.model._inputs[k]), value, 0.0), text=text)
                sim._given[k] = sim._ctrl[k]
            check(lib.afx_grad_step(grad, ffi.addressof(sim._run.report)), self._error)

    @property
    def steps(self) -> int:
        """Number of steps that were recorded."""
        return int(lib.afx_grad_steps(self._pointer))

    # ---- objectives ----

    def _quantity(self, name: str) -> Any:
        word, _, rest = name.partition(":")
        component: Optional[str] = None
        if not rest:
            word, _, tail = word.partition(".")
            component = tail or None
        if word not in _KINDS:
            raise ArgumentError(f"there is no quantity {name!r}", cure="one of " + ", ".join(_KINDS))
        kind, owner, components, default = _KINDS[word]
        index = 0
        if word == "spring":
            index = int(rest) if rest.isdigit() else 2**32 - 1
        elif owner:
            names = getattr(self.sim.model, owner)
            known = list(names.names)
            head, _, tail = rest.rpartition(".")
            if rest in known:
                index = known.index(rest)
            elif rest.isdigit():
                index = int(rest)
            elif head in known or head.isdigit():
                index, component = (known.index(head) if head in known else int(head)), tail
            else:
                raise ArgumentError(f"there is no {word} {rest!r}", cure="one of " + ", ".join(filter(None, known)))
        number = default if component is None else components.get(component)
        if number is None:
            raise ArgumentError(f"which component of {name!r}?", cure="one of " + ", ".join(components))
        return ffi.new("AfxQuantity *", (kind, index, number))[0]

    def value(self, quantity: str) -> float:
        """A quantity in the present state."""
        out = ffi.new("double *")
        check(lib.afx_grad_value(self._pointer, self._quantity(quantity), out), text=f"there is no {quantity!r}")
        return float(out[0])

    def seed(self, quantity: Union[str, None] = None, weight: float = 1.0, *, q: Any = None, v: Any = None) -> None:
        """Adds ``weight`` times a quantity, as it is now, to the objective; or an objective of your own by its
        derivatives with respect to ``sim.q`` and ``sim.v``."""
        if quantity is not None:
            check(lib.afx_grad_seed(self._pointer, self._quantity(quantity), weight), text=f"there is no {quantity!r}")
        if q is not None or v is not None:
            size = 12 * self.sim.model._bodies.count
            arrays = [None if a is None else numbers(a, size, "q and v") for a in (q, v)]
            check(lib.afx_grad_seed_state(self._pointer, *(ffi.NULL if a is None else pointer(a) for a in arrays)))

    def clear(self) -> None:
        """Forgets the objective; recorded steps stay."""
        lib.afx_grad_clear(self._pointer)

    # ---- passes ----

    def backward(self) -> None:
        """Derivatives of the objective by everything."""
        check(lib.afx_grad_backward(self._pointer), self._error)

    @staticmethod
    def _copy(block: Any, shape: Tuple[int, ...]) -> Array:
        if block == ffi.NULL:
            raise ClosedError("there was no backward pass", cure="call backward first")
        out: Array = np.empty(shape)
        ffi.memmove(pointer(out), block, out.nbytes)
        return out

    def param(self, name: str) -> Array:
        """By a kind of parameters, as :meth:`affix.Model.parameter` has them."""
        model = self.sim.model
        row, info = model._parameter(name), ffi.new("AfxParamInfo *")
        check(lib.afx_model_param_info(model._pointer, row.kind, info))
        block = lib.afx_grad_params(self._pointer)
        values = self._copy(block if block == ffi.NULL else block + info.offset, (row.items, row.size))
        return values[:, 0] if row.size == 1 else values

    @property
    def frames(self) -> Array:
        """By the frames of joints, [joints, 2, 6]: on the base, then on the follower, by a small turn of the axes (rad) and
        a shift of the origin (m), both along the axes of the body. The gradient must have been made with
        ``frames=True``."""
        if lib.afx_grad_params(self._pointer) != ffi.NULL and lib.afx_grad_frames(self._pointer) == ffi.NULL:
            raise ClosedError("frames were not asked for", cure="make the gradient with frames=True")
        return self._copy(lib.afx_grad_frames(self._pointer), (self.sim.model._joints.count, 2, 6))

    @property
    def start(self) -> Tuple[Array, Array]:
        """By raw coordinates and velocities where recording began, [bodies, 12] each."""
        q, v = ffi.new("double **"), ffi.new("double **")
        shape = (self.sim.model._bodies.count, 12)
        found = lib.afx_grad_state(self._pointer, ffi.cast("const double **", q), ffi.cast("const double **", v))
        none = found != lib.AFX_OK
        return self._copy(ffi.NULL if none else q[0], shape), self._copy(ffi.NULL if none else v[0], shape)

    def inputs(self, step: int) -> Array:
        """By ``ctrl`` before step ``step`` (from 0), an actuator with input each. Not for robots whose file has controls."""
        model = self.sim.model
        refuse_controls(model)
        both = self._copy(lib.afx_grad_inputs(self._pointer, step), (model._drives.count, 2))
        return both[model._inputs, 0]

    def jacobian(self, states: bool = True) -> Tuple[Array, Array]:
        """The last step as a linear map: A [24 bodies, 24 bodies] of raw q and v, and B [24 bodies, actuators with input]
        by targets, which has no columns for robots whose file has controls. Without ``states``, A is empty, which takes
        far less time."""
        model = self.sim.model
        n, drives = 24 * model._bodies.count, model._drives.count
        a: Array = np.empty((n, n) if states else (0, 0))
        b: Array = np.empty((n, 2 * drives))
        check(lib.afx_grad_jacobian(self._pointer, pointer(a) if states else ffi.NULL, pointer(b)),
              text="no step was recorded", cure="call step first")
        inputs = model._inputs[:0] if model._robot.controls.count else model._inputs
        return a, b[:, 2 * inputs.astype(np.int64)]

    @property
    def report(self) -> GradientReport:
        """How good the last pass was."""
        out = ffi.new("AfxGradReport *")
        check(lib.afx_grad_report(self._pointer, out))
        return GradientReport(out.steps, out.entries, out.residual, out.doubtful, out.branches)
