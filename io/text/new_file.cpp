// SPDX-License-Identifier: Apache-2.0
#include "io/text/new_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <utility>

#include "io/text/input_error.hpp"

namespace talus {

namespace {

constexpr std::string_view unfinished_ending = ".part";
constexpr std::string_view random_letters = "abcdefghijklmnopqrstuvwxyz0123456789";
constexpr std::size_t random_length = 6;

[[noreturn]] void fail(const std::filesystem::path& place, int reason) {
  throw InputError(fmt::format("{}: cannot write: {}", place.string(), std::strerror(reason)));
}

[[noreturn]] void fail_while_writing(const std::filesystem::path& place, int reason) {
  throw std::runtime_error(
      fmt::format("{}: cannot write: {}", place.string(), std::strerror(reason)));
}

// NAME.k3x9ab.part
std::filesystem::path private_name(const std::filesystem::path& place) {
  static std::random_device random;
  std::uniform_int_distribution<std::size_t> letter(0, random_letters.size() - 1);
  std::string ending(".");
  for (std::size_t i = 0; i < random_length; ++i) ending += random_letters[letter(random)];
  std::filesystem::path name = place;
  name += ending.append(unfinished_ending);
  return name;
}

bool is_private_name(std::string_view name, const std::string& place) {
  if (name.size() != place.size() + 1 + random_length + unfinished_ending.size()) return false;
  if (!name.starts_with(place + ".") || !name.ends_with(unfinished_ending)) return false;
  const std::string_view letters = name.substr(place.size() + 1, random_length);
  return letters.find_first_not_of(random_letters) == std::string_view::npos;
}

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

// Renames a file without replacing another. Returns false, with errno EEXIST, if the name is in
// use. Not every file system can do this atomically; as a last resort existence is tested first.
bool move_without_replacing(const char* from, const char* to) {
  if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return true;
  if (errno != EINVAL && errno != ENOSYS && errno != EOPNOTSUPP) return false;
  if (link(from, to) == 0) return unlink(from) == 0;
  if (errno == EEXIST) return false;
  if (faccessat(AT_FDCWD, to, F_OK, AT_SYMLINK_NOFOLLOW) == 0) {
    errno = EEXIST;
    return false;
  }
  return std::rename(from, to) == 0;
}

}  // namespace

NewFile::NewFile(std::filesystem::path place) : place_(std::move(place)) {
  constexpr int most_attempts = 100;
  for (int attempt = 0;; ++attempt) {
    unfinished_ = private_name(place_);
    const int descriptor =
        open(unfinished_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (descriptor >= 0) {
      close(descriptor);
      return;
    }
    if (errno != EEXIST || attempt == most_attempts) fail(place_, errno);
  }
}

NewFile::~NewFile() {
  if (!placed_) unlink(unfinished_.c_str());
}

void NewFile::write(std::string_view text) {
  std::FILE* const file = std::fopen(unfinished_.c_str(), "wb");
  if (file == nullptr) fail(place_, errno);
  int error = std::fwrite(text.data(), 1, text.size(), file) == text.size() ? 0 : errno;
  if (std::fclose(file) != 0 && error == 0) error = errno;
  if (error != 0) fail_while_writing(place_, error);
}

void NewFile::synchronise() const {
  const int descriptor = open(unfinished_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail(place_, errno);
  const int error = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  if (error != 0) fail_while_writing(place_, error);
}

void NewFile::put_in_place(Existing existing) {
  placed_ = existing == Existing::replace
                ? std::rename(unfinished_.c_str(), place_.c_str()) == 0
                : move_without_replacing(unfinished_.c_str(), place_.c_str());
  if (placed_) return;
  const int error = errno;
  if (error == EEXIST) refuse_existing(place_, existing);
  fail_while_writing(place_, error);
}

void refuse_existing(const std::filesystem::path& path, Existing existing) {
  std::error_code none;
  const std::filesystem::file_status there = std::filesystem::symlink_status(path, none);
  if (!std::filesystem::exists(there)) return;
  if (existing == Existing::keep)
    throw InputError(fmt::format(
        "{}: exists already (use --force to overwrite it, or -o for another name)", path.string()));
  if (!std::filesystem::is_regular_file(there) && !std::filesystem::is_symlink(there))
    throw InputError(fmt::format("{}: is not a regular file", path.string()));
}

void write_text_file(const std::filesystem::path& path, std::string_view text, Existing existing) {
  refuse_existing(path, existing);
  NewFile file(path);
  file.write(text);
  file.put_in_place(existing);
}

void synchronise_folder_of(const std::filesystem::path& file) {
  const int descriptor = open(folder_of(file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

void remove_unfinished(const std::filesystem::path& place) {
  std::error_code error;
  const std::string name = place.filename().string();
  for (std::filesystem::directory_iterator entry(folder_of(place), error), end;
       !error && entry != end; entry.increment(error))
    if (is_private_name(entry->path().filename().string(), name)) unlink(entry->path().c_str());
}

}  // namespace talus
