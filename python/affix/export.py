# SPDX-License-Identifier: Apache-2.0
"""Scenes as MJCF and URDF, for MuJoCo, ROS and programs that read their files.

What a format cannot say, or says otherwise, is refused by name. MJCF: kinds of joints that are no hinge, slide, ball or weld, tables of
springs, drives on swing and twist, couplings of more than two coordinates, height fields. URDF: loops,
ball joints, springs, planes, height fields and ellipsoids.

>>> import affix
>>> scene = affix.Scene()
>>> rod = scene.add_body("rod").add_box((1, 0.1, 0.1), position=(0.5, 0, 0), density=1000)
>>> hinge = scene.add_joint("revolute", None, rod, name="hinge", at=(0, 0, 0), axis=(0, 1, 0))
>>> text = affix.export.mjcf(scene)
>>> affix.Model.from_string(text, "mjcf").qpos_names
('hinge',)
>>> affix.Model.from_string(affix.export.urdf(scene), "urdf").qpos_names
('hinge',)
"""

from __future__ import annotations

import math
import struct
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple
from xml.sax.saxutils import quoteattr

import numpy as np

from ._affix import ffi, lib
from ._native import text as _text
from .errors import InputError, check
from .scene import Scene

__all__ = ["mjcf", "urdf"]

_NONE = 0xFFFFFFFF


def _numbers(*values: Any) -> str:
    return " ".join(repr(float(x)) for x in values)


def _vec(v: Any) -> Tuple[float, float, float]:
    return v.x, v.y, v.z


def _place(pose: Any) -> str:
    q = pose.rotation
    return f'pos="{_numbers(*_vec(pose.position))}" quat="{_numbers(q.w, q.x, q.y, q.z)}"'


