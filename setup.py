# SPDX-License-Identifier: Apache-2.0
"""Builds the compiled part of the Python module with CMake; everything else of the package is told in pyproject.toml."""
import os
import pathlib
import re
import subprocess
import sys

import setuptools
from setuptools.command.build_ext import build_ext

root = pathlib.Path(__file__).resolve().parent


def version():
    return re.search(r"project\(talus VERSION ([0-9.]+)", (root / "CMakeLists.txt").read_text())[1]


class CMakeBuild(build_ext):
    """Installs CMake's component `python`, with the bundled scenes beside it, into the folder of the wheel."""

    def run(self):
        work = pathlib.Path(os.environ.get("TALUS_BUILD", self.build_temp)).resolve()  # TALUS_BUILD: a build folder to be used again
        packages = root / "tools/python" if self.inplace else pathlib.Path(self.build_lib).resolve()
        options = ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_UNITY_BUILD=ON", "-DTALUS_TESTS=OFF", "-DTALUS_PYTHON=ON",
                   "-DTALUS_PYTHON_DIR=.", f"-DPython3_EXECUTABLE={sys.executable}", *self.pybind11(),
                   *os.environ.get("CMAKE_ARGS", "").split()]
        self.cmake("-S", root, "-B", work, "-G", "Ninja", *options)
        self.cmake("--build", work, "--target", "talus_package", "--parallel", str(os.cpu_count()))
        self.cmake("--install", work, "--prefix", packages, "--component", "python")
        self.cmake("--install", work, "--prefix", packages / "talus", "--component", "data")

    @staticmethod
    def pybind11():
        """Where pip put pybind11, if it is there as a Python package."""
        try:
            import pybind11
        except ImportError:
            return []
        return [f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"]

    @staticmethod
    def cmake(*arguments):
        subprocess.run(["cmake", *map(str, arguments)], check=True)

    def get_outputs(self):
        return []  # the files are found in the folder


setuptools.setup(
    version=version(),
    ext_modules=[setuptools.Extension("talus._core", sources=[])],  # so that the wheel is one for this machine and this Python
    cmdclass={"build_ext": CMakeBuild},
    options={"build": {"build_base": "build-python"}},  # build/ is that of tools/talus
)
