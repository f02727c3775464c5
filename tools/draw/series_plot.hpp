// SPDX-License-Identifier: Apache-2.0
// Series of a run over time, as SVG.
#pragma once

#include <string>

#include "io/trajectory/trajectory_reader.hpp"

namespace talus {

// `what`: energies, error, measure.NAME (all its columns) or measure.NAME.COLUMN. Throws InputError
// with what there is if there is no such series.
std::string series_plot(const TrajectoryReader& run, const std::string& what);

}  // namespace talus
