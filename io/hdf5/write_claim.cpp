// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/write_claim.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "io/hdf5/journal_file.hpp"
#include "io/text/input_error.hpp"

namespace talus {

namespace {

using FileId = std::pair<dev_t, ino_t>;

std::set<FileId>& held_journals() {
  static std::set<FileId> held;
  return held;
}

std::filesystem::path journal_of(std::filesystem::path run) { return run += ".journal"; }

FileId id_of(const struct stat& status) { return {status.st_dev, status.st_ino}; }

FileId id_of(int descriptor) {
  struct stat status {};
  fstat(descriptor, &status);
  return id_of(status);
}

std::optional<FileId> id_at(const std::filesystem::path& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return std::nullopt;
  return id_of(status);
}

bool is_regular(int descriptor) {
  struct stat status {};
  return fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

struct flock whole_file() {
  struct flock whole {};
  whole.l_type = F_WRLCK;
  whole.l_whence = SEEK_SET;
  return whole;
}

// Returns false if another process holds the lock. A file system without locks counts as success.
bool lock(int descriptor) {
  struct flock whole = whole_file();
  return fcntl(descriptor, F_SETLK, &whole) == 0 || (errno != EACCES && errno != EAGAIN);
}

struct Opened {
  int descriptor = -1;
  int error = 0;  // EBUSY: another holds it
};

Opened open_and_lock(const std::filesystem::path& journal, int flags) {
  for (;;) {
    if (const auto id = id_at(journal); id && held_journals().contains(*id)) return {-1, EBUSY};
    const int descriptor =
        open(journal.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | flags, 0666);
    if (descriptor < 0) return {-1, errno};
    const bool locked = lock(descriptor);
    // The last holder may have removed the file in the meantime.
    if (locked && id_at(journal) == id_of(descriptor)) return {descriptor, 0};
    close(descriptor);
    if (!locked) return {-1, EBUSY};
  }
}

// An open journal that is locked for this process.
class HeldJournal {
 public:
  explicit HeldJournal(int descriptor) : descriptor_(descriptor) {
    held_journals().insert(id_of(descriptor_));
  }
  HeldJournal(const HeldJournal&) = delete;
  HeldJournal& operator=(const HeldJournal&) = delete;
  ~HeldJournal() {
    if (descriptor_ < 0) return;
    held_journals().erase(id_of(descriptor_));
    close(descriptor_);
  }
  int descriptor() const { return descriptor_; }
  int handed_over() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

// Errors of the system are ignored here: whoever reads the file gets them again.
bool apply(int journal, const std::filesystem::path& run) {
  const int trajectory = open(run.c_str(), O_RDWR | O_CLOEXEC);
  if (trajectory < 0) return false;
  bool applied = false;
  try {
    applied = apply_journal(journal, trajectory);
  } catch (const std::system_error&) {
  }
  close(trajectory);
  return applied;
}

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& reason) {
  throw InputError(fmt::format("{}: {}", file.string(), reason));
}

[[noreturn]] void fail_to_create(const std::filesystem::path& run, int error) {
  std::error_code ignored;
  const auto folder = run.has_parent_path() ? run.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::exists(folder, ignored))
    fail(run, fmt::format("folder {} does not exist", folder.string()));
  if (!std::filesystem::is_directory(folder, ignored))
    fail(run, fmt::format("{} is not a folder", folder.string()));
  fail(run, fmt::format("cannot write: {}", std::strerror(error)));
}

}  // namespace

WriteClaim::WriteClaim(const std::filesystem::path& run) : run_(run) {
  const std::filesystem::path journal = journal_of(run);
  Opened opened = open_and_lock(journal, O_CREAT);
  // A reader that finishes a flush holds the lock for a moment.
  for (int i = 0; i < 20 && opened.error == EBUSY; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    opened = open_and_lock(journal, O_CREAT);
  }
  if (opened.error == EBUSY) fail(run, "another program is writing it");
  if (opened.error == ELOOP) fail(journal, "is a symbolic link");
  if (opened.descriptor < 0) fail_to_create(run, opened.error);
  HeldJournal held(opened.descriptor);
  if (!is_regular(held.descriptor()) ||
      journal_content(held.descriptor()) == JournalContent::foreign)
    fail(journal, "is not the journal of a run");
  apply(held.descriptor(), run);
  descriptor_ = held.handed_over();
}

WriteClaim::WriteClaim(WriteClaim&& other) noexcept
    : run_(std::move(other.run_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

WriteClaim& WriteClaim::operator=(WriteClaim&& other) noexcept {
  std::swap(run_, other.run_);
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

WriteClaim::~WriteClaim() {
  if (descriptor_ < 0) return;
  const HeldJournal held(descriptor_);
  const std::filesystem::path journal = journal_of(run_);
  try {
    if (journal_content(descriptor_) == JournalContent::nothing &&
        id_at(journal) == id_of(descriptor_))
      unlink(journal.c_str());
  } catch (const std::system_error&) {  // a leftover journal does no harm
  }
}

void finish_flush(const std::filesystem::path& run) {
  const std::filesystem::path journal = journal_of(run);
  const Opened opened = open_and_lock(journal, 0);
  if (opened.descriptor < 0) return;
  const HeldJournal held(opened.descriptor);
  if (is_regular(held.descriptor()) && apply(held.descriptor(), run)) unlink(journal.c_str());
}

}  // namespace talus
