# SPDX-License-Identifier: Apache-2.0
"""Quantities that roboticists compute with, in joint coordinates: equations of motion, Jacobians, centres of mass, momentum,
accelerations, loops; of one sim, and stacked for a batch. The engine's functions are those of affix/dynamics.h."""

from __future__ import annotations

from typing import Any, Iterator, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._affix import ffi, lib
from ._native import Array, get_vec3, numbers, pointer
from .errors import ArgumentError, check
from .model import Model
from .robot import Name

__all__ = ["CenterOfMass", "Momentum"]

_ALL = 0xFFFFFFFF


class CenterOfMass(NamedTuple):
    """Mass (kg), place and velocity of a centre of mass."""

    mass: float
    position: Array
    velocity: Array


class Momentum(NamedTuple):
    """Linear momentum, angular momentum about the centre of mass, and the matrix [6, dofs] that gives both from velocities."""

    linear: Array
    angular: Array
    matrix: Array


class Quantities:
    """What a sim tells in joint coordinates. Degrees of freedom are ``qvel``, in its order, as far as joints of the trees have
    them; what closes loops is taken into account where a name says so."""

    model: Model

    @property
    def _writable(self) -> Any:
        raise NotImplementedError

    @property
    def dof_count(self) -> int:
        """Degrees of freedom of the trees that joints form (affix/dynamics.h)."""
        return int(lib.afx_sim_dof_count(self._writable))

    def _by_dof(self, function: Any, *arrays: Any, shape: Tuple[int, ...] = (), text: str = "") -> Array:
        out = np.empty((self.dof_count,) if not shape else shape)
        inputs = [numbers(x, self.dof_count, "accelerations or forces") for x in arrays]
        check(function(self._writable, *[pointer(x) for x in inputs], pointer(out)), text=text)
        return out

    # ---- equations of motion ----

    @property
    def dof_velocities(self) -> Array:
        """[dofs]: ``qvel``, for a robot from a file."""
        return self._by_dof(lib.afx_sim_dof_velocities)

    @dof_velocities.setter
    def dof_velocities(self, value: Any) -> None:
        check(lib.afx_sim_set_dof_velocities(self._writable, pointer(numbers(value, self.dof_count, "dof_velocities"))))

    @property
    def dof_accelerations(self) -> Array:
        """[dofs]: what velocities have changed by in the last step, by its length."""
        return self._by_dof(lib.afx_sim_dof_accelerations)

    def mass_matrix(self) -> Array:
        """[dofs, dofs], armature included.

        >>> import affix
        >>> affix.Sim(affix.Model.from_case("pendulum")).mass_matrix().shape
        (1, 1)
        """
        return self._by_dof(lib.afx_sim_mass_matrix, shape=(self.dof_count, self.dof_count))

    def bias_forces(self) -> Array:
        """[dofs]: Coriolis and centrifugal terms, weight, and what the medium brakes."""
        return self._by_dof(lib.afx_sim_bias_forces)

    def gravity_forces(self) -> Array:
        """[dofs]: what holds the bodies against gravity, at rest."""
        return self._by_dof(lib.afx_sim_gravity_forces)

    def inverse_dynamics(self, accelerations: Any) -> Array:
        """[dofs]: the forces that accelerations [dofs] take."""
        return self._by_dof(lib.afx_sim_inverse_dynamics, accelerations)

    def forward_dynamics(self, forces: Any) -> Array:
        """[dofs]: the accelerations that forces [dofs] give."""
        return self._by_dof(lib.afx_sim_forward_dynamics, forces)

    # ---- points and frames ----

    def point_jacobian(self, body: Name, point: Any = (0, 0, 0)) -> Tuple[Array, Array]:
        """Jacobians [3, dofs] of the velocity of a point of a body (its own frame) and of its angular velocity, world axes."""
        linear, angular = np.empty((3, self.dof_count)), np.empty((3, self.dof_count))
        at = numbers(point, 3, "point")
        check(lib.afx_sim_point_jacobian(self._writable, self.model._bodies.index(body), tuple(float(x) for x in at),
                                         pointer(linear), pointer(angular)))
        return linear, angular

    def site_jacobian(self, site: Name, frame: str = "world") -> Tuple[Array, Array]:
        """Jacobians [3, dofs] of the velocity of a site's origin and of its angular velocity, in the axes of the "world" or of
        the "site"."""
        linear, angular = np.empty((3, self.dof_count)), np.empty((3, self.dof_count))
        index = self.model._robot.sites.index(site)
        check(lib.afx_sim_site_jacobian(self._writable, index, pointer(linear), pointer(angular)))
        if frame == "site":
            pose = ffi.new("AfxPose *")
            check(lib.afx_sim_site(self._writable, index, pose, ffi.NULL))
            turn = _matrix(pose.rotation)
            return turn.T @ linear, turn.T @ angular
        if frame != "world":
            raise ArgumentError(f'a Jacobian is in the axes of the "world" or of the "site", not of {frame!r}')
        return linear, angular

    def point_acceleration(self, body: Name, point: Any = (0, 0, 0), accelerations: Any = None) -> Tuple[Array, Array]:
        """Acceleration of a point of a body (its own frame) and angular acceleration, world axes, at accelerations [dofs];
        without them, what velocities alone make. Gravity is not in it."""
        out, at = ffi.new("AfxVec3[2]"), numbers(point, 3, "point")
        given = ffi.NULL
        if accelerations is not None:
            array = numbers(accelerations, self.dof_count, "accelerations")
            given = pointer(array)
        check(lib.afx_sim_point_acceleration(self._writable, self.model._bodies.index(body),
                                             tuple(float(x) for x in at), given, out, out + 1))
        return get_vec3(out[0]), get_vec3(out[1])

    def forward_kinematics(self, qpos: Any, sites: Optional[Sequence[Name]] = None) -> Array:
        """Poses [..., sites, 7] (positions, quaternions) of sites at postures ``qpos`` [..., nq]; the sim stays as it is.

        >>> import affix
        >>> arm = affix.Model.from_string('''<mujoco><worldbody><body><joint axis="0 1 0"/><geom size=".1" pos="1 0 0"/>
        ...     <site name="tip" pos="1 0 0"/></body></worldbody></mujoco>''', "mjcf")
        >>> affix.Sim(arm).forward_kinematics([[0.0], [3.141592653589793 / 2]]).round(6)[:, 0, :3].tolist()
        [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0]]
        """
        postures = np.ascontiguousarray(qpos, dtype=np.float64)
        if postures.ndim < 1 or postures.shape[-1] != self.model.nq:
            raise ArgumentError(f"a posture is {self.model.nq} numbers, not {postures.shape}")
        names = range(self.model._robot.sites.count) if sites is None else sites
        which = np.array([self.model._robot.sites.index(site) for site in names], dtype=np.uint32)
        out = np.empty(postures.shape[:-1] + (which.size, 7))
        rows, poses = postures.reshape(-1, self.model.nq), out.reshape(-1, which.size, 7)
        for row, pose in zip(rows, poses):
            check(lib.afx_sim_forward_kinematics(self._writable, pointer(row), which.size,
                                                 ffi.cast("uint32_t *", which.ctypes.data),
                                                 ffi.cast("AfxPose *", pose.ctypes.data)),
                  text="qpos is not finite, or a quaternion is 0")
        return out

    # ---- the whole ----

    def _part(self, body: Optional[Name]) -> int:
        return _ALL if body is None else self.model._bodies.index(body)

    def center_of_mass(self, body: Optional[Name] = None) -> CenterOfMass:
        """Of all moving bodies, or of a body and all that joints carry beyond it."""
        mass, out = ffi.new("double *"), ffi.new("AfxVec3[2]")
        check(lib.afx_sim_center_of_mass(self._writable, self._part(body), mass, out, out + 1), text="nothing of that moves")
        return CenterOfMass(mass[0], get_vec3(out[0]), get_vec3(out[1]))

    def center_of_mass_jacobian(self, body: Optional[Name] = None) -> Array:
        """[3, dofs]."""
        out = np.empty((3, self.dof_count))
        check(lib.afx_sim_center_of_mass_jacobian(self._writable, self._part(body), pointer(out)),
              text="nothing of that moves")
        return out

    def centroidal_momentum(self, body: Optional[Name] = None) -> Momentum:
        """Momentum of the same, and its matrix.

        >>> import affix
        >>> sim = affix.Sim(affix.Model.from_case("t-handle"))
        >>> found = sim.centroidal_momentum()
        >>> bool(abs(found.matrix @ sim.dof_velocities - [*found.linear, *found.angular]).max() < 1e-12)
        True
        """
        out, matrix = ffi.new("AfxMomentum *"), np.empty((6, self.dof_count))
        check(lib.afx_sim_centroidal_momentum(self._writable, self._part(body), out, pointer(matrix)),
              text="nothing of that moves")
        return Momentum(get_vec3(out.linear), get_vec3(out.angular), matrix)

    # ---- loops ----

    @property
    def constraint_count(self) -> int:
        """Rows of what ties velocities to each other: joints that close loops, and exact couplings."""
        return int(lib.afx_sim_constraint_count(self._writable))

    def constraint_jacobian(self) -> Array:
        """[rows, dofs]: times the velocities of what closes loops, it is 0."""
        out = np.empty((self.constraint_count, self.dof_count))
        check(lib.afx_sim_constraint_jacobian(self._writable, pointer(out), ffi.NULL))
        return out

    def project_velocities(self, velocities: Any) -> Array:
        """[dofs]: the velocities that loops allow and that are nearest, by kinetic energy.

        >>> import affix, numpy as np
        >>> sim = affix.Sim(affix.Model.from_case("four-bar"))
        >>> u = sim.project_velocities(np.ones(sim.dof_count))
        >>> bool(abs(sim.constraint_jacobian() @ u).max() < 1e-12)
        True
        """
        return self._by_dof(lib.afx_sim_project_velocities, velocities)

    def projected_mass_matrix(self) -> Array:
        """[dofs, dofs]: P^T M P, with the projection P of velocities onto what loops allow."""
        return self._by_dof(lib.afx_sim_projected_mass_matrix, shape=(self.dof_count, self.dof_count))

    def constrained_forward_dynamics(self, forces: Any) -> Array:
        """[dofs]: accelerations that forces [dofs] give, with what closes loops."""
        return self._by_dof(lib.afx_sim_constrained_forward_dynamics, forces)

    def constrained_inverse_dynamics(self, accelerations: Any, actuated: Any = None) -> Array:
        """[dofs]: forces along the degrees of freedom that ``actuated`` (numbers, or [dofs] of bool; all) says, which give
        accelerations together with what closes loops."""
        a, out, mask = numbers(accelerations, self.dof_count, "accelerations"), np.empty(self.dof_count), ffi.NULL
        if actuated is not None:
            chosen = np.zeros(self.dof_count, dtype=np.bool_)
            chosen[np.asarray(actuated)] = True
            mask = ffi.cast("_Bool *", chosen.ctypes.data)
        check(lib.afx_sim_constrained_inverse_dynamics(self._writable, pointer(a), mask, pointer(out)),
              text="what is actuated cannot give these accelerations")
        return out

    def operational_inertia(self, jacobian: Any) -> Array:
        """[rows, rows]: inertia of a task with a Jacobian [rows, dofs], loops taken into account."""
        return self._task(jacobian, False)

    def operational_mobility(self, jacobian: Any) -> Array:
        """[rows, rows]: its inverse, which is there in singular postures too."""
        return self._task(jacobian, True)

    def _task(self, jacobian: Any, inverse: bool) -> Array:
        rows = np.ascontiguousarray(jacobian, dtype=np.float64)
        if rows.ndim != 2 or rows.shape[1] != self.dof_count:
            raise ArgumentError(f"a task's Jacobian is [rows, {self.dof_count}], not {rows.shape}")
        out = np.empty((len(rows), len(rows)))
        both = (pointer(out), ffi.NULL) if inverse else (ffi.NULL, pointer(out))
        check(lib.afx_sim_operational_inertia(self._writable, len(rows), pointer(rows), *both),
              text="a part of the task cannot be done in this posture")
        return out


