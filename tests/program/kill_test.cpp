// SPDX-License-Identifier: Apache-2.0
// kill -9 and a lost file system at chosen moments: the program is traced, and killed as it is
// about to change anything on the disk for the n-th time, or from then on told that the disk is
// gone. Every moment between two changes is one of these.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <limits>
#include <utility>

#include "tests/program/program.hpp"

using namespace talus;

namespace {

// Balls fall on a floor and are measured there.
const std::string scene = stone_floor("{ step = 2e-3, end = 0.12, save_every = 2 }") + R"(
[[grid]]
shape = { ball = 0.01 }
counts = [4, 2]
spacing = [0.0205, 0.03]
jitter = 0.0002
position = [0, 0.05]
material = "stone"

[[measure]]
name = "pile"
region = { box = [0.2, 0.05] }
position = [0.05, 0]
every = 3
)";

constexpr const char* options = "--quiet --threads 1 --checkpoint-interval 0.03";

bool changes_files(std::uint64_t call) {
  switch (call) {
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_write:
    case SYS_ftruncate:
    case SYS_rename:
    case SYS_renameat:
    case SYS_renameat2:
    case SYS_unlink:
    case SYS_unlinkat:
    case SYS_fallocate:
      return true;
    default:
      return false;
  }
}

bool creates_file(const __ptrace_syscall_info& info) {
  return info.entry.nr == SYS_openat && (info.entry.args[2] & O_CREAT) != 0;
}

bool asks_for_files(std::uint64_t call) {
  return changes_files(call) || call == SYS_pread64 || call == SYS_fsync || call == SYS_openat;
}

// Not what the program says, nor a pipe, through which sanitizers ask what memory can be read.
bool is_file(pid_t process, std::uint64_t descriptor) {
  std::error_code ignored;
  const std::string name =
      std::filesystem::read_symlink(fmt::format("/proc/{}/fd/{}", process, descriptor), ignored);
  return descriptor > STDERR_FILENO && name.starts_with('/');
}

// In the registers of x86-64: no call is made, and what the program gets for an answer.
void leave_out_call(pid_t child) {
  ptrace(PTRACE_POKEUSER, child, offsetof(user_regs_struct, orig_rax), -1);
}
void answer(pid_t child, long value) {
  ptrace(PTRACE_POKEUSER, child, offsetof(user_regs_struct, rax), value);
}

enum class Fate { killed, files_lost };

struct Stopped {
  long changes = 0;  // it got to make: fewer than n when it came to its end
  int status = 0;    // as of waitpid
};

// `talus run scene.toml -o NAME --resume`, meeting its fate at its n-th change.
Stopped run_until_change(long n, Fate fate, const std::string& name,
                         const std::filesystem::path& folder) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);  // leaks cannot be looked for in a traced program
    if (chdir(folder.c_str()) != 0 || ptrace(PTRACE_TRACEME, 0, 0, 0) != 0) _exit(9);
    const std::string command = fmt::format(
        "exec '{}' run scene.toml -o {} --resume {} > .log 2>&1", TALUS_PROGRAM, name, options);
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(9);
  }
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE_MESSAGE(WIFSTOPPED(status), "the program can be traced");
  ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  long changes = 0;
  bool lost = false, refused = false;
  for (int signal = 0;;) {
    ptrace(PTRACE_SYSCALL, child, 0, signal);
    waitpid(child, &status, 0);
    if (!WIFSTOPPED(status)) return {changes, status};
    const bool at_call = WSTOPSIG(status) == (SIGTRAP | 0x80);
    signal = at_call || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
    if (!at_call) continue;
    __ptrace_syscall_info info{};
    REQUIRE(ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) > 0);
    if (std::exchange(refused, false)) answer(child, -ENOTCONN);
    if (info.op != PTRACE_SYSCALL_INFO_ENTRY) continue;
    const bool speaks = info.entry.nr == SYS_write && !is_file(child, info.entry.args[0]);
    const bool changes_anything =
        changes_files(info.entry.nr) || (fate == Fate::killed && creates_file(info));
    if (changes_anything && !speaks && !lost) {
      lost = changes + 1 == n;
      if (lost && fate == Fate::killed) break;
      ++changes;
    }
    if (lost && !speaks && asks_for_files(info.entry.nr)) {
      leave_out_call(child);
      refused = true;
    }
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return {changes, status};
}

constexpr long never = std::numeric_limits<long>::max();

void remove_run(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().filename().string().starts_with("run.")) std::filesystem::remove(entry);
}

