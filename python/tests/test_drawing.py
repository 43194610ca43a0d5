# SPDX-License-Identifier: Apache-2.0
"""Drawings: in pages, and in the live viewer, which takes them from a file."""

import base64
import re
import socket
import struct
import subprocess
import time
import zlib
from pathlib import Path

import numpy as np
import pytest

import affix


def shown(page):
    """The drawings of a page, and which of them its frames show."""
    text = page.read_text(encoding="utf-8")
    frames = int(re.search(r'"frames":(\d+)', text).group(1))
    packed = re.search(r'"drawings":"([^"]*)"', text)
    numbers = zlib.decompress(base64.b64decode(re.search(r'"numbers":"([^"]*)"', text).group(1)))
    columns = struct.unpack(f"<{len(numbers) // 8}d", numbers)
    return zlib.decompress(base64.b64decode(packed.group(1))) if packed else b"", [int(x) for x in columns[27 * frames:]]


def test_in_a_page(tmp_path):
    sim = affix.Sim(affix.Model.from_case("pendulum"))
    drawing = affix.Drawing().line((0, 0, 0), (1, 2, 3), color="#ff0000").text((0, 0, 1), "höher")
    with sim.record(tmp_path / "a.html") as recorder:
        sim.step(1)
        recorder.draw(drawing)
        sim.step(2)
        recorder.draw(None)
        sim.step(1)
        recorder.draw(drawing.clear().point((0, 0, 0)))
        sim.step(1)
    with pytest.raises(affix.ClosedError):
        recorder.draw(drawing)
    drawings, frames = shown(tmp_path / "a.html")
    assert frames == [0, 0, 1, 1, 0, 2] and "höher".encode() in drawings and len(drawing) == 1
    assert drawings[:4] == struct.pack("<I", 2)
    for wrong in (dict(at=(0, 0, float("nan")), text="x"), dict(at=(0, 0, 0), text="x" * 300)):
        with pytest.raises(affix.AffixError):
            affix.Drawing().text(**wrong)


def played(path):
    """The page that the program plays a trajectory with."""
    program = subprocess.Popen([affix.viewer.find_program(), "view", path], stdout=subprocess.PIPE, text=True)
    try:
        found = re.search(r"file://(\S+)", program.stdout.readline())
        if not found:
            pytest.skip("this program has no viewer")
        return Path(found.group(1)).read_text(encoding="utf-8")
    finally:
        program.terminate()
        program.communicate()


def test_reactions_of_a_trajectory(tmp_path):
    """Recorded reactions are drawn as those of a page of the same run, byte for byte; without them there are none."""
    pattern, path = r'"reactions":\[("[^\]]*")\]', str(tmp_path / "a.h5")
    sim = affix.Sim(affix.Model.from_case("klann"))
    with sim.record(tmp_path / "a.html"), sim.record(path, what="all"), sim.record(tmp_path / "b.h5"):
        sim.step(30)
    want = re.search(pattern, (tmp_path / "a.html").read_text(encoding="utf-8")).group(1)
    assert re.search(pattern, played(path)).group(1) == want
    assert not re.search(pattern, played(str(tmp_path / "b.h5")))


def test_in_a_trajectory(tmp_path):
    """A trajectory holds what was drawn, and the page that the program plays it with shows it."""
    sim = affix.Sim(affix.Model.from_case("pendulum"))
    drawing, path = affix.Drawing(), str(tmp_path / "a.h5")
    with sim.record(path) as recorder:
        sim.step(1)
        recorder.draw(drawing.text((0, 0, 1), "unten"))
        sim.step(2)
        recorder.draw(None)
        sim.step(1)
        recorder.draw(drawing)
        sim.step(1)
    page = played(path)
    (tmp_path / "a.html").write_text(page, encoding="utf-8")
    drawings, frames = shown(tmp_path / "a.html")
    assert frames == [0, 0, 1, 1, 0, 1] and b"unten" in drawings


def frames_of(url):
    """Frames that the server sends to one who connects."""
    host, port = re.match(r"http://([^:]+):(\d+)/", url).groups()
    with socket.create_connection((host, int(port)), timeout=20) as stream:
        stream.sendall(f"GET /socket HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                       "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n".encode())
        with stream.makefile("rb") as file:
            while file.readline() not in (b"\r\n", b""):
                pass
            while True:
                first, size = file.read(2)
                size = size if size < 126 else int.from_bytes(file.read(2 if size == 126 else 8), "big")
                data = file.read(size)
                if data[:4] == b"AFXF":
                    yield data


def test_own_loop():
    """What a page is sent of a sim that we step ourselves is its state, and what we draw; pages cannot step it."""
    sim = affix.Sim(affix.Model.from_case("grasp"), dt=0.005, integrator="bdf1")
    twin = affix.Sim(sim.model, dt=0.005, integrator="bdf1")
    try:
        viewer = affix.follow(sim)
    except affix.ViewerError as cause:
        pytest.skip(str(cause))
    with viewer:
        if viewer.url is None:
            pytest.skip("this program has no viewer")
        viewer.draw(affix.Drawing().text((0, 0, 1), "gripped"))
        end = time.monotonic() + 20
        while True:  # the last step of a burst may fall between two frames
            sim.step(20)
            twin.step(20)
            time.sleep(0.05)
            sim.step(1)
            twin.step(1)
            frame = next(frames_of(viewer.url))
            if struct.unpack_from("<d", frame, 24)[0] == pytest.approx(sim.time, abs=1e-12):
                break
            assert time.monotonic() < end
        bodies = struct.unpack_from("<I", frame, 8)[0]
        shown = np.frombuffer(frame, "<f4", 8 * bodies, 112).reshape(bodies, 8)
        assert b"gripped" in frame
        assert np.abs(shown[:, :3] - sim.poses[:, :3]).max() < 1e-6
    assert np.array_equal(sim.q, twin.q)  # who is watched moves as who is not
    sim.step(1)


def test_live():
    try:
        viewer = affix.view(affix.Model.from_case("pendulum"))
    except affix.ViewerError as cause:
        pytest.skip(str(cause))
    with viewer:
        if viewer.url is None:
            pytest.skip("this program has no viewer")
        viewer.draw(affix.Drawing().text((0, 0, 1), "first sight"))
        for text in (b"first sight", b"and later"):
            end = time.monotonic() + 20
            for frame in frames_of(viewer.url):
                if b"DRAW" in frame and text in frame:
                    break
                assert time.monotonic() < end, text
            viewer.draw(affix.Drawing().text((0, 0, 1), "and later"))
