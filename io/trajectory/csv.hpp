// SPDX-License-Identifier: Apache-2.0
// Export of a trajectory to CSV: one line per row, numbers in full precision.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>

#include "io/trajectory/trajectory_reader.hpp"

namespace talus {

enum class CsvTable {
  series,    // a line per step
  bodies,    // a line per body and frame
  contacts,  // a line per contact and frame
};

std::string csv_number(double value);           // nan has no sign
std::string csv_text(const std::string& text);  // in quotes if it has commas or quotes in it

// Writing to the output file failed.
struct CsvWriteError : std::system_error {
  explicit CsvWriteError(int error) : std::system_error(error, std::generic_category()) {}
};

// Both throw CsvWriteError; the caller flushes the buffer of `out`.
void write_csv(const TrajectoryReader& run, CsvTable table, std::FILE* out);
void write_csv(const MeasureSeries& measure, std::FILE* out);  // a line per row

}  // namespace talus
