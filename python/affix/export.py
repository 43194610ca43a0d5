# SPDX-License-Identifier: Apache-2.0
"""Scenes as MJCF and URDF, for MuJoCo, ROS and programs that read their files.

What a format cannot say, or says otherwise, is refused by name. MJCF: kinds of joints that are no hinge, slide, ball or weld, tables of
springs, drives on swing and twist, several springs or limits on a coordinate, exact couplings of more than two coordinates, height fields,
controls of drives that are no servo or force, ranges of controls and activations with one end, activations that do not start at 0, magnetometers in different fields.
Tendons, actuators, sensors, sites, keyframes and cameras are written; of materials friction alone. URDF: loops,
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
import re
import struct
from pathlib import Path
from typing import Any, Dict, List, Optional, Tuple
from xml.sax.saxutils import quoteattr

import numpy as np

from ._affix import ffi, lib
from ._native import set_pose
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


def _quaternion(r: Any) -> Tuple[float, float, float, float]:
    """w, x, y, z of a rotation matrix, from its largest part."""
    squares = [1 + r[0, 0] + r[1, 1] + r[2, 2], 1 + r[0, 0] - r[1, 1] - r[2, 2], 1 - r[0, 0] + r[1, 1] - r[2, 2],
               1 - r[0, 0] - r[1, 1] + r[2, 2]]
    w, x, y, z = (np.array(row) for row in (
        (squares[0], r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1]),
        (r[2, 1] - r[1, 2], squares[1], r[0, 1] + r[1, 0], r[0, 2] + r[2, 0]),
        (r[0, 2] - r[2, 0], r[0, 1] + r[1, 0], squares[2], r[1, 2] + r[2, 1]),
        (r[1, 0] - r[0, 1], r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], squares[3])))
    best = (w, x, y, z)[int(np.argmax(squares))]
    best = best / np.linalg.norm(best)
    return float(best[0]), float(best[1]), float(best[2]), float(best[3])


def _range(word: str, lower: float, upper: float, what: str) -> List[str]:
    """A range as an attribute, which has two ends; nothing where there is none."""
    if math.isfinite(lower) != math.isfinite(upper):
        raise InputError(f"{what} has a range with one end: {lower!r} to {upper!r}", cure="give both ends, or none")
    return [f'{word}="{lower!r} {upper!r}"'] if math.isfinite(lower) else []


class _Writer:
    def __init__(self, scene: Scene) -> None:
        self.s = scene._pointer
        self.assets: List[str] = []
        self.actuators: List[str] = []
        self.equalities: List[str] = []
        self.children: Dict[int, List[Tuple[int, Optional[int]]]] = {}
        self.extras: Dict[int, List[str]] = {}
        self.free_names: Dict[int, str] = {}
        for k in range(lib.afx_scene_generalized_count(self.s)):
            g = self._get("AfxGeneralizedDef *", lib.afx_scene_get_generalized, k)
            if g.kind == lib.AFX_GENERALIZED_FREE:
                self.free_names[g.body.index] = _text(g.name)
        self.names: List[str] = []  # of the coordinates
        self.readings: List[Any] = []
        self.sites: List[Tuple[str, int, Any]] = []
        self.tendons: List[str] = []
        self.sensors: List[str] = []
        self.excluded: List[str] = []
        self.keyframes: List[str] = []
        self.joints = [self._joint(k) for k in range(lib.afx_scene_joint_count(self.s))]
        self.drives: Dict[int, List[Any]] = {}
        self.tendon_drives: Dict[int, List[Any]] = {}
        self.all_drives: List[Any] = []
        for k in range(lib.afx_scene_drive_count(self.s)):
            drive = ffi.new("AfxDriveDef *")
            check(lib.afx_scene_get_drive(self.s, k, drive))
            self.all_drives.append(drive)
        self.controls = [self._get("AfxControlDef *", lib.afx_scene_get_control, k)
                         for k in range(lib.afx_scene_control_count(self.s))]
        led = {c.drive.index for c in self.controls if c.drive.index != _NONE}
        led |= {c.safety.brake.index for c in self.controls if c.safety.brake.index != _NONE}
        for k, drive in enumerate(self.all_drives):
            on = self.tendon_drives if drive.coupling.index != _NONE else self.drives
            if k not in led:
                on.setdefault(drive.coupling.index if on is self.tendon_drives else drive.joint.index, []).append(drive)

    def _get(self, kind: str, call: Any, k: int) -> Any:
        out = ffi.new(kind)
        check(call(self.s, k, out))
        return out

    def _joint(self, k: int) -> Any:
        joint = ffi.new("AfxJointDef *")
        check(lib.afx_scene_get_joint(self.s, lib.afx_scene_joint(self.s, k), joint))
        return joint

    def joint_name(self, k: int) -> str:
        return _text(self.joints[k].name) or f"joint {k}"

    def body_name(self, k: int) -> str:
        name = _text(lib.afx_scene_body_name(self.s, lib.afx_scene_body(self.s, k))) or f"body {k}"
        return name if name != "world" else "world body"  # which every file has

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
        name = f"loop {self.joint_name(k)}"
        self.frame(joint.follower.index, name + " follower", joint.follower_frame)
        self.frame(joint.base.index, name + " base", joint.base_frame)
        self.equalities.append(f'<{kinds[joint.kind]} site1={quoteattr(name + " follower")} site2={quoteattr(name + " base")}/>')

    def frame(self, body: int, name: str, pose: Any, more: str = "") -> None:
        """A site that is written with its body, or the world."""
        self.extras.setdefault(body, []).append(f"<site name={quoteattr(name)} {_place(pose)}{more}/>")

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
            lines += [indent + "  " + line for line in self.extras.get(body, [])]
            lines += self.tree(body, indent + "  ")
            lines.append(f"{indent}</body>")
        return lines

    def _carrier(self, body: int, joint: Optional[int]) -> List[str]:
        mass = ffi.new("AfxMass *")
        check(lib.afx_scene_body_mass(self.s, lib.afx_scene_body(self.s, body), mass))
        lines = [f'<inertial pos="{_numbers(*_vec(mass.center))}" mass="{mass.mass!r}" '
                 f'fullinertia="{_numbers(*mass.inertia)}"/>']
        if joint is None:
            name = self.free_names.get(body, self.body_name(body))
            lines.append(f"<freejoint name={quoteattr(name)}/>" if name else "<freejoint/>")
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
        spring = joint.spring
        if _vec(spring.damping) != (0, 0, 0) or _vec(spring.stiffness) != (0, 0, 0):
            if len(set(_vec(spring.damping))) > 1 or len(set(_vec(spring.stiffness))) > 1:
                raise InputError(f"the spring of the ball {name} differs by axis", cure="give it one stiffness and one damping")
            words.append(f'stiffness="{spring.stiffness.x!r}" damping="{spring.damping.x!r}"')
        for drive in self._of_ball(self.drives.get(k, []), joint, words):
            if joint.kind == lib.AFX_JOINT_SPHERICAL:
                raise InputError(f"a drive acts on the ball {name}",
                                 cure="a limit of its angle and equal springs on its three axes are written")
            damping += self._act(drive, f"joint={name}", words)
        if damping > 0:
            words.append(f'damping="{damping!r}"')
        self._once(words[1:], f"joint {name}")
        return " ".join(words) + "/>"

    @staticmethod
    def _once(words: List[str], what: str) -> None:
        """Refuses what would stand there twice: two springs with their own rest, say."""
        names = re.findall(r'(\w+)="', " ".join(words))
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"{what} would have {name} more than once", cure="make one of the drives that bring it")

    def _of_ball(self, drives: List[Any], joint: Any, words: List[str]) -> List[Any]:
        """What of the drives is not a limit of a ball's angle, or equal springs on its three angles."""
        if joint.kind != lib.AFX_JOINT_SPHERICAL:
            return drives
        springs = [d for d in drives if d.kind == lib.AFX_DRIVE_SPRING and not d.spring_table.count and not d.damper_table.count]
        limits = [d for d in drives if d.kind == lib.AFX_DRIVE_LIMIT and d.axis == lib.AFX_AXIS_ANGLE]
        if sorted(d.axis for d in springs) == [0, 1, 2] and len({(d.stiffness, d.damping, d.rest) for d in springs}) == 1 and springs[0].rest == 0:
            words.append(f'stiffness="{springs[0].stiffness!r}" damping="{springs[0].damping!r}"')
            drives = [d for d in drives if d not in springs]
        for limit in limits[:1]:
            words.append(f'range="0.0 {limit.upper!r}"')
            drives = [d for d in drives if d is not limit]
        return drives

    def _act(self, drive: Any, on: str, words: List[str]) -> float:
        """Adds a drive to its joint or tendon, or an actuator on="name"; the damping that it brings comes back."""
        name = _text(drive.name)
        own = f" name={quoteattr(name)}" if name else ""
        force = f' forcerange="{-drive.effort!r} {drive.effort!r}"' if math.isfinite(drive.effort) else ""
        if drive.kind == lib.AFX_DRIVE_LIMIT and math.isfinite(drive.lower) and math.isfinite(drive.upper) and drive.restitution == 0:
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
            self.actuators.append(f'<{kind}{own} {on} {gain}kv="{drive.damping!r}"{force}/>')
        elif drive.kind == lib.AFX_DRIVE_FORCE and drive.from_input:
            self.actuators.append(f"<motor{own} {on}{force}/>")
        else:
            raise InputError(f'drive "{name}" of {on} has no counterpart in MJCF',
                             cure="limits on both sides without restitution, plain springs and friction, servos and forces from input are written")
        return 0.0

    def couplings(self) -> None:
        for k in range(lib.afx_scene_coupling_count(self.s)):
            c = ffi.new("AfxCouplingDef *")
            check(lib.afx_scene_get_coupling(self.s, k, c))
            if c.inertia > 0:
                self._tendon(k, c)
                continue
            if c.term_count != 2 or c.compliance > 0:
                raise InputError(f"coupling {k} is not exact and between two coordinates", cure="only such ones are written")
            one, two = (quoteattr(self.joint_name(c.joint[n].index)) for n in (0, 1))
            self.equalities.append(f'<joint joint1={one} joint2={two} polycoef="'
                                   f'{_numbers(c.constant / c.factor[0], -c.factor[1] / c.factor[0], 0, 0, 0)}"/>')

    # ---- tendons ----

    def tendon_name(self, k: int) -> str:
        return _text(self._get("AfxCouplingDef *", lib.afx_scene_get_coupling, k).name) or f"tendon {k}"

    def _tendon(self, k: int, c: Any) -> None:
        name, damping = self.tendon_name(k), 0.0
        parts: List[str] = []
        words: List[str] = []
        path = [c.path[n] for n in range(c.path_count)] if c.path_count else []
        for n, item in enumerate(path):
            parts.append(self._path_item(f"{name} {n}", item))
        if not path:
            if c.constant != 0:
                raise InputError(f'coupling "{name}" has a constant', cure="tendons are sums of coordinates")
            parts = [f'<joint joint={quoteattr(self.joint_name(c.joint[n].index))} coef="{c.factor[n]!r}"/>'
                     for n in range(c.term_count)]
        for drive in self.tendon_drives.get(k, []):
            damping += self._on_tendon(drive, name, words)
        if damping > 0:
            words.append(f'damping="{damping!r}"')
        self._once(words, f'tendon "{name}"')
        kind = "spatial" if path else "fixed"
        self.tendons += [f'<{kind} name={quoteattr(name)} armature="{c.inertia!r}"{"".join(" " + w for w in words)}>',
                         *("  " + part for part in parts), f"</{kind}>"]

    def _on_tendon(self, drive: Any, name: str, words: List[str]) -> float:
        if drive.kind == lib.AFX_DRIVE_SPRING and drive.stiffness > 0 and not drive.spring_table.count and not drive.damper_table.count:
            words.append(f'stiffness="{drive.stiffness!r}" springlength="{drive.rest!r}"')
            return float(drive.damping)
        return self._act(drive, f"tendon={quoteattr(name)}", words)

    def _path_item(self, name: str, item: Any) -> str:
        if item.kind == lib.AFX_PATH_PULLEY:
            return f'<pulley divisor="{item.divisor!r}"/>'
        if item.kind == lib.AFX_PATH_POINT:
            self.frame(item.body.index, name, item.pose)
            return f"<site site={quoteattr(name)}/>"
        kind, half = ("sphere", "") if item.kind == lib.AFX_PATH_SPHERE else ("cylinder", f" {item.radius!r}")
        self.extras.setdefault(item.body.index, []).append(
            f'<geom name={quoteattr(name)} type="{kind}" size="{item.radius!r}{half}" {_place(item.pose)} contype="0" conaffinity="0" '
            'mass="0"/>')
        side = ""
        if item.sided:
            self.frame(item.body.index, name + " side", ffi.new("AfxPose *", (item.side, (1, 0, 0, 0)))[0])
            side = f" sidesite={quoteattr(name + ' side')}"
        return f"<geom geom={quoteattr(name)}{side}/>"

    # ---- controls ----

    def control_name(self, k: int) -> str:
        return _text(self.controls[k].name) or f"control {k}"

    def write_controls(self) -> None:
        told = {s.object for s in self.readings if s.kind == lib.AFX_SENSOR_ACTUATOR_POSITION}
        for k, c in enumerate(self.controls):
            what = f'control "{self.control_name(k)}"'
            words = [f"<general name={quoteattr(self.control_name(k))}"]
            if c.drive.index != _NONE:
                words += self._driven(c, self.all_drives[c.drive.index], what)
                if k in told and c.length != 0:
                    raise InputError(f"{what} has a length where its coordinate is 0, which a sensor tells",
                                     cure="give it the length 0, or leave the sensor out")
            elif c.adhesion.index != _NONE:
                words.append(f'body={quoteattr(self.body_name(c.adhesion.index))} gainprm="{c.gain!r}"')
            else:
                wrench = self._get("AfxWrenchDef *", lib.afx_scene_get_wrench, c.wrench.index)
                site = f"control {k} site"
                if wrench.frame != lib.AFX_FRAME_BODY:
                    raise InputError(f"{what} is a wrench in world axes", cure="give it those of its body")
                self.frame(wrench.body.index, site, ffi.new("AfxPose *", (wrench.point, (1, 0, 0, 0)))[0])
                words.append(f'site={quoteattr(site)} gear="{_numbers(*c.direction)}" gainprm="{c.gain!r}"')
            words += _range("ctrlrange", c.lower, c.upper, what) + self._activation(c.activation, what)
            self.actuators.append(" ".join(words) + "/>")

    def _driven(self, c: Any, drive: Any, what: str) -> List[str]:
        if drive.kind not in (lib.AFX_DRIVE_SERVO, lib.AFX_DRIVE_FORCE):
            raise InputError(f"{what} gives a position or velocity that is held exactly", cure="make its drive a servo")
        if drive.joint.index != _NONE and self.joints[drive.joint.index].kind not in (lib.AFX_JOINT_REVOLUTE, lib.AFX_JOINT_PRISMATIC):
            raise InputError(f"{what} acts on no hinge or slide", cure="MJCF has actuators along these and along tendons")
        on = (f"tendon={quoteattr(self.tendon_name(drive.coupling.index))}" if drive.coupling.index != _NONE else
              f"joint={quoteattr(self.joint_name(drive.joint.index))}")
        gear = c.gear if c.gear != 0 else 1.0
        words = [on, f'gear="{gear!r}"']
        if math.isfinite(drive.effort):
            most = drive.effort / abs(gear)
            words.append(f'forcerange="{-most!r} {most!r}"')
        if c.safety.brake.index != _NONE:
            raise InputError(f"{what} has the bounds of a safety controller", cure="write URDF, or leave them out")
        if c.damping > 0:
            return words + [f'gaintype="affine" gainprm="0 0 {-c.damping / gear**2!r}"']
        if c.muscle.force > 0:
            m = c.muscle
            law = _numbers(m.range[0], m.range[1], m.force, 0, m.lmin, m.lmax, m.vmax, m.fpmax, m.fvmax)
            return words + [f'gaintype="muscle" biastype="muscle" gainprm="{law}" biasprm="{law}" '
                            f'lengthrange="{_numbers(m.length[0] - m.offset, m.length[1] - m.offset)}"']
        servo = drive.kind == lib.AFX_DRIVE_SERVO
        scale = drive.stiffness if servo and drive.stiffness > 0 else drive.damping if servo else 1.0
        bias = (c.offset * scale / gear, -drive.stiffness / gear**2, -drive.damping / gear**2) if servo else (c.offset / gear, 0, 0)
        return words + [f'gainprm="{c.gain * scale / gear!r}" biastype="affine" biasprm="{_numbers(*bias)}"']

    @staticmethod
    def _activation(a: Any, what: str) -> List[str]:
        if a.kind == lib.AFX_ACTIVATION_NONE:
            return []
        if a.start != 0:
            raise InputError(f"the activation of {what} starts at {a.start!r}", cure="those of MJCF start at 0")
        return [f'dyntype="{_text(lib.afx_activation_name(a.kind))}" dynprm="{_numbers(*a.time)}"',
                *_range("actrange", a.lower, a.upper, f"the activation of {what}")]

    # ---- sites, sensors, keyframes, exclusions ----

    def write_sites(self) -> None:
        """Sites, with the volumes of sensors that are on them."""
        volumes: Dict[int, str] = {}
        self.readings = [self._get("AfxSensorDef *", lib.afx_scene_get_sensor, k)
                         for k in range(lib.afx_scene_sensor_count(self.s))]
        kinds = {lib.AFX_SHAPE_BOX: "box", lib.AFX_SHAPE_SPHERE: "sphere", lib.AFX_SHAPE_CAPSULE: "capsule",
                 lib.AFX_SHAPE_CYLINDER: "cylinder", lib.AFX_SHAPE_ELLIPSOID: "ellipsoid"}
        for s in self.readings:
            if s.zone:
                kind, size = kinds[s.zone - 1], list(s.zone_size)
                size[1] /= 2 if kind in ("capsule", "cylinder") else 1
                on = s.reference if s.kind == lib.AFX_SENSOR_INSIDE else s.inside if s.kind == lib.AFX_SENSOR_CONTACT else s.object
                volumes[on] = f' type="{kind}" size="{_numbers(*size)}"'
        for k in range(lib.afx_scene_site_count(self.s)):
            name, body, pose = ffi.new("char **"), ffi.new("AfxBodyId *"), ffi.new("AfxPose *")
            check(lib.afx_scene_get_site(self.s, k, name, body, pose))
            self.sites.append((_text(name[0]) or f"site {k}", body.index, pose[0]))
            self.frame(body.index, self.sites[-1][0], pose[0], volumes.get(k, ""))

    def write_sensors(self) -> None:
        bodied = (lib.AFX_SENSOR_SUBTREE_CENTER, lib.AFX_SENSOR_SUBTREE_VELOCITY, lib.AFX_SENSOR_SUBTREE_MOMENTUM)
        for k, s in enumerate(self.readings):
            kind = _text(lib.afx_sensor_name(s.kind))
            words = [f"<{kind} name={quoteattr(_text(s.name) or f'sensor {k}')}"]
            site = self.sites[s.object][0] if s.object < len(self.sites) else ""
            if kind.startswith("frame"):
                words.append(f'objtype="site" objname={quoteattr(site)}')
                if s.reference != _NONE:
                    words.append(f'reftype="site" refname={quoteattr(self.sites[s.reference][0])}')
            elif kind == "insidesite":
                words.append(f'site={quoteattr(self.sites[s.reference][0])} objtype="site" objname={quoteattr(site)}')
            elif kind == "camprojection":
                words.append(f"site={quoteattr(site)} camera={quoteattr(self._eye(k, s))}")
            elif kind in ("distance", "normal", "fromto"):
                words += [f"{'geom' if part != _NONE else 'body'}{n}="
                          f"{quoteattr(f'geom {body} {part}' if part != _NONE else self.body_name(body))}"
                          for n, body, part in ((1, s.object, s.part[0]), (2, s.reference, s.part[1]))]
            elif kind == "contact":
                words += self._contact(s, site)
            elif s.kind in bodied:
                words.append(f"body={quoteattr(self.body_name(self.sites[s.object][1]))}")
            elif kind.startswith("tendon"):
                words.append(f"tendon={quoteattr(self.tendon_name(s.object))}")
            elif kind.startswith("actuator"):
                words.append(f"actuator={quoteattr(self.control_name(s.object))}")
            elif kind.startswith(("joint", "ball")):
                words.append(f"joint={quoteattr(self._coordinate(s.object))}")
            elif kind not in ("clock", "e_potential", "e_kinetic"):
                words.append(f"site={quoteattr(site)}")
            words += [f'{key}="{value!r}"' for key, value in (("cutoff", s.cutoff), ("noise", s.noise)) if value > 0]
            self.sensors.append(" ".join(words) + "/>")

    def _contact(self, s: Any, site: str) -> List[str]:
        told = ("found", "force", "torque", "dist", "pos", "normal", "tangent")
        words = [f'num="{s.slots}" data="{" ".join(word for n, word in enumerate(told) if s.data >> n & 1)}" '
                 f'reduce="{("none", "mindist", "maxforce", "netforce")[s.reduce]}"']
        for n, body in ((0, s.object), (1, s.reference)):
            if body != _NONE and s.part[n] != _NONE:
                words.append(f"geom{n + 1}={quoteattr(f'geom {body} {s.part[n]}')}")
            elif body != _NONE:
                words.append(f"{'subtree' if s.subtree[n] else 'body'}{n + 1}={quoteattr(self.body_name(body))}")
        return words + ([f"site={quoteattr(self.sites[s.inside][0])}"] if s.inside != _NONE else [])

    def magnetic(self) -> str:
        """The field of all magnetometers, as an attribute of <option>."""
        fields = {_vec(s.field) for s in self.readings if s.kind == lib.AFX_SENSOR_MAGNETOMETER}
        if len(fields) > 1:
            raise InputError("magnetometers are in different fields", cure="a file has one field: give them all the same")
        return "".join(f' magnetic="{_numbers(*field)}"' for field in fields)

    def _coordinate(self, k: int) -> str:
        return self.names[k]

    def _eye(self, k: int, s: Any) -> str:
        name, (_, body, pose) = f"camera {k}", self.sites[s.reference]
        self.extras.setdefault(body, []).append(f'<camera name="{name}" {_place(pose)} fovy="{math.degrees(s.field.x)!r}" '
                                                f'resolution="{round(s.field.y)} {round(s.field.z)}"/>')
        return name

    def write_cameras(self, cameras: Any) -> None:
        """Cameras of a run; those that look at something without being carried are drawn where they start."""
        names = {self.body_name(k): k for k in range(lib.afx_scene_body_count(self.s))}
        for camera in cameras:
            body = names.get(camera.follow, _NONE) if camera.follow else _NONE
            words = f' fovy="{math.degrees(camera.field_of_view)!r}"' if camera.field_of_view else ""
            pose = ffi.new("AfxPose *")
            if camera.pose is not None:
                set_pose(pose[0], camera.pose)
            else:
                pose[0] = self._looking(camera, body)
                words += ' mode="track"' if body != _NONE else ""
            self.extras.setdefault(body, []).append(f"<camera name={quoteattr(camera.name)} {_place(pose[0])}{words}/>")

    def _looking(self, camera: Any, body: int) -> Any:
        """The frame of a camera that looks at its target, up being z, in the frame of its body as that starts."""
        back = np.subtract(camera.position, camera.target)
        back = back / max(float(np.linalg.norm(back)), 1e-300)
        right = np.cross((0.0, 1.0, 0.0) if abs(back[2]) > 1 - 1e-9 else (0.0, 0.0, 1.0), back)
        right = right / np.linalg.norm(right)
        r = np.column_stack([right, np.cross(back, right), back])
        turn = ffi.new("AfxQuat *", _quaternion(r))
        pose = ffi.new("AfxPose *", (tuple(camera.position), turn[0]))
        if body == _NONE:
            return pose[0]
        definition = ffi.new("AfxBodyDef *")
        check(lib.afx_scene_get_body(self.s, lib.afx_scene_body(self.s, body), definition))
        return lib.afx_pose_compose(lib.afx_pose_invert(definition.pose), pose[0])

    def write_exclusions(self) -> None:
        for k in range(lib.afx_scene_exclusion_count(self.s)):
            a, b = ffi.new("AfxBodyId *"), ffi.new("AfxBodyId *")
            check(lib.afx_scene_get_exclusion(self.s, k, a, b))
            self.excluded.append(f"<exclude body1={quoteattr(self.body_name(a.index))} body2={quoteattr(self.body_name(b.index))}/>")

    # ---- shapes ----

    def _geoms(self, identity: Any, body: int) -> List[str]:
        lines: List[str] = []
        for k in range(lib.afx_scene_shape_count(self.s, identity)):
            shape, material = ffi.new("AfxShapeDef *"), ffi.new("AfxMaterialDef *")
            check(lib.afx_scene_get_shape(self.s, identity, k, shape))
            check(lib.afx_scene_get_material(self.s, shape.material, material))
            touch = ('contype="0" conaffinity="0"' if shape.visual else
                     f'contype="{shape.contact_group}" conaffinity="{shape.contact_mask}" '
                     f'friction="{_numbers(material.friction, material.torsional_friction, material.rolling_friction)}"'
                     + (f' margin="{material.margin!r}"' if material.margin > 0 else ""))
            color = shape.color
            look = "" if not color else \
                f' rgba="{_numbers((color >> 16 & 255) / 255, (color >> 8 & 255) / 255, (color & 255) / 255, 1)}"'
            lines.append(f"<geom name=\"geom {body} {k}\" {self._size(shape, body, k)} {_place(shape.pose)} {touch}{look}/>")
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


