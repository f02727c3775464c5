// SPDX-License-Identifier: Apache-2.0
// Heights on a grid, from an Esri ASCII grid: lines "ncols 3", "nrows 2", "xllcorner 0" (or
// xllcenter), "yllcorner 0" (or yllcenter), "cellsize 0.5", then rows of heights from north to
// south, each from west to east. A height is that of the middle of its cell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "solvers/math/vec.hpp"

namespace talus {

struct HeightGrid {
  int columns = 0, rows = 0;
  double x = 0, y = 0;          // of the south-western height [m]
  double spacing = 0;           // [m]
  std::vector<double> heights;  // rows from south to north [m]

  // The i-th point from the west in the j-th row from the south.
  Vec<3> point(int i, int j) const {
    return {x + i * spacing, y + j * spacing, heights[static_cast<std::size_t>(j * columns + i)]};
  }
};

// Throws SceneError with the line. Messages do not quote the file.
HeightGrid parse_heights(std::string_view text, const std::string& name);

}  // namespace talus
