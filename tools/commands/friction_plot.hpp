// SPDX-License-Identifier: Apache-2.0
// Plots: the friction bound along a motion or over a parameter [BBB16, Figs. 1c, 2b], and a map
// over two parameters of what is known of the contact problem [BBB16, Fig. 2c].
#pragma once

#include <string>
#include <vector>

#include "solvers/analysis/well_posedness.hpp"

namespace talus {

struct PlottedBound {
  double x = 0;
  double bound = 0;     // friction below it is safe; may be infinite
  double friction = 0;  // of the scene
};

// The plot as SVG. Throws InputError if there are fewer than two points.
std::string bound_plot(const std::string& axis, const std::vector<PlottedBound>& curve);

// One axis of a map: the values at which the problem was analysed.
struct MapAxis {
  std::string name;
  std::vector<double> values;  // increasing, at least two
};

// `advice` is stored row by row: x varies fastest.
std::string advice_map(const MapAxis& x, const MapAxis& y, const std::vector<Advice>& advice);

}  // namespace talus
