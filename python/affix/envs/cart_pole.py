# SPDX-License-Identifier: Apache-2.0
"""A pole on a cart, to be kept upright by pushing the cart."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from .._native import Array
from ..model import Model
from .base import Box, Env

__all__ = ["CartPole"]

_SCENE = """<mujoco><option gravity="0 0 -9.81"/><worldbody><body name="cart">
  <joint name="slide" type="slide" axis="1 0 0"/><geom type="box" size=".2 .1 .05" mass="1" contype="0" conaffinity="0"/>
  <body name="pole"><joint name="hinge" axis="0 1 0"/>
    <geom type="capsule" fromto="0 0 0 0 0 .6" size=".02" mass=".1" contype="0" conaffinity="0"/></body></body></worldbody>
  <actuator><motor name="push" joint="slide" ctrlrange="-10 10"/></actuator></mujoco>"""


class CartPole(Env):
    """Keeps a pole of 0.6 m upright: ends when it leans by more than 0.2 rad or the cart is 2.4 m away. Observations are
    place, lean and their rates; the action is a force of up to 10 N.

    >>> from affix.envs import CartPole
    >>> env = CartPole()
    >>> observation, _ = env.reset(seed=1)
    >>> for _ in range(100):
    ...     observation, reward, terminated, truncated, _ = env.step(env.script(observation))
    >>> terminated, bool(abs(observation[1]) < 0.01)
    (False, True)
    """

    def __init__(self, *, dt: float = 0.01, frame_skip: int = 2, max_steps: int = 500, **settings: Any) -> None:
        super().__init__(Model.from_string(_SCENE, "mjcf"), dt=dt, frame_skip=frame_skip, max_steps=max_steps, **settings)
        self.action_space = Box([-10.0], [10.0])
        self.observation_space = Box([-np.inf] * 4, [np.inf] * 4)

    def _start(self, options: Dict[str, Any]) -> None:
        self.sim.qpos = self._random.uniform(-0.05, 0.05, 2)
        self.sim.qvel = self._random.uniform(-0.05, 0.05, 2)

    def _observe(self) -> Array:
        return np.concatenate([self.sim.qpos, self.sim.qvel])

    def _reward(self, action: Array) -> float:
        return 1.0

    def _terminated(self) -> bool:
        place, lean = self.sim.qpos
        return bool(abs(lean) > 0.2 or abs(place) > 2.4)

    def script(self, observation: Array) -> Array:
        """A policy that does it: state feedback."""
        place, lean, speed, rate = observation
        return np.array([1.0 * place + 25.0 * lean + 2.0 * speed + 5.0 * rate])
