// SPDX-License-Identifier: Apache-2.0
// The file RUN.h5.journal (write-ahead journal): pages that are to be written to a trajectory.
//
//     header      name, number of pages, checksum of what follows
//     entries     per page: its number, and the checksums of that page of the trajectory
//                 before and after the write
//     contents    of the pages
//
// The checksums bind a journal to the contents of its trajectory. The two may be copied together,
// and a journal is never applied to another file of that name.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>

namespace talus {

inline constexpr std::size_t journal_page_size = 4096;
using JournalPage = std::array<char, journal_page_size>;
using JournalPages = std::map<std::uint64_t, JournalPage>;  // by their numbers

// Files are given by their descriptors. Failed system calls throw std::system_error.
void write_at(int file, std::uint64_t address, std::span<const char> bytes);
// Bytes beyond the end of the file are read as zero.
void read_at(int file, std::uint64_t address, std::span<char> bytes);

enum class JournalContent { nothing, pages, foreign };  // foreign: not written by Talus
JournalContent journal_content(int journal);

// Writes the pages to the journal, then into the trajectory, then marks the journal as empty.
void write_through_journal(int journal, int trajectory, const JournalPages& pages);

// Recovery: copies the pages of a journal whose writer was killed into the trajectory. Returns
// false and changes nothing if the journal has no pages, is incomplete, was not written by Talus,
// or belongs to another file.
bool apply_journal(int journal, int trajectory);

void clear_journal(int journal);

}  // namespace talus
