# SPDX-License-Identifier: Apache-2.0
"""Reads a plan (plan.json): who takes part, on which scenes, with which settings; and carries it out.

A scene's contenders run one after the other, Affix first and last; ratios are to the mean of these two runs, so that a
machine that changes its speed meanwhile shows. `limit` is in seconds of processor time that a driver spends on steps;
it stops by itself then. A driver that does not is stopped from outside after STUBBORN times that and START seconds, or
LONGEST seconds.

A scene or sweep that `needs` a model file is left out where the file is not there. A sweep runs engines in WebAssembly,
which start slowly, in the full set only, unless it says `wasm`. The settings of a sweep are steps, or lists of a step
and options, or the name of such a list in `steps`."""

import math
import subprocess
import time
from pathlib import Path

from runner import run

STUBBORN, START, LONGEST = 8, 60, 3600
ROOT = Path(__file__).resolve().parent.parent.parent
FULL_LIMIT = 1200


class Plan:
    def __init__(self, data, drivers, npm, sources, folder, full, wrap, most=None):
        self.data, self.folder, self.full, self.wrap = data, folder, full, wrap
        self.places = {"drivers": str(drivers), "sources": str(sources)}
        self.environment = {"PEER_NPM": str(npm), "PEER_DRIVERS": str(drivers)}
        self.limit = FULL_LIMIT if full else data["limit"]
        self.most = most  # in place of every limit
        self.contenders = data["contenders"]
        self.say = lambda text: None

    def wanted(self, entry, named=False):
        """Whether a scene or sweep is part of this run; long ones are when they are named."""
        if entry.get("needs") and not (ROOT / entry["case"][0]).is_file():
            self.say(f"{entry['id']}: left out, there is no {entry['case'][0]}")
            return False
        return self.full or named or not entry.get("full")

    def settings(self, sweep):
        """(contender, step, options) of every run of a sweep."""
        for name, runs in sweep["settings"].items():
            if self.contenders[name].get("wasm") and not (self.full or sweep.get("wasm")):
                continue
            for run_of in self.data["steps"][runs] if isinstance(runs, str) else runs:
                words = run_of if isinstance(run_of, list) else [run_of]
                yield name, words[0], [str(word) for word in words[1:]]

    def start(self, contender, scene_file, h, duration, more=(), limit=None):
        """One run of a driver on a scene file."""
        limit = self.most or (self.limit if limit is None or self.full else limit)
        command = [*self.wrap, *(word.format(**self.places) for word in contender["command"]), str(scene_file),
                   "--h", repr(h), "--time", repr(duration), "--limit", repr(limit),
                   *contender.get("options", []), *more]
        patience = self.data.get("patience", min(STUBBORN * limit + START, LONGEST))
        begin = time.monotonic()
        result = run(command, patience, self.environment)
        result["wall_seconds"] = time.monotonic() - begin
        result["seconds_per_second"] = cost(result, h)
        return result

    def scene_file(self, scene):
        """Writes the scene with our own driver and returns its path."""
        path = self.folder / "scenes" / scene["id"]
        path.parent.mkdir(parents=True, exist_ok=True)
        command = [word.format(**self.places) for word in self.data["scene_command"]]
        with open(path, "w", encoding="utf-8") as file:
            subprocess.run([*command, *scene["case"]], stdout=file, check=True, cwd=ROOT)
        return path

    def reference_runs(self, scene, path):
        """A fine and a coarser run: our own with a step and its double, or another engine's with two settings."""
        if "reference_by" in scene:
            by = scene["reference_by"]
            return [self.start(self.contenders[by["contender"]], path, 0.01, 1.0, more, FULL_LIMIT) for more in by["settings"]]
        h = scene["reference_h"]
        return [self.start(self.data["reference"], path, step, 1.0, limit=FULL_LIMIT) for step in (h, 2 * h)]

    def reference(self, scene, path):
        """Where the marker is at 1 s, by a fine run, and how far a coarser one is off."""
        if "reference_by" not in scene and ("reference_h" not in scene or "reference" not in self.data):
            return None
        fine, coarse = self.reference_runs(scene, path)
        if "marker" not in fine or "marker" not in coarse:
            return None
        by = scene.get("reference_by")
        name = (f"{self.contenders[by['contender']]['label']}, {' '.join(by['settings'][0]).lstrip('-')}, and a coarser one"
                if by else f"its step {scene['reference_h']:g} s and the doubled one")
        return {"marker": fine["marker"], "name": name, "uncertainty": math.dist(fine["marker"], coarse["marker"]),
                "potential_range": fine["potential_range"]}

    def run_scene(self, scene):
        """All contenders at all steps of a scene: a list of results."""
        path = self.scene_file(scene)
        reference = self.reference(scene, path) if self.wanted({"full": scene.get("reference_full")}) else None
        results = []
        for h in scene["h"]:
            again = [name for name in scene["contenders"] if self.contenders[name].get("ours")][:1]
            for name in [*scene["contenders"], *again]:
                rest = ["--rest", repr(scene["rest"])] if "rest" in scene else []
                result = self.start(self.contenders[name], path, h, scene["time"], rest, limit=scene.get("limit"))
                result.update(contender=name, scene_id=scene["id"], h=h)
                results.append(result)
                self.say(f"{scene['id']} h={h:g} {name}: {result['status']} {result.get('ms_median', '')}")
        compare(results, self.contenders, reference)
        return {"scene": scene, "reference": reference, "results": join_twins(results)}

    def run_sweep(self, sweep, references):
        """Every setting of every contender of a sweep; each result has the error of the marker at 1 s."""
        path = self.scene_file(sweep)
        reference = references.get(sweep["id"]) or self.reference(sweep, path)
        results = []
        for name, h, more in self.settings(sweep):
            result = self.start(self.contenders[name], path, h, 1.0, more, sweep["limit"])
            result.update(contender=name, scene_id=sweep["id"], h=h, setting=more)
            results.append(result)
            self.say(f"sweep {sweep['id']} {name} h={h:g} {' '.join(more)}: {result['status']}")
        add_errors(results, reference)
        return {"sweep": sweep, "reference": reference, "results": results}


