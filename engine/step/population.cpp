// SPDX-License-Identifier: Apache-2.0
#include "engine/step/population.hpp"

#include <algorithm>
#include <cassert>
#include <functional>
#include <numeric>

#include "engine/build/free_place.hpp"
#include "solvers/math/parallel.hpp"

namespace talus {

namespace {

constexpr int tries_in_a_step = 50;  // of a place for a grain that is due
constexpr int tries_ever = 20000;    // before an emitter counts as blocked
constexpr double on_time = 1e-9;     // of a step: what is due this soon is due

// A seed for each grain and step (the finaliser of splitmix64, twice).
std::uint64_t mixed(std::uint64_t seed, std::uint64_t grain, std::uint64_t step) {
  const auto scatter = [](std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  };
  return scatter(scatter(scatter(seed) ^ grain) ^ step);
}

template <int D>
std::vector<char> bodies_that_stay(const Scene<D>& scene) {
  std::vector<char> stays(total_bodies(scene), 0);
  const auto keep = [&](int body) {
    if (body >= 0) stays[static_cast<std::size_t>(body)] = 1;
  };
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    if (scene.bodies[i].fixed || !scene.bodies[i].drives.empty()) stays[i] = 1;
  for (const AppliedForce<D>& force : scene.forces) keep(force.body);
  for (const Spring<D>& spring : scene.springs) {
    keep(spring.a);
    keep(spring.b);
  }
  for (const Joint<D>& joint : scene.joints) {
    keep(joint.a);
    keep(joint.b);
  }
  return stays;
}

template <int D>
void resize(std::size_t places, Bodies<D>& bodies) {
  bodies.position.resize(places);
  bodies.orientation.resize(places);
  bodies.velocity.resize(places);
  bodies.spin.resize(places);
  bodies.id.resize(places);
  bodies.mass.resize(places);
  bodies.inverse_mass.resize(places);
  bodies.inertia.resize(places);
  bodies.inverse_inertia.resize(places);
  bodies.geometry.resize(places);
  bodies.material.resize(places);
  bodies.origin_offset.resize(places);
}

// Grains due by time t.
std::int64_t due_by(const std::vector<double>& due, double t) {
  return std::upper_bound(due.begin(), due.end(), t) - due.begin();
}

}  // namespace

template <int D>
bool fits(const PopulationState& state, const Scene<D>& scene) {
  const std::size_t all = total_bodies(scene);
  if (state.born.size() != scene.emitters.size() || state.removed.size() != scene.outlets.size() ||
      state.removed_mass.size() != scene.outlets.size())
    return false;
  std::vector<char> unborn(all, 0), seen(all, 0);
  std::size_t first = scene.bodies.size();
  for (std::size_t e = 0; e < scene.emitters.size(); ++e) {
    const std::size_t grains = scene.emitters[e].grains.size();
    if (state.born[e] < 0 || static_cast<std::size_t>(state.born[e]) > grains) return false;
    for (std::size_t k = static_cast<std::size_t>(state.born[e]); k < grains; ++k)
      unborn[first + k] = 1;
    first += grains;
  }
  for (const std::int32_t id : state.id) {
    if (id == -1) continue;
    if (id < 0 || static_cast<std::size_t>(id) >= all) return false;
    const auto i = static_cast<std::size_t>(id);
    if (seen[i] || unborn[i]) return false;
    seen[i] = 1;
  }
  const std::vector<char> stays = bodies_that_stay<D>(scene);
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const bool in_place = i < state.id.size() && state.id[i] == static_cast<std::int32_t>(i);
    if ((stays[i] || !scene.population_varies()) && !in_place) return false;
  }
  return scene.population_varies() || state.id.size() == scene.bodies.size();
}

template <int D>
Population<D>::Population(const Scene<D>& scene, Bodies<D>& bodies)
    : varies_(scene.population_varies()),
      born_(scene.emitters.size()),
      removed_(scene.outlets.size()),
      born_mass_(scene.emitters.size()),
      removed_mass_(scene.outlets.size()) {
  count(bodies);
  if (!varies_) return;
  all_ = all_bodies<D>(scene);
  stays_ = bodies_that_stay<D>(scene);
  bodies.geometries = std::move(all_.geometries);  // those of the start come first among them
  no_shape_ = static_cast<int>(bodies.geometries.size());
  bodies.geometries.emplace_back();
}

template <int D>
void Population<D>::change(const Scene<D>& scene, std::int64_t step, double t, Bodies<D>& bodies,
                           std::vector<StoredPercussion<D>>& stored,
                           std::vector<Spin<D>>& moments) {
  if (!varies_) return;
  inflow_kinetic_ = inflow_potential_ = turnover_ = 0;
  newcomers_.clear();
  if (!scene.emitters.empty()) bear(scene, step, t + on_time * scene.h, bodies);
  if (!scene.outlets.empty()) remove(scene, bodies, stored, moments);
  count(bodies);
}

