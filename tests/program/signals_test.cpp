// SPDX-License-Identifier: Apache-2.0
// Signals, and messages that nobody takes: a run ends in good order or goes on.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

// Falls for a thousand seconds: it is always stopped before its end.
const std::string falling = stone_floor("{ step = 1e-4, end = 1000, save_every = 100 }") + R"(
[[body]]
name = "ball"
shape = { ball = 0.1 }
material = "stone"
position = [0, 1e6]
)";

struct FallingFolder : Scratch {
  FallingFolder() { write_text(*this / "falling.toml", falling); }
};

// `talus run falling.toml -o run.h5`, when its file is there. `prepare` runs in the new process.
template <class F>
pid_t start_run(const Scratch& scratch, F prepare) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (chdir(scratch.path().c_str()) != 0) _exit(9);
    prepare();
    execl(TALUS_PROGRAM, "talus", "run", "falling.toml", "-o", "run.h5", "--threads", "1", nullptr);
    _exit(9);
  }
  while (!std::filesystem::exists(scratch / "run.h5") && waitpid(child, nullptr, WNOHANG) == 0)
    usleep(1000);
  return child;
}

void write_errors_to(const char* path) {
  const int file = open(path, O_WRONLY | O_CREAT, 0666);
  dup2(file, STDERR_FILENO);
}

int exit_code(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

void check_can_go_on(const Scratch& scratch) {
  CHECK(std::filesystem::exists(scratch / "run.ckpt.A.h5"));
  const Outcome rest = talus_program(
      "run falling.toml -o run.h5 --resume --stop-after 0.01s --threads 1", scratch.path());
  CHECK_MESSAGE(rest.code == 0, rest.err);
}

}  // namespace

TEST_CASE("signals that announce the end of a job leave a checkpoint") {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR2}) {
    CAPTURE(signal);
    const FallingFolder scratch;
    const pid_t run = start_run(scratch, [] { write_errors_to("messages.txt"); });
    kill(run, signal);
    CHECK(exit_code(run) == 128 + signal);
    CHECK(read_text(scratch / "messages.txt")
              .ends_with(fmt::format("stopped by signal {}; go on with --resume\n", signal)));
    check_can_go_on(scratch);
  }
}

TEST_CASE("a lost reader, a file too large and nohup do not stop a run by a signal") {
  const FallingFolder scratch;
  const pid_t run = start_run(scratch, [] {
    write_errors_to("messages.txt");
    signal(SIGHUP, SIG_IGN);
  });
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGHUP, SIGUSR1}) kill(run, signal);
  usleep(100'000);
  kill(run, SIGTERM);
  CHECK(exit_code(run) == 128 + SIGTERM);
  check_can_go_on(scratch);
}

TEST_CASE("a run whose terminal is gone goes on, and can be stopped in good order") {
  const FallingFolder scratch;
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  REQUIRE(terminal >= 0);
  REQUIRE(grantpt(terminal) == 0);
  REQUIRE(unlockpt(terminal) == 0);
  const std::string name = ptsname(terminal);
  const pid_t run = start_run(scratch, [&] {
    dup2(open(name.c_str(), O_RDWR | O_NOCTTY), STDERR_FILENO);
    close(terminal);
  });
  usleep(250'000);  // the bar is drawn ten times a second
  close(terminal);
  usleep(250'000);
  kill(run, SIGTERM);
  CHECK(exit_code(run) == 128 + SIGTERM);
  check_can_go_on(scratch);
}

TEST_CASE("messages that nobody takes do not change the outcome of a run") {
  const FallingFolder scratch;
  const std::string run = "run falling.toml --until 0.01 --threads 1 -o ";
  for (const char* where : {"2> /dev/full", "2>&-", "<&- >&- 2>&-"}) {
    CAPTURE(where);
    CHECK(
        talus_program(fmt::format("{} x.h5 --force {} && true", run, where), scratch.path()).code ==
        0);
    CHECK(talus_program("check x.h5", scratch.path()).code == 0);
  }
  CHECK(talus_program("scenes >&- 2> said.txt && true", scratch.path()).code == 1);
}
