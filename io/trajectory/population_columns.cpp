// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/population_columns.hpp"

#include <array>
#include <span>
#include <string>

#include "io/trajectory/trajectory_tables.hpp"

namespace talus {

namespace {

using hdf5::Rows;

constexpr hsize_t row_chunk = 4096, frames_chunk = 256;

// Columns of /frames, and the same for VTKHDF: a row for each of Vertices, Lines, Polygons, Strips.
constexpr std::array count_columns = {"mesh_count",   "polygon_count", "corner_row",
                                      "corner_count", "topology_row",  "topology_count"};
constexpr std::array cell_columns = {"body_cell4", "mesh_cell4", "mesh_corner4"};

template <class T>
std::span<const T> all_of(const std::vector<T>& values) {
  return values;
}

}  // namespace

template <int D>
void PopulationColumns::prepare(const Scene<D>& scene, const Bodies<D>& all,
                                const DrawnShapes& drawn) {
  BodyColumns columns = body_columns<D>(scene, all, drawn);
  diameter_ = std::move(columns.diameter);
  radius_ = std::move(columns.radius);
  shape_type_ = std::move(columns.shape_type);
  fixed_ = std::move(columns.fixed);
  mass_ = all.mass;
  material_.assign(all.material.begin(), all.material.end());
  emitters_ = static_cast<int>(scene.emitters.size());
  outlets_ = static_cast<int>(scene.outlets.size());
}

void PopulationColumns::create(hid_t file, const ViewSizes& sizes) {
  const auto state = [&]<class T>(const char* name, const char* unit, T) {
    Rows::create<T>(file, std::string("/state/") + name, 1, row_chunk, unit);
  };
  state("body", "1", std::int32_t{});
  state("diameter", "m", double{});
  state("radius", "m", double{});
  state("mass", "kg", double{});
  state("material", "1", std::int32_t{});
  state("shape_type", "1", std::uint8_t{});
  state("fixed", "1", std::uint8_t{});
  if (sizes.mesh_vertices > 0) {
    for (const char* name : {"polygons", "polygon_offset", "xdmf_topology"})
      Rows::create<std::int64_t>(file, std::string("/mesh/") + name, 1, row_chunk);
    for (const char* name : {"body", "material"})
      Rows::create<std::int32_t>(file, std::string("/mesh/") + name, 1, row_chunk);
    Rows::create<std::uint8_t>(file, "/mesh/fixed", 1, row_chunk);
  }
  for (const char* name : count_columns)
    Rows::create<std::int64_t>(file, std::string("/frames/") + name, 1, frames_chunk);
  for (const char* name : cell_columns)
    Rows::create<std::int64_t>(file, std::string("/frames/") + name, 4, frames_chunk);
  if (emitters_ > 0) Rows::create<std::int64_t>(file, "/frames/born", emitters_, frames_chunk);
  if (outlets_ > 0) {
    Rows::create<std::int64_t>(file, "/frames/removed", outlets_, frames_chunk);
    Rows::create<double>(file, "/frames/removed_mass", outlets_, frames_chunk, "kg");
  }
  open(file, sizes);
}

void PopulationColumns::open(hid_t file, const ViewSizes& sizes) {
  const auto state = [&](const char* name) {
    return Rows::open(file, std::string("/state/") + name);
  };
  file_.body = state("body");
  file_.diameter = state("diameter");
  file_.radius = state("radius");
  file_.mass = state("mass");
  file_.material = state("material");
  file_.shape_type = state("shape_type");
  file_.fixed = state("fixed");
  has_mesh_ = sizes.mesh_vertices > 0;
  if (has_mesh_) {
    file_.polygons = Rows::open(file, "/mesh/polygons");
    file_.polygon_offset = Rows::open(file, "/mesh/polygon_offset");
    file_.xdmf_topology = Rows::open(file, "/mesh/xdmf_topology");
    file_.mesh_body = Rows::open(file, "/mesh/body");
    file_.mesh_material = Rows::open(file, "/mesh/material");
    file_.mesh_fixed = Rows::open(file, "/mesh/fixed");
  }
  for (const char* name : count_columns)
    file_.counts.push_back(Rows::open(file, std::string("/frames/") + name));
  for (const char* name : cell_columns)
    file_.cells.push_back(Rows::open(file, std::string("/frames/") + name, 4));
  if (emitters_ > 0) file_.born = Rows::open(file, "/frames/born", emitters_);
  if (outlets_ > 0) {
    file_.removed = Rows::open(file, "/frames/removed", outlets_);
    file_.removed_mass = Rows::open(file, "/frames/removed_mass", outlets_);
  }
}

void PopulationColumns::cut(std::int64_t frames, const ViewFrame& end) {
  const auto count = [](std::int64_t rows) { return static_cast<hsize_t>(rows); };
  for (Rows* column : {&file_.body, &file_.diameter, &file_.radius, &file_.mass, &file_.material,
                       &file_.shape_type, &file_.fixed})
    column->cut(count(end.body_row));
  if (has_mesh_) {
    file_.polygons.cut(count(end.corner_row));
    file_.polygon_offset.cut(count(end.polygon_row + frames));
    file_.xdmf_topology.cut(count(end.topology_row));
    for (Rows* column : {&file_.mesh_body, &file_.mesh_material, &file_.mesh_fixed})
      column->cut(count(end.polygon_row));
  }
  for (Rows& column : file_.counts) column.cut(count(frames));
  for (Rows& column : file_.cells) column.cut(count(frames));
  if (emitters_ > 0) file_.born.cut(count(frames));
  if (outlets_ > 0) {
    file_.removed.cut(count(frames));
    file_.removed_mass.cut(count(frames));
  }
}

template <int D>
void PopulationColumns::fill(const Bodies<D>& bodies, const PopulationState& population,
                             const DrawnShapes& drawn, ViewFrame& rows) {
  state_ = {};
  mesh_ = {};
  population_ = population;
  rows.body_count = rows.mesh_count = 0;
  if (has_mesh_) mesh_.polygon_offset.push_back(0);
  for (const std::int32_t number : bodies.id) {
    if (number < 0) continue;
    const auto i = static_cast<std::size_t>(number);
    ++rows.body_count;
    state_.body.push_back(number);
    state_.diameter.push_back(diameter_[i]);
    state_.radius.push_back(radius_[i]);
    state_.mass.push_back(mass_[i]);
    state_.material.push_back(material_[i]);
    state_.shape_type.push_back(shape_type_[i]);
    state_.fixed.push_back(fixed_[i]);
    if (drawn.surface(i, Drawn::mesh) < 0) continue;
    const Surface& surface = drawn.surfaces[static_cast<std::size_t>(drawn.surface_of[i])];
    for (std::size_t k = 0; k < surface.polygons(); ++k) {
      mesh_.xdmf_topology.push_back(3);
      mesh_.xdmf_topology.push_back(surface.start[k + 1] - surface.start[k]);
      for (int c = surface.start[k]; c < surface.start[k + 1]; ++c) {
        mesh_.polygons.push_back(rows.mesh_count + surface.corner[static_cast<std::size_t>(c)]);
        mesh_.xdmf_topology.push_back(mesh_.polygons.back());
      }
      mesh_.polygon_offset.push_back(static_cast<std::int64_t>(mesh_.polygons.size()));
      mesh_.body.push_back(number);
      mesh_.material.push_back(material_[i]);
      mesh_.fixed.push_back(fixed_[i]);
    }
    rows.mesh_count += static_cast<std::int64_t>(surface.vertices.size());
  }
  rows.polygon_count = static_cast<std::int64_t>(mesh_.body.size());
  rows.corner_count = static_cast<std::int64_t>(mesh_.polygons.size());
  rows.topology_count = static_cast<std::int64_t>(mesh_.xdmf_topology.size());
}

void PopulationColumns::append(const ViewFrame& rows) {
  file_.body.append(all_of(state_.body));
  file_.diameter.append(all_of(state_.diameter));
  file_.radius.append(all_of(state_.radius));
  file_.mass.append(all_of(state_.mass));
  file_.material.append(all_of(state_.material));
  file_.shape_type.append(all_of(state_.shape_type));
  file_.fixed.append(all_of(state_.fixed));
  if (has_mesh_) {
    file_.polygons.append(all_of(mesh_.polygons));
    file_.polygon_offset.append(all_of(mesh_.polygon_offset));
    file_.xdmf_topology.append(all_of(mesh_.xdmf_topology));
    file_.mesh_body.append(all_of(mesh_.body));
    file_.mesh_material.append(all_of(mesh_.material));
    file_.mesh_fixed.append(all_of(mesh_.fixed));
  }
  const std::array<std::int64_t, count_columns.size()> numbers = {
      rows.mesh_count,   rows.polygon_count, rows.corner_row,
      rows.corner_count, rows.topology_row,  rows.topology_count};
  for (std::size_t i = 0; i < numbers.size(); ++i)
    file_.counts[i].append(std::span<const std::int64_t>(&numbers[i], 1));
  const std::array<std::array<std::int64_t, 4>, cell_columns.size()> first_cells = {
      {{rows.body_row, 0, 0, 0}, {0, 0, rows.polygon_row, 0}, {0, 0, rows.corner_row, 0}}};
  for (std::size_t i = 0; i < first_cells.size(); ++i)
    file_.cells[i].append(std::span<const std::int64_t>(first_cells[i]));
  if (emitters_ > 0) file_.born.append(all_of(population_.born));
  if (outlets_ > 0) {
    file_.removed.append(all_of(population_.removed));
    file_.removed_mass.append(all_of(population_.removed_mass));
  }
}

#define TALUS_INSTANTIATE(D)                                                         \
  template void PopulationColumns::prepare<D>(const Scene<D>&, const Bodies<D>&,     \
                                              const DrawnShapes&);                   \
  template void PopulationColumns::fill<D>(const Bodies<D>&, const PopulationState&, \
                                           const DrawnShapes&, ViewFrame&);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
