# SPDX-License-Identifier: Apache-2.0
"""A walker with four legs, each a hip that swings it and a knee that lifts it."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from .._native import Array
from ..model import Model
from .base import Box, Env

__all__ = ["Walker"]

_HEIGHT = 0.36


def _scene() -> str:
    legs, motors = "", ""
    for k, (x, y) in enumerate(((1, 1), (-1, 1), (1, -1), (-1, -1)), 1):
        legs += (f'<body name="thigh{k}" pos="{0.2 * x} {0.12 * y} 0"><joint name="hip{k}" axis="0 -1 0" range="-1 1" '
                 f'armature=".01" damping=".2"/><geom type="capsule" fromto="0 0 0 0 {0.06 * y} -.17" size=".03" mass=".4"/>'
                 f'<body name="shin{k}" pos="0 {0.06 * y} -.17"><joint name="knee{k}" axis="0 -1 0" range="-1.5 .2" armature=".01" '
                 f'damping=".2"/><geom type="capsule" fromto="0 0 0 0 0 -.16" size=".025" mass=".2" friction="1 .01 .001"/>'
                 f'</body></body>')
        motors += (f'<position name="hip{k}" joint="hip{k}" kp="40" kv="2.5" ctrlrange="-1 1" forcerange="-20 20"/>'
                   f'<position name="knee{k}" joint="knee{k}" kp="40" kv="2.5" ctrlrange="-1.5 .2" forcerange="-20 20"/>')
    return (f'<mujoco><compiler angle="radian"/><worldbody><geom name="ground" type="plane" size="20 20 1" friction="1 .01 .001"/>'
            f'<body name="torso" pos="0 0 {_HEIGHT}"><freejoint name="root"/><geom type="box" size=".25 .12 .05" mass="4"/>'
            f'<site name="torso"/>{legs}</body></worldbody><actuator>{motors}</actuator></mujoco>')


class Walker(Env):
    """Walks forwards, along x: the reward is the speed of its trunk, less a little for the effort; it ends when the trunk
    falls or leans by a right angle. Actions are angles of hips and knees, rad; observations the height, orientation and
    velocities of the trunk, and angles and rates of the legs. :meth:`script` trots.

    >>> from affix.envs import Walker
    >>> env = Walker()
    >>> observation, _ = env.reset(seed=1)
    >>> for _ in range(100):
    ...     observation, reward, terminated, truncated, info = env.step(env.script())
    >>> terminated, info["distance"] > 0.3
    (False, True)
    """

    def __init__(self, *, dt: float = 0.005, frame_skip: int = 4, max_steps: int = 500, **settings: Any) -> None:
        super().__init__(Model.from_string(_scene(), "mjcf"), dt=dt, frame_skip=frame_skip, max_steps=max_steps, **settings)
        low, high = self.model.ctrl_range.T
        self.action_space = Box(low, high)
        self.observation_space = Box([-np.inf] * 27, [np.inf] * 27)

    def _start(self, options: Dict[str, Any]) -> None:
        q = self.sim.qpos
        q[7:] = np.tile([0.25, -0.5], 4) + self._random.uniform(-0.05, 0.05, 8)
        q[2] = _HEIGHT
        self.sim.qpos = q
        self.sim.ctrl[:] = np.tile([0.25, -0.5], 4)
        self._from = float(q[0])

    def _observe(self) -> Array:
        return np.concatenate([self.sim.qpos[2:], self.sim.qvel[:6], self.sim.qvel[6:]])

    def _reward(self, action: Array) -> float:
        return float(self.sim.qvel[0] - 1e-4 * np.square(self.sim.actuator_force).sum())

    def _terminated(self) -> bool:
        w, x, y, z = self.sim.qpos[3:7]
        return bool(self.sim.qpos[2] < 0.15 or 1 - 2 * (x * x + y * y) < 0)

    def _info(self) -> Dict[str, Any]:
        return {"time": self.sim.time, "distance": float(self.sim.qpos[0] - self._from)}

    def script(self, period: float = 0.4, stride: float = 0.2, lift: float = 0.2) -> Array:
        """A trot: legs across from each other swing together, knees bent while they go forwards."""
        out = []
        for leg in range(4):
            phase = 2 * np.pi * (self.sim.time / period + (0.5 if leg in (1, 2) else 0.0))
            out += [0.25 + stride * np.sin(phase), -0.5 - lift * max(0.0, np.cos(phase))]
        return np.array(out)
