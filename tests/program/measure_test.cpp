// SPDX-License-Identifier: Apache-2.0
// Measures as a user meets them: in the file, as a table, in `info`, in the summary of a study.
#include <doctest/doctest.h>
#include <fmt/core.h>

#include <algorithm>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

// Disks fall through a plane and pile up on the floor below it.
const std::string scene = stone_floor("{ step = 2e-4, end = 0.4, save_every = 100 }") + R"(
[[grid]]
shape = { ball = 0.01 }
counts = [6, 3]
spacing = [0.0205, 0.03]
jitter = 0.0002
position = [0, 0.1]
material = "stone"

[[measure]]
name = "exit"
plane = { point = [0, 0.09], normal = [0, -1] }
every = 25

[[measure]]
name = "pile"
region = { box = [0.2, 0.05] }
position = [0.05, 0]
every = 40
)";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string table(const Scratch& scratch, const std::string& run, const std::string& measure) {
  const Outcome outcome =
      talus_program(fmt::format("export {} --what measures/{}", run, measure), scratch.path());
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  return outcome.out;
}

}  // namespace

TEST_CASE("measures are tables of the export and lines of info") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", scene);
  REQUIRE(talus_program("run scene.toml -o run.h5", scratch.path()).code == 0);
  const std::string exit = table(scratch, "run.h5", "exit");
  CHECK(lines(exit) == 1 + 2000 / 25);
  CHECK(exit.starts_with("step,time,grains,mass,grains_rate,mass_rate\n25,0.005,0,0,0,0\n"));
  CHECK(contains(exit, "\n2000,0.4,18,"));  // all have passed
  const std::string pile = table(scratch, "run.h5", "pile");
  CHECK(lines(pile) == 1 + 2000 / 40);
  CHECK(pile.starts_with(
      "step,time,grains,solid_fraction,coordination,coordination_touching,"
      "coordination_without_rattlers,rattlers,stress_xx,stress_xy,stress_yx,stress_yy,pressure\n"));

  const Outcome info = talus_program("info run.h5", scratch.path());
  CHECK(contains(info.out, "measure   exit: 80 rows, every 25 steps: grains, mass, grains_rate"));
  CHECK(contains(talus_program("info run.h5 --json", scratch.path()).out,
                 R"("measures": {"exit": {"every": 25, "rows": 80, "grains": 18)"));
  const Outcome unknown = talus_program("export run.h5 --what measures/core", scratch.path());
  CHECK(unknown.code == 2);
  CHECK(unknown.err == "--what measures/core: the run has measures 'exit', 'pile'\n");
}

TEST_CASE("a run killed on the way ends with the measures of the run that was left alone") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", scene);
  REQUIRE(talus_program("run scene.toml -o whole.h5 --quiet --set time.step=2e-5", scratch.path())
              .code == 0);
  for (const char* seconds : {"0.1", "0.2", "0.4"}) {
    const std::string command = fmt::format(
        "cd '{}' && timeout -s KILL {} '{}' run scene.toml -o parts.h5 --resume --quiet --set "
        "time.step=2e-5 "
        "--checkpoint-interval 0.01 > /dev/null 2>&1",
        scratch.path().string(), seconds, TALUS_PROGRAM);
    CHECK(std::system(command.c_str()) != -1);
  }
  REQUIRE(talus_program("run scene.toml -o parts.h5 --resume --quiet --set time.step=2e-5",
                        scratch.path())
              .code == 0);
  for (const char* measure : {"exit", "pile"})
    CHECK(table(scratch, "parts.h5", measure) == table(scratch, "whole.h5", measure));
}

TEST_CASE("the summary of a study has the last values and the means of measures") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", scene);
  write_text(scratch / "study.toml", R"(
scene = "scene.toml"
set = ["time.end=0.2"]
[[axis]]
key = "material.stone.friction"
values = [0, 0.5]
)");
  REQUIRE(talus_program("batch study.toml -o cases", scratch.path()).code == 0);
  const std::string summary = read_text(scratch / "cases/summary.csv");
  CHECK(contains(summary, ",exit.grains,exit.grains.mean,exit.mass,exit.mass.mean,"));
  CHECK(contains(summary, ",pile.solid_fraction,pile.solid_fraction.mean,"));
  // The mean by hand.
  std::istringstream exit(table(scratch, "cases/case-0001/run.h5", "exit"));
  double sum = 0, rows = 0, last = 0;
  std::string line;
  std::getline(exit, line);
  for (; std::getline(exit, line); ++rows) {
    std::istringstream cells(line);
    std::string cell;
    for (int k = 0; k < 3; ++k) std::getline(cells, cell, ',');
    last = std::stod(cell);
    sum += last;
  }
  CHECK(last > 0);
  CHECK(contains(summary, fmt::format(",{},{},", last, sum / rows)));
}
