# SPDX-License-Identifier: Apache-2.0
"""Geometry of your own beside the bodies, in pages that play a run."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from ._affix import ffi, lib
from ._native import ALLOCATOR, Vector
from .errors import check
from .items import color_number, vec3

__all__ = ["Drawing"]


class Drawing:
    """Lines, arrows, points and texts in the world. :meth:`Recorder.draw` puts them into the frames of a page or trajectory that come
    after it; each method returns the drawing, so that they can be chained.

    >>> import affix, os, tempfile
    >>> sim = affix.Sim(affix.Model.from_case("pendulum"))
    >>> drawing, path = affix.Drawing(), []
    >>> page = os.path.join(tempfile.mkdtemp(), "run.html")
    >>> with sim.record(page) as recorder:
    ...     for _ in range(20):
    ...         path.append(sim.marker("tip").position)
    ...         drawing.clear().path(path, color="#ffaa33").text(path[-1], f"t = {sim.time:.2f} s") and None
    ...         recorder.draw(drawing)
    ...         sim.step(2)
    >>> len(drawing)
    20
    """

    def __init__(self) -> None:
        out = ffi.new("AfxDrawing **")
        check(lib.afx_drawing_create(ffi.new("AfxAllocator *", ALLOCATOR), out))
        self._pointer = ffi.gc(out[0], lib.afx_drawing_destroy)

    def line(self, start: Vector, end: Vector, *, color: Optional[str] = None) -> "Drawing":
        """A line; ``color`` is "#rrggbb", or None: the page chooses."""
        check(lib.afx_drawing_line(self._pointer, vec3(start, "start"), vec3(end, "end"), color_number(color)))
        return self

    def path(self, points: Sequence[Vector], *, color: Optional[str] = None) -> "Drawing":
        """Lines from point to point."""
        for start, end in zip(points, points[1:]):
            self.line(start, end, color=color)
        return self

    def arrow(self, start: Vector, end: Vector, *, color: Optional[str] = None) -> "Drawing":
        """An arrow."""
        check(lib.afx_drawing_arrow(self._pointer, vec3(start, "start"), vec3(end, "end"), color_number(color)))
        return self

    def point(self, at: Vector, *, color: Optional[str] = None) -> "Drawing":
        """A dot."""
        check(lib.afx_drawing_point(self._pointer, vec3(at, "at"), color_number(color)))
        return self

    def text(self, at: Vector, text: Any, *, color: Optional[str] = None) -> "Drawing":
        """A text beside a point."""
        check(lib.afx_drawing_text(self._pointer, vec3(at, "at"), str(text).encode("utf-8"), color_number(color)))
        return self

    def clear(self) -> "Drawing":
        """Takes everything out."""
        check(lib.afx_drawing_clear(self._pointer))
        return self

    def __len__(self) -> int:
        return lib.afx_drawing_count(self._pointer)

    def __repr__(self) -> str:
        return f"<Drawing: {len(self)} items>"