def _in_order(own: Any, drawn: Any, values: Any, rates: bool = False) -> Any:
    """Coordinates of one model, or their rates, in the order of another with the same names."""
    if own.qpos_names == drawn.qpos_names:
        return np.asarray(values)
    places = own.qvel_slice if rates else own.qpos_slice
    return np.concatenate([values[places(name)] for name in drawn.qpos_names]) if own.nq else np.zeros(0)


def _inputs(writer: _Writer, own: Any, drawn: Any, values: Any) -> Any:
    """Controls of one model in the order of the actuators that are written; empty where all are 0 and have no names."""
    names = [writer.control_name(k) for k in range(len(writer.controls))] or list(own.input_names)
    if drawn.nu != len(writer.actuators) or not set(names) <= set(drawn.input_names) or len(set(names)) < len(names):
        if not np.any(values):
            return []
        raise InputError("controls of a keyframe, or of the start, are of drives without a name or counterpart",
                         cure="give all drives that take input a name of their own")
    given = dict(zip(names, values))
    return [given.get(name, 0.0) for name in drawn.input_names]


def _keyframes(writer: _Writer, own: Any, drawn: Any) -> List[str]:
    """Keyframes, and where the scene starts if that is not as the file is drawn."""
    from .sim import Sim
    there, here = Sim(drawn), Sim(own)
    if drawn.nq != own.nq or sorted(drawn.qpos_names) != sorted(own.qpos_names):
        moved = any(abs(here.body(k).position - there.body(writer.body_name(k)).position).max() > 1e-9
                    for k in range(len(own.body_names)) if writer.body_name(k) in drawn.body_names)
        if own.keyframe_names or moved:
            raise InputError("keyframes, or a start that is not as drawn, are of coordinates that the file does not have by their names",
                             cure="give every joint a name of its own, and add no coordinates to the scene")
        return []

    def row(name: str, time: float) -> str:
        words = [f'    <key name={quoteattr(name)} qpos="{_numbers(*_in_order(own, drawn, here.qpos))}"']
        rates, inputs = _in_order(own, drawn, here.qvel, True), _inputs(writer, own, drawn, here.ctrl)
        words += [f'qvel="{_numbers(*rates)}"'] if np.any(rates) else []
        words += [f'ctrl="{_numbers(*inputs)}"'] if len(inputs) else []
        return " ".join(words + ([f'time="{time!r}"'] if time else [])) + "/>"

    rows: List[str] = []
    if abs(_in_order(own, drawn, here.qpos) - there.qpos).max(initial=0.0) > 1e-12 or np.any(here.qvel) or np.any(here.ctrl):
        rows.append(row("start" if "start" not in own.keyframe_names else "start of the scene", 0.0))
    for k, key in enumerate(own.keyframe_names):
        here.reset(key or k)
        rows.append(row(key or f"key {k}", writer._get("AfxKeyframeDef *", lib.afx_scene_get_keyframe, k).time))
    return rows


