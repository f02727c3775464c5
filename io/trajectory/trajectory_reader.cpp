// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/trajectory_reader.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <sstream>
#include <utility>

#include "io/hdf5/hdf5_data.hpp"
#include "io/hdf5/hdf5_survey.hpp"
#include "io/hdf5/read_lock.hpp"
#include "io/hdf5/trial.hpp"
#include "io/hdf5/write_claim.hpp"
#include "io/text/input_error.hpp"
#include "io/text/missing_file.hpp"
#include "io/text/printable.hpp"
#include "io/text/regular_file.hpp"
#include "io/trajectory/run_names.hpp"
#include "io/trajectory/series_columns.hpp"
#include "io/trajectory/shape_rows.hpp"
#include "io/trajectory/stored_columns.hpp"
#include "io/trajectory/stored_state.hpp"

namespace talus {

namespace {

using hdf5::Failure;
using hdf5::Handle;

constexpr std::int64_t most_bodies = std::int64_t{1} << 31;  // bodies are numbered by 32 bits

template <class T>
T one(hid_t object, const std::string& name) {
  return hdf5::read_attribute<T>(object, name).front();
}

std::vector<Vec<3>> vectors(const std::vector<double>& values) {
  std::vector<Vec<3>> result;
  result.reserve(values.size() / 3);
  for (std::size_t i = 0; i + 3 <= values.size(); i += 3) {
    result.emplace_back(&values[i]);
  }
  return result;
}

std::vector<Eigen::Quaterniond> quaternions(const std::vector<double>& values) {
  std::vector<Eigen::Quaterniond> result;
  result.reserve(values.size() / 4);
  for (std::size_t i = 0; i < values.size(); i += 4)
    result.emplace_back(values[i], values[i + 1], values[i + 2], values[i + 3]);
  return result;
}

std::vector<SceneRecord> read_records(hid_t file) {
  std::vector<SceneRecord> records;
  if (!hdf5::exists(file, "/meta/records")) return records;  // written by an older version
  for (const std::string& member : hdf5::members(file, "/meta/records")) {
    const std::string path = "/meta/records/" + member;
    const auto bytes = hdf5::read_all<std::uint8_t>(file, path);
    const Handle dataset(H5Dopen2(file, path.c_str(), H5P_DEFAULT), "open " + path);
    records.push_back(
        {hdf5::read_text_attribute(dataset, "name"), std::string(bytes.begin(), bytes.end())});
  }
  return records;
}

// Names are untrusted and are printed to terminals.
std::vector<std::string> printable_texts(hid_t file, const char* name) {
  std::vector<std::string> texts = hdf5::read_texts(file, name);
  for (std::string& text : texts) text = printable(text);
  return texts;
}

RunHeader read_header(hid_t file) {
  if (!hdf5::has_attribute(file, "format") ||
      hdf5::read_text_attribute(file, "format") != "granular-trajectory")
    throw Failure("not a trajectory file");
  const auto version = hdf5::read_attribute<std::int32_t>(file, "format_version");
  if (version.front() != format_major)
    throw Failure(fmt::format("trajectory format {} is not known, this program reads {}",
                              version.front(), format_major));
  RunHeader header;
  header.format_minor = version.size() > 1 ? version[1] : 0;
  header.dimension = one<std::int32_t>(file, "dim");
  if (header.dimension != 2 && header.dimension != 3)
    throw Failure(fmt::format("dim is {}, expected 2 or 3", header.dimension));
  header.complete = one<std::int8_t>(file, "complete") != 0;
  header.version = printable(hdf5::read_text_attribute(file, "creator_version"));
  if (hdf5::has_attribute(file, "creator_commit"))  // since format 1.3
    header.commit = printable(hdf5::read_text_attribute(file, "creator_commit"));
  header.created = printable(hdf5::read_text_attribute(file, "created"));
  header.scene_text = hdf5::read_text(file, "/meta/scene");
  header.command_line = printable(hdf5::read_text(file, "/meta/command_line"));
  header.overrides = hdf5::read_texts(file, "/meta/overrides");
  header.records = read_records(file);

  const Handle meta(H5Gopen2(file, "/meta", H5P_DEFAULT), "open /meta");
  header.dynamics = printable(hdf5::read_text_attribute(meta, "dynamics"));
  header.solver = printable(hdf5::read_text_attribute(meta, "solver"));
  const auto gravity = hdf5::read_attribute<double>(meta, "gravity");
  if (gravity.size() != 3) throw Failure("attribute gravity has not 3 values");
  header.gravity = {gravity[0], gravity[1], gravity[2]};
  header.h = one<double>(meta, "dt");
  header.theta = one<double>(meta, "theta");
  header.end = one<double>(meta, "end");
  if (hdf5::has_attribute(meta, "checkpoint_step"))  // not in files of earlier versions
    header.checkpoint_step = one<std::int64_t>(meta, "checkpoint_step");
  header.tolerance = one<double>(meta, "tolerance");
  if (hdf5::has_attribute(meta, "penetration_limit")) {  // not in files of the first version
    header.limits.penetration = one<double>(meta, "penetration_limit");
    header.limits.energy_gain = one<double>(meta, "energy_gain_limit");
  }
  header.save_every = one<std::int64_t>(meta, "save_every");
  header.max_iterations = one<std::int64_t>(meta, "max_iterations");
  header.threads = one<std::int64_t>(meta, "threads");
  header.applied_forces = one<std::int64_t>(meta, "applied_forces");
  header.springs = one<std::int64_t>(meta, "springs");
  header.joints = one<std::int64_t>(meta, "joints");
  if (header.joints < 0 || header.joints > most_bodies) throw Failure("attribute joints is absurd");
  if (hdf5::exists(file, "/bonds/count") && hdf5::extent(file, "/bonds/count").rows > 0)
    header.bonds = hdf5::read_rows<std::int64_t>(file, "/bonds/count", 1, 0, 1).front();
  if (header.bonds < 0 || header.bonds > most_bodies) throw Failure("/bonds/count is absurd");
  header.emitters = one<std::int64_t>(meta, "emitters");
  header.outlets = one<std::int64_t>(meta, "outlets");
  for (const std::int64_t count : {header.emitters, header.outlets})
    if (count < 0 || count > 10000) throw Failure("attribute emitters or outlets is absurd");
  if (header.complete && hdf5::exists(file, end_state_path)) {
    const Handle end(H5Gopen2(file, end_state_path, H5P_DEFAULT), "open the state at the end");
    if (hdf5::has_attribute(end, "stopped_by"))
      header.stopped_by = printable(hdf5::read_text_attribute(end, "stopped_by"));
  }
  return header;
}

template <class Column>
void expect_rows(const Column& column, std::size_t rows, const std::string& name) {
  if (column.size() != rows)
    throw Failure(fmt::format("dataset {} has {} rows, expected {}", name, column.size(), rows));
}

BodyTable read_bodies(hid_t file, std::size_t materials) {
  BodyTable bodies;
  bodies.id = hdf5::read_all<std::int64_t>(file, "/bodies/id");
  const std::size_t n = bodies.id.size();
  if (static_cast<std::int64_t>(n) >= most_bodies) throw Failure("too many bodies");
  bodies.name = printable_texts(file, "/bodies/name");
  bodies.shape_type = hdf5::read_all<std::uint8_t>(file, "/bodies/shape_type");
  bodies.shape = hdf5::read_all<std::int32_t>(file, "/bodies/shape");
  bodies.material = hdf5::read_all<std::int32_t>(file, "/bodies/material");
  bodies.fixed = hdf5::read_all<std::uint8_t>(file, "/bodies/fixed");
  bodies.mass = hdf5::read_all<double>(file, "/bodies/mass");
  bodies.inertia = vectors(hdf5::read_all<double>(file, "/bodies/inertia", 3));
  bodies.inertia_axes = quaternions(hdf5::read_all<double>(file, "/bodies/inertia_axes", 4));
  bodies.radius = hdf5::read_all<double>(file, "/bodies/radius");
  bodies.diameter = hdf5::read_all<double>(file, "/bodies/diameter");
  expect_rows(bodies.name, n, "/bodies/name");
  expect_rows(bodies.shape_type, n, "/bodies/shape_type");
  expect_rows(bodies.shape, n, "/bodies/shape");
  expect_rows(bodies.material, n, "/bodies/material");
  expect_rows(bodies.fixed, n, "/bodies/fixed");
  expect_rows(bodies.mass, n, "/bodies/mass");
  expect_rows(bodies.inertia, n, "/bodies/inertia");
  expect_rows(bodies.inertia_axes, n, "/bodies/inertia_axes");
  expect_rows(bodies.radius, n, "/bodies/radius");
  expect_rows(bodies.diameter, n, "/bodies/diameter");
  for (std::int32_t material : bodies.material)
    if (material < 0 || static_cast<std::size_t>(material) >= materials)
      throw Failure(fmt::format("/bodies/material names material {} of {}", material, materials));
  return bodies;
}

PairTable read_laws(const StoredColumns& columns, std::size_t materials) {
  const auto read = [&](const char* name) {
    std::vector<double> table =
        columns.read_all<double>(name, std::max<int>(1, static_cast<int>(materials)), materials);
    expect_rows(table, materials * materials, name);
    return table;
  };
  const auto friction = read("/materials/friction");
  const auto restitution = read("/materials/restitution");
  const auto tangential = read("/materials/tangential_restitution");
  const auto adhesion = read("/materials/adhesion");
  const auto range = read("/materials/adhesion_range");
  const auto rolling = read("/materials/rolling_friction");
  const auto spinning = read("/materials/spinning_friction");
  const auto tension = read("/materials/bond_tension");
  const auto cohesion = read("/materials/bond_cohesion");
  const auto bond_friction = read("/materials/bond_friction");
  const auto fracture_energy = read("/materials/bond_fracture_energy");
  PairTable laws(materials);
  for (std::size_t i = 0; i < materials; ++i)
    for (std::size_t j = 0; j < materials; ++j) {
      const std::size_t k = i * materials + j;
      ContactLaw law;
      law.friction = friction[k];
      law.restitution = restitution[k];
      law.tangential_restitution = tangential[k];
      law.adhesion = adhesion[k];
      law.range = range[k];
      law.rolling_friction = rolling[k];
      law.spinning_friction = spinning[k];
      law.bond.tension = tension[k];
      law.bond.cohesion = cohesion[k];
      law.bond.friction = bond_friction[k];
      law.bond.fracture_energy = fracture_energy[k];
      laws.set(static_cast<int>(i), static_cast<int>(j), law);
    }
  return laws;
}

void read_polygon_sizes(hid_t file, const std::string& group, std::int64_t& polygons,
                        std::int64_t& corners) {
  const hsize_t offsets = hdf5::extent(file, group + "/polygon_offset").rows;
  if (offsets == 0) throw Failure("dataset " + group + "/polygon_offset is empty");
  polygons = static_cast<std::int64_t>(offsets) - 1;
  corners = static_cast<std::int64_t>(hdf5::extent(file, group + "/polygons").rows);
}

ViewSizes read_view_sizes(hid_t file, const RunHeader& header, std::size_t bodies) {
  ViewSizes sizes;
  sizes.bodies = static_cast<std::int64_t>(bodies);
  sizes.varies = header.population_varies();
  sizes.periodic = hdf5::exists(file, "/cell");
  if (hdf5::exists(file, "/walls")) {
    const Handle walls(H5Gopen2(file, "/walls", H5P_DEFAULT), "open /walls");
    sizes.wall_vertices = one<std::int64_t>(walls, "vertices");
    if (sizes.wall_vertices < 1) throw Failure("/walls has no vertices");
    read_polygon_sizes(file, "/walls", sizes.wall_polygons, sizes.wall_corners);
  }
  if (!hdf5::exists(file, "/mesh")) return sizes;
  const Handle mesh(H5Gopen2(file, "/mesh", H5P_DEFAULT), "open /mesh");
  sizes.mesh_vertices = one<std::int64_t>(mesh, "vertices");
  if (sizes.mesh_vertices < 1) throw Failure("/mesh has no vertices");
  if (sizes.varies) {
    sizes.polygons = one<std::int64_t>(mesh, "polygons");
    sizes.corners = one<std::int64_t>(mesh, "corners");
  } else {
    read_polygon_sizes(file, "/mesh", sizes.polygons, sizes.corners);
  }
  return sizes;
}

// Checks that the rows of a frame begin where those of the last frame ended.
void expect_to_follow(std::int64_t row, std::int64_t count, std::int64_t& next, const char* what,
                      std::size_t frame) {
  constexpr std::int64_t most_rows = std::int64_t{1} << 48;
  if (row != next || count < 0 || count > most_rows)
    throw Failure(fmt::format("/frames: {} rows of frame {} do not follow the last", what, frame));
  next += count;
}

std::vector<Frame> read_frames(hid_t file, const ViewSizes& sizes) {
  const auto time = hdf5::read_all<double>(file, "/frames/time");  // one entry per frame
  const auto column = [&](const std::string& name) {
    return hdf5::read_rows<std::int64_t>(file, "/frames/" + name, 1, 0, time.size());
  };
  const auto step = column("step"), body_row = column("body_row"),
             body_count = column("body_count"), contact_row = column("contact_row"),
             contact_count = column("contact_count"), mesh_row = column("mesh_row"),
             polygon_row = column("polygon_row");
  std::vector<std::int64_t> mesh_count, polygon_count, corner_row, corner_count, topology_row,
      topology_count;
  if (sizes.varies) {
    mesh_count = column("mesh_count");
    polygon_count = column("polygon_count");
    corner_row = column("corner_row");
    corner_count = column("corner_count");
    topology_row = column("topology_row");
    topology_count = column("topology_count");
  }
  std::vector<Frame> frames(time.size());
  ViewFrame next;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    ViewFrame& rows = frames[k].rows;
    frames[k].step = step[k];
    count_all(sizes, rows);
    rows.wall_row = static_cast<std::int64_t>(k) * sizes.wall_vertices;
    rows.wall_polygon_row = static_cast<std::int64_t>(k) * sizes.wall_polygons;
    rows.time = time[k];
    rows.body_row = body_row[k];
    rows.mesh_row = mesh_row[k];
    rows.polygon_row = polygon_row[k];
    rows.contact_row = contact_row[k];
    rows.contact_count = contact_count[k];
    if (sizes.varies) {
      rows.body_count = body_count[k];
      rows.mesh_count = mesh_count[k];
      rows.polygon_count = polygon_count[k];
      rows.corner_row = corner_row[k];
      rows.corner_count = corner_count[k];
      rows.topology_row = topology_row[k];
      rows.topology_count = topology_count[k];
      expect_to_follow(rows.mesh_row, rows.mesh_count, next.mesh_row, "mesh", k);
      expect_to_follow(rows.polygon_row, rows.polygon_count, next.polygon_row, "polygon", k);
      expect_to_follow(rows.corner_row, rows.corner_count, next.corner_row, "corner", k);
      expect_to_follow(rows.topology_row, rows.topology_count, next.topology_row, "topology", k);
    }
    expect_to_follow(rows.body_row, rows.body_count, next.body_row, "body", k);
    expect_to_follow(rows.contact_row, rows.contact_count, next.contact_row, "contact", k);
    if (rows.body_count != body_count[k] || rows.body_count > sizes.bodies)
      throw Failure(fmt::format("/frames: body rows of frame {} do not follow the last", k));
    if (rows.mesh_row < 0 || rows.polygon_row < 0)
      throw Failure(fmt::format("/frames: mesh rows of frame {} are negative", k));
  }
  return frames;
}

// Fills one field of every certificate from its column, for any type of field.
struct ColumnReader {
  StoredColumns columns;
  hsize_t rows;
  std::vector<Certificate>& steps;

