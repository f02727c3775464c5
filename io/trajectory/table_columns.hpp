// SPDX-License-Identifier: Apache-2.0
// Growing tables of a file, as lists of columns. A table is a struct that enumerates its columns,
//     template <class F> void for_each_column(F&& f) { f(position); f(velocity); … }
// and the functions below apply to all columns. Include it from .cpp files of io/ only.
#pragma once

#include <cstdint>
#include <vector>

#include "io/hdf5/hdf5_data.hpp"

namespace talus {

// A column: its dataset, and the values to be written next.
template <class T>
struct TableColumn {
  const char* path;
  int width = 1;  // values per row
  const char* unit = "1";
  int multiple = 1;  // rows of the dataset per row of the table
  std::vector<T> values = {};
  hdf5::Rows rows = {};

  template <class Vector>
  void put(std::size_t row, const Vector& vector) {
    for (int k = 0; k < width; ++k)
      values[row * static_cast<std::size_t>(width) + static_cast<std::size_t>(k)] =
          static_cast<T>(vector[k]);
  }
};

template <class Table>
void create_columns(Table& table, hid_t file, hsize_t chunk_rows) {
  table.for_each_column([&]<class T>(TableColumn<T>& column) {
    column.rows = hdf5::Rows::create<T>(file, column.path, column.width, chunk_rows, column.unit);
  });
}

template <class Table>
void open_columns(Table& table, hid_t file) {
  table.for_each_column(
      [&](auto& column) { column.rows = hdf5::Rows::open(file, column.path, column.width); });
}

// Makes room for the rows to be written next.
template <class Table>
void resize_columns(Table& table, std::size_t rows) {
  table.for_each_column([&](auto& column) {
    column.values.resize(rows * static_cast<std::size_t>(column.width * column.multiple));
  });
}

template <class Table>
void append_columns(Table& table) {
  table.for_each_column([]<class T>(TableColumn<T>& column) {
    column.rows.append(std::span<const T>(column.values));
  });
}

// Truncates all columns to the first rows.
template <class Table>
void cut_columns(Table& table, std::int64_t rows) {
  table.for_each_column(
      [&](auto& column) { column.rows.cut(static_cast<hsize_t>(rows * column.multiple)); });
}

}  // namespace talus
