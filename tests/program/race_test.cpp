// SPDX-License-Identifier: Apache-2.0
// Several programs that want one output at the same moment.
#include <doctest/doctest.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <vector>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

const std::string scene = stone_floor("{ step = 1e-3, end = 0.2, save_every = 2 }") + R"(
[[body]]
name = "ball"
shape = { ball = 0.01 }
material = "stone"
position = [0, 0.05]
)";

struct Ended {
  int code = -1;
  std::string said;
};

// Starts all of them, which then wait for the end of a pipe, so that they begin together.
std::vector<Ended> at_once(const std::vector<std::string>& commands,
                           const std::filesystem::path& folder) {
  int start[2];
  REQUIRE(pipe(start) == 0);
  std::vector<pid_t> children;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      close(start[1]);
      char none;
      while (read(start[0], &none, 1) > 0) {
      }
      const std::string text =
          fmt::format("exec '{}' {} > .log{} 2>&1 < /dev/null", TALUS_PROGRAM, commands[i], i);
      if (chdir(folder.c_str()) == 0) execl("/bin/sh", "sh", "-c", text.c_str(), nullptr);
      _exit(9);
    }
    children.push_back(child);
  }
  close(start[0]);
  close(start[1]);
  std::vector<Ended> ended;
  for (std::size_t i = 0; i < children.size(); ++i) {
    int status = 0;
    waitpid(children[i], &status, 0);
    ended.push_back({WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
                     read_text(folder / fmt::format(".log{}", i))});
  }
  return ended;
}

bool is_refusal(const Ended& one) {
  return one.code == 2 && std::count(one.said.begin(), one.said.end(), '\n') == 1 &&
         (one.said.ends_with("run.h5: another program is writing it\n") ||
          one.said.find("run.h5: exists already") != std::string::npos);
}

std::string bodies(const std::string& run, const std::filesystem::path& folder) {
  const Outcome outcome = talus_program("export --what bodies " + run, folder);
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  return outcome.out;
}

std::size_t files(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::count_if(
      std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator(),
      [](const auto& entry) { return entry.path().filename().string().starts_with("run."); }));
}

}  // namespace

TEST_CASE("of programs that begin, overwrite or resume one run at the same moment one runs") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", scene);
  const auto command = [](int speed, const std::string& output, const std::string& how) {
    return fmt::format("run scene.toml --quiet --threads 1 -o {} {} --set 'body.1.velocity=[{},0]'",
                       output, how, speed);
  };
  std::vector<std::string> expected;
  for (int speed = 0; speed < 3; ++speed) {
    const std::string name = fmt::format("alone{}.h5", speed);
    REQUIRE(talus_program(command(speed, name, ""), scratch.path()).code == 0);
    expected.push_back(bodies(name, scratch.path()));
  }
  const std::size_t usual = [&] {
    REQUIRE(talus_program(command(0, "run.h5", ""), scratch.path()).code == 0);
    return files(scratch.path());
  }();
  for (int round = 0; round < 12; ++round) {
    const std::string how =
        std::array{"", "--force", "--resume"}[static_cast<std::size_t>(round) % 3];
    CAPTURE(round);
    CAPTURE(how);
    if (how != "--force")
      for (const auto& entry : std::filesystem::directory_iterator(scratch.path()))
        if (entry.path().filename().string().starts_with("run.")) std::filesystem::remove(entry);
    std::vector<std::string> commands;
    for (int speed = 0; speed < 3; ++speed) commands.push_back(command(speed, "run.h5", how));
    const std::vector<Ended> ended = at_once(commands, scratch.path());
    // With --force, or when the first has ended before the second begins, several may run, one
    // after the other: whoever was last has its file there.
    const std::string found = bodies("run.h5", scratch.path());
    bool accounted = false;
    for (std::size_t i = 0; i < ended.size(); ++i) {
      CAPTURE(ended[i].said);
      const bool other = how == "--resume" && ended[i].code == 2 &&
                         ended[i].said.find("holds a run of another scene") != std::string::npos;
      CHECK((ended[i].code == 0 || is_refusal(ended[i]) || other));
      accounted |= ended[i].code == 0 && found == expected[i];
    }
    CHECK(accounted);
    if (how != "--force")
      CHECK(std::count_if(ended.begin(), ended.end(),
                          [](const Ended& one) { return one.code == 0; }) == 1);
    CHECK(talus_program("check run.h5", scratch.path()).code == 0);
    CHECK(files(scratch.path()) == usual);
  }
}

TEST_CASE("views are not rebuilt while a run makes them") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", scene);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (chdir(scratch.path().c_str()) != 0) _exit(9);
    execl(TALUS_PROGRAM, "talus", "run", "scene.toml", "-o", "run.h5", "--quiet", "--set",
          "time.end=1000", nullptr);
    _exit(9);
  }
  while (!std::filesystem::exists(scratch / "run.xmf2")) usleep(500);
  const Outcome views = talus_program("views run.h5", scratch.path());
  CHECK(views.code == 2);
  CHECK(views.err == "run.h5: another program is writing it\n");
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(talus_program("views run.h5", scratch.path()).code == 0);
}