  template <class T>
  void operator()(const char* name, const char*, T Certificate::*member) const {
    using Stored =
        std::conditional_t<std::is_same_v<T, double>, double,
                           std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, std::int64_t>>;
    const auto values = columns.read<Stored>(std::string("/series/") + name, 1, 0, rows);
    for (std::size_t i = 0; i < values.size(); ++i) steps[i].*member = static_cast<T>(values[i]);
  }
};

// Reads the rows that all columns have: in a killed run some columns may be longer than others.
MeasureSeries read_measure(hid_t file, const std::string& name) {
  MeasureSeries measure;
  const std::string path = "/measures/" + name;
  const Handle group(H5Gopen2(file, path.c_str(), H5P_DEFAULT), "open " + path);
  measure.every = one<std::int64_t>(group, "every");
  std::istringstream columns(hdf5::read_text_attribute(group, "columns"));
  for (std::string column; std::getline(columns, column, ',');) measure.columns.push_back(column);
  hsize_t rows =
      std::min(hdf5::extent(file, path + "/step").rows, hdf5::extent(file, path + "/time").rows);
  for (const std::string& column : measure.columns)
    rows = std::min(rows, hdf5::extent(file, path + "/" + column).rows);
  measure.step = hdf5::read_rows<std::int64_t>(file, path + "/step", 1, 0, rows);
  measure.time = hdf5::read_rows<double>(file, path + "/time", 1, 0, rows);
  for (const std::string& column : measure.columns)
    measure.values.push_back(hdf5::read_rows<double>(file, path + "/" + column, 1, 0, rows));
  measure.name = printable(name);
  for (std::string& column : measure.columns) column = printable(column);
  return measure;
}

}  // namespace

