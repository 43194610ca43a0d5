# SPDX-License-Identifier: Apache-2.0
"""The arm of :mod:`affix.envs.pick` moves its hand to points in space."""

from __future__ import annotations

from typing import Any, Dict

import numpy as np

from .._native import Array
from ..ik import Solver, Target
from ..model import Model
from .base import Box, Env
from .pick import HOME, arm_scene

__all__ = ["Reach"]


class Reach(Env):
    """Moves the grasp to a goal that is drawn in front of the arm. Actions are speeds of the seven joints, rad/s, which
    their servos follow; observations are angles, rates, the place of the grasp, and the goal. The reward is minus the
    distance; it ends below 1 cm. :meth:`script` goes where inverse kinematics says.

    >>> from affix.envs import Reach
    >>> env = Reach()
    >>> observation, info = env.reset(seed=3)
    >>> while not (info["success"] or info["time"] > 5):
    ...     observation, reward, terminated, truncated, info = env.step(env.script())
    >>> info["success"]
    True
    """

    def __init__(self, *, dt: float = 0.005, frame_skip: int = 4, max_steps: int = 250, speed: float = 1.5,
                 **settings: Any) -> None:
        super().__init__(Model.from_string(arm_scene(0), "mjcf"), dt=dt, frame_skip=frame_skip, max_steps=max_steps, **settings)
        self.action_space = Box([-speed] * 7, [speed] * 7)
        self.observation_space = Box([-np.inf] * 20, [np.inf] * 20)
        self.goal: Array = np.zeros(3)
        self._solver = Solver(self.model)

    def _start(self, options: Dict[str, Any]) -> None:
        q = self.sim.qpos
        q[:7], q[7:9] = HOME, 0.04
        self.sim.qpos = q
        self.sim.ctrl[:] = q
        goal = options.get("goal", (self._random.uniform(0.3, 0.6), self._random.uniform(-0.3, 0.3),
                                    self._random.uniform(0.2, 0.6)))
        self.goal = np.array(goal, dtype=np.float64)

    def _act(self, action: Array) -> None:
        low, high = self.model.qpos_range[:7].T
        self.sim.ctrl[:7] = np.clip(self.sim.ctrl[:7] + action * self.dt, low, high)

    def _distance(self) -> float:
        return float(np.linalg.norm(self.sim.site("grasp").position - self.goal))

    def _observe(self) -> Array:
        return np.concatenate([self.sim.qpos[:7], self.sim.qvel[:7], self.sim.site("grasp").position, self.goal])

    def _reward(self, action: Array) -> float:
        return -self._distance()

    def _terminated(self) -> bool:
        return self._distance() < 0.01

    def _info(self) -> Dict[str, Any]:
        distance = self._distance()
        return {"time": self.sim.time, "distance": distance, "success": distance < 0.01}

    def script(self) -> Array:
        """Straight, in joint angles, to the posture that inverse kinematics finds."""
        found = self._solver.solve([Target("grasp", self.goal)], start=self.sim.qpos, fixed=["finger1", "finger2"],
                                   tolerance=1e-6, iterations=50)
        wanted = (found.qpos[:7] - self.sim.ctrl[:7]) / self.dt
        return np.asarray(wanted / max(1.0, float(np.abs(wanted / self.action_space.high).max())))
