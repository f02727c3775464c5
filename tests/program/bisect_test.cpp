// SPDX-License-Identifier: Apache-2.0
// Studies that ask for a threshold: the force that moves a block by some distance in some time.
#include <doctest/doctest.h>
#include <fmt/core.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <random>
#include <sstream>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

constexpr double mass = 2500 * 0.2 * 0.1, end = 0.1, distance = 0.01;

const std::string pushed = stone_floor("{ step = 1e-3, end = 0.1, save_every = 10 }") + R"(
[solver]
tolerance = 1e-10

[[body]]
name = "block"
shape = { box = [0.2, 0.1] }
material = "stone"
position = [0, 0.05]

[[force]]
body = "block"
point = [0, -0.05]
direction = [1, 0]
force = 1

[[measure]]
name = "top"
body = "block"
)";

const std::string study = R"(
scene = "pushed.toml"

[[axis]]
name = "mu"
key = "material.stone.friction"
values = [0.3, 0.6]

[[bisect]]
name = "force"
key = "force.0.force"
from = 100
to = 600
until = "top.displacement > 0.01"
tolerance = 0.5
)";

// F − μ m g accelerates it, and the scheme is exact: d = (F/m − μ g) t²/2.
double threshold(double mu) { return mass * (mu * 9.81 + 2 * distance / (end * end)); }

struct StudyFolder : Scratch {
  explicit StudyFolder(const std::string& text = study) {
    write_text(*this / "pushed.toml", pushed);
    write_text(*this / "study.toml", text);
  }
};

std::vector<std::vector<std::string>> table(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream text(csv);
  for (std::string line; std::getline(text, line);) {
    rows.emplace_back();
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) rows.back().push_back(cell);
  }
  return rows;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string replaced(std::string text, const std::string& old, const std::string& with) {
  const std::size_t place = text.find(old);
  REQUIRE(place != std::string::npos);
  return text.replace(place, old.size(), with);
}

}  // namespace

TEST_CASE("a bisection finds the force that moves a block far enough, for every case") {
  const StudyFolder scratch;
  const Outcome batch = talus_program("batch study.toml -o found --workers 2", scratch.path());
  REQUIRE_MESSAGE(batch.code == 0, batch.err);
  CHECK(contains(batch.err, "case 1 (mu=0.3): force between "));
  CHECK(contains(batch.err, "(12 runs)"));  // both ends, and 500 N halved ten times
  CHECK(contains(batch.err, "2 of 2 cases complete; wrote found/summary.csv"));
  const auto rows = table(read_text(scratch / "found/summary.csv"));
  REQUIRE(rows.size() == 3);
  CHECK(rows[0] == std::vector<std::string>{"case", "mu", "status", "force", "force (low)",
                                            "force (high)", "force (low meets)",
                                            "force (high meets)", "runs", "unconverged"});
  for (std::size_t k = 1; k <= 2; ++k) {
    CAPTURE(k);
    const double low = std::stod(rows[k][4]), high = std::stod(rows[k][5]);
    const double exact = threshold(k == 1 ? 0.3 : 0.6);
    CHECK(rows[k][2] == "complete");
    CHECK(low <= exact);
    CHECK(exact <= high);
    CHECK(high - low <= 0.5);
    CHECK(std::stod(rows[k][3]) == (low + high) / 2);
    CHECK(rows[k][6] == "0");
    CHECK(rows[k][7] == "1");
    CHECK(rows[k][8] == "12");
  }
  // Runs that get there end there.
  const auto runs = table(read_text(scratch / "found/runs.csv"));
  REQUIRE(runs.size() == 25);
  CHECK(runs[1][1] == "1");
  CHECK(runs[1][3] == "100");
  CHECK(runs[1][4] == "0");
  CHECK(runs[2][3] == "600");
  CHECK(runs[2][4] == "1");
  CHECK(contains(runs[2][6], "top.displacement"));
  CHECK(std::stoi(runs[1][7]) == 100);
  CHECK(std::stoi(runs[2][7]) < 100);

  const auto written = std::filesystem::last_write_time(scratch / "found/case-0002/run-12/run.h5");
  const Outcome again = talus_program("batch study.toml -o found", scratch.path());
  CHECK(again.code == 0);
  CHECK(contains(again.err, "2 of 2 cases are complete already"));
  CHECK(std::filesystem::last_write_time(scratch / "found/case-0002/run-12/run.h5") == written);
}