std::string exported(const std::string& run, const std::string& table,
                     const std::filesystem::path& folder) {
  const Outcome outcome = talus_program(fmt::format("export {} --what {}", run, table), folder);
  REQUIRE_MESSAGE(outcome.code == 0, outcome.err);
  return outcome.out;
}

}  // namespace

TEST_CASE("wherever a run is killed, its file can be read and it goes on to the same end") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", scene);
  const long all = run_until_change(never, Fate::killed, "whole.h5", scratch.path()).changes;
  CHECK_MESSAGE(all > 1000, read_text(scratch / ".log"));
  const std::string bodies = exported("whole.h5", "bodies", scratch.path());
  const std::string pile = exported("whole.h5", "measures/pile", scratch.path());

  // The birth of the file change by change, then moments all over the run; every one on demand.
  const bool thorough = std::getenv("TALUS_THOROUGH") != nullptr;
  const long every = thorough ? 1 : 151, first = thorough ? all : 40;
  int resumed = 0;
  for (long n = 1; n <= all; n += n < first ? 1 : every) {
    CAPTURE(n);
    remove_run(scratch.path());
    run_until_change(n, Fate::killed, "run.h5", scratch.path());
    if (std::filesystem::exists(scratch / "run.h5")) {
      const Outcome check = talus_program("check run.h5", scratch.path());
      REQUIRE_MESSAGE(check.code != 2, check.err);
    }
    // A second kill, while the run is being taken up again.
    run_until_change(1 + 7 * n % 60, Fate::killed, "run.h5", scratch.path());
    const Outcome rest =
        talus_program(fmt::format("run scene.toml -o run.h5 --resume {}", options), scratch.path());
    REQUIRE_MESSAGE(rest.code == 0, rest.err);
    REQUIRE(exported("run.h5", "bodies", scratch.path()) == bodies);
    REQUIRE(exported("run.h5", "measures/pile", scratch.path()) == pile);
    REQUIRE_FALSE(std::filesystem::exists(scratch / "run.h5.journal"));
    ++resumed;
  }
  MESSAGE(resumed << " kills among " << all << " changes");
}

#ifdef __x86_64__
TEST_CASE("a lost file system ends a run with one line, and nothing that was written is lost") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", scene);
  const long all = run_until_change(never, Fate::files_lost, "whole.h5", scratch.path()).changes;
  const std::string bodies = exported("whole.h5", "bodies", scratch.path());
  for (long n = 1; n <= all; n += n < 12 ? 1 : 97) {
    CAPTURE(n);
    remove_run(scratch.path());
    const Stopped stopped = run_until_change(n, Fate::files_lost, "run.h5", scratch.path());
    const std::string said = read_text(scratch / ".log");
    CAPTURE(said);
    REQUIRE(WIFEXITED(stopped.status));
    CHECK(WEXITSTATUS(stopped.status) == 1);
    CHECK(std::count(said.begin(), said.end(), '\n') == 1);
    CHECK(said.find("Transport endpoint is not connected") != std::string::npos);
    if (std::filesystem::exists(scratch / "run.h5")) {
      const Outcome check = talus_program("check run.h5", scratch.path());
      REQUIRE_MESSAGE(check.code != 2, check.err);
    }
    const Outcome rest =
        talus_program(fmt::format("run scene.toml -o run.h5 --resume {}", options), scratch.path());
    REQUIRE_MESSAGE(rest.code == 0, rest.err);
    REQUIRE(exported("run.h5", "bodies", scratch.path()) == bodies);
  }
}
#endif

TEST_CASE("two programs do not write one file") {
  const Scratch scratch;
  write_text(scratch / "scene.toml", scene);
  REQUIRE(
      talus_program(fmt::format("run scene.toml -o run.h5 {} --until 0.1", options), scratch.path())
          .code == 0);
  const std::string before = read_text(scratch / "run.h5");
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(scratch.path().c_str()) != 0) _exit(9);
    execl(TALUS_PROGRAM, "talus", "run", "scene.toml", "-o", "run.h5", "--force", "--quiet",
          "--set", "time.end=1000", nullptr);
    _exit(9);
  }
  while (!std::filesystem::exists(scratch / "run.h5.journal")) usleep(500);
  usleep(50'000);
  for (const char* how : {"--force", "--resume --set time.end=1000"}) {
    const Outcome second =
        talus_program(fmt::format("run scene.toml -o run.h5 {}", how), scratch.path());
    CHECK(second.code == 2);
    CHECK_MESSAGE(second.err.ends_with("another program is writing it\n"), second.err);
  }
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFSIGNALED(status));
  CHECK(talus_program("run scene.toml -o run.h5 --force --until 0.1", scratch.path()).code == 0);
}
