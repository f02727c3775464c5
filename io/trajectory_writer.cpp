#include "io/trajectory_writer.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>
#include <optional>

#include "io/checkpoint.hpp"
#include "io/hdf5_data.hpp"
#include "io/input_error.hpp"
#include "io/series_columns.hpp"
#include "io/surface.hpp"
#include "io/trajectory_reader.hpp"
#include "io/trajectory_tables.hpp"
#include "io/views.hpp"
#include "io/vtkhdf.hpp"
#include "solvers/parallel.hpp"

namespace talus {

namespace {

using hdf5::Failure;
using hdf5::Rows;

constexpr hsize_t frame_chunk = 256, series_chunk = 1024;
constexpr std::size_t most_pending_steps = 4096;

// Columns of /frames but `time`, which is written last: a frame counts from then on.
constexpr std::array frame_columns = {
    "step",        "body_row", "body_count", "contact_row", "contact_count", "mesh_row",
    "polygon_row", "zero",     "one",        "index",       "contact_row2",  "contact_count2"};
constexpr std::array wide_frame_columns = {"zero4", "contact_cell4", "chain_cell4"};

// What the path must be like before anything is written.
void refuse_unusable(const std::filesystem::path& path, bool force) {
  std::error_code ignored;
  const std::string name = path.string();
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::exists(folder, ignored))
    throw InputError(fmt::format("{}: folder {} does not exist", name, folder.string()));
  if (!std::filesystem::is_directory(folder, ignored))
    throw InputError(fmt::format("{}: {} is not a folder", name, folder.string()));
  if (!std::filesystem::exists(path, ignored)) return;
  if (!std::filesystem::is_regular_file(path, ignored))
    throw InputError(fmt::format("{}: is not a regular file", name));
  if (!force)
    throw InputError(fmt::format(
        "{}: exists already (use --force to overwrite it, or -o for another name)", name));
  if (access(path.c_str(), W_OK) != 0)
    throw InputError(fmt::format("{}: cannot write: {}", name, strerror(errno)));
}

// The library's own words for a file that cannot be made are of little help; the system's are.
void try_to_create(const std::filesystem::path& path, const std::string& name) {
  const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) throw InputError(fmt::format("{}: cannot write: {}", name, strerror(errno)));
  close(descriptor);
}

template <class T>
std::span<const T> view_of(const std::vector<T>& values) {
  return values;
}

template <class Derived, class T>
void put(std::vector<T>& values, std::size_t row, const Eigen::MatrixBase<Derived>& vector) {
  for (std::size_t k = 0; k < static_cast<std::size_t>(vector.size()); ++k)
    values[row * static_cast<std::size_t>(vector.size()) + k] =
        static_cast<T>(vector[static_cast<long>(k)]);
}

// The state of all bodies in a frame, as the file holds it.
struct StateColumns {
  std::vector<double> position, orientation, velocity, angular_velocity;

  template <int D>
  void fill(const Bodies<D>& bodies) {
    const std::size_t n = bodies.size();
    for (auto* column : {&position, &velocity, &angular_velocity}) column->resize(3 * n);
    orientation.resize(4 * n);
    parallel_for(n, [&](std::size_t i) {
      put(position, i, in_space<D>(bodies.position[i]));
      put(velocity, i, in_space<D>(bodies.velocity[i]));
      put(angular_velocity, i, spin_in_space<D>(bodies.spin[i]));
      const Eigen::Quaterniond q = quaternion<D>(bodies.orientation[i]);
      put(orientation, i, Eigen::Vector4d(q.w(), q.x(), q.y(), q.z()));
    });
  }
};

struct ContactColumns {
  std::vector<double> point, normal, force, velocity, normal_force, gap;
  std::vector<std::int32_t> body_a, body_b;
  std::vector<std::uint8_t> status;
  std::vector<float> chain_points;

  std::size_t size() const { return gap.size(); }

  void resize(std::size_t n) {
    for (auto* column : {&point, &normal, &force, &velocity}) column->resize(3 * n);
    for (auto* column : {&normal_force, &gap}) column->resize(n);
    for (auto* column : {&body_a, &body_b}) column->resize(n);
    status.resize(n);
    chain_points.resize(6 * n);
  }

