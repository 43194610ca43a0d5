# SPDX-License-Identifier: Apache-2.0
"""Scenes as MJCF, for MuJoCo and programs that read its files.

What MJCF cannot say, or says otherwise, is refused by name: kinds of joints that are no hinge, slide, ball or weld, tables of
springs, drives on swing and twist, couplings of more than two coordinates, height fields.

>>> import affix
>>> scene = affix.Scene()
>>> rod = scene.add_body("rod").add_box((1, 0.1, 0.1), position=(0.5, 0, 0), density=1000)
>>> hinge = scene.add_joint("revolute", None, rod, name="hinge", at=(0, 0, 0), axis=(0, 1, 0))
>>> text = affix.export.mjcf(scene)
>>> affix.Model.from_string(text, "mjcf").qpos_names
('hinge',)
"""

from __future__ import annotations

import math
from typing import Any, Dict, List, Optional, Tuple
from xml.sax.saxutils import quoteattr

import numpy as np

from ._affix import ffi, lib
from ._native import text as _text
from .errors import InputError, check
from .scene import Scene

__all__ = ["mjcf"]

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
