# SPDX-License-Identifier: Apache-2.0
"""Handles into a sim: one body, joint, actuator, marker or wrench, by its name. They read and write the sim's present
state; after ``sim.close()`` they raise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Tuple

import numpy as np
import numpy.typing as npt

from ._affix import ffi, lib
from ._native import Array, Vector, get_vec3, get_wrench, numbers, set_pose, set_vec3
from .errors import ArgumentError, check
from .pose import Pose

if TYPE_CHECKING:
    from .robot import Names
    from .sim import Sim

__all__ = ["Actuator", "BodyState", "JointState", "MarkerState", "WrenchState"]


class _State:
    """A thing of a sim: its ``index`` and ``name``."""

    __slots__ = ("sim", "index", "_names")

    def __init__(self, sim: "Sim", index: int, names: "Names") -> None:
        self.sim, self.index, self._names = sim, index, names

    @property
    def name(self) -> str:
        """Its name, "" for none."""
        return self._names.names[self.index]

    def __repr__(self) -> str:
        return f"<{self._names.label(self.index)} at t = {self.sim.time:g} s>"


class BodyState(_State):
    """A body of a sim.

    >>> import affix
    >>> sim = affix.Sim(affix.Model.from_case("spinning-box"))
    >>> box = sim.body(0)
    >>> box.pose = affix.Pose((0, 0, 5))
    >>> box.position
    array([0., 0., 5.])
    """

    __slots__ = ()

    @property
    def pose(self) -> Pose:
        """Of the body's frame in the world; can be set, velocity stays."""
        out = ffi.new("AfxPose *")
        check(lib.afx_sim_body_pose(self.sim._pointer, self.index, out))
        return Pose._read(out)

    @pose.setter
    def pose(self, value: Pose) -> None:
        struct = ffi.new("AfxPose *")
        set_pose(struct, value)
        check(lib.afx_sim_set_body_pose(self.sim._writable, self.index, struct[0]),
              text="the pose is not valid", element=self._names.label(self.index))

    @property
    def position(self) -> Array:
        """Of the body's origin, world, m."""
        return self.pose.position

    @property
    def rotation(self) -> Array:
        """A unit quaternion (w, x, y, z)."""
        return self.pose.rotation

    @property
    def twist(self) -> Array:
        """Velocity of the origin, then angular velocity; world axes. Can be set."""
        out = ffi.new("AfxTwist *")
        check(lib.afx_sim_body_twist(self.sim._pointer, self.index, out))
        return np.concatenate([get_vec3(out.linear), get_vec3(out.angular)])

    @twist.setter
    def twist(self, value: Vector) -> None:
        check(lib.afx_sim_set_body_twist(self.sim._writable, self.index, _twist(value)[0]),
              text="the twist is not valid", element=self._names.label(self.index))

    @property
    def velocity(self) -> Array:
        """Of the body's origin, m/s."""
        return self.twist[:3]

    @property
    def angular_velocity(self) -> Array:
        """World axes, rad/s."""
        return self.twist[3:]

    @property
    def contact_force(self) -> Array:
        """Force (N) and torque about the centre of mass (Nm) that all contacts together put on the body in the last
        step; world axes.

        >>> import affix
        >>> scene = affix.Scene()
        >>> _ = scene.add_body("ground", kind="fixed").add_plane()
        >>> _ = scene.add_body("ball", position=(0, 0, 0.5)).add_sphere(0.5, mass=2)
        >>> sim = affix.Sim(affix.Model.from_scene(scene))
        >>> sim.step(100)
        >>> sim.body("ball").contact_force.round(3) + 0
        array([ 0.  ,  0.  , 19.62,  0.  ,  0.  ,  0.  ])
        """
        out = ffi.new("AfxWrench *")
        check(lib.afx_sim_body_contact(self.sim._pointer, self.index, out))
        return get_wrench(out)

    @property
    def contacts(self) -> npt.NDArray[Any]:
        """Those of ``sim.contacts`` that the body is part of."""
        contacts = self.sim.contacts
        return contacts[(contacts["body_a"] == self.index) | (contacts["body_b"] == self.index)]

    def set_target(self, pose: Pose, twist: Vector = (0, 0, 0, 0, 0, 0)) -> None:
        """Where a kinematic body is to be at the end of the next step, and how it moves there."""
        struct = ffi.new("AfxPose *")
        set_pose(struct, pose)
        check(lib.afx_sim_set_body_target(self.sim._writable, self.index, struct[0], _twist(twist)[0]),
              text="only a kinematic body has a target, and it must be finite", element=self._names.label(self.index))

    def hold(self, target: Vector, stiffness: float, damping: float = 0.0, point: Vector = (0, 0, 0)) -> None:
        """Pulls a point of a dynamic body (its own frame) to a target in the world by a spring (N/m) and a damper (N s/m)
        that are part of the solve, however stiff; calling again moves the target, ``release`` ends it.

        >>> import affix
        >>> scene = affix.Scene()
        >>> _ = scene.add_body("ball").add_sphere(0.1, mass=2)
        >>> sim = affix.Sim(affix.Model.from_scene(scene))
        >>> ball = sim.body("ball")
        >>> ball.hold((0, 0, 1), stiffness=1000, damping=100)
        >>> sim.step(500)
        >>> ball.hold_force.round(6) + 0
        array([ 0.  ,  0.  , 19.62])
        >>> ball.release()
        """
        check(lib.afx_sim_hold(self.sim._writable, self.index, _vec3(point), _vec3(target), stiffness, damping),
              text="only a dynamic body can be held, at most 16 at once, by finite numbers",
              element=self._names.label(self.index))

    def release(self) -> None:
        """Lets go of a body that ``hold`` holds."""
        check(lib.afx_sim_release(self.sim._writable, self.index), text="the body is not held",
              element=self._names.label(self.index))

    @property
    def hold_force(self) -> Array:
        """Force (N) that ``hold`` put on the body at the end of the last step, world axes."""
        out = ffi.new("AfxVec3 *")
        check(lib.afx_sim_hold_force(self.sim._pointer, self.index, out), text="the body is not held",
              element=self._names.label(self.index))
        return get_vec3(out)