  template <int D>
  void fill(const Bodies<D>& bodies, std::span<const ActiveContact<D>> contacts, double h) {
    std::vector<std::size_t> loaded;
    for (std::size_t i = 0; i < contacts.size(); ++i)
      if (!contacts[i].percussion.isZero(0)) loaded.push_back(i);
    resize(loaded.size());
    parallel_for(loaded.size(), [&](std::size_t row) {
      const ActiveContact<D>& active = contacts[loaded[row]];
      const Contact<D>& contact = active.contact;
      const double p_N = active.percussion[0];
      const double p_T = active.percussion.template tail<D - 1>().norm();
      put(point, row, in_space<D>(contact.point));
      put(normal, row, in_space<D>(contact.normal));
      put(force, row, in_space<D>(active.frame * active.percussion / h));
      put(velocity, row, in_space<D>(active.frame * active.u_plus));
      normal_force[row] = p_N / h;
      gap[row] = contact.gap;
      body_a[row] = contact.key.a;
      body_b[row] = contact.key.b;
      // As the certificate counts them.
      status[row] = p_N <= 0 ? 0 : (p_T >= (1 - 1e-12) * active.law.friction * p_N ? 2 : 1);
      // A wall's centre may be far away: its end of the line is the point of contact.
      const auto chain_end = [&](int body) {
        const auto i = static_cast<std::size_t>(body);
        return in_space<D>(bodies.moves_freely(i) ? bodies.position[i] : contact.point);
      };
      put(chain_points, 2 * row, chain_end(contact.key.a));
      put(chain_points, 2 * row + 1, chain_end(contact.key.b));
    });
  }
};

// What every joint transmitted.
struct JointColumns {
  std::vector<double> point, force, torque;

  template <int D>
  void fill(std::span<const JointReaction<D>> joints, double h) {
    for (auto* column : {&point, &force, &torque}) column->resize(3 * joints.size());
    for (std::size_t i = 0; i < joints.size(); ++i) {
      put(point, i, in_space<D>(joints[i].point));
      put(force, i, in_space<D>(joints[i].percussion / h));
      put(torque, i, spin_in_space<D>(joints[i].moment / h));
    }
  }
};

// Surfaces of all bodies in world coordinates.
struct MeshColumns {
  std::vector<float> points, velocity;

  template <int D>
  void fill(const Bodies<D>& bodies, const DrawnShapes& drawn, const ViewSizes& sizes,
            const std::vector<std::size_t>& first_vertex,
            const std::vector<std::size_t>& first_polygon) {
    points.resize(3 * static_cast<std::size_t>(sizes.mesh_vertices));
    velocity.resize(3 * static_cast<std::size_t>(sizes.polygons));
    parallel_for(bodies.size(), [&](std::size_t i) {
      if (drawn.surface_of[i] < 0) return;
      const Surface& surface = drawn.surfaces[static_cast<std::size_t>(drawn.surface_of[i])];
      const Eigen::Vector3d centre = in_space<D>(bodies.position[i]);
      const Mat<3> R = quaternion<D>(bodies.orientation[i]).toRotationMatrix();
      for (std::size_t v = 0; v < surface.vertices.size(); ++v)
        put(points, first_vertex[i] + v, centre + R * surface.vertices[v]);
      for (std::size_t k = 0; k < surface.polygons(); ++k)
        put(velocity, first_polygon[i] + k, in_space<D>(bodies.velocity[i]));
    });
  }
};

}  // namespace

template <int D>
struct TrajectoryWriter<D>::File {
  std::filesystem::path path;
  double h = 0;
  hdf5::UnusedSpace unused_space;
  hdf5::Handle file;
  DrawnShapes drawn;
  ViewSizes sizes;
  std::vector<std::size_t> first_vertex, first_polygon;  // of each body in a frame's mesh
  std::optional<ViewFiles> companions;

  // the datasets that grow
  Rows time;
  std::vector<Rows> frame, wide_frame;  // in the order of frame_columns and wide_frame_columns
  Rows position, orientation, velocity, angular_velocity;
  Rows point, normal, force, contact_velocity, normal_force, gap, body_a, body_b, status,
      chain_points;
  Rows joint_point, joint_force, joint_torque;
  Rows mesh_points, mesh_velocity;
  std::vector<Rows> series;  // in the order of for_each_series_column
  Rows wall_seconds;
  VtkhdfViews views;

  std::vector<Certificate> pending;
  std::vector<double> pending_seconds;
  StateColumns state_columns;
  ContactColumns contact_columns;
  JointColumns joint_columns;
  MeshColumns mesh_columns;

  std::size_t joints = 0;