struct TrajectoryReader::Content {
  std::string path;
  std::unique_ptr<const ReadLock> lock;  // keeps the file unchanged
  Handle file;
  RunHeader header;
  std::vector<std::string> materials;
  PairTable laws;
  BodyTable bodies;
  ViewSizes sizes;
  std::vector<Frame> frames;

  StoredColumns columns() const { return {file, header.format_minor}; }

  template <class F>
  auto guarded(F&& f) const try {
    const Hdf5Silence silence;
    return f();
  } catch (const Failure& failure) {
    throw InputError(fmt::format("{}: {}", path, failure.what()));
  }
};

TrajectoryReader::TrajectoryReader(const std::filesystem::path& path)
    : TrajectoryReader(path, tried(path)) {}

TrajectoryReader::TrajectoryReader(const std::filesystem::path& path,
                                   std::unique_ptr<Content> content)
    : content_(std::move(content)) {
  Content& c = *content_;
  c.path = path.string();
  c.guarded([&] {
    c.file = hdf5::open_file(path, hdf5::Access::read);
    c.header = read_header(c.file);
    hdf5::survey(c.file);
    c.materials = printable_texts(c.file, "/materials/name");
    if (c.materials.size() > 10000) throw Failure("too many materials");
    c.laws = read_laws(c.columns(), c.materials.size());
    c.bodies = read_bodies(c.file, c.materials.size());
    c.sizes = read_view_sizes(c.file, c.header, c.bodies.size());
    c.frames = read_frames(c.file, c.sizes);
  });
}

