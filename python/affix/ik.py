# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics: postures that bring sites, or points of bodies, where they are wanted.

Damped least squares (Levenberg and Marquardt) on the velocities that the mechanism allows: a column of the Jacobian is
what a unit generalised velocity moves, projected onto the exact constraints where there are loops or couplings, so that
closed chains, mimic joints and tendons stay closed. Limits of joints hold by an active set.

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

from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from ._affix import ffi, lib
from ._native import Array, pointer
from .errors import ArgumentError, check
from .model import Model
from .pose import Pose
from .robot import Name
from .sim import Sim

__all__ = ["Result", "Solver", "Target", "fit", "solve"]

# Damping: of the first step, its bounds, and by how much it changes when a step was good or bad.
_FIRST, _LEAST, _MOST, _BETTER, _WORSE = 1e-3, 1e-12, 1e6, 0.25, 6.0
# A step turns no coordinate by more, rad or m: beyond, a Jacobian says little.
_STRIDE = 0.5


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


def _rotation_vector(wanted: Array, now: Array) -> Array:
    """The turn in the world that takes one orientation to another."""
    w1, v1, w2, v2 = wanted[0], wanted[1:], now[0], -now[1:]
    w, v = w1 * w2 - v1 @ v2, w1 * v2 + w2 * v1 + np.cross(v1, v2)
    w, v = (w, v) if w >= 0 else (-w, -v)
    size = float(np.linalg.norm(v))
    return v * (2 * np.arctan2(size, w) / size if size > 1e-300 else 2.0)


