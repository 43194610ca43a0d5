# SPDX-License-Identifier: Apache-2.0
"""Runs as functions of JAX, which must be installed: ``jax.grad(lambda p: affix.jax.rollout(fall, p)[0])(params)``. Enable
its 64-bit numbers (``jax.config.update("jax_enable_x64", True)``), or derivatives have seven digits."""

from typing import Any

try:
    import jax
    import jax.numpy as jnp
except ImportError as error:
    raise ImportError("affix.jax needs JAX (pip install jax)") from error

import numpy as np

from .rollout import Rollout


def rollout(run: Rollout, params: Any = None, ctrl: Any = None) -> Any:
    """The quantities of a rollout as an array, with derivatives by both arrays; also inside jit."""
    params = jnp.asarray(run.defaults) if params is None else jnp.asarray(params)
    told = ctrl is not None
    ctrl = jnp.asarray(ctrl) if told else jnp.zeros((run.steps, 0))
    kind = params.dtype

    def values(p: Any, c: Any) -> Any:
        return np.asarray(run(np.asarray(p), np.asarray(c) if told else None)[0], dtype=kind)

    def pulled(p: Any, c: Any, bar: Any) -> Any:
        by_params, by_ctrl = run(np.asarray(p), np.asarray(c) if told else None)[1](np.asarray(bar))
        return (np.asarray(by_params, dtype=kind).reshape(p.shape),
                np.asarray(by_ctrl if told else np.zeros(c.shape), dtype=c.dtype).reshape(c.shape))

    def called(p: Any, c: Any) -> Any:
        return jax.pure_callback(values, jax.ShapeDtypeStruct((len(run.of),), kind), p, c)

    function: Any = jax.custom_vjp(called)

    def forward(p: Any, c: Any) -> Any:
        return function(p, c), (p, c)

    def backward(kept: Any, bar: Any) -> Any:
        p, c = kept
        shapes = (jax.ShapeDtypeStruct(p.shape, kind), jax.ShapeDtypeStruct(c.shape, c.dtype))
        return jax.pure_callback(pulled, shapes, p, c, bar)

    function.defvjp(forward, backward)
    return function(params, ctrl)
