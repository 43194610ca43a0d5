# SPDX-License-Identifier: Apache-2.0
"""Many copies of a task at once, as ``gymnasium.vector`` has them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from .._native import Array
from ..errors import ArgumentError
from .base import Box, Env

__all__ = ["VectorEnv"]


class VectorEnv:
    """``n`` tasks that ``make`` gives, stepped together on ``threads`` threads; the engine runs without the interpreter's
    lock. An episode that ends is begun anew in the same call: its last observation and info are then in ``info`` under
    "final_observation" and "final_info". Results do not depend on the number of threads.

    ``randomise(env, random)`` is called before each reset, to change parameters of the task's own sim: any of
    ``model.parameter_names``, by ``env.sim.set_param``; :class:`affix.envs.Randomise` is one.

    >>> import affix.envs, numpy as np
    >>> envs = affix.envs.VectorEnv(affix.envs.CartPole, 4, threads=2)
    >>> observations, info = envs.reset(seed=3)
    >>> observations, rewards, terminated, truncated, info = envs.step(np.zeros((4, 1)))
    >>> observations.shape, rewards.shape
    ((4, 4), (4,))
    """

    def __init__(self, make: Callable[[], Env], n: int, *, threads: int = 1,
                 randomise: Optional[Callable[[Env, np.random.Generator], None]] = None) -> None:
        if n < 1:
            raise ArgumentError(f"there is at least one task, not {n}")
        self.envs: List[Env] = [make() for _ in range(n)]
        self.num_envs = n
        self.single_action_space: Box = self.envs[0].action_space
        self.single_observation_space: Box = self.envs[0].observation_space
        self._randomise = randomise
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    def _each(self, call: Callable[[int], Any]) -> List[Any]:
        numbers = range(self.num_envs)
        return list(self._pool.map(call, numbers)) if self._pool else [call(k) for k in numbers]

    def _begin(self, k: int, seed: Optional[int]) -> Tuple[Array, Dict[str, Any]]:
        env = self.envs[k]
        if seed is not None:
            env._random = np.random.Generator(np.random.PCG64(seed))
        if self._randomise:
            self._randomise(env, env.np_random)
        return env.reset()

    def reset(self, *, seed: Optional[int] = None, indices: Optional[Sequence[int]] = None
              ) -> Tuple[Array, Dict[str, Any]]:
        """Begins episodes anew: of all, or of those in ``indices``. Task k has the seed ``seed + k``. Observations are those
        of all tasks, or of the ones that were named."""
        which = self._chosen(indices)
        begun = [self._begin(k, None if seed is None else seed + k) for k in which]
        return np.stack([one for one, _ in begun]), {"infos": [info for _, info in begun]}

    def _step(self, k: int, action: Array) -> Tuple[Array, float, bool, bool, Dict[str, Any]]:
        observation, reward, terminated, truncated, info = self.envs[k].step(action)
        if terminated or truncated:
            fresh, new_info = self._begin(k, None)
            new_info.update(final_observation=observation, final_info=info)
            observation, info = fresh, new_info
        return observation, reward, terminated, truncated, info

    def step(self, actions: Any) -> Tuple[Array, Array, npt.NDArray[np.bool_], npt.NDArray[np.bool_], Dict[str, Any]]:
        """One action each: observations, rewards, terminated, truncated, info."""
        wanted = np.asarray(actions, dtype=np.float64)
        if wanted.shape != (self.num_envs,) + self.single_action_space.shape:
            raise ArgumentError(f"actions are {(self.num_envs,) + self.single_action_space.shape} numbers, "
                                f"not {wanted.shape}")
        done = self._each(lambda k: self._step(k, wanted[k]))
        return (np.stack([one[0] for one in done]), np.array([one[1] for one in done]),
                np.array([one[2] for one in done]), np.array([one[3] for one in done]),
                {"infos": [one[4] for one in done]})

    def _chosen(self, indices: Optional[Sequence[int]]) -> List[int]:
        return list(range(self.num_envs)) if indices is None else [int(k) for k in indices]

    def set_qpos(self, qpos: Any = None, qvel: Any = None, *, indices: Optional[Sequence[int]] = None) -> None:
        """Sets generalised coordinates and velocities of all tasks, or of those in ``indices``: [tasks, numbers], or one for
        all; None keeps them."""
        which = self._chosen(indices)
        for name, value in (("qpos", qpos), ("qvel", qvel)):
            if value is not None:
                rows = np.asarray(value, dtype=np.float64)
                for k, row in zip(which, np.broadcast_to(rows, (len(which), rows.shape[-1]))):
                    setattr(self.envs[k].sim, name, row)

    def set_param(self, name: str, item: Any, values: Any, *, indices: Optional[Sequence[int]] = None) -> None:
        """A parameter of one item in all tasks, or in those of ``indices``: values [tasks] or [tasks, numbers], or one value
        for all."""
        which = self._chosen(indices)
        size = self.envs[0].model._parameter(name).size
        array = np.asarray(values, dtype=np.float64)
        array = array[:, None] if array.ndim == 1 and size == 1 else array
        for k, value in zip(which, np.broadcast_to(array, (len(which), size))):
            self.envs[k].sim.set_param(name, item, value)

    @property
    def qpos(self) -> Array:
        """[tasks, nq]: generalised coordinates; a copy."""
        return np.stack([env.sim.qpos for env in self.envs])

    @property
    def qvel(self) -> Array:
        """[tasks, nv]: generalised velocities; a copy."""
        return np.stack([env.sim.qvel for env in self.envs])

    def close(self) -> None:
        """Closes all."""
        if self._pool:
            self._pool.shutdown()
        for env in self.envs:
            env.close()