class _Writer:
    def __init__(self, scene: Scene) -> None:
        self.s = scene._pointer
        self.assets: List[str] = []
        self.actuators: List[str] = []
        self.equalities: List[str] = []
        self.children: Dict[int, List[Tuple[int, Optional[int]]]] = {}
        self.joints = [self._joint(k) for k in range(lib.afx_scene_joint_count(self.s))]
        self.drives: Dict[int, List[Any]] = {}
        for k in range(lib.afx_scene_drive_count(self.s)):
            drive = ffi.new("AfxDriveDef *")
            check(lib.afx_scene_get_drive(self.s, k, drive))
            if drive.coupling.index != _NONE:
                raise InputError(f'drive "{_text(drive.name)}" acts on a coupling', cure="tendons are not written")
            self.drives.setdefault(drive.joint.index, []).append(drive)

    def _joint(self, k: int) -> Any:
        joint = ffi.new("AfxJointDef *")
        check(lib.afx_scene_get_joint(self.s, lib.afx_scene_joint(self.s, k), joint))
        return joint

    def joint_name(self, k: int) -> str:
        return _text(self.joints[k].name) or f"joint {k}"

    def body_name(self, k: int) -> str:
        return _text(lib.afx_scene_body_name(self.s, lib.afx_scene_body(self.s, k))) or f"body {k}"

    # ---- the tree ----

    def plan(self) -> None:
        """Which joint carries each body; the others close loops."""
        bodies = lib.afx_scene_body_count(self.s)
        carried: Dict[int, int] = {}
        one_way = (lib.AFX_JOINT_REVOLUTE, lib.AFX_JOINT_PRISMATIC, lib.AFX_JOINT_SPHERICAL, lib.AFX_JOINT_FIXED)
        for k, joint in enumerate(self.joints):
            body = joint.follower.index
            if joint.kind in one_way and body != _NONE and body not in carried and not self._below(joint.base.index, body,
                                                                                                  carried):
                carried[body] = k
            else:
                self._close(k, joint)
        for body in range(bodies):
            parent = self.joints[carried[body]].base.index if body in carried else _NONE
            self.children.setdefault(parent, []).append((body, carried.get(body)))

    def _below(self, body: int, top: int, carried: Dict[int, int]) -> bool:
        while body != _NONE and body != top:
            body = self.joints[carried[body]].base.index if body in carried else _NONE
        return body == top

    def _close(self, k: int, joint: Any) -> None:
        kinds = {lib.AFX_JOINT_SPHERICAL: "connect", lib.AFX_JOINT_FIXED: "weld"}
        if joint.kind not in kinds or joint.follower.index == _NONE:
            kind = _text(lib.afx_joint_kind_name(joint.kind))
            raise InputError(f'joint "{self.joint_name(k)}" is {kind}, or closes a loop as such',
                             cure="trees of revolute, prismatic, spherical and fixed joints are written, and loops that "
                                  "spherical and fixed ones close")
        other = "" if joint.base.index == _NONE else f" body2={quoteattr(self.body_name(joint.base.index))}"
        anchor = _numbers(*_vec(joint.follower_frame.position))
        self.equalities.append(f'<{kinds[joint.kind]} body1={quoteattr(self.body_name(joint.follower.index))}{other} '
                               f'anchor="{anchor}"/>')

    def tree(self, parent: int = _NONE, indent: str = "    ") -> List[str]:
        lines: List[str] = []
        for body, joint in self.children.get(parent, []):
            definition = ffi.new("AfxBodyDef *")
            identity = lib.afx_scene_body(self.s, body)
            check(lib.afx_scene_get_body(self.s, identity, definition))
            pose = definition.pose
            if joint is not None:
                j = self.joints[joint]
                pose = lib.afx_pose_compose(j.base_frame, lib.afx_pose_invert(j.follower_frame))
            mocap = ' mocap="true"' if definition.kind == lib.AFX_BODY_KINEMATIC else ""
            weight = "" if definition.gravity else ' gravcomp="1"'
            lines.append(f"{indent}<body name={quoteattr(self.body_name(body))} {_place(pose)}{mocap}{weight}>")
            if definition.kind == lib.AFX_BODY_DYNAMIC:
                lines += [indent + "  " + line for line in self._carrier(body, joint)]
            lines += [indent + "  " + line for line in self._geoms(identity, body)]
            lines += self.tree(body, indent + "  ")
            lines.append(f"{indent}</body>")
        return lines

    def _carrier(self, body: int, joint: Optional[int]) -> List[str]:
        mass = ffi.new("AfxMass *")
        check(lib.afx_scene_body_mass(self.s, lib.afx_scene_body(self.s, body), mass))
        lines = [f'<inertial pos="{_numbers(*_vec(mass.center))}" mass="{mass.mass!r}" '
                 f'fullinertia="{_numbers(*mass.inertia)}"/>']
        if joint is None:
            lines.append(f"<freejoint name={quoteattr(self.body_name(body))}/>")
        elif self.joints[joint].kind != lib.AFX_JOINT_FIXED:
            lines.append(self._hinge(joint))
        return lines

    # ---- joints and what acts on them ----

    def _hinge(self, k: int) -> str:
        joint = self.joints[k]
        name = quoteattr(self.joint_name(k))
        kinds = {lib.AFX_JOINT_REVOLUTE: "hinge", lib.AFX_JOINT_PRISMATIC: "slide", lib.AFX_JOINT_SPHERICAL: "ball"}
        axis = lib.afx_quat_rotate(joint.follower_frame.rotation, ffi.new("AfxVec3 *", (1, 0, 0))[0])
        words = [f'<joint name={name} type="{kinds[joint.kind]}" pos="{_numbers(*_vec(joint.follower_frame.position))}" '
                 f'axis="{_numbers(*_vec(axis))}"']
        if joint.armature[0] > 0:
            words.append(f'armature="{joint.armature[0]!r}"')
        damping = 0.0
        for drive in self.drives.get(k, []):
            if joint.kind == lib.AFX_JOINT_SPHERICAL:
                raise InputError(f"a drive acts on the ball {name}", cure="springs and limits of balls are not written")
            damping += self._act(drive, name, words)
        if damping > 0:
            words.append(f'damping="{damping!r}"')
        return " ".join(words) + "/>"

    def _act(self, drive: Any, joint: str, words: List[str]) -> float:
        """Adds a drive to its joint, or an actuator; the damping that it brings comes back."""
        name = _text(drive.name)
        own = f" name={quoteattr(name)}" if name else ""
        force = f' forcerange="{-drive.effort!r} {drive.effort!r}"' if math.isfinite(drive.effort) else ""
        if drive.kind == lib.AFX_DRIVE_LIMIT and math.isfinite(drive.lower) and math.isfinite(drive.upper):
            words.append(f'range="{drive.lower!r} {drive.upper!r}"')
        elif drive.kind == lib.AFX_DRIVE_SPRING and not drive.spring_table.count and not drive.damper_table.count:
            if drive.stiffness > 0:
                words.append(f'stiffness="{drive.stiffness!r}" springref="{drive.rest!r}"')
            return float(drive.damping)
        elif drive.kind == lib.AFX_DRIVE_FRICTION and drive.coefficient == 0:
            words.append(f'frictionloss="{drive.effort!r}"')
        elif drive.kind == lib.AFX_DRIVE_SERVO and drive.from_input:
            kind = "position" if drive.stiffness > 0 else "velocity"
            gain = f'kp="{drive.stiffness!r}" ' if drive.stiffness > 0 else ""
            self.actuators.append(f'<{kind}{own} joint={joint} {gain}kv="{drive.damping!r}"{force}/>')
        elif drive.kind == lib.AFX_DRIVE_FORCE and drive.from_input:
            self.actuators.append(f"<motor{own} joint={joint}{force}/>")
        else:
            raise InputError(f'drive "{name}" of {joint} has no counterpart in MJCF',
                             cure="limits on both sides, plain springs and friction, servos and forces from input are written")
        return 0.0

    def couplings(self) -> None:
        for k in range(lib.afx_scene_coupling_count(self.s)):
            c = ffi.new("AfxCouplingDef *")
            check(lib.afx_scene_get_coupling(self.s, k, c))
            if c.term_count != 2 or c.compliance > 0 or c.inertia > 0:
                raise InputError(f"coupling {k} is not exact and between two coordinates", cure="only such ones are written")
            one, two = (quoteattr(self.joint_name(c.joint[n].index)) for n in (0, 1))
            self.equalities.append(f'<joint joint1={one} joint2={two} polycoef="'
                                   f'{_numbers(c.constant / c.factor[0], -c.factor[1] / c.factor[0], 0, 0, 0)}"/>')

    # ---- shapes ----

    def _geoms(self, identity: Any, body: int) -> List[str]:
        lines: List[str] = []
        for k in range(lib.afx_scene_shape_count(self.s, identity)):
            shape, material = ffi.new("AfxShapeDef *"), ffi.new("AfxMaterialDef *")
            check(lib.afx_scene_get_shape(self.s, identity, k, shape))
            check(lib.afx_scene_get_material(self.s, shape.material, material))
            touch = ('contype="0" conaffinity="0"' if shape.visual else
                     f'contype="{shape.contact_group}" conaffinity="{shape.contact_mask}" '
                     f'friction="{_numbers(material.friction, material.torsional_friction, material.rolling_friction)}"')
            color = shape.color
            look = "" if not color else \
                f' rgba="{_numbers((color >> 16 & 255) / 255, (color >> 8 & 255) / 255, (color & 255) / 255, 1)}"'
            lines.append(f"<geom {self._size(shape, body, k)} {_place(shape.pose)} {touch}{look}/>")
        return lines

    def _size(self, shape: Any, body: int, k: int) -> str:
        r, half, h = shape.radius, shape.length / 2, shape.half_extents
        plain = {lib.AFX_SHAPE_BOX: ("box", _vec(h)), lib.AFX_SHAPE_ELLIPSOID: ("ellipsoid", _vec(h)),
                 lib.AFX_SHAPE_SPHERE: ("sphere", (r,)), lib.AFX_SHAPE_CAPSULE: ("capsule", (r, half)),
                 lib.AFX_SHAPE_CYLINDER: ("cylinder", (r, half)), lib.AFX_SHAPE_PLANE: ("plane", (0, 0, 1))}
        if shape.kind in plain:
            kind, size = plain[shape.kind]
            return f'type="{kind}" size="{_numbers(*size)}"'
        if shape.kind not in (lib.AFX_SHAPE_CONVEX, lib.AFX_SHAPE_MESH):
            raise InputError(f'a shape of body "{self.body_name(body)}" is a height field', cure="use a mesh")
        name = f"mesh {body} {k}"
        points = np.frombuffer(ffi.buffer(shape.vertices, 24 * shape.vertex_count))
        faces = ""
        if shape.kind == lib.AFX_SHAPE_MESH:
            corners = np.frombuffer(ffi.buffer(shape.triangles, 12 * shape.triangle_count), dtype=np.uint32)
            faces = f' face="{" ".join(map(str, corners))}"'
        self.assets.append(f'<mesh name="{name}" vertex="{_numbers(*points)}"{faces}/>')
        return f'type="mesh" mesh="{name}"'


