// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/stored_state.hpp"

#include <fmt/core.h>

#include "io/hdf5/hdf5_data.hpp"
#include "io/text/digest.hpp"
#include "io/text/version.hpp"

namespace talus {

namespace {

using hdf5::Failure;

// Version of the layout. 1 had no varying populations, 2 no measures, 3 another checksum, 4 no rows
// of measures and no stop conditions, 5 no moments of contacts, 6 no periodic cells, 7 no bonds.
constexpr std::int32_t state_layout = 8;

// Numbers of a bond: its anchors, normal, area, damage, and whether it pulls.
constexpr int bond_width(int dimension) { return 3 * dimension + 3; }

// The state of a world as columns of plain numbers.
struct Columns {
  std::vector<double> position, orientation, velocity, spin, percussion, moment, measures;
  std::vector<double> cell;  // A and L of a periodic cell, by columns
  PopulationState population;
  std::vector<std::int32_t> key_bodies;  // a, b, shape_a, shape_b of each contact
  std::vector<std::uint64_t> key_feature;
  std::vector<std::int64_t> steps_at_rest;
  std::vector<double> bond;
  std::vector<std::int32_t> bond_bodies;  // as key_bodies
  std::vector<std::uint64_t> bond_feature;

  std::uint64_t digest(std::int64_t steps, std::uint64_t scene) const {
    Digest digest;
    digest.add_number(static_cast<std::uint64_t>(steps));
    digest.add_number(scene);
    for (const auto* column :
         {&position, &orientation, &velocity, &spin, &percussion, &moment, &measures, &cell, &bond})
      digest.add_counted(*column);
    digest.add_counted(population.id);
    digest.add_counted(population.born);
    digest.add_counted(population.removed);
    digest.add_counted(population.removed_mass);
    digest.add_counted(key_bodies);
    digest.add_counted(key_feature);
    digest.add_counted(steps_at_rest);
    digest.add_counted(bond_bodies);
    digest.add_counted(bond_feature);
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
  append<4>(values, orientation.q.coeffs());
}
void take_turn(const double* values, Orientation<2>& orientation) { orientation.angle = values[0]; }
void take_turn(const double* values, Orientation<3>& orientation) {
  orientation.q.coeffs() = Vec<4>(values);
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
  for (const Spin<D>& moment : state.moments) append<spin_dim<D>>(columns.moment, moment);
  columns.population = state.population;
  columns.measures = state.measures;
  columns.steps_at_rest = state.steps_at_rest;
  for (const Bond<D>& bond : state.bonds) {
    const ContactKey& key = bond.key;
    columns.bond_bodies.insert(columns.bond_bodies.end(), {key.a, key.b, key.shape_a, key.shape_b});
    columns.bond_feature.push_back(key.feature);
    for (const Vec<D>& x : {bond.anchor_a, bond.anchor_b, bond.normal}) append<D>(columns.bond, x);
    columns.bond.insert(columns.bond.end(), {bond.area, bond.damage, bond.pulls ? 1.0 : 0.0});
  }
  for (const Mat<D>& matrix : {state.lattice.A, state.lattice.L})
    columns.cell.insert(columns.cell.end(), matrix.data(), matrix.data() + D * D);
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
    state.position[i] = Vec<D>(&columns.position[i * D]);
    take_turn(&columns.orientation[i * turn_width(D)], state.orientation[i]);
    state.velocity[i] = Vec<D>(&columns.velocity[i * D]);
    state.spin[i] = Spin<D>(&columns.spin[i * spin_dim<D>]);
  }
  state.percussions.resize(contacts);
  for (std::size_t i = 0; i < contacts; ++i) {
    const std::int32_t* key = &columns.key_bodies[4 * i];
    state.percussions[i].key = {key[0], key[1], key[2], key[3], columns.key_feature[i]};
    state.percussions[i].percussion = Vec<D>(&columns.percussion[i * D]);
  }
  state.moments.resize(columns.moment.size() / spin_dim<D>);
  for (std::size_t i = 0; i < state.moments.size(); ++i)
    state.moments[i] = Spin<D>(&columns.moment[i * spin_dim<D>]);
  state.population = columns.population;
  state.measures = columns.measures;
  state.steps_at_rest = columns.steps_at_rest;
  state.bonds.resize(columns.bond_feature.size());
  for (std::size_t i = 0; i < state.bonds.size(); ++i) {
    const std::int32_t* key = &columns.bond_bodies[4 * i];
    const double* numbers = &columns.bond[i * bond_width(D)];
    Bond<D>& bond = state.bonds[i];
    bond.key = {key[0], key[1], key[2], key[3], columns.bond_feature[i]};
    bond.anchor_a = Vec<D>(numbers);
    bond.anchor_b = Vec<D>(numbers + D);
    bond.normal = Vec<D>(numbers + 2 * D);
    bond.area = numbers[3 * D];
    bond.damage = numbers[3 * D + 1];
    bond.pulls = numbers[3 * D + 2] != 0;
  }
  state.lattice.A = Mat<D>(columns.cell.data());
  state.lattice.L = Mat<D>(columns.cell.data() + D * D);
  return state;
}

}  // namespace

template <int D>
void write_state(hid_t place, const WorldState<D>& state, std::uint64_t scene_id) {
  const Columns columns = columns_of<D>(state);
  hdf5::write_text_attribute(place, "format", "talus-state");
  hdf5::write_text_attribute(place, "version", version());
  hdf5::write_attribute(place, "layout", state_layout);
  hdf5::write_attribute(place, "dim", std::int32_t{D});
  hdf5::write_attribute(place, "step", state.steps);
  hdf5::write_attribute(place, "scene_hash", scene_id);
  hdf5::write_attribute(place, "digest", columns.digest(state.steps, scene_id));
  hdf5::write_table<double>(place, "position", columns.position, D);
  hdf5::write_table<double>(place, "orientation", columns.orientation, turn_width(D));
  hdf5::write_table<double>(place, "velocity", columns.velocity, D);
  hdf5::write_table<double>(place, "spin", columns.spin, spin_dim<D>);
  hdf5::write_table<double>(place, "percussion", columns.percussion, D);
  hdf5::write_table<double>(place, "moment", columns.moment, spin_dim<D>);
  hdf5::write_table<std::int32_t>(place, "contact", columns.key_bodies, 4);
  hdf5::write_table<std::uint64_t>(place, "feature", columns.key_feature);
  hdf5::write_table<std::int32_t>(place, "body", columns.population.id);
  hdf5::write_table<std::int64_t>(place, "born", columns.population.born);
  hdf5::write_table<std::int64_t>(place, "removed", columns.population.removed);
  hdf5::write_table<double>(place, "removed_mass", columns.population.removed_mass);
  hdf5::write_table<double>(place, "measures", columns.measures);
  hdf5::write_table<std::int64_t>(place, "steps_at_rest", columns.steps_at_rest);
  hdf5::write_table<double>(place, "cell", columns.cell);
  hdf5::write_table<std::int32_t>(place, "bond_contact", columns.bond_bodies, 4);
  hdf5::write_table<std::uint64_t>(place, "bond_feature", columns.bond_feature);
  hdf5::write_table<double>(place, "bond", columns.bond, bond_width(D));
}

template <int D>
WorldState<D> read_state(hid_t place, std::uint64_t scene_id, const Scene<D>& scene) {
  if (!hdf5::has_attribute(place, "format") ||
      hdf5::read_text_attribute(place, "format") != "talus-state")
    throw Failure("not a checkpoint");
  if (const std::string made = hdf5::read_text_attribute(place, "version"); made != version())
    throw Failure(fmt::format("made by version {}, this is {}", made, version()));
  if (!hdf5::has_attribute(place, "layout") ||
      hdf5::read_attribute<std::int32_t>(place, "layout").front() != state_layout)
    throw Failure("made by another build of this version, whose checkpoints hold other things");
  const auto one = [&]<class T>(const char* name, T) {
    return hdf5::read_attribute<T>(place, name).front();
  };
  if (one("dim", std::int32_t{}) != D || one("scene_hash", std::uint64_t{}) != scene_id)
    throw Failure("is of another scene (or of other --set values)");
  const auto steps = one("step", std::int64_t{});
  Columns columns;
  PopulationState& population = columns.population;
  population.id = hdf5::read_all<std::int32_t>(place, "body");
  population.born = hdf5::read_all<std::int64_t>(place, "born");
  population.removed = hdf5::read_all<std::int64_t>(place, "removed");
  population.removed_mass = hdf5::read_all<double>(place, "removed_mass");
  const std::size_t places = scene.population_varies() ? population.id.size() : scene.bodies.size();
  const auto per_body = [&](const char* name, int width) {
    const hdf5::Extent extent = hdf5::extent(place, name);
    if (extent.rows != places)
      throw Failure(fmt::format("{} has {} rows for {} bodies", name, extent.rows, places));
    return hdf5::read_all<double>(place, name, width);
  };
  columns.position = per_body("position", D);
  columns.orientation = per_body("orientation", turn_width(D));
  columns.velocity = per_body("velocity", D);
  columns.spin = per_body("spin", spin_dim<D>);
  columns.key_feature = hdf5::read_all<std::uint64_t>(place, "feature");
  const hsize_t contacts = columns.key_feature.size();
  columns.key_bodies = hdf5::read_rows<std::int32_t>(place, "contact", 4, 0, contacts);
  columns.percussion = hdf5::read_rows<double>(place, "percussion", D, 0, contacts);
  columns.moment = hdf5::read_rows<double>(place, "moment", spin_dim<D>, 0,
                                           scene.laws.any_passes_moments() ? contacts : 0);
  const hsize_t measures = hdf5::extent(place, "measures").rows;
  if (measures != measures_state_size<D>(scene.measures))
    throw Failure(fmt::format("measures has {} rows, expected {}", measures,
                              measures_state_size<D>(scene.measures)));
  columns.measures = hdf5::read_all<double>(place, "measures");
  columns.steps_at_rest = hdf5::read_all<std::int64_t>(place, "steps_at_rest");
  if (hdf5::extent(place, "cell").rows != 2 * D * D) throw Failure("cell has another size");
  columns.cell = hdf5::read_all<double>(place, "cell");
  columns.bond_feature = hdf5::read_all<std::uint64_t>(place, "bond_feature");
  const hsize_t bonds = columns.bond_feature.size();
  columns.bond_bodies = hdf5::read_rows<std::int32_t>(place, "bond_contact", 4, 0, bonds);
  columns.bond = hdf5::read_rows<double>(place, "bond", bond_width(D), 0, bonds);
  if (columns.steps_at_rest.size() != scene.stops.size())
    throw Failure(fmt::format("steps_at_rest has {} rows, expected {}",
                              columns.steps_at_rest.size(), scene.stops.size()));
  if (one("digest", std::uint64_t{}) != columns.digest(steps, scene_id) || steps < 0)
    throw Failure("is damaged: its contents do not match its digest");
  const auto is_place = [&](std::int32_t i) {
    return i >= 0 && static_cast<std::size_t>(i) < places;
  };
  bool known = fits<D>(population, scene);
  for (const auto* keys : {&columns.key_bodies, &columns.bond_bodies})
    for (std::size_t i = 0; i < keys->size(); i += 4)
      known = known && is_place((*keys)[i]) && is_place((*keys)[i + 1]);
  if (!known) throw Failure("holds other bodies than the scene has");
  WorldState<D> state = state_of<D>(columns, steps);
  if (scene.cell) state.lattice.periodic = scene.cell->periodic;
  return state;
}

std::int64_t stored_steps(hid_t place) {
  return hdf5::read_attribute<std::int64_t>(place, "step").front();
}

template <int D>
std::uint64_t stored_bytes(const WorldState<D>& state) {
  constexpr std::uint64_t per_body = 8 * (2 * D + turn_width(D) + spin_dim<D>)+4,
                          per_contact = 8 * D + 24, tables = 1u << 17;
  return per_body * state.position.size() + per_contact * state.percussions.size() +
         8 * spin_dim<D> * state.moments.size() + (8 * bond_width(D) + 24) * state.bonds.size() +
         24 * (state.population.born.size() + state.population.removed.size()) +
         8 * (state.measures.size() + state.steps_at_rest.size()) + tables;
}

#define TALUS_INSTANTIATE(D)                                                   \
  template void write_state<D>(hid_t, const WorldState<D>&, std::uint64_t);    \
  template WorldState<D> read_state<D>(hid_t, std::uint64_t, const Scene<D>&); \
  template std::uint64_t stored_bytes<D>(const WorldState<D>&);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