// A child process runs the survey and reads the tables and two frames. If it does not crash, the
// file can be opened.
void TrajectoryReader::unlock() { content_->lock.reset(); }

void TrajectoryReader::lock() { content_->lock = std::make_unique<ReadLock>(content_->path); }

std::unique_ptr<TrajectoryReader::Content> TrajectoryReader::tried(
    const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw InputError(fmt::format("{}: no such file{}", path.string(), meant_instead(path)));
  require_regular_file(path);
  finish_flush(real_path(path));
  auto content = std::make_unique<Content>();
  content->lock = std::make_unique<ReadLock>(path);
  const auto attempt = [&] {
    const TrajectoryReader reader(path, std::make_unique<Content>());
    reader.series();
    reader.measures();
    if (reader.frames().empty()) return;
    for (std::size_t k : {std::size_t{0}, reader.frames().size() - 1}) {
      reader.state(k);
      reader.contacts(k);
      reader.joints(k);
      reader.bonds(k);
      reader.population(k);
    }
  };
  if (!survives(path, attempt))
    throw InputError(fmt::format("{}: damaged so that HDF5 cannot read it", path.string()));
  return content;
}

TrajectoryReader::~TrajectoryReader() = default;
TrajectoryReader::TrajectoryReader(TrajectoryReader&&) noexcept = default;

