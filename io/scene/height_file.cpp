// SPDX-License-Identifier: Apache-2.0
#include "io/scene/height_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "io/scene/file_words.hpp"
#include "io/text/finite_number.hpp"

namespace talus {

namespace {

constexpr double most_heights = 500'000;

int whole(const FileWords& words, const std::map<std::string, double>& header,
          const std::string& key) {
  const auto found = header.find(key);
  if (found == header.end())
    words.fail_whole(fmt::format("is no Esri ASCII grid: '{}' is missing", key));
  const double value = found->second;
  if (!(value >= 2 && value <= most_heights && value == std::floor(value)))
    words.fail_whole(fmt::format("'{}' is not a whole number from 2 to {:.0f}", key, most_heights));
  return static_cast<int>(value);
}

}  // namespace

HeightGrid parse_heights(std::string_view text, const std::string& name) {
  FileWords words(text, name);
  std::map<std::string, double> header;
  std::string_view word = words.next();
  for (; !word.empty() && !finite_number(word); word = words.next()) {
    const std::string key = lower_case(word);
    const bool known = key == "ncols" || key == "nrows" || key == "cellsize" ||
                       key == "xllcorner" || key == "yllcorner" || key == "xllcenter" ||
                       key == "yllcenter" || key == "nodata_value";
    if (!known)
      words.fail(
          "neither a number nor a key of an Esri ASCII grid (ncols, nrows, xllcorner, "
          "yllcorner, cellsize)");
    header[key] = words.number(words.next_in_line(), fmt::format("'{}'", key));
  }
  HeightGrid grid;
  grid.columns = whole(words, header, "ncols");
  grid.rows = whole(words, header, "nrows");
  if (static_cast<double>(grid.columns) * grid.rows > most_heights)
    words.fail_whole(fmt::format("has {} × {} heights; at most {:.0f} are read", grid.columns,
                                 grid.rows, most_heights));
  if (!header.contains("cellsize") || !(header["cellsize"] > 0))
    words.fail_whole("'cellsize' is not a positive number");
  grid.spacing = header["cellsize"];
  const auto origin = [&](const std::string& axis) {
    if (header.contains(axis + "llcenter")) return header[axis + "llcenter"];
    if (header.contains(axis + "llcorner")) return header[axis + "llcorner"] + grid.spacing / 2;
    return 0.0;
  };
  grid.x = origin("x");
  grid.y = origin("y");

  grid.heights.resize(static_cast<std::size_t>(grid.columns) * static_cast<std::size_t>(grid.rows));
  for (int j = grid.rows - 1; j >= 0; --j)
    for (int i = 0; i < grid.columns; ++i, word = words.next()) {
      if (word.empty())
        words.fail(fmt::format("the file ends in row {} of {}: it is truncated", grid.rows - j,
                               grid.rows));
      const double height = words.number(word, "a height");
      if (header.contains("nodata_value") && height == header["nodata_value"])
        words.fail(
            fmt::format("row {}, column {} has no data: fill the hole", grid.rows - j, i + 1));
      grid.heights[static_cast<std::size_t>(j * grid.columns + i)] = height;
    }
  if (!word.empty()) words.fail(fmt::format("more than {} × {} heights", grid.columns, grid.rows));
  return grid;
}

}  // namespace talus