  bool has_mesh() const { return sizes.mesh_vertices > 0; }
  hsize_t contact_chunk() const {
    return std::clamp<hsize_t>(2 * static_cast<hsize_t>(sizes.bodies), 64, 4096);
  }

  void prepare(const std::filesystem::path& where, const Scene<D>& scene,
               const Bodies<D>& bodies_at_start) {
    path = where;
    h = scene.h;
    joints = scene.joints.size();
    drawn = draw_shapes<D>(bodies_at_start);
    sizes = view_sizes(drawn);
    std::size_t vertices = 0, polygons = 0;
    for (int s : drawn.surface_of) {
      first_vertex.push_back(vertices);
      first_polygon.push_back(polygons);
      if (s < 0) continue;
      vertices += drawn.surfaces[static_cast<std::size_t>(s)].vertices.size();
      polygons += drawn.surfaces[static_cast<std::size_t>(s)].polygons();
    }
  }

  // Runs f; what HDF5 has to say against it becomes one line that names the file.
  template <class F>
  void writing(const std::string& what, F&& f) try {
    const Hdf5Silence silence;
    f();
  } catch (const Failure& failure) {
    throw std::runtime_error(
        fmt::format("{}: cannot write {}: {}", path.string(), what, failure.what()));
  }

  void create_datasets() {
    hdf5::create_group(file, "/frames");
    time = Rows::create<double>(file, "/frames/time", 1, frame_chunk, "s");
    for (const char* name : frame_columns)
      frame.push_back(
          Rows::create<std::int64_t>(file, std::string("/frames/") + name, 1, frame_chunk));
    for (const char* name : wide_frame_columns)
      wide_frame.push_back(
          Rows::create<std::int64_t>(file, std::string("/frames/") + name, 4, frame_chunk));

    const auto bodies = static_cast<hsize_t>(sizes.bodies);
    const hsize_t state_chunk = std::min<hsize_t>(bodies, 131072);
    hdf5::create_group(file, "/state");
    position = Rows::create<double>(file, "/state/position", 3, state_chunk, "m");
    orientation = Rows::create<double>(file, "/state/orientation", 4, state_chunk, "1");
    hdf5::write_text_attribute(orientation.dataset(), "convention", "w x y z, body to world");
    velocity = Rows::create<double>(file, "/state/velocity", 3, state_chunk, "m/s");
    angular_velocity =
        Rows::create<double>(file, "/state/angular_velocity", 3, state_chunk, "rad/s");

    const auto contact_column = [&]<class T>(const char* name, int columns, const char* unit, T) {
      return Rows::create<T>(file, std::string("/contacts/") + name, columns, contact_chunk(),
                             unit);
    };
    hdf5::create_group(file, "/contacts");
    point = contact_column("point", 3, "m", double{});
    normal = contact_column("normal", 3, "1", double{});
    force = contact_column("force", 3, "N", double{});
    contact_velocity = contact_column("velocity", 3, "m/s", double{});
    normal_force = contact_column("normal_force", 1, "N", double{});
    gap = contact_column("gap", 1, "m", double{});
    body_a = contact_column("body_a", 1, "1", std::int32_t{});
    body_b = contact_column("body_b", 1, "1", std::int32_t{});
    status = contact_column("status", 1, "1", std::uint8_t{});
    hdf5::write_text_attribute(status.dataset(), "values", "0 no force, 1 sticking, 2 sliding");
    chain_points = contact_column("chain_points", 3, "m", float{});

    if (has_mesh()) {
      mesh_points = Rows::create<float>(
          file, "/mesh/points", 3,
          std::min<hsize_t>(static_cast<hsize_t>(sizes.mesh_vertices), 262144), "m");
      mesh_velocity = Rows::create<float>(
          file, "/mesh/velocity", 3,
          std::min<hsize_t>(static_cast<hsize_t>(sizes.polygons), 262144), "m/s");
    }

    if (joints > 0) {
      const auto joint_column = [&](const char* name, const char* unit) {
        return Rows::create<double>(file, std::string("/joints/") + name, 3,
                                    std::min<hsize_t>(joints, 131072), unit);
      };
      joint_point = joint_column("point", "m");
      joint_force = joint_column("force", "N");
      joint_torque = joint_column("torque", "N m");
    }

    hdf5::create_group(file, "/series");
    for_each_series_column([&]<class T>(const char* name, const char* unit, T Certificate::*) {
      const std::string column = std::string("/series/") + name;
      if constexpr (std::is_same_v<T, double>)
        series.push_back(Rows::create<double>(file, column, 1, series_chunk, unit));
      else if constexpr (std::is_same_v<T, bool>)
        series.push_back(Rows::create<std::uint8_t>(file, column, 1, series_chunk, unit));
      else
        series.push_back(Rows::create<std::int64_t>(file, column, 1, series_chunk, unit));
    });
    wall_seconds = Rows::create<double>(file, "/series/wall_seconds", 1, series_chunk, "s");
  }

