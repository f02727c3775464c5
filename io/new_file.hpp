// A file that takes its place when it is whole.
//
// It is written under a private name in the folder of its place: created exclusively, so that no
// other program writes it and no symbolic link leads elsewhere. put_in_place then gives it its name
// in one step. Of two programs that do so at the same moment with Existing::keep, one succeeds and
// the other is told that the file exists.
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

  // Waits until the contents are on the disk, so that a power failure finds either file whole.
  void synchronise() const;

  // Throws InputError where the place is taken and may not be.
  void put_in_place(Existing existing);

 private:
  std::filesystem::path place_, unfinished_;
  bool placed_ = false;
};

// Throws InputError where something is there that may not be replaced, or is no regular file. To be
// asked before long work; put_in_place asks again.
void refuse_existing(const std::filesystem::path& path, Existing existing);

void write_text_file(const std::filesystem::path& path, std::string_view text, Existing existing);

// Waits until names in the folder of this file are on the disk.
void synchronise_folder_of(const std::filesystem::path& file);

// Removes what NewFile left for this place in programs that were killed. Only for whoever knows
// that no other program is making the file.
void remove_unfinished(const std::filesystem::path& place);

}  // namespace talus
