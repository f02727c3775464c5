// SPDX-License-Identifier: Apache-2.0
// Runs the cases of a study, each in its own folder, several at a time, and sums them up. Complete
// cases are not run again; interrupted cases are resumed from their checkpoints.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <limits>

#include "io/study/bisection.hpp"
#include "io/study/study_summary.hpp"

namespace talus {

struct StudyRun {
  std::string folder;
  int workers = 0;       // 0: one per core
  int threads = 1;       // per case
  std::size_t only = 0;  // number of the only case to run; 0: all
  double stop_after = std::numeric_limits<double>::infinity();  // wall time [s]
  double checkpoint_every = 60;                                 // wall time [s]
};

inline constexpr int failed_code = 1, missed_code = 3;

// --workers, --threads, --stop-after and --checkpoint-every.
void add_study_options(CLI::App& command, StudyRun& run);

// The folder belongs to one study: it has a copy of it. A folder with a copy of another study, or
// with anything else, is refused (InputError).
void claim_folder(const Study& study, const std::filesystem::path& folder);

// Runs what is not complete; of a bisection, round by round the runs that its cases wait for.
// Returns 0, `failed_code`, or 128 + the signal that ended it.
int run_cases(const Study& study, const StudyRun& run);

// Writes the summary and says what is complete; returns 0, `failed_code` or `missed_code`.
int summarise(const Study& study, const std::vector<CaseFigures>& cases,
              const std::filesystem::path& folder);
int summarise(const Study& study, const std::vector<Bracket>& brackets,
              const std::filesystem::path& folder);

// `missed_code` if steps of a complete case missed the tolerance, or it has no threshold.
int verdict(const CaseFigures& figures);
int verdict(const Bracket& bracket);

}  // namespace talus