const std::string& TrajectoryReader::path() const { return content_->path; }
const RunHeader& TrajectoryReader::header() const { return content_->header; }
const BodyTable& TrajectoryReader::bodies() const { return content_->bodies; }
const std::vector<std::string>& TrajectoryReader::materials() const { return content_->materials; }
const PairTable& TrajectoryReader::laws() const { return content_->laws; }
const std::vector<Frame>& TrajectoryReader::frames() const { return content_->frames; }

ViewSizes TrajectoryReader::view_sizes() const { return content_->sizes; }

std::vector<StoredShape> TrajectoryReader::shapes() const {
  return content_->guarded([&] {
    std::vector<StoredShape> shapes = read_shapes(content_->file);
    const auto count = static_cast<std::int32_t>(shapes.size());
    for (const std::int32_t shape : content_->bodies.shape)
      if (shape < -1 || shape >= count)
        throw Failure(fmt::format("/bodies/shape names shape {} of {}", shape, count));
    return shapes;
  });
}

FrameState TrajectoryReader::state_in_cell(std::size_t frame) const {
  FrameState state = this->state(frame);
  if (state.cell) state.position = state.place;
  return state;
}

FrameState TrajectoryReader::state(std::size_t frame) const {
  return content_->guarded([&] {
    const ViewFrame& rows = content_->frames.at(frame).rows;
    const auto read = [&](const std::string& name, int columns) {
      return hdf5::read_rows<double>(content_->file, "/state/" + name, columns,
                                     static_cast<hsize_t>(rows.body_row),
                                     static_cast<hsize_t>(rows.body_count));
    };
    FrameState state;
    const auto all = static_cast<std::int32_t>(content_->bodies.size());
    if (content_->sizes.varies) {
      state.body = hdf5::read_rows<std::int32_t>(content_->file, "/state/body", 1,
                                                 static_cast<hsize_t>(rows.body_row),
                                                 static_cast<hsize_t>(rows.body_count));
      std::vector<char> seen(content_->bodies.size());
      for (const std::int32_t body : state.body)
        if (body < 0 || body >= all || std::exchange(seen[static_cast<std::size_t>(body)], 1))
          throw Failure(fmt::format("/state/body of frame {} names body {} of {}, or twice", frame,
                                    body, all));
    } else {
      state.body.resize(content_->bodies.size());
      std::iota(state.body.begin(), state.body.end(), 0);
    }
    state.position = vectors(read("position", 3));
    if (content_->sizes.periodic) {
      const auto matrix = [&](const char* name) {
        const std::vector<double> x =
            hdf5::read_rows<double>(content_->file, std::string("/cell/") + name, 9, frame, 1);
        return Mat<3>(Mat<3>(x.data()).transpose());
      };
      Lattice<3>& cell = state.cell.emplace();
      cell.A = matrix("vectors");
      cell.L = matrix("velocity_gradient");
      for (int k = 0; k < 3; ++k) {
        cell.periodic[static_cast<std::size_t>(k)] = !cell.A.col(k).isZero(0);
        if (cell.A.col(k).isZero(0)) cell.A(k, k) = 1;
        if (!(cell.A(k, k) > 0) || !cell.A.allFinite() || !cell.L.allFinite())
          throw Failure(fmt::format("/cell of frame {} is no cell", frame));
      }
      state.place = vectors(read("place", 3));
    }
    state.orientation = quaternions(read("orientation", 4));
    state.velocity = vectors(read("velocity", 3));
    state.angular_velocity = vectors(read("angular_velocity", 3));
    return state;
  });
}

