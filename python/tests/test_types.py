# SPDX-License-Identifier: Apache-2.0
"""Types, as mypy sees them: the package itself, what users write with it, and mistakes that must be told."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

import affix


def mypy(*words):
    pytest.importorskip("mypy", reason="mypy is not there")
    cache = Path(affix.__file__).resolve().parents[2] / ".mypy"  # of the build folder: it takes long at first
    return subprocess.run([sys.executable, "-m", "mypy", "--config-file", str(ROOT / "python" / "pyproject.toml"), "--cache-dir",
                           str(cache), *map(str, words)], capture_output=True, text=True, cwd=ROOT / "python", check=False)


def test_the_package():
    answer = mypy("-p", "affix")
    assert answer.returncode == 0, answer.stdout + answer.stderr


def test_what_users_write():
    """All of it passes --strict but the lines that are wrong, each of which is told."""
    sample = ROOT / "python" / "tests" / "typed.py"
    answer = mypy("--strict", sample)
    told = {int(line) for line in re.findall(r"typed\.py:(\d+): error", answer.stdout)}
    wrong = {k for k, line in enumerate(sample.read_text(encoding="utf-8").splitlines(), 1) if line.endswith("# wrong")}
    assert len(wrong) > 3 and told == wrong, answer.stdout + answer.stderr
