# SPDX-License-Identifier: Apache-2.0
"""Between Python values and the structs of the C interface.

Definitions are filled by the types of their fields (:func:`fill`), not field by field: what the C interface gains is a
keyword argument here and nothing else.
"""

from __future__ import annotations

from typing import Any, List, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._affix import ffi, lib
from .errors import ArgumentError, NoMemoryError

Array = npt.NDArray[np.float64]
Vector = Union[Sequence[float], Array]

_counter = lib.afxi_py_counter_create()
if _counter == ffi.NULL:
    raise NoMemoryError("no memory for a counter", status="AFX_E_MEMORY")
ALLOCATOR = lib.afxi_py_allocator(_counter)


def memory_in_use() -> Tuple[int, int]:
    """Blocks and bytes that scenes, models, sims and recorders hold at present, in the engine.

    >>> import affix
    >>> before = affix.memory_in_use()
    >>> with affix.Sim(affix.Model.from_case("pendulum")) as sim:
    ...     affix.memory_in_use() > before
    True
    """
    memory = lib.afxi_py_memory(_counter)
    return memory.blocks, memory.bytes


def text(pointer: Any) -> str:
    return "" if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def numbers(values: Any, count: int, what: str) -> Array:
    """``count`` finite numbers as a contiguous array."""
    try:
        array = np.ascontiguousarray(values, dtype=np.float64).reshape(-1)
    except (TypeError, ValueError) as cause:
        raise ArgumentError(f"{what} must be {count} numbers, not {values!r}") from cause
    if array.size != count:
        raise ArgumentError(f"{what} must be {count} numbers, not {array.size}")
    return array


def pointer(array: Array) -> Any:
    """The doubles of a contiguous array; valid while the array lives."""
    return ffi.cast("double *", array.ctypes.data)


# ---- enums by name ----


def enum_value(type_name: str, prefix: str, name: str, what: str) -> int:
    """The value of the enumerator that ``name`` means: ``"pin-in-slot"`` is ``AFX_JOINT_PIN_IN_SLOT``."""
    members = ffi.typeof(type_name).relements
    key = prefix + str(name).upper().replace("-", "_").replace(" ", "_")
    if key not in members or key.endswith("_COUNT"):
        raise ArgumentError(f'there is no {what} "{name}"', status="AFX_E_ARGUMENT",
                            cure="there are " + ", ".join(enum_names(type_name, prefix)))
    return members[key]


def enum_names(type_name: str, prefix: str) -> Tuple[str, ...]:
    """The names of all enumerators, in the order of their values."""
    members = ffi.typeof(type_name).elements
    return tuple(members[value][len(prefix):].lower().replace("_", "-") for value in sorted(members)
                 if not members[value].endswith("_COUNT"))


# Prefix of the enumerators of each enum that a definition can have as a field.
_ENUM_FIELDS = {
    "AfxBodyKind": "AFX_BODY_",
    "AfxMassSource": "AFX_MASS_",
    "AfxFrame": "AFX_FRAME_",
    "AfxSolver": "AFX_SOLVER_",
    "AfxIntegrator": "AFX_",
    "AfxAccuracy": "AFX_",
    "AfxFormulation": "AFX_",
    "AfxFormat": "AFX_FORMAT_",
    "AfxOutputKind": "AFX_OUTPUT_",
}


# ---- structs ----


def set_vec3(target: Any, value: Any, what: str = "a vector") -> None:
    target.x, target.y, target.z = numbers(value, 3, what)


def set_quat(target: Any, value: Any, what: str = "a rotation") -> None:
    target.w, target.x, target.y, target.z = numbers(value, 4, what)


def set_pose(target: Any, value: Any, what: str = "a pose") -> None:
    """From a Pose, a pair (position, rotation), or seven numbers."""
    if hasattr(value, "position") and hasattr(value, "rotation"):
        value = (value.position, value.rotation)
    if len(value) == 2:
        position, rotation = value
    else:
        seven = numbers(value, 7, what)
        position, rotation = seven[:3], seven[3:]
    set_vec3(target.position, position, what)
    set_quat(target.rotation, rotation, what)


def get_vec3(value: Any) -> Array:
    return np.array((value.x, value.y, value.z))


def get_quat(value: Any) -> Array:
    return np.array((value.w, value.x, value.y, value.z))


def get_wrench(value: Any) -> Array:
    return np.array((value.force.x, value.force.y, value.force.z, value.torque.x, value.torque.y, value.torque.z))


def fill(target: Any, keep: List[Any], /, **fields: Any) -> None:
    """Sets fields of a definition by their types; None leaves the default. What must stay alive for the call is put
    into ``keep``."""
    types = dict(ffi.typeof(target).fields if ffi.typeof(target).kind == "struct" else ffi.typeof(target).item.fields)
    for name, value in fields.items():
        if value is None:
            continue
        if name not in types:
            raise ArgumentError(f"there is no setting {name!r}", cure="there are " + ", ".join(sorted(types)))
        _set_field(target, name, types[name].type, value, keep)


def _set_table(target: Any, value: Any, name: str, keep: List[Any]) -> None:
    """Positions and forces of a spring's table."""
    try:
        x, y = (np.ascontiguousarray(part, dtype=float) for part in value)
    except (TypeError, ValueError) as cause:
        raise ArgumentError(f"{name} is two sequences of numbers: positions (or rates), and forces") from cause
    if x.ndim != 1 or x.shape != y.shape:
        raise ArgumentError(f"{name} has {x.size} positions and {y.size} forces", cure="give one force for each position")
    keep.append((x, y))
    target.positions, target.forces, target.count = pointer(x), pointer(y), x.size


def _set_field(target: Any, name: str, ctype: Any, value: Any, keep: List[Any]) -> None:
    kind = ctype.cname.replace("struct ", "").replace("enum ", "")
    if kind == "AfxVec3":
        set_vec3(getattr(target, name), value, name)
    elif kind == "AfxQuat":
        set_quat(getattr(target, name), value, name)
    elif kind == "AfxPose":
        set_pose(getattr(target, name), value, name)
    elif kind == "AfxSignal":
        from .signals import as_signal
        as_signal(value)._write(getattr(target, name), keep)
    elif kind == "AfxForceTable":
        _set_table(getattr(target, name), value, name, keep)
    elif kind in _ENUM_FIELDS:
        setattr(target, name, enum_value(kind, _ENUM_FIELDS[kind], value, name))
    elif ctype.kind == "array" and ctype.item.kind == "primitive":
        getattr(target, name)[0:ctype.length] = list(numbers(value, ctype.length, name))
    elif kind in ("char *", "char const *", "const char *"):
        held = ffi.new("char[]", str(value).encode("utf-8"))
        keep.append(held)
        setattr(target, name, held)
    else:
        if kind == "double" and value in ("inf", "infinite"):
            value = float("inf")
        try:
            setattr(target, name, value)
        except (TypeError, OverflowError) as cause:
            raise ArgumentError(f"{name} cannot be {value!r}") from cause
