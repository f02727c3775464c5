// SPDX-License-Identifier: Apache-2.0
// Bisection of a study: for every case the value of a key at which the outcome of the run changes,
// that is, whether a column of a measure goes beyond a limit. Runs 1 and 2 of a case are those of
// both ends, every further one is in the middle of the interval so far. Which they are follows from
// the outcomes of the runs before, so a bisection that was stopped goes on where it was.
//
// Where the outcome changes several times between the ends, one of the changes is found.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/study/study_summary.hpp"

namespace talus {

struct Bracket {
  StudyCase one;
  double low = 0, high = 0;                   // the interval so far, low < high
  std::optional<bool> low_meets, high_meets;  // whether the run of this end meets the condition
  std::vector<CaseFigures> runs;              // in their order, those that have begun
  std::vector<StudyCase> next;                // runs that it waits for

  bool done() const { return next.empty(); }
  bool same_outcome() const { return done() && low_meets == high_meets; }
  double value() const;  // the middle of the interval; NaN while there is no threshold in it
};

// Throws InputError as case_status does.
Bracket bracket(const Study& study, const std::filesystem::path& folder, const StudyCase& one);
std::vector<Bracket> all_brackets(const Study& study, const std::filesystem::path& folder);

// "load between 1200 and 1201 (13 runs)", or why there is no threshold.
std::string words(const Study& study, const Bracket& bracket);

// Writes summary.csv with a line per case: the threshold and its interval, runs.csv with a line per
// run, summary.h5 with both, and for repetitions repeats.csv. Each is replaced atomically.
void write_bisection(const Study& study, const std::vector<Bracket>& brackets,
                     const std::filesystem::path& folder);

}  // namespace talus
