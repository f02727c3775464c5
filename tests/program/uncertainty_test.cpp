// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <sstream>
#include <vector>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

// Newmark's sliding block: the base is accelerated by A g = 0.5 g for T = 0.3 s and goes on evenly.
// The block slips by V²/(2 μ g) (1 − μ/A) = 0.331087 m with V = A g T, until V/(μ g) = 0.75 s. Its
// friction takes μ m g times that. The step hits none of the events.
std::string newmark(double step) {
  return fmt::format(R"(
dimension = 2
gravity = [0, -9.81]
time = {{ step = {}, end = 0.98, save_every = 10 }}
solver = {{ tolerance = 1e-8 }}
[material.stone]
density = 2500
friction = 0.2
[[body]]
name = "base"
shape = {{ box = [4, 0.2] }}
material = "stone"
position = [0, -0.1]
drive = [{{ direction = [1, 0], velocity = {{ table = [[0, 0], [0.3, 1.4715], [10, 1.4715]] }} }}]
[[body]]
name = "block"
shape = {{ box = [0.4, 0.2] }}
material = "stone"
position = [0, 0.1]
)",
                     step);
}

// A disk that slides and then rolls (VALIDATION A04): after 0.5 s it has gone 5 v²/(18 μ g) while
// it slid, for v/(3 μ g), and the rest at 2/3 v.
std::string sliding_to_rolling(double step) {
  return stone_floor(fmt::format("{{ step = {}, end = 0.5, save_every = 10 }}", step)) + R"(
[[body]]
name = "disk"
shape = { ball = 0.1 }
material = "stone"
position = [0, 0.1]
velocity = [2, 0]
[[measure]]
name = "disk"
body = "disk"
quantities = ["displacement"]
)";
}

double way_of_disk(double friction) {
  const double slides = 2 / (3 * friction * 9.81);
  return 5.0 * 4 / (18 * friction * 9.81) + 4.0 / 3 * (0.5 - slides);
}

constexpr double friction_work = -0.2 * 9.81 * 2500 * 0.4 * 0.2 * 0.331087;

// The rows of a table by their first cell.
std::map<std::string, std::vector<double>> rows_of(const std::string& csv) {
  std::map<std::string, std::vector<double>> rows;
  std::istringstream text(csv);
  std::string line;
  std::getline(text, line);
  while (std::getline(text, line)) {
    std::istringstream cells(line);
    std::string name, cell;
    std::getline(cells, name, ',');
    while (std::getline(cells, cell, ',')) rows[name].push_back(std::stod(cell));
  }
  return rows;
}

const std::string grains = stone_floor("{ step = 1e-3, end = 0.02, save_every = 10 }") + R"(
[[column]]
counts = [3, 3]
radius = [0.008, 0.01]
material = "stone"
seed = 4
)";

}  // namespace

TEST_CASE("the interval of the step holds the exact value, and shrinks with the step") {
  const Scratch scratch;
  double width = 1e300;
  for (const double step : {7e-3, 1.75e-3}) {
    const std::string name = fmt::format("block{}", step);
    write_text(scratch / (name + ".toml"), newmark(step));
    const Outcome outcome =
        talus_program("uncertainty " + name + ".toml -o " + name, scratch.path());
    REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
    CHECK(outcome.err.find("the scene has nothing random") != std::string::npos);
    const auto row = rows_of(read_text(scratch / name / "uncertainty.csv")).at("friction_work");
    CAPTURE(step);
    CHECK(row[1] <= friction_work);  // step_low
    CHECK(row[2] >= friction_work);  // step_high
    CHECK(row[2] - row[1] < 0.5 * width);
    CHECK(row[2] - row[1] > 1e-9 * std::abs(friction_work));
    width = row[2] - row[1];
    CHECK(row[4] - row[3] < 1e-5 * std::abs(friction_work));  // of the solver
  }
}

TEST_CASE("the interval of the step holds the way of a disk that slides and then rolls") {
  const Scratch scratch;
  for (const double step : {1e-2, 4e-3, 1e-3}) {
    const std::string name = fmt::format("disk{}", step);
    write_text(scratch / (name + ".toml"), sliding_to_rolling(step));
    const Outcome outcome =
        talus_program("uncertainty " + name + ".toml --set material.stone.friction=0.3 -o " + name,
                      scratch.path());
    REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
    const auto row =
        rows_of(read_text(scratch / name / "uncertainty.csv")).at("disk.displacement_x");
    CAPTURE(step);
    CHECK(row[1] < way_of_disk(0.3));  // step_low
    CHECK(row[2] > way_of_disk(0.3));  // step_high
    CHECK(row[2] - row[1] < 5 * step * step);
  }
}

