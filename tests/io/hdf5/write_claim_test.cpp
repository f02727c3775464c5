// SPDX-License-Identifier: Apache-2.0
// The right to write a run, and journals of writers that were killed.
#include "io/hdf5/write_claim.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <system_error>

#include "io/hdf5/journal_file.hpp"
#include "io/text/input_error.hpp"
#include "io/text/text_file.hpp"
#include "tests/scratch.hpp"

using namespace talus;

namespace {

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Runs f in a child process and returns its exit code.
int in_child(const std::function<int()>& f) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(f());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool can_claim(const std::filesystem::path& run) {
  try {
    const WriteClaim claim(run);
    return true;
  } catch (const InputError&) {
    return false;
  }
}

constexpr std::size_t page = journal_page_size;

// A file of three pages, and the journal of a writer that was killed when it had changed the second
// page and not yet the third.
void leave_half_flushed(const std::filesystem::path& run) {
  write_file(run, std::string(page, 'a') + std::string(page, 'b') + std::string(100, 'c'));
  std::filesystem::path journal = run;
  journal += ".journal";
  write_file(journal, "");
  const int code = in_child([&] {
    const int to = open(journal.c_str(), O_RDWR), file = open(run.c_str(), O_RDONLY);
    JournalPages pages;
    pages[1].fill('B');
    pages[2].fill('C');
    try {
      write_through_journal(to, file, pages);
    } catch (const std::system_error&) {  // the file cannot be written: the journal keeps the pages
      write_at(open(run.c_str(), O_WRONLY), page, pages[1]);
      return 0;
    }
    return 1;
  });
  REQUIRE(code == 0);
}

}  // namespace

TEST_CASE("one claim at a time, in one program and in several, and no journal is left") {
  const Scratch folder;
  const auto run = folder / "run.h5";
  {
    const WriteClaim claim(run);
    CHECK(std::filesystem::exists(folder / "run.h5.journal"));
    CHECK_THROWS_WITH_AS(WriteClaim{run},
                         (run.string() + ": another program is writing it").c_str(), InputError);
    CHECK(in_child([&] { return can_claim(run) ? 1 : 0; }) == 0);
    finish_flush(run);  // must not lose the lock by looking at the journal
    CHECK(in_child([&] { return can_claim(run) ? 1 : 0; }) == 0);
  }
  CHECK_FALSE(std::filesystem::exists(folder / "run.h5.journal"));
  CHECK(can_claim(run));
}

TEST_CASE("a child of a killed writer does not keep its claim") {
  const Scratch folder;
  const auto run = folder / "run.h5";
  int alive[2];
  REQUIRE(pipe(alive) == 0);
  const pid_t writer = fork();
  REQUIRE(writer >= 0);
  if (writer == 0) {
    const WriteClaim claim(run);
    const pid_t child = fork();
    if (child == 0) {
      close(alive[0]);
      pause();
    }
    if (write(alive[1], &child, sizeof child) < 0) _exit(1);
    pause();
  }
  pid_t child = 0;
  REQUIRE(read(alive[0], &child, sizeof child) == sizeof child);
  CHECK_FALSE(can_claim(run));
  kill(writer, SIGKILL);
  waitpid(writer, nullptr, 0);
  CHECK(can_claim(run));
  kill(child, SIGKILL);
}

TEST_CASE("what is not a journal is left as it is, and so is what a link leads to") {
  const Scratch folder;
  const auto run = folder / "run.h5", journal = folder / "run.h5.journal";
  const std::string notes = "notes of a long night\n";
  write_file(run, std::string(3 * page, 'a'));
  write_file(journal, notes);
  CHECK_THROWS_WITH_AS(WriteClaim{run},
                       (journal.string() + ": is not the journal of a run").c_str(), InputError);
  finish_flush(run);
  CHECK(read_text_file(journal) == notes);
  std::filesystem::rename(journal, folder / "notes");
  std::filesystem::create_symlink("notes", journal);
  CHECK_THROWS_WITH_AS(WriteClaim{run}, (journal.string() + ": is a symbolic link").c_str(),
                       InputError);
  finish_flush(run);
  CHECK(read_text_file(folder / "notes") == notes);
  std::filesystem::remove(journal);
  write_file(journal, "");
  finish_flush(run);
  CHECK(std::filesystem::exists(journal));
}

TEST_CASE("the flush of a killed writer is finished, of a copy, too, and of no other file") {
  const Scratch folder;
  const auto run = folder / "run.h5", journal = folder / "run.h5.journal";
  const std::string after =
      std::string(page, 'a') + std::string(page, 'B') + std::string(page, 'C');
  const auto others = {std::string(page, 'a') + std::string(page, 'x') + std::string(page, 'c'),
                       std::string(2 * page, 'a'), std::string()};
  leave_half_flushed(run);
  const std::string pages = read_text_file(journal);
  std::filesystem::copy(run, folder / "copy.h5");
  std::filesystem::copy(journal, folder / "copy.h5.journal");
  finish_flush(folder / "copy.h5");
  CHECK(read_text_file(folder / "copy.h5") == after);
  CHECK_FALSE(std::filesystem::exists(folder / "copy.h5.journal"));
  for (const std::string& other : others) {
    write_file(folder / "other.h5", other);
    write_file(folder / "other.h5.journal", pages);
    finish_flush(folder / "other.h5");
    CHECK(read_text_file(folder / "other.h5") == other);
    CHECK(read_text_file(folder / "other.h5.journal") == pages);
  }
  {
    const WriteClaim claim(run);
    CHECK(read_text_file(run) == after);
  }
  CHECK_FALSE(std::filesystem::exists(journal));
}
