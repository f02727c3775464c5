// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/journal_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "io/text/system_failure.hpp"

namespace talus {

namespace {

struct Header {
  char name[8] = {};        // all zero if the journal is empty
  std::uint64_t pages = 0;  // that follow
  std::uint64_t checksum = 0;
};
constexpr char journal_name[8] = {'t', 'a', 'l', 'u', 's', 'j', 'n', '2'};
constexpr std::size_t name_without_version = 7;
constexpr std::uint64_t most_pages = 1u << 22;  // 16 GiB; a larger number means damage

struct PageEntry {
  std::uint64_t number, before, after;  // checksums
};
constexpr std::size_t page_bytes = sizeof(PageEntry) + journal_page_size;

struct stat status_of(int file) {
  struct stat status {};
  if (fstat(file, &status) != 0) fail_by_system();
  return status;
}

// FNV-1a, eight bytes at a time.
std::uint64_t checksum(std::span<const char> bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (std::size_t i = 0; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    sum = (sum ^ word) * 0x100000001b3;
  }
  return sum;
}

std::uint64_t checksum_in(int file, std::uint64_t page) {
  JournalPage bytes;
  read_at(file, page * journal_page_size, bytes);
  return checksum(bytes);
}

template <class T>
std::span<char> bytes_of(T& value) {
  return {reinterpret_cast<char*>(&value), sizeof value};
}

// Entries and contents of a journal.
class Body {
 public:
  explicit Body(std::size_t pages) : pages_(pages), bytes_(pages * page_bytes) {}

  std::span<char> bytes() { return bytes_; }
  std::size_t pages() const { return pages_; }
  PageEntry entry(std::size_t i) const {
    PageEntry entry;
    std::memcpy(&entry, bytes_.data() + i * sizeof entry, sizeof entry);
    return entry;
  }
  void set(std::size_t i, const PageEntry& entry, const JournalPage& page) {
    std::memcpy(bytes_.data() + i * sizeof entry, &entry, sizeof entry);
    std::memcpy(bytes_.data() + contents(i), page.data(), page.size());
  }

  // Adjacent pages are written in one piece.
  void write_pages(int file) const {
    for (std::size_t i = 0, n = 1; i < pages_; i += n) {
      const std::uint64_t first = entry(i).number;
      for (n = 1; i + n < pages_ && entry(i + n).number == first + n;) ++n;
      write_at(file, first * journal_page_size,
               {bytes_.data() + contents(i), n * journal_page_size});
    }
  }

 private:
  std::size_t contents(std::size_t i) const {
    return pages_ * sizeof(PageEntry) + i * journal_page_size;
  }
  std::size_t pages_;
  std::vector<char> bytes_;
};

// Empty if the journal has no pages or is incomplete.
std::optional<Body> read_body(int journal) {
  Header header;
  read_at(journal, 0, bytes_of(header));
  const bool named = std::equal(std::begin(journal_name), std::end(journal_name), header.name);
  if (!named || header.pages > most_pages ||
      static_cast<std::uint64_t>(status_of(journal).st_size) <
          sizeof header + header.pages * page_bytes)
    return std::nullopt;
  Body body(header.pages);
  read_at(journal, sizeof header, body.bytes());
  if (checksum(body.bytes()) != header.checksum) return std::nullopt;
  return body;
}

// Whether the journal belongs to this trajectory: every page of the file has the old or the new
// checksum. All pages must begin within the file.
bool is_of(const Body& body, int trajectory) {
  const auto length = static_cast<std::uint64_t>(status_of(trajectory).st_size);
  const std::uint64_t end = (length + journal_page_size - 1) / journal_page_size;
  for (std::size_t i = 0; i < body.pages(); ++i) {
    const PageEntry entry = body.entry(i);
    if (entry.number >= end) return false;
    const std::uint64_t found = checksum_in(trajectory, entry.number);
    if (found != entry.before && found != entry.after) return false;
  }
  return true;
}

}  // namespace

void write_at(int file, std::uint64_t address, std::span<const char> bytes) {
  while (!bytes.empty()) {
    const ssize_t done = pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(address));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) fail_by_system();
    address += static_cast<std::uint64_t>(done);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
  }
}

void read_at(int file, std::uint64_t address, std::span<char> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = pread(file, bytes.data(), bytes.size(), static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_by_system();
    if (got == 0) break;
    address += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
  std::fill(bytes.begin(), bytes.end(), '\0');
}

JournalContent journal_content(int journal) {
  Header header;
  read_at(journal, 0, bytes_of(header));
  if (std::equal(journal_name, journal_name + name_without_version, header.name))
    return JournalContent::pages;
  const Header nothing;
  const bool zero = std::memcmp(header.name, nothing.name, sizeof header.name) == 0;
  return zero ? JournalContent::nothing : JournalContent::foreign;
}

void write_through_journal(int journal, int trajectory, const JournalPages& pages) {
  Body body(pages.size());
  std::size_t i = 0;
  for (const auto& [number, page] : pages)
    body.set(i++, {number, checksum_in(trajectory, number), checksum(page)}, page);
  Header header{.pages = pages.size(), .checksum = checksum(body.bytes())};
  std::copy(std::begin(journal_name), std::end(journal_name), header.name);
  write_at(journal, sizeof header, body.bytes());
  write_at(journal, 0, bytes_of(header));
  body.write_pages(trajectory);
  clear_journal(journal);
}

bool apply_journal(int journal, int trajectory) {
  const std::optional<Body> body = read_body(journal);
  if (!body || status_of(journal).st_uid != status_of(trajectory).st_uid ||
      !is_of(*body, trajectory))
    return false;
  body->write_pages(trajectory);
  clear_journal(journal);
  return true;
}

void clear_journal(int journal) {
  Header nothing;
  write_at(journal, 0, bytes_of(nothing));
}

}  // namespace talus