def mjcf(scene: Scene, path: Any = None) -> str:
    """The scene as MJCF, and into a file where ``path`` names one. Joint coordinates are 0 where the file is drawn; the
    posture of the scene is a keyframe "start" where it is another one."""
    from .model import Model
    from .sim import Sim
    writer = _Writer(scene)
    writer.plan()
    lines = writer.tree()
    writer.couplings()
    g = lib.afx_scene_gravity(writer.s)
    out = ['<mujoco>', '  <compiler angle="radian" autolimits="true"/>', f'  <option gravity="{_numbers(*_vec(g))}"/>']
    for name, items in (("asset", writer.assets), ("worldbody", lines), ("equality", writer.equalities),
                        ("actuator", writer.actuators)):
        if items:
            out += [f"  <{name}>"] + [item if name == "worldbody" else "    " + item for item in items] + [f"  </{name}>"]
    text = "\n".join(out + ["</mujoco>", ""])
    drawn, own = Model.from_string(text, "mjcf"), Model.from_scene(scene)
    if drawn.nq == own.nq and set(drawn.qpos_names) == set(own.qpos_names):
        there, here = Sim(drawn), Sim(own)
        q = np.concatenate([here.qpos[own.qpos_slice(name)] for name in drawn.qpos_names]) if own.nq else np.zeros(0)
        if abs(q - there.qpos).max(initial=0.0) > 1e-12:
            text = text.replace("</mujoco>", f'  <keyframe>\n    <key name="start" qpos="{_numbers(*q)}"/>\n  </keyframe>\n'
                                             "</mujoco>")
    if path is not None:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return text