class JointState(_State):
    """A joint of a sim.

    >>> import affix
    >>> sim = affix.Sim(affix.Model.from_case("pendulum"))
    >>> hinge = sim.joint(0)
    >>> hinge.angle = 0.3
    >>> round(hinge.angle, 12)
    0.3
    """

    __slots__ = ()

    def _single(self) -> int:
        where = self.sim.model.joint_slice(self.index)
        if where.stop - where.start != 1:
            raise ArgumentError(f"{self._names.label(self.index)} has {where.stop - where.start} coordinates",
                                cure="use coordinates and rates")
        return where.start

    def _read(self, axis: int) -> Any:
        out = ffi.new("double[2]")
        check(lib.afx_sim_joint_coordinate(self.sim._pointer, self.index, axis, out, out + 1))
        return out

    @property
    def angle(self) -> float:
        """The coordinate of a joint that has one, rad (turns counted) or m. Setting it moves the mechanism along."""
        self._single()
        return self._read(0)[0]

    @angle.setter
    def angle(self, value: float) -> None:
        self._single()
        check(lib.afx_sim_set_joint_coordinate(self.sim._writable, self.index, 0, value, ffi.NULL),
              text="the mechanism cannot be put together with this coordinate", element=self._names.label(self.index))

    @property
    def position(self) -> float:
        """The same as ``angle``, for joints that slide."""
        return self.angle

    @position.setter
    def position(self, value: float) -> None:
        self.angle = value

    @property
    def rate(self) -> float:
        """Its rate, rad/s or m/s."""
        self._single()
        return self._read(0)[1]

    @property
    def coordinates(self) -> Array:
        """All coordinates: translations, then rotations."""
        where = self.sim.model.joint_slice(self.index)
        return np.array([self._read(axis)[0] for axis in range(where.stop - where.start)])

    @property
    def rates(self) -> Array:
        """All rates."""
        where = self.sim.model.joint_slice(self.index)
        return np.array([self._read(axis)[1] for axis in range(where.stop - where.start)])

    @property
    def reaction(self) -> Array:
        """Force and torque on the follower in the last step, in the joint's axes as the base carries them."""
        out = ffi.new("AfxWrench *")
        check(lib.afx_sim_joint_reaction(self.sim._pointer, self.index, out))
        return get_wrench(out)

    @property
    def gap(self) -> Tuple[float, float]:
        """How far the joint is violated in the present state: m, rad; 0 while it is switched off."""
        out = ffi.new("AfxJointGap *")
        check(lib.afx_sim_joint_gap(self.sim._pointer, self.index, out))
        return out.distance, out.angle

    @property
    def force(self) -> Array:
        """Force on the follower, N; see ``reaction``."""
        return self.reaction[:3]

    @property
    def torque(self) -> Array:
        """Torque on the follower, Nm; see ``reaction``."""
        return self.reaction[3:]

    def set_target(self, pose: Pose, linear: Vector = (0, 0, 0), angular: Vector = (0, 0, 0)) -> None:
        """Tells all drives of the joint that take targets from input where the follower's frame is to be in the base's at
        the end of the next step, and its velocities there."""
        place, twist = ffi.new("AfxPose *"), ffi.new("AfxTwist *")
        set_pose(place, pose)
        set_vec3(twist.linear, linear)
        set_vec3(twist.angular, angular)
        check(lib.afx_sim_set_joint_target(self.sim._writable, self.index, place[0], twist[0]),
              text="the joint cannot be there, or no drive of it takes targets",
              cure="give a pose that the joint allows, and drives with from_input")

    def reaction_in(self, frame: Pose) -> Array:
        """[6]: force and torque that the joint puts on its follower, in the axes of a frame in the world and about its
        origin; ``sim.site(name).pose`` is one."""
        pose, out = ffi.new("AfxPose *"), ffi.new("AfxWrench *")
        set_pose(pose, frame)
        check(lib.afx_sim_joint_reaction_in(self.sim._pointer, self.index, pose[0], out))
        return get_wrench(out)

    @property
    def world_reaction(self) -> Array:
        """The same in world axes.

        >>> import affix
        >>> scene = affix.Scene()
        >>> lamp = scene.add_body("lamp", position=(0, 0, -1), rigid=True).add_sphere(0.1, mass=2)
        >>> wire = scene.add_joint("revolute", None, lamp, at=(0, 0, 0), axis=(0, 1, 0), name="wire")
        >>> sim = affix.Sim(affix.Model.from_scene(scene))
        >>> sim.step(5)
        >>> sim.joint("wire").world_reaction[:3].round(6) + 0
        array([ 0.  ,  0.  , 19.62])
        """
        base, frame = self.sim.model._joint_base(self.index)
        axes = frame.matrix if base is None else self.sim.body(base).pose.matrix @ frame.matrix
        return (self.reaction.reshape(2, 3) @ axes.T).reshape(6)

    @property
    def spring_torque(self) -> Array:
        """Torque of the spring of a spherical joint on the follower in the last step, in the joint's axes as the base
        carries them, Nm."""
        out = ffi.new("AfxVec3 *")
        check(lib.afx_sim_joint_spring_torque(self.sim._pointer, self.index, out), text="the joint has no spring",
              element=self._names.label(self.index))
        return get_vec3(out)

    @property
    def active(self) -> bool:
        """False for a joint that is switched off or broken. Can be set."""
        return bool(lib.afx_sim_joint_active(self.sim._pointer, self.index))

    @active.setter
    def active(self, value: bool) -> None:
        check(lib.afx_sim_set_joint_active(self.sim._writable, self.index, bool(value)))


