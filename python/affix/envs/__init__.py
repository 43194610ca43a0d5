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

from .base import Box, Env, register
from .cart_pole import CartPole
from .hand import HandReorient
from .panda import PandaReach, find_model
from .pendulum import PendulumSwingUp
from .pick import PickAndPlace
from .randomise import Randomise
from .reach import Reach
from .vector import VectorEnv
from .walker import Walker

__all__ = ["Box", "CartPole", "Env", "HandReorient", "PandaReach", "PendulumSwingUp", "PickAndPlace", "Randomise", "Reach",
           "VectorEnv", "Walker", "find_model", "register"]

register()
