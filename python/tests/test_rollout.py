# SPDX-License-Identifier: Apache-2.0
"""Runs as functions, for numpy, PyTorch and JAX. Where these are not installed, small modules stand in for them that have
only what affix.torch and affix.jax use: they show that the calls are right, not that the real ones take them."""

import importlib
import sys
import types

import numpy as np
import pytest

import affix


def fall():
    return affix.Rollout(affix.Model.from_case("pendulum"), ["joint:0", "energy.kinetic"], ["gravity", ("body.mass", 0)],
                         dt=0.01, steps=10)


def differences(run, at, weights):
    out = np.empty(len(at))
    for k in range(len(at)):
        step = np.zeros(len(at))
        step[k] = 1e-4
        ends = [run(at + s * j * step)[0] @ weights for j in (1, 2) for s in (1, -1)]
        out[k] = (8 * (ends[0] - ends[1]) - (ends[2] - ends[3])) / 12e-4
    return out


def test_params():
    run, weights = fall(), np.array([1.0, 0.3])
    at = run.defaults
    assert run.size == 4 and run.inputs == 0 and at[2] == pytest.approx(-9.81)
    values, pull = run(at)
    by, _ = pull(weights)
    np.testing.assert_allclose(by, differences(run, at, weights), rtol=1e-7, atol=1e-8 * np.abs(by).max())
    np.testing.assert_allclose(pull(2 * weights)[0], 2 * by, rtol=1e-12)
    with pytest.raises(affix.AffixError):
        run(at[:2])
    with pytest.raises(affix.AffixError):
        affix.Rollout(run.model, ["joint:0"], ["gravity"], dt=0.01, steps=0)


def test_ctrl():
    scene = affix.Scene()
    scene.gravity = (0, 0, -9.81)
    rod = scene.add_body("rod", mass=2, inertia=(0.1, 0.2, 0.2), position=(0.5, 0, 0), rigid=True)
    hinge = scene.add_joint("revolute", None, rod, at=(0, 0, 0), axis=(0, 1, 0))
    scene.add_drive("force", hinge, name="motor")
    scene.add_drive("servo", hinge, name="servo", stiffness=20, damping=2)
    run = affix.Rollout(affix.Model(scene), ["joint:0", "rate:0"], [("body.mass", "rod")], dt=0.01, steps=6)
    weights, ctrl = np.array([1.0, 0.3]), np.random.default_rng(1).normal(size=(6, 2)) * [5, 0.3]
    values, pull = run(run.defaults, ctrl)
    by, by_ctrl = pull(weights)
    assert run.inputs == 2 and by_ctrl.shape == (6, 2) and np.abs(by_ctrl).min() > 0
    expected = differences(lambda at: run(run.defaults, at.reshape(6, 2)), ctrl.reshape(-1), weights)
    np.testing.assert_allclose(by_ctrl.reshape(-1), expected, rtol=1e-7, atol=1e-8 * np.abs(by_ctrl).max())
    np.testing.assert_allclose(by, differences(lambda at: run(at, ctrl), run.defaults, weights), rtol=1e-7)
    sim = affix.Sim(run.model, dt=0.01, accuracy="converged")
    for row in ctrl:
        sim.ctrl = row
        sim.step()
    assert values[0] == pytest.approx(sim.joint_positions[0], rel=1e-12)


GEARED = """<mujoco><worldbody><body name="a"><joint name="a" axis="0 1 0"/>
  <geom type="capsule" fromto="0 0 0 .4 0 0" size=".03"/></body></worldbody>
  <actuator><motor name="m" joint="a" gear="7" ctrlrange="-1 1"/></actuator></mujoco>"""


def test_controls_of_robots():
    """They act in recorded steps as in others, with gear and range; derivatives by them are refused by name."""
    model = affix.Model.from_string(GEARED, "mjcf")
    sims = [affix.Sim(model, dt=0.01, accuracy="converged", integrator="bdf2") for _ in range(2)]
    with sims[1].gradient() as g:
        for told in (0.2, 0.2, 5.0, -0.4):
            sims[0].ctrl = sims[1].ctrl = told
            sims[0].step()
            g.step()
        np.testing.assert_array_equal(sims[1].q, sims[0].q)
        g.seed("joint:a")
        g.backward()
        assert np.abs(g.param("gravity")).max() > 0
        with pytest.raises(affix.ArgumentError, match="'m'"):
            g.inputs(0)
        a, b = g.jacobian()
        assert b.shape == (len(a), 0)
    run = affix.Rollout(model, ["joint:a"], ["gravity"], dt=0.01, steps=3, integrator="bdf2")
    by, by_ctrl = run()[1]([1.0])
    assert by_ctrl.shape == (3, 0)
    np.testing.assert_allclose(by, differences(run, run.defaults, np.ones(1)), rtol=1e-7, atol=1e-10)
    with pytest.raises(affix.ArgumentError, match="'m'"):
        run(None, np.zeros((3, 1)))


