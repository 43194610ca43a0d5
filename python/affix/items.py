# SPDX-License-Identifier: Apache-2.0
"""Handles for what was put into a scene. They are names for things, not the things: small, comparable, and accepted by a
sim of the scene's model wherever a name is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, List, Optional, Union

import numpy as np

from ._affix import ffi, lib
from ._native import Array, Vector, fill, pointer, set_vec3
from .errors import ArgumentError, check
from .pose import Pose

if TYPE_CHECKING:
    from .contact import Material
    from .scene import Scene

MaterialLike = Union["Material", str, int, None]

__all__ = ["Body", "Coupling", "Drive", "Item", "Joint", "Marker", "Spring", "Wrench"]


class Item:
    """A thing of a scene: its ``index`` in the order of adding, and its ``name`` ("" for none)."""

    kind = "item"
    __slots__ = ("scene", "index", "name", "_id")

    def __init__(self, scene: "Scene", index: int, name: str, identity: Any = None) -> None:
        self.scene, self.index, self.name, self._id = scene, index, name, identity

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.scene is other.scene and self.index == other.index  # type: ignore

    def __hash__(self) -> int:
        return hash((self.kind, self.index))

    def __repr__(self) -> str:
        return f"<{self.kind} {self.index}" + (f' "{self.name}">' if self.name else ">")


class Joint(Item):
    """A joint of a scene."""

    kind = "joint"
    __slots__ = ()


class Drive(Item):
    """Something that acts on a free axis of a joint: motor, servo, spring, limit, friction."""

    kind = "actuator"
    __slots__ = ()


class Coupling(Item):
    """A linear relation between joint coordinates."""

    kind = "coupling"
    __slots__ = ()


class Spring(Item):
    """A spring and damper between two points."""

    kind = "spring"
    __slots__ = ()


class Marker(Item):
    """A named point of a body."""

    kind = "marker"
    __slots__ = ()


class Site(Item):
    """A named frame on a body."""

    kind = "site"
    __slots__ = ()


class Wrench(Item):
    """A force and torque on a body."""

    kind = "wrench"
    __slots__ = ()


class Texture(Item):
    """A picture on shapes; made by :meth:`Scene.add_texture`."""

    kind = "texture"
    __slots__ = ()


def color_number(text: Optional[str]) -> int:
    """"#rrggbb" as AFX_COLOR; 0 for None."""
    if text is None:
        return 0
    if not re.fullmatch("#[0-9a-fA-F]{6}", text):
        raise ArgumentError(f'"{text}" is no colour', cure='write "#rrggbb"')
    return 0x1000000 | int(text[1:], 16)


class Body(Item):
    """A body of a scene. Shapes are added to it; each method returns the body, so that they can be chained.

    >>> import affix
    >>> scene = affix.Scene()
    >>> hammer = scene.add_body("hammer")
    >>> hammer.add_box((0.3, 0.02, 0.02), density=700).add_sphere(0.03, position=(0.15, 0, 0), density=7800)
    <body 0 "hammer">
    >>> round(hammer.mass, 3)
    0.966

    All shapes take ``material`` (of :meth:`Scene.add_material`, or its name), and ``contact_group`` and ``contact_mask``:
    two shapes can touch when a bit of one's group is in the other's mask; both are 1 unless given. A ``visual`` shape is
    drawn, and has neither mass nor contact. ``color`` is "#rrggbb", ``texture`` one of :meth:`Scene.add_texture`.
    """

    kind = "body"
    __slots__ = ()

    def _add_shape(self, shape: Any, keep: List[Any], *, position: Optional[Vector] = None,
                   rotation: Optional[Vector] = None, material: MaterialLike = None,
                   texture: Optional[Texture] = None, **fields: Any) -> "Body":
        definition = ffi.new("AfxShapeDef *", shape)
        if isinstance(fields.get("color"), str):
            fields["color"] = color_number(fields["color"])
        fill(definition, keep, **fields)
        fill(definition.pose, keep, position=position, rotation=rotation)
        if material is not None:
            definition.material = self.scene.material(material)._id
        if texture is not None:
            definition.texture = self.scene._own_item(texture)._id
        self.scene._check(lib.afx_scene_add_shape(self.scene._pointer, self._id, definition))
        return self

    def add_box(self, size: Vector, *, position: Optional[Vector] = None, rotation: Optional[Vector] = None,
                pose: Optional[Pose] = None, density: Optional[float] = None, mass: Optional[float] = None,
                material: MaterialLike = None, contact_group: Optional[int] = None, contact_mask: Optional[int] = None,
                visual: Optional[bool] = None, **more: Any) -> "Body":
        """A box with the full edge lengths ``size``."""
        x, y, z = (float(edge) for edge in size)
        return self._add_shape(lib.afx_default_box(x, y, z), [], position=position, rotation=rotation, pose=pose,
                               density=density, mass=mass, material=material, contact_group=contact_group,
                               contact_mask=contact_mask, visual=visual, **more)

    def add_sphere(self, radius: float, *, position: Optional[Vector] = None, density: Optional[float] = None,
                   mass: Optional[float] = None, material: MaterialLike = None, contact_group: Optional[int] = None,
                   contact_mask: Optional[int] = None, visual: Optional[bool] = None, **more: Any) -> "Body":
        """A ball."""
        return self._add_shape(lib.afx_default_sphere(radius), [], position=position, density=density, mass=mass,
                               material=material, contact_group=contact_group, contact_mask=contact_mask, visual=visual,
                               **more)

    def add_capsule(self, radius: float, length: float, *, position: Optional[Vector] = None,
                    rotation: Optional[Vector] = None, pose: Optional[Pose] = None, density: Optional[float] = None,
                    mass: Optional[float] = None, material: MaterialLike = None, contact_group: Optional[int] = None,
                    contact_mask: Optional[int] = None, visual: Optional[bool] = None, **more: Any) -> "Body":
        """A capsule along z; ``length`` is that of its cylindrical part."""
        return self._add_shape(lib.afx_default_capsule(radius, length), [], position=position, rotation=rotation,
                               pose=pose, density=density, mass=mass, material=material, contact_group=contact_group,
                               contact_mask=contact_mask, visual=visual, **more)

    def add_cylinder(self, radius: float, length: float, *, position: Optional[Vector] = None,
                     rotation: Optional[Vector] = None, pose: Optional[Pose] = None, density: Optional[float] = None,
                     mass: Optional[float] = None, material: MaterialLike = None, contact_group: Optional[int] = None,
                     contact_mask: Optional[int] = None, visual: Optional[bool] = None, **more: Any) -> "Body":
        """A cylinder along z."""
        return self._add_shape(lib.afx_default_cylinder(radius, length), [], position=position, rotation=rotation,
                               pose=pose, density=density, mass=mass, material=material, contact_group=contact_group,
                               contact_mask=contact_mask, visual=visual, **more)

    def add_ellipsoid(self, semi_axes: Vector, *, position: Optional[Vector] = None, rotation: Optional[Vector] = None,
                      pose: Optional[Pose] = None, density: Optional[float] = None, mass: Optional[float] = None,
                      material: MaterialLike = None, contact_group: Optional[int] = None,
                      contact_mask: Optional[int] = None, visual: Optional[bool] = None, **more: Any) -> "Body":
        """An ellipsoid."""
        a, b, c = (float(axis) for axis in semi_axes)
        return self._add_shape(lib.afx_default_ellipsoid(a, b, c), [], position=position, rotation=rotation, pose=pose,
                               density=density, mass=mass, material=material, contact_group=contact_group,
                               contact_mask=contact_mask, visual=visual, **more)

    def add_convex(self, vertices: Any, *, position: Optional[Vector] = None, rotation: Optional[Vector] = None,
                   pose: Optional[Pose] = None, density: Optional[float] = None, mass: Optional[float] = None,
                   material: MaterialLike = None, contact_group: Optional[int] = None,
                   contact_mask: Optional[int] = None, visual: Optional[bool] = None, **more: Any) -> "Body":
        """The convex hull of ``vertices`` [n, 3]."""
        points = _points(vertices)
        shape = lib.afx_default_convex(pointer(points), points.shape[0])
        return self._add_shape(shape, [points], position=position, rotation=rotation, pose=pose, density=density,
                               mass=mass, material=material, contact_group=contact_group, contact_mask=contact_mask,
                               visual=visual, **more)

    def add_mesh(self, vertices: Any, triangles: Any, *, position: Optional[Vector] = None,
                 rotation: Optional[Vector] = None, pose: Optional[Pose] = None, density: Optional[float] = None,
                 mass: Optional[float] = None, material: MaterialLike = None, contact_group: Optional[int] = None,
                 contact_mask: Optional[int] = None, visual: Optional[bool] = None, **more: Any) -> "Body":
        """A mesh of ``vertices`` [n, 3] and ``triangles`` [m, 3], counter-clockwise seen from outside; closed where it has
        to weigh something."""
        points = _points(vertices)
        faces = np.ascontiguousarray(triangles, dtype=np.uint32)
        if faces.ndim != 2 or faces.shape[1] != 3:
            raise ArgumentError(f"triangles must have the shape [m, 3], not {list(faces.shape)}")
        shape = lib.afx_default_mesh(pointer(points), points.shape[0], ffi.cast("uint32_t *", faces.ctypes.data),
                                     faces.shape[0])
        return self._add_shape(shape, [points, faces], position=position, rotation=rotation, pose=pose, density=density,
                               mass=mass, material=material, contact_group=contact_group, contact_mask=contact_mask,
                               visual=visual, **more)

    def add_plane(self, *, position: Optional[Vector] = None, rotation: Optional[Vector] = None,
                  pose: Optional[Pose] = None, material: MaterialLike = None, contact_group: Optional[int] = None,
                  contact_mask: Optional[int] = None, visual: Optional[bool] = None, **more: Any) -> "Body":
        """The plane z = 0 of its frame, without bounds and solid below; not on dynamic bodies.

        >>> import affix
        >>> scene = affix.Scene()
        >>> scene.add_body("ground", kind="fixed").add_plane()
        <body 0 "ground">
        """
        return self._add_shape(lib.afx_default_plane(), [], position=position, rotation=rotation, pose=pose,
                               material=material, contact_group=contact_group, contact_mask=contact_mask, visual=visual,
                               **more)

    def add_height_field(self, heights: Any, size: Vector, *, position: Optional[Vector] = None,
                         rotation: Optional[Vector] = None, pose: Optional[Pose] = None, material: MaterialLike = None,
                         contact_group: Optional[int] = None, contact_mask: Optional[int] = None,
                         visual: Optional[bool] = None, **more: Any) -> "Body":
        """Ground that is solid below a grid of ``heights`` [rows, columns] along z; not on dynamic bodies. It covers a
        rectangle with the full edges ``size`` = (x, y), centred on its frame; columns run along x, rows along y.

        >>> import affix, numpy as np
        >>> x = np.linspace(-1, 1, 41)
        >>> scene = affix.Scene()
        >>> bowl = scene.add_body("bowl", kind="fixed").add_height_field(np.add.outer(x**2, x**2), size=(2, 2))
        >>> ball = scene.add_body("ball", position=(0.02, 0, 0.3)).add_sphere(0.2)
        >>> sim = affix.Sim(affix.Model.from_scene(scene), dt=0.005)
        >>> sim.step(200)
        >>> abs(round(sim.body("ball").position[2], 2))
        0.2
        """
        grid = np.ascontiguousarray(heights, dtype=np.float64)
        if grid.ndim != 2:
            raise ArgumentError(f"heights must have the shape [rows, columns], not {list(grid.shape)}")
        x, y = (float(edge) for edge in size)
        shape = lib.afx_default_height_field(x, y, pointer(grid), grid.shape[1], grid.shape[0])
        return self._add_shape(shape, [grid], position=position, rotation=rotation, pose=pose, material=material,
                               contact_group=contact_group, contact_mask=contact_mask, visual=visual, **more)

    def add_marker(self, name: str, point: Vector = (0, 0, 0)) -> Marker:
        """A named point, to be read from a sim."""
        return self.scene.add_marker(name, self, point)

    @property
    def mass(self) -> float:
        """The body's mass in kg, from its shapes or as given."""
        out = ffi.new("AfxMass *")
        check(lib.afx_scene_body_mass(self.scene._pointer, self._id, out), lib.afx_scene_error(self.scene._pointer))
        return out.mass

    @property
    def young(self) -> float:
        """Young's modulus in Pa; ``inf`` where the body is exactly rigid."""
        out = ffi.new("AfxBodyDef *")
        check(lib.afx_scene_get_body(self.scene._pointer, self._id, out), lib.afx_scene_error(self.scene._pointer))
        return out.young

    @property
    def pose(self) -> Pose:
        """Where the scene puts the body."""
        out = ffi.new("AfxBodyDef *")
        check(lib.afx_scene_get_body(self.scene._pointer, self._id, out), lib.afx_scene_error(self.scene._pointer))
        return Pose._read(out.pose)

    @pose.setter
    def pose(self, value: Pose) -> None:
        definition = ffi.new("AfxBodyDef *")
        self.scene._check(lib.afx_scene_get_body(self.scene._pointer, self._id, definition))
        fill(definition, [], pose=value)
        self.scene._check(lib.afx_scene_set_body(self.scene._pointer, self._id, definition))


def _points(vertices: Any) -> Array:
    points = np.ascontiguousarray(vertices, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] != 3:
        raise ArgumentError(f"vertices must have the shape [n, 3], not {list(points.shape)}")
    return points


def vec3(value: Vector, what: str) -> Any:
    """An AfxVec3 by value."""
    struct = ffi.new("AfxVec3 *")
    set_vec3(struct, value, what)
    return struct[0]
