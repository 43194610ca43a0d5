# SPDX-License-Identifier: Apache-2.0
"""Backbones: what a PDB file says comes back as angles, breaks are found, and markers are fitted."""

import math

import numpy as np
import pytest

import affix
from affix import ik, protein


def pdb_text(sim, first=1, chain="A"):
    """ATOM records of a scene of one segment, N, CA and C from the frames of its alpha carbons."""
    lines, number = [], 1
    for k in range(len(sim.model.site_names)):
        pose = sim.site(k).pose
        turn, ca = pose.matrix, pose.position / protein.ANGSTROM
        away = math.radians(180 - 111.0)
        atoms = {"N": ca - 1.458 * turn[:, 0], "CA": ca,
                 "C": ca + 1.525 * (math.cos(away) * turn[:, 0] + math.sin(away) * turn[:, 1])}
        for name, (x, y, z) in atoms.items():
            lines.append(f"ATOM  {number:5d}  {name:<3s} ALA {chain}{first + k:4d}    {x:8.3f}{y:8.3f}{z:8.3f}  1.00  0.00")
            number += 1
    return "\n".join(lines) + "\n"


def angles(count, seed):
    random = np.random.default_rng(seed)
    return np.stack([random.uniform(-150, -50, count), random.uniform(-60, 140, count)], axis=1)


def test_angles_come_back(tmp_path):
    given = angles(20, 1)
    sim = affix.Sim(affix.Model.from_scene(protein.scene([protein.Segment.of_angles(given)])))
    (tmp_path / "a.pdb").write_text("HEADER\n" + pdb_text(sim) + "TER\n")
    found, = protein.read_pdb(tmp_path / "a.pdb")
    np.testing.assert_allclose(np.degrees(found.angles[1:, 0]), given[1:, 0], atol=0.2)
    np.testing.assert_allclose(np.degrees(found.angles[:-1, 1]), given[:-1, 1], atol=0.2)
    again = affix.Sim(affix.Model.from_scene(protein.scene([found])))
    np.testing.assert_allclose(protein.carbons(again), protein.carbons(sim), atol=0.1 * protein.ANGSTROM)


def test_chains_are_cut_where_residues_are_missing(tmp_path):
    sim = affix.Sim(affix.Model.from_scene(protein.scene([protein.Segment.of_angles(angles(9, 2))])))
    lines = pdb_text(sim).splitlines()
    (tmp_path / "b.pdb").write_text("\n".join(lines[:12] + lines[15:] + ["TER"]) + "\n")       # without the fifth
    assert [len(one.angles) for one in protein.read_pdb(tmp_path / "b.pdb")] == [4, 4]
    (tmp_path / "c.pdb").write_text("REMARK nothing\n")
    with pytest.raises(affix.InputError, match="no backbone"):
        protein.read_pdb(tmp_path / "c.pdb")
    (tmp_path / "d.pdb").write_text(lines[0][:30] + "    here" + lines[0][38:] + "\n")
    with pytest.raises(affix.InputError, match="line 1"):
        protein.read_pdb(tmp_path / "d.pdb")


def test_markers_are_fitted():
    """From a helix to another fold, by its alpha carbons alone, the base free: 60 residues."""
    given = angles(60, 3)
    want = affix.Sim(affix.Model.from_scene(protein.scene([protein.Segment.of_angles(given)])))
    near = given + np.random.default_rng(4).uniform(-12, 12, given.shape)
    model = affix.Model.from_scene(protein.scene([protein.Segment.of_angles(near)]))
    markers = {k: place[None] for k, place in enumerate(protein.carbons(want))}
    _, left = ik.fit(model, markers, tolerance=1e-6)
    assert left[0] < 0.05 * protein.ANGSTROM * math.sqrt(60)
