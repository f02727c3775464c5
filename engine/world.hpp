// A scene in motion: Moreau–Jean time stepping with one contact problem per step.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/bodies.hpp"
#include "engine/broadphase.hpp"
#include "engine/contact.hpp"
#include "engine/ledger.hpp"
#include "engine/scene.hpp"
#include "solvers/solver.hpp"

namespace talus {

// A contact of the last step with what passed through it, for output.
template <int D>
struct ActiveContact {
  Contact<D> contact;
  Mat<D> frame;       // columns n, t₁(, t₂)
  Vec<D> percussion;  // on b, in the frame [N s]
  Vec<D> u_plus;      // contact velocity after the step, in the frame [m/s]
};

template <int D>
struct StoredPercussion {
  ContactKey key;
  Vec<D> percussion;  // world axes, on b [N s]
};

// Everything a step depends on beside the scene: enough to go on, bit for bit.
template <int D>
struct WorldState {
  std::int64_t steps = 0;
  std::vector<Vec<D>> position;
  std::vector<Orientation<D>> orientation;
  std::vector<Vec<D>> velocity;
  std::vector<Spin<D>> spin;
  std::vector<StoredPercussion<D>> percussions;  // of the last step, for the warm start
};

// Two bodies that overlap at the start by more than the scene allows.
struct Overlap {
  int a = -1, b = -1;
  double depth = 0;    // [m]
  double allowed = 0;  // [m]
};

template <int D>
class World {
 public:
  explicit World(Scene<D> scene);  // with the default solver
  World(Scene<D> scene, std::unique_ptr<Solver<D>> solver);

  Certificate step();

  double time() const { return static_cast<double>(steps_) * scene_.h; }  // [s]
  std::int64_t steps() const { return steps_; }
  const Scene<D>& scene() const { return scene_; }
  const Bodies<D>& bodies() const { return bodies_; }
  std::span<const ActiveContact<D>> contacts() const { return contacts_; }  // of the last step

  double kinetic_energy() const;
  double potential_energy() const;

  std::vector<Overlap> initial_overlaps();

  WorldState<D> state() const;
  void restore(const WorldState<D>& state);

 private:
  Scene<D> scene_;
  Bodies<D> bodies_;
  std::unique_ptr<Solver<D>> solver_;
  std::int64_t steps_ = 0;
  std::vector<ActiveContact<D>> contacts_;
};

}  // namespace talus
