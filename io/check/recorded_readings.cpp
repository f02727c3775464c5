// SPDX-License-Identifier: Apache-2.0
#include "io/check/recorded_readings.hpp"

#include <algorithm>
#include <limits>

namespace talus {

template <int D>
RecordedReadings::RecordedReadings(const TrajectoryReader& run,
                                   const std::vector<Measure<D>>& measures) {
  std::vector<MeasureSeries> recorded = run.measures();
  for (const Measure<D>& measure : measures) {
    const auto found = std::find_if(recorded.begin(), recorded.end(), [&](const MeasureSeries& s) {
      return s.name == measure.name && s.columns.size() == measure_columns<D>(measure).size();
    });
    series_.push_back(found == recorded.end() ? MeasureSeries{} : std::move(*found));
    rows_.emplace_back(measure_columns<D>(measure).size());
  }
}

Readings RecordedReadings::after(std::int64_t step) {
  for (std::size_t m = 0; m < series_.size(); ++m) {
    const MeasureSeries& series = series_[m];
    const auto next = std::upper_bound(series.step.begin(), series.step.end(), step);
    for (std::size_t c = 0; c < rows_[m].size(); ++c)
      rows_[m][c] =
          next == series.step.begin()
              ? std::numeric_limits<double>::quiet_NaN()
              : series.values[c][static_cast<std::size_t>(next - series.step.begin()) - 1];
  }
  return rows_;
}

template <int D>
bool has_controlled_drives(const Scene<D>& scene) {
  return std::ranges::any_of(scene.bodies, [](const BodyDescription<D>& body) {
    return std::ranges::any_of(
        body.drives, [](const Drive<D>& drive) { return depends_on_state(drive.signal); });
  });
}

template RecordedReadings::RecordedReadings(const TrajectoryReader&,
                                            const std::vector<Measure<2>>&);
template RecordedReadings::RecordedReadings(const TrajectoryReader&,
                                            const std::vector<Measure<3>>&);
template bool has_controlled_drives<2>(const Scene<2>&);
template bool has_controlled_drives<3>(const Scene<3>&);

}  // namespace talus
