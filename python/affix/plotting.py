# SPDX-License-Identifier: Apache-2.0
"""Quick plots with matplotlib."""

from __future__ import annotations

from typing import Any, Dict, Optional

import numpy as np

from ._native import Array
from .trajectory import read_table

__all__ = ["plot", "plot_columns"]

_UNITS = {"time": "s", "energy": "J", "body": "m", "velocity": "m/s", "joint": "rad or m", "rate": "rad/s or m/s",
          "reaction": "N, Nm", "effort": "N or Nm", "marker": "m"}


def plot(path: Any, *columns: str, title: Optional[str] = None, log: bool = False) -> Any:
    """A figure of columns of a trajectory or CSV file over time; names as in docs/output.md. Columns of one kind share a
    panel; residuals get a logarithmic axis, with ``log`` all do.

    >>> import affix, os, tempfile
    >>> import matplotlib; matplotlib.use("Agg")
    >>> path = os.path.join(tempfile.mkdtemp(), "run.h5")
    >>> sim = affix.Sim(affix.Model.from_case("pendulum"))
    >>> with sim.record(path):
    ...     sim.step(50)
    >>> figure = affix.plot(path, "joint:0", "energy")
    >>> len(figure.axes)
    2
    """
    table = read_table(path, "time", *(columns or ("energy",)))
    return plot_columns(table.pop("time"), table, title=title, log=log)


def plot_columns(time: Array, columns: Dict[str, Array], *, title: Optional[str] = None, log: bool = False) -> Any:
    """The same from arrays: a panel for each kind, which is the name up to ":" or "."."""
    import matplotlib.pyplot as plt
    kinds: Dict[str, Dict[str, Array]] = {}
    for name, values in columns.items():
        kinds.setdefault(name.split(":")[0].split(".")[0], {})[name] = values
    figure, axes = plt.subplots(len(kinds), 1, sharex=True, squeeze=False, figsize=(8, 1.2 + 2.2 * len(kinds)),
                                constrained_layout=True)
    for axis, (kind, group) in zip(axes[:, 0], kinds.items()):
        logarithmic = log or kind in ("residual", "rotation_error")
        for name, values in group.items():
            axis.plot(time, np.abs(values) if logarithmic else values, label=name, linewidth=1.2)
        if logarithmic:
            axis.set_yscale("log")
        unit = _UNITS.get(kind)
        axis.set_ylabel(f"{kind}, {unit}" if unit else kind)
        axis.legend(loc="best", fontsize="small", frameon=False)
        axis.grid(True, linewidth=0.3)
    axes[-1, 0].set_xlabel("time, s")
    if title:
        figure.suptitle(title)
    return figure
