# SPDX-License-Identifier: Apache-2.0
"""Sweeps from Python: the same bits as single runs, whoever does them."""

import concurrent.futures
import importlib.util
import json
import multiprocessing
import pickle

import numpy as np
import pytest

import affix
from affix import sweep

STUDY = {"affix_sweep": 1, "scene": "four-bar", "run": {"dt": 0.01, "steps": 40},
         "design": {"kind": "sobol", "count": 24, "seed": 5},
         "vary": [{"param": "body.mass:crank", "from": 0.5, "to": 4}, {"param": "gravity.z", "from": -20, "to": -1}],
         "record": ["energy.total", "peak(joint:0)"], "objective": {"minimise": "energy.total"}}


def test_a_sweep_is_single_runs(tmp_path):
    table = sweep.run(STUDY, tmp_path, jobs=2)
    assert table.runs == 24 and table.failed == 0
    model = affix.Model.from_case("four-bar")
    for k in (0, 7, 23):
        sim = affix.Sim(model, dt=0.01)
        sim.set_param("body.mass", "crank", table["body.mass:crank"][k])
        sim.set_param("gravity", None, [0, 0, table["gravity.z"][k]])
        sim.step(40)
        assert sim.energy.total == table["energy.total"][k]
    assert table.best()["objective"] == np.min(table["energy.total"])
    with pytest.raises(affix.InputError, match="holds runs"):
        sweep.run(STUDY, tmp_path)
    assert sweep.run(STUDY, tmp_path, resume=True).runs == 24


def test_workers_of_ones_own(tmp_path):
    """Processes that share nothing, as Ray and Dask start them."""
    table = sweep.run(STUDY, tmp_path, jobs=1)
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        results = sweep.map(STUDY, pool, chunk=5)
    assert [r.state_hash for r in results] == table["state_hash"]
    assert [r.values["objective"] for r in results] == table["objective"].tolist()
    study = pickle.loads(pickle.dumps(sweep.Study(STUDY)))
    assert study(study.point(3)).state_hash == table["state_hash"][3]
    assert (study.point(3) == [table["body.mass:crank"][3], table["gravity.z"][3]]).all()


def test_workers_in_another_folder(tmp_path, monkeypatch):
    """Relative paths of a study are those of who asks, not of the worker."""
    scene = affix.Scene()
    rod = scene.add_body("rod").add_box((1, 0.1, 0.1))
    scene.add_joint("revolute", None, rod, at=(0, 0, 0), axis=(0, 1, 0))
    (tmp_path / "here").mkdir()
    scene.save(tmp_path / "here" / "rod.json")
    study = {"affix_sweep": 1, "scene": "./rod.json", "run": {"steps": 5}, "design": "grid", "record": ["energy.total"],
             "vary": [{"param": "body.mass:rod", "values": [1, 2, 3]}]}
    monkeypatch.chdir(tmp_path / "here")
    table = sweep.run(study, tmp_path / "out", jobs=1)
    (tmp_path / "here" / "study.json").write_text(json.dumps(study))

    class Elsewhere:
        """An executor whose worker is in the folder above."""

        def submit(self, function, *arguments):
            future = concurrent.futures.Future()
            with monkeypatch.context() as context:
                context.chdir(tmp_path)
                future.set_result(function(*arguments))
            return future

    for given in (study, "study.json"):
        assert [r.state_hash for r in sweep.map(given, Elsewhere(), chunk=2)] == table["state_hash"]
        packed = pickle.dumps(sweep.Study(given))
        with monkeypatch.context() as context:
            context.chdir(tmp_path)
            assert pickle.loads(packed)([2]).state_hash == table["state_hash"][1]


