// SPDX-License-Identifier: Apache-2.0
#include "io/study/study_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "io/hdf5/hdf5_data.hpp"
#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"
#include "io/trajectory/csv.hpp"
#include "io/trajectory/scene_identity.hpp"
#include "io/trajectory/trajectory_reader.hpp"
#include "solvers/math/statistics.hpp"

namespace talus {

namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

// Calls f(column, member) for every figure of a case.
template <class F>
void for_each_figure(F f) {
  f("steps", &CaseFigures::steps);
  f("time", &CaseFigures::time);
  f("bodies", &CaseFigures::bodies);
  f("contacts", &CaseFigures::contacts);
  f("kinetic", &CaseFigures::kinetic);
  f("potential", &CaseFigures::potential);
  f("contact_work", &CaseFigures::contact_work);
  f("friction_work", &CaseFigures::friction_work);
  f("driven_work", &CaseFigures::driven_work);
  f("max_error", &CaseFigures::max_error);
  f("unconverged", &CaseFigures::unconverged);
  f("max_penetration", &CaseFigures::max_penetration);
  f("wall_seconds", &CaseFigures::wall_seconds);
}

// Results of measures by name, over all cases. Cases may have different measures.
std::vector<StudyQuantity> measure_quantities(const std::vector<CaseFigures>& cases) {
  std::vector<StudyQuantity> table;
  const auto put = [&](const std::string& column, std::size_t row, double value) {
    auto found = std::find_if(table.begin(), table.end(),
                              [&](const StudyQuantity& q) { return q.name == column; });
    if (found == table.end())
      found = table.insert(table.end(), {column, std::vector<double>(cases.size(), none)});
    found->values[row] = value;
  };
  for (std::size_t row = 0; row < cases.size(); ++row)
    for (const MeasuredFigure& figure : cases[row].measures) {
      put(figure.column, row, figure.last);
      put(figure.column + ".mean", row, figure.mean);
    }
  return table;
}

std::vector<MeasuredFigure> measured_figures(const TrajectoryReader& run) {
  std::vector<MeasuredFigure> figures;
  for (const MeasureSeries& measure : run.measures()) {
    if (measure.rows() == 0) continue;
    for (std::size_t k = 0; k < measure.columns.size(); ++k) {
      double sum = 0, count = 0;
      for (const double x : measure.values[k]) {
        if (!std::isfinite(x)) continue;
        sum += x;
        ++count;
      }
      figures.push_back({fmt::format("{}.{}", measure.name, measure.columns[k]),
                         measure.values[k].back(), sum / count});
    }
  }
  return figures;
}

// Whether a column of a measure of the run went beyond the limit.
bool meets(const TrajectoryReader& run, const Bisection& bisection) {
  for (const MeasureSeries& measure : run.measures())
    for (std::size_t k = 0; k < measure.columns.size(); ++k) {
      if (measure.name + "." + measure.columns[k] != bisection.column) continue;
      for (const double x : measure.values[k])
        if (bisection.above ? x > bisection.limit : x < bisection.limit) return true;
    }
  return false;
}

// The columns of a bisection that tell its runs apart.
void write_trials(hid_t file, const std::vector<CaseFigures>& runs) {
  std::vector<std::int64_t> trials, meets;
  std::vector<std::string> values;
  for (const CaseFigures& run : runs) {
    trials.push_back(static_cast<std::int64_t>(run.one.trial));
    values.push_back(run.one.trial_value);
    meets.push_back(run.meets);
  }
  hdf5::write_table<std::int64_t>(file, "run", trials);
  hdf5::write_texts(file, "value", values);
  hdf5::write_table<std::int64_t>(file, "meets", meets);
}

}  // namespace

const char* name_of(CaseStatus status) {
  switch (status) {
    case CaseStatus::waiting:
      return "waiting";
    case CaseStatus::stopped:
      return "stopped";
    default:
      return "complete";
  }
}

