# SPDX-License-Identifier: Apache-2.0
"""Rays against the shapes of a sim: range finders, lines of sight, picking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from ._affix import ffi, lib
from ._native import ALLOCATOR, Array
from .errors import ArgumentError, check

if TYPE_CHECKING:
    from .model import Model
    from .sim import Sim

__all__ = ["Caster", "RayHits"]

_RAY = np.dtype({"names": ["from", "direction", "reach", "skip"], "formats": ["3f8", "3f8", "f8", "u4"],
                 "offsets": [ffi.offsetof("AfxRay", field) for field in ("from", "direction", "reach", "skip")],
                 "itemsize": ffi.sizeof("AfxRay")})
_HIT = np.dtype({"names": ["distance", "body", "shape", "point", "normal"], "formats": ["f8", "u4", "u4", "3f8", "3f8"],
                 "offsets": [ffi.offsetof("AfxRayHit", field) for field in ("distance", "body", "shape", "point", "normal")],
                 "itemsize": ffi.sizeof("AfxRayHit")})


class RayHits(NamedTuple):
    """What each ray met first."""

    distance: Array  #: [n] m; inf where nothing is
    body: npt.NDArray[np.int64]  #: [n] number of the body; -1 where there is none
    shape: npt.NDArray[np.int64]  #: [n] which of its shapes
    point: Array  #: [n, 3] world
    normal: Array  #: [n, 3] unit, outward, world


class Caster:
    """Casts rays at the shapes of a model's sims, whether contact is on or not. One for each thread.

    >>> import affix
    >>> scene = affix.Scene()
    >>> _ = scene.add_body("ball", position=(0, 0, 2)).add_sphere(0.5)
    >>> model = affix.Model.from_scene(scene)
    >>> hits = affix.Caster(model).cast(affix.Sim(model), (0, 0, 0), [(0, 0, 1), (1, 0, 0)])
    >>> hits.distance.tolist(), hits.body.tolist()
    ([1.5, inf], [0, -1])

    :param visual: shapes for looks are met too
    """

    def __init__(self, model: "Model", *, visual: bool = False) -> None:
        definition = ffi.new("AfxCasterDef *", lib.afx_default_caster())
        definition.allocator, definition.visual = ALLOCATOR, visual
        out = ffi.new("AfxCaster **")
        check(lib.afx_caster_create(definition, model._unchanged_scene()._pointer, out))
        self._pointer = ffi.gc(out[0], lib.afx_caster_destroy)
        self._model = model

    def cast(self, sim: "Sim", origins: Any, directions: Any, *, reach: float = np.inf,
             skip: Union[None, str, int] = None) -> RayHits:
        """What rays from ``origins`` along ``directions`` ([n, 3] each, or one of them [3] for all) meet first within
        ``reach`` (m). Surfaces are met from both sides; ``skip`` is a body that rays go through, such as the one that
        carries a range finder."""
        try:
            starts, ways = np.broadcast_arrays(np.atleast_2d(np.asarray(origins, float)),
                                               np.atleast_2d(np.asarray(directions, float)))
        except (TypeError, ValueError) as cause:
            raise ArgumentError("origins and directions must be arrays of three numbers each") from cause
        if starts.ndim != 2 or starts.shape[1] != 3:
            raise ArgumentError("origins and directions must be arrays of three numbers each")
        rays, hits = np.zeros(len(starts), _RAY), np.zeros(len(starts), _HIT)
        rays["from"], rays["direction"], rays["reach"] = starts, ways, reach
        rays["skip"] = lib.AFX_RAY_NO_BODY if skip is None else self._number(skip)
        check(lib.afx_caster_cast(self._pointer, sim._pointer, ffi.cast("AfxRay *", rays.ctypes.data), len(rays),
                                  ffi.cast("AfxRayHit *", hits.ctypes.data)))
        body = hits["body"].astype(np.int64)
        body[hits["body"] == lib.AFX_RAY_NO_BODY] = -1
        return RayHits(hits["distance"].copy(), body, hits["shape"].astype(np.int64), hits["point"].copy(),
                       hits["normal"].copy())

    def _number(self, body: Union[str, int]) -> Optional[int]:
        return self._model._bodies.index(body)
