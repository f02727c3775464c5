// A trajectory as plain tables, comma separated, one line per row, numbers in full precision.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "io/trajectory_reader.hpp"

namespace talus {

enum class CsvTable {
  series,    // a line per step
  bodies,    // a line per body and frame
  contacts,  // a line per contact and frame
};

std::string csv_text(const std::string& text);  // in quotes if it has commas or quotes in it

// Both throw std::system_error when `out` takes no more; what is left in its buffer comes later.
void write_csv(const TrajectoryReader& run, CsvTable table, std::FILE* out);
void write_csv(const MeasureSeries& measure, std::FILE* out);  // a line per row

}  // namespace talus