FrameContacts TrajectoryReader::contacts(std::size_t frame) const {
  return content_->guarded([&] {
    const ViewFrame& rows = content_->frames.at(frame).rows;
    const auto read = [&]<class T>(const std::string& name, int width, T) {
      return content_->columns().read<T>("/contacts/" + name, width,
                                         static_cast<hsize_t>(rows.contact_row),
                                         static_cast<hsize_t>(rows.contact_count));
    };
    FrameContacts contacts;
    contacts.point = vectors(read("point", 3, double{}));
    contacts.normal = vectors(read("normal", 3, double{}));
    contacts.force = vectors(read("force", 3, double{}));
    contacts.velocity = vectors(read("velocity", 3, double{}));
    contacts.normal_force = read("normal_force", 1, double{});
    contacts.gap = read("gap", 1, double{});
    contacts.body_a = read("body_a", 1, std::int32_t{});
    contacts.body_b = read("body_b", 1, std::int32_t{});
    contacts.status = read("status", 1, std::uint8_t{});
    contacts.adhesion.assign(contacts.size(), 0.0);
    if (hdf5::exists(content_->file, "/contacts/adhesion"))
      contacts.adhesion = read("adhesion", 1, double{});
    contacts.cohesion.assign(contacts.size(), 0.0);
    contacts.bond.assign(contacts.size(), -1);
    if (hdf5::exists(content_->file, "/contacts/bond")) {
      contacts.cohesion = read("cohesion", 1, double{});
      contacts.bond = read("bond", 1, std::int32_t{});
    }
    contacts.moment.assign(contacts.size(), Vec<3>::Zero());
    if (hdf5::exists(content_->file, "/contacts/moment"))
      contacts.moment = vectors(read("moment", 3, double{}));
    const auto n = static_cast<std::int32_t>(content_->bodies.size());
    for (const auto* column : {&contacts.body_a, &contacts.body_b})
      for (std::int32_t body : *column)
        if (body < 0 || body >= n)
          throw Failure(fmt::format("/contacts of frame {} names body {} of {}", frame, body, n));
    return contacts;
  });
}