def test_muscles_are_refused():
    text = """<mujoco><worldbody><body name="b"><joint name="a" axis="0 1 0"/><geom size=".1" pos=".3 0 0"/></body></worldbody>
      <actuator><muscle name="m" joint="a" lengthrange="0 1" force="10"/></actuator></mujoco>"""
    sim = affix.Sim(affix.Model.from_string(text, "mjcf"), dt=0.01, accuracy="converged", integrator="bdf2")
    with pytest.raises(affix.InputError, match="muscles"):
        sim.gradient()


def tensor(array):
    out = np.asarray(array, dtype=float).view(Tensor)
    return out


class Tensor(np.ndarray):
    def detach(self):
        return self

    cpu = detach

    def numpy(self):
        return np.asarray(self)

    def to(self, like):
        return self


class Function:
    """Keeps its last context, so that a test can go back."""

    @classmethod
    def apply(cls, *arguments):
        Function.context, Function.last = types.SimpleNamespace(), cls
        return cls.forward(Function.context, *arguments)


@pytest.fixture
def torch(monkeypatch):
    try:
        return importlib.import_module("torch")
    except ImportError:
        module = types.ModuleType("torch")
        module.autograd = types.SimpleNamespace(Function=Function)
        module.as_tensor = tensor
        monkeypatch.setitem(sys.modules, "torch", module)
        monkeypatch.delitem(sys.modules, "affix.torch", raising=False)
        return module


def test_torch(torch):
    bridge, run, weights = importlib.import_module("affix.torch"), fall(), np.array([1.0, 0.3])
    expected = run(run.defaults)[1](weights)[0]
    if hasattr(torch, "nn"):
        params = torch.tensor(run.defaults, requires_grad=True)
        (bridge.rollout(run, params) @ torch.tensor(weights)).backward()
        np.testing.assert_allclose(params.grad.numpy(), expected, rtol=1e-12)
        return
    values = bridge.rollout(run, tensor(run.defaults))
    np.testing.assert_array_equal(values, run(run.defaults)[0])
    nothing, by, by_ctrl = Function.last.backward(Function.context, tensor(weights))
    assert nothing is None and by_ctrl is None
    np.testing.assert_allclose(by, expected, rtol=1e-12)
    sys.modules.pop("affix.torch")


@pytest.fixture
def jax(monkeypatch):
    try:
        return importlib.import_module("jax")
    except ImportError:
        module, numbers = types.ModuleType("jax"), types.ModuleType("jax.numpy")

        class CustomVjp:
            last = None

            def __init__(self, function):
                self.function = function
                CustomVjp.last = self

            def __call__(self, *arguments):
                return self.function(*arguments)

            def defvjp(self, forward, backward):
                self.forward, self.backward = forward, backward

        module.custom_vjp = CustomVjp
        module.ShapeDtypeStruct = lambda shape, dtype: (shape, dtype)
        module.pure_callback = lambda function, shape, *arguments: function(*arguments)
        numbers.asarray, numbers.zeros = np.asarray, np.zeros
        module.numpy = numbers
        monkeypatch.setitem(sys.modules, "jax", module)
        monkeypatch.setitem(sys.modules, "jax.numpy", numbers)
        monkeypatch.delitem(sys.modules, "affix.jax", raising=False)
        return module


def test_jax(jax):
    bridge, run, weights = importlib.import_module("affix.jax"), fall(), np.array([1.0, 0.3])
    expected = run(run.defaults)[1](weights)[0]
    if hasattr(jax, "grad"):
        jax.config.update("jax_enable_x64", True)
        by = jax.grad(lambda p: bridge.rollout(run, p) @ weights)(run.defaults)
        np.testing.assert_allclose(np.asarray(by), expected, rtol=1e-12)
        return
    values = bridge.rollout(run, run.defaults)
    np.testing.assert_array_equal(values, run(run.defaults)[0])
    custom = jax.custom_vjp.last
    same, kept = custom.forward(run.defaults, np.zeros((run.steps, 0)))
    by, by_ctrl = custom.backward(kept, weights)
    np.testing.assert_array_equal(same, values)
    np.testing.assert_allclose(by, expected, rtol=1e-12)
    assert by_ctrl.shape == (run.steps, 0)
    sys.modules.pop("affix.jax")
