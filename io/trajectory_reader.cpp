#include "io/trajectory_reader.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "io/hdf5_data.hpp"
#include "io/hdf5_survey.hpp"
#include "io/input_error.hpp"
#include "io/series_columns.hpp"
#include "io/trial.hpp"

namespace talus {

namespace {

using hdf5::Failure;
using hdf5::Handle;

constexpr std::int64_t most_bodies = std::int64_t{1} << 31;  // bodies are numbered by 32 bits

template <class T>
T one(hid_t object, const std::string& name) {
  return hdf5::read_attribute<T>(object, name).front();
}

std::vector<Eigen::Vector3d> vectors(const std::vector<double>& values) {
  std::vector<Eigen::Vector3d> result;
  result.reserve(values.size() / 3);
  for (std::size_t i = 0; i + 3 <= values.size(); i += 3) {
    result.emplace_back(values[i], values[i + 1], values[i + 2]);
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

RunHeader read_header(hid_t file) {
  if (!hdf5::has_attribute(file, "format") ||
      hdf5::read_text_attribute(file, "format") != "granular-trajectory")
    throw Failure("not a trajectory file");
  const auto version = hdf5::read_attribute<std::int64_t>(file, "format_version");
  if (version.front() != 1)
    throw Failure(
        fmt::format("trajectory format {} is not known, this program reads 1", version.front()));
  RunHeader header;
  header.dimension = one<std::int32_t>(file, "dim");
  if (header.dimension != 2 && header.dimension != 3)
    throw Failure(fmt::format("dim is {}, expected 2 or 3", header.dimension));
  header.complete = one<std::int8_t>(file, "complete") != 0;
  header.version = hdf5::read_text_attribute(file, "creator_version");
  header.created = hdf5::read_text_attribute(file, "created");
  header.scene_text = hdf5::read_text(file, "/meta/scene");
  header.command_line = hdf5::read_text(file, "/meta/command_line");
  header.overrides = hdf5::read_texts(file, "/meta/overrides");

  const Handle meta(H5Gopen2(file, "/meta", H5P_DEFAULT), "open /meta");
  header.dynamics = hdf5::read_text_attribute(meta, "dynamics");
  header.solver = hdf5::read_text_attribute(meta, "solver");
  const auto gravity = hdf5::read_attribute<double>(meta, "gravity");
  if (gravity.size() != 3) throw Failure("attribute gravity has not 3 values");
  header.gravity = {gravity[0], gravity[1], gravity[2]};
  header.h = one<double>(meta, "dt");
  header.theta = one<double>(meta, "theta");
  header.end = one<double>(meta, "end");
  header.tolerance = one<double>(meta, "tolerance");
  header.save_every = one<std::int64_t>(meta, "save_every");
  header.max_iterations = one<std::int64_t>(meta, "max_iterations");
  header.threads = one<std::int64_t>(meta, "threads");
  header.applied_forces = one<std::int64_t>(meta, "applied_forces");
  header.springs = one<std::int64_t>(meta, "springs");
  header.joints = one<std::int64_t>(meta, "joints");
  if (header.joints < 0 || header.joints > most_bodies) throw Failure("attribute joints is absurd");
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
  bodies.name = hdf5::read_texts(file, "/bodies/name");
  bodies.shape_type = hdf5::read_all<std::uint8_t>(file, "/bodies/shape_type");
  bodies.material = hdf5::read_all<std::int32_t>(file, "/bodies/material");
  bodies.fixed = hdf5::read_all<std::uint8_t>(file, "/bodies/fixed");
  bodies.mass = hdf5::read_all<double>(file, "/bodies/mass");
  bodies.inertia = vectors(hdf5::read_all<double>(file, "/bodies/inertia", 3));
  bodies.inertia_axes = quaternions(hdf5::read_all<double>(file, "/bodies/inertia_axes", 4));
  bodies.radius = hdf5::read_all<double>(file, "/bodies/radius");
  bodies.diameter = hdf5::read_all<double>(file, "/bodies/diameter");
  expect_rows(bodies.name, n, "/bodies/name");
  expect_rows(bodies.shape_type, n, "/bodies/shape_type");
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

PairTable read_laws(hid_t file, std::size_t materials) {
  const auto read = [&](const char* name) {
    std::vector<double> table =
        hdf5::read_all<double>(file, name, std::max<int>(1, static_cast<int>(materials)));
    expect_rows(table, materials * materials, name);
    return table;
  };
  const auto friction = read("/materials/friction");
  const auto restitution = read("/materials/restitution");
  const auto tangential = read("/materials/tangential_restitution");
  PairTable laws(materials);
  for (std::size_t i = 0; i < materials; ++i)
    for (std::size_t j = 0; j < materials; ++j) {
      const std::size_t k = i * materials + j;
      laws.set(static_cast<int>(i), static_cast<int>(j),
               {friction[k], restitution[k], tangential[k]});
    }
  return laws;
}

std::vector<Frame> read_frames(hid_t file, std::size_t bodies) {
  const auto time = hdf5::read_all<double>(file, "/frames/time");  // as long as there are frames
  const auto column = [&](const std::string& name) {
    return hdf5::read_rows<std::int64_t>(file, "/frames/" + name, 1, 0, time.size());
  };
  const auto step = column("step"), body_row = column("body_row"),
             body_count = column("body_count"), contact_row = column("contact_row"),
             contact_count = column("contact_count"), mesh_row = column("mesh_row"),
             polygon_row = column("polygon_row");
  std::vector<Frame> frames(time.size());
  std::int64_t next_body = 0, next_contact = 0;
  for (std::size_t k = 0; k < frames.size(); ++k) {
    frames[k] = {step[k],
                 {time[k], body_row[k], body_count[k], mesh_row[k], polygon_row[k], contact_row[k],
                  contact_count[k]}};
    if (body_row[k] != next_body || body_count[k] != static_cast<std::int64_t>(bodies))
      throw Failure(fmt::format("/frames: body rows of frame {} do not follow the last", k));
    if (contact_row[k] != next_contact || contact_count[k] < 0)
      throw Failure(fmt::format("/frames: contact rows of frame {} do not follow the last", k));
    if (mesh_row[k] < 0 || polygon_row[k] < 0)
      throw Failure(fmt::format("/frames: mesh rows of frame {} are negative", k));
    next_body += body_count[k];
    next_contact += contact_count[k];
  }
  return frames;
}

// Fills one field of every certificate from its column, whatever the type of the field.
struct ColumnReader {
  hid_t file;
  hsize_t rows;
  std::vector<Certificate>& steps;

  template <class T>
  void operator()(const char* name, const char*, T Certificate::*member) const {
    using Stored =
        std::conditional_t<std::is_same_v<T, double>, double,
                           std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, std::int64_t>>;
    const auto values = hdf5::read_rows<Stored>(file, std::string("/series/") + name, 1, 0, rows);
    for (std::size_t i = 0; i < values.size(); ++i) steps[i].*member = static_cast<T>(values[i]);
  }
};

}  // namespace

struct TrajectoryReader::Content {
  std::string path;
  Handle file;
  RunHeader header;
  std::vector<std::string> materials;
  PairTable laws;
  BodyTable bodies;
  std::vector<Frame> frames;

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
    c.materials = hdf5::read_texts(c.file, "/materials/name");
    if (c.materials.size() > 10000) throw Failure("too many materials");
    c.laws = read_laws(c.file, c.materials.size());
    c.bodies = read_bodies(c.file, c.materials.size());
    c.frames = read_frames(c.file, c.bodies.size());
  });
}

// A child process makes the survey and reads the tables and two frames; if that does not kill it,
// the file is fit to be opened.
std::unique_ptr<TrajectoryReader::Content> TrajectoryReader::tried(
    const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error))
    throw InputError(fmt::format("{}: no such file", path.string()));
  if (std::filesystem::is_directory(path, error))
    throw InputError(fmt::format("{}: is a folder", path.string()));
  const auto attempt = [&] {
    const TrajectoryReader reader(path, std::make_unique<Content>());
    reader.series();
    reader.view_sizes();
    if (reader.frames().empty()) return;
    for (std::size_t k : {std::size_t{0}, reader.frames().size() - 1}) {
      reader.state(k);
      reader.contacts(k);
      reader.joints(k);
    }
  };
  if (!survives(path, attempt))
    throw InputError(fmt::format("{}: damaged so that HDF5 cannot read it", path.string()));
  return std::make_unique<Content>();
}

