# SPDX-License-Identifier: Apache-2.0
"""Scenes from files, from text and from the built-in cases."""

from __future__ import annotations

import os
from typing import Any, Dict, List, NamedTuple, Tuple

from ._affix import ffi, lib
from ._native import ALLOCATOR, enum_names, fill, text
from .errors import check, not_found
from .record import hdf5_lock
from .run import Run, new_run, to_run

__all__ = ["Case", "CaseParameter", "Notice", "cases"]


class Notice(NamedTuple):
    """Something a loader wants known: "ignored", "changed" or "missing", and where."""

    kind: str
    file: str
    line: int
    element: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.element}: {self.text}"


_NOTICE_KINDS = enum_names("AfxNoticeKind", "AFX_NOTICE_")


@ffi.def_extern()  # type: ignore[misc]  # cffi has no types
def afxi_py_notice(user: Any, notice: Any) -> None:
    ffi.from_handle(user).append(Notice(_NOTICE_KINDS[notice.kind], text(notice.file), notice.line, text(notice.element),
                                        text(notice.text)))


def _definition(options: Dict[str, Any], notices: List[Notice], keep: List[Any]) -> Any:
    definition = ffi.new("AfxLoadDef *", lib.afx_default_load())
    packages = options.pop("packages", None)
    parameters = options.pop("parameters", None)
    if parameters:
        values = [ffi.new("char[]", f"{name}={value}".encode()) for name, value in parameters.items()]
        list_of = ffi.new("char *[]", values)
        keep.append((values, list_of))
        definition.parameters, definition.parameter_count = ffi.cast("char const * const *", list_of), len(values)
    fill(definition, keep, **options)
    if packages:
        words = [ffi.new("char[]", os.fsencode(word)) for word in packages]
        array = ffi.new("char *[]", words)
        keep.append((words, array))
        definition.package_paths, definition.package_count = ffi.cast("char const * const *", array), len(words)
    handle = ffi.new_handle(notices)
    keep.append(handle)
    definition.notice, definition.notice_user = lib.afxi_py_notice, handle
    return definition


_RESULTS = (b"\x89HDF\r\n\x1a\n", b"afixsnap")


def _is_result(path: Any) -> bool:
    """Whether a file is a trajectory or snapshot, by its first bytes."""
    try:
        with open(path, "rb") as file:
            return file.read(8) in _RESULTS
    except OSError:
        return False


def load(scene: Any, path: Any, options: Dict[str, Any]) -> Tuple[List[Notice], Run]:
    """Reads a file into an empty scene."""
    notices: List[Notice] = []
    keep: List[Any] = []
    error = ffi.new("AfxError *")
    definition = _definition(dict(options), notices, keep)
    definition.run = run = new_run()
    read = lib.afx_scene_load_result if _is_result(path) else lib.afx_scene_load
    with hdf5_lock():
        check(read(scene, os.fsencode(path), definition, error), error)
    return notices, to_run(run)


def loads(scene: Any, content: str, form: str, path: Any, options: Dict[str, Any]) -> Tuple[List[Notice], Run]:
    """Reads text into an empty scene."""
    notices: List[Notice] = []
    keep: List[Any] = []
    error = ffi.new("AfxError *")
    definition = _definition(dict(options, format=form), notices, keep)
    definition.run = run = new_run()
    data = content.encode("utf-8")
    where = ffi.NULL if path is None else os.fsencode(path)
    check(lib.afx_scene_load_text(scene, data, len(data), where, definition, error), error)
    return notices, to_run(run)


def save(scene: Any, path: Any) -> None:
    error = ffi.new("AfxError *")
    check(lib.afx_scene_save(scene, os.fsencode(path), error), error)


# ---- built-in cases ----


class CaseParameter(NamedTuple):
    """A parameter of a built-in case: its default and what it allows, as text."""

    name: str
    default: str
    allowed: str
    help: str


class Case(NamedTuple):
    """A built-in case: its parameters, and the step and time (s) that it is meant for."""

    name: str
    summary: str
    dt: float
    time: float
    parameters: Tuple[CaseParameter, ...]


def _parameter(parameter: Any) -> CaseParameter:
    buffer = ffi.new("char[96]")
    lib.afxi_case_allowed(ffi.addressof(parameter), buffer, 96)
    return CaseParameter(text(parameter.name), text(parameter.fallback), text(buffer), text(parameter.help))


def cases() -> Dict[str, Case]:
    """The built-in cases by their names.

    >>> import affix
    >>> affix.cases()["pendulum"].summary
    'a rod of 1 m on a hinge, released from the horizontal'
    >>> [parameter.name for parameter in affix.cases()["chain"].parameters]
    ['n', 'end_mass', 'start', 'joint', 'young']
    """
    found = {}
    for index in range(lib.afxi_case_count()):
        case = lib.afxi_case_at(index)
        parameters = tuple(_parameter(case.parameters[k]) for k in range(case.parameter_count))
        found[text(case.name)] = Case(text(case.name), text(case.summary), case.dt, case.time, parameters)
    return found


def _word(value: Any) -> str:
    """A parameter's value as the command line would have it."""
    return repr(value) if isinstance(value, float) else str(value)


def build_case(name: str, parameters: Dict[str, Any]) -> Any:
    """The scene of a case, owned by the caller."""
    case = lib.afxi_case_find(name.encode())
    if case == ffi.NULL:
        raise not_found("case", name, cases())
    words = [ffi.new("char[]", f"{key}={_word(value)}".encode()) for key, value in parameters.items()]
    arguments, error, out = ffi.new("AfxiCaseArguments *"), ffi.new("AfxError *"), ffi.new("AfxScene **")
    array = ffi.new("char *[]", words) if words else ffi.NULL
    check(lib.afxi_case_arguments(case, len(words), ffi.cast("char const * const *", array), arguments, error), error)
    definition = ffi.new("AfxSceneDef *", lib.afx_default_scene())
    definition.allocator = ALLOCATOR
    check(lib.afxi_case_build(arguments, definition, out, error), error)
    return out[0]


def case_run(name: str) -> Run:
    """How a case is run."""
    case, run = lib.afxi_case_find(name.encode()), new_run()
    run.sim.dt, run.time = case.dt, case.time
    return to_run(run)._replace(about=text(case.summary))
