# SPDX-License-Identifier: Apache-2.0
"""The wheel, as a new user gets it: made, installed into a fresh virtual environment, and the README's snippet run there."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT

import affix

BUILD = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(affix.__file__))))


def call(*words, **options):
    """Runs a program to its end, and shows what it said when it failed."""
    result = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_the_wheel_in_a_fresh_environment(tmp_path):
    for module in ("setuptools", "wheel", "pip", "venv"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"the module {module} is not there")
    if not os.path.exists(os.path.join(BUILD, "CMakeCache.txt")):
        pytest.skip("the package does not lie in a build folder")
    source = tmp_path / "source"
    shutil.copytree(ROOT / "python", source / "python", ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
    os.symlink(ROOT / "include", source / "include")
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment["AFFIX_BUILD"] = BUILD
    call(sys.executable, "setup.py", "-q", "bdist_wheel", "--dist-dir", tmp_path / "wheels", cwd=source / "python",
         env=environment)
    wheels = os.listdir(tmp_path / "wheels")
    assert len(wheels) == 1 and "cp39-abi3" in wheels[0]
    # numpy and cffi are those of the system: the test needs no network.
    call(sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", tmp_path / "venv", env=environment)
    python = tmp_path / "venv" / "bin" / "python"
    call(python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-warn-script-location", "--force-reinstall",
         tmp_path / "wheels" / wheels[0], env=environment)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    snippet = re.search(r"```python\n(.*?)```", readme, re.S).group(1)
    where = "\nprint(affix.__file__)\n"
    printed = call(python, "-c", snippet + where, cwd=tmp_path, env=environment).splitlines()
    assert printed[-1].startswith(str(tmp_path / "venv"))
    assert "(3, 12)" in printed[0]
    stubs = call(python, "-c", "import affix, os; print(os.path.exists(os.path.join(os.path.dirname(affix.__file__), 'py.typed')))",
                 cwd=tmp_path, env=environment)
    assert stubs.strip() == "True"
