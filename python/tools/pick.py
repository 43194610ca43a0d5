# SPDX-License-Identifier: Apache-2.0
"""pick.py [COUNT [FIRST]]: cubes at random places are stacked by the script of affix.envs.PickAndPlace, at steps of 2 and
10 ms; tells the seeds in which it does not succeed, and ends with 1 where there are any."""

import sys
import time

from affix.envs import PickAndPlace


def episode(env: PickAndPlace, seed: int) -> bool:
    """Whether all cubes are stacked in the end."""
    env.reset(seed=seed)
    for action in env.script():
        env.step(action)
    return env.stacked() == env.cubes - 1


def main() -> int:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    failed = 0
    for dt in (0.01, 0.002):
        env, bad, begun = PickAndPlace(dt=dt), [], time.process_time()
        for seed in range(first, first + count):
            try:
                done = episode(env, seed)
            except Exception as error:  # a step that fails is a failure as well
                print(f"seed {seed}: {error}", flush=True)
                done = False
            if not done:
                bad.append(seed)
        print(f"dt {dt}: {count - len(bad)} of {count}, {(time.process_time() - begun) / count:.2f} s of processor each; "
              f"failed: {bad}", flush=True)
        failed += len(bad)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
