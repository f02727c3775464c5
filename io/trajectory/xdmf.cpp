// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/xdmf.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "io/text/printable.hpp"

namespace talus {

namespace {

constexpr std::string_view closing_tags = "</Grid></Domain></Xdmf>\n";

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

std::string attributes(const std::string& file, std::span<const ViewArray> arrays,
                       std::string_view centre, std::int64_t first, std::int64_t count) {
  std::string text;
  for (const ViewArray& array : arrays) {
    const char* kind =
        array.components == 1 ? "Scalar" : (array.components == 3 ? "Vector" : "Matrix");
    text +=
        fmt::format(R"(<Attribute Name="{}" AttributeType="{}" Center="{}">{}</Attribute>)",
                    array.name, kind, centre, rows(file, array, array.moving ? first : 0, count));
  }
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
// points.
std::string empty_grid(std::string_view view, double time) {
  return grid(
      view, time, points_topology(0),
      R"(<DataItem Dimensions="1" NumberType="Float" Precision="8" Format="XML">0</DataItem>)", "");
}

}  // namespace

std::string xdmf_entry(std::string_view view, const std::string& file, const ViewSizes& sizes,
                       const ViewFrame& frame) {
  const std::string name = xml_text(file);
  if (view == "bodies") {
    if (frame.body_count == 0) return empty_grid(view, frame.time);
    const auto arrays = sizes.varies ? std::span<const ViewArray>(varying_body_arrays)
                                     : std::span<const ViewArray>(body_arrays);
    return grid(view, frame.time, points_topology(frame.body_count),
                rows(name, body_points, frame.body_row, frame.body_count),
                attributes(name, arrays, "Node", frame.body_row, frame.body_count));
  }
  if (view == "mesh") {
    if (frame.mesh_count == 0) return empty_grid(view, frame.time);
    const auto arrays = sizes.varies ? std::span<const ViewArray>(varying_mesh_arrays)
                                     : std::span<const ViewArray>(mesh_arrays);
    constexpr ViewArray cells = {"", "/mesh/xdmf_topology", 1, Number::i64, false};
    const std::string topology = fmt::format(
        R"(<Topology TopologyType="Mixed" NumberOfElements="{}">{}</Topology>)",
        frame.polygon_count, rows(name, cells, frame.topology_row, frame.topology_count));
    return grid(view, frame.time, topology,
                rows(name, mesh_points, frame.mesh_row, frame.mesh_count),
                attributes(name, arrays, "Cell", frame.polygon_row, frame.polygon_count));
  }
  if (frame.contact_count == 0) return empty_grid(view, frame.time);
  if (view == "contacts") {
    return grid(view, frame.time, points_topology(frame.contact_count),
                rows(name, contact_points, frame.contact_row, frame.contact_count),
                attributes(name, contact_arrays, "Node", frame.contact_row, frame.contact_count));
  }
  constexpr ViewArray lines = {"", "/views/chains/Lines/Connectivity", 1, Number::i64, false};
  const std::string topology = fmt::format(
      R"(<Topology TopologyType="Polyline" NodesPerElement="2" NumberOfElements="{}">{}</Topology>)",
      frame.contact_count, rows(name, lines, 0, 2 * frame.contact_count));
  return grid(view, frame.time, topology,
              rows(name, chain_points, 2 * frame.contact_row, 2 * frame.contact_count),
              attributes(name, contact_arrays, "Cell", frame.contact_row, frame.contact_count));
}

XdmfFile::XdmfFile(const std::filesystem::path& path, std::string_view view) : path_(path) {
  std::filesystem::remove(path);
  descriptor_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor_ < 0)
    throw std::runtime_error(fmt::format("{}: cannot write: {}", path.string(), strerror(errno)));
  append(
      fmt::format("<?xml version=\"1.0\"?>\n<Xdmf Version=\"2.0\"><Domain><Grid Name=\"{}\" "
                  "GridType=\"Collection\" CollectionType=\"Temporal\">\n",
                  view));
}

XdmfFile::XdmfFile(XdmfFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      end_(other.end_) {}

XdmfFile::~XdmfFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

void XdmfFile::append(const std::string& entry) {
  const std::string text = entry + std::string(closing_tags);
  const auto written = pwrite(descriptor_, text.data(), text.size(), end_);
  if (written != static_cast<long>(text.size())) {
    const std::string reason = strerror(written < 0 ? errno : ENOSPC);
    // The space of the old closing tags is still allocated: restore the file.
    const bool restored =
        pwrite(descriptor_, closing_tags.data(), closing_tags.size(), end_) >= 0 &&
        ftruncate(descriptor_, end_ + static_cast<long>(closing_tags.size())) == 0;
    static_cast<void>(restored);
    throw std::runtime_error(fmt::format("{}: cannot write: {}", path_.string(), reason));
  }
  end_ += static_cast<long>(entry.size());
}

}  // namespace talus
