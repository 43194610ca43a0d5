# SPDX-License-Identifier: Apache-2.0
"""Reading what a run has written: trajectories (HDF5, through h5py) and columns of trajectories and tables."""

from __future__ import annotations

import os
from typing import Any, Dict, Optional, Tuple

import numpy as np

from ._affix import ffi, lib
from ._native import ALLOCATOR, Array, text
from .errors import InputError, NotFoundError, check
from .robot import Name, Names
from .record import hdf5_lock

__all__ = ["Trajectory", "read_table"]


def read_table(path: Any, *columns: str) -> Dict[str, Array]:
    """Columns of a trajectory or a CSV file by their names in docs/output.md; one name can stand for several.

    >>> import affix, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "run.h5")
    >>> sim = affix.Sim(affix.Model.from_case("pendulum"))
    >>> with sim.record(path):
    ...     sim.step(10)
    >>> columns = affix.read_table(path, "time", "body:rod")
    >>> list(columns)
    ['time', 'body:rod.x', 'body:rod.y', 'body:rod.z', 'body:rod.qw', 'body:rod.qx', 'body:rod.qy', 'body:rod.qz']
    >>> columns["time"].shape
    (11,)
    """
    words = [ffi.new("char[]", column.encode()) for column in columns]
    array = ffi.new("char *[]", words)
    allocator, out, error = ffi.new("AfxAllocator *", ALLOCATOR), ffi.new("AfxTable **"), ffi.new("AfxError *")
    with hdf5_lock():
        check(lib.afx_table_read(os.fsencode(path), len(words), ffi.cast("char const * const *", array), allocator, out,
                                 error), error)
    table = ffi.gc(out[0], lib.afx_table_destroy)
    rows, found = lib.afx_table_row_count(table), {}
    for k in range(lib.afx_table_column_count(table)):
        values = np.empty(rows)
        ffi.memmove(ffi.cast("double *", values.ctypes.data), lib.afx_table_column(table, k), values.nbytes)
        found[text(lib.afx_table_name(table, k))] = values
    return found


class Trajectory:
    """A trajectory file. Arrays are read when they are asked for, and then kept; the file is not held open.

    >>> import affix, os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "run.h5")
    >>> sim = affix.Sim(affix.Model.from_case("four-bar"))
    >>> with sim.record(path, "all"):
    ...     sim.step(100)
    >>> run = affix.Trajectory(path)
    >>> run
    <Trajectory: 101 frames to t = 1 s, 3 bodies, 4 joints>
    >>> run.marker("coupler").shape, run.joint(0).shape, run.reaction(2).shape
    ((101, 3), (101,), (101, 6))
    """

    def __init__(self, path: Any) -> None:
        self.path = os.fspath(path)
        self._kept: Dict[str, Array] = {}
        with self._open() as file:
            if file.attrs.get("format") not in ("affix-trajectory", b"affix-trajectory"):
                raise InputError("is no trajectory of Affix", file=self.path)
            self.attributes: Dict[str, Any] = {key: _plain(value) for key, value in file.attrs.items()}
            self._bodies = _names(file, "body", "bodies")
            self._joints = _names(file, "joint", "joints")
            self._drives = _names(file, "actuator", "drives")
            self._markers = _names(file, "marker", "markers")
            first = file["model/joint_first"][:] if "model/joint_first" in file else [0]
            self._joint_first = [int(k) for k in first]
            self.time: Array = file["time"][:]
            self.datasets: Tuple[str, ...] = tuple(key for key in file if key not in ("model", "report")) + tuple(
                f"report/{key}" for key in file.get("report", ()))

    def _open(self) -> Any:
        try:
            import h5py
        except ImportError as cause:
            raise ImportError("reading trajectories needs h5py (Debian: python3-h5py)") from cause
        try:
            return h5py.File(self.path, "r")
        except OSError:
            return h5py.File(self.path, "r", swmr=True)  # one that is being written, or was not finished

    def read(self, dataset: str) -> Array:
        """A dataset by its name in docs/output.md: "poses", "report/residual", ..."""
        if dataset not in self._kept:
            if dataset not in self.datasets:
                raise NotFoundError(f'"{dataset}" was not recorded', file=self.path,
                                    cure="there are " + ", ".join(self.datasets))
            with self._open() as file:
                self._kept[dataset] = file[dataset][:len(self.time)]
        return self._kept[dataset]

    @property
    def title(self) -> str:
        """What ran."""
        return str(self.attributes.get("title", ""))

    @property
    def body_names(self) -> Tuple[str, ...]:
        """In order, "" where there is none."""
        return self._bodies.names

    @property
    def joint_names(self) -> Tuple[str, ...]:
        """In order, "" where there is none."""
        return self._joints.names

    @property
    def poses(self) -> Array:
        """[frames, bodies, 7]."""
        return self.read("poses")

    @property
    def energy(self) -> Array:
        """[frames, 4]: kinetic, potential, elastic, total."""
        return self.read("energy")

    def position(self, body: Name) -> Array:
        """[frames, 3]: of a body's origin."""
        return self.poses[:, self._bodies.index(body), :3]

    def joint(self, joint: Name) -> Array:
        """[frames] or, for several coordinates, [frames, coordinates]."""
        return self._coordinates("joints", joint)

    def rate(self, joint: Name) -> Array:
        """Rates, like :meth:`joint`."""
        return self._coordinates("rates", joint)

    def _coordinates(self, dataset: str, joint: Name) -> Array:
        k = self._joints.index(joint)
        values = self.read(dataset)[:, self._joint_first[k]:self._joint_first[k + 1]]
        return values[:, 0] if values.shape[1] == 1 else values

    def reaction(self, joint: Name) -> Array:
        """[frames, 6]: force and torque on the follower."""
        return self.read("reactions")[:, self._joints.index(joint)]

    def effort(self, actuator: Name) -> Array:
        """[frames]: force or torque of a drive."""
        return self.read("efforts")[:, self._drives.index(actuator)]

    def marker(self, marker: Name) -> Array:
        """[frames, 3]."""
        return self.read("markers")[:, self._markers.index(marker)]

    def plot(self, *columns: str, x: Optional[str] = None, title: Optional[str] = None, log: bool = False) -> Any:
        """A matplotlib figure of columns over time, or over the column ``x``; see :func:`affix.plotting.plot`."""
        from .plotting import plot
        return plot(self.path, *columns, x=x, title=self.title if title is None else title, log=log)

    def __len__(self) -> int:
        return len(self.time)

    def __repr__(self) -> str:
        end = f" to t = {self.time[-1]:g} s" if len(self.time) else ""
        return (f"<Trajectory: {len(self)} frames{end}, {len(self.body_names)} bodies, "
                f"{len(self.joint_names)} joints>")


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value.item() if isinstance(value, np.generic) else value


def _names(file: Any, kind: str, key: str) -> Names:
    names = list(file[f"model/{key}"].asstr()[:]) if f"model/{key}" in file else []
    return Names(kind, len(names), names.__getitem__)
