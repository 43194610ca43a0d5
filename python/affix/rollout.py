# SPDX-License-Identifier: Apache-2.0
"""A run as a function of parameters and controls, with its derivatives: for numpy here, for PyTorch in affix.torch, for
JAX in affix.jax."""

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Union

import numpy as np

from ._native import Array
from .errors import ArgumentError
from .gradient import refuse_controls
from .model import Model
from .sim import Sim

#: A kind of parameters with one item, or a kind and an item.
Which = Union[str, Tuple[str, Union[str, int]]]


class Rollout:
    """Quantities at the end of a run, as a function of numbers of the registry and of ``ctrl`` before each step.

    >>> import affix
    >>> fall = affix.Rollout(affix.Model.from_case("pendulum"), ["joint:0"], ["gravity"], dt=0.01, steps=10)
    >>> values, pull = fall([0, 0, -9.81])
    >>> by_params, by_ctrl = pull([1])
    >>> by_params.shape, by_ctrl.shape
    ((3,), (10, 0))

    ``params`` are kinds of parameters of one item ("gravity"), or kinds with an item (("body.mass", "rod")); the function
    takes their numbers one after the other. Calls are independent of each other: each makes a sim of its own. Robots whose
    file has controls are functions of parameters only: their controls stay what the sim begins with.
    """

    def __init__(self, model: Model, of: Sequence[str], params: Sequence[Which] = (), *, dt: float, steps: int,
                 keep: int = 0, **sim: Any) -> None:
        if steps < 1:
            raise ArgumentError("a rollout has at least one step")
        self.model, self.of, self.steps, self.keep = model, list(of), int(steps), keep
        self._sim: Dict[str, Any] = {"dt": dt, "accuracy": "converged", **sim}
        self._pieces: List[Tuple[str, Optional[Union[str, int]], int, int]] = []
        for which in params:
            name, item = which if isinstance(which, tuple) else (which, None)
            row = model._parameter(name)
            if item is None and row.items != 1:
                raise ArgumentError(f'"{name}" has {row.items} items: say which')
            index = 0 if item is None else row.owner.index(item) if row.owner else int(item)
            self._pieces.append((name, item, index, row.size))
        #: How many numbers the function takes, and how many controls before each step.
        self.size = sum(piece[3] for piece in self._pieces)
        self.inputs = 0 if model._robot.controls.count else len(model._inputs)

    @property
    def defaults(self) -> Array:
        """The numbers that the model has."""
        parts = [np.atleast_1d(self.model.parameter(name)[index]) for name, _, index, _ in self._pieces]
        out: Array = np.concatenate(parts) if parts else np.empty(0)
        return out

    def __call__(self, params: Any = None, ctrl: Any = None) -> Tuple[Array, Callable[[Any], Tuple[Array, Array]]]:
        """The quantities, and a function from derivatives of an objective by them to those by ``params`` and ``ctrl``
        [steps, inputs], of which None is what the sim begins with."""
        values = self.defaults if params is None else np.asarray(params, dtype=float).reshape(-1)
        told = None if ctrl is None else np.asarray(ctrl, dtype=float).reshape(self.steps, -1)
        if told is not None and told.size:
            refuse_controls(self.model)
        if values.size != self.size or (told is not None and told.shape[1] != self.inputs):
            raise ArgumentError(f"{self.size} parameters and {self.inputs} controls a step are wanted")
        sim, at = Sim(self.model, **self._sim), 0
        for name, item, _, size in self._pieces:
            sim.set_param(name, item, values[at:at + size])
            at += size
        gradient = sim.gradient(keep=self.keep)
        for k in range(self.steps):
            if told is not None and self.inputs:
                sim.ctrl = told[k]
            gradient.step()
        out: Array = np.array([gradient.value(name) for name in self.of])

        def pull(bar: Any) -> Tuple[Array, Array]:
            gradient.clear()
            for name, weight in zip(self.of, np.asarray(bar, dtype=float).reshape(-1)):
                gradient.seed(name, float(weight))
            gradient.backward()
            parts = [np.atleast_1d(gradient.param(name)[index]) for name, _, index, _ in self._pieces]
            inputs: Array = np.empty((self.steps, self.inputs))
            for k in range(self.steps if self.inputs else 0):
                inputs[k] = gradient.inputs(k)
            return (np.concatenate(parts) if parts else np.empty(0)), inputs

        return out, pull