  void open_datasets() {
    const auto open = [&](const std::string& name, int columns = 1) {
      return Rows::open(file, name, columns);
    };
    time = open("/frames/time");
    for (const char* name : frame_columns) frame.push_back(open(std::string("/frames/") + name));
    for (const char* name : wide_frame_columns)
      wide_frame.push_back(open(std::string("/frames/") + name, 4));
    position = open("/state/position", 3);
    orientation = open("/state/orientation", 4);
    velocity = open("/state/velocity", 3);
    angular_velocity = open("/state/angular_velocity", 3);
    point = open("/contacts/point", 3);
    normal = open("/contacts/normal", 3);
    force = open("/contacts/force", 3);
    contact_velocity = open("/contacts/velocity", 3);
    normal_force = open("/contacts/normal_force");
    gap = open("/contacts/gap");
    body_a = open("/contacts/body_a");
    body_b = open("/contacts/body_b");
    status = open("/contacts/status");
    chain_points = open("/contacts/chain_points", 3);
    if (joints > 0) {
      joint_point = open("/joints/point", 3);
      joint_force = open("/joints/force", 3);
      joint_torque = open("/joints/torque", 3);
    }
    if (has_mesh()) {
      mesh_points = open("/mesh/points", 3);
      mesh_velocity = open("/mesh/velocity", 3);
    }
    for_each_series_column([&](const char* name, const char*, auto) {
      series.push_back(open(std::string("/series/") + name));
    });
    wall_seconds = open("/series/wall_seconds");
    views = VtkhdfViews::open(file);
  }

  // Back to this many frames and steps; the commit marker goes first.
  void cut(std::int64_t frames, std::int64_t contact_rows, std::int64_t steps) {
    const auto count = [](std::int64_t rows) { return static_cast<hsize_t>(rows); };
    hdf5::write_attribute(file, "complete", std::int8_t{0});
    time.cut(count(frames));
    views.cut(frames, contact_rows);
    hdf5::flush(file);
    for (Rows& column : frame) column.cut(count(frames));
    for (Rows& column : wide_frame) column.cut(count(frames));
    for (Rows* column : {&position, &orientation, &velocity, &angular_velocity})
      column->cut(count(frames * sizes.bodies));
    for (Rows* column : {&point, &normal, &force, &contact_velocity, &normal_force, &gap, &body_a,
                         &body_b, &status})
      column->cut(count(contact_rows));
    chain_points.cut(count(2 * contact_rows));
    if (joints > 0)
      for (Rows* column : {&joint_point, &joint_force, &joint_torque})
        column->cut(count(frames) * joints);
    if (has_mesh()) {
      mesh_points.cut(count(frames * sizes.mesh_vertices));
      mesh_velocity.cut(count(frames * sizes.polygons));
    }
    for (Rows& column : series) column.cut(count(steps));
    wall_seconds.cut(count(steps));
    hdf5::flush(file);
  }

  // Upper bound for what a frame adds to the file [bytes]: its values, a chunk more in each of the
  // growing datasets, and the library's own tables.
  std::uint64_t frame_bytes() const {
    const auto bodies = static_cast<std::uint64_t>(sizes.bodies);
    const std::uint64_t contact_bytes = 160, state_bytes = 13 * sizeof(double),
                        joint_bytes = 9 * sizeof(double), series_bytes = sizeof(Certificate),
                        own_tables = 1u << 18;
    return own_tables + state_bytes * bodies + joint_bytes * joints +
           contact_bytes * (contact_columns.size() + contact_chunk()) +
           12 * static_cast<std::uint64_t>(sizes.mesh_vertices + sizes.polygons) +
           series_bytes * (pending.size() + series_chunk) + 32 * 8 * frame_chunk;
  }

  void write_series() {
    if (pending.empty()) return;
    std::size_t index = 0;
    for_each_series_column([&]<class T>(const char*, const char*, T Certificate::*member) {
      using Stored = std::conditional_t<
          std::is_same_v<T, double>, double,
          std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, std::int64_t>>;
      std::vector<Stored> values;
      for (const Certificate& certificate : pending)
        values.push_back(static_cast<Stored>(certificate.*member));
      series[index++].template append<Stored>(values);
    });
    wall_seconds.append(view_of(pending_seconds));
    pending.clear();
    pending_seconds.clear();
  }