# ---- URDF ----


def _origin(pose: Any) -> str:
    """<origin> of a pose: roll, pitch and yaw about fixed axes."""
    q = pose.rotation
    r, i, j, k = q.w, q.x, q.y, q.z
    sine = max(-1.0, min(1.0, 2 * (r * j - k * i)))
    if abs(sine) > 1 - 1e-12:  # roll and yaw turn about the same axis: one of them does it all
        roll, pitch, yaw = 2 * math.atan2(i, r), math.copysign(math.pi / 2, sine), 0.0
    else:
        roll = math.atan2(2 * (r * i + j * k), 1 - 2 * (i * i + j * j))
        pitch, yaw = math.asin(sine), math.atan2(2 * (r * k + i * j), 1 - 2 * (j * j + k * k))
    return f'<origin xyz="{_numbers(*_vec(pose.position))}" rpy="{_numbers(roll, pitch, yaw)}"/>'


class _Urdf(_Writer):
    """Links have the frames of their bodies, moved to the joint that carries them, as URDF has it."""

    def __init__(self, scene: Scene, folder: Optional[Path]) -> None:
        super().__init__(scene)
        self.folder = folder
        self.lines: List[str] = []
        self.frames: Dict[int, Any] = {}
        self.mimics: Dict[int, str] = {}
        self.roots: List[int] = []

    def plan(self) -> None:
        kinds = (lib.AFX_JOINT_REVOLUTE, lib.AFX_JOINT_PRISMATIC, lib.AFX_JOINT_FIXED)
        carried: Dict[int, int] = {}
        for k, joint in enumerate(self.joints):
            body = joint.follower.index
            if joint.kind not in kinds or body == _NONE or body in carried or self._below(joint.base.index, body, carried):
                raise InputError(f'joint "{self.joint_name(k)}" closes a loop, is reversed, or is no revolute, prismatic or fixed one',
                                 cure="URDF has trees of such; write MJCF or scene JSON instead")
            carried[body] = k
        self.carried = carried
        for body in range(lib.afx_scene_body_count(self.s)):
            self.frames[body] = lib.afx_pose_identity()
            if body in carried:
                self.frames[body].position = self.joints[carried[body]].follower_frame.position

    def _in_link(self, body: int, pose: Any) -> Any:
        return lib.afx_pose_compose(lib.afx_pose_invert(self.frames[body]), pose) if body != _NONE else pose

    def links(self) -> None:
        count = lib.afx_scene_body_count(self.s)
        self.roots = [body for body in range(count) if body not in self.carried]
        grounded = any(joint.base.index == _NONE for joint in self.joints)
        if len(self.roots) != 1 or grounded:
            self.lines.append('<link name="world"/>')
        for body in range(count):
            identity, definition = lib.afx_scene_body(self.s, body), ffi.new("AfxBodyDef *")
            check(lib.afx_scene_get_body(self.s, identity, definition))
            self.lines.append(f"<link name={quoteattr(self.body_name(body))}>")
            if definition.kind == lib.AFX_BODY_DYNAMIC:
                self.lines.append("  " + self._inertial(identity, body))
            self.lines += ["  " + line for line in self._shapes(identity, body)]
            self.lines.append("</link>")
            if body in self.roots and (len(self.roots) != 1 or grounded):
                kind = "floating" if definition.kind == lib.AFX_BODY_DYNAMIC else "fixed"
                self.lines += [f'<joint name={quoteattr(self.body_name(body) + " root")} type="{kind}"><parent link="world"/>'
                               f'<child link={quoteattr(self.body_name(body))}/>{_origin(definition.pose)}</joint>']

    def _inertial(self, identity: Any, body: int) -> str:
        mass = ffi.new("AfxMass *")
        check(lib.afx_scene_body_mass(self.s, identity, mass))
        place = lib.afx_pose_identity()
        place.position = mass.center
        xx, yy, zz, xy, xz, yz = mass.inertia
        return (f'<inertial>{_origin(self._in_link(body, place))}<mass value="{mass.mass!r}"/><inertia ixx="{xx!r}" iyy="{yy!r}" '
                f'izz="{zz!r}" ixy="{xy!r}" ixz="{xz!r}" iyz="{yz!r}"/></inertial>')

    def _shapes(self, identity: Any, body: int) -> List[str]:
        lines: List[str] = []
        for k in range(lib.afx_scene_shape_count(self.s, identity)):
            shape = ffi.new("AfxShapeDef *")
            check(lib.afx_scene_get_shape(self.s, identity, k, shape))
            word = "visual" if shape.visual else "collision"
            for pose, geometry in self._geometry(shape, body, k):
                lines.append(f"<{word}>{_origin(self._in_link(body, pose))}<geometry>{geometry}</geometry></{word}>")
        return lines

    def _geometry(self, shape: Any, body: int, k: int) -> List[Tuple[Any, str]]:
        r, h, pose = shape.radius, shape.half_extents, shape.pose
        if shape.kind == lib.AFX_SHAPE_BOX:
            return [(pose, f'<box size="{_numbers(*(2 * x for x in _vec(h)))}"/>')]
        if shape.kind == lib.AFX_SHAPE_SPHERE:
            return [(pose, f'<sphere radius="{r!r}"/>')]
        if shape.kind in (lib.AFX_SHAPE_CYLINDER, lib.AFX_SHAPE_CAPSULE):
            parts = [(pose, f'<cylinder radius="{r!r}" length="{shape.length!r}"/>')]
            for sign in (-1, 1) if shape.kind == lib.AFX_SHAPE_CAPSULE else ():
                end = lib.afx_pose_identity()
                end.position.z = sign * shape.length / 2
                parts.append((lib.afx_pose_compose(pose, end), f'<sphere radius="{r!r}"/>'))
            return parts
        if shape.kind == lib.AFX_SHAPE_MESH and self.folder is not None:
            return [(pose, f'<mesh filename={quoteattr(self._stl(shape, f"{body}_{k}.stl"))}/>')]
        raise InputError(f'a shape of body "{self.body_name(body)}" is no box, sphere, cylinder or capsule, or a mesh without a '
                         "file", cure="give a path; planes, height fields, ellipsoids and hulls of points are not written")

    def _stl(self, shape: Any, name: str) -> str:
        assert self.folder is not None
        points = np.frombuffer(ffi.buffer(shape.vertices, 24 * shape.vertex_count)).reshape(-1, 3)
        corners = np.frombuffer(ffi.buffer(shape.triangles, 12 * shape.triangle_count), dtype=np.uint32).reshape(-1, 3)
        self.folder.mkdir(parents=True, exist_ok=True)
        with open(self.folder / name, "wb") as file:
            file.write(bytes(80) + struct.pack("<I", len(corners)))
            for a, b, c in points[corners]:
                file.write(struct.pack("<12fH", *np.cross(b - a, c - a), *a, *b, *c, 0))
        return f"{self.folder.name}/{name}"

    def write_joints(self) -> None:
        kinds = {lib.AFX_JOINT_REVOLUTE: "revolute", lib.AFX_JOINT_PRISMATIC: "prismatic", lib.AFX_JOINT_FIXED: "fixed"}
        for k, joint in enumerate(self.joints):
            base, body = joint.base.index, joint.follower.index
            parent = quoteattr(self.body_name(base)) if base != _NONE else '"world"'
            zero = lib.afx_pose_compose(joint.base_frame, lib.afx_pose_invert(joint.follower_frame))  # the body in its base
            origin = self._in_link(base, lib.afx_pose_compose(zero, self.frames[body]))
            kind, parts = kinds[joint.kind], ""
            if joint.kind != lib.AFX_JOINT_FIXED:
                axis = lib.afx_quat_rotate(joint.follower_frame.rotation, ffi.new("AfxVec3 *", (1, 0, 0))[0])
                limits, more = self._acts(k)
                kind = "continuous" if kind == "revolute" and limits is None else kind
                parts = f'<axis xyz="{_numbers(*_vec(axis))}"/>' + more + self.mimics.get(k, "")
            self.lines.append(f'<joint name={quoteattr(self.joint_name(k))} type="{kind}"><parent link={parent}/>'
                              f'<child link={quoteattr(self.body_name(body))}/>{_origin(origin)}{parts}</joint>')

    def _acts(self, k: int) -> Tuple[Optional[Tuple[float, float]], str]:
        limits: Optional[Tuple[float, float]] = None
        effort, damping, friction = 0.0, 0.0, 0.0
        name = self.joint_name(k)
        if self.joints[k].armature[0] > 0:
            raise InputError(f'joint "{name}" has armature', cure="URDF has none; write MJCF instead")
        for drive in self.drives.get(k, []):
            if drive.kind == lib.AFX_DRIVE_LIMIT and math.isfinite(drive.lower) and math.isfinite(drive.upper):
                limits = (drive.lower, drive.upper)
            elif drive.kind == lib.AFX_DRIVE_SPRING and drive.stiffness == 0 and not drive.damper_table.count:
                damping += drive.damping
            elif drive.kind == lib.AFX_DRIVE_FRICTION and drive.coefficient == 0:
                friction += drive.effort
            elif drive.kind in (lib.AFX_DRIVE_FORCE, lib.AFX_DRIVE_SERVO) and drive.from_input:
                effort = drive.effort if math.isfinite(drive.effort) else 1e9
            else:
                raise InputError(f'a drive of joint "{name}" has no counterpart in URDF',
                                 cure="limits on both sides, dampers, friction and efforts are written")
        words = ""
        if limits is not None or effort > 0:
            bounds = "" if limits is None else f'lower="{limits[0]!r}" upper="{limits[1]!r}" '
            words += f'<limit {bounds}effort="{effort!r}" velocity="1000"/>'
        if damping > 0 or friction > 0:
            words += f'<dynamics damping="{damping!r}" friction="{friction!r}"/>'
        return limits, words

    def couplings(self) -> None:
        for k in range(lib.afx_scene_coupling_count(self.s)):
            c = ffi.new("AfxCouplingDef *")
            check(lib.afx_scene_get_coupling(self.s, k, c))
            if c.term_count != 2 or c.compliance > 0 or c.inertia > 0:
                raise InputError(f"coupling {k} is not exact and between two coordinates", cure="only such ones are written")
            other = quoteattr(self.joint_name(c.joint[1].index))
            self.mimics[c.joint[0].index] = (f'<mimic joint={other} multiplier="{-c.factor[1] / c.factor[0]!r}" '
                                             f'offset="{c.constant / c.factor[0]!r}"/>')


def urdf(scene: Scene, path: Any = None, name: str = "robot") -> str:
    """The scene as URDF, and into a file where ``path`` names one; meshes go into a folder beside it. Bodies that nothing
    carries float, fixed ones are fixed to a link "world"; capsules are cylinders with balls at their ends."""
    folder = None if path is None else Path(path).with_suffix("").parent / (Path(path).stem + "_meshes")
    writer = _Urdf(scene, folder)
    writer.plan()
    writer.couplings()
    writer.links()
    writer.write_joints()
    text = "\n".join([f"<robot name={quoteattr(name)}>"] + ["  " + line for line in writer.lines] + ["</robot>", ""])
    if path is not None:
        Path(path).write_text(text, encoding="utf-8")
    return text
