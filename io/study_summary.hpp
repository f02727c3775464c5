// One line for every case of a study: its values, how far it came, what it certifies and where the
// energy went.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/study.hpp"

namespace talus {

// A column of a measure at the end of a case, and its mean over all rows that have a number.
struct MeasuredFigure {
  std::string column;  // MEASURE.COLUMN
  double last = 0, mean = 0;
};

enum class CaseStatus { waiting, stopped, complete };  // stopped: partly there, to be resumed

struct CaseFigures {
  StudyCase one;
  CaseStatus status = CaseStatus::waiting;
  std::int64_t steps = 0, bodies = 0, contacts = 0, unconverged = 0;
  double time = 0;                           // [s]
  double kinetic = 0, potential = 0;         // at the end [J]
  double contact_work = 0, driven_work = 0;  // over the run [J]
  double friction_work = 0;                  // a part of contact_work [J]
  double max_error = 0;                      // of a step's contact problem
  double max_penetration = 0;                // [m]
  double wall_seconds = 0;
  std::vector<MeasuredFigure> measures;
};

std::filesystem::path case_run(const std::filesystem::path& folder, const StudyCase& one);

// Both throw an InputError if the case was computed from another text of the base scene, or with
// other values.
CaseStatus case_status(const Study& study, const std::filesystem::path& folder,
                       const StudyCase& one);
CaseFigures case_figures(const Study& study, const std::filesystem::path& folder,
                         const StudyCase& one);

// summary.csv and summary.h5 in the folder of the study, whole or not at all.
void write_summary(const Study& study, const std::vector<CaseFigures>& cases,
                   const std::filesystem::path& folder);

}  // namespace talus