  void save_series() {
    writing("the series", [&] {
      hdf5::reserve(file, frame_bytes());
      write_series();
      hdf5::flush(file);
    });
  }

  ViewFrame write_frame(double t, std::int64_t step) {
    const auto index = static_cast<std::int64_t>(time.size());
    const auto contacts = static_cast<std::int64_t>(contact_columns.size());
    const auto row = static_cast<std::int64_t>(gap.size());
    const ViewFrame rows = {t,
                            index * sizes.bodies,
                            sizes.bodies,
                            index * sizes.mesh_vertices,
                            index * sizes.polygons,
                            row,
                            contacts};

    position.append(view_of(state_columns.position));
    orientation.append(view_of(state_columns.orientation));
    velocity.append(view_of(state_columns.velocity));
    angular_velocity.append(view_of(state_columns.angular_velocity));

    point.append(view_of(contact_columns.point));
    normal.append(view_of(contact_columns.normal));
    force.append(view_of(contact_columns.force));
    contact_velocity.append(view_of(contact_columns.velocity));
    normal_force.append(view_of(contact_columns.normal_force));
    gap.append(view_of(contact_columns.gap));
    body_a.append(view_of(contact_columns.body_a));
    body_b.append(view_of(contact_columns.body_b));
    status.append(view_of(contact_columns.status));
    chain_points.append(view_of(contact_columns.chain_points));
    if (joints > 0) {
      joint_point.append(view_of(joint_columns.point));
      joint_force.append(view_of(joint_columns.force));
      joint_torque.append(view_of(joint_columns.torque));
    }
    if (has_mesh()) {
      mesh_points.append(view_of(mesh_columns.points));
      mesh_velocity.append(view_of(mesh_columns.velocity));
    }
    views.append_contacts(contacts);

    const std::array<std::int64_t, frame_columns.size()> values = {
        step,  rows.body_row, rows.body_count, row, contacts, rows.mesh_row, rows.polygon_row, 0, 1,
        index, 2 * row,       2 * contacts};
    for (std::size_t i = 0; i < values.size(); ++i)
      frame[i].append(std::span<const std::int64_t>(&values[i], 1));
    const std::array<std::array<std::int64_t, 4>, wide_frame_columns.size()> wide = {
        {{0, 0, 0, 0}, {row, 0, 0, 0}, {0, row, 0, 0}}};
    for (std::size_t i = 0; i < wide.size(); ++i)
      wide_frame[i].append(std::span<const std::int64_t>(wide[i]));
    return rows;
  }

  // Data first, then, when they are safe in the file, the marker that makes them count.
  void commit(double t) {
    hdf5::flush(file);
    time.append(std::span<const double>(&t, 1));
    views.commit(static_cast<std::int64_t>(time.size()));
    hdf5::flush(file);
  }
};

template <int D>
TrajectoryWriter<D> TrajectoryWriter<D>::create(const std::filesystem::path& path,
                                                const Scene<D>& scene, const Bodies<D>& bodies,
                                                const RunInfo& info, bool force) {
  refuse_unusable(path, force);
  auto file = std::make_unique<File>();
  file->prepare(path, scene, bodies);

  std::filesystem::path unfinished = path;
  unfinished += ".part";
  try_to_create(unfinished, path.string());
  try {
    file->writing("the file", [&] {
      file->file = hdf5::create_file(unfinished);
      file->unused_space.watch(file->file);
      hdf5::reserve(file->file, run_tables_bytes<D>(scene, bodies, info, file->drawn));
      write_run_tables<D>(file->file, scene, bodies, info, file->drawn);
      file->create_datasets();
      file->views = VtkhdfViews::create(file->file, file->sizes);
      hdf5::flush(file->file);
    });
    std::filesystem::rename(unfinished, path);
  } catch (...) {
    file.reset();
    std::error_code ignored;
    std::filesystem::remove(unfinished, ignored);
    throw;
  }
  remove_checkpoints(path);
  file->writing("its views", [&] { file->companions.emplace(path, file->sizes); });
  return TrajectoryWriter(std::move(file));
}

