// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/vtkhdf.hpp"

#include <fmt/core.h>

#include <numeric>

namespace talus {

namespace {

using hdf5::create_group;
using hdf5::Handle;
using hdf5::hard_link;
using hdf5::write_table;

constexpr hsize_t topology_chunk = 4096;
constexpr std::array<std::string_view, 4> cell_kinds = {"Vertices", "Lines", "Polygons", "Strips"};

std::string group_of(std::string_view view) { return fmt::format("/views/{}", view); }

std::vector<std::int64_t> counting_from_zero(std::int64_t count) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), std::int64_t{0});
  return values;
}

// A view under construction. Every dataset of `Steps` is one of /frames.
class View {
 public:
  View(hid_t file, std::string_view name) : file_(file), path_(group_of(name)) {
    group_ = create_group(file, path_);
    hdf5::write_attribute(group_, "Version", std::vector<std::int64_t>{2, 0});
    hdf5::write_fixed_text_attribute(group_, "Type", "PolyData");
    const Handle steps = create_group(file, path_ + "/Steps");
    hdf5::write_attribute(steps, "NSteps", std::int64_t{0});
    step_link("Values", "time");
    step_link("NumberOfParts", "one");
  }

  void step_link(const std::string& name, const std::string& column) {
    hard_link(file_, "/frames/" + column, path_ + "/Steps/" + name);
  }

  void link(const std::string& name, std::string_view dataset) {
    hard_link(file_, std::string(dataset), path_ + "/" + name);
  }

  void table(const std::string& name, const std::vector<std::int64_t>& values) {
    write_table<std::int64_t>(file_, path_ + "/" + name, values);
  }

  // Cells that are equal in all frames.
  void fixed_cells(std::string_view kind, std::int64_t cells,
                   const std::vector<std::int64_t>& connectivity,
                   const std::vector<std::int64_t>& offsets) {
    const std::string name = add_cells(kind);
    table(name + "/NumberOfCells", {cells});
    table(name + "/NumberOfConnectivityIds", {static_cast<std::int64_t>(connectivity.size())});
    table(name + "/Connectivity", connectivity);
    table(name + "/Offsets", offsets);
  }

  // Cells whose number differs between frames, and kinds of cells that are empty.
  void cells_of_frames(std::string_view kind, const std::string& count,
                       const std::string& corner_count) {
    const std::string name = add_cells(kind);
    link(name + "/NumberOfCells", "/frames/" + count);
    link(name + "/NumberOfConnectivityIds", "/frames/" + corner_count);
  }

  void empty_cells(std::string_view kind) {
    const std::string name = add_cells(kind);
    link(name + "/NumberOfCells", "/frames/zero");
    link(name + "/NumberOfConnectivityIds", "/frames/zero");
    table(name + "/Connectivity", {});
    link(name + "/Offsets", "/frames/zero");
  }

  // Every array needs an entry among the offsets, or ParaView reads wrong rows.
  void arrays(const std::string& where, std::span<const ViewArray> list, const std::string& row) {
    create_group(file_, path_ + "/" + where);
    create_group(file_, path_ + "/Steps/" + where + "Offsets");
    for (const ViewArray& array : list) {
      const std::string name(array.name);
      link(where + "/" + name, array.dataset);
      step_link(where + "Offsets/" + name, array.moving ? row : "zero");
    }
  }

 private:
  std::string add_cells(std::string_view kind) {
    create_group(file_, fmt::format("{}/{}", path_, kind));
    return std::string(kind);
  }

  hid_t file_;
  std::string path_;
  Handle group_;
};

// Offsets of points and cells whose number differs between frames.
void add_varying_offsets(View& view, const std::string& point_row, const std::string& cell_row,
                         const std::string& connectivity_row) {
  view.step_link("PartOffsets", "index");
  view.step_link("PointOffsets", point_row);
  view.step_link("CellOffsets", cell_row);
  view.step_link("ConnectivityIdOffsets", connectivity_row);
}

// Offsets of points and cells of a fixed number.
void add_fixed_offsets(View& view, const std::string& point_row) {
  view.step_link("PartOffsets", "zero");
  view.step_link("PointOffsets", point_row);
  view.step_link("CellOffsets", "zero4");
  view.step_link("ConnectivityIdOffsets", "zero4");
}

