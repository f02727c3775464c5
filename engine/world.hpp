// SPDX-License-Identifier: Apache-2.0
// A scene in motion: Moreau–Jean time stepping with one contact problem per step.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/detect/contact_search.hpp"
#include "engine/measure/measures.hpp"
#include "engine/measure/stop_watch.hpp"
#include "engine/model/bodies.hpp"
#include "engine/model/contact.hpp"
#include "engine/model/scene.hpp"
#include "engine/step/assembly.hpp"
#include "engine/step/body_order.hpp"
#include "engine/step/bonds.hpp"
#include "engine/step/catching_up.hpp"
#include "engine/step/cell_motion.hpp"
#include "engine/step/correction.hpp"
#include "engine/step/drift.hpp"
#include "engine/step/drive.hpp"
#include "engine/step/force.hpp"
#include "engine/step/impact.hpp"
#include "engine/step/joints.hpp"
#include "engine/step/ledger.hpp"
#include "engine/step/passage.hpp"
#include "engine/step/population.hpp"
#include "engine/step/step_data.hpp"
#include "engine/step/warm_start.hpp"
#include "solvers/climb/ladder.hpp"
#include "solvers/problem/solver.hpp"

namespace talus {

// Everything a step depends on beside the scene: enough to go on, bit for bit.
template <int D>
struct WorldState {
  std::int64_t steps = 0;
  std::vector<Vec<D>> position;
  std::vector<Orientation<D>> orientation;
  std::vector<Vec<D>> velocity;
  std::vector<Spin<D>> spin;
  std::vector<StoredPercussion<D>> percussions;  // of the last step, for the warm start
  std::vector<Spin<D>> moments;                  // beside them, if contacts pass any
  PopulationState population;
  std::vector<double> measures;                  // Measures::state
  std::vector<std::int64_t> steps_at_rest = {};  // StopWatch::state
  Lattice<D> lattice = {};                       // of a periodic cell
  std::vector<Bond<D>> bonds = {};
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
  // Without a solver, the one of the scene's settings.
  explicit World(Scene<D> scene, std::unique_ptr<Solver<D>> solver = nullptr);

  // How many threads its steps run on; 0, which is the default: as many as the calling thread has
  // been given (parallel.hpp). The bits are the same.
  void use_threads(int count) { threads_ = count; }

  Certificate step();

  double time() const { return static_cast<double>(steps_) * scene_.h; }  // [s]
  std::int64_t steps() const { return steps_; }
  const Scene<D>& scene() const { return scene_; }
  const Bodies<D>& bodies() const { return bodies_; }
  std::span<const ActiveContact<D>> contacts() const { return step_.contacts; }  // of the last step
  // Beside them, if contacts pass moments: on b, in their frames [N m s].
  std::span<const Spin<D>> contact_moments() const { return step_.percussions.moment; }

  std::span<const JointReaction<D>> joint_reactions() const {  // of the last step
    return joints_.reactions();
  }

  std::span<const ImpactedContact<D>> impacts() const {  // contacts of those of the last step
    return impacts_.contacts();
  }

  const ContactProblem<D>& problem() const { return step_.problem; }       // of the last step
  const Percussions<D>& percussions() const { return step_.percussions; }  // that solved it

  std::span<const Bond<D>> bonds() const { return bonds_.bonds(); }

  PopulationState population() const { return population_.state(bodies_); }
  const Measures<D>& measures() const { return measures_; }

  // The first of the scene's stop conditions that held at the end of the last step.
  std::optional<std::size_t> stopped() const { return stop_.met(); }

  double kinetic_energy() const;
  double potential_energy() const;

  std::vector<Overlap> initial_overlaps();

  WorldState<D> state() const;
  void restore(const WorldState<D>& state);

  // Restores a state as the start of the run, at step 0: prescribed motions and measured
  // displacements count from there. Coordinates of joints count from where the scene describes
  // their bodies.
  void begin_from(const WorldState<D>& state);

  // What a program that steps the world adds to the scene between two steps, in effect until it is
  // set again; a state does not hold it. First a force at the mass centre [N] and a torque [N m] on
  // a body of the start, in world axes, beside the forces of the scene.
  void set_load(int body, const Vec<D>& force, const Spin<D>& torque);
  // Constant velocities [m/s], [rad/s] of a driven body, instead of the motion that the scene
  // gives.
  void set_drive(int body, const Vec<D>& velocity, const Spin<D>& spin);

 private:
  void prescribe_first_velocities();
  Certificate moreau_jean_step();
  Certificate sweeping_step();
  Certificate lazy_step();
  void begin_sweeping_step();
  void end_sweeping_step(Certificate& certificate);
  void begin_cell_step(double t);
  void end_cell_step();
  void move_walls(double t);
  void find_active_contacts(double duration, double t, double margin);
  void guess_percussions();
  SolveReport solve_contacts();
  ContactError judge_contacts(const SolveReport& solve, Certificate& certificate);
  void record_error(const SolveReport& solve, const ContactError& error,
                    Certificate& certificate) const;
  void correct_positions(Certificate& certificate);
  void solve_again(Certificate& certificate) const;
  double correct_drift();  // energy added [J]
  void hold_joints(Certificate& certificate);

  Scene<D> scene_;
  Bodies<D> bodies_;
  Population<D> population_;
  std::vector<DrivenBody<D>> driven_;
  std::size_t forces_of_scene_ = 0;  // the first of scene_.forces; after them come loads
  Joints<D> joints_;
  ExcludedPairs<D> excluded_;
  std::unique_ptr<Solver<D>> solver_;
  Measures<D> measures_;
  StopWatch<D> stop_;
  std::int64_t steps_ = 0;

  int threads_ = 0;

  StepData<D> step_;
  std::vector<StoredPercussion<D>> stored_;  // of the last step
  std::vector<Spin<D>> stored_moments_;      // beside them, if contacts pass any
  ContactSearch<D> search_;
  Bonds<D> bonds_;
  BodyOrder<D> body_order_;
  Impacts<D> impacts_;
  CatchingUp<D> catching_up_;
  ContactJudge<D> judge_;
  DriftCorrection<D> drift_;
  Mat<D> inverse_cell_inertia_;             // of the free components of its velocity gradient
  double largest_radius_ = 0;               // of a body of finite size [m]
  std::unique_ptr<Solver<D>> cell_solver_;  // where a stress is imposed
  CorrectionRecord<D> correction_;
  PassageWatch<D> passage_;
};

}  // namespace talus