TEST_CASE("the interval of packings is that of the runs, and a study of them is not run twice") {
  const Scratch scratch;
  write_text(scratch / "grains.toml", grains);
  const Outcome outcome =
      talus_program("uncertainty grains.toml --seeds 3 --json --plot", scratch.path());
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  CHECK(outcome.err.find("5 of 5 cases complete") != std::string::npos);
  CHECK(outcome.out.find("\"name\": \"potential\"") != std::string::npos);

  // Seeds 4, 5 and 6, each run by itself.
  std::vector<double> energies;
  for (const char* seed : {"4", "5", "6"}) {
    const Outcome run = talus_program(
        fmt::format("run grains.toml --quiet --set column.0.seed={} -o {}.h5", seed, seed),
        scratch.path());
    REQUIRE(run.code == 0);
    const std::string csv =
        talus_program(fmt::format("export {}.h5 --what series", seed), scratch.path()).out;
    std::istringstream lines(csv);
    std::string head, line, last;
    std::getline(lines, head);
    while (std::getline(lines, line)) last = line;
    std::size_t at = 0;
    for (std::istringstream cells(head); std::getline(cells, line, ',') && line != "potential";)
      ++at;
    std::istringstream cells(last);
    for (std::size_t k = 0; k <= at; ++k) std::getline(cells, line, ',');
    energies.push_back(std::stod(line));
  }
  const double mean = (energies[0] + energies[1] + energies[2]) / 3;
  double squares = 0;
  for (const double e : energies) squares += (e - mean) * (e - mean);
  const double half = 4.302653 * std::sqrt(squares / 2) / std::sqrt(3.0);
  const auto row =
      rows_of(read_text(scratch / "grains-uncertainty/uncertainty.csv")).at("potential");
  CHECK(row[5] == 3);
  CHECK(row[6] == doctest::Approx(mean).epsilon(1e-12));
  CHECK(row[7] == doctest::Approx(mean - half).epsilon(1e-6));
  CHECK(row[8] == doctest::Approx(mean + half).epsilon(1e-6));

  // A row for each quantity that is not zero; the potential energy has all three intervals.
  const std::string plot = read_text(scratch / "grains-uncertainty/uncertainty.svg");
  const std::size_t at = plot.find(">potential</text>");
  REQUIRE(at != std::string::npos);
  const std::string of_row = plot.substr(at, plot.find("stroke='#ddd'", at) - at);
  for (const char* colour : {"#0f766e", "#c2410c", "#4f46e5"})
    CHECK_MESSAGE(of_row.find(colour) != std::string::npos, colour);
  // The middle of the interval of packings is the mean of the seeds, on the scale of the row.
  const auto number_after = [&](const std::string& text, const std::string& mark) {
    return std::stod(text.substr(text.find(mark) + mark.size()));
  };
  const std::string bar = of_row.substr(of_row.rfind("<line", of_row.find("#4f46e5")));
  const double low = std::min({row[0], row[1], row[3], row[7]}),
               high = std::max({row[0], row[2], row[4], row[8]});
  CHECK(0.5 * (number_after(bar, "x1='") + number_after(bar, "x2='")) ==
        doctest::Approx(190 + (mean - low) / (high - low) * 542).epsilon(1e-4));

  const Outcome again = talus_program("uncertainty grains.toml --seeds 3", scratch.path());
  CHECK(again.code == 0);
  CHECK(again.err.find("5 of 5 cases are complete already") != std::string::npos);
  const Outcome more = talus_program("uncertainty grains.toml --seeds 4", scratch.path());
  CHECK(more.code == 2);
  CHECK(more.err ==
        "grains-uncertainty: holds the cases of another study (use -o for another folder)\n");
}

TEST_CASE("seeds asked of a scene without any are refused") {
  const Scratch scratch;
  write_text(scratch / "block.toml", newmark(1e-2));
  const Outcome outcome = talus_program("uncertainty block.toml --seeds 3", scratch.path());
  CHECK(outcome.code == 2);
  CHECK(outcome.err ==
        "block.toml: --seeds 3: the scene has nothing random: no packing, column, emitter or "
        "jitter\n");
  CHECK_FALSE(std::filesystem::exists(scratch / "block-uncertainty"));
}

TEST_CASE("a study that repeats with other seeds gives the mean over them and its interval") {
  const Scratch scratch;
  write_text(scratch / "grains.toml", grains);
  write_text(scratch / "study.toml", R"(
scene = "grains.toml"
[[axis]]
name = "mu"
key = "material.stone.friction"
values = [0.1, 0.6]
[[repeat]]
seeds = 3
)");
  const Outcome outcome = talus_program("batch study.toml", scratch.path());
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  const std::string repeats = read_text(scratch / "study/repeats.csv");
  CHECK(
      repeats.substr(0, repeats.find('\n'))
          .find("mu,repetitions,kinetic (mean),kinetic (low),kinetic (high),kinetic (deviation)") ==
      0);
  const auto rows = rows_of(repeats);
  REQUIRE(rows.size() == 2);
  CHECK(rows.at("0.1")[0] == 3);
  CHECK(rows.at("0.1")[2] < rows.at("0.1")[3]);
}

TEST_CASE("mistakes in axes of several keys and in repetitions are told with their place") {
  const Scratch scratch;
  write_text(scratch / "grains.toml", grains);
  write_text(scratch / "block.toml", newmark(1e-2));
  const auto told = [&](const std::string& study) {
    write_text(scratch / "study.toml", study);
    const Outcome outcome = talus_program("batch study.toml", scratch.path());
    CHECK(outcome.code == 2);
    return outcome.err.substr(0, outcome.err.find('\n'));
  };
  CHECK(told("scene = \"block.toml\"\n[[repeat]]\nseeds = 3\n") ==
        "study.toml:3:9: repeat: the scene has nothing random: no packing, column, emitter or "
        "jitter");
  CHECK(told("scene = \"grains.toml\"\n[[repeat]]\nseeds = 1\n") ==
        "study.toml:3:9: repeat: seeds = 1 is less than 2");
  CHECK(told("scene = \"grains.toml\"\n[[repeat]]\nseeds = 2\n[[repeat]]\nseeds = 2\n") ==
        "study.toml:4:1: a study has one [[repeat]]");
  CHECK(told("scene = \"grains.toml\"\n[[axis]]\nname = \"v\"\nvalues = [\"a\", \"b\"]\nset = "
             "[[\"time.end=1\"]]\n") == "study.toml:5:7: axis: 'set' has 1 entries for 2 values");
  CHECK(told("scene = \"grains.toml\"\n[[axis]]\nkey = \"column.0.seed\"\nvalues = [1, "
             "2]\n[[repeat]]\nseeds = 2\n") ==
        "study.toml:5:1: another axis varies "
        "'column.0.seed', too");
}
