# SPDX-License-Identifier: Apache-2.0
"""The live viewer: the program ``affix view`` on a saved scene, in a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, List, Optional, Sequence, Union

from .errors import ViewerError
from .model import Model
from .scene import Scene
from .sim import Sim

__all__ = ["Viewer", "find_program", "view"]


def find_program() -> str:
    """The program ``affix``: what AFFIX_PROGRAM names, the one of the build folder that this package lies in, or the one
    on the PATH. Raises :class:`ViewerError` when there is none."""
    named = os.environ.get("AFFIX_PROGRAM")
    beside = Path(__file__).resolve().parents[2] / "affix"
    candidates: List[Optional[str]] = [named] if named else [str(beside) if beside.is_file() else None, shutil.which("affix")]
    for candidate in candidates:
        if candidate and os.access(candidate, os.X_OK) and not os.path.isdir(candidate):
            return candidate
    raise ViewerError("the program affix is not to be found" + (f" at {named}" if named else ""),
                      cure="build or install it, put it on the PATH, or name it in AFFIX_PROGRAM")


class Viewer:
    """A running viewer; made by :func:`view`. ``process`` is the program, ``arguments`` what it was called with."""

    def __init__(self, what: Union[Scene, Model, Sim], options: Sequence[str] = (), program: Optional[str] = None) -> None:
        self.process: Optional[subprocess.Popen] = None
        self._folder: Optional[tempfile.TemporaryDirectory] = None
        self.program = program or find_program()
        self._require_command()
        self._folder = tempfile.TemporaryDirectory(prefix="affix-view-")
        scene = os.path.join(self._folder.name, "scene.json")
        source = what.model if isinstance(what, Sim) else what
        source.save(scene)
        self.arguments = [self.program, "view", scene, *options]
        self.process = subprocess.Popen(self.arguments)

    def _require_command(self) -> None:
        try:
            answer = subprocess.run([self.program, "view", "--help"], capture_output=True, text=True, timeout=20,
                                    check=False)
        except (OSError, subprocess.TimeoutExpired) as cause:
            raise ViewerError(f"{self.program} does not run: {cause}") from cause
        if answer.returncode != 0:
            told = (answer.stderr.strip() or answer.stdout.strip() or "no message").splitlines()[0]
            raise ViewerError(f"{self.program} has no command view: {told}", cure="use a version that has it")

    @property
    def running(self) -> bool:
        """False when the program has ended."""
        return self.process is not None and self.process.poll() is None

    def wait(self, timeout: Optional[float] = None) -> int:
        """Waits until the viewer is closed; its exit code."""
        if self.process is None:
            raise ViewerError("the viewer is closed")
        return self.process.wait(timeout)

    def close(self) -> None:
        """Ends the program and removes the saved scene."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def __enter__(self) -> "Viewer":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def view(what: Union[Scene, Model, Sim], *options: str, program: Optional[str] = None) -> Viewer:
    """Shows a scene, a model or a sim's model live, from its start::

        with affix.view(model) as viewer:
            viewer.wait()

    ``options`` go to ``affix view``. Raises :class:`ViewerError` when that program or its command is not there.
    """
    return Viewer(what, options, program)