def _matrix(q: Any) -> Array:
    w, x, y, z = q.w, q.x, q.y, q.z
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


class BatchQuantities:
    """The same of all sims of a batch, stacked: [n, ...]."""

    def __iter__(self) -> Iterator[Quantities]:
        raise NotImplementedError

    def __len__(self) -> int:
        raise NotImplementedError

    def _stack(self, name: str, *arrays: Any, **options: Any) -> Array:
        rows = [np.broadcast_to(np.asarray(x, dtype=np.float64), (len(self),) + np.shape(x)[-1:]) for x in arrays]
        return np.stack([getattr(sim, name)(*[x[k] for x in rows], **options) for k, sim in enumerate(self)])

    def mass_matrix(self) -> Array:
        """[n, dofs, dofs]."""
        return self._stack("mass_matrix")

    def bias_forces(self) -> Array:
        """[n, dofs]."""
        return self._stack("bias_forces")

    def gravity_forces(self) -> Array:
        """[n, dofs]."""
        return self._stack("gravity_forces")

    def inverse_dynamics(self, accelerations: Any) -> Array:
        """[n, dofs], for accelerations [n, dofs] or [dofs]."""
        return self._stack("inverse_dynamics", accelerations)

    def forward_dynamics(self, forces: Any) -> Array:
        """[n, dofs], for forces [n, dofs] or [dofs]."""
        return self._stack("forward_dynamics", forces)

    def constrained_forward_dynamics(self, forces: Any) -> Array:
        """[n, dofs]."""
        return self._stack("constrained_forward_dynamics", forces)

    def constrained_inverse_dynamics(self, accelerations: Any, actuated: Any = None) -> Array:
        """[n, dofs]."""
        return self._stack("constrained_inverse_dynamics", accelerations, actuated=actuated)

    def projected_mass_matrix(self) -> Array:
        """[n, dofs, dofs]."""
        return self._stack("projected_mass_matrix")

    def site_jacobian(self, site: Name, frame: str = "world") -> Array:
        """[n, 6, dofs]: linear rows first.

        >>> import affix
        >>> arm = affix.Model.from_string('''<mujoco><worldbody><body><joint axis="0 1 0"/><geom size=".1" pos="1 0 0"/>
        ...     <site name="tip" pos="1 0 0"/></body></worldbody></mujoco>''', "mjcf")
        >>> affix.Batch(arm, 3).site_jacobian("tip").shape
        (3, 6, 1)
        """
        return np.stack([np.concatenate(sim.site_jacobian(site, frame)) for sim in self])

    def point_jacobian(self, body: Name, point: Any = (0, 0, 0)) -> Array:
        """[n, 6, dofs]: linear rows first."""
        return np.stack([np.concatenate(sim.point_jacobian(body, point)) for sim in self])

    def center_of_mass(self, body: Optional[Name] = None) -> Array:
        """[n, 6]: places and velocities."""
        found = [sim.center_of_mass(body) for sim in self]
        return np.stack([np.concatenate([one.position, one.velocity]) for one in found])

    def center_of_mass_jacobian(self, body: Optional[Name] = None) -> Array:
        """[n, 3, dofs]."""
        return self._stack("center_of_mass_jacobian", body=body)

    def centroidal_momentum(self, body: Optional[Name] = None) -> Array:
        """[n, 6]: linear momentum, and angular momentum about the centre of mass."""
        found = [sim.centroidal_momentum(body) for sim in self]
        return np.stack([np.concatenate([one.linear, one.angular]) for one in found])

    @property
    def dof_velocities(self) -> Array:
        """[n, dofs]."""
        return np.stack([sim.dof_velocities for sim in self])

    @property
    def dof_accelerations(self) -> Array:
        """[n, dofs], of the last step."""
        return np.stack([sim.dof_accelerations for sim in self])
