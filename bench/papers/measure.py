# SPDX-License-Identifier: Apache-2.0
"""Runs bench_papers for everything that docs/papers.md shows."""

import json
import math
import subprocess

STEPS = {"full": (0.01, 0.005, 0.0025), "quick": (0.01,)}
METHODS = ("affix-bdf2", "affix-bdf1", "mabd-paper", "rigid-implicit")
NAMES = {"affix-bdf2": "Affix, BDF2", "affix-bdf1": "Affix, BDF1", "affix-alpha": "Affix, generalised-α 0.8",
         "affix-sdirk2": "Affix, SDIRK2", "mabd-paper": "M-ABD as published", "abd-vanilla": "vanilla ABD",
         "mabd-paper-nopolar": "M-ABD without polar", "rigid-implicit": "rigid, implicit Euler",
         "rigid-explicit": "rigid, semi-implicit Euler", "rigid-rk4": "rigid, Runge-Kutta"}


class Measure:
    def __init__(self, program, plan, quick, wrap, say):
        self.program, self.plan, self.quick, self.wrap, self.say = str(program), plan, quick, wrap, say
        self.limit = 1 if quick else 10  # s of steps for a run
        self.patience = 60 if quick else 400

    def run(self, *words):
        """The JSON that bench_papers prints, or {"status": why}."""
        self.say(" ".join(map(str, words)))
        try:
            done = subprocess.run([*self.wrap, self.program, *map(str, words)], capture_output=True, text=True,
                                  timeout=self.patience, check=False)
        except subprocess.TimeoutExpired:
            return {"status": f"no answer within {self.patience} s"}
        try:
            return json.loads(done.stdout)
        except json.JSONDecodeError:
            return {"status": done.stderr.strip() or f"exit {done.returncode}"}

    def steps(self, case, h, steps, formulation="affix"):
        return self.run("steps", formulation, h, min(steps, 5) if self.quick else steps, self.limit, *case.split())

    def series(self, method, h, time, case, samples=200):
        return self.run("series", method, h, time, samples, *case.split())

    # ---- parts ----

    def speed(self):
        for table in self.plan["speed"]:
            for row in table["rows"]:
                case = row["quick"] if self.quick and row["case"] else row["case"]
                if case:
                    row["result"] = self.steps(case, row["h"], row["steps"], table.get("formulation", "affix"))
                    row["ran"] = f"{case} {table['options']}" if "options" in table else case
        return self.plan["speed"]

    def redmax(self):
        for scene in self.plan["redmax"]["scenes"]:
            scene["rows"] = scene["rows"][:2] if self.quick else scene["rows"]
            for row in scene["rows"]:
                row["result"] = self.steps(row["case"], 0.01, scene["steps"])
                row["published"] = self.run("redmax", 0.01, min(scene["steps"], 5) if self.quick else scene["steps"], self.limit,
                                            *row["case"].split())
        return self.plan["redmax"]

    def single(self):
        steps = 500 if self.quick else 10000
        return {**self.run("single", steps, 2 if self.quick else 15),
                "rolling": self.run("steps", "affix", 0.01, steps, self.limit, "rolling")}

    def spin(self):
        return self.run("spin")

    def against(self, case, time, error):
        """Largest error(row, reference row) over time of every method and step, against Runge-Kutta at 1e-4 s."""
        reference = self.series("rigid-rk4", 1e-4, time, case)
        out = []
        for method in METHODS:
            for h in STEPS["quick" if self.quick else "full"]:
                got = self.series(method, h, time, case)
                if "rows" in got and "rows" in reference:
                    errors = [error(a, b) for a, b in zip(got["rows"], reference["rows"])]
                    got["worst"] = max(errors) if all(map(math.isfinite, errors)) else None
                    got["end"] = errors[-1]
                out.append({"method": method, **got})
        return {"case": case, "time": time, "reference": reference, "runs": out}

    def bodies(self):
        short = self.quick
        return {
            "box": self.against("spinning-box shape=cube speed=0", 1 if short else 5, momentum_lost),
            "handle": self.against("t-handle omega=3 kick=0.05", 3 if short else 20, omega_off),
            "top": self.against("heavy-top", 0.5 if short else 5, tilt_off),
            "pendulum": self.against("pendulum young=1e9", 0.5 if short else 4, angle_off),
        }

    def integrators(self):
        """Energy by method: the quaternion paper's Figs. 4 and 5."""
        methods = ("affix-bdf1", "affix-bdf2", "affix-sdirk2", "affix-alpha", "rigid-explicit")
        time, step = (1, 1e-3) if self.quick else (10, 1e-4)
        return {"handle": [self.series(m, 1e-3, time, "t-handle young=inf") for m in methods],
                "top": [self.series(m, step, time, "heavy-top young=inf") for m in methods]}

    def hoberman(self):
        """Radius over time: the quaternion paper's Fig. 7."""
        runs = [("affix-bdf2", 0.01)] if self.quick else [("affix-bdf2", 0.01), ("affix-bdf2", 0.002), ("affix-alpha", 0.002)]
        return [self.series(method, h, 0.5 if self.quick else 4, "hoberman young=inf", round(0.5 / h if self.quick else 4 / h))
                for method, h in runs]

    def failure(self):
        """The chain on which the published step fails, over time, and the heavy chain of Fig. 11."""
        time = 1 if self.quick else 2
        methods = ("affix-bdf1", "abd-vanilla", "mabd-paper", "mabd-paper-nopolar")
        chain = [self.series(m, h, time, "chain n=100 young=1e8", 100) for h in (0.01, 0.001) for m in methods]
        heavy = []
        for start in ("coil", "zigzag"):
            for h in (0.01,) if self.quick else (0.001, 0.01):
                for formulation in ("affix", "affix-accurate", "mabd-paper", "abd-vanilla"):
                    case = f"chain n=100 end_mass=10000 start={start}"
                    heavy.append({"start": start, "h": h, "formulation": formulation,
                                  **self.steps(case, h, round(3 / h), formulation)})
        nets = [{"formulation": f, **self.steps("net k=10 young=1e9", 1 / 30, 150, f)} for f in ("affix", "mabd-paper")]
        return {"chain": chain, "heavy": heavy, "nets": nets}


# ---- errors of a row against the reference's ----

def length(a):
    return math.sqrt(sum(x * x for x in a))


def momentum_lost(row, true):
    return length([a - b for a, b in zip(row["momentum"], true["momentum"])]) / length(true["momentum"])


def omega_off(row, true):
    return length([a - b for a, b in zip(row["omega"], true["omega"])])


def tilt(row):
    x, y, z = row["marker"]
    return math.degrees(math.atan2(math.hypot(x, y), z))


def tilt_off(row, true):
    return abs(tilt(row) - tilt(true))


def angle_off(row, true):
    a, b = (math.atan2(-r["marker"][2], r["marker"][0]) for r in (row, true))
    return abs(math.remainder(a - b, 2 * math.pi))