// The energy a body brings, or with the sign −1 takes away.
template <int D>
void Population<D>::book(const Scene<D>& scene, const Bodies<D>& bodies, std::size_t place,
                         double sign) {
  const double kinetic = kinetic_energy_of<D>(bodies, place);
  inflow_kinetic_ += sign * kinetic;
  inflow_potential_ -= sign * bodies.mass[place] * scene.gravity.dot(bodies.position[place]);
  turnover_ += kinetic;
}

template <int D>
void Population<D>::remove(const Scene<D>& scene, Bodies<D>& bodies,
                           std::vector<StoredPercussion<D>>& stored,
                           std::vector<Spin<D>>& moments) {
  leaves_by_.assign(bodies.size(), 0);
  for (std::size_t k = 0; k < scene.outlets.size(); ++k) {
    const Zone<D>& zone = scene.outlets[k].zone;
    const Mat<D> to_zone = rotation_matrix<D>(zone.rotation).transpose();
    parallel_for(bodies.size(), [&](std::size_t i) {
      if (leaves_by_[i] == 0 && bodies.moves_freely(i) &&
          zone.region.holds(to_zone * (bodies.position[i] - zone.position), 0) &&
          !stays_[static_cast<std::size_t>(bodies.id[i])])
        leaves_by_[i] = static_cast<int>(k) + 1;
    });
  }
  bool anyone = false;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (leaves_by_[i] == 0) continue;
    const auto outlet = static_cast<std::size_t>(leaves_by_[i] - 1);
    ++removed_[outlet];
    removed_mass_[outlet] += bodies.mass[i];
    book(scene, bodies, i, -1);
    vacate(i, bodies);
    vacant_.push_back(i);
    anyone = true;
  }
  if (!anyone) return;
  std::sort(vacant_.begin(), vacant_.end(), std::greater<>());
  const auto leaves = [&](const StoredPercussion<D>& percussion) {
    return leaves_by_[static_cast<std::size_t>(percussion.key.a)] != 0 ||
           leaves_by_[static_cast<std::size_t>(percussion.key.b)] != 0;
  };
  std::size_t kept = 0;
  for (std::size_t i = 0; i < moments.size(); ++i)
    if (!leaves(stored[i])) moments[kept++] = moments[i];
  moments.resize(moments.empty() ? 0 : kept);
  std::erase_if(stored, leaves);
}

// Grains in the order in which they are due: one that finds no place keeps those after it waiting,
// so that sizes come out as they were drawn.
template <int D>
void Population<D>::bear(const Scene<D>& scene, std::int64_t step, double t, Bodies<D>& bodies) {
  waiting_ = 0;
  std::size_t first = scene.bodies.size();
  for (std::size_t e = 0; e < scene.emitters.size(); ++e) {
    const Emitter<D>& emitter = scene.emitters[e];
    const std::int64_t due = due_by(emitter.due, t);
    if (born_[e] < due) find_near<D>(emitter.zone, bodies, near_);
    while (born_[e] < due) {
      const auto grain = static_cast<std::size_t>(born_[e]), id = first + grain;
      Random random(mixed(emitter.seed, grain, static_cast<std::uint64_t>(step)));
      const auto origin = find_free_place<D>(emitter.zone, emitter.grains[grain], bodies, near_,
                                             tries_in_a_step, random);
      if (!origin) break;
      const std::size_t place = take_vacant_place(bodies);
      settle(id, place, bodies);
      bodies.orientation[place] = emitter.zone.rotation;
      bodies.position[place] =
          *origin - rotation_matrix<D>(emitter.zone.rotation) * bodies.origin_offset[place];
      bodies.velocity[place] = all_.velocity[id];
      bodies.spin[place] = all_.spin[id];
      book(scene, bodies, place, 1);
      ++born_[e];
      born_mass_[e] += bodies.mass[place];
      near_.push_back(place);
      newcomers_.push_back(place);
    }
    waiting_ += due - born_[e];
    first += emitter.grains.size();
  }
}

template <int D>
std::size_t Population<D>::take_vacant_place(Bodies<D>& bodies) {
  if (vacant_.empty()) {
    const std::size_t before = bodies.size(),
                      after = before + std::max<std::size_t>(32, before / 8);
    resize<D>(after, bodies);
    for (std::size_t place = after; place-- > before;) {
      vacate(place, bodies);
      vacant_.push_back(place);
    }
  }
  const std::size_t place = vacant_.back();
  vacant_.pop_back();
  return place;
}

