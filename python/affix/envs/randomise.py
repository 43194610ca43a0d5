# SPDX-License-Identifier: Apache-2.0
"""Domain randomisation: parameters of a task's own sim, drawn anew before every episode."""

from __future__ import annotations

import weakref
from typing import Any, Dict, Mapping, Tuple, Union

import numpy as np

from .._native import Array
from ..errors import ArgumentError
from .base import Env

__all__ = ["Randomise"]

Key = Union[str, Tuple[str, Any], Tuple[str, Any, int]]


class Randomise:
    """Multiplies parameters by factors that are drawn between two bounds. Keys are kinds of parameters
    (``model.parameter_names``), for all items of a kind together with factors of their own, or (kind, item), or (kind,
    item, number) for one number of it alone; item None is all items. Values are (low, high). The friction of all pairs of
    materials: ``("material.pair", None, 0)``.

    >>> import affix.envs
    >>> vary = affix.envs.Randomise({"body.mass": (0.8, 1.2), ("gravity", None): (0.95, 1.05)})
    >>> envs = affix.envs.VectorEnv(affix.envs.CartPole, 2, randomise=vary)
    >>> _ = envs.reset(seed=1)
    >>> masses = [env.sim.get_param("body.mass", "pole") for env in envs.envs]
    >>> bool(masses[0] != masses[1] and 0.08 <= min(masses[0], masses[1]) <= 0.12)
    True
    """

    def __init__(self, factors: Mapping[Key, Tuple[float, float]]) -> None:
        self.factors = dict(factors)
        for key, (low, high) in self.factors.items():
            if not np.isfinite(low) or not low <= high < np.inf:
                raise ArgumentError(f"factors of {key!r} lie between a lower and a higher finite number, not {(low, high)}")
        self._nominal: "weakref.WeakKeyDictionary[Env, Dict[Tuple[str, Any], Array]]" = weakref.WeakKeyDictionary()

    def _items(self, env: Env, key: Key) -> Any:
        count = env.model._parameter(key if isinstance(key, str) else key[0]).items
        if not isinstance(key, str) and not (len(key) == 3 and key[1] is None):
            return [key[1]]
        return [None] if count == 1 else range(count)

    def __call__(self, env: Env, random: np.random.Generator) -> None:
        known = self._nominal.setdefault(env, {})
        for key, (low, high) in self.factors.items():
            words: Tuple[Any, ...] = (key,) if isinstance(key, str) else key
            kind = words[0]
            for item in self._items(env, key):
                place = (kind, item)
                if place not in known:
                    known[place] = np.array(env.sim.get_param(kind, item), dtype=np.float64)
                factors = np.ones_like(known[place])
                factors[(..., words[2]) if len(words) == 3 else ...] = random.uniform(low, high)
                env.sim.set_param(kind, item, known[place] * factors)
