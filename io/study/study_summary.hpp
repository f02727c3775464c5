// SPDX-License-Identifier: Apache-2.0
// Summary of a study, one line per case: values of the axes, progress, errors and energies.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/study/study.hpp"

namespace talus {

// The last value of a column of a measure, and its mean over all rows that are not NaN.
struct MeasuredFigure {
  std::string column;  // MEASURE.COLUMN
  double last = 0, mean = 0;
};

enum class CaseStatus { waiting, stopped, complete };  // stopped: incomplete, can be resumed
const char* name_of(CaseStatus status);

struct CaseFigures {
  StudyCase one;
  CaseStatus status = CaseStatus::waiting;
  std::string stopped_by;  // the stop condition that ended it, if one did
  std::int64_t steps = 0, bodies = 0, contacts = 0, unconverged = 0;
  double time = 0;                           // [s]
  double kinetic = 0, potential = 0;         // at the end [J]
  double contact_work = 0, driven_work = 0;  // over the run [J]
  double friction_work = 0;                  // a part of contact_work [J]
  double max_error = 0;                      // largest contact error of a step
  double max_penetration = 0;                // [m]
  double wall_seconds = 0;
  std::vector<MeasuredFigure> measures;
  bool meets = false;  // of a bisection: whether the column went beyond the limit
};

// One result of every case, by its name in the summary. NaN where a case does not have it or is not
// complete.
struct StudyQuantity {
  std::string name;
  std::vector<double> values;  // per case
};
// Energies and works, and of every measure the last value and the mean.
std::vector<StudyQuantity> quantities(const std::vector<CaseFigures>& cases);

std::filesystem::path case_run(const std::filesystem::path& folder, const StudyCase& one);

// Both functions throw InputError if the case was computed from another version of the base scene,
// or with other values.
CaseStatus case_status(const Study& study, const std::filesystem::path& folder,
                       const StudyCase& one);
CaseFigures case_figures(const Study& study, const std::filesystem::path& folder,
                         const StudyCase& one);

std::vector<CaseFigures> all_figures(const Study& study, const std::filesystem::path& folder);

// Tables of a summary: a line per run, and the means of quantities over repetitions, for each
// combination of the other axes. `complete` says it for every case.
std::string runs_csv(const Study& study, const std::vector<CaseFigures>& runs);
std::string repeats_csv(const Study& study, const std::vector<StudyQuantity>& table,
                        const std::vector<char>& complete);

// Writes summary.h5 atomically: the columns of runs_csv, and those per case in the group /cases.
void write_summary_file(const Study& study, const std::vector<CaseFigures>& runs,
                        const std::vector<StudyQuantity>& per_case,
                        const std::filesystem::path& folder);

// Writes summary.csv and summary.h5 in the folder of the study, each atomically; for a study with
// repetitions repeats.csv, too: the mean of every quantity over them and its interval of 95 %.
void write_summary(const Study& study, const std::vector<CaseFigures>& cases,
                   const std::filesystem::path& folder);

}  // namespace talus
