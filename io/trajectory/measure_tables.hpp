// SPDX-License-Identifier: Apache-2.0
// /measures of a trajectory: a group per measure, with a row every `every` steps. Include it from
// .cpp files of io/ only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/model/measure.hpp"
#include "io/hdf5/hdf5_data.hpp"

namespace talus {

class MeasureTable {
 public:
  static MeasureTable create(hid_t file, const std::string& name, int every,
                             std::vector<MeasureColumn> columns);
  static MeasureTable open(hid_t file, const std::string& name, int every,
                           std::vector<MeasureColumn> columns);

  void add(std::int64_t step, double time, std::span<const double> row);

  // Truncates the table to the rows of this many steps, which must exist.
  void cut(std::int64_t step);

  template <class F>
  void for_each_rows(F&& f) {
    f(step_), f(time_);
    for (hdf5::Rows& column : columns_) f(column);
  }

 private:
  std::string path_;
  int every_ = 1;
  hdf5::Rows step_, time_;
  std::vector<hdf5::Rows> columns_;
};

}  // namespace talus