// The constants of a body.
template <int D>
void Population<D>::settle(std::size_t id, std::size_t place, Bodies<D>& bodies) const {
  bodies.id[place] = static_cast<std::int32_t>(id);
  bodies.mass[place] = all_.mass[id];
  bodies.inverse_mass[place] = all_.inverse_mass[id];
  bodies.inertia[place] = all_.inertia[id];
  bodies.inverse_inertia[place] = all_.inverse_inertia[id];
  bodies.geometry[place] = all_.geometry[id];
  bodies.material[place] = all_.material[id];
  bodies.origin_offset[place] = all_.origin_offset[id];
}

template <int D>
void Population<D>::vacate(std::size_t place, Bodies<D>& bodies) const {
  bodies.id[place] = -1;
  bodies.position[place].setZero();
  bodies.orientation[place] = {};
  bodies.velocity[place].setZero();
  bodies.spin[place].setZero();
  bodies.mass[place] = bodies.inverse_mass[place] = 0;
  bodies.inertia[place].setZero();
  bodies.inverse_inertia[place].setZero();
  bodies.geometry[place] = no_shape_;
  bodies.material[place] = 0;
  bodies.origin_offset[place].setZero();
}

template <int D>
void Population<D>::count(const Bodies<D>& bodies) {
  present_ = static_cast<std::int64_t>(bodies.size() - vacant_.size());
  mass_ = parallel_sum(bodies.size(), [&](std::size_t i) { return bodies.mass[i]; });
}

template <int D>
void Population<D>::record(Certificate& certificate) const {
  certificate.bodies = present_;
  certificate.mass = mass_;
  certificate.born = std::accumulate(born_.begin(), born_.end(), std::int64_t{0});
  certificate.removed = std::accumulate(removed_.begin(), removed_.end(), std::int64_t{0});
  certificate.waiting = waiting_;
  certificate.born_mass = std::accumulate(born_mass_.begin(), born_mass_.end(), 0.0);
  certificate.removed_mass = std::accumulate(removed_mass_.begin(), removed_mass_.end(), 0.0);
  certificate.inflow_kinetic = inflow_kinetic_;
  certificate.inflow_potential = inflow_potential_;
  certificate.turnover += turnover_;
}

template <int D>
bool Population<D>::has_grains_left(const Scene<D>& scene) const {
  for (std::size_t e = 0; e < born_.size(); ++e)
    if (born_[e] < static_cast<std::int64_t>(scene.emitters[e].grains.size())) return true;
  return false;
}

template <int D>
PopulationState Population<D>::state(const Bodies<D>& bodies) const {
  return {bodies.id, born_, removed_, removed_mass_};
}

template <int D>
void Population<D>::restore(const PopulationState& state, const Scene<D>& scene,
                            Bodies<D>& bodies) {
  assert(fits<D>(state, scene) && "a state of this scene");
  if (!varies_) return;
  born_ = state.born;
  removed_ = state.removed;
  removed_mass_ = state.removed_mass;
  std::size_t first = scene.bodies.size();
  for (std::size_t e = 0; e < scene.emitters.size(); ++e) {
    const auto grains = all_.mass.begin() + static_cast<std::ptrdiff_t>(first);
    born_mass_[e] = std::accumulate(grains, grains + born_[e], 0.0);
    first += scene.emitters[e].grains.size();
  }
  resize<D>(state.id.size(), bodies);
  vacant_.clear();
  for (std::size_t place = state.id.size(); place-- > 0;) {
    vacate(place, bodies);
    if (state.id[place] >= 0)
      settle(static_cast<std::size_t>(state.id[place]), place, bodies);
    else
      vacant_.push_back(place);
  }
  count(bodies);
}

template <int D>
std::optional<std::size_t> blocked_emitter(const Scene<D>& scene, const Bodies<D>& bodies) {
  std::vector<std::size_t> near, walls;
  for (std::size_t e = 0; e < scene.emitters.size(); ++e) {
    const Emitter<D>& emitter = scene.emitters[e];
    if (emitter.grains.empty()) continue;
    const auto largest = std::max_element(
        emitter.grains.begin(), emitter.grains.end(), [](const auto& a, const auto& b) {
          return bounding_radius<D>(a.shapes) < bounding_radius<D>(b.shapes);
        });
    find_near<D>(emitter.zone, bodies, near);
    walls.clear();
    for (const std::size_t i : near)
      if (description<D>(scene, static_cast<std::size_t>(bodies.id[i])).fixed) walls.push_back(i);
    Random random(emitter.seed);
    if (!find_free_place<D>(emitter.zone, *largest, bodies, walls, tries_ever, random)) return e;
  }
  return std::nullopt;
}

template bool fits<2>(const PopulationState&, const Scene<2>&);
template bool fits<3>(const PopulationState&, const Scene<3>&);
template class Population<2>;
template class Population<3>;
template std::optional<std::size_t> blocked_emitter<2>(const Scene<2>&, const Bodies<2>&);
template std::optional<std::size_t> blocked_emitter<3>(const Scene<3>&, const Bodies<3>&);

}  // namespace talus