TrajectoryReader::~TrajectoryReader() = default;
TrajectoryReader::TrajectoryReader(TrajectoryReader&&) noexcept = default;

const RunHeader& TrajectoryReader::header() const { return content_->header; }
const BodyTable& TrajectoryReader::bodies() const { return content_->bodies; }
const std::vector<std::string>& TrajectoryReader::materials() const { return content_->materials; }
const PairTable& TrajectoryReader::laws() const { return content_->laws; }
const std::vector<Frame>& TrajectoryReader::frames() const { return content_->frames; }

ViewSizes TrajectoryReader::view_sizes() const {
  return content_->guarded([&] {
    ViewSizes sizes;
    sizes.bodies = static_cast<std::int64_t>(content_->bodies.size());
    const hid_t file = content_->file;
    if (!hdf5::exists(file, "/mesh")) return sizes;
    const auto offsets = hdf5::read_all<std::int64_t>(file, "/mesh/polygon_offset");
    if (offsets.empty()) throw Failure("dataset /mesh/polygon_offset is empty");
    sizes.polygons = static_cast<std::int64_t>(offsets.size()) - 1;
    const Handle mesh(H5Gopen2(file, "/mesh", H5P_DEFAULT), "open /mesh");
    sizes.mesh_vertices = one<std::int64_t>(mesh, "vertices");
    if (sizes.mesh_vertices < 1) throw Failure("/mesh has no vertices");
    sizes.xdmf_topology = static_cast<std::int64_t>(hdf5::extent(file, "/mesh/xdmf_topology").rows);
    return sizes;
  });
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
    state.position = vectors(read("position", 3));
    state.orientation = quaternions(read("orientation", 4));
    state.velocity = vectors(read("velocity", 3));
    state.angular_velocity = vectors(read("angular_velocity", 3));
    return state;
  });
}

