#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python/tools/bench.py [MODEL.xml]: what stepping from Python costs over stepping in C, and how a batch scales over threads.

Ratios of the best of many short turns, taken by turns within one run:

    PYTHONPATH=build/python python3 python/tools/bench.py path/to/panda.xml
"""

import sys
import time

import affix


def best(*calls, before=lambda: None, turns=100):
    """The shortest time of each call, s; they take turns."""
    times = [float("inf")] * len(calls)
    for _ in range(turns):
        for k, call in enumerate(calls):
            before()
            begin = time.perf_counter()
            call()
            times[k] = min(times[k], time.perf_counter() - begin)
    return times


def overhead(title, model, steps=20):
    """A call from Python for every step, against one call for all of them: the same steps of one sim, by turns."""
    sim = affix.Sim(model)
    sim.step(20)
    start = sim.snapshot()

    def from_python():
        for _ in range(steps):
            sim.step()

    python, c = best(from_python, lambda: sim.step(steps), before=lambda: sim.restore(start))
    print(f"{title}: {1e6 * c / steps:.1f} µs a step in C, from Python {100 * (python / c - 1):+.2f} %")


def scaling(title, model, count=64, steps=20, dt=0.002):
    """A batch on one and on two threads."""
    single, double = (affix.Batch(model, count, threads=threads, dt=dt) for threads in (1, 2))
    one, two = best(lambda: single.step(steps), lambda: double.step(steps), turns=20)
    assert (single.q == double.q).all()
    print(f"{title}: {count} sims, {1e6 * one / steps / count:.1f} µs a step and sim; two threads {one / two:.2f} times as fast")


def main():
    overhead("1,000 free bodies", affix.Model.from_case("tumbling", n=1000))
    overhead("a chain of 1,000", affix.Model.from_case("chain", n=1000))
    if len(sys.argv) > 1:
        scaling(sys.argv[1].rsplit("/", 1)[-1], affix.Model.from_file(sys.argv[1]))
    else:
        scaling("hand", affix.Model.from_case("hand"))


if __name__ == "__main__":
    main()