FrameBonds TrajectoryReader::bonds(std::size_t frame) const {
  return content_->guarded([&] {
    FrameBonds bonds;
    const hid_t file = content_->file;
    const auto count = static_cast<hsize_t>(content_->header.bonds);
    if (count == 0) return bonds;
    const auto read = [&]<class T>(const std::string& name, int width, T) {
      return hdf5::read_rows<T>(file, "/bonds/" + name, width, frame * count, count);
    };
    bonds.body_a = read("body_a", 1, std::int32_t{});
    bonds.body_b = read("body_b", 1, std::int32_t{});
    bonds.point = vectors(read("point", 3, double{}));
    bonds.normal = vectors(read("normal", 3, double{}));
    bonds.area = read("area", 1, double{});
    bonds.damage = read("damage", 1, double{});
    bonds.opening = read("opening", 1, double{});
    const auto n = static_cast<std::int32_t>(content_->bodies.size());
    for (const auto* column : {&bonds.body_a, &bonds.body_b})
      for (const std::int32_t body : *column)
        if (body < 0 || body >= n)
          throw Failure(fmt::format("/bonds of frame {} names body {} of {}", frame, body, n));
    return bonds;
  });
}

FrameJoints TrajectoryReader::joints(std::size_t frame) const {
  return content_->guarded([&] {
    FrameJoints joints;
    const auto count = static_cast<std::size_t>(content_->header.joints);
    if (count == 0) return joints;
    const hid_t file = content_->file;
    joints.body_a = hdf5::read_all<std::int32_t>(file, "/joints/body_a");
    joints.body_b = hdf5::read_all<std::int32_t>(file, "/joints/body_b");
    expect_rows(joints.body_a, count, "/joints/body_a");
    expect_rows(joints.body_b, count, "/joints/body_b");
    const auto n = static_cast<std::int32_t>(content_->bodies.size());
    for (const auto* column : {&joints.body_a, &joints.body_b})
      for (std::int32_t body : *column)
        if (body < -1 || body >= n)
          throw Failure(fmt::format("/joints names body {} of {}", body, n));
    const auto read = [&](const std::string& name) {
      return vectors(hdf5::read_rows<double>(file, "/joints/" + name, 3, frame * count, count));
    };
    joints.point = read("point");
    joints.force = read("force");
    joints.torque = read("torque");
    return joints;
  });
}

