// SPDX-License-Identifier: Apache-2.0
// Atomic creation of files: a file gets its name only when it is complete.
//
// The file is first written under a temporary name in the same folder. It is created exclusively,
// so that no other program writes it and no symbolic link leads elsewhere. put_in_place then
// renames it atomically. If two programs do so at the same moment with Existing::keep, one succeeds
// and the other gets an error.
#pragma once

#include <filesystem>
#include <string_view>

namespace talus {

enum class Existing { keep, replace };

inline Existing existing_files(bool force) { return force ? Existing::replace : Existing::keep; }

class NewFile {
 public:
  // Creates the empty file. Throws InputError "place: cannot write: reason".
  explicit NewFile(std::filesystem::path place);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();  // removes the file unless it was put in place

  const std::filesystem::path& unfinished() const { return unfinished_; }

  void write(std::string_view text);

  // Waits until the contents are on the disk (fsync), so that after a power failure either the old
  // or the new file is intact.
  void synchronise() const;

  // Throws InputError if the name is in use and may not be replaced.
  void put_in_place(Existing existing);

 private:
  std::filesystem::path place_, unfinished_;
  bool placed_ = false;
};

// Throws InputError if `path` exists and may not be replaced, or is no regular file. Call it before
// long work; put_in_place tests again.
void refuse_existing(const std::filesystem::path& path, Existing existing);

void write_text_file(const std::filesystem::path& path, std::string_view text, Existing existing);

// Waits until the folder of this file is on the disk (fsync).
void synchronise_folder_of(const std::filesystem::path& file);

// Removes temporary files that killed programs left for this place. Call it only if no other
// program can be writing the file.
void remove_unfinished(const std::filesystem::path& place);

}  // namespace talus
