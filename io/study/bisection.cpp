// SPDX-License-Identifier: Apache-2.0
#include "io/study/bisection.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "io/text/new_file.hpp"
#include "io/trajectory/csv.hpp"

namespace talus {

namespace {

// Runs of a case, in their order, as far as outcomes are known.
class Search {
 public:
  Search(const Study& study, const std::filesystem::path& folder, const StudyCase& one)
      : study_(study), bisection_(*study.bisection), folder_(folder) {
    bracket_.one = one;
  }

  Bracket run() {
    const double from = bisection_.from, to = bisection_.to;
    const std::optional<bool> at_from = outcome(from), at_to = outcome(to);
    double a = from, b = to;
    if (at_from && at_to && *at_from != *at_to) {
      while (std::abs(b - a) > bisection_.tolerance) {
        const double middle = a + (b - a) / 2;
        if (middle == a || middle == b) break;
        const std::optional<bool> at_middle = outcome(middle);
        if (!at_middle) break;
        (*at_middle == *at_from ? a : b) = middle;
      }
    }
    const bool rising = a < b;
    bracket_.low = rising ? a : b;
    bracket_.high = rising ? b : a;
    bracket_.low_meets = rising ? at_from : at_to;
    bracket_.high_meets = rising ? at_to : at_from;
    return std::move(bracket_);
  }

 private:
  // Of the next run; without a value if it is not complete.
  std::optional<bool> outcome(double x) {
    StudyCase run = bracket_.one;
    run.trial = ++runs_;
    run.trial_value = number_text(x);
    CaseFigures figures = case_figures(study_, folder_, run);
    const bool complete = figures.status == CaseStatus::complete;
    const bool meets = figures.meets;
    if (figures.status != CaseStatus::waiting) bracket_.runs.push_back(std::move(figures));
    if (complete) return meets;
    bracket_.next.push_back(std::move(run));
    return {};
  }

  const Study& study_;
  const Bisection& bisection_;
  const std::filesystem::path& folder_;
  std::size_t runs_ = 0;
  Bracket bracket_;
};

const char* status_of(const Bracket& bracket) {
  if (bracket.done()) return bracket.same_outcome() ? "same outcome" : "complete";
  return name_of(bracket.runs.empty() ? CaseStatus::waiting : CaseStatus::stopped);
}

std::string meets_text(const std::optional<bool>& meets) {
  return meets ? fmt::format("{:d}", *meets) : std::string();
}

std::string thresholds_csv(const Study& study, const std::vector<Bracket>& brackets) {
  const std::string& name = study.bisection->name;
  std::string text = "case";
  for (const StudyAxis& axis : study.axes) text += "," + csv_text(axis.name);
  text += ",status," + csv_text(name);
  for (const char* part : {"low", "high", "low meets", "high meets"})
    text += "," + csv_text(fmt::format("{} ({})", name, part));
  text += ",runs,unconverged";
  for (const Bracket& bracket : brackets) {
    std::int64_t unconverged = 0;
    for (const CaseFigures& run : bracket.runs) unconverged += run.unconverged;
    text += fmt::format("\n{}", bracket.one.number);
    for (const std::string& value : bracket.one.values) text += "," + csv_text(value);
    text += fmt::format(",{},{},{},{},{},{},{},{}", status_of(bracket), csv_number(bracket.value()),
                        csv_number(bracket.low), csv_number(bracket.high),
                        meets_text(bracket.low_meets), meets_text(bracket.high_meets),
                        bracket.runs.size(), unconverged);
  }
  return text + "\n";
}

}  // namespace

double Bracket::value() const {
  return done() && !same_outcome() ? low + (high - low) / 2
                                   : std::numeric_limits<double>::quiet_NaN();
}

Bracket bracket(const Study& study, const std::filesystem::path& folder, const StudyCase& one) {
  return Search(study, folder, one).run();
}

std::vector<Bracket> all_brackets(const Study& study, const std::filesystem::path& folder) {
  std::vector<Bracket> brackets;
  for (std::size_t k = 1; k <= study.size(); ++k)
    brackets.push_back(bracket(study, folder, study.at(k)));
  return brackets;
}

std::string words(const Study& study, const Bracket& bracket) {
  const Bisection& bisection = *study.bisection;
  if (bracket.same_outcome())
    return fmt::format("no threshold: '{}' {} at both ends, {} = {} and {}", bisection.until,
                       *bracket.low_meets ? "comes true" : "does not come true", bisection.name,
                       number_text(bracket.low), number_text(bracket.high));
  return fmt::format("{} between {} and {} ({} runs{})", bisection.name, number_text(bracket.low),
                     number_text(bracket.high), bracket.runs.size(),
                     bracket.done() ? "" : " so far");
}

void write_bisection(const Study& study, const std::vector<Bracket>& brackets,
                     const std::filesystem::path& folder) {
  std::vector<CaseFigures> runs;
  std::vector<char> complete;
  const std::string& name = study.bisection->name;
  std::vector<StudyQuantity> table = {{name, {}}, {name + " (low)", {}}, {name + " (high)", {}}};
  for (const Bracket& bracket : brackets) {
    runs.insert(runs.end(), bracket.runs.begin(), bracket.runs.end());
    complete.push_back(bracket.done() && !bracket.same_outcome());
    table[0].values.push_back(bracket.value());
    table[1].values.push_back(bracket.low);
    table[2].values.push_back(bracket.high);
  }
  write_text_file(folder / "summary.csv", thresholds_csv(study, brackets), Existing::replace);
  write_text_file(folder / "runs.csv", runs_csv(study, runs), Existing::replace);
  if (study.repeat)
    write_text_file(folder / "repeats.csv", repeats_csv(study, {table[0]}, complete),
                    Existing::replace);
  write_summary_file(study, runs, table, folder);
}

}  // namespace talus
