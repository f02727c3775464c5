// SPDX-License-Identifier: Apache-2.0
// Rows of the measures of a run as the signals of a step saw them.
#pragma once

#include <vector>

#include "engine/model/scene.hpp"
#include "io/trajectory/trajectory_reader.hpp"

namespace talus {

class RecordedReadings {
 public:
  template <int D>
  RecordedReadings(const TrajectoryReader& run, const std::vector<Measure<D>>& measures);

  // The last rows up to the end of a step, NaN before the first.
  Readings after(std::int64_t step);

 private:
  std::vector<MeasureSeries> series_;  // in the order of the scene
  std::vector<std::vector<double>> rows_;
};

// Whether a drive of the scene depends on a measure.
template <int D>
bool has_controlled_drives(const Scene<D>& scene);

}  // namespace talus
