# SPDX-License-Identifier: Apache-2.0
"""The part of the build that pyproject.toml cannot say: the extension and the two libraries come from CMake, and go into
the package side by side. The version is that of include/affix/base.h."""

import glob
import os
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)


def version():
    with open(os.path.join(ROOT, "include", "affix", "base.h"), encoding="utf-8") as file:
        return ".".join(re.findall(r"#define AFX_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", file.read()))


class CMakeBuild(build_ext):
    """Builds the target python_package in a folder of its own, or finds it in the build folder AFFIX_BUILD, and takes from it
    what is compiled."""

    def run(self):
        tree = os.environ.get("AFFIX_BUILD") or self.build()
        self.take(tree)

    def build(self):
        tree = os.path.abspath(os.path.join(self.build_temp, "cmake"))
        subprocess.run(["cmake", "-S", ROOT, "-B", tree, "-DCMAKE_BUILD_TYPE=Release", "-DAFFIX_TESTS=OFF",
                        "-DAFFIX_BENCH=OFF", f"-DAFFIX_PYTHON={sys.executable}"], check=True)
        jobs = str(os.cpu_count() or 1)
        subprocess.run(["cmake", "--build", tree, "-j", jobs, "--target", "python_package"], check=True)
        return tree

    def take(self, tree):
        target = os.path.dirname(self.get_ext_fullpath("affix._affix"))
        os.makedirs(target, exist_ok=True)
        shutil.copy2(os.path.join(tree, "python", "affix", "_affix.abi3.so"), target)
        for library in ("libaffix", "libaffix_io"):
            # The one name that the loader asks for (its soname, major.minor), as a file and not as a link.
            for link in filter(os.path.islink, glob.glob(os.path.join(tree, f"{library}.so.*"))):
                shutil.copy2(os.path.realpath(link), os.path.join(target, os.path.basename(link)))

    def get_outputs(self):
        target = os.path.dirname(self.get_ext_fullpath("affix._affix"))
        return glob.glob(os.path.join(target, "*.so*"))


setup(version=version(), ext_modules=[Extension("affix._affix", [], py_limited_api=True)],
      cmdclass={"build_ext": CMakeBuild}, options={"bdist_wheel": {"py_limited_api": "cp39"}})