std::string runs_csv(const Study& study, const std::vector<CaseFigures>& cases) {
  const bool bisected = study.bisection.has_value();
  std::string text = bisected ? "case,run" : "case";
  for (const StudyAxis& axis : study.axes) text += "," + csv_text(axis.name);
  if (bisected) text += "," + csv_text(study.bisection->name) + ",meets";
  text += ",status,stopped_by";
  for_each_figure([&](const char* column, auto) { text += fmt::format(",{}", column); });
  const std::vector<StudyQuantity> measures = measure_quantities(cases);
  for (const StudyQuantity& measure : measures) text += "," + csv_text(measure.name);
  for (std::size_t row = 0; row < cases.size(); ++row) {
    const CaseFigures& figures = cases[row];
    text += fmt::format("\n{}", figures.one.number);
    if (bisected) text += fmt::format(",{}", figures.one.trial);
    for (const std::string& value : figures.one.values) text += "," + csv_text(value);
    if (bisected) text += fmt::format(",{},{:d}", figures.one.trial_value, figures.meets);
    text += fmt::format(",{},{}", name_of(figures.status), csv_text(figures.stopped_by));
    for_each_figure([&]<class T>(const char*, T CaseFigures::*member) {
      if constexpr (std::is_same_v<T, double>)
        text += "," + csv_number(figures.*member);
      else
        text += fmt::format(",{}", figures.*member);
    });
    for (const StudyQuantity& measure : measures) text += "," + csv_number(measure.values[row]);
  }
  return text + "\n";
}

// The cases that differ by their seeds alone stand in a row: their axis is the last.
std::string repeats_csv(const Study& study, const std::vector<StudyQuantity>& table,
                        const std::vector<char>& complete) {
  const std::size_t axis = *study.repeat;
  const std::size_t length = study.axes[axis].values.size();
  std::string text;
  for (std::size_t i = 0; i < axis; ++i) text += csv_text(study.axes[i].name) + ",";
  text += "repetitions";
  for (const StudyQuantity& q : table)
    for (const char* part : {"mean", "low", "high", "deviation"})
      text += "," + csv_text(fmt::format("{} ({})", q.name, part));
  for (std::size_t first = 0; first < study.size(); first += length) {
    text += "\n";
    const StudyCase one = study.at(first + 1);
    for (std::size_t i = 0; i < axis; ++i) text += csv_text(one.values[i]) + ",";
    text += fmt::format("{}", std::count(&complete[first], &complete[first] + length, 1));
    for (const StudyQuantity& q : table) {
      const MeanInterval interval = mean_interval(std::span(q.values).subspan(first, length));
      for (const double x : {interval.mean, interval.mean - interval.half_width,
                             interval.mean + interval.half_width, interval.deviation})
        text += "," + csv_number(x);
    }
  }
  return text + "\n";
}

namespace {

void write_hdf5(const Study& study, const std::vector<CaseFigures>& cases,
                const std::vector<StudyQuantity>& per_case, const std::filesystem::path& path) {
  const hdf5::Handle file = hdf5::create_file(path);
  hdf5::write_text_attribute(file, "study", study.text);
  std::vector<std::int64_t> numbers;
  std::vector<std::string> status, stopped_by;
  for (const CaseFigures& figures : cases) {
    numbers.push_back(static_cast<std::int64_t>(figures.one.number));
    status.push_back(name_of(figures.status));
    stopped_by.push_back(figures.stopped_by);
  }
  hdf5::write_table<std::int64_t>(file, "case", numbers);
  if (study.bisection) write_trials(file, cases);
  hdf5::write_texts(file, "status", status);
  hdf5::write_texts(file, "stopped_by", stopped_by);
  const hdf5::Handle axes = hdf5::create_group(file, "axes");
  for (std::size_t i = 0; i < study.axes.size(); ++i) {
    std::vector<std::string> values;
    for (const CaseFigures& figures : cases) values.push_back(figures.one.values[i]);
    hdf5::write_texts(axes, study.axes[i].name, values);
  }
  for_each_figure([&]<class T>(const char* column, T CaseFigures::*member) {
    std::vector<T> values;
    for (const CaseFigures& figures : cases) values.push_back(figures.*member);
    hdf5::write_table<T>(file, column, values);
  });
  const hdf5::Handle measures = hdf5::create_group(file, "measures");
  for (const StudyQuantity& measure : measure_quantities(cases))
    hdf5::write_table<double>(measures, measure.name, measure.values);
  if (per_case.empty()) return;
  const hdf5::Handle group = hdf5::create_group(file, "cases");
  for (const StudyQuantity& quantity : per_case)
    hdf5::write_table<double>(group, quantity.name, quantity.values);
}

CaseStatus status_of(const TrajectoryReader& run, const std::filesystem::path& path,
                     const Study& study, const StudyCase& one) {
  const RunHeader& header = run.header();
  const auto differs =
      difference(identity_of_run(header), identity_of_scene(study.scene, study.overrides(one)));
  if (differs)
    throw InputError(fmt::format(
        "{}: was computed from another version of {}: {} (use -o for another folder, or "
        "remove {} to compute the case again)",
        path.string(), study.scene.string(), *differs, path.parent_path().string()));
  return header.complete ? CaseStatus::complete : CaseStatus::stopped;
}

}  // namespace

