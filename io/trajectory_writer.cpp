#include "io/trajectory_writer.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <optional>

#include "io/checkpoint.hpp"
#include "io/hdf5_data.hpp"
#include "io/input_error.hpp"
#include "io/measure_tables.hpp"
#include "io/population_columns.hpp"
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

constexpr hsize_t frame_chunk = 256, series_chunk = 1024, impact_chunk = 64;
constexpr std::size_t most_pending_steps = 4096;

// Rows of /impacts in a file: enough for every impact one wants to look at, and no burden where
// thousands of grains fall.
constexpr std::size_t most_impact_rows = 200'000;

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
  void fill(const Bodies<D>& bodies, std::span<const std::size_t> places) {
    const std::size_t n = places.size();
    for (auto* column : {&position, &velocity, &angular_velocity}) column->resize(3 * n);
    orientation.resize(4 * n);
    parallel_for(n, [&](std::size_t row) {
      const std::size_t i = places[row];
      put(position, row, in_space<D>(bodies.position[i]));
      put(velocity, row, in_space<D>(bodies.velocity[i]));
      put(angular_velocity, row, spin_in_space<D>(bodies.spin[i]));
      const Eigen::Quaterniond q = quaternion<D>(bodies.orientation[i]);
      put(orientation, row, Eigen::Vector4d(q.w(), q.x(), q.y(), q.z()));
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
      body_a[row] = bodies.id[static_cast<std::size_t>(contact.key.a)];
      body_b[row] = bodies.id[static_cast<std::size_t>(contact.key.b)];
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

// Contacts of impacts, step by step.
struct ImpactColumns {
  std::vector<std::int64_t> step;
  std::vector<std::int32_t> impact, body_a, body_b;
  std::vector<double> normal, percussion, velocity_before, velocity_after, work;

  std::size_t size() const { return step.size(); }
  void clear() {
    step.clear();
    for (auto* column : {&impact, &body_a, &body_b}) column->clear();
    for (auto* column : {&normal, &percussion, &velocity_before, &velocity_after, &work})
      column->clear();
  }

  template <int D>
  void add(std::int64_t number, const ImpactedContact<D>& contact) {
    const auto append = [](std::vector<double>& values, const Vec<D>& x) {
      const Eigen::Vector3d y = in_space<D>(x);
      values.insert(values.end(), y.begin(), y.end());
    };
    step.push_back(number);
    impact.push_back(contact.impact);
    body_a.push_back(contact.a);
    body_b.push_back(contact.b);
    append(normal, contact.normal);
    append(percussion, contact.percussion);
    append(velocity_before, contact.u_minus);
    append(velocity_after, contact.u_plus);
    work.push_back(contact.work);
  }
};

// Surfaces of all bodies in world coordinates.
struct MeshColumns {
  std::vector<float> points, velocity;
  std::vector<std::size_t> first_vertex, first_polygon;  // of each row

  template <int D>
  void fill(const Bodies<D>& bodies, std::span<const std::size_t> places,
            const DrawnShapes& drawn) {
    const auto surface_of = [&](std::size_t row) {
      return drawn.surface_of[static_cast<std::size_t>(bodies.id[places[row]])];
    };
    std::size_t vertices = 0, polygons = 0;
    first_vertex.clear();
    first_polygon.clear();
    for (std::size_t row = 0; row < places.size(); ++row) {
      first_vertex.push_back(vertices);
      first_polygon.push_back(polygons);
      if (surface_of(row) < 0) continue;
      const Surface& surface = drawn.surfaces[static_cast<std::size_t>(surface_of(row))];
      vertices += surface.vertices.size();
      polygons += surface.polygons();
    }
    points.resize(3 * vertices);
    velocity.resize(3 * polygons);
    parallel_for(places.size(), [&](std::size_t row) {
      if (surface_of(row) < 0) return;
      const std::size_t i = places[row];
      const Surface& surface = drawn.surfaces[static_cast<std::size_t>(surface_of(row))];
      const Eigen::Vector3d centre = in_space<D>(bodies.position[i]);
      const Mat<3> R = quaternion<D>(bodies.orientation[i]).toRotationMatrix();
      for (std::size_t v = 0; v < surface.vertices.size(); ++v)
        put(points, first_vertex[row] + v, centre + R * surface.vertices[v]);
      for (std::size_t k = 0; k < surface.polygons(); ++k)
        put(velocity, first_polygon[row] + k, in_space<D>(bodies.velocity[i]));
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
  std::optional<PopulationColumns> population;  // where bodies come and go
  ViewFrame next;                               // where the rows of the next frame begin
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
  std::vector<Measure<D>> measures;
  std::vector<MeasureTable> measure_tables;  // one each
  Rows impact_step, impact_number, impact_body_a, impact_body_b;
  Rows impact_normal, impact_percussion, impact_velocity_before, impact_velocity_after, impact_work;
  VtkhdfViews views;

  std::vector<Certificate> pending;
  std::vector<double> pending_seconds;
  ImpactColumns pending_impacts;
  StateColumns state_columns;
  ContactColumns contact_columns;
  JointColumns joint_columns;
  MeshColumns mesh_columns;
  std::vector<std::size_t> places;  // of the bodies that are there

  std::size_t joints = 0;

  bool has_mesh() const { return sizes.mesh_vertices > 0; }
  hsize_t contact_chunk() const {
    return std::clamp<hsize_t>(2 * static_cast<hsize_t>(sizes.bodies), 64, 4096);
  }

  void prepare(const std::filesystem::path& where, const Scene<D>& scene, const Bodies<D>& all) {
    path = where;
    h = scene.h;
    joints = scene.joints.size();
    measures = scene.measures;
    drawn = draw_shapes<D>(all);
    sizes = view_sizes(drawn, scene.population_varies());
    if (sizes.varies) population.emplace().prepare<D>(scene, all, drawn);
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
    const hsize_t state_chunk = std::min<hsize_t>(bodies, sizes.varies ? 4096 : 131072);
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
      const hsize_t longest = sizes.varies ? 16384 : 262144;
      mesh_points = Rows::create<float>(
          file, "/mesh/points", 3,
          std::min<hsize_t>(static_cast<hsize_t>(sizes.mesh_vertices), longest), "m");
      mesh_velocity = Rows::create<float>(
          file, "/mesh/velocity", 3,
          std::min<hsize_t>(static_cast<hsize_t>(sizes.polygons), longest), "m/s");
    }
    if (population) population->create(file, sizes);

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

    if (!measures.empty()) hdf5::create_group(file, "/measures");
    for (const Measure<D>& measure : measures)
      measure_tables.push_back(
          MeasureTable::create(file, measure.name, measure.every, measure_columns<D>(measure)));
    const auto impact_column = [&]<class T>(const char* name, int columns, const char* unit, T) {
      return Rows::create<T>(file, std::string("/impacts/") + name, columns, impact_chunk, unit);
    };
    hdf5::create_group(file, "/impacts");
    impact_step = impact_column("step", 1, "1", std::int64_t{});
    impact_number = impact_column("impact", 1, "1", std::int32_t{});
    impact_body_a = impact_column("body_a", 1, "1", std::int32_t{});
    impact_body_b = impact_column("body_b", 1, "1", std::int32_t{});
    impact_normal = impact_column("normal", 3, "1", double{});
    impact_percussion = impact_column("percussion", 3, "N s", double{});
    impact_velocity_before = impact_column("velocity_before", 3, "m/s", double{});
    impact_velocity_after = impact_column("velocity_after", 3, "m/s", double{});
    impact_work = impact_column("work", 1, "J", double{});
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
    for (const Measure<D>& measure : measures)
      measure_tables.push_back(
          MeasureTable::open(file, measure.name, measure.every, measure_columns<D>(measure)));
    impact_step = open("/impacts/step");
    impact_number = open("/impacts/impact");
    impact_body_a = open("/impacts/body_a");
    impact_body_b = open("/impacts/body_b");
    impact_normal = open("/impacts/normal", 3);
    impact_percussion = open("/impacts/percussion", 3);
    impact_velocity_before = open("/impacts/velocity_before", 3);
    impact_velocity_after = open("/impacts/velocity_after", 3);
    impact_work = open("/impacts/work");
    if (population) population->open(file, sizes);
    views = VtkhdfViews::open(file, sizes);
  }

  // Back to this many frames, whose rows end here, and steps; the commit marker goes first.
  void cut(std::int64_t frames, const ViewFrame& end, std::int64_t steps,
           std::int64_t impact_rows) {
    const auto count = [](std::int64_t rows) { return static_cast<hsize_t>(rows); };
    hdf5::write_attribute(file, "complete", std::int8_t{0});
    time.cut(count(frames));
    views.cut(frames, end);
    hdf5::flush(file);
    for (Rows& column : frame) column.cut(count(frames));
    for (Rows& column : wide_frame) column.cut(count(frames));
    for (Rows* column : {&position, &orientation, &velocity, &angular_velocity})
      column->cut(count(end.body_row));
    for (Rows* column : {&point, &normal, &force, &contact_velocity, &normal_force, &gap, &body_a,
                         &body_b, &status})
      column->cut(count(end.contact_row));
    chain_points.cut(count(2 * end.contact_row));
    if (joints > 0)
      for (Rows* column : {&joint_point, &joint_force, &joint_torque})
        column->cut(count(frames) * joints);
    if (has_mesh()) {
      mesh_points.cut(count(end.mesh_row));
      mesh_velocity.cut(count(end.polygon_row));
    }
    if (population) population->cut(frames, end);
    for (Rows& column : series) column.cut(count(steps));
    wall_seconds.cut(count(steps));
    for (MeasureTable& table : measure_tables) table.cut(steps);
    for (Rows* column :
         {&impact_step, &impact_number, &impact_body_a, &impact_body_b, &impact_normal,
          &impact_percussion, &impact_velocity_before, &impact_velocity_after, &impact_work})
      column->cut(count(impact_rows));
    next = end;
    hdf5::flush(file);
  }

  // Upper bound for what a frame adds to the file [bytes]: its values, a chunk more in each of the
  // growing datasets, and the library's own tables.
  std::uint64_t frame_bytes() const {
    const auto bodies = static_cast<std::uint64_t>(places.size());
    const std::uint64_t contact_bytes = 160, state_bytes = 13 * sizeof(double),
                        joint_bytes = 9 * sizeof(double), series_bytes = sizeof(Certificate),
                        impact_bytes = 128, own_tables = 1u << 18;
    std::uint64_t measure_bytes = 0;
    for (const MeasureTable& table : measure_tables) measure_bytes += table.bytes_to_come();
    return own_tables + measure_bytes + state_bytes * bodies + joint_bytes * joints +
           contact_bytes * (contact_columns.size() + contact_chunk()) +
           sizeof(float) * (mesh_columns.points.size() + mesh_columns.velocity.size()) +
           impact_bytes * (pending_impacts.size() + impact_chunk) +
           (population ? population->bytes() : 0) + series_bytes * (pending.size() + series_chunk) +
           32 * 8 * frame_chunk;
  }

  // The whole of a file. Datasets grow by whole chunks; tables that are written once are
  // compressed.
  double run_bytes(const RunLength& length) const {
    const auto in_chunks = [](double rows, hsize_t chunk) {
      return std::ceil(rows / static_cast<double>(chunk)) * static_cast<double>(chunk);
    };
    constexpr double state = 13 * 8, joint = 9 * 8, mesh = 12, contact = 145, offsets = 2 * 8,
                     frame_row = 8.0 * (1 + frame_columns.size() + 4 * wide_frame_columns.size()),
                     body_table = 80, own_tables = 3e5;
    int series_columns = 1;  // wall_seconds
    for_each_series_column([&](const char*, const char*, auto) { ++series_columns; });
    const auto frames = static_cast<double>(length.frames);
    const auto bodies = static_cast<double>(sizes.bodies);
    return own_tables + body_table * bodies +
           frames * (state * bodies + joint * static_cast<double>(joints) +
                     mesh * static_cast<double>(sizes.mesh_vertices + sizes.polygons)) +
           (contact + offsets) * in_chunks(frames * length.contacts, contact_chunk()) +
           frame_row * in_chunks(frames, frame_chunk) +
           8 * series_columns * in_chunks(static_cast<double>(length.steps), series_chunk);
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
    for (MeasureTable& table : measure_tables) table.write();
    if (pending_impacts.size() == 0) return;
    impact_step.append(view_of(pending_impacts.step));
    impact_number.append(view_of(pending_impacts.impact));
    impact_body_a.append(view_of(pending_impacts.body_a));
    impact_body_b.append(view_of(pending_impacts.body_b));
    impact_normal.append(view_of(pending_impacts.normal));
    impact_percussion.append(view_of(pending_impacts.percussion));
    impact_velocity_before.append(view_of(pending_impacts.velocity_before));
    impact_velocity_after.append(view_of(pending_impacts.velocity_after));
    impact_work.append(view_of(pending_impacts.work));
    pending_impacts.clear();
  }

  void save_series() {
    writing("the series", [&] {
      hdf5::reserve(file, frame_bytes());
      write_series();
      hdf5::flush(file);
    });
  }

  void write_frame(std::int64_t step, const ViewFrame& rows) {
    const auto index = static_cast<std::int64_t>(time.size());
    const std::int64_t contacts = rows.contact_count, row = rows.contact_row;

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
    if (population) {
      population->append(rows);
      views.append_bodies(rows.body_count);
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
  const Bodies<D> all = scene.population_varies() ? all_bodies<D>(scene) : bodies;
  file->prepare(path, scene, all);

  std::filesystem::path unfinished = path;
  unfinished += ".part";
  try_to_create(unfinished, path.string());
  try {
    file->writing("the file", [&] {
      file->file = hdf5::create_file(unfinished);
      file->unused_space.watch(file->file);
      hdf5::reserve(file->file, run_tables_bytes<D>(scene, all, info, file->drawn));
      write_run_tables<D>(file->file, scene, all, info, file->drawn);
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
  file->prepare(path, scene, all_bodies<D>(scene));

  std::vector<Frame> kept;
  std::int64_t steps = 0, impact_rows = 0;
  {
    const TrajectoryReader reader(path);
    const ViewSizes stored = reader.view_sizes();
    if (reader.header().dimension != D ||
        reader.header().joints != static_cast<std::int64_t>(file->joints) ||
        stored.varies != file->sizes.varies || stored.bodies != file->sizes.bodies ||
        stored.mesh_vertices != file->sizes.mesh_vertices ||
        stored.polygons != file->sizes.polygons)
      throw InputError(fmt::format("{}: holds the run of another scene", path.string()));
    for (const Frame& frame : reader.frames())
      if (frame.step <= step) kept.push_back(frame);
    for (const Certificate& certificate : reader.series().steps)
      if (certificate.step <= step) ++steps;
    for (const std::int64_t impact_step : reader.impacts().step)
      if (impact_step <= step) ++impact_rows;
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
    file->cut(static_cast<std::int64_t>(kept.size()),
              kept.empty() ? ViewFrame{} : kept.back().rows.end(), steps, impact_rows);
  } catch (const Failure& failure) {
    throw InputError(fmt::format("{}: cannot go on with it: {}", path.string(), failure.what()));
  }
  file->writing("its views", [&] { file->companions.emplace(path, file->sizes); });
  for (const Frame& frame : kept) file->companions->append(frame.rows);
  return TrajectoryWriter(std::move(file));
}

template <int D>
double TrajectoryWriter<D>::expected_bytes(const Scene<D>& scene, const Bodies<D>& bodies,
                                           const RunLength& length) {
  File file;
  file.prepare({}, scene, bodies);
  return file.run_bytes(length);
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
                                       std::span<const JointReaction<D>> joints,
                                       const PopulationState& population) {
  File& file = *file_;
  assert(joints.size() == file.joints && "every joint has a reaction");
  file.places.clear();
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies.id[i] >= 0) file.places.push_back(i);
  file.joint_columns.template fill<D>(joints, file.h);
  file.state_columns.template fill<D>(bodies, file.places);
  file.contact_columns.template fill<D>(bodies, contacts, file.h);
  if (file.has_mesh()) file.mesh_columns.template fill<D>(bodies, file.places, file.drawn);
  ViewFrame rows = file.next;
  rows.time = time;
  rows.contact_count = static_cast<std::int64_t>(file.contact_columns.size());
  if (file.population)
    file.population->template fill<D>(bodies, population, file.drawn, rows);
  else
    count_all(file.sizes, rows);
  file.writing(fmt::format("the frame at t = {} s", time), [&] {
    hdf5::reserve(file.file, file.frame_bytes());
    file.write_series();
    file.write_frame(step, rows);
    file.commit(time);
  });
  file.next = rows.end();
  file.companions->append(rows);
}

template <int D>
void TrajectoryWriter<D>::append_series(const Certificate& certificate, double wall_seconds,
                                        std::span<const ImpactedContact<D>> impacts) {
  file_->pending.push_back(certificate);
  file_->pending_seconds.push_back(wall_seconds);
  const std::size_t rows =
      static_cast<std::size_t>(file_->impact_step.size()) + file_->pending_impacts.size();
  if (rows + impacts.size() <= most_impact_rows)  // an impact is told as a whole
    for (const ImpactedContact<D>& contact : impacts)
      file_->pending_impacts.template add<D>(certificate.step, contact);
  if (file_->pending.size() >= most_pending_steps) file_->save_series();
}

template <int D>
void TrajectoryWriter<D>::append_measures(const Measures<D>& measures, std::int64_t step,
                                          double time) {
  for (std::size_t k = 0; k < file_->measures.size(); ++k)
    if (is_due<D>(file_->measures[k], step))
      file_->measure_tables[k].add(step, time, measures.row(k));
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
