# SPDX-License-Identifier: Apache-2.0
"""Quick plots with matplotlib."""

from __future__ import annotations

import os
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

from ._native import Array
from .trajectory import read_table

__all__ = ["plot", "plot_columns"]

_UNITS = {"time": "s", "energy": "J", "body": "m", "velocity": "m/s", "joint": "rad or m", "rate": "rad/s or m/s",
          "reaction": "N, Nm", "effort": "N or Nm", "marker": "m"}


def plot(path: Any, *columns: str, x: Optional[str] = None, title: Optional[str] = None, log: bool = False) -> Any:
    """A figure of columns of a trajectory or CSV file, or of a list of them, over time or over the column ``x``; names as
    in docs/output.md. Columns of one kind share a panel; residuals get a logarithmic axis, with ``log`` all do.

    >>> import affix, os, tempfile
    >>> import matplotlib; matplotlib.use("Agg")
    >>> path = os.path.join(tempfile.mkdtemp(), "run.h5")
    >>> sim = affix.Sim(affix.Model.from_case("pendulum"))
    >>> with sim.record(path):
    ...     sim.step(50)
    >>> figure = affix.plot(path, "joint:0", "energy")
    >>> len(figure.axes)
    2
    >>> affix.plot([path, path], "body:0.z", x="body:0.x").axes[0].get_xlabel()
    'body:0.x'
    """
    paths = path if isinstance(path, (list, tuple)) else [path]
    over, curves = x or "time", []
    for one in paths:
        table = read_table(one, over, *(columns or ("energy",)))
        name, values = next(iter(table.items()))
        del table[name]
        curves.append((os.path.basename(os.fspath(one)) if len(paths) > 1 else "", values, table))
    return _draw(curves, "time, s" if x is None else name, title, log)


def plot_columns(time: Array, columns: Dict[str, Array], *, title: Optional[str] = None, log: bool = False) -> Any:
    """The same from arrays over time: a panel for each kind, which is the name up to ":" or "."."""
    return _draw([("", time, columns)], "time, s", title, log)


def _draw(curves: List[Tuple[str, Array, Dict[str, Array]]], label: str, title: Optional[str], log: bool) -> Any:
    import matplotlib.pyplot as plt
    kinds: Dict[str, List[Tuple[str, Array, Array]]] = {}
    for run, across, columns in curves:
        for name, values in columns.items():
            group = kinds.setdefault(name.split(":")[0].split(".")[0], [])
            group.append((f"{run}: {name}" if run else name, across, values))
    figure, axes = plt.subplots(len(kinds), 1, sharex=True, squeeze=False, figsize=(8, 1.2 + 2.2 * len(kinds)),
                                constrained_layout=True)
    for axis, (kind, group) in zip(axes[:, 0], kinds.items()):
        logarithmic = log or kind in ("residual", "rotation_error")
        for name, across, values in group:
            axis.plot(across, np.abs(values) if logarithmic else values, label=name, linewidth=1.2)
        if logarithmic:
            axis.set_yscale("log")
        unit = _UNITS.get(kind)
        axis.set_ylabel(f"{kind}, {unit}" if unit else kind)
        axis.legend(loc="best", fontsize="small", frameon=False)
        axis.grid(True, linewidth=0.3)
    axes[-1, 0].set_xlabel(label)
    if title:
        figure.suptitle(title)
    return figure