class Actuator(_State):
    """A drive of a sim: motor, servo, spring, limit or friction.

    >>> import affix
    >>> scene = affix.Scene(gravity=(0, 0, 0))
    >>> arm = scene.add_body("arm").add_box((1, 0.1, 0.1), position=(0.5, 0, 0))
    >>> elbow = scene.add_joint("revolute", None, arm, name="elbow", at=(0, 0, 0), axis=(0, 0, 1))
    >>> motor = scene.add_servo("motor", elbow, stiffness=400, damping=80)
    >>> sim = affix.Sim(affix.Model.from_scene(scene))
    >>> sim.actuator("motor").target = 0.5
    >>> sim.step(300)
    >>> round(sim.joint("elbow").angle, 3)
    0.5
    """

    __slots__ = ()

    def _number(self) -> int:
        number = self.sim.model._input_number.get(self.index)
        if number is None:
            raise ArgumentError(f"{self._names.label(self.index)} takes no input",
                                cure="make it without a target, or with from_input=True")
        return number

    @property
    def target(self) -> float:
        """What the drive aims at: coordinate, rate or force. Setting it holds from the next step on."""
        return float(self.sim.ctrl[self._number()])

    @target.setter
    def target(self, value: float) -> None:
        self.sim.ctrl[self._number()] = value

    def set_target(self, value: float, rate: Optional[float] = None) -> None:
        """The target at the end of the next step and, for a position drive or servo, the rate that it moves with."""
        number = self._number()
        if self.sim.model._robot.controls.count:
            if rate:
                raise ArgumentError("a control is held over the step, and has no rate", cure="set the target alone")
            self.sim.ctrl[number] = value
            return
        check(lib.afx_sim_set_drive_target(self.sim._writable, self.index, value, rate or 0.0),
              text=f"the target {value!r} is not finite", element=self._names.label(self.index))
        self.sim._ctrl[number] = self.sim._given[number] = value

    @property
    def effort(self) -> float:
        """Force or torque that it put along its axis in the last step."""
        out = ffi.new("double *")
        check(lib.afx_sim_drive_effort(self.sim._pointer, self.index, out))
        return out[0]


