# SPDX-License-Identifier: Apache-2.0
"""What tasks have in common: spaces, seeds, episodes."""

from __future__ import annotations

from typing import Any, Dict, Optional, Tuple

import numpy as np

from .._native import Array
from ..errors import ArgumentError
from ..model import Model
from ..sim import Sim

try:  # with Gymnasium, tasks are its environments and can be made by name; they do without it
    import gymnasium as _gymnasium
except ImportError:
    _gymnasium = None

__all__ = ["Box", "Env", "register"]


class _Vectors:
    """Vectors between ``low`` and ``high``, like ``gymnasium.spaces.Box``.

    >>> from affix.envs import Box
    >>> box = Box(-1, [1, 2])
    >>> box.shape, box.contains([0, 2]), box.contains([0, 3])
    ((2,), True, False)
    """

    dtype = np.dtype(np.float64)

    def __init__(self, low: Any, high: Any, seed: Optional[int] = None) -> None:
        self.low, self.high = (x.astype(np.float64) for x in np.broadcast_arrays(low, high))
        self.shape: Tuple[int, ...] = self.low.shape
        self.seed(seed)

    def seed(self, seed: Optional[int] = None) -> None:
        """Starts the space's generator anew."""
        self._random = np.random.Generator(np.random.PCG64(seed))

    def sample(self) -> Array:
        """A random vector; normal where there is no bound."""
        bounded = np.isfinite(self.low) & np.isfinite(self.high)
        low, high = np.where(bounded, self.low, 0), np.where(bounded, self.high, 1)
        return np.where(bounded, self._random.uniform(low, high), self._random.standard_normal(self.shape))

    def contains(self, x: Any) -> bool:
        """Is it within the bounds?"""
        array = np.asarray(x)
        return array.shape == self.shape and bool(np.all((array >= self.low) & (array <= self.high)))

    def __repr__(self) -> str:
        return f"Box({self.low.min()}, {self.high.max()}, {self.shape})"


if _gymnasium is None:
    Box = _Vectors
else:
    class Box(_gymnasium.spaces.Box):  # type: ignore[misc,no-redef]
        """Gymnasium's own, with our arguments."""

        def __init__(self, low: Any, high: Any, seed: Optional[int] = None) -> None:
            least, most = (np.array(x, dtype=np.float64) for x in np.broadcast_arrays(low, high))
            super().__init__(least, most, dtype=np.float64, seed=seed)

_Base: Any = object if _gymnasium is None else _gymnasium.Env


def register() -> Tuple[str, ...]:
    """Makes the tasks known to Gymnasium, where it is installed: ``gymnasium.make("affix/Walker-v0")``. Done when
    ``affix.envs`` is imported. Returns their names, none without it."""
    if _gymnasium is None:
        return ()
    names = []
    for task in ("CartPole", "HandReorient", "PendulumSwingUp", "PickAndPlace", "Reach", "Walker"):
        names.append(f"affix/{task}-v0")
        _gymnasium.register(id=names[-1], entry_point=f"affix.envs:{task}")
    return tuple(names)


class Env(_Base):  # type: ignore[misc]
    """A task over a sim. A subclass makes the model and gives :meth:`_start`, :meth:`_observe` and :meth:`_reward`.

    Equal seeds and equal actions give equal episodes, bit for bit. An episode is ``truncated`` after ``max_steps``
    actions; each action is held for ``frame_skip`` steps of the engine.
    """

    metadata: Dict[str, Any] = {"render_modes": []}
    render_mode: Optional[str] = None
    spec: Any = None

    def __init__(self, model: Model, *, dt: float, frame_skip: int, max_steps: int, **settings: Any) -> None:
        self.model, self.sim = model, Sim(model, dt=dt, **settings)
        self.frame_skip, self.max_steps = frame_skip, max_steps
        self.action_space: Box
        self.observation_space: Box
        self._home = self.sim.snapshot()
        self._random = np.random.Generator(np.random.PCG64())
        self._steps: Optional[int] = None

    @property
    def unwrapped(self) -> "Env":
        """The task itself."""
        return self

    @property
    def np_random(self) -> np.random.Generator:
        """The generator of the episodes."""
        return self._random

    @property
    def dt(self) -> float:
        """Time between actions, s."""
        return self.sim.dt * self.frame_skip

    def reset(self, *, seed: Optional[int] = None, options: Optional[Dict[str, Any]] = None) -> Tuple[Array, Dict[str, Any]]:
        """Starts an episode; with a seed, the generator starts anew first."""
        if seed is not None:
            self._random = np.random.Generator(np.random.PCG64(seed))
        self.sim.restore(self._home)
        self._start(options or {})
        self._steps = 0
        return self._observe(), self._info()

    def step(self, action: Any) -> Tuple[Array, float, bool, bool, Dict[str, Any]]:
        """One action: observation, reward, terminated, truncated, info."""
        if self._steps is None:
            raise ArgumentError("an episode begins with reset()")
        wanted = np.asarray(action, dtype=np.float64)
        if wanted.shape != self.action_space.shape or not np.all(np.isfinite(wanted)):
            raise ArgumentError(f"an action is {self.action_space.shape} finite numbers, not {action!r}")
        wanted = np.clip(wanted, self.action_space.low, self.action_space.high)
        self._act(wanted)
        self.sim.step(self.frame_skip)
        self._steps += 1
        return self._observe(), self._reward(wanted), self._terminated(), self._steps >= self.max_steps, self._info()

    def render(self) -> None:
        """Nothing is drawn here; ``affix.view`` and trajectories are for looking."""
        return None

    def close(self) -> None:
        """Closes the sim."""
        self.sim.close()

    # ---- for subclasses ----

    def _start(self, options: Dict[str, Any]) -> None:
        """Changes the sim from its home state to the start of an episode."""

    def _act(self, action: Array) -> None:
        self.sim.ctrl[:] = action

    def _observe(self) -> Array:
        raise NotImplementedError

    def _reward(self, action: Array) -> float:
        raise NotImplementedError

    def _terminated(self) -> bool:
        return False

    def _info(self) -> Dict[str, Any]:
        return {"time": self.sim.time}
