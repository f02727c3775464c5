// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/trajectory_writer.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <optional>

#include "io/hdf5/hdf5_data.hpp"
#include "io/hdf5/hdf5_journal.hpp"
#include "io/text/input_error.hpp"
#include "io/text/new_file.hpp"
#include "io/trajectory/checkpoint.hpp"
#include "io/trajectory/checksums.hpp"
#include "io/trajectory/format_version.hpp"
#include "io/trajectory/frame_tables.hpp"
#include "io/trajectory/measure_tables.hpp"
#include "io/trajectory/population_columns.hpp"
#include "io/trajectory/series_columns.hpp"
#include "io/trajectory/stored_state.hpp"
#include "io/trajectory/surface.hpp"
#include "io/trajectory/trajectory_reader.hpp"
#include "io/trajectory/trajectory_tables.hpp"
#include "io/trajectory/views.hpp"
#include "io/trajectory/vtkhdf.hpp"

namespace talus {

namespace {

using hdf5::Failure;
using hdf5::Rows;

constexpr hsize_t frame_chunk = 256, series_chunk = 1024, impact_chunk = 64;
constexpr std::size_t most_pending_steps = 4096;
constexpr std::size_t most_waiting_bytes = 1u << 22;  // of frames

// Limit on the rows of /impacts: enough to study impacts, and no burden where thousands of grains
// fall.
constexpr std::size_t most_impact_rows = 200'000;

// Columns of /frames except `time`. `time` is written last: only then a frame counts.
constexpr std::array frame_columns = {
    "step",     "body_row",         "body_count",   "contact_row",   "contact_count",
    "mesh_row", "polygon_row",      "zero",         "one",           "index",
    "wall_row", "wall_polygon_row", "contact_row2", "contact_count2"};
constexpr std::array wide_frame_columns = {"zero4", "contact_cell4", "chain_cell4"};

// Checks the path before anything is written.
void refuse_unusable(const std::filesystem::path& path, bool force) {
  std::error_code ignored;
  const std::string name = path.string();
  if (!std::filesystem::exists(path, ignored)) return;
  if (!std::filesystem::is_regular_file(path, ignored))
    throw InputError(fmt::format("{}: is not a regular file", name));
  refuse_existing(path, existing_files(force));
  if (access(path.c_str(), W_OK) != 0)
    throw InputError(fmt::format("{}: cannot write: {}", name, strerror(errno)));
}

}  // namespace

template <int D>
struct TrajectoryWriter<D>::File {
  std::filesystem::path path;
  double h = 0;
  hdf5::Journal journal;
  hdf5::Handle file;
  DrawnShapes drawn;
  ViewSizes sizes;
  std::optional<PopulationColumns> population;  // only with emitters or outlets
  ViewFrame next;                               // first rows of the next frame
  std::optional<ViewFiles> companions;
  std::vector<ViewFrame> waiting;            // frames in memory, stored together
  std::vector<ViewFrame> not_in_companions;  // frames that are held back for readers of the file
  double longest_wait = 0;                   // of a frame in memory [s]
  std::chrono::steady_clock::time_point last_flush = std::chrono::steady_clock::now();

  // the growing datasets
  Rows time;
  std::vector<Rows> frame, wide_frame;  // in the order of frame_columns and wide_frame_columns
  StateRows state;
  ContactRows contacts;
  JointRows joint_forces;
  BondRows bonds;
  Rows bond_count;  // of every frame the same
  CellRows cell;
  MeshRows mesh{Drawn::mesh}, walls{Drawn::walls};
  ImpactRows impacts;
  std::vector<Rows> series;  // in the order of for_each_series_column
  Rows wall_seconds;
  std::vector<Measure<D>> measures;
  std::vector<MeasureTable> measure_tables;  // one per measure
  VtkhdfViews views;
  Checksums checksums;

  std::vector<Certificate> pending;
  std::vector<double> pending_seconds;
  std::vector<std::size_t> places;  // indices of the bodies present

  std::size_t joints = 0;

  File() = default;
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { journal.close_regardless(); }

  bool has_mesh() const { return sizes.mesh_vertices > 0; }
  bool has_walls() const { return sizes.wall_vertices > 0; }
  hsize_t contact_chunk() const {
    return std::clamp<hsize_t>(2 * static_cast<hsize_t>(sizes.bodies), 64, 4096);
  }

