# SPDX-License-Identifier: Apache-2.0
"""Pictures as arrays."""

import struct
import zlib

import numpy as np
import pytest

import affix


def ball(position=(0.0, 0.0, 1.0)):
    scene = affix.Scene()
    scene.add_body("ball", position=position, rigid=True).add_sphere(0.5)
    return affix.Model.from_scene(scene)


def test_a_ball_is_where_it_is():
    model = ball()
    imager = affix.Imager(model, 101, 81, samples=1)
    sim = affix.Sim(model)
    image = imager.draw(sim, position=(0, -5, 1), target=(0, 0, 1), field_of_view=0.4)
    assert image.color.dtype == np.uint8 and image.depth.dtype == np.float32 and image.body.dtype == np.int32
    assert image.depth[40, 50] == pytest.approx(4.5, abs=2e-3)
    assert image.body[40, 50] == 0 and image.body[0, 0] == -1 and np.isinf(image.depth[0, 0])
    # a ball of radius r at distance d covers the half angle asin(r / d)
    radius = np.tan(np.arcsin(0.5 / 5)) / np.tan(0.2) * 40.5
    assert (image.body == 0).sum() == pytest.approx(np.pi * radius**2, rel=0.02)


def test_views_agree(tmp_path):
    model = ball()
    imager, sim = affix.Imager(model, 32, 32), affix.Sim(model)
    camera = affix.Camera("c", (0.0, -5.0, 1.0), (0.0, 0.0, 1.0), 0.8, "ball")
    one = imager.draw(sim, camera)
    two = imager.draw(sim, pose=((0, -5, 1), affix.rotation((1, 0, 0), np.pi / 2)))
    three = imager.draw(sim, position=(0, -5, 1), target=(0, 0, 1))
    assert (one.body == two.body).all() and (two.body == three.body).all()
    assert np.allclose(one.depth, two.depth, rtol=1e-5)
    sim.step(200)  # it falls, and the camera goes along
    assert (imager.draw(sim, camera).body == one.body).all()
    assert (imager.draw(sim).body == 0).any()
    one.save(tmp_path / "a.png")
    data = (tmp_path / "a.png").read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">II", data[16:24]) == (32, 32)
    size = struct.unpack(">I", data[33:37])[0]
    rows = np.frombuffer(zlib.decompress(data[41:41 + size]), np.uint8).reshape(32, 97)
    assert (rows[:, 1:].reshape(32, 32, 3) == one.color).all()


def test_misuse():
    model = ball()
    imager, sim = affix.Imager(model), affix.Sim(model)
    with pytest.raises(affix.ArgumentError, match="no camera"):
        imager.draw(sim, "front")
    with pytest.raises(affix.ArgumentError):
        imager.draw(sim, position=(0, 0, 1))
    with pytest.raises(affix.ArgumentError):
        imager.draw(sim, pose=((0, 0, 0), (2, 0, 0, 0)))
    with pytest.raises(affix.ArgumentError):
        imager.draw(affix.Sim(affix.Model.from_case("four-bar")), position=(0, -5, 1), target=(0, 0, 1))
    with pytest.raises(affix.ArgumentError, match="0 x 64"):
        affix.Imager(model, 0)
