# SPDX-License-Identifier: Apache-2.0
# %% [markdown]
# # Tasks for learning
# Several arms at once reach for goals by their scripted policy, each with masses and friction of its own. Environments have the
# shape of Gymnasium's; one that has ended is reset by itself.

# %%
import numpy as np

from affix.envs import Randomise, Reach, VectorEnv

vary = Randomise({"body.mass": (0.9, 1.1)})
envs = VectorEnv(Reach, 3, randomise=vary)
observations, infos = envs.reset(seed=5)
masses = [env.sim.get_param("body.mass", 0) for env in envs.envs]

# %%
reached = np.zeros(3, dtype=int)
for step in range(120):
    actions = np.stack([env.script() for env in envs.envs])
    observations, rewards, terminated, truncated, infos = envs.step(actions)
    reached += terminated
print(f"goals reached by each arm: {reached}; mass of the first body {np.round(masses, 3)}")
