# SPDX-License-Identifier: Apache-2.0
"""Models: a scene, checked as a whole and laid out for speed. A model does not change; one serves many sims."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from . import files
from ._affix import ffi, lib
from ._native import ALLOCATOR, Array, enum_names, fill, pointer, text
from .errors import ArgumentError, ClosedError, check, not_found
from .pose import Pose
from .robot import Name, Names, Robot
from .scene import Scene

__all__ = ["Component", "Model"]

_STRUCTURES = enum_names("AfxStructure", "AFX_STRUCTURE_")
_SOLVERS = enum_names("AfxSolver", "AFX_SOLVER_")
_PARAMETERS = enum_names("AfxParamKind", "AFX_PARAM_")


class Component(NamedTuple):
    """Moving bodies that hang together: what they form, what solves them, and how many constraints there are."""

    structure: str
    solver: str
    bodies: int
    joints: int
    rows: int
    loop_rows: int


class Parameter(NamedTuple):
    """A kind of parameter: ``items`` items of ``size`` numbers, named by the things of ``owner``."""

    kind: int
    name: str
    items: int
    size: int
    owner: Optional[Names]


class Model:
    """A compiled scene.

    >>> import affix
    >>> model = affix.Model.from_case("four-bar")
    >>> model
    <Model: 3 bodies, 4 joints, 1 actuator, 1 marker>
    >>> model.body_names
    ('crank', 'coupler', 'rocker')
    >>> model.components[0].structure
    'chain'
    """

    def __init__(self, scene: Scene, *, solver: str = "auto") -> None:
        definition = ffi.new("AfxModelDef *", lib.afx_default_model())
        fill(definition, [], solver=solver)
        out, error = ffi.new("AfxiPyModel **"), ffi.new("AfxError *")
        check(lib.afxi_py_model_create(scene._pointer, definition, ALLOCATOR, out, error), error)
        self._handle: Any = ffi.gc(out[0], lib.afxi_py_model_drop)
        self._scene, self._edits = scene, scene._edits
        self.notices: List[files.Notice] = list(scene.notices)
        self.run = scene.run
        p, s = self._pointer, scene._pointer
        self._bodies = Names("body", lib.afx_model_body_count(p),
                             lambda k: text(lib.afx_scene_body_name(s, lib.afx_scene_body(s, k))))
        self._joints = Names("joint", lib.afx_model_joint_count(p),
                             lambda k: text(lib.afx_scene_joint_name(s, lib.afx_scene_joint(s, k))))
        self._read_drives(scene)
        self._read_markers(scene)
        self._robot = Robot(self._pointer, scene, self._joints.names, self._bodies.names)
        if self._robot.controls.count:
            self._read_controls()
        self._read_limits(scene)
        self._parameters = self._read_parameters()
        self._joint_first = np.empty(self._joints.count + 1, dtype=np.int64)
        lib.afxi_py_joint_first(p, ffi.cast("int64_t *", self._joint_first.ctypes.data))

    # ---- making one ----

    @classmethod
    def from_scene(cls, scene: Scene, *, solver: str = "auto") -> "Model":
        """Compiles a scene. The scene may be edited afterwards; the model does not notice."""
        return cls(scene, solver=solver)

    @classmethod
    def from_file(cls, path: Any, *, solver: str = "auto", **options: Any) -> "Model":
        """From scene JSON, URDF or MJCF; options are those of :meth:`Scene.load`. What the file says and the engine
        does not honour is in ``notices``."""
        return cls(Scene.load(path, **options), solver=solver)

    @classmethod
    def from_string(cls, text: str, format: str = "json", *, solver: str = "auto", **options: Any) -> "Model":
        """From the text of a file: "json", "urdf" or "mjcf".

        >>> import affix
        >>> model = affix.Model.from_string('''<mujoco><worldbody><body name="ball" pos="0 0 1">
        ...     <freejoint/><geom size="0.1"/></body></worldbody></mujoco>''', "mjcf")
        >>> model.body_names
        ('ball',)
        """
        return cls(Scene.loads(text, format, **options), solver=solver)

    @classmethod
    def from_case(cls, case: str, *, solver: str = "auto", **parameters: Any) -> "Model":
        """From a built-in case and its parameters; :func:`affix.cases` lists them.

        >>> import affix
        >>> affix.Model.from_case("chain", n=5, start="zigzag")
        <Model: 5 bodies, 5 joints, 0 actuators, 1 marker>
        """
        return cls(Scene.from_case(case, **parameters), solver=solver)

    def _read_drives(self, scene: Scene) -> None:
        names, inputs = [], []
        definition = ffi.new("AfxDriveDef *")
        for k in range(lib.afx_scene_drive_count(scene._pointer)):
            check(lib.afx_scene_get_drive(scene._pointer, k, definition))
            names.append(text(definition.name))
            if definition.from_input:
                first = lib.afx_model_joint_coordinate(self._pointer, definition.joint.index)
                aims = definition.kind in (lib.AFX_DRIVE_POSITION, lib.AFX_DRIVE_SERVO)
                aims = aims and definition.axis < lib.AFX_AXIS_SWING and definition.joint.index != 0xFFFFFFFF
                inputs.append((k, first + definition.axis if aims else -1))
        self._drives = Names("actuator", len(names), names.__getitem__)
        self._inputs = np.array([k for k, _ in inputs], dtype=np.uint32)
        self._input_number = {k: number for number, (k, _) in enumerate(inputs)}
        # The coordinate whose value at the start is the first target; -1 where that is 0.
        self._input_start = np.array([coordinate for _, coordinate in inputs], dtype=np.int64)

    def _read_limits(self, scene: Scene) -> None:
        """Limits of generalised coordinates, and whether they depend on each other."""
        p, s = self._pointer, scene._pointer
        self._limits: Array = np.tile([-np.inf, np.inf], (self._robot.nq, 1))
        shown, own, drive = ffi.new("AfxGeneralized *"), ffi.new("AfxGeneralizedDef *"), ffi.new("AfxDriveDef *")
        limits: Dict[Tuple[int, int], Tuple[float, float]] = {}
        for k in range(lib.afx_scene_drive_count(s)):
            check(lib.afx_scene_get_drive(s, k, drive))
            if drive.kind == lib.AFX_DRIVE_LIMIT and drive.joint.index != 0xFFFFFFFF:
                limits[drive.joint.index, drive.axis] = (drive.lower, drive.upper)
        used = set()
        for k in range(lib.afx_model_generalized_count(p)):
            check(lib.afx_model_generalized(p, k, shown))
            used.add(shown.joint)
            if shown.kind == lib.AFX_GENERALIZED_AXIS and (shown.joint, shown.axis) in limits:
                sign, offset = 1.0, 0.0
                if lib.afx_scene_generalized_count(s):
                    check(lib.afx_scene_get_generalized(s, k, own))
                    sign, offset = own.sign, own.offset
                self._limits[shown.qpos] = sorted(sign * x + offset for x in limits[shown.joint, shown.axis])
        definition = ffi.new("AfxJointDef *")
        self._closed = bool(lib.afx_scene_coupling_count(s))
        for k in range(self._joints.count):
            check(lib.afx_scene_get_joint(s, lib.afx_scene_joint(s, k), definition))
            self._closed = self._closed or k not in used

    def _read_controls(self) -> None:
        """Controls of the file take the place of plain inputs."""
        controls = self._robot.control_drives
        aims = dict(zip(self._inputs.tolist(), self._input_start.tolist()))
        self._inputs = np.array(controls, dtype=np.uint32)
        self._input_number = {drive: number for number, drive in enumerate(controls)}
        self._input_start = np.array([aims.get(drive, -1) for drive in controls], dtype=np.int64)

    def _read_markers(self, scene: Scene) -> None:
        names, name = [], ffi.new("char const **")
        body, point = ffi.new("AfxBodyId *"), ffi.new("AfxVec3 *")
        for k in range(lib.afx_scene_marker_count(scene._pointer)):
            check(lib.afx_scene_get_marker(scene._pointer, k, name, body, point))
            names.append(text(name[0]))
        self._markers = Names("marker", len(names), names.__getitem__)
        self._wrenches = Names("wrench", lib.afx_model_wrench_count(self._pointer), lambda k: "")

    def _read_parameters(self) -> Dict[str, Parameter]:
        owners = {"body": self._bodies, "joint": self._joints, "drive": self._drives, "marker": self._markers,
                  "wrench": self._wrenches}
        found, info = {}, ffi.new("AfxParamInfo *")
        for kind in range(len(_PARAMETERS)):
            check(lib.afx_model_param_info(self._pointer, kind, info))
            name = text(info.name)
            owner = self._armatures(info.count) if name == "joint.armature" else owners.get(name.split(".")[0])
            found[name] = Parameter(kind, name, info.count, info.size, owner)
        return found

    def _armatures(self, count: int) -> Names:
        """Names of armatures: those of the coordinates that have some."""
        names, shown = [""] * count, ffi.new("AfxGeneralized *")
        for k in range(lib.afx_model_generalized_count(self._pointer)):
            check(lib.afx_model_generalized(self._pointer, k, shown))
            if shown.kind == lib.AFX_GENERALIZED_AXIS:
                item = lib.afx_model_joint_armature(self._pointer, shown.joint, shown.axis)
                if item != 0xFFFFFFFF:
                    names[item] = self._robot.coordinates.names[k]
        return Names("joint", count, names.__getitem__)

    # ---- life ----

    @property
    def _pointer(self) -> Any:
        if self._handle is None:
            raise ClosedError("the model is closed")
        return lib.afxi_py_model(self._handle)

    def close(self) -> None:
        """Lets go of the model. Its memory is freed when its last sim is gone; making another sim raises."""
        self._handle = None

    def __enter__(self) -> "Model":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # ---- what it has ----

    @property
    def body_names(self) -> Tuple[str, ...]:
        """Names in order, "" where there is none."""
        return self._bodies.names

    @property
    def joint_names(self) -> Tuple[str, ...]:
        """Names in order, "" where there is none."""
        return self._joints.names

    @property
    def actuator_names(self) -> Tuple[str, ...]:
        """Names of all drives in order: motors, servos, springs, limits, friction."""
        return self._drives.names

    @property
    def input_names(self) -> Tuple[str, ...]:
        """Names of ``sim.ctrl`` in order: the controls of a robot's file, or the drives that take input."""
        if self._robot.controls.count:
            return self._robot.controls.names
        return tuple(self._drives.names[k] for k in self._inputs)

    @property
    def input_coordinates(self) -> Any:
        """For each of ``input_names``, the number of the coordinate that its target is a value of; -1 for forces and
        velocities."""
        return self._input_start.copy()

    # ---- as a robot's file has it ----

    @property
    def nq(self) -> int:
        """Length of ``sim.qpos``."""
        return self._robot.nq

    @property
    def nv(self) -> int:
        """Length of ``sim.qvel``."""
        return self._robot.nv

    @property
    def nu(self) -> int:
        """Length of ``sim.ctrl``."""
        return len(self._inputs)

    @property
    def qpos_names(self) -> Tuple[str, ...]:
        """Names of the generalised coordinates in the order of ``sim.qpos``: joints of the file, one by one."""
        return self._robot.coordinates.names

    @property
    def keyframe_names(self) -> Tuple[str, ...]:
        """Names of the keyframes, "" where there is none."""
        return self._robot.keyframes.names

    @property
    def site_names(self) -> Tuple[str, ...]:
        """Names of the sites: frames on bodies, those of bodies that are parts of others included."""
        return self._robot.sites.names

    @property
    def ctrl_range(self) -> Array:
        """[nu, 2]: the range that each control is kept within."""
        if self._robot.controls.count:
            return self._robot.ctrl_range.copy()
        return np.tile([-np.inf, np.inf], (self.nu, 1))

    @property
    def sensor_names(self) -> Tuple[str, ...]:
        """Names of the sensors in the order of ``sim.sensordata``, "" where there is none."""
        return self._robot.sensors.names

    def sensor_slice(self, which: Name) -> slice:
        """Where the readings of a sensor are in ``sim.sensordata``."""
        return self._robot.sensor_slices[self._robot.sensors.index(which)]

    @property
    def qpos_range(self) -> Array:
        """[nq, 2]: limits of the generalised coordinates, infinite where there are none."""
        return self._limits.copy()

    @property
    def closed_kinematics(self) -> bool:
        """Whether loops, couplings or joints without coordinates tie the generalised coordinates to each other."""
        return self._closed

    def qpos_slice(self, which: Name) -> slice:
        """Where a generalised coordinate is in ``sim.qpos``: 1, 4 (ball) or 7 (free body) numbers."""
        return self._robot.slices[self._robot.coordinates.index(which)][0]

    def qvel_slice(self, which: Name) -> slice:
        """Where it is in ``sim.qvel``: 1, 3 or 6 numbers."""
        return self._robot.slices[self._robot.coordinates.index(which)][1]

    @property
    def marker_names(self) -> Tuple[str, ...]:
        """Names in order."""
        return self._markers.names

    @property
    def parameter_names(self) -> Tuple[str, ...]:
        """Kinds of parameters, for :meth:`parameter` and ``sim.set_param``."""
        return tuple(self._parameters)

    def body_index(self, which: Name) -> int:
        """The number of a body: its row in ``sim.q``, ``sim.v`` and ``sim.poses``."""
        return self._bodies.index(which)

    def joint_slice(self, which: Name) -> slice:
        """Where the coordinates of a joint are in ``sim.joint_positions``."""
        joint = self._joints.index(which)
        return slice(int(self._joint_first[joint]), int(self._joint_first[joint + 1]))

    def _joint_definition(self, joint: int) -> Any:
        scene, definition = self._scene._pointer, ffi.new("AfxJointDef *")
        check(lib.afx_scene_get_joint(scene, lib.afx_scene_joint(scene, joint), definition))
        return definition

    def joint_kind(self, which: Name) -> str:
        """The kind of a joint, as in :func:`affix.joint_kinds`."""
        return text(lib.afx_joint_kind_name(self._joint_definition(self._joints.index(which)).kind))

    def joint_bodies(self, which: Name) -> Tuple[Optional[int], Optional[int]]:
        """Base and follower of a joint by their numbers; None is the world.

        >>> import affix
        >>> model = affix.Model.from_case("four-bar")
        >>> [model.joint_bodies(joint) for joint in range(4)]
        [(None, 0), (0, 1), (1, 2), (None, 2)]
        """
        definition = self._joint_definition(self._joints.index(which))
        return _body_number(definition.base), _body_number(definition.follower)

    def _joint_base(self, joint: int) -> Tuple[Optional[int], Pose]:
        """The base of a joint and the joint's frame on it, as the scene has them."""
        definition = self._joint_definition(joint)
        return _body_number(definition.base), Pose._read(definition.base_frame)

    def body_frame(self, which: Name) -> Pose:
        """The principal frame of a body in its own frame: what the raw coordinates ``sim.q`` map to the world."""
        out = ffi.new("AfxPose *")
        check(lib.afx_model_body_frame(self._pointer, self._bodies.index(which), out))
        return Pose._read(out)

    @property
    def coordinate_count(self) -> int:
        """Joint coordinates of all joints."""
        return int(self._joint_first[-1])

    @property
    def coordinate_joints(self) -> Any:
        """[coordinates]: the number of the joint that each coordinate is one of."""
        return np.repeat(np.arange(self._joints.count), np.diff(self._joint_first))

    @property
    def components(self) -> Tuple[Component, ...]:
        """What hangs together, and how it is solved."""
        found, out = [], ffi.new("AfxComponent *")
        for k in range(lib.afx_model_component_count(self._pointer)):
            check(lib.afx_model_component(self._pointer, k, out))
            found.append(Component(_STRUCTURES[out.structure], _SOLVERS[out.solver], out.bodies, out.joints, out.rows,
                                   out.loop_rows))
        return tuple(found)

    @property
    def hash(self) -> int:
        """Equal scenes give equal hashes."""
        return lib.afx_model_hash(self._pointer)

    @property
    def size(self) -> float:
        """The diagonal of the box around all bodies at the start, m."""
        return lib.afx_model_size(self._pointer)

    def parameter(self, name: str) -> Array:
        """The defaults of a kind of parameter, [items, numbers], or [items] for one number each.

        >>> import affix
        >>> affix.Model.from_case("pendulum").parameter("body.mass").round(12)
        array([10.])
        """
        row, info = self._parameter(name), ffi.new("AfxParamInfo *")
        check(lib.afx_model_param_info(self._pointer, row.kind, info))
        block = lib.afx_model_params(self._pointer, ffi.NULL)
        values = np.empty((row.items, row.size))
        ffi.memmove(pointer(values), block + info.offset, values.nbytes)
        return values[:, 0] if row.size == 1 else values

    def _parameter(self, name: str) -> Parameter:
        if name not in self._parameters:
            raise not_found("parameter", name, self._parameters)
        return self._parameters[name]

    def save(self, path: Any) -> None:
        """Writes the scene that the model was made from as scene JSON."""
        self._unchanged_scene().save(path)

    def _unchanged_scene(self) -> Scene:
        if self._scene._edits != self._edits:
            raise ClosedError("the scene was edited after this model was made from it", cure="make the model anew")
        return self._scene

    def __repr__(self) -> str:
        if self._handle is None:
            return "<Model: closed>"
        parts = [_counted(self._bodies.count, "body", "bodies"), _counted(self._joints.count, "joint"),
                 _counted(self._drives.count, "actuator"), _counted(self._markers.count, "marker")]
        return f"<Model: {', '.join(parts)}>"


def _body_number(identity: Any) -> Optional[int]:
    world = lib.afx_world()
    return None if identity.index == world.index and identity.scene == world.scene else identity.index


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"