// With emitters or outlets the points and polygons of a frame have rows like its contacts.
void create_varying_bodies_view(hid_t file) {
  View view(file, "bodies");
  view.link("NumberOfPoints", "/frames/body_count");
  view.link("Points", body_points.dataset);
  view.cells_of_frames("Vertices", "body_count", "body_count");
  for (std::string_view kind : {"Lines", "Polygons", "Strips"}) view.empty_cells(kind);
  add_varying_offsets(view, "body_row", "body_cell4", "zero4");
  view.arrays("PointData", varying_body_arrays, "body_row");
}

void create_varying_mesh_view(hid_t file) {
  View view(file, "mesh");
  view.link("NumberOfPoints", "/frames/mesh_count");
  view.link("Points", mesh_points.dataset);
  for (std::string_view kind : {"Vertices", "Lines", "Strips"}) view.empty_cells(kind);
  view.cells_of_frames("Polygons", "polygon_count", "corner_count");
  view.link("Polygons/Connectivity", "/mesh/polygons");
  view.link("Polygons/Offsets", "/mesh/polygon_offset");
  add_varying_offsets(view, "mesh_row", "mesh_cell4", "mesh_corner4");
  view.arrays("CellData", varying_mesh_arrays, "polygon_row");
}

void create_bodies_view(hid_t file, const ViewSizes& sizes) {
  View view(file, "bodies");
  view.table("NumberOfPoints", {sizes.bodies});
  view.link("Points", sizes.points_of_bodies().dataset);
  view.fixed_cells("Vertices", sizes.bodies, counting_from_zero(sizes.bodies),
                   counting_from_zero(sizes.bodies + 1));
  for (std::string_view kind : {"Lines", "Polygons", "Strips"}) view.fixed_cells(kind, 0, {}, {0});
  add_fixed_offsets(view, "body_row");
  view.arrays("PointData", body_arrays, "body_row");
}

// A group of surfaces whose polygons are the same in all frames: /mesh or /walls.
void create_surface_view(hid_t file, const std::string& name, std::int64_t vertices,
                         std::int64_t polygons, std::span<const ViewArray> arrays,
                         const std::string& row, const std::string& polygon_row) {
  View view(file, name);
  view.table("NumberOfPoints", {vertices});
  view.link("Points", "/" + name + "/points");
  for (std::string_view kind : {"Vertices", "Lines", "Strips"}) view.fixed_cells(kind, 0, {}, {0});
  const hsize_t corners = hdf5::extent(file, "/" + name + "/polygons").rows;
  create_group(file, "/views/" + name + "/Polygons");
  view.table("Polygons/NumberOfCells", {polygons});
  view.table("Polygons/NumberOfConnectivityIds", {static_cast<std::int64_t>(corners)});
  view.link("Polygons/Connectivity", "/" + name + "/polygons");
  view.link("Polygons/Offsets", "/" + name + "/polygon_offset");
  add_fixed_offsets(view, row);
  view.arrays("CellData", arrays, polygon_row);
}

// The number of contacts differs between frames, so the offsets of their cells are stored per
// frame: c + 1 offsets for a frame with c contacts. The connectivity is 0, 1, 2, … in all frames.
void create_contact_view(hid_t file, std::string_view name, std::string_view kind,
                         const ViewArray& points, const std::string& row, const std::string& count,
                         const std::string& cell_row, const std::string& where) {
  View view(file, name);
  view.link("NumberOfPoints", "/frames/" + count);
  view.link("Points", points.dataset);
  for (std::string_view other : cell_kinds)
    if (other != kind) view.empty_cells(other);
  view.cells_of_frames(kind, "contact_count", count);
  add_varying_offsets(view, row, cell_row, "zero4");
  view.arrays(where, contact_arrays, "contact_row");
}

// A group that keeps the order of its links.
Handle create_ordered_group(hid_t parent, const std::string& name) {
  const Handle creation(H5Pcreate(H5P_GROUP_CREATE), name, H5Pclose);
  hdf5::check(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
              "order " + name);
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT),
          "create group " + name};
}

const std::string counting_path = "/views/contacts/Vertices/Connectivity";
const std::string contact_offsets_path = "/views/contacts/Vertices/Offsets";
const std::string chain_offsets_path = "/views/chains/Lines/Offsets";
const std::string body_offsets_path = "/views/bodies/Vertices/Offsets";

}  // namespace

