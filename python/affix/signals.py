# SPDX-License-Identifier: Apache-2.0
"""Scalar functions of time, as data: targets of drives and motions of kinematic bodies."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple

import numpy as np

from ._affix import ffi, lib
from ._native import Array, Vector, pointer
from .errors import ArgumentError, check

__all__ = ["Signal", "constant", "polynomial", "sine", "table", "formula"]


class Signal:
    """A function of time; made by :func:`constant`, :func:`polynomial`, :func:`sine`, :func:`table` and :func:`formula`.

    >>> import affix
    >>> affix.polynomial(1, 0, 3)(2.0)        # 1 + 3 t² at t = 2
    13.0
    >>> affix.polynomial(1, 0, 3).derivatives(2.0)
    (13.0, 12.0, 6.0)
    """

    def __init__(self, kind: int, coefficients: Tuple[float, ...] = (), times: Optional[Array] = None,
                 values: Optional[Array] = None, text: Optional[str] = None) -> None:
        self._kind, self._coefficients, self._times, self._values = kind, coefficients, times, values
        self._text = text

    def _write(self, target: Any, keep: List[Any]) -> None:
        target.kind = self._kind
        for k in range(lib.AFX_SIGNAL_COEFFICIENTS):
            target.coefficients[k] = self._coefficients[k] if k < len(self._coefficients) else 0.0
        if self._times is not None and self._values is not None:
            keep.append((self._times, self._values))
            target.times, target.values = pointer(self._times), pointer(self._values)
            target.sample_count = self._times.size
        if self._text is not None:
            keep.append(ffi.new("char[]", self._text.encode()))
            target.formula = keep[-1]

    def derivatives(self, t: float) -> Tuple[float, float, float]:
        """Value and first two derivatives at time ``t``."""
        struct, out, keep = ffi.new("AfxSignal *"), ffi.new("double[3]"), []  # type: Tuple[Any, Any, List[Any]]
        self._write(struct, keep)
        check(lib.afx_signal_evaluate(struct, t, out, out + 1, out + 2), text="the signal is not valid")
        return out[0], out[1], out[2]

    def __call__(self, t: float) -> float:
        return self.derivatives(t)[0]


def constant(value: float) -> Signal:
    """The same at all times."""
    return Signal(lib.AFX_SIGNAL_CONSTANT, (float(value),))


def polynomial(*coefficients: float) -> Signal:
    """c0 + c1 t + c2 t² + ..., with up to six coefficients."""
    if len(coefficients) > lib.AFX_SIGNAL_COEFFICIENTS:
        raise ArgumentError(f"a polynomial has at most {lib.AFX_SIGNAL_COEFFICIENTS} coefficients here",
                            cure="use a table for more")
    return Signal(lib.AFX_SIGNAL_POLYNOMIAL, tuple(float(c) for c in coefficients))


def sine(amplitude: float, frequency: float, phase: float = 0.0, offset: float = 0.0) -> Signal:
    """offset + amplitude sin(2π frequency t + phase); frequency in Hz."""
    return Signal(lib.AFX_SIGNAL_SINE, (float(offset), float(amplitude), float(frequency), float(phase)))


def table(times: Vector, values: Vector) -> Signal:
    """A smooth curve through the samples; held before the first and after the last."""
    t, y = np.array(times, dtype=np.float64).reshape(-1), np.array(values, dtype=np.float64).reshape(-1)
    if t.size != y.size or t.size == 0:
        raise ArgumentError(f"a table needs as many values ({y.size}) as times ({t.size}), and at least one")
    return Signal(lib.AFX_SIGNAL_TABLE, (), t, y)


def formula(text: str) -> Signal:
    """A formula in t (s) as text: + - * / ^, brackets, pi, sin, cos, exp, sqrt, min, max, if, step and more (docs/joints.md).

    >>> import affix
    >>> affix.formula("2 * t^2 + 1").derivatives(3.0)
    (19.0, 12.0, 4.0)
    """
    return Signal(lib.AFX_SIGNAL_FORMULA, text=str(text))


def as_signal(value: Any) -> Signal:
    """A signal, or a number as a constant."""
    if isinstance(value, Signal):
        return value
    try:
        return constant(value)
    except (TypeError, ValueError) as cause:
        raise ArgumentError(f"neither a number nor a signal: {value!r}") from cause
