# SPDX-License-Identifier: Apache-2.0
"""How a file or case is run: what scene files say in "run", "parameters" and "cameras"."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Optional, Tuple

from ._affix import ffi, lib
from ._native import enum_names, set_pose, text
from .pose import Pose

__all__ = ["Camera", "Run", "RunParameter"]

_INTEGRATORS = enum_names("AfxIntegrator", "AFX_")
_ACCURACIES = enum_names("AfxAccuracy", "AFX_")


class RunParameter(NamedTuple):
    """A number that a scene file gives a name."""

    name: str
    value: float
    min: float
    max: float
    about: str


class Camera(NamedTuple):
    """Where viewers may look from; ``field_of_view`` (rad) is 0 for the viewer's own, ``follow`` a body or "". A camera that
    turns with that body too has a ``pose`` in its frame: it looks along -z and has y up."""

    name: str
    position: Tuple[float, float, float]
    target: Tuple[float, float, float]
    field_of_view: float
    follow: str
    pose: Optional[Pose] = None


class Run(NamedTuple):
    """How a file or case is run.

    >>> import affix
    >>> model = affix.Model.from_case("four-bar")
    >>> model.run.dt, model.run.time
    (0.01, 10.0)
    >>> sim = affix.Sim(model, **model.run.settings)
    >>> sim.dt
    0.01
    """

    about: str
    dt: float
    time: float
    integrator: str
    rho: float
    accuracy: str
    iterations: int
    flops_most: float
    bytes_most: float
    sleep_speed: float
    sleep_time: float
    rigid: bool
    every: int
    outputs: Tuple[str, ...]
    parameters: Tuple[RunParameter, ...]
    cameras: Tuple[Camera, ...]

    @property
    def settings(self) -> Dict[str, Any]:
        """Arguments for :class:`affix.Sim`."""
        found: Dict[str, Any] = {"dt": self.dt, "integrator": self.integrator, "accuracy": self.accuracy}
        if self.integrator == "alpha":
            found["rho"] = self.rho
        if self.iterations:
            found["solves"] = self.iterations
        for name in ("flops_most", "bytes_most", "sleep_speed", "sleep_time"):
            if getattr(self, name):
                found[name] = getattr(self, name)
        return found

    @property
    def steps(self) -> int:
        """Steps until ``time``."""
        return int(round(self.time / self.dt))


def _three(vector: Any) -> Tuple[float, float, float]:
    return vector.x, vector.y, vector.z


def new_run() -> Any:
    """An AfxRunDef for a loader."""
    return ffi.new("AfxRunDef *", lib.afx_default_run())


def from_run(run: Run, sim: Any) -> Any:
    """An AfxRunDef for outputs of a sim: its step and integrator, and the cameras of what was loaded."""
    made = new_run()
    made.sim.dt, made.sim.integrator, made.time = lib.afx_sim_dt(sim), lib.afx_sim_integrator(sim), run.time
    for k, camera in enumerate(run.cameras):
        from_camera(camera, made.cameras[k])
    made.camera_count = len(run.cameras)
    return made


def from_camera(camera: Camera, to: Any) -> None:
    """Into an AfxCamera."""
    to.name, to.follow, to.field_of_view = camera.name.encode(), camera.follow.encode(), camera.field_of_view
    to.position.x, to.position.y, to.position.z = camera.position
    to.target.x, to.target.y, to.target.z = camera.target
    to.carried = camera.pose is not None
    if camera.pose is not None:
        set_pose(to.pose, camera.pose)


def to_run(run: Any) -> Run:
    """What the loader found."""
    parameters = (run.parameters[k] for k in range(run.parameter_count))
    cameras = (run.cameras[k] for k in range(run.camera_count))
    return Run(about=text(run.about), dt=run.sim.dt, time=run.time, integrator=_INTEGRATORS[run.sim.integrator],
               rho=run.sim.rho, accuracy=_ACCURACIES[run.sim.accuracy], iterations=run.sim.solves,
               flops_most=run.sim.flops_most, bytes_most=run.sim.bytes_most, sleep_speed=run.sim.sleep_speed, sleep_time=run.sim.sleep_time,
               rigid=run.rigid, every=run.every, outputs=tuple(text(run.outputs[k]) for k in range(run.output_count)),
               parameters=tuple(RunParameter(text(p.name), p.value, p.min, p.max, text(p.about)) for p in parameters),
               cameras=tuple(Camera(text(c.name), _three(c.position), _three(c.target), c.field_of_view, text(c.follow),
                                    Pose._read(c.pose) if c.carried else None)
                             for c in cameras))