VtkhdfViews VtkhdfViews::create(hid_t file, const ViewSizes& sizes) {
  create_group(file, "/views");
  if (sizes.varies)
    create_varying_bodies_view(file);
  else
    create_bodies_view(file, sizes);
  if (sizes.mesh_vertices > 0 && sizes.varies) create_varying_mesh_view(file);
  if (sizes.mesh_vertices > 0 && !sizes.varies)
    create_surface_view(file, "mesh", sizes.mesh_vertices, sizes.polygons, mesh_arrays, "mesh_row",
                        "polygon_row");
  if (sizes.wall_vertices > 0)
    create_surface_view(file, "walls", sizes.wall_vertices, sizes.wall_polygons, wall_arrays,
                        "wall_row", "wall_polygon_row");
  create_contact_view(file, "contacts", "Vertices", contact_points, "contact_row", "contact_count",
                      "contact_cell4", "PointData");
  create_contact_view(file, "chains", "Lines", chain_points, "contact_row2", "contact_count2",
                      "chain_cell4", "CellData");
  for (const std::string& path : {counting_path, contact_offsets_path, chain_offsets_path})
    hdf5::Rows::create<std::int64_t>(file, path, 1, topology_chunk);
  hard_link(file, counting_path, "/views/chains/Lines/Connectivity");
  if (sizes.varies) {
    hdf5::Rows::create<std::int64_t>(file, body_offsets_path, 1, topology_chunk);
    hard_link(file, counting_path, "/views/bodies/Vertices/Connectivity");
  }
  return open(file, sizes);
}

VtkhdfViews VtkhdfViews::open(hid_t file, const ViewSizes& sizes) {
  VtkhdfViews views;
  for (std::string_view name : view_names) {
    const std::string path = group_of(name) + "/Steps";
    if (hdf5::exists(file, path))
      views.steps_.emplace_back(H5Gopen2(file, path.c_str(), H5P_DEFAULT), "open " + path);
  }
  views.counting_ = hdf5::Rows::open(file, counting_path);
  views.contact_offsets_ = hdf5::Rows::open(file, contact_offsets_path);
  views.chain_offsets_ = hdf5::Rows::open(file, chain_offsets_path);
  if (sizes.varies) views.body_offsets_ = hdf5::Rows::open(file, body_offsets_path);
  return views;
}

void VtkhdfViews::append_contacts(std::int64_t count) {
  std::vector<std::int64_t> offsets = counting_from_zero(count + 1);
  contact_offsets_.append<std::int64_t>(offsets);
  for (std::int64_t& offset : offsets) offset *= 2;
  chain_offsets_.append<std::int64_t>(offsets);
  count_to(2 * count);
}

void VtkhdfViews::append_bodies(std::int64_t count) {
  body_offsets_->append<std::int64_t>(counting_from_zero(count + 1));
  count_to(count);
}

void VtkhdfViews::count_to(std::int64_t count) {
  if (count <= static_cast<std::int64_t>(counting_.size())) return;
  const std::vector<std::int64_t> numbers = counting_from_zero(count);
  counting_.append(std::span<const std::int64_t>(numbers).subspan(counting_.size()));
}

void VtkhdfViews::commit(std::int64_t frames) {
  for (const Handle& steps : steps_) hdf5::write_attribute(steps, "NSteps", frames);
}

void VtkhdfViews::cut(std::int64_t frames, const ViewFrame& end, std::int64_t longest) {
  commit(frames);
  counting_.cut(static_cast<hsize_t>(longest));
  contact_offsets_.cut(static_cast<hsize_t>(end.contact_row + frames));
  chain_offsets_.cut(static_cast<hsize_t>(end.contact_row + frames));
  if (body_offsets_) body_offsets_->cut(static_cast<hsize_t>(end.body_row + frames));
}

// A multi-block data set whose blocks are links into the run. ParaView takes the time steps from
// the blocks: all of them have the frames of the run, and the root has none.
void write_vtkhdf_stub(const std::filesystem::path& run, const ViewSizes& sizes) {
  const std::filesystem::path path = companion(run, "vtkhdf");
  std::filesystem::remove(path);
  const Handle file = hdf5::create_file(path);
  const Handle root = create_ordered_group(file, "VTKHDF");
  hdf5::write_attribute(root, "Version", std::vector<std::int64_t>{2, 0});
  hdf5::write_fixed_text_attribute(root, "Type", "MultiBlockDataSet");
  const Handle assembly = create_ordered_group(root, "Assembly");
  for (const std::string_view view : view_names) {
    if (!sizes.has(view)) continue;
    const std::string name(view);
    hdf5::check(H5Lcreate_external(run.filename().c_str(), group_of(view).c_str(), root,
                                   name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                "link to the run");
    hdf5::check(H5Lcreate_soft(("/VTKHDF/" + name).c_str(), assembly, name.c_str(), H5P_DEFAULT,
                               H5P_DEFAULT),
                "link to a block");
  }
}

}  // namespace talus
