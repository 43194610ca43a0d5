# SPDX-License-Identifier: Apache-2.0
"""The tasks: shape, determinism, and that they can be solved."""

import math

import numpy as np
import pytest

import affix
import affix.envs
from affix.envs import PandaReach, PendulumSwingUp, find_model


def episode(env, seed, policy, steps):
    observation, _ = env.reset(seed=seed)
    trace, rewards = [observation], []
    for _ in range(steps):
        observation, reward, terminated, truncated, _ = env.step(policy(observation))
        trace.append(observation)
        rewards.append(reward)
        if terminated or truncated:
            break
    return np.array(trace), np.array(rewards)


def random_policy(env, seed):
    env.action_space.seed(seed)
    return lambda observation: env.action_space.sample()


@pytest.fixture(params=["pendulum", "panda"])
def make(request):
    if request.param == "pendulum":
        return PendulumSwingUp
    path = request.getfixturevalue("panda")
    return lambda **settings: PandaReach(path, **settings)


def test_the_shape_of_gymnasium(make):
    env = make(max_steps=3)
    observation, info = env.reset(seed=0)
    assert env.observation_space.contains(observation) and isinstance(info, dict)
    assert env.unwrapped is env and env.render() is None and env.dt > 0
    for k in range(3):
        observation, reward, terminated, truncated, info = env.step(env.action_space.sample())
        assert env.observation_space.contains(observation)
        assert isinstance(reward, float) and reward < 0 and isinstance(terminated, bool)
        assert truncated is (k == 2)
    with pytest.raises(affix.ArgumentError, match="finite numbers"):
        env.step(np.full(env.action_space.shape, np.nan))
    env.close()
    with pytest.raises(affix.ClosedError):
        env.reset()


def test_equal_seeds_give_equal_episodes(make):
    env, other = make(), make()
    first = episode(env, 5, random_policy(env, 6), 25)
    again = episode(env, 5, random_policy(env, 6), 25)
    fresh = episode(other, 5, random_policy(other, 6), 25)
    for a, b, c in zip(first, again, fresh):
        assert (a == b).all() and (a == c).all()
    assert (episode(env, 7, random_policy(env, 6), 25)[0][:20] != first[0][:20]).any()


def test_an_episode_begins_with_reset():
    with pytest.raises(affix.ArgumentError, match="reset"):
        PendulumSwingUp().step([0.0])


def test_too_weak_to_lift_but_strong_enough_to_swing():
    """Full torque one way never gets it up; pumping energy does."""
    env = PendulumSwingUp()
    heights = episode(env, 1, lambda observation: [2.0], 200)[0][:, 0]
    assert heights.max() < 0

    # J/2 rate² + m g d cos = m g d at the top
    inertia, weight = (1 + 0.05**2) / 12 + 0.25, 9.81 * 0.5

    def pump(observation):
        missing = weight - (inertia / 2 * observation[2]**2 + weight * observation[0])
        return [2.0 * np.sign(missing * observation[2]) if observation[2] else 2.0]

    heights = episode(env, 1, pump, 200)[0][:, 0]
    assert heights.max() > 0.99


def test_the_pendulum_falls_as_it_should():
    """From the horizontal without torque: rate² = 2 m g d / J at the bottom."""
    env = PendulumSwingUp(dt=0.001, frame_skip=1, max_steps=2000)
    env.reset(seed=0, options={"angle": math.pi / 2})
    rates = [env.step([0.0])[0][2] for _ in range(2000)]
    inertia = (1 + 0.05**2) / 12 + 0.25
    assert max(np.abs(rates)) == pytest.approx(math.sqrt(2 * 9.81 * 0.5 / inertia), rel=1e-3)


def test_the_arm_reaches_its_goals(panda):
    """Steps along the Jacobian's transpose, found by differences, bring the hand to the goal."""
    env = PandaReach(panda)
    probe = affix.Sim(env.model)
    home, first = probe.joint_positions, env._coordinates
    for seed in (0, 1):
        observation, info = env.reset(seed=seed)
        terminated, least = False, info["distance"]
        for _ in range(env.max_steps):
            jacobian = np.empty((3, 7))
            for k in range(7):
                sides = []
                for sign in (1, -1):
                    angles = home.copy()
                    angles[first] = observation[:7]
                    angles[first[k]] += sign * 1e-4
                    probe.joint_positions = angles
                    sides.append(probe.marker("hand").position)
                jacobian[:, k] = (sides[0] - sides[1]) / 2e-4
            error = env.goal - observation[14:17]
            step = np.linalg.lstsq(jacobian, error, rcond=None)[0] / (env.speed * env.dt)
            observation, reward, terminated, truncated, info = env.step(step / max(1, np.abs(step).max()))
            assert reward == -info["distance"]
            least = min(least, info["distance"])
            if terminated:
                break
        assert terminated and info["success"], least


def test_finding_models(panda, monkeypatch):
    monkeypatch.setenv("AFFIX_MODELS", str(panda.parent.parent))
    assert find_model("franka_emika_panda/panda.xml") == panda
    monkeypatch.setenv("AFFIX_MODELS", str(panda.parent))
    assert find_model("franka_emika_panda/panda.xml") == panda


