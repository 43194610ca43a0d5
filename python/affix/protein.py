# SPDX-License-Identifier: Apache-2.0
"""Backbones of proteins as chains of rigid links of ideal geometry, on hinges whose angles are the dihedral angles phi and
psi; from PDB files, or from angles.

>>> import affix
>>> from affix import protein
>>> scene = protein.scene([protein.Segment.of_angles([(-57, -47)] * 12)])      # an alpha helix, degrees
>>> model = affix.Model.from_scene(scene)
>>> sim = affix.Sim(model)
>>> at = protein.carbons(sim)
>>> round(float(((at[3] - at[0])**2).sum()**0.5) / protein.ANGSTROM, 1)
5.2
"""

from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Sequence, Tuple

import numpy as np

from ._native import Array
from .errors import InputError
from .pose import Pose
from .scene import Scene
from .sim import Sim

__all__ = ["ANGSTROM", "Segment", "carbons", "read_pdb", "scene"]

#: How long an angstrom is in the scene, m.
ANGSTROM = 0.01

# Ideal bonds, A, and angles (Engh and Huber 1991).
_N_CA, _CA_C, _C_N = 1.458, 1.525, 1.329
_AT_CA, _AT_C, _AT_N = (math.radians(180 - x) for x in (111.0, 117.2, 121.7))
_BREAK = 2.5  # A between C and the next N: further apart there is no bond


class Segment(NamedTuple):
    """Residues that are bonded one after the other: dihedral angles phi and psi, rad, of each; where its first alpha carbon
    is (A) and how it is turned; and places of alpha carbons as a file has them, [residues, 3], A."""

    angles: Array
    start: Pose
    carbons: Array
    name: str = ""

    @staticmethod
    def of_angles(degrees: Sequence[Tuple[float, float]], name: str = "") -> "Segment":
        """One from angles alone, at the origin."""
        angles = np.radians(np.asarray(degrees, dtype=np.float64).reshape(-1, 2))
        return Segment(angles, Pose((0, 0, 0)), np.empty((0, 3)), name)


def _dihedral(a: Array, b: Array, c: Array, d: Array) -> float:
    """IUPAC's: 0 where a and d are on the same side, positive clockwise, seen from b to c."""
    axis = (c - b) / np.linalg.norm(c - b)
    u, v = (a - b) - ((a - b) @ axis) * axis, (d - c) - ((d - c) @ axis) * axis
    return float(np.arctan2(np.cross(u, v) @ axis, u @ v))


def _segment(name: str, atoms: Array) -> Segment:
    """From places of N, CA and C, [residues, 3, 3]."""
    n, ca, c = atoms[:, 0], atoms[:, 1], atoms[:, 2]
    angles = np.zeros((len(atoms), 2))
    for k in range(len(atoms)):
        angles[k, 0] = _dihedral(c[k - 1], n[k], ca[k], c[k]) if k else 0.0
        angles[k, 1] = _dihedral(n[k], ca[k], c[k], n[k + 1]) if k + 1 < len(atoms) else 0.0
    x = (ca[0] - n[0]) / np.linalg.norm(ca[0] - n[0])
    y = (c[0] - ca[0]) - ((c[0] - ca[0]) @ x) * x
    y /= np.linalg.norm(y)
    return Segment(angles, Pose(tuple(ca[0]), _quaternion(np.stack([x, y, np.cross(x, y)], axis=1))), ca.copy(), name)


def _quaternion(m: Array) -> Tuple[float, float, float, float]:
    """Of a rotation matrix: the eigenvector of the largest eigenvalue (Bar-Itzhack 2000)."""
    k = np.array([[m[0, 0] - m[1, 1] - m[2, 2], 0, 0, 0], [m[1, 0] + m[0, 1], m[1, 1] - m[0, 0] - m[2, 2], 0, 0],
                  [m[2, 0] + m[0, 2], m[2, 1] + m[1, 2], m[2, 2] - m[0, 0] - m[1, 1], 0],
                  [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], m[0, 0] + m[1, 1] + m[2, 2]]])
    x, y, z, w = np.linalg.eigh(k)[1][:, 3]
    return float(w), float(x), float(y), float(z)