FrameContacts TrajectoryReader::contacts(std::size_t frame) const {
  return content_->guarded([&] {
    const ViewFrame& rows = content_->frames.at(frame).rows;
    const auto read = [&]<class T>(const std::string& name, int columns, T) {
      return hdf5::read_rows<T>(content_->file, "/contacts/" + name, columns,
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
    const auto n = static_cast<std::int32_t>(content_->bodies.size());
    for (const auto* column : {&contacts.body_a, &contacts.body_b})
      for (std::int32_t body : *column)
        if (body < 0 || body >= n)
          throw Failure(fmt::format("/contacts of frame {} names body {} of {}", frame, body, n));
    return contacts;
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

Series TrajectoryReader::series() const {
  return content_->guarded([&] {
    const hid_t file = content_->file;
    // A run that was killed may have left columns of different lengths.
    hsize_t rows = hdf5::extent(file, "/series/wall_seconds").rows;
    for_each_series_column([&](const char* name, const char*, auto) {
      rows = std::min(rows, hdf5::extent(file, std::string("/series/") + name).rows);
    });
    Series series;
    series.wall_seconds = hdf5::read_rows<double>(file, "/series/wall_seconds", 1, 0, rows);
    series.steps.resize(rows);
    for_each_series_column(ColumnReader{file, rows, series.steps});
    return series;
  });
}

}  // namespace talus
