# SPDX-License-Identifier: Apache-2.0
"""An arm with the Panda's published kinematics (Denavit and Hartenberg: 0.333, 0.316, 0.0825, 0.384, 0.088, 0.107 m) and
geometry of our own picks up cubes and stacks them."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Tuple

import numpy as np

from .._native import Array
from ..ik import Solver, Target
from ..model import Model
from .base import Box, Env

__all__ = ["HOME", "PickAndPlace", "arm_scene"]

HOME = (0.0, -0.4, 0.0, -2.2, 0.0, 1.8, 0.785)
_SIZE = 0.02  # half an edge of a cube
_OPEN, _SHUT = 0.04, 0.0
_LIMITS = ((-2.8973, 2.8973), (-1.7628, 1.7628), (-2.8973, 2.8973), (-3.0718, -0.0698), (-2.8973, 2.8973),
           (-0.0175, 3.7525), (-2.8973, 2.8973))
_LINKS = (  # place, quaternion, mass, length of the capsule drawn along z or x
    ("0 0 .333", "1 0 0 0", 4.9, "0 0 -.2 0 0 0"), ("0 0 0", "1 -1 0 0", 0.65, "0 0 -.06 0 0 .06"),
    ("0 -.316 0", "1 1 0 0", 3.2, "0 0 -.2 0 0 0"), (".0825 0 0", "1 1 0 0", 3.6, "0 0 -.06 0 0 .06"),
    ("-.0825 .384 0", "1 -1 0 0", 1.2, "0 0 -.25 0 0 0"), ("0 0 0", "1 1 0 0", 1.7, "0 0 -.05 .088 0 0"),
    (".088 0 0", "1 1 0 0", 0.7, "0 0 0 0 0 .08"))


def arm_scene(cubes: int = 3) -> str:
    """The arm on the ground before ``cubes`` cubes, as MJCF."""
    look = 'contype="0" conaffinity="0"'
    inner, ends = "", ""
    for k, ((place, turn, mass, line), (low, high)) in enumerate(zip(_LINKS, _LIMITS), 1):
        inner += (f'<body name="link{k}" pos="{place}" quat="{turn}" gravcomp="1"><joint name="joint{k}" axis="0 0 1" '
                  f'range="{low} {high}" armature=".1" damping="1"/><geom type="capsule" fromto="{line}" size=".05" '
                  f'mass="{mass}" {look}/>')
        ends += "</body>"
    fingers = "".join(
        f'<body name="finger{s}" pos="0 0 .1654" gravcomp="1"><joint name="finger{s}" type="slide" axis="0 {side} 0" range="0 .04" '
        f'armature=".1" damping="5"/><geom type="box" size=".01 .005 .02" pos="0 {0.005 * side} .02" mass=".03" '
        f'friction="1.5 .01 .001" condim="4"/></body>' for s, side in ((1, 1), (2, -1)))
    boxes = "".join(f'<body name="cube{k}" pos=".5 {0.15 * k} {_SIZE}"><freejoint name="cube{k}"/><geom type="box" '
                    f'size="{_SIZE} {_SIZE} {_SIZE}" mass=".05" friction="1 .01 .001" condim="4"/></body>'
                    for k in range(cubes))
    motors = "".join(f'<position name="motor{k}" joint="joint{k}" kp="{kp}" kv="{kv}"/>'
                     for k, (kp, kv) in enumerate([(4500, 450)] * 4 + [(2000, 200)] * 3, 1))
    grips = "".join(f'<position name="grip{s}" joint="finger{s}" kp="1000" kv="50" forcerange="-40 40"/>' for s in (1, 2))
    return (f'<mujoco><compiler angle="radian"/><worldbody><geom type="plane" size="2 2 1"/>{inner}'
            f'<body name="hand" pos="0 0 .107" quat="0.9238795 0 0 -0.3826834" gravcomp="1"><geom type="box" size=".03 .1 .03" '
            f'pos="0 0 .03" mass=".7" {look}/><site name="grasp" pos="0 0 .1954"/>{fingers}</body>{ends}{boxes}</worldbody>'
            f'<equality><joint joint1="finger1" joint2="finger2"/></equality>'
            f'<actuator>{motors}{grips}</actuator></mujoco>')


class PickAndPlace(Env):
    """Cubes lie on the ground; the task is to stack them on the first one. Actions are where the grasp should be (m), and how
    far the fingers open; observations are the same and the places of the cubes. :meth:`script` does it.
    """

    def __init__(self, *, cubes: int = 3, dt: float = 0.002, frame_skip: int = 0, max_steps: int = 3000,
                 **settings: Any) -> None:
        self.cubes = cubes
        model = Model.from_string(arm_scene(cubes), "mjcf")
        super().__init__(model, dt=dt, frame_skip=frame_skip or max(1, round(0.02 / dt)), max_steps=max_steps, **settings)
        self.action_space = Box([0.2, -0.5, 0.0, 0.0], [0.8, 0.5, 0.8, _OPEN])
        self.observation_space = Box([-np.inf] * (4 + 3 * cubes), [np.inf] * (4 + 3 * cubes))
        self._solver = Solver(model)
        self._fixed = ["finger1", "finger2"] + [f"cube{k}" for k in range(cubes)]
        self._wanted: Array = np.zeros(7)

    def _start(self, options: Dict[str, Any]) -> None:
        q = self.sim.qpos
        q[:7], q[7:9] = HOME, _OPEN
        for k, (x, y, turn) in enumerate(options.get("cubes", self._places())):
            q[self.model.qpos_slice(f"cube{k}")] = (x, y, _SIZE, np.cos(turn / 2), 0, 0, np.sin(turn / 2))
        self.sim.qpos = q
        self._wanted = np.array(HOME)
        self.sim.ctrl[:] = (*HOME, _OPEN, _OPEN)

    def _places(self) -> List[Tuple[float, float, float]]:
        """Random places in front of the arm, cubes apart from each other."""
        places: List[Tuple[float, float, float]] = []
        while len(places) < self.cubes:
            x, y = self._random.uniform(0.4, 0.6), self._random.uniform(-0.25, 0.25)
            if all(np.hypot(x - a, y - b) > 0.12 for a, b, _ in places):
                places.append((x, y, self._random.uniform(-0.3, 0.3)))
        return places

    def cube(self, k: int) -> Array:
        """Place of a cube's centre, m."""
        return np.array(self.sim.body(f"cube{k}").pose.position)

    def _act(self, action: Array) -> None:
        """Straight down at a point: inverse kinematics from the last wanted posture."""
        start = self.sim.qpos
        start[:7] = self._wanted
        found = self._solver.solve([Target("grasp", action[:3], (0.0, 1.0, 0.0, 0.0))], start=start, fixed=self._fixed,
                                   tolerance=1e-6, iterations=30)
        self._wanted = found.qpos[:7]
        self.sim.ctrl[:] = (*self._wanted, action[3], action[3])

    def _observe(self) -> Array:
        parts = [self.sim.site("grasp").position, np.array([self.sim.coordinate("finger1").qpos])]
        return np.concatenate(parts + [self.cube(k) for k in range(self.cubes)])

    def _reward(self, action: Array) -> float:
        return float(self.stacked())

    def stacked(self) -> int:
        """How many cubes lie on those before them."""
        count = 0
        for k in range(1, self.cubes):
            d = self.cube(k) - self.cube(k - 1)
            count += int(count == k - 1 and np.hypot(d[0], d[1]) < _SIZE and abs(d[2] - 2 * _SIZE) < 0.5 * _SIZE)
        return count

    def _terminated(self) -> bool:
        return False

    def _line(self, a: Array, b: Array, grip: float, speed: float = 0.25) -> Iterator[Array]:
        count = max(2, int(np.linalg.norm(b - a) / (speed * self.dt)))
        for k in range(1, count + 1):
            yield np.array([*(a + (b - a) * k / count), grip])

    def _hold(self, place: Array, grip: float, seconds: float) -> Iterator[Array]:
        for _ in range(max(1, round(seconds / self.dt))):
            yield np.array([*place, grip])

    def script(self) -> Iterator[Array]:
        """Actions that stack all cubes, from the present state on."""
        at = np.array(self.sim.site("grasp").position)
        base = self.cube(0)
        for k in range(1, self.cubes):
            here, there = self.cube(k), np.array([base[0], base[1], base[2] + 2 * _SIZE * k])
            up = np.array([0, 0, 0.15])
            high = np.array([0, 0, 0.2])
            for a, b, grip in ((at, here + up, _OPEN), (here + up, here, _OPEN)):
                yield from self._line(a, b, grip)
            yield from self._hold(here, _OPEN, 0.3)
            yield from self._hold(here, _SHUT, 0.4)
            lift = np.array([here[0], here[1], there[2]]) + high
            drop = there + np.array([0, 0, 0.002])
            for a, b in ((here, lift), (lift, there + high), (there + high, drop)):
                yield from self._line(a, b, _SHUT)
            yield from self._hold(drop, _SHUT, 0.3)
            yield from self._hold(drop, _OPEN, 0.3)
            yield from self._line(drop, there + high, _OPEN)
            at = there + high
        yield from self._hold(at, _OPEN, 0.3)
