# SPDX-License-Identifier: Apache-2.0
"""What files of robots call their state and control: names and places of qpos, qvel, ctrl, keyframes and sites."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Tuple, Union

import numpy as np

from ._affix import ffi, lib
from ._native import Array, text
from .errors import ArgumentError, check, not_found
from .items import Item
from .scene import Scene

__all__: List[str] = []  # for the package itself

Name = Union[str, int, Item]


class Names:
    """Names in order, and the number of each; read when the first one is asked for."""

    def __init__(self, kind: str, count: int, read: Callable[[int], str]) -> None:
        self.kind, self.count, self._read = kind, count, read
        self._names: Optional[Tuple[str, ...]] = None
        self._numbers: Dict[str, int] = {}

    @property
    def names(self) -> Tuple[str, ...]:
        if self._names is None:
            self._names = tuple(self._read(k) for k in range(self.count))
            self._numbers = {name: k for k, name in enumerate(self._names) if name}
        return self._names

    def index(self, which: Name) -> int:
        if isinstance(which, str):
            names = self.names
            if which not in self._numbers:
                raise not_found(self.kind, which, names)
            return self._numbers[which]
        if isinstance(which, Item):
            if which.kind != self.kind:
                raise ArgumentError(f"{which!r} is no {self.kind}")
            which = which.index
        index = int(which)
        if not 0 <= index < self.count:
            raise ArgumentError(f"there is no {self.kind} {index}: the model has {self.count}")
        return index

    def label(self, index: int) -> str:
        return f'{self.kind} "{self.names[index]}"' if self.names[index] else f"{self.kind} {index}"


class Robot:
    """Names and places of what a model takes and tells as a robot's file does."""

    def __init__(self, model: Any, scene: Scene, joints: Tuple[str, ...], bodies: Tuple[str, ...]) -> None:
        s = scene._pointer
        self.nq, self.nv = lib.afx_model_qpos_count(model), lib.afx_model_qvel_count(model)
        self.slices: List[Tuple[slice, slice]] = []
        self.coordinates = self._read_coordinates(model, s, joints, bodies)
        self.control_drives: List[int] = []
        self.ctrl_range: Array = np.empty((0, 2))
        self.controls = self._read_controls(s)
        self.keyframes = self._read_keyframes(s)
        self.sites = self._read_sites(s)
        self.sensor_slices: List[slice] = []
        self.sensor_noise: Array = np.empty(0)
        self.sensor_kinds: List[str] = []
        self.sensors = self._read_sensors(s)

    def _read_coordinates(self, model: Any, scene: Any, joints: Tuple[str, ...], bodies: Tuple[str, ...]) -> "Names":
        count, authored = lib.afx_model_generalized_count(model), lib.afx_scene_generalized_count(scene)
        shown, definition, names = ffi.new("AfxGeneralized *"), ffi.new("AfxGeneralizedDef *"), []
        sizes = {lib.AFX_GENERALIZED_AXIS: (1, 1), lib.AFX_GENERALIZED_BALL: (4, 3), lib.AFX_GENERALIZED_FREE: (7, 6)}
        for k in range(count):
            check(lib.afx_model_generalized(model, k, shown))
            nq, nv = sizes[shown.kind]
            self.slices.append((slice(shown.qpos, shown.qpos + nq), slice(shown.qvel, shown.qvel + nv)))
            if authored:
                check(lib.afx_scene_get_generalized(scene, k, definition))
                names.append(text(definition.name))
            elif shown.kind == lib.AFX_GENERALIZED_FREE:
                names.append(bodies[shown.body])
            else:
                names.append(joints[shown.joint])
        return Names("coordinate", count, names.__getitem__)

    def _read_controls(self, scene: Any) -> "Names":
        count, definition = lib.afx_scene_control_count(scene), ffi.new("AfxControlDef *")
        names, ranges = [], []
        for k in range(count):
            check(lib.afx_scene_get_control(scene, k, definition))
            names.append(text(definition.name))
            ranges.append((definition.lower, definition.upper))
            self.control_drives.append(definition.drive.index)
        self.ctrl_range = np.array(ranges, dtype=np.float64).reshape(count, 2)
        return Names("control", count, names.__getitem__)

    def _read_keyframes(self, scene: Any) -> "Names":
        count, definition, names = lib.afx_scene_keyframe_count(scene), ffi.new("AfxKeyframeDef *"), []
        for k in range(count):
            check(lib.afx_scene_get_keyframe(scene, k, definition))
            names.append(text(definition.name))
        return Names("keyframe", count, names.__getitem__)

    def _read_sensors(self, scene: Any) -> "Names":
        count, definition, names = lib.afx_scene_sensor_count(scene), ffi.new("AfxSensorDef *"), []
        first, noise = 0, []
        for k in range(count):
            check(lib.afx_scene_get_sensor(scene, k, definition))
            size = lib.afx_sensor_numbers(definition)
            names.append(text(definition.name))
            self.sensor_slices.append(slice(first, first + size))
            self.sensor_kinds.append(text(lib.afx_sensor_name(definition.kind)))
            noise += [definition.noise] * size
            first += size
        self.sensor_noise = np.array(noise)
        return Names("sensor", count, names.__getitem__)

    def _read_sites(self, scene: Any) -> "Names":
        count, name, names = lib.afx_scene_site_count(scene), ffi.new("char const **"), []
        body, pose = ffi.new("AfxBodyId *"), ffi.new("AfxPose *")
        for k in range(count):
            check(lib.afx_scene_get_site(scene, k, name, body, pose))
            names.append(text(name[0]))
        return Names("site", count, names.__getitem__)