class CoordinateState(_State):
    """A generalised coordinate of a sim: one number, or a quaternion, or position and quaternion."""

    __slots__ = ()

    @property
    def qpos(self) -> Any:
        """Its numbers; a float where there is one. Setting it keeps all others."""
        values = self.sim.qpos[self.sim.model.qpos_slice(self.index)]
        return float(values[0]) if values.size == 1 else values

    @qpos.setter
    def qpos(self, value: Any) -> None:
        q = self.sim.qpos
        q[self.sim.model.qpos_slice(self.index)] = value
        self.sim.qpos = q

    @property
    def qvel(self) -> Any:
        """Its rates; a float where there is one. Setting it keeps all others."""
        values = self.sim.qvel[self.sim.model.qvel_slice(self.index)]
        return float(values[0]) if values.size == 1 else values

    @qvel.setter
    def qvel(self, value: Any) -> None:
        v = self.sim.qvel
        v[self.sim.model.qvel_slice(self.index)] = value
        self.sim.qvel = v


class SiteState(_State):
    """A site of a sim: a frame on a body."""

    __slots__ = ()

    @property
    def pose(self) -> Pose:
        """In the world."""
        out = ffi.new("AfxPose *")
        check(lib.afx_sim_site(self.sim._pointer, self.index, out, ffi.NULL))
        return Pose._read(out)

    @property
    def position(self) -> Array:
        """In the world, m."""
        return self.pose.position

    @property
    def twist(self) -> Array:
        """[6]: velocity of its origin and angular velocity, world axes."""
        out = ffi.new("AfxTwist *")
        check(lib.afx_sim_site(self.sim._pointer, self.index, ffi.NULL, out))
        return np.concatenate([get_vec3(out.linear), get_vec3(out.angular)])


class MarkerState(_State):
    """A marker of a sim."""

    __slots__ = ()

    def _read(self) -> Any:
        out = ffi.new("AfxVec3[2]")
        check(lib.afx_sim_marker(self.sim._pointer, self.index, out, out + 1))
        return out

    @property
    def position(self) -> Array:
        """World, m."""
        return get_vec3(self._read()[0])

    @property
    def velocity(self) -> Array:
        """World, m/s."""
        return get_vec3(self._read()[1])


class WrenchState(_State):
    """A wrench of the scene, in a sim."""

    __slots__ = ()

    @property
    def value(self) -> Array:
        """Force and torque, in the frame that the scene says. Can be set."""
        out = ffi.new("AfxWrench *")
        check(lib.afx_sim_wrench(self.sim._pointer, self.index, out))
        return get_wrench(out)

    @value.setter
    def value(self, value: Vector) -> None:
        struct = ffi.new("AfxWrench *")
        ffi.memmove(struct, numbers(value, 6, "a wrench"), ffi.sizeof("AfxWrench"))
        check(lib.afx_sim_set_wrench(self.sim._writable, self.index, struct[0]), text="the wrench is not finite")


def _vec3(value: Vector) -> Any:
    struct = ffi.new("AfxVec3 *")
    set_vec3(struct, value)
    return struct[0]


def _twist(value: Vector) -> Any:
    struct = ffi.new("AfxTwist *")
    ffi.memmove(struct, numbers(value, 6, "a twist"), ffi.sizeof("AfxTwist"))
    return struct
