# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics: postures that bring sites, or points of bodies, where they are wanted.

Damped least squares (Levenberg and Marquardt) on joint coordinates, with loops and couplings as exact constraints, so that
closed chains and mimic joints stay closed. Limits of joints hold by an active set (affix/kinematics.h).

>>> import affix
>>> from affix import ik
>>> arm = affix.Model.from_string('''<mujoco><worldbody><body><joint name="a" axis="0 1 0"/>
...     <geom type="capsule" fromto="0 0 0 1 0 0" size=".05"/><body pos="1 0 0"><joint name="b" axis="0 1 0"/>
...     <geom type="capsule" fromto="0 0 0 1 0 0" size=".05"/><site name="tip" pos="1 0 0"/></body></body></worldbody>
...     </mujoco>''', "mjcf")
>>> found = ik.solve(arm, {"tip": (1.0, 0.0, -1.0)}, start=(0.1, 0.2))
>>> found.converged, found.error < 1e-8
(True, True)
"""

from __future__ import annotations

from typing import Any, List, Mapping, NamedTuple, Sequence, Tuple, Union

import numpy as np

from ._affix import ffi, lib
from ._native import Array, pointer, set_vec3
from .errors import ArgumentError, check
from .model import Model
from .pose import Pose
from .robot import Name
from .sim import Sim

__all__ = ["Result", "Solver", "Target", "fit", "solve"]

_REFUSED = ("a target is not finite, loops cannot be closed, or some of three Cardan angles are fixed and others not")


class Target(NamedTuple):
    """Where a site is wanted: a position, an orientation (w, x, y, z) or both; and what an error of 1 m or 1 rad counts."""

    site: Name
    position: Any = None
    rotation: Any = None
    position_weight: float = 1.0
    rotation_weight: float = 0.3


class Result(NamedTuple):
    """What was found: generalised coordinates, the weighted error that is left (m), how many steps were taken, and whether
    the error is below the tolerance."""

    qpos: Array
    error: float
    iterations: int
    converged: bool


Wanted = Union[Mapping[Any, Any], Sequence[Target]]


class Solver:
    """Inverse kinematics of one model, to be used many times: it keeps a sim of its own."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.sim = Sim(model)
        self._home = self.sim.qpos

    def _targets(self, wanted: Wanted) -> List[Target]:
        if not isinstance(wanted, Mapping):
            return [each if isinstance(each, Target) else Target(*each) for each in wanted]
        found = []
        for site, goal in wanted.items():
            if isinstance(goal, Pose):
                found.append(Target(site, goal.position, goal.rotation))
            else:
                found.append(Target(site, goal))
        return found

    def _definition(self, targets: Sequence[Target], fixed: Sequence[Name], tolerance: float, iterations: int, stay: float,
                    limits: bool) -> Tuple[Any, List[Any]]:
        """The engine's definition, and what must stay alive with it."""
        array = ffi.new("AfxFrameTarget[]", max(len(targets), 1))
        for out, target in zip(array, targets):
            out.site, out.body = self.model._robot.sites.index(target.site), 0xFFFFFFFF
            out.frame.rotation.w = out.target.rotation.w = 1.0
            if target.position is not None:
                set_vec3(out.target.position, target.position)
                out.position_weight = target.position_weight
            if target.rotation is not None:
                w, x, y, z = np.asarray(target.rotation, float) / np.linalg.norm(target.rotation)
                out.target.rotation = {"w": w, "x": x, "y": y, "z": z}
                out.rotation_weight = target.rotation_weight
        locked = np.zeros(max(self.model.nv, 1), dtype=np.bool_)
        for name in fixed:
            locked[self.model.qvel_slice(name)] = True
        definition = ffi.new("AfxReachDef *", lib.afx_default_reach())
        definition.targets, definition.target_count = array, len(targets)
        definition.locked = ffi.cast("_Bool *", locked.ctypes.data)
        definition.tolerance, definition.iterations = tolerance, iterations
        definition.stay, definition.limits = stay, limits
        return definition, [array, locked]

    def _begin(self, start: Any) -> None:
        self.sim.qpos = self._home if start is None else start

    def solve(self, wanted: Wanted, *, start: Any = None, fixed: Sequence[Name] = (), tolerance: float = 1e-9,
              iterations: int = 200, stay: float = 0.0, limits: bool = True) -> Result:
        """A posture, from ``start`` (default: where the model starts). ``wanted`` maps sites to positions or poses, or is a
        sequence of :class:`Target`; coordinates named in ``fixed`` keep their values. ``stay`` is what a move of 1 m or
        1 rad away from the start counts beside the errors."""
        definition, kept = self._definition(self._targets(wanted), fixed, tolerance, iterations, stay, limits)
        self._begin(start)
        report = ffi.new("AfxReachReport *")
        check(lib.afx_sim_inverse_kinematics(self.sim._writable, definition, report), text=_REFUSED)
        del kept
        return Result(self.sim.qpos, report.error, report.iterations, report.converged)

    def fit(self, positions: Mapping[Any, Any], *, start: Any = None, fixed: Sequence[Name] = (), tolerance: float = 1e-9,
            iterations: int = 200, stay: float = 0.0, limits: bool = True) -> Tuple[Array, Array]:
        """As :func:`fit`."""
        paths = [np.asarray(path, float) for path in positions.values()]
        if not paths or len({path.shape for path in paths}) != 1 or paths[0].ndim != 2 or paths[0].shape[1] != 3:
            raise ArgumentError("markers have [frames, 3] positions each, as many frames as the others")
        frames = len(paths[0])
        places = np.ascontiguousarray(np.stack(paths, axis=1))
        targets = [Target(site, (0.0, 0.0, 0.0)) for site in positions]
        definition, kept = self._definition(targets, fixed, tolerance, iterations, stay, limits)
        self._begin(start)
        qpos, reports = np.empty((frames, self.model.nq)), ffi.new("AfxReachReport[]", max(frames, 1))
        check(lib.afx_sim_fit(self.sim._writable, definition, frames, ffi.cast("AfxVec3 *", places.ctypes.data),
                              pointer(qpos), reports), text=_REFUSED)
        del kept
        return qpos, np.array([reports[k].error for k in range(frames)])


def solve(model: Model, wanted: Wanted, **options: Any) -> Result:
    """Inverse kinematics once; see :meth:`Solver.solve`."""
    return Solver(model).solve(wanted, **options)


def fit(model: Model, positions: Mapping[Any, Any], **options: Any) -> Tuple[Array, Array]:
    """Fits all coordinates to markers over time: ``positions`` maps sites to [frames, 3]; every frame starts from the
    last one. Returns qpos [frames, nq] and the distance that is left [frames], the root of the sum of squares. Options are
    those of :meth:`Solver.solve`."""
    return Solver(model).fit(positions, **options)
