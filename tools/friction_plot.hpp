// The friction bound along a motion or over a parameter [BBB16, Figs. 1c, 2b], and what is known of
// a contact problem over two parameters [BBB16, Fig. 2c], as pictures.
#pragma once

#include <string>
#include <vector>

#include "solvers/well_posedness.hpp"

namespace talus {

struct PlottedBound {
  double x = 0;
  double bound = 0;     // below which all is well; may be infinite
  double friction = 0;  // of the scene
};

// As SVG. Throws InputError when there are fewer than two points.
std::string bound_plot(const std::string& axis, const std::vector<PlottedBound>& curve);

// One axis of a map: the values at which it was looked.
struct MapAxis {
  std::string name;
  std::vector<double> values;  // increasing, two at least
};

// `advice` row by row, y the slower.
std::string advice_map(const MapAxis& x, const MapAxis& y, const std::vector<Advice>& advice);

}  // namespace talus
