// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/shape_rows.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <string>

#include "io/hdf5/hdf5_data.hpp"

namespace talus {

namespace {

using hdf5::Failure;

// Checks offsets that begin at 0, never decrease and end at `end`.
void expect_offsets(const std::vector<std::int64_t>& offsets, std::int64_t end, const char* name) {
  if (offsets.empty() || offsets.front() != 0 || offsets.back() != end ||
      !std::is_sorted(offsets.begin(), offsets.end()))
    throw Failure(fmt::format("dataset {} does not lead from 0 to {}", name, end));
}

template <class Column>
void expect_size(const Column& column, std::size_t rows, const char* name) {
  if (column.size() != rows)
    throw Failure(fmt::format("dataset {} has {} rows, expected {}", name, column.size(), rows));
}

// The tables of /shapes, as they are stored.
struct ShapeRows {
  std::vector<Vec<3>> vertices;
  std::vector<std::int64_t> vertex_offset, corners, face_offset, shape_face, part_offset,
      part_vertex;
  std::vector<std::uint8_t> part_type;
  std::vector<double> part_parameters;
};

ShapeRows read_shape_rows(hid_t file) {
  ShapeRows rows;
  const auto read = [&](const char* name) {
    return hdf5::read_all<std::int64_t>(file, std::string("/shapes/") + name);
  };
  const auto vertices = hdf5::read_all<double>(file, "/shapes/vertices", 3);
  for (std::size_t i = 0; i + 3 <= vertices.size(); i += 3)
    rows.vertices.emplace_back(&vertices[i]);
  rows.vertex_offset = read("vertex_offset");
  rows.corners = read("face_connectivity");
  rows.face_offset = read("face_offset");
  rows.shape_face = read("shape_face_offset");
  rows.part_offset = read("part_offset");
  rows.part_vertex = read("part_vertex");
  rows.part_type = hdf5::read_all<std::uint8_t>(file, "/shapes/part_type");
  rows.part_parameters = hdf5::read_all<double>(file, "/shapes/part_parameters",
                                                static_cast<int>(parameters_per_part));
  const auto size = [](const auto& column) { return static_cast<std::int64_t>(column.size()); };
  expect_offsets(rows.vertex_offset, size(rows.vertices), "/shapes/vertex_offset");
  expect_offsets(rows.face_offset, size(rows.corners), "/shapes/face_offset");
  expect_offsets(rows.shape_face, size(rows.face_offset) - 1, "/shapes/shape_face_offset");
  expect_offsets(rows.part_offset, size(rows.part_type), "/shapes/part_offset");
  expect_size(rows.shape_face, rows.vertex_offset.size(), "/shapes/shape_face_offset");
  expect_size(rows.part_offset, rows.vertex_offset.size(), "/shapes/part_offset");
  expect_size(rows.part_vertex, rows.part_type.size() + 1, "/shapes/part_vertex");
  expect_offsets(rows.part_vertex, size(rows.vertices), "/shapes/part_vertex");
  expect_size(rows.part_parameters, rows.part_type.size() * parameters_per_part,
              "/shapes/part_parameters");
  return rows;
}

StoredShape shape_of_rows(const ShapeRows& rows, std::size_t s) {
  StoredShape shape;
  Surface& surface = shape.surface;
  const std::int64_t first = rows.vertex_offset[s], vertices = rows.vertex_offset[s + 1] - first;
  surface.vertices.assign(rows.vertices.begin() + first, rows.vertices.begin() + first + vertices);
  for (std::int64_t f = rows.shape_face[s]; f < rows.shape_face[s + 1]; ++f) {
    const auto face = static_cast<std::size_t>(f);
    for (std::int64_t k = rows.face_offset[face]; k < rows.face_offset[face + 1]; ++k) {
      const std::int64_t corner = rows.corners[static_cast<std::size_t>(k)];
      if (corner < 0 || corner >= vertices)
        throw Failure(fmt::format("/shapes: shape {} names vertex {} of {}", s, corner, vertices));
      surface.corner.push_back(static_cast<int>(corner));
    }
    surface.start.push_back(static_cast<int>(surface.corner.size()));
  }
  for (std::int64_t p = rows.part_offset[s]; p < rows.part_offset[s + 1]; ++p) {
    const auto part = static_cast<std::size_t>(p);
    const std::uint8_t type = rows.part_type[part];
    const std::int64_t end = rows.part_vertex[part + 1] - first;
    if (type > static_cast<std::uint8_t>(ShapeType::mesh) || end < 0 || end > vertices)
      throw Failure(fmt::format("/shapes: part {} of shape {} is damaged", p, s));
    surface.part_start.push_back(static_cast<int>(end));
    StoredPart& stored = shape.parts.emplace_back();
    stored.type = static_cast<ShapeType>(type);
    std::copy_n(
        rows.part_parameters.begin() + static_cast<std::ptrdiff_t>(part * parameters_per_part),
        parameters_per_part, stored.parameters.begin());
  }
  return shape;
}

}  // namespace

std::vector<StoredShape> read_shapes(hid_t file) {
  const ShapeRows rows = read_shape_rows(file);
  std::vector<StoredShape> shapes;
  for (std::size_t s = 0; s + 1 < rows.vertex_offset.size(); ++s)
    shapes.push_back(shape_of_rows(rows, s));
  return shapes;
}

}  // namespace talus
