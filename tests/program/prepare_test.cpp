// SPDX-License-Identifier: Apache-2.0
// tools/talus on machines without apt: a PATH of links to what a small system has.
#include <doctest/doctest.h>

#include <filesystem>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

namespace fs = std::filesystem;

// A clone without a build folder, and a folder `bin` with these programs beside the shell's.
void make_machine(const Scratch& scratch, const std::string& programs) {
  const fs::path root = TALUS_SOURCE_DIR;
  fs::create_directories(scratch / "clone");
  for (const char* part : {"CMakeLists.txt", "CMakePresets.json", "cmake", "engine", "io", "scenes",
                           "solvers", "tests"})
    fs::create_symlink(root / part, scratch / "clone" / part);
  fs::create_directories(scratch / "clone/tools");
  fs::copy(root / "tools/talus", scratch / "clone/tools/talus");
  fs::create_symlink(root / "tools/scripts", scratch / "clone/tools/scripts");
  const Outcome linked = shell(
      "mkdir bin && for name in bash env sed awk grep cat dirname readlink mkdir sort getconf "
      "uname head gcc g++ cc c++ as ld ar " +
          programs + "; do ln -s \"$(command -v $name)\" bin; done",
      scratch.path());
  REQUIRE(linked.code == 0);
}

const std::string small_system = "env -i PATH=\"$PWD/bin\" HOME=\"$PWD\" ";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("without apt, tools/talus names the tools that are missing for every package manager") {
  const Scratch scratch;
  make_machine(scratch, "");
  // The scripts call themselves by their real folder, which is that of the sources.
  fs::remove(scratch / "clone/tools/scripts");
  fs::copy(fs::path(TALUS_SOURCE_DIR) / "tools/scripts", scratch / "clone/tools/scripts");
  fs::create_symlink("clone/tools/talus", scratch / "talus");
  const Outcome outcome = shell(small_system + "./talus --version", scratch.path());
  CHECK(outcome.code == 1);
  CHECK(outcome.err ==
        "talus: this machine lacks, or hides: cmake ninja-build\n"
        "  apt      apt-get install cmake ninja-build\n"
        "  dnf      dnf install cmake ninja-build\n"
        "  pacman   pacman -S cmake ninja\n"
        "  brew     brew install cmake ninja\n"
        "  spack    spack install cmake ninja\n"
        "  conda    conda install -c conda-forge cmake ninja\n"
        "  pip      pip install --user cmake ninja\n"
        "Libraries in other places: load their environment modules, or name their prefixes, "
        "CMAKE_PREFIX_PATH=/opt/hdf5:/opt/fmt tools/talus ….\n"
        "Another compiler: CXX=g++-12 tools/talus ….\n");
}

TEST_CASE("libraries that CMake does not find are named at once") {
  const Scratch scratch;
  make_machine(scratch, "cmake ninja");
  const Outcome outcome = shell(
      small_system +
          "cmake -S clone -B build -G Ninja -DTALUS_TESTS=OFF -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON"
          " -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON",
      scratch.path());
  CHECK(outcome.code != 0);
  CHECK(has(outcome.err, "talus: this machine lacks, or hides: libeigen3-dev libcli11-dev\n"));
  CHECK(has(outcome.err, "  dnf      dnf install eigen3-devel cli11-devel\n"));
  CHECK(has(outcome.err, "  spack    spack install eigen cli11\n"));
}

TEST_CASE("prefixes of environment modules are searched, and CMAKE_PREFIX_PATH before them") {
  const Scratch scratch;
  make_machine(scratch, "cmake ninja");
  for (const char* place : {"module", "named"}) {
    fs::create_directories(scratch / place / "lib/cmake/CLI11");
    write_text(scratch / place / "lib/cmake/CLI11/CLI11Config.cmake",
               std::string("message(NOTICE \"CLI11 of ") + place + "\")\n");
  }
  const std::string configure =
      "cmake -S clone -B build -G Ninja -DTALUS_TESTS=OFF -DCMAKE_DISABLE_FIND_PACKAGE_Eigen3=ON";
  const std::string module = "LIBRARY_PATH=\"$PWD/module/lib\" ";
  CHECK(has(shell(small_system + module + configure, scratch.path()).err, "CLI11 of module\n"));
  fs::remove_all(scratch / "build");
  CHECK(has(
      shell(small_system + module + "CMAKE_PREFIX_PATH=\"$PWD/named\" " + configure, scratch.path())
          .err,
      "CLI11 of named\n"));
}