TEST_CASE("a bisection killed again and again ends as the one that was left alone") {
  const StudyFolder scratch(study + "\n[[repeat]]\nseeds = 2\n");
  const Outcome refused = talus_program("batch study.toml -o whole", scratch.path());
  CHECK(refused.code == 2);  // nothing random in it
  write_text(scratch / "study.toml", study);
  REQUIRE(talus_program("batch study.toml -o whole --workers 2", scratch.path()).code == 0);
  std::mt19937 random(2);
  for (int kill_number = 0; kill_number < 5; ++kill_number) {
    const pid_t child = fork();
    if (child == 0) {
      setpgid(0, 0);
      const std::string command = fmt::format(
          "cd '{}' && exec '{}' batch study.toml -o parts --workers 2 --checkpoint-every 0.01 2> "
          "/dev/null",
          scratch.path().string(), TALUS_PROGRAM);
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    setpgid(child, child);
    usleep(static_cast<useconds_t>(50'000 + random() % 300'000));
    kill(-child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
  }
  const Outcome rest = talus_program("batch study.toml -o parts --workers 2", scratch.path());
  REQUIRE_MESSAGE(rest.code == 0, rest.err);
  CHECK(read_text(scratch / "parts/summary.csv") == read_text(scratch / "whole/summary.csv"));
  for (int run = 1; run <= 12; ++run) {
    const auto bodies = [&](const std::string& folder) {
      return talus_program(
                 fmt::format("export {}/case-0002/run-{:02}/run.h5 --what bodies", folder, run),
                 scratch.path())
          .out;
    };
    CHECK(bodies("parts") == bodies("whole"));
  }
}

TEST_CASE("cases of a bisection can be tasks of an array job") {
  const StudyFolder scratch;
  const Outcome script = talus_program("batch study.toml -o found --slurm", scratch.path());
  CHECK(script.code == 0);
  CHECK(contains(read_text(scratch / "found/job.sh"), "--array=1-2"));
  const Outcome one = talus_program("batch study.toml -o found --case 2", scratch.path());
  CHECK(one.code == 0);
  CHECK(!std::filesystem::exists(scratch / "found/case-0001"));
  const Outcome partial = talus_program("batch study.toml -o found --summary", scratch.path());
  CHECK(partial.code == 1);
  CHECK(contains(partial.err, "1 of 2 cases complete"));
  const auto rows = table(read_text(scratch / "found/summary.csv"));
  CHECK(rows[1][2] == "waiting");
  CHECK(rows[2][2] == "complete");
}

TEST_CASE("ends with the same outcome have no threshold between them, said in words") {
  const StudyFolder scratch(replaced(study, "to = 600", "to = 120"));
  const Outcome batch = talus_program("batch study.toml -o none", scratch.path());
  CHECK(batch.code == 3);
  CHECK(contains(batch.err,
                 "case 2 (mu=0.6): no threshold: 'top.displacement > 0.01' does not come true at "
                 "both ends, force = 100 and 120"));
  CHECK(contains(batch.err, "warning: 2 of 2 cases have no threshold; case 1: "));
  const auto rows = table(read_text(scratch / "none/summary.csv"));
  CHECK(rows[1][2] == "same outcome");
  CHECK(rows[1][8] == "2");
}

TEST_CASE("a bisection that cannot be is refused in a line, and nothing runs") {
  const auto refused = [](const std::string& old, const std::string& with, const std::string& why) {
    CAPTURE(with);
    const StudyFolder scratch(replaced(study, old, with));
    const Outcome batch = talus_program("batch study.toml -o none", scratch.path());
    CHECK(batch.code == 2);
    CHECK_MESSAGE(contains(batch.err, why), batch.err);
    CHECK(!std::filesystem::exists(scratch / "none"));
  };
  refused("top.displacement > 0.01", "top.displacement",
          "study.toml:14:9: bisect: until = \"top.displacement\" is not a condition: write "
          "\"measure.column > number\", or \"… < number\"");
  refused("top.displacement > 0.01", "top.displacment > 0.01",
          "is no column of a measure (did you mean 'top.displacement'?)");
  refused("to = 600", "to = 100", "study.toml:13:6: bisect: 'from' and 'to' are the same");
  refused("tolerance = 0.5", "tolerance = 0", "bisect: tolerance = 0");
  refused("tolerance = 0.5", "tolerance = 1e-13",
          "tolerance = 1e-13 is finer than numbers of this size can be told apart");
  refused("force.0.force", "force.1.force", "force.1.force");
  refused("force.0.force", "material.stone.friction",
          "an axis varies 'material.stone.friction', which [[bisect]] sets");
  refused("name = \"force\"", "name = \"mu\"", "an axis is named 'mu', too");
  refused("[[bisect]]", "[[bisect]]\nkey = \"a\"\n[[bisect]]", "a study has one [[bisect]]");
}
