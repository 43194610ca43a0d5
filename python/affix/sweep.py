# SPDX-License-Identifier: Apache-2.0
"""Parameter studies: many runs of one scene with other parameters, by the engine's own threads or by workers of yours.

A study is a file (docs/sweeps.md) or a dictionary with the same members:

>>> import affix, tempfile
>>> study = {"affix_sweep": 1, "scene": "pendulum", "run": {"dt": 0.01, "time": 0.2}, "design": "grid",
...          "vary": [{"param": "gravity.z", "from": -10, "to": -5, "count": 3}], "record": ["marker:tip.z"]}
>>> with tempfile.TemporaryDirectory() as folder:
...     table = affix.sweep.run(study, folder, jobs=2)
>>> table["gravity.z"]
array([-10. ,  -7.5,  -5. ])
>>> bool((table["marker:tip.z"] < 0).all()), table.failed
(True, 0)
"""

from __future__ import annotations

import csv
import json
import os
import threading
from pathlib import Path
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._affix import ffi, lib
from ._native import Array, pointer, text
from .batch import Batch
from .errors import ArgumentError, check
from .model import Model

__all__ = ["Evaluation", "Study", "Table", "evaluate", "map", "read", "rollout", "run"]

Source = Union[str, "os.PathLike[str]", Mapping[str, Any]]


class Table(Mapping[str, Any]):
    """The runs of a sweep: columns by name, ``runs.csv`` of the folder. Numbers are float64 arrays; ``id``, ``status``,
    ``state_hash`` and ``reason`` lists of texts."""

    _TEXTS = ("id", "status", "state_hash", "reason")

    def __init__(self, names: Sequence[str], columns: Sequence[Any]) -> None:
        self._columns: Dict[str, Any] = dict(zip(names, columns))

    def __getitem__(self, name: str) -> Any:
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    @property
    def runs(self) -> int:
        """Number of runs."""
        return len(self._columns["status"])

    @property
    def failed(self) -> int:
        """Runs whose status is not "ok"."""
        return sum(status != "ok" for status in self._columns["status"])

    def best(self) -> Dict[str, Any]:
        """The run with the smallest objective, as a dictionary."""
        row = int(np.nanargmin(self._columns["objective"]))
        return {name: column[row] for name, column in self._columns.items()}

    def __repr__(self) -> str:
        return f"<Table: {self.runs} runs, {self.failed} failed, {len(self)} columns>"


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return float("nan")


def read(folder: Any) -> Table:
    """The table of a sweep that is done."""
    with open(Path(folder) / "runs.csv", newline="", encoding="utf-8") as file:
        lines = list(csv.reader(file))
    names, rows = lines[0], lines[1:]
    columns: List[Any] = []
    for name, cells in zip(names, zip(*rows) if rows else [()] * len(names)):
        numeric = name not in Table._TEXTS and all(_is_number(cell) for cell in cells[:1])
        columns.append(np.array([_number(cell) for cell in cells]) if numeric else list(cells))
    return Table(names, columns)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
        return True
    except ValueError:
        return False


def _source(study: Source, folder: str = ".") -> Tuple[str, Optional[str]]:
    """Path and text for the engine: a dictionary is its text, with the present folder for relative paths."""
    if isinstance(study, Mapping):
        return os.path.join(folder, "study"), json.dumps(dict(study))
    return os.fspath(study), None


def run(study: Source, out: Any, *, jobs: Optional[int] = None, resume: bool = False, scene: Optional[str] = None,
        merge: bool = False, hdf5: bool = True, replays: int = 0) -> Table:
    """Does a whole study with ``jobs`` threads (all cores) and writes its files into the folder ``out``, like
    ``affix sweep``. Runs that fail are rows with their status. Ctrl-C keeps what is done, for ``resume=True``."""
    path, content = _source(study)
    definition = ffi.new("AfxiSweepDef *", lib.afxi_default_sweep())
    kept = [ffi.new("char[]", part.encode()) for part in (path, os.fspath(out))]
    definition.path, definition.folder = kept
    if content is not None:
        kept.append(ffi.new("char[]", content.encode()))
        definition.text = kept[-1]
    if scene is not None:
        kept.append(ffi.new("char[]", os.fspath(scene).encode()))
        definition.scene = kept[-1]
    stop = ffi.new("int32_t *")
    definition.stop = stop
    definition.jobs = jobs or len(os.sched_getaffinity(0))
    definition.resume, definition.merge, definition.hdf5, definition.replays = resume, merge, hdf5, replays
    outcome, error = ffi.new("AfxiSweepOutcome *"), ffi.new("AfxError *")
    status: List[int] = []
    worker = threading.Thread(target=lambda: status.append(lib.afxi_sweep_study(definition, outcome, error)))
    worker.start()
    try:
        while worker.is_alive():
            worker.join(0.1)
    except BaseException:
        stop[0] = 1  # the runs at work are finished and kept
        worker.join()
        raise
    check(status[0], error)
    return read(out)