def read_pdb(path: Any) -> List[Segment]:
    """The backbones of a PDB file: chain by chain, cut where residues are missing."""
    found: List[Segment] = []
    chain = ""
    atoms: List[List[Array]] = []
    part: Dict[str, Array] = {}

    def finish() -> None:
        if len(atoms) > 1:
            found.append(_segment(f"{chain}{len(found) + 1}", np.array(atoms)))
        atoms.clear()

    last = ""
    with open(path, encoding="ascii", errors="replace") as file:
        for number, line in enumerate(file, 1):
            if line.startswith("ENDMDL"):
                break
            name = line[12:16].strip()
            if not line.startswith("ATOM") or name not in ("N", "CA", "C") or line[16:17] not in (" ", "A"):
                continue
            try:
                place = np.array([float(line[k:k + 8]) for k in (30, 38, 46)])
            except ValueError:
                raise InputError(f"{path}, line {number}: a coordinate is not a number",
                                 cure="columns 31 to 54 of ATOM have x, y and z") from None
            residue = line[21:27]
            if residue != last:
                part, last = {}, residue
            part[name] = place
            if len(part) == 3:
                if atoms and (line[21] != chain or np.linalg.norm(part["N"] - atoms[-1][2]) > _BREAK):
                    finish()
                chain = line[21]
                atoms.append([part["N"], part["CA"], part["C"]])
                part = {}
    finish()
    if not found:
        raise InputError(f"{path} has no backbone", cure="ATOM records of N, CA and C are needed")
    return found


def _about(axis: Tuple[float, float, float], angle: float) -> Tuple[float, float, float, float]:
    s = math.sin(angle / 2)
    return (math.cos(angle / 2), s * axis[0], s * axis[1], s * axis[2])


_NEXT = (_CA_C + _C_N * math.cos(_AT_C) + _N_CA * math.cos(_AT_C - _AT_N), _C_N * math.sin(_AT_C) + _N_CA * math.sin(_AT_C - _AT_N))
_PSI_ON_CARBON = Pose((0, 0, 0), _about((0, 0, 1), _AT_CA))
_PHI_ON_PLANE = (Pose((ANGSTROM * _NEXT[0], ANGSTROM * _NEXT[1], 0), _about((0, 0, 1), _AT_C - _AT_N))
                 @ Pose((0, 0, 0), _about((1, 0, 0), math.pi)))


def scene(segments: Sequence[Segment]) -> Scene:
    """The chains, free in space without gravity or contact; a site on each alpha carbon, in order."""
    out, count, here = Scene(gravity=(0, 0, 0)), 0, Pose((0, 0, 0))
    out.contact = False
    middle = (ANGSTROM * _NEXT[0] / 2, ANGSTROM * _NEXT[1] / 2, 0)
    for segment in segments:
        at = Pose(np.asarray(segment.start.position) * ANGSTROM, segment.start.rotation)
        last: Any = None
        for k, (phi, psi) in enumerate(segment.angles):
            if last is not None:
                at = at @ _PHI_ON_PLANE @ Pose((0, 0, 0), _about((1, 0, 0), float(phi)))
            carbon = out.add_body(f"{segment.name or 's'}.{k}a", position=at.position, rotation=at.rotation, rigid=True)
            carbon.add_sphere(0.008, mass=0.013)
            if last is not None:
                out.add_joint("revolute", last, carbon, base_frame=_PHI_ON_PLANE, follower_frame=here)
            out.add_site(f"ca{count}", carbon)
            count += 1
            if k + 1 == len(segment.angles):
                break
            at = at @ _PSI_ON_CARBON @ Pose((0, 0, 0), _about((1, 0, 0), float(psi)))
            last = out.add_body(f"{segment.name or 's'}.{k}p", position=at.position, rotation=at.rotation, rigid=True)
            last.add_box((0.03, 0.008, 0.004), position=middle, mass=0.03)
            out.add_joint("revolute", carbon, last, base_frame=_PSI_ON_CARBON, follower_frame=here)
    return out


def carbons(sim: Sim) -> Array:
    """[residues, 3]: where alpha carbons are, m."""
    return np.array([sim.site(k).position for k in range(len(sim.model.site_names))])
