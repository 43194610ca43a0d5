# SPDX-License-Identifier: Apache-2.0
"""Runs a driver as a process of its own and says what became of it: a peer that crashes, hangs or prints nonsense is a
result like any other."""

import json
import os
import shutil
import signal
import subprocess
import sys

REALTIME = ["chrt", "-f", "5", "taskset", "-c", "0"]


def wrap(realtime):
    """What to put before a command for real-time priority on one core; nothing where that is not wanted or allowed."""
    if not realtime:
        return []
    if all(map(shutil.which, ("chrt", "taskset"))) and subprocess.run([*REALTIME, "true"], check=False,
                                                                     stderr=subprocess.DEVNULL).returncode == 0:
        return REALTIME
    print("no real-time priority here", file=sys.stderr)
    return []


def run(command, limit, environment=None):
    """Runs a command for at most `limit` seconds and returns the object of its last line, with `status`:

    ok, incomplete (its own time limit), not finite, failed (the engine says so), hung, crashed, cannot run, no result.
    """
    try:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, errors="replace", start_new_session=True,
                                   env={**os.environ, **(environment or {})})
    except OSError as error:
        return {"status": "cannot run", "why": error.strerror}
    try:
        out, err = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)  # the whole session: a driver may have started others
        process.communicate()
        return {"status": "hung", "why": f"stopped after {limit:g} s"}
    return judge(process.returncode, out, err)


def judge(code, out, err):
    """The result of a process that has ended."""
    last = (out.strip().splitlines() or [""])[-1]
    complaint = (err.strip().splitlines() or [""])[-1][:160]
    if code < 0:
        return {"status": "crashed", "why": signal.Signals(-code).name}
    if code != 0:
        return {"status": "cannot run", "why": complaint or f"exit code {code}"}
    try:
        result = json.loads(last)
        result["status"] = ("not finite" if not result["finite"] else "failed" if result["failed"] else
                            "ok" if result["complete"] else "incomplete")
    except (ValueError, KeyError, TypeError):
        return {"status": "no result", "why": last[:160] or complaint}
    return result