template <int D>
TrajectoryWriter<D> TrajectoryWriter<D>::resume(const std::filesystem::path& path,
                                                const Scene<D>& scene, std::int64_t step) {
  auto file = std::make_unique<File>();
  file->prepare(path, scene, make_bodies<D>(scene));

  std::vector<Frame> kept;
  std::int64_t steps = 0, contact_rows = 0;
  {
    const TrajectoryReader reader(path);
    const ViewSizes stored = reader.view_sizes();
    if (reader.header().dimension != D ||
        reader.header().joints != static_cast<std::int64_t>(file->joints) ||
        stored.bodies != file->sizes.bodies || stored.mesh_vertices != file->sizes.mesh_vertices ||
        stored.polygons != file->sizes.polygons)
      throw InputError(fmt::format("{}: holds the run of another scene", path.string()));
    for (const Frame& frame : reader.frames())
      if (frame.step <= step) kept.push_back(frame);
    if (!kept.empty()) contact_rows = kept.back().rows.contact_row + kept.back().rows.contact_count;
    for (const Certificate& certificate : reader.series().steps)
      if (certificate.step <= step) ++steps;
    if (steps < step)
      throw InputError(fmt::format("{}: knows only {} of the {} steps before the checkpoint",
                                   path.string(), steps, step));
  }
  if (access(path.c_str(), W_OK) != 0)
    throw InputError(fmt::format("{}: cannot write: {}", path.string(), strerror(errno)));
  try {
    const Hdf5Silence silence;
    file->file = hdf5::open_file(path, hdf5::Access::write);
    file->unused_space.watch(file->file);
    file->open_datasets();
    file->cut(static_cast<std::int64_t>(kept.size()), contact_rows, steps);
  } catch (const Failure& failure) {
    throw InputError(fmt::format("{}: cannot go on with it: {}", path.string(), failure.what()));
  }
  file->writing("its views", [&] { file->companions.emplace(path, file->sizes); });
  for (const Frame& frame : kept) file->companions->append(frame.rows);
  return TrajectoryWriter(std::move(file));
}

template <int D>
TrajectoryWriter<D>::TrajectoryWriter(std::unique_ptr<File> file) : file_(std::move(file)) {}
template <int D>
TrajectoryWriter<D>::TrajectoryWriter(TrajectoryWriter&&) noexcept = default;
template <int D>
TrajectoryWriter<D>& TrajectoryWriter<D>::operator=(TrajectoryWriter&&) noexcept = default;
template <int D>
TrajectoryWriter<D>::~TrajectoryWriter() {
  const Hdf5Silence silence;
  file_.reset();
}

template <int D>
void TrajectoryWriter<D>::append_frame(double time, std::int64_t step, const Bodies<D>& bodies,
                                       std::span<const ActiveContact<D>> contacts,
                                       std::span<const JointReaction<D>> joints) {
  File& file = *file_;
  assert(joints.size() == file.joints && "every joint has a reaction");
  file.joint_columns.template fill<D>(joints, file.h);
  file.state_columns.template fill<D>(bodies);
  file.contact_columns.template fill<D>(bodies, contacts, file.h);
  if (file.has_mesh())
    file.mesh_columns.template fill<D>(bodies, file.drawn, file.sizes, file.first_vertex,
                                       file.first_polygon);
  ViewFrame rows;
  file.writing(fmt::format("the frame at t = {} s", time), [&] {
    hdf5::reserve(file.file, file.frame_bytes());
    file.write_series();
    rows = file.write_frame(time, step);
    file.commit(time);
  });
  file.companions->append(rows);
}

template <int D>
void TrajectoryWriter<D>::append_series(const Certificate& certificate, double wall_seconds) {
  file_->pending.push_back(certificate);
  file_->pending_seconds.push_back(wall_seconds);
  if (file_->pending.size() >= most_pending_steps) file_->save_series();
}

template <int D>
void TrajectoryWriter<D>::flush() {
  file_->save_series();
  file_->writing("the file", [&] { hdf5::synchronise(file_->file); });
}

template <int D>
void TrajectoryWriter<D>::close() {
  file_->save_series();
  File& file = *file_;
  file.writing("the end of the file", [&] {
    hdf5::write_attribute(file.file, "complete", std::int8_t{1});
    hdf5::flush(file.file);
    file_.reset();
  });
}

template <int D>
std::int64_t TrajectoryWriter<D>::frames() const {
  return static_cast<std::int64_t>(file_->time.size());
}

template class TrajectoryWriter<2>;
template class TrajectoryWriter<3>;

}  // namespace talus
