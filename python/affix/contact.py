# SPDX-License-Identifier: Apache-2.0
"""Contact: what surfaces are made of, which bodies may touch, and the points where they do.

Materials are of a scene; shapes name theirs. Contacts of a sim are one structured array whose fields are those of
``AfxContact`` in sim.h, taken from the C declaration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, List, Optional, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._affix import ffi, lib
from ._native import fill, text
from .errors import ArgumentError, check, not_found
from .items import Item

if TYPE_CHECKING:
    from .items import Body

__all__ = ["CONTACT", "Material"]


def _number(name: str, doc: str) -> Any:
    def read(self: "Material") -> float:
        return getattr(self._definition(), name)

    def write(self: "Material", value: float) -> None:
        self._change(name, value)

    read.__doc__ = write.__doc__ = doc
    return property(read, write)


class Material(Item):
    """What a surface brings to a contact. Its numbers can be read, and changed before a model is made.

    >>> import affix
    >>> scene = affix.Scene()
    >>> rubber = scene.add_material("rubber", friction=0.9)
    >>> rubber.restitution = 0.7
    >>> rubber, rubber.friction, rubber.restitution
    (<material 1 "rubber">, 0.9, 0.7)
    """

    kind = "material"
    __slots__ = ()

    def _definition(self) -> Any:
        out = ffi.new("AfxMaterialDef *")
        check(lib.afx_scene_get_material(self.scene._pointer, self._id, out), lib.afx_scene_error(self.scene._pointer))
        return out

    def _change(self, name: str, value: float) -> None:
        definition = self._definition()
        fill(definition, [], **{name: value})
        self.scene._check(lib.afx_scene_set_material(self.scene._pointer, self._id, definition))

    friction = _number("friction", "Coulomb's coefficient.")
    restitution = _number("restitution", "0 to 1, of the speed of approach.")
    rolling_friction = _number("rolling_friction", "m: resists rolling with this lever of the normal force.")
    torsional_friction = _number("torsional_friction", "m: the same against spinning about the normal.")
    stiffness = _number("stiffness", "N/m of one contact; 0: 2000 m/dt².")
    damping = _number("damping", "N s/m of one contact.")
    friction_damping = _number("friction_damping", "N s/m: below its limit friction creeps by F/c; 0: what sticks stays.")
    margin = _number("margin", "m: it touches from this far on; margins of two surfaces add up.")


class ContactScene:
    """What :class:`affix.Scene` has for contact."""

    _pointer: Any

    def _check(self, status: int) -> None:
        raise NotImplementedError

    def _own_item(self, item: Any) -> Any:
        raise NotImplementedError

    def body(self, which: Union["Body", str, int]) -> "Body":
        """A body by its name or number."""
        raise NotImplementedError

    @property
    def contact(self) -> bool:
        """Whether bodies can collide at all; True unless it is switched off."""
        return bool(lib.afx_scene_contact(self._pointer))

    @contact.setter
    def contact(self, on: bool) -> None:
        self._check(lib.afx_scene_set_contact(self._pointer, bool(on)))

    def add_material(self, name: str = "", *, friction: Optional[float] = None, restitution: Optional[float] = None,
                     rolling_friction: Optional[float] = None, torsional_friction: Optional[float] = None,
                     stiffness: Optional[float] = None, damping: Optional[float] = None, **more: Any) -> Material:
        """Adds a material, for ``material=`` of shapes. ``friction`` (Coulomb's, 0.5 unless given), ``restitution`` (0 to
        1, of the speed of approach), ``rolling_friction`` and ``torsional_friction`` (levers of the normal force, m),
        ``stiffness`` (N/m of one contact; 0: 2000 m/dt²) and ``damping`` (N s/m); besides ``friction_damping`` and
        ``margin``, as of :class:`Material`.

        Where two materials meet, friction is the geometric mean, the others the larger ones (stiffnesses act in series),
        unless :meth:`set_material_pair` says otherwise. Shapes without a material have number 0, with the defaults.

        A ball bounces to restitution² times the height that it fell from:

        >>> import affix
        >>> scene = affix.Scene()
        >>> bouncy = scene.add_material("bouncy", restitution=0.5)
        >>> _ = scene.add_body("ground", kind="fixed").add_plane(material="bouncy")
        >>> ball = scene.add_body("ball", position=(0, 0, 1.1)).add_sphere(0.1, material=bouncy)
        >>> sim = affix.Sim(affix.Model.from_scene(scene), dt=0.001)
        >>> while not sim.flags & affix.StepFlag.IMPACT:
        ...     sim.step()
        >>> top = 0.0
        >>> for _ in range(400):
        ...     sim.step(); top = max(top, sim.body("ball").position[2] - 0.1)
        >>> round(top, 2)
        0.25
        """
        keep: List[Any] = []
        definition = ffi.new("AfxMaterialDef *", lib.afx_default_material())
        fill(definition, keep, name=name or None, friction=friction, restitution=restitution,
             rolling_friction=rolling_friction, torsional_friction=torsional_friction, stiffness=stiffness, damping=damping, **more)
        out = ffi.new("AfxMaterialId *")
        self._check(lib.afx_scene_add_material(self._pointer, definition, out))
        return Material(self, out.index, name, out[0])  # type: ignore[arg-type]

    def material(self, which: Union[Material, str, int]) -> Material:
        """A material by its name or number; 0 is what shapes have that name none."""
        if isinstance(which, Material):
            return self._own_item(which)
        if isinstance(which, str):
            out = ffi.new("AfxMaterialId *")
            if lib.afx_scene_find_material(self._pointer, which.encode(), out) != lib.AFX_OK:
                raise not_found("material", which, self.material_names)
            identity = out[0]
        else:
            count = lib.afx_scene_material_count(self._pointer)
            if not 0 <= int(which) < count:
                raise ArgumentError(f"there is no material {int(which)}: the scene has {count}")
            identity = lib.afx_scene_material(self._pointer, int(which))
        return Material(self, identity.index, self.material_names[identity.index], identity)  # type: ignore[arg-type]

    @property
    def material_names(self) -> Tuple[str, ...]:
        """Names of all materials, "" where there is none."""
        found, out = [], ffi.new("AfxMaterialDef *")
        for k in range(lib.afx_scene_material_count(self._pointer)):
            check(lib.afx_scene_get_material(self._pointer, lib.afx_scene_material(self._pointer, k), out))
            found.append(text(out.name))
        return tuple(found)

    def set_material_pair(self, a: Union[Material, str, int], b: Union[Material, str, int], *,
                          friction: Optional[float] = None, restitution: Optional[float] = None,
                          rolling_friction: Optional[float] = None, torsional_friction: Optional[float] = None,
                          stiffness: Optional[float] = None, damping: Optional[float] = None, **more: Any) -> None:
        """Numbers for a pair of materials, in either order, instead of what the two would give together; what is not
        named here stays as they give it.

        >>> import affix
        >>> scene = affix.Scene()
        >>> ice = scene.add_material("ice", friction=0.05)
        >>> steel = scene.add_material("steel", friction=0.6)
        >>> scene.set_material_pair(ice, steel, friction=0.01)
        """
        first, second = self.material(a), self.material(b)
        definition = ffi.new("AfxMaterialDef *", lib.afx_material_combine(first._definition(), second._definition()))
        fill(definition, [], friction=friction, restitution=restitution, rolling_friction=rolling_friction,
             torsional_friction=torsional_friction, stiffness=stiffness, damping=damping, **more)
        self._check(lib.afx_scene_set_material_pair(self._pointer, first._id, second._id, definition))

    def exclude_contact(self, a: Union["Body", str, int], b: Union["Body", str, int]) -> None:
        """Two bodies pass through each other."""
        self._check(lib.afx_scene_exclude_contact(self._pointer, self.body(a)._id, self.body(b)._id))


# ---- of a sim ----

_FIELD_TYPES = {"uint32_t": np.uint32, "double": np.float64, "struct AfxVec3": (np.float64, 3),
                "_Bool": np.bool_}


def _dtype() -> "np.dtype[Any]":
    fields = ffi.typeof("AfxContact").fields
    return np.dtype({"names": [name for name, _ in fields], "offsets": [field.offset for _, field in fields],
                     "formats": [_FIELD_TYPES[field.type.cname] for _, field in fields],
                     "itemsize": ffi.sizeof("AfxContact")})


#: The type of ``sim.contacts``: body_a, body_b, shape_a, shape_b, point, normal, depth, force, friction, moment, sliding.
CONTACT = _dtype()


def read_contacts(sim: Any) -> npt.NDArray[Any]:
    """All contacts of an engine's sim, copied."""
    contacts = np.zeros(lib.afx_sim_contact_count(sim), dtype=CONTACT)
    check(lib.afxi_py_contacts(sim, contacts.size, ffi.cast("AfxContact *", contacts.ctypes.data)))
    return contacts
