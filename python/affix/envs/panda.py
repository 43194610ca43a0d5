# SPDX-License-Identifier: Apache-2.0
"""Reach points with a Panda arm, whose MJCF model is the user's own."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Dict, Optional

import numpy as np

from .._native import Array
from ..errors import InputError, NotFoundError
from ..model import Model
from .base import Box, Env

__all__ = ["PandaReach", "find_model"]

_JOINTS = tuple(f"joint{k}" for k in range(1, 8))
_ACTUATORS = tuple(f"actuator{k}" for k in range(1, 8))


def find_model(name: str, path: Optional[Any] = None) -> Path:
    """A model file: ``path``, or ``name`` below a folder of AFFIX_MODELS (folders with ":" between them)."""
    if path is not None:
        if not Path(path).is_file():
            raise NotFoundError(f"there is no file {path}")
        return Path(path)
    folders = [folder for folder in os.environ.get("AFFIX_MODELS", "").split(os.pathsep) if folder]
    for folder in folders:
        for candidate in (Path(folder) / name, Path(folder) / Path(name).name):
            if candidate.is_file():
                return candidate
    raise NotFoundError(f"there is no {name} in AFFIX_MODELS ({os.pathsep.join(folders) or 'not set'})",
                        cure="give the file's path, or set AFFIX_MODELS to the folder that the model is in")


class PandaReach(Env):
    """A Franka Emika Panda (MuJoCo Menagerie's ``franka_emika_panda/panda.xml``) is to bring its hand to a point.

    Action: how much the targets of the seven servos move in one step, in units of ``speed`` rad/s. Observation: seven
    joint angles, seven rates, the hand's position, the goal. Reward: minus the distance, m; ``terminated`` within
    ``tolerance``.
    """

    def __init__(self, path: Optional[Any] = None, *, dt: float = 0.004, frame_skip: int = 10, max_steps: int = 150,
                 speed: float = 1.5, tolerance: float = 0.02, hand: str = "hand", **settings: Any) -> None:
        file = find_model("franka_emika_panda/panda.xml", path)
        model = Model.from_file(file)
        try:
            self._coordinates = np.array([model.joint_slice(joint).start for joint in _JOINTS])
            inputs = [model.input_names.index(actuator) for actuator in _ACTUATORS]
        except (NotFoundError, ValueError) as cause:
            raise InputError("is no Panda: it needs joint1 to joint7 and actuator1 to actuator7", file=str(file)) from cause
        super().__init__(model, dt=dt, frame_skip=frame_skip, max_steps=max_steps, **settings)
        self.speed, self.tolerance, self._inputs = speed, tolerance, np.array(inputs)
        self._hand: Any = self.sim.marker(hand) if hand in model.marker_names else self.sim.body(hand)
        self._low, self._high = self._limits()
        self.action_space = Box(-np.ones(7), np.ones(7))
        self.observation_space = Box(np.full(20, -np.inf), np.full(20, np.inf))
        self.goal: Array = np.zeros(3)

    def _limits(self) -> Any:
        """The ranges of the joints, from their limits, a hundredth of a radian inside."""
        drives = self.model.parameter("drive")
        rows = [drives[self.model.actuator_names.index(f"{joint} limit")] for joint in _JOINTS]
        return np.array([row[4] + 0.01 for row in rows]), np.array([row[5] - 0.01 for row in rows])

    def _start(self, options: Dict[str, Any]) -> None:
        """From the home posture; the goal is in front of the arm, or ``options["goal"]``."""
        goal = options.get("goal")
        self.goal = (self._random.uniform((0.35, -0.3, 0.25), (0.65, 0.3, 0.75)) if goal is None
                     else np.array(goal, dtype=np.float64))

    def _act(self, action: Array) -> None:
        moved = self.sim.ctrl[self._inputs] + action * self.speed * self.dt
        self.sim.ctrl[self._inputs] = np.clip(moved, self._low, self._high)

    def _observe(self) -> Array:
        return np.concatenate([self.sim.joint_positions[self._coordinates], self.sim.joint_rates[self._coordinates],
                               self._hand.position, self.goal])

    def _distance(self) -> float:
        return float(np.linalg.norm(self._hand.position - self.goal))

    def _reward(self, action: Array) -> float:
        return -self._distance()

    def _terminated(self) -> bool:
        return self._distance() < self.tolerance

    def _info(self) -> Dict[str, Any]:
        return {"time": self.sim.time, "distance": self._distance(), "success": self._terminated()}