class Evaluation(NamedTuple):
    """A run: its values by name, the hash of its last state (as of ``affix run --json``), and why it failed."""

    values: Dict[str, float]
    state_hash: str
    status: str
    reason: str


class Study:
    """A study whose runs are done here, one at a time. It can be pickled, so that processes of Ray, Dask or
    ``concurrent.futures`` get it; each of them compiles the scene once.

    >>> import affix
    >>> study = affix.sweep.Study({"affix_sweep": 1, "scene": "pendulum", "run": {"steps": 10}, "record": ["time"],
    ...                            "vary": [{"param": "body.mass:rod", "values": [1, -1]}]})
    >>> len(study), study.parameters, study.values
    (2, ('body.mass:rod',), ('time',))
    >>> study(study.point(0)).values
    {'time': 0.1}
    >>> study(study.point(1)).reason
    'body.mass:rod: -1 is not allowed'
    """

    def __init__(self, study: Source, *, scene: Optional[str] = None, folder: str = ".") -> None:
        """``folder`` is where relative paths in a dictionary begin."""
        path, content = _source(study, folder)
        self._open(path, content, scene)
        # For other processes, which may be in other folders.
        file = scene is not None and os.path.exists(scene)
        self._given = (os.path.abspath(path), content, os.path.abspath(scene) if file and scene is not None else scene)

    def _open(self, path: str, content: Optional[str], scene: Optional[str]) -> None:
        kept = [ffi.NULL if part is None else ffi.new("char[]", os.fspath(part).encode()) for part in (path, content, scene)]
        out, error = ffi.new("AfxiStudy **"), ffi.new("AfxError *")
        check(lib.afxi_study_open(*kept, out, error), error)
        self._study, worker = out[0], ffi.new("AfxiWorker **")
        status = lib.afxi_worker_create(self._study, worker, error)
        if status != lib.AFX_OK:
            lib.afxi_study_close(self._study)
            check(status, error)
        # one destructor for both: when the interpreter ends, those of two objects are called in any order
        self._worker = ffi.gc(worker[0], lambda own, study=out[0]: (lib.afxi_worker_destroy(own), lib.afxi_study_close(study)))
        self._busy = threading.Lock()
        count, values = lib.afxi_study_vary_count(self._study), lib.afxi_study_value_count(self._study)
        self.parameters = tuple(text(lib.afxi_study_vary_name(self._study, k)) for k in range(count))
        self.values = tuple(text(lib.afxi_study_value_name(self._study, k)) for k in range(values))

    def __getstate__(self) -> Any:
        return self._given

    def __setstate__(self, state: Any) -> None:
        self._given = state
        self._open(*state)

    def __len__(self) -> int:
        return int(lib.afxi_study_run_count(self._study))

    def point(self, k: int) -> Array:
        """The parameters of run ``k`` of the design."""
        point = np.empty(len(self.parameters))
        if lib.afxi_study_point(self._study, k, pointer(point)) != lib.AFX_OK:
            raise ArgumentError(f"there is no run {k}: the design has {len(self)}")
        return point

    def __call__(self, point: Any) -> Evaluation:
        """One run with these parameters, in the order of ``parameters``. What fails is in the result."""
        point = np.ascontiguousarray(point, dtype=np.float64)
        if point.shape != (len(self.parameters),):
            raise ArgumentError(f"a point has {len(self.parameters)} numbers, not {point.shape}")
        values, state, error = np.empty(len(self.values)), ffi.new("uint64_t *"), ffi.new("AfxError *")
        with self._busy:
            status = lib.afxi_worker_evaluate(self._worker, pointer(point), pointer(values), state, error)
        good = status == lib.AFX_OK
        return Evaluation(dict(zip(self.values, values.tolist())), f"{state[0]:016x}",
                          "ok" if good else text(lib.afx_status_name(status)), "" if good else text(error.text))


_studies: Dict[Any, Study] = {}


