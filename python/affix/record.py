# SPDX-License-Identifier: Apache-2.0
"""Recording a sim to a file while it is stepped."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
import weakref
from typing import TYPE_CHECKING, Any, ContextManager, Dict, List, Optional

from ._affix import ffi, lib
from ._native import ALLOCATOR, fill
from .errors import ArgumentError, ClosedError, check
from .run import from_run

if TYPE_CHECKING:
    from .drawing import Drawing
    from .sim import Sim

__all__ = ["Recorder"]

_KINDS = {".h5": "hdf5", ".hdf5": "hdf5", ".csv": "csv", ".glb": "gltf", ".pvd": "vtk",
          ".html": "html", ".live": "live"}
_own_lock = threading.RLock()


@contextlib.contextmanager
def _both(theirs: Any) -> Any:
    with theirs, _own_lock:
        yield


def hdf5_lock() -> ContextManager[Any]:
    """HDF5 is for one thread at a time. h5py keeps a lock of its own for that, which is taken too where h5py is there."""
    objects = sys.modules.get("h5py._objects")
    if objects is None:
        return _own_lock
    return _both(objects.phil)


class Recorder:
    """An open file that takes the frames of a sim; made by :meth:`Sim.record`. Use it with ``with``, or close it."""

    def __init__(self, sim: "Sim", path: str, what: Optional[str], every: int, options: Dict[str, Any]) -> None:
        self._output: Any = None
        ending = os.path.splitext(path)[1].lower()
        kind = options.pop("kind", _KINDS.get(ending))
        if kind is None:
            raise ArgumentError(f'"{path}" has no ending that says what to write', cure="use " + ", ".join(_KINDS))
        keep: List[Any] = []
        scene, raw = sim.model._unchanged_scene(), sim._writable
        kinds = {"hdf5": lib.AFX_OUTPUT_HDF5, "csv": lib.AFX_OUTPUT_CSV, "gltf": lib.AFX_OUTPUT_GLTF,
                 "vtk": lib.AFX_OUTPUT_VTK, "html": lib.AFX_OUTPUT_HTML, "live": lib.AFX_OUTPUT_LIVE}
        definition = ffi.new("AfxOutputDef *", lib.afx_default_output(kinds[kind]))
        definition.allocator = ALLOCATOR
        fill(definition, keep, path=path, what=what, every=every, **options)
        definition.run = asked = from_run(sim.model.run, raw)  # kept in trajectories, with the scene
        keep.append(asked)
        out, error = ffi.new("AfxOutput **"), ffi.new("AfxError *")
        check(lib.afx_sim_start_reactions(raw))  # of the first frame
        with hdf5_lock():
            check(lib.afx_output_create(definition, scene._pointer, raw, out, error), error)
        self.path, self._output, self._sim = path, out[0], weakref.ref(sim)
        sim._recorders.append(self)
        _attach(sim)

    @property
    def frames(self) -> int:
        """Frames so far, the first one included."""
        if self._output is None:
            raise ClosedError("the recorder is closed")
        return lib.afx_output_frames(self._output)

    def draw(self, drawing: "Optional[Drawing]") -> None:
        """What frames from now on show beside the bodies, until the next call; None: nothing. The drawing is copied.
        Pages (.html) and trajectories (.h5) hold it, other files leave it out."""
        if self._output is None:
            raise ClosedError("the recorder is closed")
        error = ffi.new("AfxError *")
        check(lib.afx_output_draw(self._output, ffi.NULL if drawing is None else drawing._pointer, error), error)

    def close(self) -> None:
        """Finishes the file. Raises when it could not be written."""
        if self._output is None:
            return
        sim = self._sim()
        if sim is not None and not sim.closed:
            sim._writable
            sim._recorders.remove(self)
            _attach(sim)
        output, self._output = self._output, None
        error = ffi.new("AfxError *")
        with hdf5_lock():
            check(lib.afx_output_close(output, error), error)

    def __enter__(self) -> "Recorder":
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.close()
        else:  # the first error is the one to be seen
            with contextlib.suppress(Exception):
                self.close()

    def __del__(self) -> None:
        if getattr(self, "_output", None) is not None:
            with contextlib.suppress(Exception), hdf5_lock():
                lib.afx_output_close(self._output, ffi.NULL)


def _attach(sim: "Sim") -> None:
    """Tells the sim's run which outputs there are."""
    outputs = ffi.new("AfxOutput *[]", [recorder._output for recorder in sim._recorders])
    sim._run.outputs, sim._run.output_count = outputs, len(sim._recorders)
    sim._outputs = outputs  # type: ignore[attr-defined]
