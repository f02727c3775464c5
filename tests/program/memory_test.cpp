// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/program/program.hpp"

#ifdef TALUS_BAD_ALLOC  // not with the sanitizers, which have allocators of their own

using namespace talus;

// A grid of disks that fall towards a floor and towards each other: contacts appear in every step,
// and threads need room for them.
static std::string falling_grid() {
  return stone_floor("{ step = 1e-3, end = 0.02, save_every = 5 }") + R"(
[[grid]]
counts = [100, 100]
shape = { ball = 0.01 }
spacing = [0.0201, 0.0201]
position = [0, 0.0101]
material = "stone"
)";
}

TEST_CASE("a worker thread without memory ends the run with a message, and it can be resumed") {
  const Scratch folder;
  write_text(folder / "grid.toml", falling_grid());
  const std::string preload =
      "LD_PRELOAD='" TALUS_BAD_ALLOC "' BAD_ALLOC_ONCE=run.h5 '" TALUS_PROGRAM "' ";
  const Outcome starved =
      shell(preload + "run grid.toml -o run.h5 --threads 4 --quiet", folder.path());
  CHECK(starved.code == 1);
  CHECK(starved.err == "talus: out of memory\n");
  CHECK(talus_program("info run.h5", folder.path()).code == 0);

  const Outcome resumed =
      talus_program("run grid.toml -o run.h5 --threads 4 --quiet --resume", folder.path());
  CHECK(resumed.code == 0);
  CHECK(resumed.err == "");
  CHECK(talus_program("check run.h5", folder.path()).code == 0);
}

#endif