def mjcf(scene: Scene, path: Any = None, cameras: Any = ()) -> str:
    """The scene as MJCF, and into a file where ``path`` names one; ``cameras`` are those of its :class:`affix.Run`. Joint coordinates are 0 where the file is drawn; the
    posture, velocities and controls that the scene starts with are a keyframe "start" where they are others."""
    from .model import Model
    own = Model.from_scene(scene)
    writer = _Writer(scene)
    writer.names = list(own.qpos_names)
    writer.plan()
    writer.couplings()
    writer.write_sites()
    writer.write_controls()
    writer.write_sensors()
    writer.write_cameras(cameras)
    writer.write_exclusions()
    lines = ["    " + line for line in writer.extras.get(_NONE, [])] + writer.tree()
    g = lib.afx_scene_gravity(writer.s)
    out = ['<mujoco>', '  <compiler angle="radian" autolimits="true"/>', f'  <option gravity="{_numbers(*_vec(g))}"{writer.magnetic()}/>']
    for name, items in (("asset", writer.assets), ("worldbody", lines), ("contact", writer.excluded), ("equality", writer.equalities),
                        ("tendon", writer.tendons), ("actuator", writer.actuators), ("sensor", writer.sensors)):
        if items:
            out += [f"  <{name}>"] + [item if name == "worldbody" else "    " + item for item in items] + [f"  </{name}>"]
    text = "\n".join(out + ["</mujoco>", ""])
    rows = _keyframes(writer, own, Model.from_string(text, "mjcf"))
    if rows:
        text = text.replace("</mujoco>", "\n".join(["  <keyframe>", *rows, "  </keyframe>", "</mujoco>"]))
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
        self.safeties: Dict[int, Any] = {}
        self.roots: List[int] = []
        for c in self.controls:  # URDF has no controls: what they lead is a motor of its joint
            if c.drive.index != _NONE and self.all_drives[c.drive.index].coupling.index == _NONE:
                drive = self.all_drives[c.drive.index]
                self.drives.setdefault(drive.joint.index, []).append(drive)
                if c.safety.brake.index != _NONE:
                    self.safeties[drive.joint.index] = c.safety

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
            safety = self.safeties.get(k)
            speed = safety.speed if safety is not None and math.isfinite(safety.speed) else 1000.0
            words += f'<limit {bounds}effort="{effort!r}" velocity="{speed!r}"/>'
            words += "" if safety is None else self._safety(safety)
        if damping > 0 or friction > 0:
            words += f'<dynamics damping="{damping!r}" friction="{friction!r}"/>'
        return limits, words

    def _safety(self, safety: Any) -> str:
        soft = "" if safety.position_gain == 0 else (f'soft_lower_limit="{safety.lower!r}" soft_upper_limit="{safety.upper!r}" '
                                                     f'k_position="{safety.position_gain!r}" ')
        return f'<safety_controller {soft}k_velocity="{self.all_drives[safety.brake.index].damping!r}"/>'

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
