# SPDX-License-Identifier: Apache-2.0
"""Many sims of one model, stepped together."""

from __future__ import annotations

import contextlib
import os
import threading
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence

import numpy as np
import numpy.typing as npt

from ._affix import ffi, lib
from ._native import Array, pointer
from .errors import ArgumentError, ClosedError
from .model import Model
from .quantities import BatchQuantities
from .report import READS, read_shape
from .robot import Name
from .sim import Sim, Snapshot

__all__ = ["Batch"]


class Batch(BatchQuantities):
    """``n`` sims of one model with parameters, inputs and states of their own, stepped by one call on ``threads`` threads.

    Results are stacked: ``batch.q`` is [n, bodies, 12]. They are, bit for bit, those of stepping the sims one by one.

    >>> import affix, numpy as np
    >>> model = affix.Model.from_case("pendulum")
    >>> gravity = np.zeros((3, 3)); gravity[:, 2] = [-1.62, -3.71, -9.81]      # Moon, Mars, Earth
    >>> batch = affix.Batch(model, 3, threads=2, params={"gravity": gravity})
    >>> batch.step(50)
    >>> batch.joint_positions.shape
    (3, 1)
    >>> bool((np.diff(batch.joint_positions[:, 0]) > 0).all())                  # the more gravity, the further
    True

    ``params`` maps kinds of parameters to values [n] or [n, numbers], or to a mapping from item to such values:
    ``{"body.mass": {"rod": masses}}``. Other settings are those of :class:`Sim`.
    """

    def __init__(self, model: Model, n: int, *, threads: Optional[int] = None,
                 params: Optional[Mapping[str, Any]] = None, **settings: Any) -> None:
        if n < 1:
            raise ArgumentError(f"a batch has at least one sim, not {n}")
        self.model = model
        self.threads = threads or _cores()
        self._ctrl: Array = np.empty((n, len(model._inputs)))
        self._sims: List[Sim] = [Sim(model, _ctrl=self._ctrl[k], **settings) for k in range(n)]
        # What the engine works with stays alive for the batch, also when one of its sims is closed meanwhile.
        self._kept = [(sim._run, sim._handle) for sim in self._sims]
        self._runs = ffi.new("AfxiPyRun *[]", [run for run, _ in self._kept])
        self._busy = threading.Lock()
        self._left = np.zeros(n, dtype=np.uint64)
        self._stops = np.zeros(n, dtype=np.uint32)
        self._failed = np.zeros(n, dtype=bool)
        for name, values in (params or {}).items():
            for item, its in values.items() if isinstance(values, Mapping) else [(None, values)]:
                self.set_param(name, item, its)

    def __len__(self) -> int:
        return len(self._sims)

    def __getitem__(self, k: int) -> Sim:
        """One of the sims."""
        return self._sims[k]

    def __iter__(self) -> Iterator[Sim]:
        return iter(self._sims)

    def close(self) -> None:
        """Closes all sims."""
        with self._using():
            for sim in self._sims:
                sim.close()
            self._kept = []

    @contextlib.contextmanager
    def _using(self) -> Iterator[None]:
        if not self._busy.acquire(blocking=False):
            raise ClosedError("another thread is using this batch", cure="one batch is for one thread at a time")
        try:
            yield
        finally:
            self._busy.release()

    def __enter__(self) -> "Batch":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Batch: {len(self)} sims on {self.threads} threads of {self.model!r}>"

    def _require(self) -> None:
        if any(sim.closed for sim in self._sims):
            raise ClosedError("a sim of the batch is closed")

    # ---- the step ----

    def step(self, n: int = 1, *, strict: bool = True) -> None:
        """Advances every sim by ``n`` steps, in one call without the interpreter's lock.

        A sim whose step fails keeps its last good state and is marked in ``failed``; it is left out from then on, until
        it is restored. With ``strict``, the first failure is raised after the others have done their steps.
        """
        with self._using():
            self._require()
            self._left[:] = np.where(self._failed, 0, n)
            self._stops[:] = lib.AFXI_PY_DONE
            left = ffi.cast("uint64_t *", self._left.ctypes.data)
            stops = ffi.cast("AfxiPyStop *", self._stops.ctypes.data)
            stopped = 0
            while self._left.any():
                stopped += lib.afxi_py_batch_run(self._runs, len(self._sims), left, stops, self.threads)
            if stopped:
                self._fail(strict)

    def _fail(self, strict: bool) -> None:
        bad = np.flatnonzero(self._stops > lib.AFXI_PY_PAUSED)
        steps = [int(k) for k in bad if self._stops[k] == lib.AFXI_PY_STEP]
        self._failed[steps] = True
        others = [int(k) for k in bad if self._stops[k] != lib.AFXI_PY_STEP]
        if others or strict:
            first = (others or steps)[0]
            failure = self._sims[first]._failure(int(self._stops[first]))
            failure.args = (f"sim {first} of the batch ({bad.size} of {len(self)} stopped): {failure}",)
            failure._message = failure.args[0]  # type: ignore[attr-defined]
            raise failure

    @property
    def failed(self) -> npt.NDArray[np.bool_]:
        """[n]: which sims have failed and stand still."""
        return self._failed.copy()

    def rollout(self, steps: int, *, every: int = 1, record: Sequence[str] = ("joint_positions",),
                ctrl: Any = None, strict: bool = True) -> Dict[str, Array]:
        """Steps and records: arrays [frames, n, ...] of what ``record`` names (see :meth:`Sim.read`), the first frame the
        present state, and "time" [frames, n]. ``ctrl`` [steps // every, n, inputs], or what fits it, is set before
        each stretch of ``every`` steps.

        >>> import affix
        >>> batch = affix.Batch(affix.Model.from_case("t-handle"), 4)
        >>> batch.rollout(100, every=10, record=["energy"])["energy"].shape
        (11, 4, 4)
        """
        frames = steps // every
        inputs = None
        if ctrl is not None:
            inputs = np.broadcast_to(np.asarray(ctrl, dtype=np.float64), (frames,) + self._ctrl.shape)
        out = {}
        for name in dict.fromkeys(["time", *record]):
            first = self.read(name)
            out[name] = np.empty((frames + 1,) + first.shape)
            out[name][0] = first
        for frame in range(1, frames + 1):
            if inputs is not None:
                self._ctrl[:] = inputs[frame - 1]
            self.step(every, strict=strict)
            for name, array in out.items():
                array[frame] = self.read(name)
        return out

    # ---- results, stacked ----

    def read(self, what: str) -> Array:
        """[n, ...]: a stacked copy of what :meth:`Sim.read` gives."""
        self._require()
        if what not in READS:
            raise ArgumentError(f'there is nothing called "{what}" to read', cure="there are " + ", ".join(READS))
        out = np.empty((len(self),) + read_shape(lib.afx_sim_model(self._sims[0]._pointer), what))
        lib.afxi_py_batch_read(self._runs, len(self), READS[what][0], pointer(out))
        return out

    @property
    def time(self) -> Array:
        """[n]."""
        return self.read("time")

    @property
    def q(self) -> Array:
        """[n, bodies, 12]: a copy; ``batch[k].q`` is a view."""
        return self.read("q")

    @property
    def v(self) -> Array:
        """[n, bodies, 12]."""
        return self.read("v")

    @property
    def poses(self) -> Array:
        """[n, bodies, 7]."""
        return self.read("poses")

    @property
    def twists(self) -> Array:
        """[n, bodies, 6]."""
        return self.read("twists")

    @property
    def joint_positions(self) -> Array:
        """[n, coordinates]."""
        return self.read("joint_positions")

    @property
    def joint_rates(self) -> Array:
        """[n, coordinates]."""
        return self.read("joint_rates")

    @property
    def energy(self) -> Array:
        """[n, 4]: kinetic, potential, elastic, total."""
        return self.read("energy")

    # ---- as a robot's file has it ----

    @property
    def qpos(self) -> Array:
        """[n, nq]: generalised coordinates; a copy. Can be set: [n, nq], or one posture for all."""
        self._require()
        return np.stack([sim.qpos for sim in self._sims])

    @qpos.setter
    def qpos(self, value: Any) -> None:
        self.set_qpos(value)

    @property
    def qvel(self) -> Array:
        """[n, nv]: generalised velocities; a copy. Can be set."""
        self._require()
        return np.stack([sim.qvel for sim in self._sims])

    @qvel.setter
    def qvel(self, value: Any) -> None:
        self.set_qpos(None, value)

    def set_qpos(self, qpos: Any = None, qvel: Any = None, *, indices: Optional[Sequence[int]] = None) -> None:
        """Sets generalised coordinates and velocities of all sims, or of those in ``indices``; None keeps them."""
        with self._using():
            self._require()
            which = range(len(self)) if indices is None else [int(k) for k in indices]
            for name, value, size in (("qpos", qpos, self.model.nq), ("qvel", qvel, self.model.nv)):
                if value is not None:
                    rows = np.broadcast_to(np.asarray(value, dtype=np.float64), (len(which), size))
                    for k, row in zip(which, rows):
                        setattr(self._sims[k], name, row)

    def reset(self, keyframe: Optional[Name] = None, *, indices: Optional[Sequence[int]] = None) -> None:
        """Back to the start, or to a keyframe: all sims, or those in ``indices``. Failures are forgotten."""
        with self._using():
            self._require()
            for k in range(len(self)) if indices is None else [int(k) for k in indices]:
                self._sims[k].reset(keyframe)
                self._failed[k] = False

    @property
    def sensordata(self) -> Array:
        """[n, readings] of all sensors."""
        self._require()
        return np.stack([sim.sensordata for sim in self._sims])

    # ---- inputs ----

    @property
    def ctrl(self) -> Array:
        """[n, inputs]: controls, as ``sim.ctrl``; write into it."""
        self._require()
        return self._ctrl

    @ctrl.setter
    def ctrl(self, value: Any) -> None:
        self._require()
        self._ctrl[:] = value

    def set_param(self, name: str, item: Optional[Name], values: Any) -> None:
        """A parameter of one item in each sim: values [n] or [n, numbers], or one value for all."""
        size = self.model._parameter(name).size
        array = np.asarray(values, dtype=np.float64)
        if array.ndim == 1 and size == 1:
            array = array[:, None]
        array = np.broadcast_to(array, (len(self), size))
        for sim, value in zip(self._sims, array):
            sim.set_param(name, item, value)

    # ---- snapshots ----

    def snapshot(self) -> List[Snapshot]:
        """The states of all sims."""
        return [sim.snapshot() for sim in self._sims]

    def restore(self, snapshots: Any, which: Optional[Sequence[int]] = None) -> None:
        """Puts states back: a list of snapshots, or one for all; ``which`` are the sims (all)."""
        chosen = range(len(self)) if which is None else which
        states = [snapshots] * len(chosen) if isinstance(snapshots, Snapshot) else list(snapshots)
        if len(states) != len(chosen):
            raise ArgumentError(f"{len(states)} snapshots for {len(chosen)} sims")
        for k, state in zip(chosen, states):
            self._sims[k].restore(state)
            self._failed[k] = False


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
