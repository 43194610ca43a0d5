# SPDX-License-Identifier: Apache-2.0
"""Sims: a model in motion."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, List, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

from ._affix import ffi, lib
from ._native import ALLOCATOR, Array, Vector, enum_names, fill, numbers, pointer
from .contact import read_contacts
from .errors import ArgumentError, ClosedError, check, from_status
from .model import Model
from .pose import Pose
from .quantities import Quantities
from .report import READS, Energy, EnergyBook, Momentum, Residual, StepFlag, StepReport, TraceEvent, read_shape
from .robot import Name
from .states import Actuator, BodyState, CoordinateState, JointState, MarkerState, SiteState, WrenchState

if TYPE_CHECKING:
    from .gradient import Gradient
    from .record import Recorder
    from .replay import Replay

__all__ = ["Sim", "Snapshot"]

_FORMULATIONS = enum_names("AfxFormulation", "AFX_")
# A call of many steps comes back this often to look at signals, s.
PAUSE = 0.05
# Bodies up to which a sim keeps its start for reset().
RESET_BODIES = 50000


class Snapshot(NamedTuple):
    """The state of a sim, inputs included; parameters and wrenches that were changed on it are not part of it."""

    state: bytes
    ctrl: bytes
    given: bytes


class _Memory:
    """Memory of a sim as an array that keeps the sim alive."""

    def __init__(self, handle: Any, address: Any, shape: Tuple[int, ...]) -> None:
        self._handle = handle
        self.__array_interface__ = {"version": 3, "typestr": "<f8", "shape": shape,
                                    "data": (int(ffi.cast("uintptr_t", address)), True)}


class Sim(Quantities):
    """A running simulation of a model.

    ``q`` and ``v`` are views of the engine's own memory: raw coordinates and velocities, [bodies, 12], always those of the
    present state, without a copy. A view keeps that memory alive, also after the sim was closed or collected.

    >>> import affix
    >>> sim = affix.Sim(affix.Model.from_case("pendulum"), dt=0.001)
    >>> q = sim.q
    >>> q[0, 9:]                       # the centre of mass: the rod is horizontal
    array([0.5, 0. , 0. ])
    >>> sim.step(500)
    >>> round(sim.time, 12), bool(q[0, 11] < -0.4)
    (0.5, True)

    Settings: ``integrator`` ("bdf2", "bdf1", "alpha", "sdirk2", "conserving", "conserving4", "reference", "rk4", "auto", "gauss2"), ``rho`` for
    "alpha", ``accuracy`` ("fast", "accurate", "converged"),
    ``formulation`` ("affix", "reduced", "auto"),
    ``solves``, ``threads``, ``lanes``; ``flops_most`` and ``bytes_most``, what a solver iteration of bodies that touch
    each other may take before a step is refused (:class:`LimitError`); ``sleep_speed`` and ``sleep_time``: bodies that
    have been slower for so long sleep until something wakes them (``asleep``, ``wake``).
    """

    def __init__(self, model: Model, *, dt: Optional[float] = None, integrator: Optional[str] = None,
                 rho: Optional[float] = None, accuracy: Optional[str] = None, solves: Optional[int] = None,
                 threads: Optional[int] = None, lanes: Optional[int] = None, formulation: Optional[str] = None,
                 _ctrl: Optional[Array] = None, **more: Any) -> None:
        self._handle: Any = None
        self._run: Any = None
        self._recorders: List["Recorder"] = []
        if not isinstance(model, Model):
            raise TypeError(f"a sim is made from a Model, not from {type(model).__name__}")
        model._pointer  # raises when it is closed
        definition, error = ffi.new("AfxSimDef *", lib.afx_default_sim()), ffi.new("AfxError *")
        definition.allocator, definition.error = ALLOCATOR, error
        fill(definition, [], dt=dt, integrator=integrator, rho=rho, accuracy=accuracy, solves=solves, threads=threads,
             lanes=lanes, formulation="choose" if formulation == "auto" else formulation, **more)
        out = ffi.new("AfxiPySim **")
        check(lib.afxi_py_sim_create(model._handle, definition, out), error,
              text="a setting of the sim is not valid", cure="dt > 0, rho 0 to 1, lanes 0, 1, 2, 4 or 8")
        self.model = model
        self._handle = ffi.gc(out[0], lib.afxi_py_sim_drop)
        self._raw = lib.afxi_py_sim(self._handle)
        shape = (model._bodies.count, 12)
        self._q: Array = np.asarray(_Memory(self._handle, lib.afx_sim_coordinates(self._raw), shape))
        self._v: Array = np.asarray(_Memory(self._handle, lib.afx_sim_velocities(self._raw), shape))
        self._make_run(_ctrl)
        # What reset() goes back to; of large scenes it would be a second copy of the state that few want.
        self._beginning: Optional[Snapshot] = self.snapshot() if model._bodies.count <= RESET_BODIES else None

    def _make_run(self, ctrl: Optional[Array]) -> None:
        model, run = self.model, ffi.new("AfxiPyRun *")
        self._run = run
        controls = model._robot.controls.count
        start = self._controls_now() if controls else np.append(self.joint_positions, 0.0)[model._input_start]
        self._ctrl: Array = np.empty(start.size) if ctrl is None else ctrl
        self._ctrl[:] = start
        self._given: Array = start.copy()
        run.sim, run.seconds = self._raw, PAUSE
        run.input_count = start.size
        run.drives = ffi.NULL if controls else ffi.cast("uint32_t *", model._inputs.ctypes.data)
        run.wanted, run.given = pointer(self._ctrl), pointer(self._given)

    def _controls_now(self) -> Array:
        """What the controls of the model are."""
        out = np.empty(self.model._robot.controls.count)
        for k in range(out.size):
            check(lib.afx_sim_control(self._raw, k, pointer(out[k:])))
        return out

    # ---- life ----

    @property
    def _pointer(self) -> Any:
        """The engine's sim; raises when this one is closed."""
        if self._run is None:
            raise ClosedError("the sim is closed")
        return self._raw

    @property
    def _writable(self) -> Any:
        """The same, for calls that change it."""
        if self._run is not None and self._run.busy:
            raise ClosedError("another thread is stepping this sim", cure="one sim is for one thread at a time")
        return self._pointer

    @property
    def closed(self) -> bool:
        """True after :meth:`close`."""
        return self._run is None

    def close(self) -> None:
        """Lets go of the sim and ends its recorders; using it afterwards raises :class:`ClosedError`. Arrays that were
        taken from ``q`` and ``v`` stay valid and keep the last state."""
        if self._run is not None:
            self._writable
            for recorder in list(self._recorders):
                recorder.close()
            self._run = self._handle = self._raw = None
            del self._q, self._v

    def __enter__(self) -> "Sim":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return "<Sim: closed>" if self.closed else f"<Sim at t = {self.time:g} s of {self.model!r}>"

    # ---- the step ----

    def step(self, n: int = 1) -> None:
        """Advances by ``n`` steps of ``dt``. The interpreter's lock is free meanwhile, and Ctrl-C works.

        Raises :class:`NumericError` when a step gives no finite, settled state, and :class:`LimitError` when solving it
        would take more than ``flops_most`` or ``bytes_most``; the state before it is kept.
        """
        run = self._run
        if run is None:
            raise ClosedError("the sim is closed")
        if self._recorders:
            self._step_recorded(n)
            return
        stop = lib.afxi_py_run(run, n)
        if stop:
            self._go_on(stop, n)

    def _step_recorded(self, n: int) -> None:
        from .record import hdf5_lock
        with hdf5_lock():
            stop = lib.afxi_py_run(self._run, n)
            if stop:
                self._go_on(stop, n)

    def _go_on(self, stop: int, left: int) -> None:
        """After a run that was not done: pauses end, failures are raised."""
        run = self._run
        while stop == lib.AFXI_PY_PAUSED:
            left -= run.done
            stop = lib.afxi_py_run(run, left)
        if stop != lib.AFXI_PY_DONE:
            raise self._failure(stop)

    def _failure(self, stop: int) -> Exception:
        run = self._run
        if stop == lib.AFXI_PY_BUSY:
            return ClosedError("another thread is stepping this sim", cure="one sim is for one thread at a time")
        if stop == lib.AFXI_PY_INPUT:
            label = self.model.input_names[run.bad] or str(run.bad)
            return from_status(run.status, text=f"the target {self._ctrl[run.bad]!r} is not finite",
                               element=f'actuator "{label}"')
        if stop == lib.AFXI_PY_OUTPUT:
            return from_status(run.status, run.error)
        body = run.report.body
        crowd = ffi.new("AfxCrowd *")
        if run.status == lib.AFX_E_LIMIT and lib.afx_sim_crowd(run.sim, crowd) == lib.AFX_OK and crowd.bodies:
            return from_status(run.status, element=self.model._bodies.label(crowd.body),
                               text=f"it touches {crowd.touching} others in a crowd of {crowd.bodies} bodies, a solver "
                                    f"iteration of which would take {crowd.flops:.2g} flops",
                               cure="draw the bodies around it apart, use fewer, or allow more (flops_most, bytes_most)")
        return from_status(run.status, element=self.model._bodies.label(body) if body != 0xFFFFFFFF else "",
                           cure=f"step {run.report.step}, t = {run.report.time:g} s; a smaller dt may help")

    @property
    def time(self) -> float:
        """s."""
        return lib.afx_sim_time(self._pointer)

    @property
    def dt(self) -> float:
        """The step, s. Can be set; a multistep method then restarts."""
        return lib.afx_sim_dt(self._pointer)

    @dt.setter
    def dt(self, value: float) -> None:
        check(lib.afx_sim_set_dt(self._writable, value), text=f"dt = {value!r} is not a positive, finite time")

    @property
    def formulation(self) -> Tuple[str, str]:
        """What steps solve, and why where "auto" has chosen it.

        >>> import affix
        >>> with affix.Sim(affix.Model.from_case("pendulum"), formulation="auto") as sim:
        ...     sim.formulation[0]
        'affix'
        """
        found, text = ffi.new("AfxFormulation *"), ffi.new("char[400]")
        check(lib.afx_sim_formulation(self._pointer, found, text, 400))
        return _FORMULATIONS[int(found[0])], ffi.string(text).decode("utf-8", "replace")

    @property
    def report(self) -> StepReport:
        """Of the last step."""
        self._pointer
        return StepReport._read(self._run.report)

    @property
    def verify(self) -> bool:
        """Whether the equations of every step are evaluated independently, for :attr:`residual`. Can be set."""
        return lib.afx_sim_residual(self._pointer, ffi.new("AfxResidual *")) == lib.AFX_OK

    @verify.setter
    def verify(self, on: bool) -> None:
        check(lib.afx_sim_set_verify(self._writable, bool(on)), text="this formulation has other equations",
              cure='use the formulation "affix"')

    @property
    def residual(self) -> Residual:
        """Of the last step; :attr:`verify` must have been set before it."""
        found = ffi.new("AfxResidual *")
        check(lib.afx_sim_residual(self._pointer, found), text="steps are not verified", cure="set sim.verify = True")
        return Residual._read(found)

    def gradient(self, keep: int = 0, snapshots: int = 64, frames: bool = False) -> "Gradient":
        """Records steps from now on, for derivatives of what they come to (docs/gradients.md). The sim must have been made
        with ``accuracy="converged"``. ``keep``: steps that are kept at once; others are made again from at most
        ``snapshots`` snapshots, to the same bits. 0 keeps all. ``frames``: derivatives by the frames of joints as well,
        which take longer."""
        from .gradient import Gradient
        return Gradient(self, keep, snapshots, frames)

    def set_weights(self, joint_force: Any = 1.0, joint_torque: Any = 1.0, drive: Any = 1.0) -> None:
        """Shares the load of redundant constraints: of all forces and torques that balance the same loads, reactions and
        efforts are those with the least sum of weight times square, from the next step on. Each is a number for all, or
        one for each joint or drive. The motion stays the same."""
        model = self.model
        arrays = [np.ascontiguousarray(np.broadcast_to(np.asarray(w, float), (n,))) for w, n in (
            (joint_force, model._joints.count), (joint_torque, model._joints.count), (drive, model._drives.count))]
        weights = ffi.new("AfxWeights *", [pointer(a) if a.size else ffi.NULL for a in arrays])
        check(lib.afx_sim_set_weights(self._writable, weights), text="a weight is not above 0",
              cure="give finite weights above 0, with the formulation 'affix'")

    def clear_weights(self) -> None:
        """Multipliers of redundant constraints come as the solver leaves them again."""
        check(lib.afx_sim_set_weights(self._writable, ffi.NULL))

    @property
    def keeps_energy_book(self) -> bool:
        """Whether the energy of every step is accounted for, in :attr:`energy_book`. Can be set."""
        return lib.afx_sim_energy_book(self._pointer, ffi.NULL, ffi.NULL) == lib.AFX_OK

    @keeps_energy_book.setter
    def keeps_energy_book(self, on: bool) -> None:
        check(lib.afx_sim_set_energy_book(self._writable, bool(on)), text="this formulation has no energy book",
              cure='use the formulation "affix"')

    @property
    def energy_book(self) -> EnergyBook:
        """Where the energy went in all steps since :attr:`keeps_energy_book` was set."""
        total = ffi.new("AfxEnergyBook *")
        check(lib.afx_sim_energy_book(self._pointer, ffi.NULL, total), text="no energy book is kept",
              cure="set sim.keeps_energy_book = True")
        return EnergyBook._read(total)

    @property
    def flags(self) -> Any:
        """All :class:`StepFlag` bits that any step has raised since :meth:`clear_flags` or the start."""
        self._pointer
        return StepFlag(self._run.flags)

    def clear_flags(self) -> None:
        """Forgets the flags."""
        self._writable
        self._run.flags = 0

    def trace(self, capacity: int) -> None:
        """Records what the solver does in the steps to come, in a ring of ``capacity`` events; 0 switches that off. What
        was recorded before is gone. Results do not depend on it.

        >>> import affix
        >>> sim = affix.Sim(affix.Model.from_case("pendulum"))
        >>> sim.trace(100)
        >>> sim.step()
        >>> [event.kind for event in sim.trace_events()]
        ['step', 'restart', 'solve', 'solve']
        >>> sim.trace_events()[-1].verdict
        'accept'
        """
        pointer = self._writable
        if not 0 <= int(capacity) <= 1 << 26:
            raise ArgumentError(f"a trace has 0 to {1 << 26} events, not {capacity}")
        check(lib.afx_sim_trace(pointer, int(capacity)), text="no memory for the trace", cure="use a smaller capacity")

    def trace_events(self) -> List[TraceEvent]:
        """The events that the trace has, the oldest first."""
        pointer, event = self._pointer, ffi.new("AfxTraceEvent *")
        events = []
        for k in range(lib.afx_sim_trace_count(pointer)):
            check(lib.afx_sim_trace_event(pointer, k, event))
            events.append(TraceEvent._read(event))
        return events

    @property
    def trace_dropped(self) -> int:
        """Events that newer ones have pushed out of the trace."""
        return int(lib.afx_sim_trace_dropped(self._pointer))

    # ---- state ----

    @property
    def q(self) -> Array:
        """Raw coordinates, [bodies, 12]: columns of A, then t; a view. They map points of the body's principal frame
        (``model.body_frame``) to A x + t. Assigning replaces them; the view itself cannot be written."""
        self._pointer
        return self._q

    @q.setter
    def q(self, value: Any) -> None:
        self.set_state(q=value)

    @property
    def v(self) -> Array:
        """Raw velocities, [bodies, 12], like ``q``."""
        self._pointer
        return self._v

    @v.setter
    def v(self, value: Any) -> None:
        self.set_state(v=value)

    def set_state(self, q: Any = None, v: Any = None) -> None:
        """Replaces raw coordinates and velocities; None keeps them. A multistep method restarts."""
        arrays = [None if x is None else numbers(x, self._q.size, what) for x, what in ((q, "q"), (v, "v"))]
        check(lib.afx_sim_set_state(self._writable, *(ffi.NULL if x is None else pointer(x) for x in arrays)),
              text="a coordinate or velocity is not finite")

    def read(self, what: str) -> Array:
        """A copy of "q", "v", "poses", "twists", "joint_positions", "joint_rates", "reactions", "efforts", "markers"
        ([markers, 6]: positions and velocities), "contact_forces" ([bodies, 6]: forces, and torques about the centres of
        mass), "energy" or "time"."""
        if what not in READS:
            raise ArgumentError(f'there is nothing called "{what}" to read', cure="there are " + ", ".join(READS))
        out = np.empty(read_shape(lib.afx_sim_model(self._pointer), what))
        check(lib.afxi_py_read(self._pointer, READS[what][0], pointer(out)))
        return out

    @property
    def poses(self) -> Array:
        """[bodies, 7]: positions and unit quaternions (w, x, y, z); a copy. Can be set."""
        return self.read("poses")

    @poses.setter
    def poses(self, value: Any) -> None:
        array = numbers(value, 7 * self.model._bodies.count, "poses")
        check(lib.afx_sim_set_poses(self._writable, ffi.cast("AfxPose *", pointer(array))),
              text="a pose is not finite, or a quaternion is 0")

    @property
    def twists(self) -> Array:
        """[bodies, 6]: linear and angular velocities, world axes; a copy. Can be set."""
        return self.read("twists")

    @twists.setter
    def twists(self, value: Any) -> None:
        array = numbers(value, 6 * self.model._bodies.count, "twists")
        check(lib.afx_sim_set_twists(self._writable, ffi.cast("AfxTwist *", pointer(array))),
              text="a twist is not finite")

    def pose(self, body: Name) -> Pose:
        """Of a body's frame in the world."""
        return self.body(body).pose

    @property
    def joint_positions(self) -> Array:
        """[coordinates]: of all joints; a copy. Setting them places the mechanism and closes its loops."""
        return self.read("joint_positions")

    @joint_positions.setter
    def joint_positions(self, value: Any) -> None:
        array = numbers(value, self.model.coordinate_count, "joint_positions")
        check(lib.afx_sim_set_joint_coordinates(self._writable, pointer(array), ffi.NULL),
              text="the mechanism cannot be put together with these coordinates")

    @property
    def joint_rates(self) -> Array:
        """[coordinates]: rates of all joints; a copy."""
        return self.read("joint_rates")

    # ---- state as a robot's file has it ----

    @property
    def qpos(self) -> Array:
        """[nq]: generalised coordinates in the order of ``model.qpos_names`` and in the units of the file, quaternions
        (w, x, y, z) of balls and free bodies included; a copy. Setting them places bodies by forward kinematics and moves
        nothing else; loops are left open until :meth:`assemble` or the next step.

        >>> import affix
        >>> sim = affix.Sim(affix.Model.from_string('''<mujoco><worldbody><body name="ball" pos="0 0 1">
        ...     <freejoint name="ball"/><geom size="0.1"/></body></worldbody></mujoco>''', "mjcf"))
        >>> sim.qpos
        array([0., 0., 1., 1., 0., 0., 0.])
        >>> q = sim.qpos; q[2] = 3; sim.qpos = q
        >>> sim.pose("ball").position
        array([0., 0., 3.])
        """
        out = np.empty(self.model.nq)
        check(lib.afx_sim_qpos(self._pointer, pointer(out)))
        return out

    @qpos.setter
    def qpos(self, value: Any) -> None:
        array = numbers(value, self.model.nq, "qpos")
        check(lib.afx_sim_set_qpos(self._writable, pointer(array)),
              text="a number of qpos is not finite, or a quaternion is 0")

    @property
    def qvel(self) -> Array:
        """[nv]: generalised velocities; of a ball the angular velocity in the body's axes, of a free body the velocity of
        its origin in the world's and the angular velocity in its own; a copy. Can be set."""
        out = np.empty(self.model.nv)
        check(lib.afx_sim_qvel(self._pointer, pointer(out)))
        return out

    @qvel.setter
    def qvel(self, value: Any) -> None:
        array = numbers(value, self.model.nv, "qvel")
        check(lib.afx_sim_set_qvel(self._writable, pointer(array)), text="a number of qvel is not finite")

    def coordinate(self, which: Name) -> CoordinateState:
        """A generalised coordinate by the name that its joint has in the file, or by its number."""
        names = self.model._robot.coordinates
        return CoordinateState(self, names.index(which), names)

    def site(self, which: Name) -> SiteState:
        """A site by its name or number: pose and velocity of a frame on a body."""
        return SiteState(self, self.model._robot.sites.index(which), self.model._robot.sites)

    @property
    def actuator_force(self) -> Array:
        """[nu]: force or torque of each control's actuator in the last step, along the coordinate that it acts on."""
        out = np.empty(self.model.nu)
        for k, drive in enumerate(self.model._inputs):
            call = lib.afx_sim_control_force if self.model._robot.controls.count else lib.afx_sim_drive_effort
            check(call(self._pointer, k if self.model._robot.controls.count else int(drive), pointer(out[k:])))
        return out

    @property
    def sensordata(self) -> Array:
        """Readings of all sensors now, exact, in the order of ``model.sensor_names``; :class:`affix.Sensors` adds delay and
        noise."""
        out = np.empty(lib.afx_model_sensordata_count(lib.afx_sim_model(self._pointer)))
        check(lib.afx_sim_sensordata(self._pointer, pointer(out)))
        return out

    def sensor(self, which: Name) -> Array:
        """Readings of one sensor."""
        return self.sensordata[self.model.sensor_slice(which)]

    def reset(self, keyframe: Optional[Name] = None) -> None:
        """Back to the start, time 0, with everything that steps have left forgotten; with ``keyframe`` then to its qpos,
        qvel and ctrl. Parameters that were changed stay."""
        if self._beginning is None:
            raise ArgumentError(f"a sim of more than {RESET_BODIES} bodies does not keep its start",
                                cure="take a snapshot at the start, and restore it")
        self.restore(self._beginning)
        if keyframe is not None:
            index = self.model._robot.keyframes.index(keyframe)
            check(lib.afx_sim_set_keyframe(self._writable, index), text="the keyframe does not fit the model")
            if self.model._robot.controls.count:
                self._ctrl[:] = self._given[:] = self._controls_now()

    def assemble(self) -> float:
        """Repairs positions and velocities that violate the joints by the least motion; returns what is left."""
        out = ffi.new("double *")
        check(lib.afx_sim_assemble(self._writable, out), text="the loops cannot be closed")
        return out[0]

    def start_gaps(self) -> List[Tuple[str, float, float]]:
        """Joints that the model's start violates, before it was assembled: name, distance (m) and angle (rad) apart."""
        out, gaps = ffi.new("AfxJointGap *"), []
        for k in range(lib.afx_sim_start_gap_count(self._pointer)):
            check(lib.afx_sim_start_gap(self._pointer, k, out))
            gaps.append((self.model._joints.names[out.joint] or str(out.joint), out.distance, out.angle))
        return gaps

    def check_joints(self) -> None:
        """Raises :class:`NumericError`, which names the joint and how far it misses, where joints are open in the
        present state: a start that could not be assembled.

        >>> import affix
        >>> affix.Sim(affix.Model.from_case("four-bar")).check_joints()
        """
        error = ffi.new("AfxError *")
        check(lib.afx_sim_check_joints(self._pointer, error), error)

    def overlaps(self) -> List[Tuple[str, str, float]]:
        """Bodies that may collide and lie in each other: their names and how deep, m.

        >>> import affix
        >>> scene = affix.Scene()
        >>> for name, x in ("left", 0), ("right", 0.3):
        ...     _ = scene.add_body(name, position=(x, 0, 0)).add_box((0.4, 0.4, 0.4))
        >>> [(a, b, round(depth, 6)) for a, b, depth in affix.Sim(affix.Model.from_scene(scene)).overlaps()]
        [('left', 'right', 0.1)]
        """
        count = ffi.new("uint32_t *")
        check(lib.afx_sim_overlaps(self._writable, ffi.NULL, 0, count))
        found = ffi.new("AfxOverlap[]", max(count[0], 1))
        check(lib.afx_sim_overlaps(self._writable, found, count[0], count))
        names = self.model._bodies.names
        return [(names[each.body_a] or str(each.body_a), names[each.body_b] or str(each.body_b), each.depth)
                for each in (found[k] for k in range(count[0]))]

    def start_reactions(self) -> None:
        """Before the first step: computes what joints, drives and springs carry at the start, for ``reaction``,
        ``effort`` and ``spring_force`` to tell until then. Changes nothing of the motion.

        >>> import affix
        >>> sim = affix.Sim(affix.Model.from_case("pendulum"))
        >>> sim.start_reactions()
        >>> bool(abs(sim.joint(0).force).max() > 0)
        True
        """
        check(lib.afx_sim_start_reactions(self._writable))

    def spring_force(self, index: int) -> float:
        """Force of spring number ``index`` between two points in the last step, N; positive when it pulls."""
        out = ffi.new("double *")
        check(lib.afx_sim_spring_force(self._pointer, index, out))
        return out[0]

    def mobility(self) -> Tuple[int, int]:
        """Degrees of freedom and redundant rows in the present state.

        >>> import affix
        >>> affix.Sim(affix.Model.from_case("four-bar")).mobility()   # driven: nothing is free
        (0, 3)
        """
        freedom, redundant = ffi.new("int64_t *"), ffi.new("uint32_t *")
        check(lib.afx_sim_mobility(self._writable, freedom, redundant))
        return freedom[0], redundant[0]

    # ---- parts by name ----

    def body(self, which: Name) -> BodyState:
        """A body by its name or number."""
        return BodyState(self, self.model._bodies.index(which), self.model._bodies)

    def joint(self, which: Name) -> JointState:
        """A joint by its name or number."""
        return JointState(self, self.model._joints.index(which), self.model._joints)

    def actuator(self, which: Name) -> Actuator:
        """A drive by its name or number."""
        return Actuator(self, self.model._drives.index(which), self.model._drives)

    def marker(self, which: Name) -> MarkerState:
        """A marker by its name or number."""
        return MarkerState(self, self.model._markers.index(which), self.model._markers)

    def wrench(self, which: Name) -> WrenchState:
        """A wrench of the scene by its number."""
        return WrenchState(self, self.model._wrenches.index(which), self.model._wrenches)

    # ---- inputs ----

    @property
    def ctrl(self) -> Array:
        """[inputs], in the order of ``model.input_names``. Write into it; what has changed acts from the next step on.
        Robots from files have the controls of the file, in its units, kept within their ranges (``model.ctrl_range``) and
        held over a step; other scenes targets of the drives that take input."""
        self._pointer
        return self._ctrl

    @ctrl.setter
    def ctrl(self, value: Any) -> None:
        self._pointer
        self._ctrl[:] = value

    def set_body_wrenches(self, wrenches: Any) -> None:
        """[bodies, 6]: forces at, and torques about, the centres of mass, world axes, until set again; None ends them."""
        array = None if wrenches is None else numbers(wrenches, 6 * self.model._bodies.count, "wrenches")
        check(lib.afx_sim_set_body_wrenches(self._writable,
                                            ffi.NULL if array is None else ffi.cast("AfxWrench *", pointer(array))),
              text="a wrench is not finite")

    def get_param(self, name: str, item: Optional[Name] = None) -> Any:
        """A parameter (``model.parameter_names``) of one item, or of all: [items, numbers], or [items] for one number each.

        >>> import affix
        >>> sim = affix.Sim(affix.Model.from_case("pendulum"))
        >>> sim.set_param("gravity", None, (0, 0, -1.62))
        >>> sim.get_param("gravity")
        array([[ 0.  ,  0.  , -1.62]])
        >>> sim.set_param("body.mass", "rod", 20)
        >>> sim.get_param("body.mass", "rod")
        20.0
        """
        row = self.model._parameter(name)
        which = range(row.items) if item is None else [self._item(row, item)]
        out = np.empty((len(which), row.size))
        for k, index in enumerate(which):
            check(lib.afx_sim_param(self._pointer, row.kind, index, pointer(out[k])))
        values = out[:, 0] if row.size == 1 else out
        if item is None:
            return values
        return float(values[0]) if row.size == 1 else values[0]

    def set_param(self, name: str, item: Optional[Name], values: Any) -> None:
        """Changes a parameter of one item on this sim; the model and other sims keep theirs. ``item`` is None for what
        there is one of, such as gravity."""
        row = self.model._parameter(name)
        index = self._item(row, item)
        array = numbers(values, row.size, name)
        label = row.owner.label(index) if row.owner else f"item {index}"
        check(lib.afx_sim_set_param(self._writable, row.kind, index, pointer(array)), text=f"{array.tolist()} is not valid",
              element=f"{name} of {label}")

    def _item(self, row: Any, item: Optional[Name]) -> int:
        if item is None:
            if row.items != 1:
                raise ArgumentError(f'"{row.name}" has {row.items} items: say which')
            return 0
        return row.owner.index(item) if row.owner else int(item)  # type: ignore[arg-type]

    # ---- queries ----

    @property
    def energy(self) -> Energy:
        """Of the moving bodies."""
        out = ffi.new("AfxEnergy *")
        check(lib.afx_sim_energy(self._pointer, out))
        return Energy(out.kinetic, out.potential, out.elastic, out.total)

    @property
    def momentum(self) -> Momentum:
        """Of the moving bodies."""
        out = ffi.new("AfxMomentum *")
        check(lib.afx_sim_momentum(self._pointer, out))
        return Momentum._read(out)

    @property
    def contacts(self) -> npt.NDArray[Any]:
        """Points where bodies touch or nearly do, at the end of the last step: a structured array, a copy.

        Its fields: ``body_a`` (dynamic) and ``body_b``; ``shape_a``, ``shape_b``; ``point`` (on a, world), ``normal`` (unit,
        from b towards a), ``depth`` (m, positive where they overlap), ``force`` (N, on a along the normal; 0: near, but
        not touching), ``friction`` (N, on a), ``moment`` (Nm, on a, of rolling and torsional friction), ``sliding``.

        A box of 1 kg stands on its four corners:

        >>> import affix
        >>> scene = affix.Scene()
        >>> _ = scene.add_body("ground", kind="fixed").add_plane()
        >>> _ = scene.add_body("box", position=(0, 0, 0.1)).add_box((0.2, 0.2, 0.2), mass=1)
        >>> sim = affix.Sim(affix.Model.from_scene(scene))
        >>> sim.step(50)
        >>> touching = sim.contacts[sim.contacts["force"] > 0]
        >>> len(touching), round(touching["force"].sum(), 3)
        (4, 9.81)
        >>> touching["normal"][0].round(6) + 0
        array([0., 0., 1.])
        """
        return read_contacts(self._pointer)

    @property
    def asleep(self) -> npt.NDArray[np.bool_]:
        """Which bodies sleep, after ``Sim(model, sleep_speed=...)``: they stand still until something wakes them.

        >>> import affix
        >>> scene = affix.Scene()
        >>> _ = scene.add_body("ground", kind="fixed").add_plane()
        >>> _ = scene.add_body("box", position=(0, 0, 0.1)).add_box((0.2, 0.2, 0.2), mass=1)
        >>> sim = affix.Sim(affix.Model.from_scene(scene), sleep_speed=0.01)
        >>> sim.step(100)
        >>> sim.asleep, sim.report.asleep
        (array([False,  True]), 1)
        >>> sim.wake("box")
        >>> bool(sim.asleep.any())
        False
        """
        return np.array([lib.afx_sim_asleep(self._pointer, k) for k in range(self.model._bodies.count)])

    def wake(self, body: Any = None) -> None:
        """Wakes a body, by name, number or view, and all that sleeps with it; without one, all bodies."""
        index = 2 ** 32 - 1 if body is None else self.model._bodies.index(body)
        check(lib.afx_sim_wake(self._writable, index))

    # ---- snapshots and recording ----

    def snapshot(self) -> Snapshot:
        """The state, to be put back by :meth:`restore`, also into another sim of the same model and integrator.

        >>> import affix
        >>> sim = affix.Sim(affix.Model.from_case("t-handle"))
        >>> sim.step(10); before = sim.snapshot(); sim.step(5); once = sim.q.copy()
        >>> sim.restore(before); sim.step(5)
        >>> bool((sim.q == once).all())
        True
        """
        size = lib.afx_sim_snapshot_size(self._pointer)
        buffer = ffi.new("char[]", size)
        check(lib.afx_sim_snapshot(self._pointer, buffer, size))
        return Snapshot(bytes(ffi.buffer(buffer, size)), self._ctrl.tobytes(), self._given.tobytes())

    def restore(self, snapshot: Snapshot) -> None:
        """Puts a snapshot back; the run goes on bit for bit as it did."""
        check(lib.afx_sim_restore(self._writable, snapshot.state, len(snapshot.state)))
        self._ctrl[:] = np.frombuffer(snapshot.ctrl)
        self._given[:] = np.frombuffer(snapshot.given)

    def replay(self, seconds: float, *, every: Optional[int] = None, title: Optional[str] = None,
               height: int = 480) -> "Replay":
        """Steps for so many seconds and gives a page that plays them: a notebook shows it where it stands. Without
        ``every`` it has 60 frames for a second."""
        from .replay import make
        return make(self, seconds, every, title, height)

    def record(self, path: Any, what: Optional[str] = None, *, every: int = 1, **options: Any) -> "Recorder":
        """Writes a frame now and after every ``every`` steps, until closed: .h5 (trajectory), .csv (table), .glb
        (animation), .pvd or .html (a page). ``what`` are records or columns as in docs/output.md.

        >>> import affix, os, tempfile
        >>> path = os.path.join(tempfile.mkdtemp(), "run.csv")
        >>> sim = affix.Sim(affix.Model.from_case("pendulum"))
        >>> with sim.record(path, "time,joint:0"):
        ...     sim.step(2)
        >>> print(open(path).read().split()[0])
        time,joint:0
        """
        from .record import Recorder
        return Recorder(self, os.fspath(path), what, every, options)
