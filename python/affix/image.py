# SPDX-License-Identifier: Apache-2.0
"""Pictures of a sim as arrays: colour, depth, and which body each pixel shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from ._affix import ffi, lib
from ._native import ALLOCATOR, Vector, set_pose
from .errors import ArgumentError, check
from .items import color_number, vec3
from .run import Camera, from_camera

if TYPE_CHECKING:
    from .model import Model
    from .sim import Sim

__all__ = ["Image", "Imager"]


class Image(NamedTuple):
    """A picture, row by row from the top."""

    color: npt.NDArray[np.uint8]  #: [height, width, 3] red, green, blue
    depth: npt.NDArray[np.float32]  #: [height, width] m along the direction of view; inf where there is nothing
    body: npt.NDArray[np.int32]  #: [height, width] number of the body; -1 where there is none

    def save(self, path: Any) -> None:
        """Writes the colours as a PNG file."""
        error = ffi.new("AfxError *")
        height, width, _ = self.color.shape
        pixels = np.ascontiguousarray(self.color, dtype=np.uint8)
        check(lib.afx_image_save(ffi.cast("unsigned char *", pixels.ctypes.data), width, height, str(path).encode(), error),
              error)


class Imager:
    """Draws the sims of a model, without a window or a graphics card. One for each thread.

    >>> import affix
    >>> model = affix.Model.from_case("pendulum")
    >>> sim, imager = affix.Sim(model), affix.Imager(model, 64, 48)
    >>> image = imager.draw(sim, position=(0, -4, 0), target=(0, 0, -0.5))
    >>> image.color.shape, bool((image.body == 0).any())
    ((48, 64, 3), True)

    :param samples: along an edge of a pixel, whose mean is its colour: 1, 3 or 5
    """

    def __init__(self, model: "Model", width: int = 64, height: int = 64, *, samples: int = 3,
                 background: Optional[str] = None) -> None:
        definition = ffi.new("AfxImagerDef *", lib.afx_default_imager())
        definition.allocator = ALLOCATOR
        definition.width, definition.height, definition.samples = width, height, samples
        if background is not None:
            definition.background = color_number(background)
        out, error = ffi.new("AfxImager **"), ffi.new("AfxError *")
        scene = model._unchanged_scene()
        check(lib.afx_imager_create(definition, scene._pointer, out, error), error)
        self._pointer = ffi.gc(out[0], lib.afx_imager_destroy)
        self._scene, self._cameras = scene, model.run.cameras
        self.width, self.height = width, height

    def draw(self, sim: "Sim", camera: Union[None, str, Camera] = None, *, position: Optional[Vector] = None,
             target: Optional[Vector] = None, up: Vector = (0, 0, 1), pose: Any = None,
             field_of_view: float = 0.8) -> Image:
        """A picture of the sim as it is now: from ``camera`` (one of the model's, by name, or a :class:`Camera`); or
        from ``position`` towards ``target``; or from ``pose``, that of a camera that looks along its -z axis and has y
        up, such as one that a robot carries; or, with none of these, of all bodies, obliquely from above.

        :param field_of_view: rad, of the picture's height
        """
        view = self._view(sim, camera, position, target, up, pose, field_of_view)
        image = Image(np.empty((self.height, self.width, 3), np.uint8), np.empty((self.height, self.width), np.float32),
                      np.empty((self.height, self.width), np.int32))
        place = ffi.new("AfxImage *")
        place.color = ffi.cast("unsigned char *", image.color.ctypes.data)
        place.depth = ffi.cast("float *", image.depth.ctypes.data)
        place.body = ffi.cast("int32_t *", image.body.ctypes.data)
        check(lib.afx_imager_draw(self._pointer, sim._pointer, view, place))
        return image

    def _view(self, sim: "Sim", camera: Union[None, str, Camera], position: Optional[Vector], target: Optional[Vector],
              up: Vector, pose: Any, field_of_view: float) -> Any:
        view = ffi.new("AfxView *")
        given = [value is not None for value in (camera, position, pose)]
        if sum(given) > 1 or (position is None) != (target is None):
            raise ArgumentError("a picture is taken from a camera, a position and target, or a pose", cure="give one of them")
        if camera is not None:
            own = ffi.new("AfxCamera *")
            from_camera(self._named(camera), own)
            check(lib.afx_camera_view(own, self._scene._pointer, sim._pointer, view))
        elif position is not None and target is not None:
            view[0] = lib.afx_view_look(vec3(position, "position"), vec3(target, "target"), vec3(up, "up"), field_of_view)
        elif pose is not None:
            set_pose(view.pose, pose)
            view.field_of_view = field_of_view
        else:
            check(lib.afx_imager_overview(self._pointer, sim._pointer, view))
        return view

    def _named(self, camera: Union[str, Camera]) -> Camera:
        if isinstance(camera, Camera):
            return camera
        for own in self._cameras:
            if own.name == camera:
                return own
        names = ", ".join(own.name for own in self._cameras)
        raise ArgumentError(f'there is no camera "{camera}"', cure=f"there are {names}" if names else "the model has none")