  void prepare(const std::filesystem::path& where, const Scene<D>& scene, const Bodies<D>& all) {
    path = where;
    h = scene.h;
    joints = scene.joints.size();
    measures = scene.measures;
    contacts.bonded = scene.laws.any_bonds();
    contacts.adhesive = contacts.bonded || scene.laws.largest_adhesion() > 0;
    contacts.rolling = scene.laws.any_passes_moments();
    state.periodic = scene.cell.has_value();
    drawn = draw_shapes<D>(all);
    sizes = view_sizes(drawn, scene.population_varies());
    sizes.periodic = scene.cell.has_value();
    if (sizes.varies) population.emplace().prepare<D>(scene, all, drawn);
  }

  // Runs f; an HDF5 error becomes an exception of one line that names the file.
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
    create_columns(state, file, state_chunk);
    hdf5::write_text_attribute(state.orientation.rows.dataset(), "convention",
                               "w x y z, body to world");
    hdf5::create_group(file, "/contacts");
    create_columns(contacts, file, contact_chunk());
    hdf5::write_text_attribute(contacts.status.rows.dataset(), "values",
                               "0 no force, 1 sticking, 2 sliding");

    if (has_mesh()) {
      const hsize_t longest = sizes.varies ? 16384 : 262144;
      const auto chunk = [&](std::int64_t rows) {
        return std::min<hsize_t>(static_cast<hsize_t>(rows), longest);
      };
      mesh.points.rows =
          Rows::create<float>(file, mesh.points.path, 3, chunk(sizes.mesh_vertices), "m");
      mesh.velocity.rows =
          Rows::create<float>(file, mesh.velocity.path, 3, chunk(sizes.polygons), "m/s");
    }
    if (has_walls()) {
      constexpr std::int64_t longest = 262144;
      walls.points.rows =
          Rows::create<float>(file, walls.points.path, 3,
                              static_cast<hsize_t>(std::min(sizes.wall_vertices, longest)), "m");
      walls.velocity.rows =
          Rows::create<float>(file, walls.velocity.path, 3,
                              static_cast<hsize_t>(std::min(sizes.wall_polygons, longest)), "m/s");
    }
    if (population) population->create(file, sizes);

    if (joints > 0) create_columns(joint_forces, file, std::min<hsize_t>(joints, 131072));
    if (contacts.bonded) {
      hdf5::create_group(file, "/bonds");
      create_columns(bonds, file, contact_chunk());
      bond_count = Rows::create<std::int64_t>(file, "/bonds/count", 1, frame_chunk);
    }
    if (sizes.periodic) {
      hdf5::create_group(file, "/cell");
      create_columns(cell, file, frame_chunk);
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
    hdf5::create_group(file, "/impacts");
    create_columns(impacts, file, impact_chunk);
  }

  void open_datasets() {
    const auto open = [&](const std::string& name, int columns = 1) {
      return Rows::open(file, name, columns);
    };
    time = open("/frames/time");
    for (const char* name : frame_columns) frame.push_back(open(std::string("/frames/") + name));
    for (const char* name : wide_frame_columns)
      wide_frame.push_back(open(std::string("/frames/") + name, 4));
    open_columns(state, file);
    open_columns(contacts, file);
    open_columns(impacts, file);
    if (joints > 0) open_columns(joint_forces, file);
    if (contacts.bonded) {
      open_columns(bonds, file);
      bond_count = open("/bonds/count");
    }
    if (sizes.periodic) open_columns(cell, file);
    if (has_mesh()) open_columns(mesh, file);
    if (has_walls()) open_columns(walls, file);
    for_each_series_column([&](const char* name, const char*, auto) {
      series.push_back(open(std::string("/series/") + name));
    });
    wall_seconds = open("/series/wall_seconds");
    for (const Measure<D>& measure : measures)
      measure_tables.push_back(
          MeasureTable::open(file, measure.name, measure.every, measure_columns<D>(measure)));
    if (population) population->open(file, sizes);
    views = VtkhdfViews::open(file, sizes);
  }

