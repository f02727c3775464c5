// A scene in motion: Moreau–Jean time stepping with one contact problem per step.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/assembly.hpp"
#include "engine/bodies.hpp"
#include "engine/body_order.hpp"
#include "engine/broadphase.hpp"
#include "engine/contact.hpp"
#include "engine/correction.hpp"
#include "engine/drift.hpp"
#include "engine/drive.hpp"
#include "engine/force.hpp"
#include "engine/impact.hpp"
#include "engine/joints.hpp"
#include "engine/ledger.hpp"
#include "engine/measures.hpp"
#include "engine/narrowphase.hpp"
#include "engine/passage.hpp"
#include "engine/population.hpp"
#include "engine/scene.hpp"
#include "engine/warm_start.hpp"
#include "solvers/solver.hpp"

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
  PopulationState population;
  std::vector<double> measures;  // Measures::state
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

  std::span<const JointReaction<D>> joint_reactions() const {  // of the last step
    return joints_.reactions();
  }

  std::span<const ImpactedContact<D>> impacts() const {  // contacts of those of the last step
    return impacts_.contacts();
  }

  const ContactProblem<D>& problem() const { return problem_; }       // of the last step
  const Percussions<D>& percussions() const { return percussions_; }  // that solved it

  PopulationState population() const { return population_.state(bodies_); }
  const Measures<D>& measures() const { return measures_; }

  double kinetic_energy() const;
  double potential_energy() const;

  std::vector<Overlap> initial_overlaps();

  WorldState<D> state() const;
  void restore(const WorldState<D>& state);

 private:
  Certificate moreau_jean_step();
  Certificate sweeping_step();
  void detect(double duration);
  SolveReport solve_contacts();
  ContactError judge_contacts(const SolveReport& solve, Certificate& certificate);
  void correct_positions(Certificate& certificate);
  void solve_again(Certificate& certificate) const;
  double correct_drift();  // energy added [J]
  void hold_joints(Certificate& certificate);

  Scene<D> scene_;
  Bodies<D> bodies_;
  Population<D> population_;
  std::vector<DrivenBody<D>> driven_;
  Joints<D> joints_;
  std::vector<BodyPair> joined_;  // sorted
  std::unique_ptr<Solver<D>> solver_;
  Measures<D> measures_;
  std::int64_t steps_ = 0;

  // What a step works on: cleared and never freed, so that a warm step allocates nothing.
  std::vector<Impulse<D>> external_;
  std::vector<Twist<D>> v_minus_, v_free_, v_plus_;
  std::vector<Reach<D>> reach_;
  Broadphase<D> broadphase_;
  Narrowphase<D> narrowphase_;
  std::vector<BodyPair> pairs_;
  std::vector<Contact<D>> found_;
  std::vector<Part> parts_;       // that they take in the step
  std::vector<int> taking_part_;  // numbers of those that take any
  std::vector<ActiveContact<D>> contacts_;
  BodyOrder<D> body_order_;
  ContactProblem<D> problem_;
  Impacts<D> impacts_;
  Percussions<D> percussions_;
  ContactJudge<D> judge_;
  std::vector<double> row_percussions_;  // with those of impacts
  std::vector<StoredPercussion<D>> stored_;
  DriftCorrection<D> drift_;
  CorrectionRecord<D> correction_;
  PassageWatch<D> passage_;
};

}  // namespace talus
