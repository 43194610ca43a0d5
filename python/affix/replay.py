# SPDX-License-Identifier: Apache-2.0
"""A recorded motion as a page, which notebooks show where they stand."""

from __future__ import annotations

import html
import os
import tempfile
from typing import TYPE_CHECKING, Any, Optional

if TYPE_CHECKING:
    from .sim import Sim

__all__ = ["Replay"]


class Replay:
    """A page that plays a motion; made by :meth:`Sim.replay`. A Jupyter notebook shows it as a cell's result; elsewhere
    :meth:`save` it, or :meth:`open` it in a browser. It needs no network and no server.

    >>> import affix
    >>> sim = affix.Sim(affix.Model.from_case("pendulum"))
    >>> replay = sim.replay(0.2)
    >>> replay
    <Replay: 0.2 s>
    >>> sim.time
    0.2
    """

    def __init__(self, page: str, seconds: float, height: int = 480) -> None:
        self.page = page
        self.seconds = seconds
        self.height = height

    def save(self, path: Any) -> None:
        """Writes the page."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.page)

    def open(self) -> bool:
        """Opens the page in a browser; False when that could not be done."""
        import webbrowser
        handle, path = tempfile.mkstemp(prefix="affix-", suffix=".html")
        os.close(handle)
        self.save(path)
        return webbrowser.open("file://" + path)

    def _repr_html_(self) -> str:
        return (f'<iframe title="Affix replay" style="width:100%;height:{self.height}px;border:0" '
                f'sandbox="allow-scripts allow-downloads" srcdoc="{html.escape(self.page)}"></iframe>')

    def __repr__(self) -> str:
        return f"<Replay: {self.seconds:g} s>"


def make(sim: "Sim", seconds: float, every: Optional[int], title: Optional[str], height: int) -> Replay:
    """Steps the sim for `seconds` and keeps the page of it."""
    steps = max(1, int(round(seconds / sim.dt)))
    frames = every or max(1, int(round(1 / (60 * sim.dt))))  # a second of motion has 60 pictures
    with tempfile.TemporaryDirectory(prefix="affix-") as folder:
        path = os.path.join(folder, "replay.html")
        with sim.record(path, every=frames, title=title or "sim"):
            sim.step(steps)
        with open(path, encoding="utf-8") as file:
            return Replay(file.read(), steps * sim.dt, height)