std::vector<StudyQuantity> quantities(const std::vector<CaseFigures>& cases) {
  std::vector<StudyQuantity> table;
  const auto add = [&](const char* name, double CaseFigures::*member) {
    table.push_back({name, {}});
    for (const CaseFigures& one : cases) table.back().values.push_back(one.*member);
  };
  add("kinetic", &CaseFigures::kinetic);
  add("potential", &CaseFigures::potential);
  add("contact_work", &CaseFigures::contact_work);
  add("friction_work", &CaseFigures::friction_work);
  add("driven_work", &CaseFigures::driven_work);
  for (StudyQuantity& measure : measure_quantities(cases)) table.push_back(std::move(measure));
  for (StudyQuantity& quantity : table)
    for (std::size_t row = 0; row < cases.size(); ++row)
      if (cases[row].status != CaseStatus::complete) quantity.values[row] = none;
  return table;
}

std::filesystem::path case_run(const std::filesystem::path& folder, const StudyCase& one) {
  return folder / one.folder() / "run.h5";
}

CaseStatus case_status(const Study& study, const std::filesystem::path& folder,
                       const StudyCase& one) {
  const std::filesystem::path path = case_run(folder, one);
  return std::filesystem::exists(path) ? status_of(TrajectoryReader(path), path, study, one)
                                       : CaseStatus::waiting;
}

CaseFigures case_figures(const Study& study, const std::filesystem::path& folder,
                         const StudyCase& one) {
  CaseFigures figures;
  figures.one = one;
  const std::filesystem::path path = case_run(folder, one);
  if (!std::filesystem::exists(path)) return figures;
  const TrajectoryReader run(path);
  figures.status = status_of(run, path, study, one);
  figures.stopped_by = run.header().stopped_by;
  const Series series = run.series();
  figures.bodies = static_cast<std::int64_t>(run.bodies().size());
  figures.steps = static_cast<std::int64_t>(series.steps.size());
  for (const Certificate& step : series.steps) {
    figures.contact_work += step.contact_work;
    figures.friction_work += step.friction_work;
    figures.driven_work += step.driven_work;
    keep_largest(figures.max_error, step.error);
    keep_largest(figures.max_penetration, step.max_penetration);
    figures.unconverged += !step.converged;
  }
  for (const double seconds : series.wall_seconds) figures.wall_seconds += seconds;
  if (!series.steps.empty()) {
    const Certificate& last = series.steps.back();
    figures.time = last.time;
    figures.contacts = last.contacts;
    figures.kinetic = last.kinetic;
    figures.potential = last.potential;
  }
  figures.measures = measured_figures(run);
  if (study.bisection) figures.meets = meets(run, *study.bisection);
  return figures;
}

std::vector<CaseFigures> all_figures(const Study& study, const std::filesystem::path& folder) {
  std::vector<CaseFigures> cases;
  for (std::size_t k = 1; k <= study.size(); ++k)
    cases.push_back(case_figures(study, folder, study.at(k)));
  return cases;
}

void write_summary_file(const Study& study, const std::vector<CaseFigures>& runs,
                        const std::vector<StudyQuantity>& per_case,
                        const std::filesystem::path& folder) {
  try {
    const Hdf5Silence silence;
    NewFile whole(folder / "summary.h5");
    write_hdf5(study, runs, per_case, whole.unfinished());
    whole.put_in_place(Existing::replace);
  } catch (const hdf5::Failure& failure) {
    throw InputError(
        fmt::format("{}: cannot write: {}", (folder / "summary.h5").string(), failure.what()));
  }
}

void write_summary(const Study& study, const std::vector<CaseFigures>& cases,
                   const std::filesystem::path& folder) {
  write_text_file(folder / "summary.csv", runs_csv(study, cases), Existing::replace);
  if (study.repeat) {
    std::vector<char> complete;
    for (const CaseFigures& one : cases) complete.push_back(one.status == CaseStatus::complete);
    write_text_file(folder / "repeats.csv", repeats_csv(study, quantities(cases), complete),
                    Existing::replace);
  }
  write_summary_file(study, cases, {}, folder);
}

}  // namespace talus
