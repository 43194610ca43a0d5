# SPDX-License-Identifier: Apache-2.0
"""The live viewer: the program ``affix view`` in a process of its own, on a saved scene or on a sim that your own loop steps. It
serves a page whose address is ``viewer.url``."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import Any, List, Optional, Sequence, Union

from ._affix import ffi, lib
from ._native import enum_names
from .drawing import Drawing
from .errors import ViewerError, check
from .model import Model
from .record import Recorder
from .scene import Scene
from .sim import Sim

__all__ = ["Viewer", "find_program", "follow", "view"]

# How long the program may take to say where its page is, s.
_PATIENCE = 30.0
_ADDRESS = re.compile(r"https?://\S+")
_INTEGRATORS = enum_names("AfxIntegrator", "AFX_")


def find_program() -> str:
    """The program ``affix``: what AFFIX_PROGRAM names, the one of the build folder or of the prefix that this package
    lies in, or the one on the PATH. Raises :class:`ViewerError` when there is none."""
    named = os.environ.get("AFFIX_PROGRAM")
    here = Path(__file__).resolve().parents  # build/python/affix, or prefix/lib/python3.x/site-packages/affix
    beside = [here[2] / "affix", *(folder / "bin" / "affix" for folder in here[4:5])]
    candidates: List[Optional[str]] = [named] if named else [*(str(place) for place in beside if place.is_file()),
                                                             shutil.which("affix")]
    for candidate in candidates:
        if candidate and os.access(candidate, os.X_OK) and not os.path.isdir(candidate):
            return candidate
    raise ViewerError("the program affix is not to be found" + (f" at {named}" if named else ""),
                      cure="build or install it, put it on the PATH, or name it in AFFIX_PROGRAM")


class Viewer:
    """A running viewer; made by :func:`view` or :func:`follow`. ``process`` is the program, ``arguments`` what it was called with, ``url`` the
    address of its page (None when it told none)."""

    def __init__(self, what: Union[Scene, Model, Sim], options: Sequence[str] = (), program: Optional[str] = None,
                 follows: bool = False) -> None:
        self.process: Optional[subprocess.Popen[str]] = None
        self.url: Optional[str] = None
        self._recorder: Optional[Recorder] = None
        self.program = program or find_program()
        self._require_command()
        self._folder: Optional[tempfile.TemporaryDirectory[str]] = tempfile.TemporaryDirectory(prefix="affix-view-")
        try:
            self._start(self._name(what, follows, self._folder.name), options, self._folder.name)
        except BaseException:
            self.close()
            raise

    def _require_command(self) -> None:
        try:
            answer = subprocess.run([self.program, "view", "--help"], capture_output=True, text=True, timeout=_PATIENCE,
                                    check=False)
        except (OSError, subprocess.TimeoutExpired) as cause:
            raise ViewerError(f"{self.program} does not run: {cause}") from cause
        if answer.returncode != 0:
            raise ViewerError(f"{self.program} has no command view: {_first_line(answer.stderr or answer.stdout)}",
                              cure="use a version that has it")

    def _name(self, what: Union[Scene, Model, Sim], follows: bool, folder: str) -> List[str]:
        """The words that tell the program what to show."""
        if follows and isinstance(what, Sim):
            path = os.path.join(folder, "run.live")
            self._recorder = what.record(path)
            return [path]
        scene, settings = os.path.join(folder, "scene.json"), ["--draw", os.path.join(folder, "drawing")]
        if isinstance(what, Sim):
            settings += ["--dt", repr(what.dt), "--integrator", _INTEGRATORS[lib.afx_sim_integrator(what._pointer)]]
        (what.model if isinstance(what, Sim) else what).save(scene)
        return [scene, *settings]

    def _start(self, words: Sequence[str], options: Sequence[str], folder: str) -> None:
        errors = os.path.join(folder, "errors.txt")
        self.arguments = [self.program, "view", *words, *options]
        told = threading.Event()
        with open(errors, "w", encoding="utf-8") as file:
            self.process = subprocess.Popen(self.arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=file,
                                            text=True)
        threading.Thread(target=self._listen, args=(self.process.stdout, told), daemon=True).start()
        told.wait(_PATIENCE)
        if self.url is None:
            try:
                code = self.process.wait(0.5)
            except subprocess.TimeoutExpired:
                return
            with open(errors, encoding="utf-8", errors="replace") as file:
                raise ViewerError(f"affix view ended with code {code}: {_first_line(file.read())}")

    def _listen(self, stream: Any, told: threading.Event) -> None:
        """Takes what the program prints, so that it never has to wait, and looks for the address."""
        with stream:
            for line in stream:
                found = _ADDRESS.search(line)
                if found and self.url is None:
                    self.url = found.group(0)
                    told.set()
        told.set()

    def draw(self, drawing: Drawing) -> None:
        """Shows a drawing beside the bodies, until the next call; with :func:`follow`, from the next step on."""
        if self._folder is None:
            raise ViewerError("the viewer is closed")
        if self._recorder is not None:
            self._recorder.draw(drawing)
            return
        error = ffi.new("AfxError *")
        path = os.path.join(self._folder.name, "drawing").encode()
        check(lib.afx_drawing_save(drawing._pointer, path, error), error)

    @property
    def running(self) -> bool:
        """False when the program has ended."""
        return self.process is not None and self.process.poll() is None

    def open(self) -> bool:
        """Opens the page in a browser; False when that could not be done."""
        import webbrowser
        return self.url is not None and webbrowser.open(self.url)

    def wait(self, timeout: Optional[float] = None) -> int:
        """Waits until the program ends; its exit code."""
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
        if self._recorder is not None:
            recorder, self._recorder = self._recorder, None
            recorder.close()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def __enter__(self) -> "Viewer":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _first_line(text: str) -> str:
    return (text.strip() or "no message").splitlines()[0]


def view(what: Union[Scene, Model, Sim], *options: str, program: Optional[str] = None) -> Viewer:
    """Shows a scene, a model, or a sim's model with its step and integrator, live and from its start::

        with affix.view(model) as viewer:
            viewer.open()
            viewer.wait()

    ``options`` go to ``affix view``. Raises :class:`ViewerError` when that program or its command is not there.
    """
    return Viewer(what, options, program)


def follow(sim: Sim, *options: str, program: Optional[str] = None) -> Viewer:
    """Shows a sim as your own program steps it, in its own time::

        with affix.follow(sim) as viewer:
            viewer.open()
            while sim.time < 60:
                sim.joint("elbow").target = controller(sim)
                sim.step(1)

    Frames are written at most sixty times a second, and take at most a tenth of the time; a sim that is followed keeps its bits.
    """
    return Viewer(sim, options, program, follows=True)
