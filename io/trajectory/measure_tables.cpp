// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/measure_tables.hpp"

#include <fmt/format.h>

#include <cassert>

namespace talus {

namespace {

constexpr hsize_t measure_chunk = 1024;

std::string path_of(const std::string& name) { return "/measures/" + name; }

}  // namespace

MeasureTable MeasureTable::create(hid_t file, const std::string& name, int every,
                                  std::vector<MeasureColumn> columns) {
  MeasureTable table;
  table.path_ = path_of(name);
  table.every_ = every;
  const hdf5::Handle group = hdf5::create_group(file, table.path_);
  hdf5::write_attribute(group, "every", std::int64_t{every});
  std::string names;
  for (const MeasureColumn& column : columns) names += (names.empty() ? "" : ",") + column.name;
  hdf5::write_text_attribute(group, "columns", names);
  table.step_ =
      hdf5::Rows::create<std::int64_t>(file, table.path_ + "/step", 1, measure_chunk, "1");
  table.time_ = hdf5::Rows::create<double>(file, table.path_ + "/time", 1, measure_chunk, "s");
  for (const MeasureColumn& column : columns)
    table.columns_.push_back(hdf5::Rows::create<double>(file, table.path_ + "/" + column.name, 1,
                                                        measure_chunk, column.unit));
  return table;
}

MeasureTable MeasureTable::open(hid_t file, const std::string& name, int every,
                                std::vector<MeasureColumn> columns) {
  MeasureTable table;
  table.path_ = path_of(name);
  table.every_ = every;
  table.step_ = hdf5::Rows::open(file, table.path_ + "/step");
  table.time_ = hdf5::Rows::open(file, table.path_ + "/time");
  for (const MeasureColumn& column : columns)
    table.columns_.push_back(hdf5::Rows::open(file, table.path_ + "/" + column.name));
  return table;
}

void MeasureTable::add(std::int64_t step, double time, std::span<const double> row) {
  assert(row.size() == columns_.size() && "a number for every column");
  step_.append(std::span<const std::int64_t>(&step, 1));
  time_.append(std::span<const double>(&time, 1));
  for (std::size_t i = 0; i < row.size(); ++i) columns_[i].append(row.subspan(i, 1));
}

void MeasureTable::cut(std::int64_t step) {
  const auto rows = static_cast<hsize_t>(step / every_);
  const auto require = [&](const hdf5::Rows& column) {
    if (column.size() < rows)
      throw hdf5::Failure(fmt::format("{} has {} of the {} rows before the checkpoint", path_,
                                      column.size(), rows));
  };
  require(step_);
  require(time_);
  for (const hdf5::Rows& column : columns_) require(column);
  step_.cut(rows);
  time_.cut(rows);
  for (hdf5::Rows& column : columns_) column.cut(rows);
}

}  // namespace talus