  // Calls f with all growing datasets.
  template <class F>
  void for_each_rows(F&& f) {
    f(time);
    for (Rows& column : frame) f(column);
    for (Rows& column : wide_frame) f(column);
    const auto rows_of = [&](auto& column) { f(column.rows); };
    state.for_each_column(rows_of);
    contacts.for_each_column(rows_of);
    impacts.for_each_column(rows_of);
    if (joints > 0) joint_forces.for_each_column(rows_of);
    if (contacts.bonded) {
      bonds.for_each_column(rows_of);
      f(bond_count);
    }
    if (sizes.periodic) cell.for_each_column(rows_of);
    if (has_mesh()) mesh.for_each_column(rows_of);
    if (has_walls()) walls.for_each_column(rows_of);
    for (Rows& column : series) f(column);
    f(wall_seconds);
    for (MeasureTable& table : measure_tables) table.for_each_rows(f);
    if (population) population->for_each_rows(f);
    views.for_each_rows(f);
  }

  std::vector<RowsChecksum> rows_checksums() {
    std::vector<RowsChecksum> tables;
    for_each_rows([&](Rows& rows) { tables.push_back({rows.path(), rows.size(), rows.digest()}); });
    return tables;
  }

  void store_rows() {
    for_each_rows([](Rows& rows) { rows.store(); });
  }

  // Flushes everything so far to the file, with its checksums, or holds it back for readers.
  void flush() {
    store_rows();
    checksums.update(file, rows_checksums());
    hdf5::flush(file);
    last_flush = std::chrono::steady_clock::now();
  }

  // Adds frames to the companions once they are in the file.
  void complete_companions() {
    if (!journal.is_in_file()) return;
    if (!not_in_companions.empty()) companions->append(not_in_companions);
    not_in_companions.clear();
  }

  // Truncates the file to these frames, steps and rows of impacts, in one flush.
  void cut(const std::vector<Frame>& kept, std::int64_t steps, std::int64_t impact_rows) {
    const auto count = [](std::int64_t rows) { return static_cast<hsize_t>(rows); };
    const auto frames = static_cast<std::int64_t>(kept.size());
    const ViewFrame end = kept.empty() ? ViewFrame{} : kept.back().rows.end();
    std::int64_t longest = 0;
    for (const Frame& last : kept)
      longest = std::max({longest, 2 * last.rows.contact_count,
                          sizes.varies ? last.rows.body_count : std::int64_t{0}});
    hdf5::write_attribute(file, "complete", std::int8_t{0});
    hdf5::remove(file, end_state_path);
    if (contacts.bonded && time.size() > 0) {
      const auto each = static_cast<std::int64_t>(bonds.damage.rows.size() / bond_count.size());
      cut_columns(bonds, each * frames);
      bond_count.cut(count(frames));
    }
    time.cut(count(frames));
    views.cut(frames, end, longest);
    for (Rows& column : frame) column.cut(count(frames));
    for (Rows& column : wide_frame) column.cut(count(frames));
    cut_columns(state, end.body_row);
    cut_columns(contacts, end.contact_row);
    cut_columns(impacts, impact_rows);
    if (joints > 0) cut_columns(joint_forces, frames * static_cast<std::int64_t>(joints));
    if (sizes.periodic) cut_columns(cell, frames);
    if (has_mesh()) {
      mesh.points.rows.cut(count(end.mesh_row));
      mesh.velocity.rows.cut(count(end.polygon_row));
    }
    if (has_walls()) {
      walls.points.rows.cut(count(end.wall_row));
      walls.velocity.rows.cut(count(end.wall_polygon_row));
    }
    if (population) population->cut(frames, end);
    for (Rows& column : series) column.cut(count(steps));
    wall_seconds.cut(count(steps));
    for (MeasureTable& table : measure_tables) table.cut(steps);
    next = end;
    flush();
  }

  template <class T>
  void set_meta(const char* name, T value) {
    const hdf5::Handle meta(H5Gopen2(file, "/meta", H5P_DEFAULT), "open /meta");
    hdf5::write_attribute(meta, name, value);
  }

  // Upper bound for what the rows in memory add to the file [bytes], with the metadata of HDF5.
  std::uint64_t growth() {
    constexpr std::uint64_t own_tables = 1u << 18;
    std::uint64_t bytes = own_tables;
    for_each_rows([&](const Rows& rows) { bytes += rows.growth(); });
    return bytes;
  }

  bool must_not_wait() {
    std::size_t bytes = 0;
    for_each_rows([&](const Rows& rows) { bytes += rows.waiting_bytes(); });
    return bytes > most_waiting_bytes ||
           std::chrono::duration<double>(std::chrono::steady_clock::now() - last_flush).count() >=
               longest_wait;
  }

