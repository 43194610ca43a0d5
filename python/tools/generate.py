#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""python/tools/generate.py: writes the C source of the extension module affix._affix from the headers themselves.

The declarations that cffi needs are taken from the preprocessed public headers (all of include/affix), cases/cases.h,
src/sweep/sweep.h and python/native/native.h, so that nothing has to be repeated by hand and nothing can drift: a header that changes is a
changed module after the next build.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

from cffi import FFI

ROOT = Path(__file__).resolve().parents[2]
PRIVATE = ["cases/cases.h", "src/sweep/sweep.h", "python/native/native.h"]

LINE_MARKER = re.compile(r'^# \d+ "([^"]*)"')
VISIBILITY = re.compile(r'__attribute__\s*\(\(visibility\("default"\)\)\)')
CONSTANT = re.compile(r"^#define (AFXI?_[A-Z0-9_]+) [-+(]*[0-9]", re.M)

# What C calls in Python.
CALLBACKS = 'extern "Python" void afxi_py_notice(void *user, const AfxNotice *notice);\n'


def headers():
    """The headers, as they are written in an include."""
    public = sorted(path.name for path in (ROOT / "include" / "affix").glob("*.h"))
    return [f"affix/{name}" for name in public] + PRIVATE


def location(header):
    return ROOT / "include" / header if header.startswith("affix/") else ROOT / header


def preamble():
    return "".join(f'#include "{header}"\n' for header in headers())


def preprocess(compiler):
    command = [compiler, "-E", "-std=c17", f"-I{ROOT / 'include'}", f"-I{ROOT}", "-x", "c", "-"]
    run = subprocess.run(command, input=preamble(), text=True, capture_output=True, check=False)
    if run.returncode != 0:
        sys.exit(f"python/tools/generate.py: {' '.join(command)} failed:\n{run.stderr}")
    return run.stdout


def declarations(compiler="cc"):
    """The text for FFI.cdef: what the preprocessor leaves of our own headers, and the numeric macros as constants."""
    ours = {str(location(header).resolve()) for header in headers()}
    lines, inside = [], False
    for line in preprocess(compiler).split("\n"):
        marker = LINE_MARKER.match(line)
        if marker:
            inside = str(Path(marker.group(1)).resolve()) in ours
        elif inside and line.strip():
            lines.append(line)
    constants = [name for header in headers() for name in CONSTANT.findall(location(header).read_text(encoding="utf-8"))]
    text = VISIBILITY.sub("", "\n".join(lines)) + "\n"
    return text + "".join(f"#define {name} ...\n" for name in dict.fromkeys(constants)) + CALLBACKS


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("output", help="the C file to write")
    parser.add_argument("--compiler", default="cc", help="whose preprocessor to use (cc)")
    arguments = parser.parse_args()
    ffi = FFI()
    ffi.cdef(declarations(arguments.compiler))
    ffi.set_source("affix._affix", preamble())
    ffi.emit_c_code(arguments.output)


if __name__ == "__main__":
    main()
