# SPDX-License-Identifier: Apache-2.0
"""Swing up a pendulum with a motor that is too weak to lift it at once."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from .._native import Array
from ..model import Model
from ..scene import Scene
from .base import Box, Env

__all__ = ["PendulumSwingUp"]


class PendulumSwingUp(Env):
    """A rod of 1 m and 1 kg on a hinge, and a motor of at most 2 Nm, where holding it level takes 4.9 Nm.

    Observation: (cos, sin) of the angle from upright, and its rate. Action: the torque, Nm. Reward: minus
    (angle² + 0.1 rate² + 0.001 torque²), as in Gymnasium's Pendulum.

    >>> from affix.envs import PendulumSwingUp
    >>> env = PendulumSwingUp()
    >>> observation, _ = env.reset(seed=3)
    >>> round(float(observation[0] ** 2 + observation[1] ** 2), 9)
    1.0
    """

    def __init__(self, *, length: float = 1.0, mass: float = 1.0, torque: float = 2.0, dt: float = 0.01,
                 frame_skip: int = 5, max_steps: int = 200, **settings: Any) -> None:
        scene = Scene()
        rod = scene.add_body("rod", position=(0, 0, 0), rigid=True)
        rod.add_box((0.05, 0.05, length), position=(0, 0, length / 2), mass=mass)
        rod.add_marker("tip", (0, 0, length))
        hinge = scene.add_joint("revolute", None, rod, name="hinge", at=(0, 0, 0), axis=(0, 1, 0))
        scene.add_motor("motor", hinge, effort=torque)
        super().__init__(Model.from_scene(scene), dt=dt, frame_skip=frame_skip, max_steps=max_steps, **settings)
        self.torque = torque
        self.action_space = Box([-torque], [torque])
        self.observation_space = Box([-1, -1, -np.inf], [1, 1, np.inf])
        self._hinge = self.sim.joint("hinge")

    def _start(self, options: Dict[str, Any]) -> None:
        """Hanging, up to a tenth of a radian off, or at ``options["angle"]``; at rest."""
        angle = options.get("angle", np.pi + self._random.uniform(-0.1, 0.1))
        self._hinge.angle = float(angle)

    def _state(self) -> Any:
        angle = self._hinge.angle
        return (angle + np.pi) % (2 * np.pi) - np.pi, self._hinge.rate

    def _observe(self) -> Array:
        angle, rate = self._state()
        return np.array([np.cos(angle), np.sin(angle), rate])

    def _reward(self, action: Array) -> float:
        angle, rate = self._state()
        return -float(angle**2 + 0.1 * rate**2 + 0.001 * action[0]**2)
