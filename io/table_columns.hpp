// Tables of a file that grow by rows, as lists of their columns. A table is a struct that shows its
// columns one by one,
//     template <class F> void for_each_column(F&& f) { f(position); f(velocity); … }
// and the functions below do the same to all of them. Include it from .cpp files of io/ only.
#pragma once

#include <cstdint>
#include <vector>

#include "io/hdf5_data.hpp"

namespace talus {

// A column: what is to be written next, and where it goes.
template <class T>
struct TableColumn {
  const char* path;
  int width = 1;  // values a row
  const char* unit = "1";
  int multiple = 1;  // rows of the data set for each of the table
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

// Room for so many rows to be written next.
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

// Only the first rows are kept.
template <class Table>
void cut_columns(Table& table, std::int64_t rows) {
  table.for_each_column(
      [&](auto& column) { column.rows.cut(static_cast<hsize_t>(rows * column.multiple)); });
}

}  // namespace talus