def evaluate(study: Source, points: Any, scene: Optional[str] = None, folder: str = ".") -> List[Evaluation]:
    """Runs of several points, for workers that are processes: a study is opened once in each process. ``folder`` is where
    relative paths in a dictionary begin: processes of others may be in another one than yours."""
    key = (json.dumps(study, sort_keys=True) if isinstance(study, Mapping) else os.path.abspath(study), scene, folder)
    if key not in _studies:
        _studies[key] = Study(study, scene=scene, folder=folder)
    return [_studies[key](point) for point in points]


def map(study: Source, executor: Any, points: Any = None, *, chunk: int = 16,
        scene: Optional[str] = None) -> List[Evaluation]:
    """All runs of a study, or those of ``points``, on an executor with ``submit`` (``ProcessPoolExecutor``, a client of
    Dask): the results in the order of the points."""
    if points is None:
        opened = Study(study, scene=scene)
        points = [opened.point(k) for k in range(len(opened))]
    points = [np.asarray(point, dtype=np.float64) for point in points]
    study = study if isinstance(study, Mapping) else os.path.abspath(study)
    scene = os.path.abspath(scene) if scene is not None and os.path.exists(scene) else scene
    futures = [executor.submit(evaluate, study, points[k:k + chunk], scene, os.getcwd())
               for k in range(0, len(points), chunk)]
    return [one for future in futures for one in future.result()]


def rollout(model: Model, initial_state: Any = None, control: Any = None, *, nstep: Optional[int] = None,
            nroll: Optional[int] = None, sensors: Sequence[str] = ("joint_positions", "joint_rates"),
            threads: Optional[int] = None, **settings: Any) -> Tuple[Array, Array]:
    """Open-loop rollouts, shaped like ``mujoco.rollout.rollout``: ``state`` [nroll, nstep, nstate] and ``sensordata``
    [nroll, nstep, nsensor] after each step.

    A state is (time, q, v): 1 + 24 numbers for each body (:attr:`Sim.q`, :attr:`Sim.v`); the time of an initial state is
    not used. ``initial_state`` is [nstate], [nroll, nstate] or None (the model's start); ``control`` [nstep, inputs],
    [nroll, nstep, inputs] or None. ``sensors`` are names that :meth:`Sim.read` takes. Runs that fail hold their last
    state. Settings are those of :class:`Sim`.

    >>> import affix, numpy as np
    >>> state, sensordata = affix.sweep.rollout(affix.Model.from_case("pendulum"), nroll=3, nstep=20)
    >>> state.shape, sensordata.shape
    ((3, 20, 25), (3, 20, 2))
    """
    start = None if initial_state is None else np.atleast_2d(np.asarray(initial_state, dtype=np.float64))
    inputs = None if control is None else np.asarray(control, dtype=np.float64)
    inputs = inputs[None] if inputs is not None and inputs.ndim == 2 else inputs
    counts = {array.shape[0] for array in (start, inputs) if array is not None and array.shape[0] != 1}
    if len(counts | ({nroll} if nroll else set())) > 1:
        raise ArgumentError("initial_state, control and nroll disagree about the number of rollouts")
    n = nroll or (counts.pop() if counts else 1)
    steps = nstep if nstep is not None else (inputs.shape[1] if inputs is not None else 1)
    with Batch(model, n, threads=threads, **settings) as batch:
        bodies = batch[0].q.size
        if start is not None:
            if start.shape[1] != 1 + 2 * bodies:
                raise ArgumentError(f"a state has {1 + 2 * bodies} numbers, not {start.shape[1]}")
            for k in range(n):
                row = start[k if len(start) > 1 else 0]
                batch[k].set_state(q=row[1:1 + bodies].reshape(-1, 12), v=row[1 + bodies:].reshape(-1, 12))
        state = np.empty((n, steps, 1 + 2 * bodies))
        sensed: List[npt.NDArray[np.float64]] = []
        for k in range(steps):
            if inputs is not None:
                batch.ctrl = inputs[:, min(k, inputs.shape[1] - 1)]
            batch.step(strict=False)
            state[:, k, 0] = batch.time
            state[:, k, 1:1 + bodies] = batch.q.reshape(n, -1)
            state[:, k, 1 + bodies:] = batch.v.reshape(n, -1)
            sensed.append(np.concatenate([batch.read(name).reshape(n, -1) for name in sensors], axis=1))
    return state, np.stack(sensed, axis=1) if sensed else np.empty((n, 0, 0))
