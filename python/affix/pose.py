# SPDX-License-Identifier: Apache-2.0
"""Positions and rotations."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from ._affix import ffi, lib
from ._native import Array, Vector, get_quat, get_vec3, numbers, set_pose, set_vec3

__all__ = ["Pose", "rotation", "frame_along"]


class Pose:
    """Where a frame is: ``position`` (3) and ``rotation``, a unit quaternion (w, x, y, z).

    ``a @ b`` maps a point p to a(b(p)), ``a @ point`` is the point in the world, ``~a`` undoes a.

    >>> import affix
    >>> up = affix.Pose((0, 0, 1), affix.rotation((0, 0, 1), degrees=90))
    >>> (up @ (1, 0, 0)).round(12) + 0
    array([0., 1., 1.])
    >>> (~up @ up).position
    array([0., 0., 0.])
    """

    __slots__ = ("position", "rotation")

    def __init__(self, position: Vector = (0, 0, 0), rotation: Vector = (1, 0, 0, 0)) -> None:
        self.position = numbers(position, 3, "position").copy()
        self.rotation = numbers(rotation, 4, "rotation").copy()

    @classmethod
    def _read(cls, value: Any) -> "Pose":
        pose = cls.__new__(cls)
        pose.position, pose.rotation = get_vec3(value.position), get_quat(value.rotation)
        return pose

    def _struct(self) -> Any:
        value = ffi.new("AfxPose *")
        set_pose(value, self)
        return value

    @property
    def matrix(self) -> Array:
        """The rotation as a 3x3 matrix."""
        w, x, y, z = self.rotation
        return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Pose):
            return Pose._read(lib.afx_pose_compose(self._struct()[0], other._struct()[0]))
        point = ffi.new("AfxVec3 *")
        set_vec3(point, other, "a point")
        return get_vec3(lib.afx_pose_apply(self._struct()[0], point[0]))

    def __invert__(self) -> "Pose":
        return Pose._read(lib.afx_pose_invert(self._struct()[0]))

    def __repr__(self) -> str:
        return f"Pose(position={self.position.tolist()}, rotation={self.rotation.tolist()})"


def rotation(axis: Vector, angle: Optional[float] = None, *, degrees: Optional[float] = None) -> Array:
    """The quaternion of a turn by ``angle`` (rad) or ``degrees`` about ``axis``.

    >>> import affix
    >>> affix.rotation((0, 0, 2), degrees=180).round(12)
    array([0., 0., 0., 1.])
    """
    if (angle is None) == (degrees is None):
        raise TypeError("give either angle or degrees")
    vector = ffi.new("AfxVec3 *")
    set_vec3(vector, axis, "axis")
    turn = float(angle) if angle is not None else float(np.deg2rad(degrees or 0.0))
    return get_quat(lib.afx_quat_from_axis_angle(vector[0], turn))


def frame_along(point: Vector, axis: Vector) -> Pose:
    """A frame at ``point`` whose x axis is along ``axis``: the axis that a hinge turns about and a slide moves along.

    >>> import affix
    >>> affix.frame_along((1, 2, 3), (0, 5, 0)).matrix[:, 0].round(12) + 0
    array([0., 1., 0.])
    """
    at, along = ffi.new("AfxVec3 *"), ffi.new("AfxVec3 *")
    set_vec3(at, point, "point")
    set_vec3(along, axis, "axis")
    return Pose._read(lib.afx_frame_along(at[0], along[0]))
