#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python/tests/run.py [pytest arguments]: the tests of the package and the examples in its docstrings, as `make test`
runs them. The package must be importable (PYTHONPATH=build/python)."""

import os
import sys
from pathlib import Path


def main():
    try:
        import pytest
    except ImportError:
        print("SKIP: the tests of the Python package need pytest (Debian: python3-pytest)")
        return 0
    import affix

    here = Path(__file__).resolve().parent
    os.environ.setdefault("MPLBACKEND", "Agg")  # nothing is shown
    package = Path(affix.__file__).parent
    bridges = [f"--ignore={package / name}.py" for name in ("torch", "jax")]  # these may not be installed
    where = sys.argv[1:] or ["--doctest-modules", *bridges, str(package), str(here)]
    return pytest.main(["-q", "-p", "no:cacheprovider", f"--rootdir={here}", *where])


if __name__ == "__main__":
    sys.exit(main())
