#include "io/checkpoint.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <cstring>
#include <optional>

#include "io/hdf5_data.hpp"
#include "io/input_error.hpp"
#include "io/trial.hpp"
#include "io/version.hpp"

namespace talus {

namespace {

using hdf5::Failure;
using hdf5::Handle;

constexpr std::array<std::string_view, 2> slots = {"A", "B"};

std::filesystem::path checkpoint_path(const std::filesystem::path& run, std::string_view slot) {
  std::filesystem::path path = run;
  path.replace_extension(fmt::format(".ckpt.{}.h5", slot));
  return path;
}

// FNV-1a: guards against damage, not against malice.
class Digest {
 public:
  void add(const void* data, std::size_t size) {
    const auto* bytes = static_cast<const unsigned char*>(data);
    for (std::size_t i = 0; i < size; ++i) value_ = (value_ ^ bytes[i]) * 0x100000001b3u;
  }
  template <class T>
  void add(const std::vector<T>& values) {
    const std::uint64_t size = values.size();
    add(&size, sizeof size);
    add(values.data(), values.size() * sizeof(T));
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325u;
};

// Changes with what a checkpoint holds; 1 knew no populations that vary, 2 no measures.
constexpr std::int32_t checkpoint_layout = 3;

// A world's state as columns of plain numbers.
struct Columns {
  std::vector<double> position, orientation, velocity, spin, percussion, measures;
  PopulationState population;
  std::vector<std::int32_t> key_bodies;  // a, b, shape_a, shape_b of each contact
  std::vector<std::uint64_t> key_feature;

