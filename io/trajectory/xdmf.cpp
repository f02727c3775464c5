// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/xdmf.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "io/text/printable.hpp"

namespace talus {

namespace {

struct Slab {  // rows of a dataset
  std::int64_t first = 0, count = 0;
};

std::string_view number_type(Number number) {
  switch (number) {
    case Number::f64:
      return R"(NumberType="Float" Precision="8")";
    case Number::f32:
      return R"(NumberType="Float" Precision="4")";
    case Number::i64:
      return R"(NumberType="Int" Precision="8")";
    case Number::i32:
      return R"(NumberType="Int" Precision="4")";
    case Number::u8:
      return R"(NumberType="UInt" Precision="1")";
  }
  return {};
}

// Rows [first, first + count) of a dataset. The extent given is the smallest that contains them:
// the dataset may have grown since, or not be finished yet. Constant topology is written in the
// same way: ParaView reports an error if hyperslabs and plain items are mixed.
std::string rows(const std::string& file, const ViewArray& array, std::int64_t first,
                 std::int64_t count) {
  const bool table = array.components > 1;
  const std::string shape =
      table ? fmt::format("{} {}", count, array.components) : fmt::format("{}", count);
  const std::string whole = table ? fmt::format("{} {}", first + count, array.components)
                                  : fmt::format("{}", first + count);
  const std::string selection =
      table ? fmt::format("{} 0 1 1 {}", first, shape) : fmt::format("{} 1 {}", first, shape);
  return fmt::format(
      R"(<DataItem ItemType="HyperSlab" Dimensions="{}"><DataItem Dimensions="3 {}" NumberType="Int" )"
      R"(Format="XML">{}</DataItem><DataItem Dimensions="{}" {} Format="HDF">{}:{}</DataItem></DataItem>)",
      shape, table ? 2 : 1, selection, whole, number_type(array.number), file, array.dataset);
}

std::string_view attribute_type(const ViewArray& array) {
  return array.components == 1 ? "Scalar" : (array.components == 3 ? "Vector" : "Matrix");
}

std::string attributes(const std::string& file, std::span<const ViewArray> arrays,
                       std::string_view centre, std::int64_t first, std::int64_t count) {
  std::string text;
  for (const ViewArray& array : arrays)
    text += fmt::format(R"(<Attribute Name="{}" AttributeType="{}" Center="{}">{}</Attribute>)",
                        array.name, attribute_type(array), centre,
                        rows(file, array, array.moving ? first : 0, count));
  return text;
}

std::string grid(std::string_view view, double time, const std::string& topology,
                 const std::string& geometry, const std::string& data) {
  return fmt::format(
      R"(<Grid Name="{}" GridType="Uniform"><Time Value="{}"/>{}<Geometry GeometryType="XYZ">{}</Geometry>{}</Grid>)"
      "\n",
      view, time, topology, geometry, data);
}

std::string points_topology(std::int64_t count) {
  return fmt::format(
      R"(<Topology TopologyType="Polyvertex" NumberOfElements="{}" NodesPerElement="1"/>)", count);
}

// A frame with nothing to show. ParaView's reader divides the number of values by three to get the
// number of points, and uses an uninitialised number if there are none. A single value gives zero
// points. Arrays of one row keep their names and types in such a frame.
std::string empty_grid(std::string_view view, double time, std::span<const ViewArray> arrays,
                       std::string_view centre) {
  std::string data;
  for (const ViewArray& array : arrays) {
    const bool table = array.components > 1;
    std::string zeros = "0";
    for (int k = 1; k < array.components; ++k) zeros += " 0";
    data += fmt::format(
        R"(<Attribute Name="{}" AttributeType="{}" Center="{}"><DataItem Dimensions="1{}" {} Format="XML">{}</DataItem></Attribute>)",
        array.name, attribute_type(array), centre,
        table ? fmt::format(" {}", array.components) : "", number_type(array.number), zeros);
  }
  return grid(
      view, time, points_topology(0),
      R"(<DataItem Dimensions="1" NumberType="Float" Precision="8" Format="XML">0</DataItem>)",
      data);
}

}  // namespace

std::string xdmf_entry(std::string_view view, const std::string& file, const ViewSizes& sizes,
                       const ViewFrame& frame) {
  const std::string name = xml_text(file);
  const auto surfaces = [&](std::string_view cells, const ViewArray& points,
                            std::span<const ViewArray> arrays, const Slab& topology,
                            const Slab& vertices, const Slab& polygons) {
    if (vertices.count == 0) return empty_grid(view, frame.time, arrays, "Cell");
    const ViewArray numbers = {"", cells, 1, Number::i64, false};
    const std::string text =
        fmt::format(R"(<Topology TopologyType="Mixed" NumberOfElements="{}">{}</Topology>)",
                    polygons.count, rows(name, numbers, topology.first, topology.count));
    return grid(view, frame.time, text, rows(name, points, vertices.first, vertices.count),
                attributes(name, arrays, "Cell", polygons.first, polygons.count));
  };
  if (view == "bodies") {
    const auto arrays = sizes.varies ? std::span<const ViewArray>(varying_body_arrays)
                                     : std::span<const ViewArray>(body_arrays);
    if (frame.body_count == 0) return empty_grid(view, frame.time, arrays, "Node");
    return grid(view, frame.time, points_topology(frame.body_count),
                rows(name, sizes.points_of_bodies(), frame.body_row, frame.body_count),
                attributes(name, arrays, "Node", frame.body_row, frame.body_count));
  }
  if (view == "mesh")
    return surfaces("/mesh/xdmf_topology", mesh_points,
                    sizes.varies ? std::span<const ViewArray>(varying_mesh_arrays)
                                 : std::span<const ViewArray>(mesh_arrays),
                    {frame.topology_row, frame.topology_count}, {frame.mesh_row, frame.mesh_count},
                    {frame.polygon_row, frame.polygon_count});
  if (view == "walls")
    return surfaces("/walls/xdmf_topology", wall_points, wall_arrays, {0, sizes.wall_topology()},
                    {frame.wall_row, frame.wall_count},
                    {frame.wall_polygon_row, frame.wall_polygon_count});
  const std::string_view centre = view == "contacts" ? "Node" : "Cell";
  if (frame.contact_count == 0) return empty_grid(view, frame.time, contact_arrays, centre);
  if (view == "contacts") {
    return grid(view, frame.time, points_topology(frame.contact_count),
                rows(name, contact_points, frame.contact_row, frame.contact_count),
                attributes(name, contact_arrays, centre, frame.contact_row, frame.contact_count));
  }
  constexpr ViewArray lines = {"", "/views/chains/Lines/Connectivity", 1, Number::i64, false};
  const std::string topology = fmt::format(
      R"(<Topology TopologyType="Polyline" NodesPerElement="2" NumberOfElements="{}">{}</Topology>)",
      frame.contact_count, rows(name, lines, 0, 2 * frame.contact_count));
  return grid(view, frame.time, topology,
              rows(name, chain_points, 2 * frame.contact_row, 2 * frame.contact_count),
              attributes(name, contact_arrays, centre, frame.contact_row, frame.contact_count));
}

XdmfFile::XdmfFile(const std::filesystem::path& path, std::span<const std::string_view> blocks)
    : path_(path) {
  std::filesystem::remove(path);
  for (const std::string_view block : blocks) blocks_.push_back({std::string(block)});
  make_room(std::vector<std::string>(blocks.size()));
}

XdmfFile::XdmfFile(XdmfFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      blocks_(std::move(other.blocks_)) {}

XdmfFile::~XdmfFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void XdmfFile::make_room(std::span<const std::string> entries) {
  constexpr long least_room = 4096;
  std::string text = "<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\"><Domain>\n";
  std::vector<Block> larger = blocks_;
  for (std::size_t k = 0; k < larger.size(); ++k) {
    Block& block = larger[k];
    text += fmt::format("<Grid Name=\"{}\" GridType=\"Collection\" CollectionType=\"Temporal\">\n",
                        block.name);
    std::string list(static_cast<std::size_t>(block.used), ' ');
    if (block.used > 0 && pread(descriptor_, list.data(), list.size(), block.start) != block.used)
      throw std::runtime_error(fmt::format("{}: cannot read it again", path_.string()));
    block.start = static_cast<long>(text.size());
    block.room = least_room;
    while (block.room < block.used + static_cast<long>(entries[k].size())) block.room *= 2;
    list.resize(static_cast<std::size_t>(block.room), ' ');
    text += list + "\n</Grid>\n";
  }
  text += "</Domain></Xdmf>\n";

  const std::filesystem::path whole = path_.string() + ".unfinished";
  const int file = open(whole.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  std::string reason = file < 0 ? strerror(errno) : "";
  if (file >= 0) {
    const auto written = ::write(file, text.data(), text.size());
    if (written != static_cast<long>(text.size())) reason = strerror(written < 0 ? errno : ENOSPC);
    if (reason.empty() && rename(whole.c_str(), path_.c_str()) != 0) reason = strerror(errno);
  }
  if (!reason.empty()) {
    if (file >= 0) close(file);
    unlink(whole.c_str());
    throw std::runtime_error(fmt::format("{}: cannot write: {}", path_.string(), reason));
  }
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = file;
  blocks_ = std::move(larger);
}

void XdmfFile::append(std::span<const std::string> entries) {
  for (std::size_t k = 0; k < blocks_.size(); ++k)
    if (blocks_[k].used + static_cast<long>(entries[k].size()) > blocks_[k].room) {
      make_room(entries);
      break;
    }
  for (std::size_t k = 0; k < blocks_.size(); ++k) {
    Block& block = blocks_[k];
    const auto size = static_cast<long>(entries[k].size());
    const auto written =
        pwrite(descriptor_, entries[k].data(), entries[k].size(), block.start + block.used);
    if (written != size)
      throw std::runtime_error(fmt::format("{}: cannot write: {}", path_.string(),
                                           strerror(written < 0 ? errno : ENOSPC)));
    block.used += size;
  }
}

}  // namespace talus