# Where they are installed; what they need of a study, processes that share nothing and other folders, is tested above.
if importlib.util.find_spec("distributed"):

    def test_dask(tmp_path):
        """Processes of Dask, also with several threads in one, which share what the process has opened."""
        import dask.distributed as distributed

        table = sweep.run(STUDY, tmp_path, jobs=1)
        for workers, threads in ((2, 1), (1, 3)):
            with distributed.LocalCluster(n_workers=workers, threads_per_worker=threads, processes=True,
                                          dashboard_address=None) as cluster, distributed.Client(cluster) as client:
                assert [r.state_hash for r in sweep.map(STUDY, client, chunk=5)] == table["state_hash"]
                study = sweep.Study(STUDY)
                futures = client.map(study, [study.point(k) for k in range(3)])
                assert [f.result().state_hash for f in futures] == table["state_hash"][:3]

if importlib.util.find_spec("ray"):

    def test_ray(tmp_path):
        import ray

        table = sweep.run(STUDY, tmp_path, jobs=1)
        study = sweep.Study(STUDY)
        points = [study.point(k) for k in range(len(study))]
        ray.init(num_cpus=2, include_dashboard=False)
        try:
            remote = ray.remote(sweep.evaluate)
            parts = ray.get([remote.remote(STUDY, points[k:k + 8]) for k in range(0, len(points), 8)])
        finally:
            ray.shutdown()
        assert [r.state_hash for part in parts for r in part] == table["state_hash"]


def test_failures_are_rows(tmp_path):
    study = dict(STUDY, design="grid", vary=[{"param": "body.mass:crank", "values": [1, -1, 2]}])
    table = sweep.run(study, tmp_path)
    assert table["status"] == ["ok", "AFX_E_INPUT", "ok"] and table.failed == 1
    assert np.isnan(table["objective"]).tolist() == [False, True, False]
    assert "not allowed" in table["reason"][1]


def test_bad_studies(tmp_path):
    for change, match in [({"vary": [{"param": "body.mass:nobody", "values": [1]}]}, "no such item"),
                          ({"vary": [{"param": "mass", "values": [1]}]}, "no such parameter"),
                          ({"record": ["speed"]}, "no such column"), ({"colour": 1}, "no member"),
                          ({"scene": "four-bars"}, "no case"), ({"affix_sweep": 2}, "version 1"),
                          ({"optimiser": "cma-es"}, "chooses the runs itself")]:
        with pytest.raises(affix.InputError, match=match):
            sweep.run({**STUDY, **change}, tmp_path / "x")
    with pytest.raises(affix.ArgumentError):
        sweep.Study(STUDY)([1.0])


def test_rollout_is_a_batch():
    scene = affix.Scene()
    rod = scene.add_body("rod", rigid=True).add_box((1, 0.1, 0.1), position=(0.5, 0, 0))
    hinge = scene.add_joint("revolute", None, rod, name="hinge", at=(0, 0, 0), axis=(0, 1, 0))
    scene.add_servo("motor", hinge, stiffness=80, damping=8)
    model = affix.Model(scene)
    control = np.linspace(-1, 1, 4 * 30).reshape(4, 30, 1)
    state, sensed = sweep.rollout(model, control=control, dt=0.01)
    assert state.shape == (4, 30, 25) and sensed.shape == (4, 30, 2)
    sim = affix.Sim(model, dt=0.01)
    for k in range(30):
        sim.ctrl[0] = control[2, k, 0]
        sim.step()
    assert (state[2, -1, 1:13] == sim.q.reshape(-1)).all() and sensed[2, -1, 0] == sim.read("joint_positions")[0]
    free = affix.Model.from_case("pendulum")
    whole, _ = sweep.rollout(free, nstep=30, nroll=2, dt=0.002)
    rest, _ = sweep.rollout(free, whole[:, 9], nstep=20, dt=0.002)
    assert rest.shape == (2, 20, 25)
    np.testing.assert_allclose(rest[:, -1, 1:], whole[:, -1, 1:], atol=2e-4)  # it restarts: not the same history
    with pytest.raises(affix.ArgumentError, match="25 numbers"):
        sweep.rollout(model, np.zeros(7))
