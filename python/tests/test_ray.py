# SPDX-License-Identifier: Apache-2.0
"""Rays."""

import numpy as np
import pytest

import affix


def world():
    scene = affix.Scene()
    scene.add_body("floor", kind="fixed").add_plane()
    scene.add_body("box", position=(0, 0, 3)).add_box((1, 1, 1))
    return affix.Model.from_scene(scene)


def test_rays_meet_what_is_there():
    model = world()
    caster, sim = affix.Caster(model), affix.Sim(model)
    hits = caster.cast(sim, [(0.2, 0.1, 9), (4, 0, 9), (4, 0, 9)], [(0, 0, -2), (0, 0, -1), (0, 0, 1)])
    assert hits.distance.tolist() == pytest.approx([5.5, 9, np.inf])
    assert hits.body.tolist() == [1, 0, -1]
    assert np.allclose(hits.normal[:2], [0, 0, 1]) and np.allclose(hits.point[1], [4, 0, 0])
    assert caster.cast(sim, (0, 0, 9), (0, 0, -1), skip="box").body.tolist() == [0]
    assert caster.cast(sim, (0, 0, 9), (0, 0, -1), reach=5).body.tolist() == [-1]
    sim.step(100)
    assert caster.cast(sim, (0, 0, 9), (0, 0, -1)).distance[0] == pytest.approx(9 - sim.body("box").position[2] - 0.5)


def test_rays_agree_with_pictures():
    model = world()
    sim = affix.Sim(model)
    imager = affix.Imager(model, 24, 24, samples=1)
    image = imager.draw(sim, position=(6, -7, 5), target=(0, 0, 2), field_of_view=0.6)
    back = np.array((6, -7, 3.0)) / np.linalg.norm((6, -7, 3))
    right = np.cross((0, 0, 1), back) / np.linalg.norm(np.cross((0, 0, 1), back))
    up = np.cross(back, right)
    x, y = np.meshgrid(np.arange(24) + 0.5 - 12, 12 - np.arange(24) - 0.5)
    scale = np.tan(0.3) / 12
    ways = scale * (x[..., None] * right + y[..., None] * up) - back
    hits = affix.Caster(model).cast(sim, (6, -7, 5), ways.reshape(-1, 3))
    near = np.linalg.norm(hits.point, axis=1) < 10  # planes end in pictures
    same = hits.body == image.body.reshape(-1)
    assert same[near].mean() > 0.98
    depth = hits.distance / np.linalg.norm(ways.reshape(-1, 3), axis=1)
    seen = near & same & (hits.body >= 0)
    assert seen.sum() > 100 and np.allclose(depth[seen], image.depth.reshape(-1)[seen], rtol=1e-4)


def test_misuse():
    model = world()
    caster, sim = affix.Caster(model), affix.Sim(model)
    for origins, directions in [((0, 0), (1, 0, 0)), ((0, 0, 0), (0, 0, 0)), (np.zeros((2, 3)), np.ones((3, 3)))]:
        with pytest.raises(affix.ArgumentError):
            caster.cast(sim, origins, directions)
    with pytest.raises(affix.AffixError):
        caster.cast(sim, (0, 0, 1), (0, 0, 1), skip="nobody")