  // Size of a whole file [bytes]. Datasets grow by whole chunks; tables that are written once are
  // compressed.
  double run_bytes(const RunLength& length) const {
    const auto in_chunks = [](double rows, hsize_t chunk) {
      return std::ceil(rows / static_cast<double>(chunk)) * static_cast<double>(chunk);
    };
    // With bonds about every contact is one, and has a row of its own.
    const double contact_row = 145 + (contacts.rolling ? 24 : 0) + (contacts.bonded ? 92 : 0);
    const double state_row = sizes.periodic ? 16 * 8 : 13 * 8;
    constexpr double joint_row = 9 * 8, mesh_row = 12, offsets = 2 * 8,
                     frame_row = 8.0 * (1 + frame_columns.size() + 4 * wide_frame_columns.size()),
                     body_table = 80, own_tables = 3e5;
    int series_columns = 1;  // wall_seconds
    for_each_series_column([&](const char*, const char*, auto) { ++series_columns; });
    const auto frames = static_cast<double>(length.frames);
    const auto bodies = static_cast<double>(sizes.bodies);
    return own_tables + body_table * bodies +
           frames * (state_row * bodies + joint_row * static_cast<double>(joints) +
                     mesh_row * static_cast<double>(sizes.mesh_vertices + sizes.polygons +
                                                    sizes.wall_vertices + sizes.wall_polygons)) +
           (contact_row + offsets) * in_chunks(frames * length.contacts, contact_chunk()) +
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
    wall_seconds.append(std::span<const double>(pending_seconds));
    pending.clear();
    pending_seconds.clear();
    append_columns(impacts);
    resize_columns(impacts, 0);
  }

  // Writes what waits in memory. The times of frames, which make them count, have a flush of their
  // own: a reader that opens the file during a flush finds all frames it knows of complete.
  void save() {
    const std::string what =
        waiting.empty() ? "the series" : fmt::format("the frame at t = {} s", waiting.front().time);
    writing(what, [&] {
      write_series();
      hdf5::reserve(file, growth());
      flush();
      if (waiting.empty()) return;
      for (const ViewFrame& rows : waiting) time.append(std::span<const double>(&rows.time, 1));
      views.commit(static_cast<std::int64_t>(time.size()));
      flush();
    });
    not_in_companions.insert(not_in_companions.end(), waiting.begin(), waiting.end());
    waiting.clear();
    complete_companions();
  }

