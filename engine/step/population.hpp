// SPDX-License-Identifier: Apache-2.0
// Bodies created by emitters and removed by outlets, between two steps.
//
// All bodies that can ever be there are known from the start and have a number. The arrays of
// Bodies hold those that are there now, and vacant places, which the next ones to be born take: a
// vacant place is a body of no mass and no shape, so that no stage of the step asks for it, and
// what is not there yet, or no more, costs nothing.
//
// No random generator is kept: the places tried for a grain follow from the emitter's seed, the
// grain's number and the step's, so that a resumed run tries the same ones.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/model/scene.hpp"
#include "engine/step/ledger.hpp"
#include "engine/step/warm_start.hpp"

namespace talus {

// What a run has to remember of its population.
struct PopulationState {
  std::vector<std::int32_t> id;       // of the body in each place, −1: vacant
  std::vector<std::int64_t> born;     // how many, of each emitter
  std::vector<std::int64_t> removed;  // how many, by each outlet
  std::vector<double> removed_mass;   // by each outlet [kg]
};

// Whether a state, from wherever it comes, can be one of this scene.
template <int D>
bool fits(const PopulationState& state, const Scene<D>& scene);

template <int D>
class Population {
 public:
  Population(const Scene<D>& scene, Bodies<D>& bodies);  // that are there at the start

  // Births, then removals, before a step that begins at time t: a place that becomes vacant stays
  // so for a step. Percussions of bodies that leave are forgotten, with the moments beside them, of
  // which there are as many or none.
  void change(const Scene<D>& scene, std::int64_t step, double t, Bodies<D>& bodies,
              std::vector<StoredPercussion<D>>& stored, std::vector<Spin<D>>& moments);

  // Places of the bodies born in the last change.
  std::span<const std::size_t> newcomers() const { return newcomers_; }

  // Adds to the step's certificate who is there, and what came and went before it.
  void record(Certificate& certificate) const;

  // Whether an emitter has grains that were not created yet.
  bool has_grains_left(const Scene<D>& scene) const;

  PopulationState state(const Bodies<D>& bodies) const;
  // Bodies in their places; where these are and how they move is for the caller to say.
  void restore(const PopulationState& state, const Scene<D>& scene, Bodies<D>& bodies);

 private:
  void remove(const Scene<D>& scene, Bodies<D>& bodies, std::vector<StoredPercussion<D>>& stored,
              std::vector<Spin<D>>& moments);
  void bear(const Scene<D>& scene, std::int64_t step, double t, Bodies<D>& bodies);
  std::size_t take_vacant_place(Bodies<D>& bodies);
  void settle(std::size_t id, std::size_t place, Bodies<D>& bodies) const;
  void vacate(std::size_t place, Bodies<D>& bodies) const;
  void book(const Scene<D>& scene, const Bodies<D>& bodies, std::size_t place, double sign);
  void count(const Bodies<D>& bodies);

  bool varies_ = false;
  Bodies<D> all_;            // by number, where the population varies; without geometries
  int no_shape_ = 0;         // geometry of a vacant place
  std::vector<char> stays_;  // by number: no outlet takes it
  std::vector<std::int64_t> born_, removed_;
  std::vector<double> born_mass_, removed_mass_;  // [kg]
  std::vector<std::size_t> vacant_;               // places, the lowest last
  std::int64_t present_ = 0;
  double mass_ = 0;  // of those present [kg]

  // of the last change
  double inflow_kinetic_ = 0, inflow_potential_ = 0, turnover_ = 0;  // [J]
  std::int64_t waiting_ = 0;
  std::vector<std::size_t> newcomers_;

  std::vector<int> leaves_by_;     // scratch, per place: outlet + 1, or 0
  std::vector<std::size_t> near_;  // scratch
};

// The first emitter in which the largest grain finds no place between bodies that are fixed: it
// would wait for ever.
template <int D>
std::optional<std::size_t> blocked_emitter(const Scene<D>& scene, const Bodies<D>& bodies);

}  // namespace talus
