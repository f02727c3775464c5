// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

// A block that slides to rest: from 1 m/s it comes v²/(2 μ g) far and turns ½ m v² into heat.
const std::string sliding = stone_floor("{ step = 1e-3, end = 0.5, save_every = 10 }") + R"(
[[body]]
name = "block"
shape = { box = [0.2, 0.1] }
material = "stone"
position = [0, 0.05]
velocity = [1, 0]

[solver]
tolerance = 1e-10
)";

const std::string study = R"(
scene = "sliding.toml"

[[axis]]
name = "mu"
key = "material.stone.friction"
values = [0.3, 0.6]

[[axis]]
name = "speed"
key = "body.block.velocity.0"
from = 0.5
to = 1
count = 3
)";

struct StudyFolder : Scratch {
  StudyFolder() {
    write_text(*this / "sliding.toml", sliding);
    write_text(*this / "study.toml", study);
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

std::size_t column(const std::vector<std::string>& head, const std::string& name) {
  const auto found = std::find(head.begin(), head.end(), name);
  REQUIRE_MESSAGE(found != head.end(), name);
  return static_cast<std::size_t>(found - head.begin());
}

std::string all_bodies(const Scratch& scratch, const std::string& folder) {
  std::string text;
  for (int k = 1; k <= 6; ++k) {
    text += talus_program(fmt::format("export {}/case-{:04}/run.h5 --what bodies", folder, k),
                          scratch.path())
                .out;
  }
  return text;
}

}  // namespace

TEST_CASE("a study runs every combination and sums up each in a line") {
  const StudyFolder scratch;
  const Outcome batch = talus_program("batch study.toml -o cases", scratch.path());
  REQUIRE_MESSAGE(batch.code == 0, batch.err);
  CHECK(batch.err.find("6 of 6 cases complete; wrote cases/summary.csv") != std::string::npos);
  const auto rows = table(read_text(scratch / "cases/summary.csv"));
  REQUIRE(rows.size() == 7);
  const auto& head = rows[0];
  CHECK(rows[1][column(head, "mu")] == "0.3");
  const double g = 9.81, mass = 2500 * 0.2 * 0.1;
  for (std::size_t k = 1; k <= 6; ++k) {
    CAPTURE(k);
    CHECK(rows[k][0] == std::to_string(k));
    const double mu = std::stod(rows[k][column(head, "mu")]);
    const double speed = std::stod(rows[k][column(head, "speed")]);
    CHECK(mu == (k <= 3 ? 0.3 : 0.6));
    CHECK(speed == 0.5 + 0.25 * static_cast<double>((k - 1) % 3));
    CHECK(rows[k][column(head, "status")] == "complete");
    CHECK(rows[k][column(head, "steps")] == "500");
    const double left = std::max(0.0, speed - mu * g * 0.5);
    const double kinetic = std::stod(rows[k][column(head, "kinetic")]);
    CHECK(kinetic == doctest::Approx(0.5 * mass * left * left).epsilon(1e-6));
    const double work = std::stod(rows[k][column(head, "contact_work")]);
    CHECK(work == doctest::Approx(kinetic - 0.5 * mass * speed * speed).epsilon(1e-6));
  }

  // Again: nothing to do, and nothing done.
  const auto written = std::filesystem::last_write_time(scratch / "cases/case-0001/run.h5");
  const Outcome again = talus_program("batch study.toml -o cases", scratch.path());
  CHECK(again.code == 0);
  CHECK(again.err.find("6 of 6 cases are complete already") != std::string::npos);
  CHECK(std::filesystem::last_write_time(scratch / "cases/case-0001/run.h5") == written);
}

TEST_CASE("a study killed again and again ends as the one that was left alone") {
  const StudyFolder scratch;
  // On demand twenty kills of a study of minutes.
  const bool thorough = std::getenv("TALUS_THOROUGH") != nullptr;
  const std::string slow =
      study + "[[axis]]\nkey = \"time.step\"\nvalues = [" + (thorough ? "1e-5" : "5e-5") + "]\n";
  write_text(scratch / "study.toml", slow);
  REQUIRE(talus_program("batch study.toml -o whole --workers 2", scratch.path()).code == 0);
  std::mt19937 random(1);
  for (int kill_number = 0; kill_number < (thorough ? 20 : 4); ++kill_number) {
    const pid_t child = fork();
    if (child == 0) {
      setpgid(0, 0);
      const std::string command = fmt::format(
          "cd '{}' && exec '{}' batch study.toml -o parts --workers 2 --checkpoint-every 0.05 2> "
          "/dev/null",
          scratch.path().string(), TALUS_PROGRAM);
      execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      _exit(127);
    }
    setpgid(child, child);
    usleep(static_cast<useconds_t>(100'000 + random() % 400'000));
    kill(-child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
  }
  const Outcome rest = talus_program("batch study.toml -o parts --workers 2", scratch.path());
  REQUIRE_MESSAGE(rest.code == 0, rest.err);
  CHECK(all_bodies(scratch, "parts") == all_bodies(scratch, "whole"));
}

TEST_CASE("a study stops in time and goes on") {
  const StudyFolder scratch;
  const Outcome stopped =
      talus_program("batch study.toml -o cases --workers 1 --stop-after 0.001s", scratch.path());
  CHECK(stopped.code == 1);
  CHECK(stopped.err.find("stopped, to be resumed") != std::string::npos);
  CHECK(stopped.err.find("0 of 6 cases complete") != std::string::npos);
  CHECK(talus_program("batch study.toml -o cases", scratch.path()).code == 0);
  REQUIRE(talus_program("batch study.toml -o whole", scratch.path()).code == 0);
  CHECK(all_bodies(scratch, "cases") == all_bodies(scratch, "whole"));
}

TEST_CASE("a case that cannot begin is reported, and the others are run and summed up") {
  const StudyFolder scratch;
  std::filesystem::create_directory(scratch / "cases");
  write_text(scratch / "cases/study.toml", study);
  write_text(scratch / "cases/case-0003", "in the way");
  const Outcome batch =
      talus_program("batch study.toml -o cases --workers 3 --threads 1", scratch.path());
  CHECK(batch.code == 1);
  CHECK(batch.err.find("cannot begin: cases/case-0003: cannot make: ") != std::string::npos);
  CHECK(batch.err.find("5 of 6 cases complete; wrote cases/summary.csv\n") != std::string::npos);
  const auto rows = table(read_text(scratch / "cases/summary.csv"));
  REQUIRE(rows.size() == 7);
  CHECK(rows[3][column(rows[0], "status")] == "waiting");
  CHECK(rows[4][column(rows[0], "status")] == "complete");
  CHECK(read_text(scratch / "cases/case-0003") == "in the way");

  std::filesystem::remove(scratch / "cases/case-0003");
  CHECK(talus_program("batch study.toml -o cases", scratch.path()).code == 0);
}

TEST_CASE("a study whose scene was edited after some cases ran is refused, and nothing is mixed") {
  const StudyFolder scratch;
  REQUIRE(talus_program("batch study.toml -o cases --case 1", scratch.path()).code == 0);
  std::string edited = sliding;
  edited.replace(edited.find("box = [0.2, 0.1]"), 16, "box = [0.3, 0.1]");
  write_text(scratch / "sliding.toml", edited);
  for (const char* how : {"", " --summary"}) {
    const Outcome refused =
        talus_program(fmt::format("batch study.toml -o cases{}", how), scratch.path());
    CAPTURE(refused.err);
    CHECK(refused.code == 2);
    CHECK(refused.err.starts_with(
        "cases/case-0001/run.h5: was computed from another version of sliding.toml: "));
    CHECK(std::count(refused.err.begin(), refused.err.end(), '\n') == 1);
    CHECK_FALSE(std::filesystem::exists(scratch / "cases/case-0002"));
    CHECK_FALSE(std::filesystem::exists(scratch / "cases/summary.csv"));
  }
  write_text(scratch / "sliding.toml", sliding + "\n# a comment changes nothing\n");
  CHECK(talus_program("batch study.toml -o cases", scratch.path()).code == 0);
}

TEST_CASE("steps of a study that missed the tolerance are told of, and exit code 3") {
  const StudyFolder scratch;
  // One sweep and a tolerance that no solver reaches.
  write_text(scratch / "study.toml",
             "scene = \"sliding.toml\"\nset = [\"time.end=0.01\", \"solver.max_sweeps=1\"]\n"
             "[[axis]]\nkey = \"solver.tolerance\"\nvalues = [0.1, 1e-300]\n");
  const Outcome batch = talus_program("batch study.toml -o cases --workers 1", scratch.path());
  CAPTURE(batch.err);
  CHECK(batch.code == 3);
  CHECK(batch.err.find("case 1 (solver.tolerance=0.1) complete\n") != std::string::npos);
  CHECK(batch.err.find("case 2 (solver.tolerance=1e-300) complete, but ") != std::string::npos);
  CHECK(batch.err.ends_with(
      "warning: steps missed the tolerance in 1 of 2 cases, the first is case 2\n"));
  CHECK(read_text(scratch / "cases/case-0001/messages.txt").empty());
  CHECK(read_text(scratch / "cases/case-0002/messages.txt").starts_with("warning: "));
  const auto rows = table(read_text(scratch / "cases/summary.csv"));
  CHECK(rows[1][column(rows[0], "unconverged")] == "0");
  CHECK(rows[2][column(rows[0], "unconverged")] != "0");
  CHECK(talus_program("batch study.toml -o cases --case 2", scratch.path()).code == 3);
}

TEST_CASE("a study takes signals at any moment, and passes them on to its cases") {
  const StudyFolder scratch;
  write_text(scratch / "study.toml",
             "scene = \"sliding.toml\"\nset = [\"time.end=1000\"]\n"
             "[[axis]]\nkey = \"material.stone.friction\"\n"
             "values = [0.3, 0.6]\n");
  std::mt19937 random(3);
  for (const int signal : {SIGTERM, SIGHUP, SIGUSR2, SIGTERM, SIGTERM, SIGTERM}) {
    CAPTURE(signal);
    const pid_t child = fork();
    if (child == 0) {
      if (chdir(scratch.path().c_str()) != 0) _exit(9);
      dup2(open("messages.txt", O_WRONLY | O_CREAT | O_TRUNC, 0666), STDERR_FILENO);
      execl(TALUS_PROGRAM, "talus", "batch", "study.toml", "-o", "cases", "--workers", "2",
            nullptr);
      _exit(9);
    }
    // At a random moment after the study was read, this time or before; no sooner than the child is
    // the program and no copy of this one.
    const std::string process = "/proc/" + std::to_string(child) + "/comm";
    while (read_text(process) == read_text("/proc/self/comm")) usleep(500);
    const char* const sign =
        random() % 2 == 0 ? "cases/study.toml" : "cases/case-0001/figures.json";
    while (!std::filesystem::exists(scratch / sign)) usleep(500);
    usleep(static_cast<useconds_t>(random() % 40'000));
    kill(child, signal);
    int status = 0;
    waitpid(child, &status, 0);
    CHECK((WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)) == 128 + signal);
    // No case is left running.
    const Outcome next =
        talus_program("batch study.toml -o cases --stop-after 0.01s", scratch.path());
    CAPTURE(next.err);
    CHECK(next.err.find("0 of 2 cases complete") != std::string::npos);
    CHECK(next.err.find("failed") == std::string::npos);
  }
}

TEST_CASE("a job script does what it should whatever names contain") {
  const Scratch scratch;
  const std::filesystem::path folder = scratch / "a b;touch P1;$(touch P2)'\"\n#SBATCH --x\n";
  std::filesystem::create_directory(folder);
  write_text(folder / "sliding.toml", sliding);
  write_text(folder / "my study;touch P3.toml", study);
  REQUIRE(talus_program("batch 'my study;touch P3.toml' -o 'o u t' --slurm", scratch.path()).code ==
          2);  // the study is in the folder
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(folder.c_str()) != 0) _exit(9);
    dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
    execl(TALUS_PROGRAM, "talus", "batch", "my study;touch P3.toml", "-o", "o u t", "--slurm",
          nullptr);
    _exit(9);
  }
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(status == 0);
  const std::string script = read_text(folder / "o u t/job.sh");
  CAPTURE(script);
  CHECK(script.find("\n#SBATCH --x") == std::string::npos);
  std::filesystem::copy_file(folder / "o u t/job.sh", scratch / "job.sh");
  CHECK(std::system(fmt::format("cd '{}' && SLURM_ARRAY_TASK_ID=5 bash job.sh 2> /dev/null",
                                scratch.path().string())
                        .c_str()) == 0);
  CHECK(std::filesystem::exists(folder / "o u t/case-0005/run.h5"));
  for (const char* made : {"P1", "P2", "P3.toml"}) {
    CHECK_FALSE(std::filesystem::exists(scratch / made));
    CHECK_FALSE(std::filesystem::exists(folder / made));
  }
}

TEST_CASE("one case, a summary and a job script at a time") {
  const StudyFolder scratch;
  REQUIRE(talus_program("batch study.toml --slurm", scratch.path()).code == 0);
  const std::string script = read_text(scratch / "study/job.sh");
  CHECK(script.starts_with("#!/bin/bash\n"));
  CHECK(script.find("\n#SBATCH --array=1-6\n") != std::string::npos);
  // To the script, which has become the program: without B: Slurm tells job steps only.
  CHECK(script.find("\n#SBATCH --signal=B:TERM@120\n") != std::string::npos);
  CHECK(std::system(fmt::format("bash -n '{}'", (scratch / "study/job.sh").string()).c_str()) == 0);
  CHECK(std::system(fmt::format("SLURM_ARRAY_TASK_ID=5 bash '{}' 2> /dev/null",
                                (scratch / "study/job.sh").string())
                        .c_str()) == 0);
  CHECK_FALSE(std::filesystem::exists(scratch / "study/summary.csv"));
  CHECK(talus_program("batch study.toml --summary", scratch.path()).code == 1);
  const auto rows = table(read_text(scratch / "study/summary.csv"));
  REQUIRE(rows.size() == 7);
  CHECK(rows[5][column(rows[0], "status")] == "complete");
  CHECK(rows[4][column(rows[0], "status")] == "waiting");
}

TEST_CASE("the bundled study is accepted, and is what its header says") {
  const Scratch scratch;
  const Outcome written = talus_program(
      fmt::format("batch '{}/scenes/studies/friction.toml' --slurm", TALUS_SOURCE_DIR),
      scratch.path());
  CHECK_MESSAGE(written.code == 0, written.err);
  CHECK(written.err.ends_with("friction/job.sh for 6 cases\n"));
}

TEST_CASE("a study with a mistake is refused in one line, and nothing is run") {
  const StudyFolder scratch;
  const auto refused = [&](const std::string& text, const std::string& start) {
    write_text(scratch / "study.toml", text);
    const Outcome outcome = talus_program("batch study.toml -o cases", scratch.path());
    CAPTURE(outcome.err);
    CHECK(outcome.code == 2);
    CHECK(outcome.err.starts_with(start));
    CHECK_FALSE(std::filesystem::exists(scratch / "cases"));
  };
  const std::string head = "scene = \"sliding.toml\"\n[[axis]]\n";
  refused(head + "key = \"time.step\"\nvalues = []\n",
          "study.toml:4:10: axis: values = [] is empty");
  refused(head + "key = \"time.step\"\nvalues = [1e-3, -1]\n",
          "--set time.step=-1: time: step = -1 ");
  refused(head + "key = \"time.stepp\"\nvalues = [1e-3]\n",
          "--set time.stepp=0.001: time: unknown key 'stepp' (did you mean 'step'?)");
  refused(
      head + "key = \"material.ston.friction\"\nvalues = [1, 2]\n",
      "--set material.ston.friction=1: the scene has no material 'ston' (did you mean 'stone'?)");
  refused(head + "key = \"time.step\"\nvalues = [1e-3]\n[[axis]]\nname = \"again\"\n" +
              "key = \"time.step\"\nvalues = [2e-3]\n",
          "study.toml:5:1: another axis varies 'time.step', too");
  refused(head + "key = \"time.step\"\nvalue = [1e-3]\n", "study.toml:4:1: axis: unknown key");
  refused("scene = \"nowhere.toml\"\n[[axis]]\nkey = \"time.step\"\nvalues = [1e-3]\n",
          "nowhere.toml: ");

  write_text(scratch / "study.toml", study);
  CHECK(talus_program("batch study.toml --case 7", scratch.path()).err ==
        "--case 7: the study has cases 1 to 6\n");
  CHECK(talus_program("batch study.toml --stop-after 3x", scratch.path()).code == 2);
  std::filesystem::create_directory(scratch / "taken");
  write_text(scratch / "taken/thesis.tex", "precious");
  CHECK(talus_program("batch study.toml -o taken", scratch.path()).err ==
        "taken: holds something else already (use -o for another folder)\n");
}