  void add_frame(std::int64_t step, const ViewFrame& rows) {
    const auto index = static_cast<std::int64_t>(time.size() + waiting.size());
    const std::int64_t count = rows.contact_count, row = rows.contact_row;
    append_columns(state);
    append_columns(contacts);
    if (joints > 0) append_columns(joint_forces);
    if (contacts.bonded) {
      const auto number = static_cast<std::int64_t>(bonds.size());
      bond_count.append(std::span<const std::int64_t>(&number, 1));
      append_columns(bonds);
    }
    if (sizes.periodic) append_columns(cell);
    if (has_mesh()) append_columns(mesh);
    if (has_walls()) append_columns(walls);
    if (population) {
      population->append(rows);
      views.append_bodies(rows.body_count);
    }
    views.append_contacts(count);

    const std::array<std::int64_t, frame_columns.size()> values = {
        step,    rows.body_row, rows.body_count,  row,
        count,   rows.mesh_row, rows.polygon_row, 0,
        1,       index,         rows.wall_row,    rows.wall_polygon_row,
        2 * row, 2 * count};
    for (std::size_t i = 0; i < values.size(); ++i)
      frame[i].append(std::span<const std::int64_t>(&values[i], 1));
    const std::array<std::array<std::int64_t, 4>, wide_frame_columns.size()> wide = {
        {{0, 0, 0, 0}, {row, 0, 0, 0}, {0, row, 0, 0}}};
    for (std::size_t i = 0; i < wide.size(); ++i)
      wide_frame[i].append(std::span<const std::int64_t>(wide[i]));
    waiting.push_back(rows);
  }
};

template <int D>
TrajectoryWriter<D> TrajectoryWriter<D>::create(const std::filesystem::path& path,
                                                const Scene<D>& scene, const Bodies<D>& bodies,
                                                const RunInfo& info, bool force,
                                                const WorldState<D>* start) {
  refuse_unusable(path, force);
  return create(WriteClaim(path), scene, bodies, info, force, start);
}

template <int D>
TrajectoryWriter<D> TrajectoryWriter<D>::create(WriteClaim claim, const Scene<D>& scene,
                                                const Bodies<D>& bodies, const RunInfo& info,
                                                bool force, const WorldState<D>* start) {
  const std::filesystem::path path = claim.run();
  refuse_unusable(path, force);
  remove_unfinished(path);
  auto file = std::make_unique<File>();
  const Bodies<D> all = scene.population_varies() ? all_bodies<D>(scene) : bodies;
  file->prepare(path, scene, all);

  NewFile whole(path);
  try {
    file->writing("the file", [&] {
      file->file = file->journal.create(whole.unfinished());
      hdf5::reserve(file->file, run_tables_bytes<D>(scene, all, info, file->drawn) +
                                    (start != nullptr ? stored_bytes<D>(*start) : 0));
      write_run_tables<D>(file->file, scene, all, info, file->drawn);
      if (start != nullptr)
        write_state<D>(hdf5::create_group(file->file, start_state_path), *start, info.scene_id);
      file->create_datasets();
      file->views = VtkhdfViews::create(file->file, file->sizes);
      file->checksums = Checksums::create(file->file, file->rows_checksums());
      hdf5::synchronise(file->file);
    });
    remove_checkpoints(path);  // of an older run, so that none is mistaken for one of this run
    whole.put_in_place(existing_files(force));
    synchronise_folder_of(path);
    file->writing("its journal", [&] { file->journal.start(std::move(claim)); });
    file->journal.let_rows_pass();
    file->journal.let_readers_finish(true);
  } catch (...) {
    file.reset();
    throw;
  }
  file->writing("its views", [&] { file->companions.emplace(path, file->sizes); });
  return TrajectoryWriter(std::move(file));
}

template <int D>
TrajectoryWriter<D> TrajectoryWriter<D>::resume(const std::filesystem::path& path,
                                                const Scene<D>& scene, std::int64_t step) {
  return resume(WriteClaim(path), scene, step);
}

template <int D>
TrajectoryWriter<D> TrajectoryWriter<D>::resume(WriteClaim claim, const Scene<D>& scene,
                                                std::int64_t step) {
  const std::filesystem::path path = claim.run();
  remove_unfinished_checkpoints(path);
  auto file = std::make_unique<File>();
  file->prepare(path, scene, all_bodies<D>(scene));

  std::vector<Frame> kept;
  std::int64_t steps = 0, impact_rows = 0;
  {
    const TrajectoryReader reader(path);
    if (const int minor_version = reader.header().format_minor; minor_version != format_minor)
      throw InputError(
          fmt::format("{}: has format {}.{}; this program continues runs of format {}.{} only",
                      path.string(), format_major, minor_version, format_major, format_minor));
    const ViewSizes stored = reader.view_sizes();
    if (reader.header().dimension != D ||
        reader.header().joints != static_cast<std::int64_t>(file->joints) ||
        stored.varies != file->sizes.varies || stored.bodies != file->sizes.bodies ||
        stored.mesh_vertices != file->sizes.mesh_vertices ||
        stored.polygons != file->sizes.polygons ||
        stored.wall_vertices != file->sizes.wall_vertices ||
        stored.wall_polygons != file->sizes.wall_polygons)
      throw InputError(fmt::format("{}: holds the run of another scene", path.string()));
    const bool goes_on = step < scene.last_step();
    for (const Frame& frame : reader.frames())
      if (frame.step <= step && !(goes_on && frame.step % scene.save_every != 0))
        kept.push_back(frame);
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
    file->file = file->journal.open(path);
    file->journal.start(std::move(claim));
    file->open_datasets();
    file->set_meta("end", scene.end);
    file->set_meta("checkpoint_step", step);
    file->checksums = Checksums::open(file->file);
    file->cut(kept, steps, impact_rows);
    file->journal.let_rows_pass();
    file->journal.let_readers_finish(true);
  } catch (const Failure& failure) {
    throw InputError(fmt::format("{}: cannot go on with it: {}", path.string(), failure.what()));
  }
  file->writing("its views", [&] { file->companions.emplace(path, file->sizes); });
  for (const Frame& frame : kept) file->companions->append({&frame.rows, 1});
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
  try {
    if (file_ && !file_->waiting.empty()) file_->save();
  } catch (const std::exception&) {  // reported when it failed first
  }
  file_.reset();
}

template <int D>
void TrajectoryWriter<D>::append_frame(double time, std::int64_t step, const Bodies<D>& bodies,
                                       std::span<const ActiveContact<D>> contacts,
                                       std::span<const JointReaction<D>> joints,
                                       const PopulationState& population,
                                       std::span<const Spin<D>> moments,
                                       std::span<const Bond<D>> bonds) {
  File& file = *file_;
  assert(joints.size() == file.joints && "every joint has a reaction");
  file.places.clear();
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies.id[i] >= 0) file.places.push_back(i);
  file.joint_forces.template fill<D>(joints, file.h);
  if (file.contacts.bonded) file.bonds.template fill<D>(bodies, bonds);
  if (file.sizes.periodic) file.cell.template fill<D>(bodies.lattice);
  file.state.template fill<D>(bodies, file.places);
  file.contacts.template fill<D>(bodies, contacts, moments, file.h);
  if (file.has_mesh()) file.mesh.template fill<D>(bodies, file.places, file.drawn);
  if (file.has_walls()) file.walls.template fill<D>(bodies, file.places, file.drawn);
  ViewFrame rows = file.next;
  rows.time = time;
  rows.contact_count = static_cast<std::int64_t>(file.contacts.size());
  count_walls(file.sizes, rows);
  if (file.population)
    file.population->template fill<D>(bodies, population, file.drawn, rows);
  else
    count_all(file.sizes, rows);
  file.add_frame(step, rows);
  file.next = rows.end();
  if (file.must_not_wait()) file.save();
}

