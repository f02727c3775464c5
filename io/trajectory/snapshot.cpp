// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/snapshot.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "io/hdf5/journal_file.hpp"
#include "io/hdf5/read_lock.hpp"
#include "io/hdf5/write_claim.hpp"
#include "io/text/input_error.hpp"
#include "io/text/system_failure.hpp"
#include "io/trajectory/checkpoint.hpp"
#include "io/trajectory/integrity.hpp"
#include "io/trajectory/trajectory_reader.hpp"
#include "io/trajectory/views.hpp"

namespace talus {

namespace {

class OpenFile {
 public:
  OpenFile(const std::filesystem::path& path, int how)
      : descriptor_(open(path.c_str(), how | O_CLOEXEC)) {
    if (descriptor_ < 0) fail_by_system();
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() { close(descriptor_); }
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
};

// Updates a copy of a file. Blocks that are equal are not written again.
void bring_up_to_date(int file, int copy) {
  constexpr std::uint64_t block = 1u << 20;
  struct stat status {};
  if (fstat(file, &status) != 0) fail_by_system();
  const auto size = static_cast<std::uint64_t>(status.st_size);
  std::vector<char> wanted, present;
  for (std::uint64_t at = 0; at < size; at += block) {
    wanted.resize(std::min(block, size - at));
    present.resize(wanted.size());
    read_at(file, at, wanted);
    read_at(copy, at, present);
    if (wanted != present) write_at(copy, at, wanted);
  }
  if (ftruncate(copy, status.st_size) != 0) fail_by_system();
}

// Most of the copying is done before the file is locked, so that a run does not wait long.
void copy_locked(const std::filesystem::path& run, const std::filesystem::path& copy) {
  const OpenFile from(run, O_RDONLY), to(copy, O_RDWR);
  bring_up_to_date(from.descriptor(), to.descriptor());
  const ReadLock lock(run);
  bring_up_to_date(from.descriptor(), to.descriptor());
}

// For a very large file the lock may expire before the copy is complete: then it is repeated.
void copy_whole(const std::filesystem::path& run, const std::filesystem::path& copy,
                Existing existing) {
  NewFile whole(copy);
  constexpr int most_attempts = 3;
  Integrity found;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    try {
      copy_locked(run, whole.unfinished());
    } catch (const std::system_error& error) {
      throw std::runtime_error(
          fmt::format("{}: cannot write: {}", copy.string(), error.code().message()));
    }
    found = check_integrity(whole.unfinished());
    if (found.sound()) break;
  }
  if (!found.sound())
    throw InputError(fmt::format("{}: is damaged: {}", run.string(), found.damaged.front()));
  whole.synchronise();
  whole.put_in_place(existing);
  remove_checkpoints(copy);  // of an older run of that name
}

}  // namespace

void write_snapshot(const std::filesystem::path& run, const std::filesystem::path& copy,
                    Existing existing) {
  TrajectoryReader{run};  // throws if it is no trajectory
  std::error_code none;
  if (std::filesystem::equivalent(run, copy, none))
    throw InputError(fmt::format("{}: is the run itself", copy.string()));
  refuse_existing(copy, existing);
  {
    const WriteClaim claim(copy);
    copy_whole(run, copy, existing);
  }
  rebuild_views(copy);
}

}  // namespace talus