def time_key(result):
    """The mean of all steps where there is contact, whose work changes; else the median."""
    return "ms_mean" if "depth" in result else "ms_median"


def cost(result, h):
    """Processor seconds for a simulated second. WebAssembly without contact: by the median, which leaves compiling out."""
    each = result.get(time_key(result) if result.get("wasm") else "ms_mean")
    return None if each is None else 1e-3 * each / h


def add_errors(results, reference):
    for result in results:
        if reference and "marker" in result:
            result["error"] = math.dist(result["marker"], reference["marker"])


def compare(results, contenders, reference):
    """Times of a step, ratios to our own runs at the same step, energy errors relative to what fell there, errors of the
    marker."""
    add_errors(results, reference)
    for result in results:
        if time_key(result) in result:
            result["ms"] = result[time_key(result)]
    for h in {result["h"] for result in results}:
        same = [result for result in results if result["h"] == h]
        ours = [result for result in same if contenders[result["contender"]].get("ours") and "ms" in result]
        for result in same:
            if ours and "ms" in result:
                result["ratio"] = result["ms"] / (sum(own["ms"] for own in ours) / len(ours))
            if ours and "energy_error" in result and ours[0].get("potential_range"):
                result["energy_relative"] = result["energy_error"] / ours[0]["potential_range"]
            if result.get("weight"):
                result["lift"] = result["energy_gain"] / result["weight"]


def join_twins(results):
    """Of runs of one contender at one step (ours, first and last) one row with the mean time stays."""
    rows = {}
    for result in results:
        key = (result["contender"], result["h"])
        if key in rows and "ms" in result and "ms" in rows[key]:
            pair = [rows[key]["ms"], result["ms"]]
            rows[key].update(ms=sum(pair) / 2, ms_pair=pair, ratio=1.0)
        else:
            rows.setdefault(key, result)
    return list(rows.values())
