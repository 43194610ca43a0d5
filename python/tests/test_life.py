# SPDX-License-Identifier: Apache-2.0
"""Views, closing, freeing: what is held stays valid, what is closed says so, and nothing is left behind."""

import gc
import os
import threading
import weakref

import numpy as np
import pytest
from conftest import pendulum_scene

import affix


def resident_pages():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1])


def test_views_are_the_engines_memory():
    sim = affix.Sim(affix.Model.from_case("tumbling", n=3))
    q, v = sim.q, sim.v
    assert q.shape == v.shape == (3, 12) and q is sim.q
    part = q[1, 9:]
    before = part.copy()
    sim.step(10)
    assert (part != before).any() and part.base is not None
    poses = sim.poses
    np.testing.assert_allclose(q[:, 9:], [sim.pose(k) @ sim.model.body_frame(k).position for k in range(3)], atol=1e-12)
    assert poses.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        q[0, 0] = 1
    with pytest.raises(ValueError):
        q.setflags(write=True)


def test_a_view_outlives_its_sim_and_model(no_leak):
    def slice_of_a_sim():
        sim = affix.Sim(affix.Model.from_case("tumbling", n=2000))
        sim.step(5)
        return sim.q[7:9, 9:], sim.q[7:9, 9:].copy(), weakref.ref(sim)

    view, values, sim = slice_of_a_sim()
    gc.collect()
    assert sim() is None
    filler = [affix.Sim(affix.Model.from_case("tumbling", n=2000)) for _ in range(3)]  # would take freed memory
    assert (view == values).all()
    assert affix.memory_in_use()[1] > 4 * 2000 * 24 * 8 / 2
    del view, filler


def test_closed_sims_raise_and_their_views_stay():
    model = affix.Model(pendulum_scene())
    sim = affix.Sim(model)
    hinge, body, q = sim.joint("hinge"), sim.body("rod"), sim.q
    last = q.copy()
    sim.close()
    sim.close()  # twice is fine
    assert sim.closed and "closed" in repr(sim)
    for use in (lambda: sim.q, lambda: sim.v, lambda: sim.step(), lambda: sim.time, lambda: sim.energy, lambda: hinge.angle,
                lambda: body.pose, lambda: sim.snapshot(), lambda: sim.report, lambda: sim.ctrl, lambda: sim.poses,
                lambda: sim.set_param("body.mass", "rod", 1), lambda: setattr(hinge, "angle", 1)):
        with pytest.raises(affix.ClosedError, match="closed"):
            use()
    assert (q == last).all()


def test_a_closed_model_serves_the_sims_it_has(no_leak):
    model = affix.Model(pendulum_scene())
    sim = affix.Sim(model)
    model.close()
    with pytest.raises(affix.ClosedError, match="the model is closed"):
        affix.Sim(model)
    assert repr(model) == "<Model: closed>"
    sim.step(10)
    assert sim.joint("hinge").angle != 0 and sim.joint_rates.shape == (1,)


def test_any_order_of_collection(no_leak):
    """Cycles through sims and models are finalised in any order; the engine's objects are counted."""
    for _ in range(5):
        model = affix.Model(pendulum_scene())
        sim = affix.Sim(model)
        model.loop, sim.loop = sim, [model, sim]  # type: ignore[attr-defined]
        del model, sim
        gc.collect()


@pytest.mark.parametrize("how", ["collected", "closed", "failed"])
def test_no_leak_over_many(how, tmp_path, no_leak):
    """Blocks of the engine are counted; pages of the process stop growing. 10,000 rounds in the long tests."""
    rounds = 10000 if os.environ.get("AFFIX_TEST_LONG") else 400
    text = '{"affix_scene": 1, "bodies": [{"name": "b", "mass": -1}]}'

    def once():
        if how == "failed":
            for call in (lambda: affix.Model.from_string(text), lambda: affix.Model.from_case("chain", n=0),
                         lambda: affix.Sim(affix.Model.from_case("pendulum"), dt=-1)):
                with pytest.raises(affix.AffixError):
                    call()
            return
        scene = pendulum_scene()
        scene.add_servo("motor", "hinge", stiffness=1)
        with affix.Model(scene) as model:
            sim = affix.Sim(model)
            sim.set_param("body.mass", "rod", 3)
            sim.ctrl[0] = 1
            sim.step(2)
            sim.restore(sim.snapshot())
            if how == "closed":
                sim.close()

    for _ in range(100):
        once()
    gc.collect()
    before, pages = affix.memory_in_use(), resident_pages()
    for _ in range(rounds):
        once()
    gc.collect()
    assert affix.memory_in_use() == before
    assert resident_pages() - pages < 256  # 1 MiB; a leaked sim a round would be more


def test_the_lock_of_the_interpreter_is_free_while_stepping():
    sim = affix.Sim(affix.Model.from_case("tumbling", n=2000))
    thread = threading.Thread(target=sim.step, args=(1500,))
    thread.start()
    counted = 0
    while thread.is_alive() and counted < 2000:
        counted += sim._run.busy  # this thread runs while that one is inside the engine
    refused = None
    if thread.is_alive():
        with pytest.raises(affix.ClosedError, match="another thread") as refused:
            sim.step()
        with pytest.raises(affix.ClosedError, match="another thread"):
            sim.dt = 0.02
    thread.join()
    assert counted == 2000 and refused is not None
    sim.step()
    assert sim.report.step == 1501


def test_many_sims_of_one_model_in_threads():
    model = affix.Model.from_case("four-bar")
    expected = affix.Sim(model)
    expected.step(300)
    sims = [affix.Sim(model) for _ in range(8)]
    threads = [threading.Thread(target=sim.step, args=(300,)) for sim in sims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for sim in sims:
        assert (sim.q == expected.q).all()


def test_an_edited_scene_is_noticed(tmp_path):
    scene = pendulum_scene()
    model = affix.Model(scene)
    scene.add_body("late").add_sphere(0.1)
    sim = affix.Sim(model)
    sim.step()
    with pytest.raises(affix.ClosedError, match="edited"):
        sim.record(tmp_path / "run.h5")
    assert len(affix.Model(scene).body_names) == 2