  std::uint64_t digest(std::int64_t steps, std::uint64_t scene) const {
    Digest digest;
    digest.add(&steps, sizeof steps);
    digest.add(&scene, sizeof scene);
    for (const auto* column : {&position, &orientation, &velocity, &spin, &percussion, &measures})
      digest.add(*column);
    digest.add(population.id);
    digest.add(population.born);
    digest.add(population.removed);
    digest.add(population.removed_mass);
    digest.add(key_bodies);
    digest.add(key_feature);
    return digest.value();
  }
};

template <int N>
void append(std::vector<double>& values, const Vec<N>& vector) {
  values.insert(values.end(), vector.data(), vector.data() + N);
}

constexpr int turn_width(int dimension) { return dimension == 2 ? 1 : 4; }

void append_turn(std::vector<double>& values, const Orientation<2>& orientation) {
  values.push_back(orientation.angle);
}
void append_turn(std::vector<double>& values, const Orientation<3>& orientation) {
  append<3>(values, orientation.q.vec);
  values.push_back(orientation.q.w);
}
void take_turn(const double* values, Orientation<2>& orientation) { orientation.angle = values[0]; }
void take_turn(const double* values, Orientation<3>& orientation) {
  orientation.q = {values[3], Vec<3>::from(values)};
}

template <int D>
Columns columns_of(const WorldState<D>& state) {
  Columns columns;
  for (const Vec<D>& x : state.position) append<D>(columns.position, x);
  for (const Orientation<D>& turn : state.orientation) append_turn(columns.orientation, turn);
  for (const Vec<D>& v : state.velocity) append<D>(columns.velocity, v);
  for (const Spin<D>& omega : state.spin) append<spin_dim<D>>(columns.spin, omega);
  for (const StoredPercussion<D>& stored : state.percussions) {
    const ContactKey& key = stored.key;
    columns.key_bodies.insert(columns.key_bodies.end(), {key.a, key.b, key.shape_a, key.shape_b});
    columns.key_feature.push_back(key.feature);
    append<D>(columns.percussion, stored.percussion);
  }
  columns.population = state.population;
  columns.measures = state.measures;
  return columns;
}

template <int D>
WorldState<D> state_of(const Columns& columns, std::int64_t steps) {
  WorldState<D> state;
  state.steps = steps;
  const std::size_t n = columns.position.size() / D, contacts = columns.key_feature.size();
  state.position.resize(n);
  state.orientation.resize(n);
  state.velocity.resize(n);
  state.spin.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    state.position[i] = Vec<D>::from(&columns.position[i * D]);
    take_turn(&columns.orientation[i * turn_width(D)], state.orientation[i]);
    state.velocity[i] = Vec<D>::from(&columns.velocity[i * D]);
    state.spin[i] = Spin<D>::from(&columns.spin[i * spin_dim<D>]);
  }
  state.percussions.resize(contacts);
  for (std::size_t i = 0; i < contacts; ++i) {
    const std::int32_t* key = &columns.key_bodies[4 * i];
    state.percussions[i].key = {key[0], key[1], key[2], key[3], columns.key_feature[i]};
    state.percussions[i].percussion = Vec<D>::from(&columns.percussion[i * D]);
  }
  state.population = columns.population;
  state.measures = columns.measures;
  return state;
}

void write_file(const std::filesystem::path& path, const Columns& columns, int dimension,
                std::int64_t steps, std::uint64_t scene) {
  hdf5::UnusedSpace unused_space;
  const Handle file = hdf5::create_file(path);
  unused_space.watch(file);
  const std::uint64_t values = columns.position.size() + columns.orientation.size() +
                               columns.velocity.size() + columns.spin.size() +
                               columns.percussion.size() + 3 * columns.key_feature.size() +
                               columns.population.id.size() + columns.measures.size();
  hdf5::reserve(file, 8 * values + 65536);
  hdf5::write_text_attribute(file, "format", "talus-checkpoint");
  hdf5::write_text_attribute(file, "version", version());
  hdf5::write_attribute(file, "layout", checkpoint_layout);
  hdf5::write_attribute(file, "dim", std::int32_t{dimension});
  hdf5::write_attribute(file, "step", steps);
  hdf5::write_attribute(file, "scene_hash", scene);
  hdf5::write_attribute(file, "digest", columns.digest(steps, scene));
  const int spins = dimension * (dimension - 1) / 2;
  hdf5::write_table<double>(file, "position", columns.position, dimension);
  hdf5::write_table<double>(file, "orientation", columns.orientation, turn_width(dimension));
  hdf5::write_table<double>(file, "velocity", columns.velocity, dimension);
  hdf5::write_table<double>(file, "spin", columns.spin, spins);
  hdf5::write_table<double>(file, "percussion", columns.percussion, dimension);
  hdf5::write_table<std::int32_t>(file, "contact", columns.key_bodies, 4);
  hdf5::write_table<std::uint64_t>(file, "feature", columns.key_feature);
  hdf5::write_table<std::int32_t>(file, "body", columns.population.id);
  hdf5::write_table<std::int64_t>(file, "born", columns.population.born);
  hdf5::write_table<std::int64_t>(file, "removed", columns.population.removed);
  hdf5::write_table<double>(file, "removed_mass", columns.population.removed_mass);
  hdf5::write_table<double>(file, "measures", columns.measures);
  hdf5::synchronise(file);
}

struct StoredSteps {
  std::int64_t steps = 0;
  Columns columns;
};

template <int D>
StoredSteps read_file(const std::filesystem::path& path, std::uint64_t scene_id,
                      const Scene<D>& scene) {
  const Handle file = hdf5::open_file(path, hdf5::Access::read);
  if (!hdf5::has_attribute(file, "format") ||
      hdf5::read_text_attribute(file, "format") != "talus-checkpoint")
    throw Failure("not a checkpoint");
  if (const std::string made = hdf5::read_text_attribute(file, "version"); made != version())
    throw Failure(fmt::format("made by version {}, this is {}", made, version()));
  if (!hdf5::has_attribute(file, "layout") ||
      hdf5::read_attribute<std::int32_t>(file, "layout").front() != checkpoint_layout)
    throw Failure("made by another build of this version, whose checkpoints hold other things");
  const auto one = [&]<class T>(const char* name, T) {
    return hdf5::read_attribute<T>(file, name).front();
  };
  if (one("dim", std::int32_t{}) != D || one("scene_hash", std::uint64_t{}) != scene_id)
    throw Failure("is of another scene (or of other --set values)");
  StoredSteps stored;
  stored.steps = one("step", std::int64_t{});
  Columns& columns = stored.columns;
  PopulationState& population = columns.population;
  population.id = hdf5::read_all<std::int32_t>(file, "body");
  population.born = hdf5::read_all<std::int64_t>(file, "born");
  population.removed = hdf5::read_all<std::int64_t>(file, "removed");
  population.removed_mass = hdf5::read_all<double>(file, "removed_mass");
  const std::size_t places = scene.population_varies() ? population.id.size() : scene.bodies.size();
  const auto per_body = [&](const char* name, int width) {
    const hdf5::Extent extent = hdf5::extent(file, name);
    if (extent.rows != places)
      throw Failure(fmt::format("{} has {} rows for {} bodies", name, extent.rows, places));
    return hdf5::read_all<double>(file, name, width);
  };
  columns.position = per_body("position", D);
  columns.orientation = per_body("orientation", turn_width(D));
  columns.velocity = per_body("velocity", D);
  columns.spin = per_body("spin", spin_dim<D>);
  columns.key_feature = hdf5::read_all<std::uint64_t>(file, "feature");
  const hsize_t contacts = columns.key_feature.size();
  columns.key_bodies = hdf5::read_rows<std::int32_t>(file, "contact", 4, 0, contacts);
  columns.percussion = hdf5::read_rows<double>(file, "percussion", D, 0, contacts);
  const hsize_t measures = hdf5::extent(file, "measures").rows;
  if (measures != measures_state_size<D>(scene.measures))
    throw Failure(fmt::format("measures has {} rows, expected {}", measures,
                              measures_state_size<D>(scene.measures)));
  columns.measures = hdf5::read_all<double>(file, "measures");
  if (one("digest", std::uint64_t{}) != columns.digest(stored.steps, scene_id) || stored.steps < 0)
    throw Failure("is damaged: its contents do not match its digest");
  const auto is_place = [&](std::int32_t i) {
    return i >= 0 && static_cast<std::size_t>(i) < places;
  };
  bool known = fits<D>(population, scene);
  for (std::size_t i = 0; i < columns.key_bodies.size(); i += 4)
    known = known && is_place(columns.key_bodies[i]) && is_place(columns.key_bodies[i + 1]);
  if (!known) throw Failure("holds other bodies than the scene has");
  return stored;
}

// Step of a checkpoint, nothing if there is none that can be opened.
std::optional<std::int64_t> step_in(const std::filesystem::path& path) try {
  const auto step = [&] {
    const Handle file = hdf5::open_file(path, hdf5::Access::read);
    return hdf5::read_attribute<std::int64_t>(file, "step").front();
  };
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored) || !survives(path, step)) return std::nullopt;
  return step();
} catch (const Failure&) {
  return std::nullopt;
}