template <int D>
void TrajectoryWriter<D>::append_series(const Certificate& certificate, double wall_seconds,
                                        std::span<const ImpactedContact<D>> impacts) {
  file_->pending.push_back(certificate);
  file_->pending_seconds.push_back(wall_seconds);
  const std::size_t rows =
      static_cast<std::size_t>(file_->impacts.step.rows.size()) + file_->impacts.size();
  if (rows + impacts.size() <= most_impact_rows)  // all impacts of a step, or none
    for (const ImpactedContact<D>& contact : impacts)
      file_->impacts.template add<D>(certificate.step, contact);
  if (file_->pending.size() >= most_pending_steps ||
      (!file_->waiting.empty() && file_->must_not_wait()))
    file_->save();
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
  file_->journal.let_readers_finish(false);
  file_->save();
  file_->writing("the file", [&] { hdf5::synchronise(file_->file); });
  file_->complete_companions();
  file_->journal.let_readers_finish(true);
}

template <int D>
void TrajectoryWriter<D>::note_checkpoint(std::int64_t step) {
  file_->writing("the file", [&] {
    file_->set_meta("checkpoint_step", step);
    file_->flush();
  });
}

template <int D>
void TrajectoryWriter<D>::close(const WorldState<D>& state, std::uint64_t scene_id,
                                const std::string& stopped_by) {
  file_->writing("the state at the end", [&] {
    hdf5::reserve(file_->file, stored_bytes<D>(state));
    const hdf5::Handle place = hdf5::create_group(file_->file, end_state_path);
    write_state<D>(place, state, scene_id);
    if (!stopped_by.empty()) hdf5::write_text_attribute(place, "stopped_by", stopped_by);
  });
  close();
}

template <int D>
void TrajectoryWriter<D>::close() {
  File& file = *file_;
  file.journal.let_readers_finish(false);
  file.save();
  file.writing("the end of the file", [&] {
    hdf5::write_attribute(file.file, "complete", std::int8_t{1});
    file.set_meta("checkpoint_step", no_checkpoint);
    file.flush();
    hdf5::synchronise(file.file);
    remove_checkpoints(file.path);
    file_.reset();
  });
}

template <int D>
std::int64_t TrajectoryWriter<D>::frames() const {
  return static_cast<std::int64_t>(file_->time.size() + file_->waiting.size());
}

template <int D>
void TrajectoryWriter<D>::let_frames_wait(double seconds) {
  file_->longest_wait = seconds;
}

template class TrajectoryWriter<2>;
template class TrajectoryWriter<3>;

}  // namespace talus
