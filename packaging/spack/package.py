# SPDX-License-Identifier: Apache-2.0
# Spack package of a clone: put this folder as packages/talus into a repository of yours (`spack repo create`), then
#     spack dev-build talus@main       in the clone
# Spack itself was not run: the file is compiled and its CMake options are compared with the project's (tools/scripts/check-packages).
from spack.package import *


class Talus(CMakePackage):
    """Rigid bodies in frictional contact by Moreau-Jean time stepping, every step certified."""

    license("Apache-2.0")
    version("main")

    variant("python", default=False, description="Build the Python module")

    generator("ninja")
    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("eigen@3.4:")
    depends_on("hdf5@1.10:+hl~mpi")
    depends_on("zlib-api")
    depends_on("fmt@9:")
    depends_on("cli11@2.3:", type="build")
    depends_on("tomlplusplus@3.3:")
    with when("+python"):
        extends("python@3.9:")
        depends_on("py-pybind11@2.10:", type="build")
        depends_on("py-numpy@1.20:", type=("build", "run"))

    conflicts("%gcc@:10", msg="C++20 is needed")
    conflicts("%clang@:13", msg="C++20 is needed")

    def cmake_args(self):
        options = [
            self.define("TALUS_TESTS", False),
            self.define("CMAKE_UNITY_BUILD", True),
            self.define_from_variant("TALUS_PYTHON", "python"),
        ]
        if self.spec.satisfies("+python"):
            options.append(self.define("TALUS_PYTHON_DIR", python_platlib))
        return options
