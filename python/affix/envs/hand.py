# SPDX-License-Identifier: Apache-2.0
"""A hand with four fingers turns a puck that lies on its palm."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from .._native import Array
from ..model import Model
from .base import Box, Env

__all__ = ["HandReorient"]

_RADIUS, _PALM = 0.03, 0.055  # of the puck; of the circle on which the fingers stand
_OPEN, _PRESS, _SWING = -0.15, 0.6, 0.35


def _scene() -> str:
    fingers, motors = "", ""
    for k in range(4):
        turn = np.pi / 2 * k
        c, s = np.cos(turn), np.sin(turn)
        quat = f"{np.cos(turn / 2):.9f} 0 0 {np.sin(turn / 2):.9f}"
        fingers += (f'<body name="knuckle{k}" pos="{_PALM * c:.6f} {_PALM * s:.6f} 0" quat="{quat}"><joint name="swing{k}" axis="1 0 0" '
                    f'range="-.6 .6" armature="1e-4" damping="2e-3"/><geom type="sphere" size=".006" mass=".01" contype="0" '
                    f'conaffinity="0"/><body name="finger{k}"><joint name="press{k}" axis="0 -1 0" range="-.5 1" armature="1e-4" '
                    f'damping="2e-3"/><geom type="capsule" fromto="0 0 .01 0 0 .04" size=".006" mass=".02" friction="1.2 .01 .001" '
                    f'condim="4"/><site name="tip{k}" pos="0 0 .04"/></body></body>')
        motors += (f'<position name="swing{k}" joint="swing{k}" kp="2" kv=".03" ctrlrange="-.6 .6" forcerange="-.5 .5"/>'
                   f'<position name="press{k}" joint="press{k}" kp="2" kv=".03" ctrlrange="-.5 1" forcerange="-.1 .1"/>')
    return (f'<mujoco><compiler angle="radian"/><worldbody><body name="palm"><geom type="cylinder" size=".09 .01" pos="0 0 -.01" '
            f'friction=".15 .001 .0001"/></body>{fingers}<body name="puck" pos="0 0 .025"><freejoint name="puck"/><geom type="cylinder" '
            f'size="{_RADIUS} .025" mass=".08" friction=".6 .001 .0001" condim="4"/></body></worldbody>'
            f'<actuator>{motors}</actuator></mujoco>')


class HandReorient(Env):
    """Turns a puck about the vertical to a goal, which is drawn up to a right angle away. Actions are where the eight joints
    of the fingers shall be, rad; observations their angles and rates, the place and orientation of the puck, and how far it
    is from the goal. The reward is minus that angle; it ends when it is below 0.05 rad. :meth:`script` grips, turns, lets
    go and reaches back.

    >>> from affix.envs import HandReorient
    >>> env = HandReorient()
    >>> observation, info = env.reset(seed=2)
    >>> while not (info["success"] or info["time"] > 20):
    ...     observation, reward, terminated, truncated, info = env.step(env.script())
    >>> info["success"]
    True
    """

    def __init__(self, *, dt: float = 0.004, frame_skip: int = 5, max_steps: int = 1500, **settings: Any) -> None:
        super().__init__(Model.from_string(_scene(), "mjcf"), dt=dt, frame_skip=frame_skip, max_steps=max_steps, **settings)
        low, high = self.model.ctrl_range.T
        self.action_space = Box(low, high)
        self.observation_space = Box([-np.inf] * 24, [np.inf] * 24)
        self.goal = 0.0

    def _start(self, options: Dict[str, Any]) -> None:
        q = self.sim.qpos
        q[:8] = np.tile([0.0, _OPEN], 4)
        self.sim.qpos = q
        self.sim.ctrl[:] = q[:8]
        self.goal = float(options.get("goal", self._random.uniform(0.4, np.pi / 2) * self._random.choice([-1, 1])))

    def angle(self) -> float:
        """How far the puck has turned about the vertical, rad."""
        w, _, _, z = self.sim.qpos[-4:]
        return float(2 * np.arctan2(z, w))

    def _left(self) -> float:
        return float((self.goal - self.angle() + np.pi) % (2 * np.pi) - np.pi)

    def _observe(self) -> Array:
        return np.concatenate([self.sim.qpos[:8], self.sim.qvel[:8], self.sim.qpos[8:], [self._left()]])

    def _reward(self, action: Array) -> float:
        return -abs(self._left())

    def _terminated(self) -> bool:
        return abs(self._left()) < 0.05

    def _info(self) -> Dict[str, Any]:
        return {"time": self.sim.time, "angle": self.angle(), "success": self._terminated()}

    def script(self, period: float = 1.0) -> Array:
        """Grip, turn, let go, reach back."""
        phase, side = (self.sim.time / period) % 1.0, np.sign(self._left())
        swing = _SWING * side * np.interp(phase, [0, 0.2, 0.5, 0.7, 1.0], [-1, -1, 1, 1, -1])
        press = np.interp(phase, [0, 0.15, 0.55, 0.65, 1.0], [_OPEN, _PRESS, _PRESS, _OPEN, _OPEN])
        return np.tile([-swing, press], 4)