class Solver:
    """Inverse kinematics of one model, to be used many times: it keeps a sim of its own. ``closed`` says whether there are
    loops or couplings to keep (default: found out)."""

    def __init__(self, model: Model, *, closed: Optional[bool] = None) -> None:
        self.model = model
        self.sim = Sim(model)
        self.range = model.qpos_range
        self.closed = bool(model.closed_kinematics if closed is None else closed)
        self._pose, self._twist = ffi.new("AfxPose *"), ffi.new("AfxTwist *")

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

    def _errors(self, targets: Sequence[Target], sites: Sequence[int]) -> Array:
        rows: List[Array] = []
        for target, site in zip(targets, sites):
            check(lib.afx_sim_site(self.sim._pointer, site, self._pose, ffi.NULL))
            p, q = self._pose.position, self._pose.rotation
            if target.position is not None:
                rows.append(target.position_weight * (np.asarray(target.position, float) - (p.x, p.y, p.z)))
            if target.rotation is not None:
                goal = np.asarray(target.rotation, float) / np.linalg.norm(target.rotation)
                rows.append(target.rotation_weight * _rotation_vector(goal, np.array((q.w, q.x, q.y, q.z))))
        return np.concatenate(rows) if rows else np.zeros(0)

    def _rates(self, targets: Sequence[Target], sites: Sequence[int]) -> Array:
        rows: List[Any] = []
        for target, site in zip(targets, sites):
            check(lib.afx_sim_site(self.sim._pointer, site, ffi.NULL, self._twist))
            v, w = self._twist.linear, self._twist.angular
            if target.position is not None:
                rows += [target.position_weight * x for x in (v.x, v.y, v.z)]
            if target.rotation is not None:
                rows += [target.rotation_weight * x for x in (w.x, w.y, w.z)]
        return np.array(rows)

    def _jacobian(self, targets: Sequence[Target], sites: Sequence[int], free: Array) -> Tuple[Array, Array]:
        """What each allowed velocity does to the targets, and the generalised velocities themselves, by columns."""
        nv = self.model.nv
        columns, moves = [], []
        for k in np.flatnonzero(free):
            unit = np.zeros(nv)
            unit[k] = 1.0
            check(lib.afx_sim_set_qvel(self.sim._pointer, pointer(unit)))
            if self.closed:
                lib.afx_sim_assemble(self.sim._pointer, ffi.NULL)
                check(lib.afx_sim_qvel(self.sim._pointer, pointer(unit)))
            columns.append(self._rates(targets, sites))
            moves.append(unit)
        still = np.zeros(nv)
        check(lib.afx_sim_set_qvel(self.sim._pointer, pointer(still)))
        return np.array(columns).T, np.array(moves).T

    def _moved(self, qpos: Array, move: Array) -> Array:
        """qpos after generalised velocities for a second, quaternions turned about the body's axes; within limits."""
        out = qpos.copy()
        for places, rates in self.model._robot.slices:
            size, step = places.stop - places.start, move[rates]
            if size == 1:
                out[places] += step
            else:
                first = places.start + (3 if size == 7 else 0)
                if size == 7:
                    out[places.start:first] += step[:3]
                w = step[-3:]
                angle = float(np.linalg.norm(w))
                v = w * (np.sin(angle / 2) / angle if angle > 1e-12 else 0.5)
                a, b = out[first], out[first + 1:first + 4].copy()
                out[first] = a * np.cos(angle / 2) - b @ v
                out[first + 1:first + 4] = a * v + np.cos(angle / 2) * b + np.cross(b, v)
                out[first:first + 4] /= np.linalg.norm(out[first:first + 4])
        return np.clip(out, self.range[:, 0], self.range[:, 1])

    def _put(self, qpos: Array) -> Array:
        check(lib.afx_sim_set_qpos(self.sim._pointer, pointer(qpos)), text="qpos is not finite, or a quaternion is 0")
        if not self.closed:
            return qpos
        lib.afx_sim_assemble(self.sim._pointer, ffi.NULL)
        return self.sim.qpos

    def _at_limits(self, qpos: Array, gradient: Array) -> Array:
        """Velocities that a limit forbids: the coordinate is at it, and would be pushed on."""
        blocked = np.zeros(self.model.nv, dtype=bool)
        for places, rates in self.model._robot.slices:
            if places.stop - places.start == 1:
                q, (low, high), push = qpos[places.start], self.range[places.start], gradient[rates.start]
                blocked[rates.start] = (q <= low + 1e-12 and push < 0) or (q >= high - 1e-12 and push > 0)
        return blocked

    def _step(self, jacobian: Array, moves: Array, error: Array, damping: float) -> Array:
        normal = jacobian.T @ jacobian
        scale = max(float(np.trace(normal)) / max(len(normal), 1), 1e-12)
        move = moves @ np.linalg.solve(normal + damping * scale * np.eye(len(normal)), jacobian.T @ error)
        longest = float(np.abs(move).max(initial=0.0))
        return move * min(1.0, _STRIDE / longest) if longest > 0 else move

    def solve(self, wanted: Wanted, *, start: Any = None, fixed: Sequence[Name] = (), tolerance: float = 1e-9,
              iterations: int = 200) -> Result:
        """A posture, from ``start`` (default: where the model starts). ``wanted`` maps sites to positions or poses, or is a
        sequence of :class:`Target`; coordinates named in ``fixed`` keep their values."""
        model = self.model
        targets = self._targets(wanted)
        sites = [model._robot.sites.index(target.site) for target in targets]
        movable = np.ones(model.nv, dtype=bool)
        for name in fixed:
            movable[model.qvel_slice(name)] = False
        if start is None:
            self.sim.reset()
        qpos = self._put(self._moved(self.sim.qpos if start is None else np.array(start, dtype=float), np.zeros(model.nv)))
        error, damping, count = self._errors(targets, sites), _FIRST, 0
        while count < iterations and float(np.linalg.norm(error)) > tolerance and damping < _MOST:
            jacobian, moves = self._jacobian(targets, sites, movable)
            if jacobian.size == 0:
                break
            gradient = np.zeros(model.nv)
            gradient[np.flatnonzero(movable)] = jacobian.T @ error
            free = ~self._at_limits(qpos, gradient)[np.flatnonzero(movable)]
            if not free.any():
                break
            better = False
            while not better and damping < _MOST and count < iterations:
                count += 1
                tried = self._put(self._moved(qpos, self._step(jacobian[:, free], moves[:, free], error, damping)))
                left = self._errors(targets, sites)
                better = float(left @ left) < float(error @ error)
                damping = max(damping * _BETTER, _LEAST) if better else damping * _WORSE
                if better:
                    gained = float(error @ error) - float(left @ left)
                    qpos, error = tried, left
                    if gained < 1e-15 * float(error @ error):
                        damping = _MOST
        size = float(np.linalg.norm(error))
        return Result(self._put(qpos).copy(), size, count, size <= tolerance)


def solve(model: Model, wanted: Wanted, **options: Any) -> Result:
    """Inverse kinematics once; see :meth:`Solver.solve`."""
    return Solver(model).solve(wanted, **options)


def fit(model: Model, positions: Mapping[Any, Any], *, start: Any = None, **options: Any) -> Tuple[Array, Array]:
    """Fits all coordinates to markers over time: ``positions`` maps sites to [frames, 3]; every frame starts from the
    last one. Returns qpos [frames, nq] and the distance that is left [frames], the root of the sum of squares."""
    paths: Dict[Any, Array] = {site: np.asarray(path, float) for site, path in positions.items()}
    counts = {path.shape for path in paths.values()}
    if len(counts) != 1 or len(next(iter(counts))) != 2:
        raise ArgumentError("markers have [frames, 3] positions each, as many frames as the others")
    solver, found, left = Solver(model), [], []
    for frame in range(next(iter(counts))[0]):
        one = solver.solve([Target(site, path[frame]) for site, path in paths.items()], start=start, **options)
        start = one.qpos
        found.append(one.qpos)
        left.append(one.error)
    return np.array(found), np.array(left)