void synchronise_folder(const std::filesystem::path& path) {
  const auto folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

std::uint64_t scene_hash(const std::string& scene_text, const std::vector<std::string>& overrides) {
  Digest digest;
  digest.add(scene_text.c_str(), scene_text.size() + 1);
  for (const std::string& text : overrides) digest.add(text.c_str(), text.size() + 1);
  return digest.value();
}

template <int D>
void write_checkpoint(const std::filesystem::path& run, const WorldState<D>& state,
                      std::uint64_t scene) {
  const Hdf5Silence silence;
  std::filesystem::path target = checkpoint_path(run, slots[0]);
  const auto step_a = step_in(target), step_b = step_in(checkpoint_path(run, slots[1]));
  if (step_a && (!step_b || *step_b < *step_a)) target = checkpoint_path(run, slots[1]);
  std::filesystem::path unfinished = target;
  unfinished += ".part";
  try {
    write_file(unfinished, columns_of<D>(state), D, state.steps, scene);
    std::filesystem::rename(unfinished, target);
  } catch (const std::exception& error) {
    std::error_code ignored;
    std::filesystem::remove(unfinished, ignored);
    throw std::runtime_error(fmt::format("{}: cannot write: {}", target.string(), error.what()));
  }
  synchronise_folder(target);
}

template <int D>
WorldState<D> read_checkpoint(const std::filesystem::path& run, std::uint64_t scene_id,
                              const Scene<D>& scene) {
  const Hdf5Silence silence;
  std::optional<StoredSteps> best;
  std::string complaint;
  for (std::string_view slot : slots) {
    const std::filesystem::path path = checkpoint_path(run, slot);
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) continue;
    try {
      if (!survives(path, [&] { read_file<D>(path, scene_id, scene); }))
        throw Failure("damaged so that HDF5 cannot read it");
      StoredSteps stored = read_file<D>(path, scene_id, scene);
      if (!best || stored.steps > best->steps) best = std::move(stored);
    } catch (const Failure& failure) {
      complaint = fmt::format("{}: {}", path.string(), failure.what());
    }
  }
  if (best) return state_of<D>(best->columns, best->steps);
  if (!complaint.empty()) throw InputError(complaint);
  throw InputError(fmt::format("{}: there is no checkpoint to go on from", run.string()));
}

bool has_checkpoint(const std::filesystem::path& run) {
  std::error_code ignored;
  return std::filesystem::exists(checkpoint_path(run, slots[0]), ignored) ||
         std::filesystem::exists(checkpoint_path(run, slots[1]), ignored);
}

void remove_checkpoints(const std::filesystem::path& run) {
  std::error_code ignored;
  for (std::string_view slot : slots) std::filesystem::remove(checkpoint_path(run, slot), ignored);
}

#define TALUS_INSTANTIATE(D)                                                             \
  template void write_checkpoint<D>(const std::filesystem::path&, const WorldState<D>&,  \
                                    std::uint64_t);                                      \
  template WorldState<D> read_checkpoint<D>(const std::filesystem::path&, std::uint64_t, \
                                            const Scene<D>&);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
