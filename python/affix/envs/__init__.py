# SPDX-License-Identifier: Apache-2.0
"""Tasks for learning, in the shape of Gymnasium (``reset``, ``step``, ``action_space``, ``observation_space``), without
depending on it.

>>> import affix.envs
>>> env = affix.envs.PendulumSwingUp()
>>> observation, info = env.reset(seed=1)
>>> observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
>>> observation.shape, terminated, truncated
((3,), False, False)
"""

from .base import Box, Env
from .cart_pole import CartPole
from .panda import PandaReach, find_model
from .pendulum import PendulumSwingUp
from .pick import PickAndPlace
from .vector import VectorEnv

__all__ = ["Box", "CartPole", "Env", "PandaReach", "PendulumSwingUp", "PickAndPlace", "VectorEnv", "find_model"]
