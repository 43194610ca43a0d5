# SPDX-License-Identifier: Apache-2.0
"""Runs as functions of PyTorch, which must be installed: ``loss = affix.torch.rollout(fall, params, ctrl).sum()``."""

from typing import Any

try:
    import torch
except ImportError as error:
    raise ImportError("affix.torch needs PyTorch (pip install torch)") from error

from .rollout import Rollout


class _Function(torch.autograd.Function):  # type: ignore[misc]
    @staticmethod
    def forward(ctx: Any, run: Rollout, params: Any, ctrl: Any) -> Any:
        numbers = [None if a is None else a.detach().cpu().numpy() for a in (params, ctrl)]
        values, ctx.pull = run(*numbers)
        ctx.like = (params, ctrl)
        return torch.as_tensor(values)

    @staticmethod
    def backward(ctx: Any, bar: Any) -> Any:
        parts = ctx.pull(bar.detach().cpu().numpy())
        return (None, *(None if like is None else torch.as_tensor(part).reshape(like.shape).to(like)
                        for like, part in zip(ctx.like, parts)))


def rollout(run: Rollout, params: Any = None, ctrl: Any = None) -> Any:
    """The quantities of a rollout as a tensor of float64, with derivatives by both tensors."""
    return _Function.apply(run, params, ctrl)