FramePopulation TrajectoryReader::population(std::size_t frame) const {
  return content_->guarded([&] {
    FramePopulation population;
    const hid_t file = content_->file;
    const RunHeader& header = content_->header;
    const int emitters = static_cast<int>(header.emitters);
    const int outlets = static_cast<int>(header.outlets);
    if (emitters > 0)
      population.born = hdf5::read_rows<std::int64_t>(file, "/frames/born", emitters, frame, 1);
    if (outlets > 0) {
      population.removed =
          hdf5::read_rows<std::int64_t>(file, "/frames/removed", outlets, frame, 1);
      population.removed_mass =
          hdf5::read_rows<double>(file, "/frames/removed_mass", outlets, frame, 1);
    }
    return population;
  });
}

ImpactTable TrajectoryReader::impacts() const {
  return content_->guarded([&] {
    const hid_t file = content_->file;
    const StoredColumns stored = content_->columns();
    hsize_t rows = hdf5::extent(file, "/impacts/step").rows;
    for (const char* name :
         {"impact", "body_a", "body_b", "normal", "percussion", "velocity_before", "velocity_after",
          "work", "quasi_normal_before", "quasi_normal_after", "quasi_normal_energy_before",
          "quasi_normal_energy_after", "quasi_tangential_energy_before",
          "quasi_tangential_energy_after"})
      rows = std::min(rows, stored.rows(std::string("/impacts/") + name, rows));
    const auto read = [&]<class T>(const std::string& name, int columns, T) {
      return stored.read<T>("/impacts/" + name, columns, 0, rows);
    };
    ImpactTable impacts;
    impacts.step = read("step", 1, std::int64_t{});
    impacts.impact = read("impact", 1, std::int32_t{});
    impacts.body_a = read("body_a", 1, std::int32_t{});
    impacts.body_b = read("body_b", 1, std::int32_t{});
    impacts.normal = vectors(read("normal", 3, double{}));
    impacts.percussion = vectors(read("percussion", 3, double{}));
    impacts.velocity_before = vectors(read("velocity_before", 3, double{}));
    impacts.velocity_after = vectors(read("velocity_after", 3, double{}));
    impacts.work = read("work", 1, double{});
    impacts.quasi_before = read("quasi_normal_before", 1, double{});
    impacts.quasi_after = read("quasi_normal_after", 1, double{});
    impacts.normal_energy_before = read("quasi_normal_energy_before", 1, double{});
    impacts.normal_energy_after = read("quasi_normal_energy_after", 1, double{});
    impacts.tangential_energy_before = read("quasi_tangential_energy_before", 1, double{});
    impacts.tangential_energy_after = read("quasi_tangential_energy_after", 1, double{});
    const auto n = static_cast<std::int32_t>(content_->bodies.size());
    for (const auto* column : {&impacts.body_a, &impacts.body_b})
      for (std::int32_t body : *column)
        if (body < -1 || body >= n)  // −1: the world
          throw Failure(fmt::format("/impacts names body {} of {}", body, n));
    return impacts;
  });
}

Series TrajectoryReader::series() const {
  return content_->guarded([&] {
    const StoredColumns columns = content_->columns();
    Series series;
    // In a killed run the columns may have different lengths.
    hsize_t rows = columns.rows("/series/wall_seconds", 0);
    for_each_series_column([&](const char* name, const char*, auto) {
      const std::string path = std::string("/series/") + name;
      rows = std::min(rows, columns.rows(path, rows));
      const AddedColumn* const absent = columns.absent(path);
      if (absent != nullptr && absent->before == Before::unknown)
        series.unrecorded.emplace_back(name);
    });
    series.wall_seconds = columns.read<double>("/series/wall_seconds", 1, 0, rows);
    series.steps.resize(rows);
    for_each_series_column(ColumnReader{columns, rows, series.steps});
    return series;
  });
}

std::vector<MeasureSeries> TrajectoryReader::measures() const {
  return content_->guarded([&] {
    const hid_t file = content_->file;
    std::vector<MeasureSeries> measures;
    if (!hdf5::exists(file, "/measures")) return measures;
    for (const std::string& name : hdf5::members(file, "/measures"))
      measures.push_back(read_measure(file, name));
    return measures;
  });
}

}  // namespace talus
