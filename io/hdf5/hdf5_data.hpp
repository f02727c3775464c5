// SPDX-License-Identifier: Apache-2.0
// Groups, attributes and datasets of an HDF5 file, as far as our files use them: scalars, short
// vectors, strings, tables written once, and tables that grow by rows. Input is not trusted: a
// missing object or an unexpected shape is a Failure that names it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/hdf5/hdf5_file.hpp"
#include "io/text/digest.hpp"

namespace talus::hdf5 {

template <class T>
hid_t native_type();

Handle create_group(hid_t parent, const std::string& name);
void hard_link(hid_t file, const std::string& existing, const std::string& path);

// Attributes. Text is of variable length, which every reader turns into a string.
void write_text_attribute(hid_t object, const std::string& name, const std::string& text);
// Numbers replace an attribute of the same name and length in place.
template <class T>
void write_attribute(hid_t object, const std::string& name, const T& value);
template <class T>
void write_attribute(hid_t object, const std::string& name, const std::vector<T>& values);
void write_fixed_text_attribute(hid_t object, const std::string& name, const std::string& text);

bool has_attribute(hid_t object, const std::string& name);
template <class T>
std::vector<T> read_attribute(hid_t object, const std::string& name);  // scalars give one value
std::string read_text_attribute(hid_t object, const std::string& name);

// Tables with `columns` values per row, written once. One column gives a dataset of rank 1. Larger
// tables are compressed: a table that is written once is not at risk when a run is killed.
template <class T>
Handle write_table(hid_t parent, const std::string& name, std::span<const T> values,
                   int columns = 1);
void write_text(hid_t parent, const std::string& name, const std::string& text);
void write_texts(hid_t parent, const std::string& name, const std::vector<std::string>& texts);

// A table that grows by whole rows. Not compressed: a compressed chunk moves within the file when
// it grows, and a run killed in the middle of that would lose rows it had long finished.
class Rows {
 public:
  Rows() = default;
  template <class T>
  static Rows create(hid_t parent, const std::string& name, int columns, hsize_t chunk_rows,
                     const std::string& unit = {});
  static Rows open(hid_t file, const std::string& path, int columns = 1);

  hsize_t size() const { return rows_; }
  // Rows wait in memory until they are stored: one call of HDF5 for many rows.
  template <class T>
  void append(std::span<const T> values);
  std::size_t waiting_bytes() const { return waiting_.size(); }
  std::uint64_t growth() const;  // of the file when they are stored [bytes]: whole chunks
  void store();
  void cut(hsize_t rows);  // keep only the first rows, which must exist and be stored
  hid_t dataset() const { return dataset_; }
  const std::string& path() const { return path_; }

  // XXH64 of all values, updated as rows are added. Rows that existed before are read once.
  std::uint64_t digest() { return running_digest().value(); }

 private:
  std::string path_;
  Handle dataset_;
  hsize_t rows_ = 0, stored_ = 0, columns_ = 1, chunk_rows_ = 1;
  std::size_t row_bytes_ = 0;  // in the file
  std::vector<char> waiting_;  // rows that are not stored, as numbers of type_
  hid_t type_ = -1;
  std::optional<Digest> digest_;  // of all rows, if known

  Digest& running_digest();
};

struct Extent {
  hsize_t rows = 0, columns = 1;
};

bool exists(hid_t file, const std::string& path);
std::vector<std::string> members(hid_t file, const std::string& group);  // names, in their order
Extent extent(hid_t file, const std::string& path);                      // rank 1 or 2
void remove(hid_t file, const std::string& path);                        // if it exists

// Rows first … first + count of a dataset that must have this many columns.
template <class T>
std::vector<T> read_rows(hid_t file, const std::string& path, int columns, hsize_t first,
                         hsize_t count);
template <class T>
std::vector<T> read_all(hid_t file, const std::string& path, int columns = 1);
std::string read_text(hid_t file, const std::string& path);
std::vector<std::string> read_texts(hid_t file, const std::string& path);

}  // namespace talus::hdf5