def test_models_that_are_not_there(monkeypatch, tmp_path):
    monkeypatch.delenv("AFFIX_MODELS", raising=False)
    with pytest.raises(affix.NotFoundError, match="AFFIX_MODELS"):
        PandaReach()
    with pytest.raises(affix.NotFoundError, match="no file"):
        PandaReach(tmp_path / "panda.xml")
    (tmp_path / "ball.xml").write_text("<mujoco><worldbody><body><freejoint/><geom size='1'/></body></worldbody></mujoco>")
    with pytest.raises(affix.InputError, match="is no Panda"):
        PandaReach(tmp_path / "ball.xml")


def test_every_task_can_be_done():
    """Scripts of the walker, the reaching arm and the hand, from several starts."""
    walker = affix.envs.Walker()
    for seed in (0, 1):
        _, info = walker.reset(seed=seed)
        rewards = []
        for _ in range(150):
            _, reward, terminated, _, info = walker.step(walker.script())
            rewards.append(reward)
            assert not terminated
        assert info["distance"] > 0.5 and np.mean(rewards) > 0.1
    still, _ = walker.reset(seed=0)
    for _ in range(50):
        *_, info = walker.step(np.tile([0.25, -0.5], 4))
    assert abs(info["distance"]) < 0.1

    for env, seeds, seconds in ((affix.envs.Reach(), range(6), 5), (affix.envs.HandReorient(), range(4), 20)):
        for seed in seeds:
            _, info = env.reset(seed=seed)
            while not info["success"] and info["time"] < seconds:
                *_, info = env.step(env.script())
            assert info["success"], (type(env), seed, info)
        _, info = env.reset(seed=0)
        for _ in range(50):                                  # and not by itself
            *_, info = env.step(np.zeros(env.action_space.shape))
        assert not info["success"]


def test_setters_of_many_tasks():
    envs = affix.envs.VectorEnv(affix.envs.CartPole, 3)
    envs.reset(seed=0)
    envs.set_qpos([[0.1, 0.0], [0.2, 0.0]], indices=[0, 2])
    np.testing.assert_allclose(envs.qpos[[0, 2], 0], [0.1, 0.2], atol=1e-15)
    envs.set_qpos(None, [1.0, 0.0])
    np.testing.assert_allclose(envs.qvel[:, 0], 1.0, atol=1e-12)
    envs.set_param("body.mass", "pole", [0.1, 0.2, 0.3])
    assert [env.sim.get_param("body.mass", "pole") for env in envs.envs] == [0.1, 0.2, 0.3]
    envs.set_param("gravity", None, (0, 0, -1.0), indices=[1])
    assert envs.envs[1].sim.get_param("gravity")[0, 2] == -1 and envs.envs[0].sim.get_param("gravity")[0, 2] == -9.81
    with pytest.raises(affix.ArgumentError, match="lower and a higher"):
        affix.envs.Randomise({"body.mass": (2, 1)})
    with pytest.raises(affix.NotFoundError):
        affix.envs.VectorEnv(affix.envs.CartPole, 1, randomise=affix.envs.Randomise({"body.color": (1, 2)})).reset()


def test_one_number_of_an_item_is_drawn_alone():
    envs = affix.envs.VectorEnv(affix.envs.PickAndPlace, 2, randomise=affix.envs.Randomise({("material.pair", None, 0): (0.5, 0.9)}))
    nominal = envs.envs[0].sim.get_param("material.pair").copy()
    envs.reset(seed=1)
    drawn = [env.sim.get_param("material.pair") for env in envs.envs]
    envs.close()
    for one in drawn:
        share = one[..., 0] / nominal[..., 0]
        assert (share >= 0.5).all() and (share <= 0.9).all()
        np.testing.assert_array_equal(one[..., 1:], nominal[..., 1:])
    assert (drawn[0] != drawn[1]).any()


def test_factors_are_of_the_model_and_not_of_the_last_episode():
    vary = affix.envs.Randomise({"body.mass": (0.5, 1.5)})
    envs = affix.envs.VectorEnv(affix.envs.CartPole, 1, randomise=vary)
    masses = []
    for _ in range(40):
        envs.reset()
        masses.append(envs.envs[0].sim.get_param("body.mass", "cart"))
    assert min(masses) >= 0.5 and max(masses) <= 1.5 and max(masses) - min(masses) > 0.5


GYMNASIUM = """
import types, sys
g = types.ModuleType("gymnasium")
class Env: pass
class Box:
    def __init__(self, low, high, shape=None, dtype=None, seed=None):
        self.low, self.high, self.dtype, self.shape = low, high, dtype, low.shape
g.Env, g.spaces, g.known = Env, types.SimpleNamespace(Box=Box), {}
g.register = lambda id, entry_point: g.known.update({id: entry_point})
sys.modules["gymnasium"] = g
import affix.envs, importlib
for name, entry in g.known.items():
    module, task = entry.split(":")
    env = getattr(importlib.import_module(module), task)()
    assert isinstance(env, Env) and isinstance(env.action_space, Box), name
    observation, info = env.reset(seed=0)
    assert observation.shape == env.observation_space.shape, name
print(len(g.known))
"""


def test_with_gymnasium_tasks_are_its_own():
    """A module of its shape stands for it: what is registered can be made, and is of its classes."""
    import subprocess
    import sys
    done = subprocess.run([sys.executable, "-c", GYMNASIUM], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout.split() == ["6"], done.stderr
    assert affix.envs.register() == () or affix.envs.register()[0].startswith("affix/")
