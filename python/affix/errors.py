# SPDX-License-Identifier: Apache-2.0
"""Errors of the engine as exceptions.

Every exception of the package is an :class:`AffixError`; each status code of the engine has a class of its own, which is
also the built-in exception that fits it, so that ``except ValueError`` and the like work as expected.

>>> import affix
>>> scene = affix.Scene()
>>> try:
...     scene.add_body("stone", mass=-1)
... except affix.InputError as error:
...     print(error.element, "|", error.text)
body "stone" | its mass is negative
"""

from __future__ import annotations

import difflib
from typing import Any, Iterable

from ._affix import ffi, lib

__all__ = ["AffixError", "ArgumentError", "ClosedError", "InputError", "LimitError", "NoMemoryError", "NotFoundError",
           "NumericError", "SystemRefusedError", "VersionError", "ViewerError"]


class AffixError(Exception):
    """What went wrong: ``text``, where (``file``, ``line``, ``element``), the ``cure``, and the code's name ``status``."""

    def __init__(self, text: str, *, status: str = "", element: str = "", cure: str = "", file: str = "",
                 line: int = 0) -> None:
        self.text, self.status, self.element, self.cure, self.file, self.line = text, status, element, cure, file, line
        place = f"{file}:{line}" if file and line else file
        message = ": ".join(part for part in (place, element, text) if part)
        super().__init__(f"{message} ({cure})" if cure else message)
        self._message = f"{message} ({cure})" if cure else message

    def __str__(self) -> str:
        return self._message


class ArgumentError(AffixError, ValueError):
    """An argument is out of range, not finite, or does not fit (AFX_E_ARGUMENT)."""


class NoMemoryError(AffixError, MemoryError):
    """Out of memory (AFX_E_MEMORY)."""


class InputError(AffixError, ValueError):
    """A scene, a file or a value in them is not valid (AFX_E_INPUT)."""


class LimitError(AffixError, OverflowError):
    """A size is beyond what can be held (AFX_E_LIMIT)."""


class VersionError(AffixError, ValueError):
    """A snapshot belongs to another model, integrator or version (AFX_E_VERSION)."""


class NumericError(AffixError, ArithmeticError):
    """A step did not converge to a finite state; the state before it was kept (AFX_E_NUMERIC)."""


class SystemRefusedError(AffixError, OSError):
    """The operating system refused a file or a thread (AFX_E_SYSTEM)."""


class NotFoundError(AffixError, KeyError):
    """There is nothing of that name."""


class ClosedError(AffixError, RuntimeError):
    """The object was closed, or is in use by another thread."""


class ViewerError(AffixError, RuntimeError):
    """The viewer cannot be started."""


_CLASSES = {
    lib.AFX_E_ARGUMENT: ArgumentError,
    lib.AFX_E_MEMORY: NoMemoryError,
    lib.AFX_E_INPUT: InputError,
    lib.AFX_E_LIMIT: LimitError,
    lib.AFX_E_VERSION: VersionError,
    lib.AFX_E_NUMERIC: NumericError,
    lib.AFX_E_SYSTEM: SystemRefusedError,
}


def _text(pointer: Any) -> str:
    return ffi.string(pointer).decode("utf-8", "replace")


def from_status(status: int, error: Any = None, text: str = "", element: str = "", cure: str = "") -> AffixError:
    """The exception for a status, with what an ``AfxError`` tells (when it tells something), or with the given text."""
    kind = _CLASSES.get(status, AffixError)
    name = _text(lib.afx_status_name(status))
    if error is not None and error.status != lib.AFX_OK and error.text[0] != b"\0":
        return kind(_text(error.text), status=name, element=_text(error.element), cure=_text(error.cure),
                    file=_text(error.file), line=error.line)
    return kind(text or _text(lib.afx_status_text(status)), status=name, element=element, cure=cure)


def check(status: int, error: Any = None, text: str = "", element: str = "", cure: str = "") -> None:
    """Raises unless the status is AFX_OK."""
    if status != lib.AFX_OK:
        raise from_status(status, error, text, element, cure)


def not_found(kind: str, name: str, names: Iterable[str]) -> NotFoundError:
    """No ``kind`` of that name; tells the nearest one."""
    known = [other for other in names if other]
    near = difflib.get_close_matches(name, known, 1)
    if near:
        cure = f'did you mean "{near[0]}"?'
    elif known:
        cure = "there are " + ", ".join(f'"{other}"' for other in known[:8]) + (", ..." if len(known) > 8 else "")
    else:
        cure = f"no {kind} has a name here; use its number"
    return NotFoundError(f'there is no {kind} "{name}"', status="AFX_E_ARGUMENT", cure=cure)
