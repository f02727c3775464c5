// The file RUN.h5.journal (write-ahead journal): pages on their way into a trajectory.
//
//     header      name, number of pages, checksum of what follows
//     entries     of each page: its number, and the checksums of what the trajectory has there
//                 before and after
//     contents    of the pages
//
// The checksums bind a journal to the contents of its trajectory. It may be copied with it, and it
// is never applied to another file of that name.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>

namespace talus {

inline constexpr std::size_t journal_page_size = 4096;
using JournalPage = std::array<char, journal_page_size>;
using JournalPages = std::map<std::uint64_t, JournalPage>;  // by their numbers

// Files are given by their descriptors. What the system refuses is a std::system_error.
void write_at(int file, std::uint64_t address, std::span<const char> bytes);
// What lies beyond the end of the file is zero.
void read_at(int file, std::uint64_t address, std::span<char> bytes);

enum class JournalContent { nothing, pages, foreign };  // foreign: not written by Talus
JournalContent journal_content(int journal);

// Writes the pages to the journal, then into the trajectory, then marks the journal as empty.
void write_through_journal(int journal, int trajectory, const JournalPages& pages);

// Copies the pages of a journal whose writer was killed into the trajectory. False, and nothing is
// changed, where the journal holds none, is not whole, has another owner, or is not of this file.
bool apply_journal(int journal, int trajectory);

void clear_journal(int journal);

}  // namespace talus
