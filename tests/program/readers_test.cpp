// SPDX-License-Identifier: Apache-2.0
// Programs that read a run while `talus` writes it.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

const std::string scene = stone_floor("{ step = 1e-4, end = 0.2, save_every = 5 }") + R"(
[[grid]]
shape = { ball = 0.01 }
counts = [6, 4]
spacing = [0.0205, 0.03]
position = [0, 0.02]
material = "stone"
)";

// Starts a run and, as long as it goes on, does `work` again and again: shell text that ends the
// loop when it fails.
Outcome beside_run(const Scratch& scratch, const std::string& work) {
  write_text(scratch / "scene.toml", scene);
  return shell(fmt::format("( '{}' run scene.toml -o run.h5 --threads 1 --quiet & pid=$!;"
                           " until test -e run.h5; do :; done; failed=0;"
                           " while kill -0 $pid 2> /dev/null && test $failed = 0; do"
                           " {{ {}; }} || failed=1; done;"
                           " wait $pid && exit $failed )",
                           TALUS_PROGRAM, work),
               scratch.path());
}

// The block of Python in a document that has this text in it.
std::string python_in(const std::filesystem::path& document, const std::string& text) {
  const std::string page = read_text(document), fence = "```";
  const std::size_t at = page.find(text);
  REQUIRE(at != std::string::npos);
  const std::size_t begin = page.rfind(fence + "python\n", at) + 10;
  return page.substr(begin, page.find(fence, begin) - begin);
}

}  // namespace

TEST_CASE("snapshots of a run that goes on are sound") {
  const Scratch scratch;
  const Outcome outcome =
      beside_run(scratch, "'" TALUS_PROGRAM "' snapshot run.h5 copy.h5 --force && '" TALUS_PROGRAM
                          "' check copy.h5");
  CAPTURE(outcome.out);
  CAPTURE(outcome.err);
  CHECK(outcome.code == 0);
  CHECK(outcome.out.find("copy.h5: certified") != std::string::npos);
}

TEST_CASE("h5py reads a run that goes on, as the documentation says") {
  const Scratch scratch;
  if (shell("/usr/bin/python3 -c 'import h5py'", scratch.path()).code != 0) {
    MESSAGE("skipped: there is no h5py");
    return;
  }
  std::string program = python_in(TALUS_SOURCE_DIR "/docs/TRAJECTORY.md", "def open_run");
  const std::size_t name = program.find("wall.h5");
  REQUIRE(name != std::string::npos);
  program.replace(name, 7, "run.h5");
  write_text(scratch / "read.py", program + R"(
for _ in range(50):
    with open_run("run.h5") as run:
        tables = []
        run.visititems(lambda name, item: tables.append(item[()]) if hasattr(item, "dtype") else None)
        assert run["views/bodies/Steps"].attrs["NSteps"] == len(run["frames/time"])
)");
  const Outcome outcome = beside_run(scratch, "/usr/bin/python3 read.py");
  CAPTURE(outcome.err);
  CHECK(outcome.code == 0);
}
