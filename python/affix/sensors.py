# SPDX-License-Identifier: Apache-2.0
"""Sensors as a controller gets them: late and noisy, the same every time for the same seed."""

from __future__ import annotations

from collections import deque
from typing import Any, Deque, Mapping, Optional

import numpy as np

from ._native import Array
from .errors import ArgumentError
from .sim import Sim

__all__ = ["Sensors"]


class Sensors:
    """Readings of a sim's sensors with noise and delay. Call :meth:`read` once after every step (or sampling interval).

    ``noise`` is a standard deviation for all, or a mapping from sensor to it; by default what the file says. ``delay`` counts
    calls of :meth:`read`. Equal seeds give equal readings.

    >>> import affix
    >>> sim = affix.Sim(affix.Model.from_string('''<mujoco><worldbody><body name="b"><freejoint/><geom size=".1"/>
    ...     <site name="imu"/></body></worldbody><sensor><gyro name="gyro" site="imu" noise=".01"/></sensor></mujoco>''',
    ...     "mjcf"))
    >>> one, two = affix.Sensors(sim, seed=7), affix.Sensors(sim, seed=7)
    >>> bool((one.read() == two.read()).all()), sim.sensor("gyro")
    (True, array([0., 0., 0.]))
    """

    def __init__(self, sim: Sim, *, seed: Optional[int] = None, noise: Any = None, delay: int = 0) -> None:
        if delay < 0:
            raise ArgumentError(f"a delay is 0 or more calls, not {delay}")
        self.sim = sim
        robot = sim.model._robot
        self.noise: Array = robot.sensor_noise.copy()
        if isinstance(noise, Mapping):
            for which, value in noise.items():
                self.noise[sim.model.sensor_slice(which)] = value
        elif noise is not None:
            self.noise[:] = noise
        self._random = np.random.default_rng(seed)
        self._late: Deque[Array] = deque(maxlen=delay + 1)

    def reset(self, seed: Optional[int] = None) -> None:
        """Forgets what is on its way; with a seed, noise begins anew."""
        self._late.clear()
        if seed is not None:
            self._random = np.random.default_rng(seed)

    def read(self) -> Array:
        """The readings of ``delay`` calls ago (the first ones until there are so many), with noise of their own."""
        exact = self.sim.sensordata
        self._late.append(exact + self.noise * self._random.standard_normal(exact.size))
        return self._late[0].copy()
