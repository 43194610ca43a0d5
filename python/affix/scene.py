# SPDX-License-Identifier: Apache-2.0
"""Scenes: bodies, joints and what acts on them, described; a model is made from one."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple, Union

import numpy as np

from . import files
from ._affix import ffi, lib
from ._native import ALLOCATOR, Array, Vector, enum_names, enum_value, fill, get_vec3, numbers, set_pose, text
from .contact import ContactScene
from .errors import ArgumentError, check, not_found
from .items import Body, Coupling, Drive, Joint, Marker, Site, Spring, Texture, Wrench, vec3
from .pose import Pose, frame_along
from .run import Run, new_run, to_run
from .signals import Signal

__all__ = ["JointSpring", "Motion", "Scene", "drive_kinds", "joint_kinds"]

BodyLike = Union[Body, str, int, None]
JointLike = Union[Joint, str, int]
Table = Tuple[Vector, Vector]


class Motion(NamedTuple):
    """Prescribed motion of a kinematic body: moved by three signals (world axes), turned by ``angle`` about ``axis``."""

    translation: Sequence[Union[float, Signal]] = (0, 0, 0)
    axis: Vector = (0, 0, 1)
    angle: Union[float, Signal] = 0


class JointSpring(NamedTuple):
    """A spring and damper about all three axes of a spherical joint: ``stiffness`` (Nm/rad) and ``damping`` (Nms/rad), a
    number or three about x, y, z of the joint's frame on the base; ``rest`` is the orientation (w, x, y, z) of the
    follower's frame in the base's where the torque is 0.

    A ball hangs on a sprung joint that is at rest when turned by 0.1 rad: the torque is stiffness times angle.

    >>> import affix
    >>> scene = affix.Scene(gravity=(0, 0, 0))
    >>> ball = scene.add_body("ball", rigid=True).add_sphere(0.1)
    >>> joint = scene.add_joint("spherical", None, ball, name="neck", at=(0, 0, 0),
    ...                         spring=affix.JointSpring(2.0, rest=affix.rotation((1, 0, 0), 0.1)))
    >>> sim = affix.Sim(affix.Model.from_scene(scene), dt=1e-6)
    >>> sim.step()
    >>> sim.joint("neck").spring_torque.round(6) + 0
    array([0.2, 0. , 0. ])
    """

    stiffness: Union[float, Vector] = 0.0
    damping: Union[float, Vector] = 0.0
    rest: Vector = (1, 0, 0, 0)


def joint_kinds() -> Tuple[str, ...]:
    """The kinds that :meth:`Scene.add_joint` knows; it takes "hinge", "slide", "ball" and "rod" as well."""
    return tuple(text(lib.afx_joint_kind_name(kind)) for kind in range(lib.AFX_JOINT_KIND_COUNT))


def _joint_kind(name: str) -> int:
    found = ffi.new("AfxJointKind *")
    word = str(name).lower().replace("_", "-").replace(" ", "-")
    if lib.afx_joint_kind_find(word.encode(), found) != lib.AFX_OK:
        raise ArgumentError(f'there is no kind of joint "{name}"', status="AFX_E_ARGUMENT",
                            cure="there are " + ", ".join(joint_kinds()) + "; or hinge, slide, ball, rod")
    return int(found[0])


def drive_kinds() -> Tuple[str, ...]:
    """The kinds that :meth:`Scene.add_drive` knows."""
    return enum_names("AfxDriveKind", "AFX_DRIVE_")


class Scene(ContactScene):
    """What is to be simulated. SI units, z up; points and axes of things on a body are in the body's own frame.

    A pendulum, and its period for small swings:

    >>> import affix, math
    >>> scene = affix.Scene()
    >>> bob = scene.add_body("bob", position=(0.01, 0, -1), rigid=True).add_sphere(0.001, mass=1)
    >>> hinge = scene.add_joint("revolute", None, bob, name="hinge", at=(0, 0, 0), axis=(0, 1, 0))
    >>> sim = affix.Sim(affix.Model.from_scene(scene), dt=0.001)
    >>> start = sim.body("bob").position[0]
    >>> sim.step(round(2 * math.pi * math.sqrt(1 / 9.81) / sim.dt))
    >>> abs(sim.body("bob").position[0] - start) < 1e-5
    True
    """

    def __init__(self, gravity: Vector = (0, 0, -9.81)) -> None:
        definition = ffi.new("AfxSceneDef *", lib.afx_default_scene())
        definition.allocator = ALLOCATOR
        fill(definition, [], gravity=gravity)
        out = ffi.new("AfxScene **")
        check(lib.afx_scene_create(definition, out), text="gravity is not valid")
        self._own(out[0])

    def _own(self, pointer: Any) -> None:
        self._pointer = ffi.gc(pointer, lib.afx_scene_destroy)
        self._edits = 0
        self.notices: List[files.Notice] = []
        self.run: Run = to_run(new_run())

    @classmethod
    def load(cls, path: Any, **options: Any) -> "Scene":
        """Reads a scene file, URDF, SDF or MJCF. What it says and the engine does not honour is in ``notices``.

        Options: ``format`` ("auto", "json", "urdf", "mjcf"), ``strict``, ``allow_outside``, ``keep_fixed``,
        ``fixed_base``, ``meshes``, ``packages`` (a list of "name=folder"), ``parameters`` (a dictionary: values of the
        file's own parameters). A trajectory or snapshot gives the scene in it. ``run`` is how the file is run.
        """
        scene = cls()
        scene.notices, scene.run = files.load(scene._pointer, path, options)
        return scene

    @classmethod
    def loads(cls, text: str, format: str = "json", path: Any = None, **options: Any) -> "Scene":
        """The same from text.

        >>> import affix
        >>> scene = affix.Scene.loads('{"affix_scene": 1, "bodies": [{"name": "b", "shapes": '
        ...                           '[{"kind": "sphere", "radius": 0.1}]}]}')
        >>> scene.body("b")
        <body 0 "b">
        """
        scene = cls()
        scene.notices, scene.run = files.loads(scene._pointer, text, format, path, options)
        return scene

    @classmethod
    def from_case(cls, case: str, **parameters: Any) -> "Scene":
        """A built-in case (:func:`affix.cases` lists them)."""
        scene = cls.__new__(cls)
        scene._own(files.build_case(case, parameters))
        scene.run = files.case_run(case)
        return scene

    def save(self, path: Any) -> None:
        """Writes scene JSON; reading it again gives the same model."""
        files.save(self._pointer, path)

    def make_rigid(self) -> "Scene":
        """Makes all bodies exactly rigid, whatever they are made of.

        >>> import affix
        >>> scene = affix.Scene.from_case("four-bar").make_rigid()
        >>> scene.body("coupler").young
        inf
        """
        self._check(lib.afx_scene_make_rigid(self._pointer))
        return self

    def _check(self, status: int) -> None:
        check(status, lib.afx_scene_error(self._pointer))
        self._edits += 1

    @property
    def gravity(self) -> Array:
        """m/s²."""
        return get_vec3(lib.afx_scene_gravity(self._pointer))

    @gravity.setter
    def gravity(self, value: Vector) -> None:
        self._check(lib.afx_scene_set_gravity(self._pointer, vec3(value, "gravity")))

    # ---- bodies ----

    def add_body(self, name: str = "", *, kind: Optional[str] = None, position: Optional[Vector] = None,
                 rotation: Optional[Vector] = None, pose: Optional[Pose] = None,
                 linear_velocity: Optional[Vector] = None, angular_velocity: Optional[Vector] = None,
                 mass: Optional[float] = None, center: Optional[Vector] = None, inertia: Any = None,
                 young: Optional[float] = None, poisson: Optional[float] = None, rigid: bool = False,
                 gravity: Optional[bool] = None, linear_damping: Optional[float] = None,
                 angular_damping: Optional[float] = None, motion: Optional[Motion] = None, **more: Any) -> Body:
        """Adds a body: "dynamic", "fixed" or "kinematic".

        Its mass comes from its shapes (``mass`` then scales the sum) unless ``inertia`` is given: three principal values,
        six numbers (xx, yy, zz, xy, xz, yz) or a 3x3 tensor, about ``center``. ``rigid`` is an infinite Young's modulus.
        """
        keep: List[Any] = []
        definition = ffi.new("AfxBodyDef *", lib.afx_default_body())
        if inertia is not None:
            fill(definition, keep, mass_source="given", inertia=_six(inertia))
        fill(definition, keep, name=name or None, kind=kind, pose=pose, linear_velocity=linear_velocity,
             angular_velocity=angular_velocity, mass=mass, center=center, young=math.inf if rigid else young,
             poisson=poisson, gravity=gravity, linear_damping=linear_damping, angular_damping=angular_damping, **more)
        fill(definition.pose, keep, position=position, rotation=rotation)
        if motion is not None:
            fill(definition.motion, keep, axis=motion.axis, angle=motion.angle)
            for k in range(3):
                _signal(definition.motion.translation[k], motion.translation[k], keep)
            if kind is None:
                definition.kind = lib.AFX_BODY_KINEMATIC
        out = ffi.new("AfxBodyId *")
        self._check(lib.afx_scene_add_body(self._pointer, definition, out))
        return Body(self, out.index, name, out[0])

    def body(self, which: Union[Body, str, int]) -> Body:
        """A body by its name or number."""
        if isinstance(which, Body):
            return self._own_item(which)
        count = lib.afx_scene_body_count(self._pointer)
        if isinstance(which, str):
            out = ffi.new("AfxBodyId *")
            if lib.afx_scene_find_body(self._pointer, which.encode(), out) != lib.AFX_OK:
                raise not_found("body", which, self.body_names)
            identity = out[0]
        else:
            identity = lib.afx_scene_body(self._pointer, _index(which, count, "body"))
        return Body(self, identity.index, text(lib.afx_scene_body_name(self._pointer, identity)), identity)

    @property
    def body_names(self) -> Tuple[str, ...]:
        """Names of all bodies, "" where there is none."""
        p = self._pointer
        return tuple(text(lib.afx_scene_body_name(p, lib.afx_scene_body(p, k)))
                     for k in range(lib.afx_scene_body_count(p)))

    def _body_id(self, which: BodyLike) -> Any:
        """The id of a body; None is the world."""
        return lib.afx_world() if which is None else self.body(which)._id

    def _own_item(self, item: Any) -> Any:
        if item.scene is not self:
            raise ArgumentError(f"{item!r} belongs to another scene")
        return item

    # ---- joints ----

    def add_joint(self, kind: str, base: BodyLike, follower: BodyLike, *, name: str = "", at: Optional[Vector] = None,
                  axis: Optional[Vector] = None, frame: Optional[Pose] = None, base_frame: Optional[Pose] = None,
                  follower_frame: Optional[Pose] = None, length: Optional[float] = None, pitch: Optional[float] = None,
                  active: Optional[bool] = None, break_force: Optional[float] = None,
                  break_torque: Optional[float] = None, contact: Optional[bool] = None,
                  spring: Optional[JointSpring] = None, **more: Any) -> Joint:
        """Ties ``follower`` to ``base``; None is the world. :func:`joint_kinds` lists the kinds.

        Where it is: a point ``at`` and an ``axis`` in the world, or a whole ``frame`` in the world, as the bodies stand
        in the scene; or ``base_frame`` and ``follower_frame``, each in its body's frame. The axis of a hinge or slide is
        the frame's x. Its two bodies pass through each other unless ``contact`` is True. A spherical joint can have a
        ``spring``.
        """
        keep: List[Any] = []
        value = _joint_kind(kind)
        definition = ffi.new("AfxJointDef *", lib.afx_default_joint(value))
        definition.base, definition.follower = self._body_id(base), self._body_id(follower)
        fill(definition, keep, name=name or None, length=length, pitch=pitch, active=active, break_force=break_force,
             break_torque=break_torque, contact=contact, **more)
        if spring is not None:
            fill(definition.spring, keep, stiffness=_three(spring.stiffness), damping=_three(spring.damping),
                 rest=spring.rest)
        in_world = at is not None or axis is not None or frame is not None
        if in_world and (base_frame is not None or follower_frame is not None):
            raise ArgumentError("give a place in the world (at, axis, frame) or frames of the bodies, not both")
        if in_world:
            if frame is None:
                frame = frame_along((0, 0, 0) if at is None else at, (1, 0, 0) if axis is None else axis)
            place = ffi.new("AfxPose *")
            set_pose(place, frame, "frame")
            self._check(lib.afx_joint_place(self._pointer, definition, place[0]))
        fill(definition, keep, base_frame=base_frame, follower_frame=follower_frame)
        out = ffi.new("AfxJointId *")
        self._check(lib.afx_scene_add_joint(self._pointer, definition, out))
        return Joint(self, out.index, name, out[0])

    def joint(self, which: JointLike) -> Joint:
        """A joint by its name or number."""
        if isinstance(which, Joint):
            return self._own_item(which)
        if isinstance(which, str):
            out = ffi.new("AfxJointId *")
            if lib.afx_scene_find_joint(self._pointer, which.encode(), out) != lib.AFX_OK:
                raise not_found("joint", which, self.joint_names)
            identity = out[0]
        else:
            count = lib.afx_scene_joint_count(self._pointer)
            identity = lib.afx_scene_joint(self._pointer, _index(which, count, "joint"))
        return Joint(self, identity.index, text(lib.afx_scene_joint_name(self._pointer, identity)), identity)

    @property
    def joint_names(self) -> Tuple[str, ...]:
        """Names of all joints, "" where there is none."""
        p = self._pointer
        return tuple(text(lib.afx_scene_joint_name(p, lib.afx_scene_joint(p, k)))
                     for k in range(lib.afx_scene_joint_count(p)))

    # ---- what acts ----

    def add_drive(self, kind: str, joint: JointLike, *, axis: Union[int, str] = 0, name: str = "",
                  target: Union[float, Signal, None] = None, from_input: Optional[bool] = None,
                  stiffness: Optional[float] = None, damping: Optional[float] = None, rest: Optional[float] = None,
                  effort: Optional[float] = None, lower: Optional[float] = None, upper: Optional[float] = None,
                  restitution: Optional[float] = None, coefficient: Optional[float] = None,
                  radius: Optional[float] = None, spring_table: Optional[Table] = None,
                  damper_table: Optional[Table] = None, **more: Any) -> Drive:
        """Acts on a free axis of a joint: "position", "velocity", "force", "servo", "spring", "limit" or "friction".

        The first four have a ``target``, a number or a signal; without one it comes from input, and
        ``sim.actuator(name).target`` sets it. Springs may have tables: ``spring_table`` is (positions less ``rest``,
        forces), ``damper_table`` is (rates, forces). Joints with three free rotations have further axes: "twist", and "swing"
        and "angle", which can be limited.
        """
        keep: List[Any] = []
        if isinstance(axis, str):
            axis = enum_value("AfxAxis", "AFX_AXIS_", axis, "axis")
        value = enum_value("AfxDriveKind", "AFX_DRIVE_", kind, "kind of drive")
        aims = value in (lib.AFX_DRIVE_POSITION, lib.AFX_DRIVE_VELOCITY, lib.AFX_DRIVE_FORCE, lib.AFX_DRIVE_SERVO)
        definition = ffi.new("AfxDriveDef *", lib.afx_default_drive(value))
        definition.joint = self.joint(joint)._id
        fill(definition, keep, name=name or None, axis=axis, target=target,
             from_input=(aims and target is None) if from_input is None else from_input, stiffness=stiffness,
             damping=damping, rest=rest, effort=effort, lower=lower, upper=upper, restitution=restitution,
             coefficient=coefficient, radius=radius, spring_table=spring_table, damper_table=damper_table, **more)
        out = ffi.new("AfxDriveId *")
        self._check(lib.afx_scene_add_drive(self._pointer, definition, out))
        return Drive(self, out.index, name, out[0])

    def add_motor(self, name: str, joint: JointLike, *, axis: int = 0, effort: Optional[float] = None) -> Drive:
        """A force or torque along a free axis, from input, of at most ``effort``."""
        return self.add_drive("force", joint, axis=axis, name=name, effort=effort, from_input=True)

    def add_servo(self, name: str, joint: JointLike, *, stiffness: float, damping: float = 0.0, axis: int = 0,
                  effort: Optional[float] = None) -> Drive:
        """A servo whose target comes from input: stiffness (target - x) + damping (rate of target - rate)."""
        return self.add_drive("servo", joint, axis=axis, name=name, stiffness=stiffness, damping=damping, effort=effort,
                              from_input=True)

    def add_limit(self, joint: JointLike, lower: float, upper: float, *, axis: Union[int, str] = 0, restitution: float = 0.0,
                  name: str = "") -> Drive:
        """Keeps a coordinate between ``lower`` and ``upper``."""
        return self.add_drive("limit", joint, axis=axis, name=name, lower=lower, upper=upper, restitution=restitution)

    def add_coupling(self, terms: Sequence[Tuple[Any, ...]], *, constant: float = 0.0, compliance: float = 0.0,
                     name: str = "") -> Coupling:
        """sum of factor * coordinate = constant. A term is (joint, factor) or (joint, axis, factor).

        >>> import affix
        >>> scene = affix.Scene()
        >>> for k in range(2):
        ...     wheel = scene.add_body(position=(k, 0, 0)).add_cylinder(0.1, 0.02)
        ...     _ = scene.add_joint("revolute", None, wheel, at=(k, 0, 0), axis=(0, 0, 1), name=f"axle {k}")
        >>> scene.add_coupling([("axle 0", 2), ("axle 1", 1)], name="gear")
        <coupling 0 "gear">
        """
        keep: List[Any] = []
        definition = ffi.new("AfxCouplingDef *", lib.afx_default_coupling())
        if not 1 <= len(terms) <= lib.AFX_COUPLING_TERMS:
            raise ArgumentError(f"a coupling has 1 to {lib.AFX_COUPLING_TERMS} terms, not {len(terms)}")
        definition.term_count = len(terms)
        for k, term in enumerate(terms):
            definition.joint[k] = self.joint(term[0])._id
            definition.axis[k] = term[1] if len(term) == 3 else 0
            definition.factor[k] = term[-1]
        fill(definition, keep, name=name or None, constant=constant, compliance=compliance)
        out = ffi.new("AfxCouplingId *")
        self._check(lib.afx_scene_add_coupling(self._pointer, definition, out))
        return Coupling(self, out.index, name, out[0])

    def add_spring(self, body_a: BodyLike, point_a: Vector, body_b: BodyLike, point_b: Vector, *,
                   stiffness: float = 0.0, damping: float = 0.0, rest_length: Optional[float] = None,
                   spring_table: Optional[Table] = None, damper_table: Optional[Table] = None,
                   name: str = "") -> Spring:
        """A spring and damper between a point of one body and a point of another; None is the world. Without
        ``rest_length`` it is at rest as the bodies stand in the scene. Tables add to both: ``spring_table`` is
        (lengths less the rest length, forces), ``damper_table`` is (rates, forces), with the sample (0, 0).

        >>> import affix
        >>> scene = affix.Scene()
        >>> load = scene.add_body(position=(0, 0, -0.3)).add_sphere(0.05, mass=1.0)
        >>> _ = scene.add_spring(None, (0, 0, 0), load, (0, 0, 0), damping=5, rest_length=0.3,
        ...                      spring_table=([-0.1, 0, 0.1, 0.2], [-5, 0, 5, 30]))
        >>> sim = affix.Sim(affix.Model.from_scene(scene))
        >>> for _ in range(500):
        ...     _ = sim.step()
        >>> round(sim.spring_force(0), 3)
        9.81
        """
        keep: List[Any] = []
        definition = ffi.new("AfxSpringDef *", lib.afx_default_spring())
        definition.body_a, definition.body_b = self._body_id(body_a), self._body_id(body_b)
        if rest_length is None:
            ends = [numbers(point, 3, "a point") if body is None else self.body(body).pose @ point
                    for body, point in ((body_a, point_a), (body_b, point_b))]
            rest_length = float(np.linalg.norm(ends[1] - ends[0]))
        fill(definition, keep, name=name or None, point_a=point_a, point_b=point_b, rest_length=rest_length,
             stiffness=stiffness, damping=damping, spring_table=spring_table, damper_table=damper_table)
        out = ffi.new("AfxSpringId *")
        self._check(lib.afx_scene_add_spring(self._pointer, definition, out))
        return Spring(self, out.index, name, out[0])

    def add_texture(self, picture: Any, *, tile: float = 0.0) -> Texture:
        """A picture for shapes: the path of a PNG or JPEG file, or its bytes. ``tile`` is how many metres it covers, over and
        over; 0: it goes once over a shape's longest edge. Viewers show it; it changes no motion.

        >>> import affix
        >>> scene = affix.Scene()
        >>> scene.add_texture(b"text")
        Traceback (most recent call last):
        affix.errors.InputError: texture #0: it is no PNG or JPEG file (convert it to one of them)
        """
        data = bytes(picture) if isinstance(picture, (bytes, bytearray, memoryview)) else Path(picture).read_bytes()
        definition, out, held = ffi.new("AfxTextureDef *", lib.afx_default_texture()), ffi.new("AfxTextureId *"), ffi.from_buffer(data)
        definition.data, definition.size, definition.tile = held, len(data), tile
        self._check(lib.afx_scene_add_texture(self._pointer, definition, out))
        return Texture(self, out.index, "", out[0])

    def add_marker(self, name: str, body: Union[Body, str, int], point: Vector = (0, 0, 0)) -> Marker:
        """A named point of a body."""
        out = ffi.new("AfxMarkerId *")
        self._check(lib.afx_scene_add_marker(self._pointer, self.body(body)._id, name.encode(), vec3(point, "point"),
                                             out))
        return Marker(self, out.index, name, out[0])

    def add_site(self, name: str, body: Union[Body, str, int], pose: Any = None) -> Site:
        """A frame on a body, "" for none that has a name: what inverse kinematics moves, and sensors are on.

        >>> import affix
        >>> scene = affix.Scene()
        >>> rod = scene.add_body("rod").add_box((1, 0.1, 0.1))
        >>> _ = scene.add_site("tip", rod, affix.Pose((0.5, 0, 0)))
        >>> affix.Sim(affix.Model.from_scene(scene)).site("tip").position
        array([0.5, 0. , 0. ])
        """
        out, place = ffi.new("AfxSiteId *"), ffi.new("AfxPose *")
        set_pose(place, Pose((0, 0, 0)) if pose is None else pose)
        self._check(lib.afx_scene_add_site(self._pointer, self.body(body)._id, name.encode() if name else ffi.NULL, place[0],
                                           out))
        return Site(self, out.index, name, out[0])

    def add_wrench(self, body: Union[Body, str, int], *, force: Vector = (0, 0, 0), torque: Vector = (0, 0, 0),
                   point: Vector = (0, 0, 0), frame: str = "world",
                   force_signal: Optional[Sequence[Union[float, Signal]]] = None,
                   torque_signal: Optional[Sequence[Union[float, Signal]]] = None) -> Wrench:
        """A force at a point of a body and a torque, in "world" or "body" axes; ``sim.wrench(k).value`` changes it. Signals
        of time for x, y and z add to both.

        >>> import affix
        >>> scene = affix.Scene(gravity=(0, 0, 0))
        >>> puck = scene.add_body("puck", rigid=True).add_sphere(0.05, mass=2.0)
        >>> _ = scene.add_wrench(puck, force_signal=(affix.polynomial(0, 12), 0, 0))      # v = 12 t² / 2 / 2 kg
        >>> sim = affix.Sim(affix.Model.from_scene(scene), dt=0.001)
        >>> for _ in range(1000):
        ...     _ = sim.step()
        >>> round(float(sim.body("puck").velocity[0]), 3)
        3.0
        """
        keep: List[Any] = []
        definition = ffi.new("AfxWrenchDef *", lib.afx_default_wrench())
        definition.body = self.body(body)._id
        fill(definition, keep, force=force, torque=torque, point=point, frame=frame)
        for target, signals in ((definition.force_signal, force_signal), (definition.torque_signal, torque_signal)):
            if signals is not None and len(signals) != 3:
                raise ArgumentError("three signals are needed, for x, y and z")
            for k, signal in enumerate(signals or ()):
                _signal(target[k], signal, keep)
        out = ffi.new("AfxWrenchId *")
        self._check(lib.afx_scene_add_wrench(self._pointer, definition, out))
        return Wrench(self, out.index, "", out[0])

    def __repr__(self) -> str:
        return (f"<Scene: {lib.afx_scene_body_count(self._pointer)} bodies, "
                f"{lib.afx_scene_joint_count(self._pointer)} joints, "
                f"{lib.afx_scene_drive_count(self._pointer)} actuators>")


def _signal(target: Any, value: Any, keep: List[Any]) -> None:
    from .signals import as_signal
    as_signal(value)._write(target, keep)


def _three(value: Any) -> Any:
    """Three numbers from one that is for all axes, or as they are."""
    return (value, value, value) if np.ndim(value) == 0 else value


def _six(inertia: Any) -> Array:
    """Three principal values, six numbers or a tensor as xx, yy, zz, xy, xz, yz."""
    array = np.asarray(inertia, dtype=np.float64)
    if array.shape == (3,):
        return np.concatenate([array, np.zeros(3)])
    if array.shape == (3, 3):
        if not np.allclose(array, array.T, rtol=1e-9, atol=0):
            raise ArgumentError("the inertia tensor is not symmetric")
        return array[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]
    return numbers(array, 6, "inertia")


def _index(which: Any, count: int, kind: str) -> int:
    index = int(which)
    if not 0 <= index < count:
        raise ArgumentError(f"there is no {kind} {index}: the scene has {count}")
    return index
