#include "engine/world.hpp"

#include <cassert>
#include <utility>

#include "engine/activation.hpp"
#include "engine/monitor.hpp"
#include "solvers/parallel.hpp"
#include "solvers/run_solver.hpp"
#include "solvers/second_solution.hpp"

namespace talus {

namespace {

// Positions drift for a while with the velocities they have; free bodies turn by Euler's equations,
// their spin with them. Bodies at rest, fixed ones among them, are left alone.
template <int D>
void advance_positions(double duration, Bodies<D>& bodies) {
  parallel_for(bodies.size(), [&](std::size_t i) {
    bodies.position[i] += duration * bodies.velocity[i];
    if (bodies.spin[i].isZero(0)) return;
    if (bodies.inverse_inertia[i].isZero(0)) {
      bodies.orientation[i] = rotated<D>(bodies.orientation[i], duration * bodies.spin[i]);
    } else {
      const Rotating<D> turned =
          free_rotation<D>(bodies.orientation[i], bodies.spin[i], bodies.inertia[i],
                           bodies.inverse_inertia[i], duration);
      bodies.orientation[i] = turned.orientation;
      bodies.spin[i] = turned.spin;
    }
  });
}

template <int D>
void set_velocities(std::span<const Twist<D>> v, Bodies<D>& bodies) {
  parallel_for(bodies.size(), [&](std::size_t i) {
    bodies.velocity[i] = v[i].v;
    bodies.spin[i] = v[i].omega;
  });
}

template <int D>
void prescribe_velocities(std::span<const DrivenBody<D>> driven, double t, std::span<Twist<D>> v) {
  for (const DrivenBody<D>& body : driven)
    v[static_cast<std::size_t>(body.body)] = prescribed_velocity<D>(body, t);
}

template <int D>
void place_driven_bodies(std::span<const DrivenBody<D>> driven, double t, Bodies<D>& bodies) {
  for (const DrivenBody<D>& body : driven) {
    const auto i = static_cast<std::size_t>(body.body);
    place<D>(body, t, bodies.position[i], bodies.orientation[i]);
  }
}

}  // namespace

template <int D>
World<D>::World(Scene<D> scene)
    : World(scene,
            std::make_unique<RunSolver<D>>(SolveOptions{.tolerance = scene.solver.tolerance,
                                                        .max_sweeps = scene.solver.max_sweeps})) {}

template <int D>
World<D>::World(Scene<D> scene, std::unique_ptr<Solver<D>> solver)
    : scene_(std::move(scene)),
      bodies_(make_bodies<D>(scene_)),
      population_(scene_, bodies_),
      driven_(driven_bodies<D>(scene_, bodies_)),
      joints_(scene_, bodies_),
      joined_(joined_pairs<D>(scene_.joints)),
      solver_(std::move(solver)),
      measures_(scene_.measures, bodies_) {
  assert(scene_.h > 0 && scene_.theta >= 0.5 && scene_.theta <= 1 &&
         "the reader checks time.step and time.theta");
  for (const DrivenBody<D>& driven : driven_) {
    const Twist<D> start = prescribed_velocity<D>(driven, 0);
    bodies_.velocity[static_cast<std::size_t>(driven.body)] = start.v;
    bodies_.spin[static_cast<std::size_t>(driven.body)] = start.omega;
  }
}

template <int D>
Certificate World<D>::step() {
  population_.change(scene_, steps_, time(), bodies_, stored_);
  Certificate certificate =
      scene_.dynamics == Dynamics::sweeping ? sweeping_step() : moreau_jean_step();
  population_.record(certificate);
  measures_.record(scene_.measures, steps_, scene_.h, bodies_, contacts_);
  return certificate;
}

// One step of the Moreau–Jean scheme. Positions are read at q_m only; velocities jump there, from
// v⁻ to v⁺:
//     q_m = q⁻ ⊕ h(1−θ) v⁻
//     v⁺  = v⁻ + M⁻¹ (h F(t + θh) + H P),   where P solves û = W P + b with its laws
//     q⁺  = q_m ⊕ hθ v⁺
// Where impacts have a law of their own, they take v⁻ to a velocity from which P is found
// (impact.hpp), and P is the sum of both percussions. ⊕ turns bodies as torque-free ones do, which
// carries the gyroscopic terms and conserves energy (space.cpp).
template <int D>
Certificate World<D>::moreau_jean_step() {
  const double h = scene_.h, theta = scene_.theta;
  const double t = time();
  Certificate certificate;
  advance_positions<D>((1 - theta) * h, bodies_);  // q⁻ → q_m
  const bool monitored = scene_.monitor.looks_at(steps_);
  if (monitored) certificate.region = static_cast<int>(contact_region<D>(scene_, bodies_, t));

  certificate.passed_through =
      passage_.count(bodies_, {(1 - theta) * h, steps_ > 0 ? theta * h : 0},
                     population_.newcomers(), joined_, stored_);

  external_impulses<D>(bodies_, scene_, t + theta * h, external_);
  free_velocities<D>(bodies_, external_, v_minus_, v_free_);
  prescribe_velocities<D>(driven_, t + h, v_free_);

  detect(h);  // up to the next q_m
  const SolveReport solve = solve_contacts();
  if (monitored && scene_.monitor.solve_again) solve_again(certificate);
  apply_percussions<D>(problem_, percussions_, v_free_, v_plus_, contacts_);  // v⁻ → v⁺
  const ContactError error = judge_contacts(solve, certificate);
  row_percussions_ = percussions_.row;
  impacts_.record(scene_, bodies_, problem_, error.velocity, joints_.stops(),
                  {v_minus_, v_free_, v_plus_}, contacts_, row_percussions_, certificate);
  joints_.record(bodies_, problem_.rows, row_percussions_);
  record_contacts<D>(contacts_, certificate);
  record_penetration<D>(bodies_, contacts_, certificate);
  record_work<D>(bodies_, problem_, row_percussions_, joints_.first_row(), contacts_, external_,
                 v_minus_, v_plus_, certificate);

  set_velocities<D>(v_plus_, bodies_);
  advance_positions<D>(theta * h, bodies_);  // q_m → q⁺
  place_driven_bodies<D>(driven_, t + h, bodies_);
  correct_positions(certificate);

  certificate.step = ++steps_;
  certificate.time = time();
  certificate.kinetic = kinetic_energy();
  certificate.potential = potential_energy();
  record_momentum<D>(bodies_, certificate);
  return certificate;
}

// One step of Moreau's sweeping process −dq/dt ∈ N_Φ(t)(q) by catching up: the walls go first, then
//     q⁺ = proj(q⁻ ; Φ(t + h))
// in which M = I and the percussions are the displacements over h [M05, "Catching up"].
template <int D>
Certificate World<D>::sweeping_step() {
  const double h = scene_.h, theta = scene_.theta;
  const double t = time();
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (bodies_.moves_freely(i)) {
      bodies_.velocity[i].setZero();
      bodies_.spin[i].setZero();
    }
  }
  external_.assign(bodies_.size(), {});
  advance_positions<D>((1 - theta) * h, bodies_);
  free_velocities<D>(bodies_, external_, v_minus_, v_free_);
  prescribe_velocities<D>(driven_, t + h, v_free_);
  set_velocities<D>(v_free_, bodies_);
  advance_positions<D>(theta * h, bodies_);
  place_driven_bodies<D>(driven_, t + h, bodies_);

  detect(h);
  const SolveReport solve = solve_contacts();
  apply_percussions<D>(problem_, percussions_, v_free_, v_plus_, contacts_);
  const auto& rows = std::get<RigidOperator<D>>(problem_.W).contacts;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {  // walls have moved already
    const Vec<D> walls = relative_velocity<D>(rows[i], v_free_[static_cast<std::size_t>(rows[i].a)],
                                              v_free_[static_cast<std::size_t>(rows[i].b)]);
    contacts_[i].contact.gap += h * (contacts_[i].u_plus[0] - walls[0]);  // caught up
  }
  Certificate certificate;
  judge_contacts(solve, certificate);
  record_contacts<D>(contacts_, certificate);
  record_penetration<D>(bodies_, contacts_, certificate);

  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    if (!bodies_.moves_freely(i)) continue;
    bodies_.velocity[i] = v_plus_[i].v;
    bodies_.spin[i] = v_plus_[i].omega;
    bodies_.position[i] += h * v_plus_[i].v;
    bodies_.orientation[i] = rotated<D>(bodies_.orientation[i], h * v_plus_[i].omega);
  }
  record_momentum<D>(bodies_, certificate);
  certificate.step = ++steps_;
  certificate.time = time();
  return certificate;
}

// Gaps that can close within `duration`.
template <int D>
void World<D>::detect(double duration) {
  find_reach<D>(bodies_, scene_, v_free_, duration, reach_);
  broadphase_.find_pairs(bodies_, reach_, pairs_);
  leave_joined_pairs(joined_, pairs_);
  narrowphase_.find_contacts(bodies_, pairs_, reach_, found_);
  find_parts<D>(bodies_, scene_, v_minus_, v_free_, found_, parts_, taking_part_);
}

template <int D>
SolveReport World<D>::solve_contacts() {
  assemble<D>(bodies_, scene_, found_, parts_, taking_part_, v_minus_, v_free_, contacts_, problem_,
              percussions_.row);
  joints_.add_rows(bodies_, scene_, time() + scene_.h, v_minus_, v_free_, problem_.rows,
                   percussions_.row);
  if (scene_.dynamics == Dynamics::second_order)
    impacts_.resolve(scene_, bodies_, stored_, contacts_, joints_.stops(), v_minus_, v_free_,
                     problem_);
  body_order_.find(bodies_, std::get<RigidOperator<D>>(problem_.W).body_order);
  warm_start<D>(stored_, scene_, contacts_, problem_, percussions_.contact);
  const SolveReport report = solver_->solve(problem_, percussions_);

  stored_.resize(contacts_.size());
  parallel_for(contacts_.size(), [&](std::size_t i) {
    stored_[i] = {contacts_[i].contact.key, contacts_[i].frame * percussions_.contact[i]};
  });
  return report;
}

// How well the contact problem was solved is measured here, on v⁺; of the solver's report only the
// number of its sweeps is taken down.
template <int D>
ContactError World<D>::judge_contacts(const SolveReport& solve, Certificate& certificate) {
  const ContactError error = judge_(problem_, percussions_, v_free_, v_plus_);
  certificate.sweeps = solve.sweeps;
  certificate.error = error.relative;
  certificate.worst_error = error.worst;
  certificate.converged = error.relative <= scene_.solver.tolerance;  // not so if it is NaN
  return error;
}

template <int D>
void World<D>::correct_positions(Certificate& certificate) {
  const bool drifts =
      scene_.correct_drift && drift_.is_needed(contacts_, judge_.islands(), scene_.h, bodies_);
  if (!drifts && joints_.empty()) return;
  correction_.begin(bodies_);
  if (drifts) certificate.correction_work = correct_drift();
  hold_joints(certificate);
  correction_.record(bodies_, scene_.theta * scene_.h, certificate);
}

template <int D>
void World<D>::solve_again(Certificate& certificate) const {
  const SecondSolution second = look_for_second_solution<D>(problem_, percussions_);
  certificate.solutions = static_cast<int>(second.found);
  certificate.solution_difference = second.difference;
}

template <int D>
double World<D>::correct_drift() {
  const double before = kinetic_energy() + potential_energy();
  drift_.apply(problem_, bodies_);
  return kinetic_energy() + potential_energy() - before;
}

template <int D>
void World<D>::hold_joints(Certificate& certificate) {
  if (joints_.empty()) return;
  const double before = potential_energy();
  const JointHold hold = joints_.hold(scene_, scene_.correct_drift, bodies_);
  if (hold.moved) certificate.correction_work += potential_energy() - before;
  certificate.joint_work += hold.work;
  certificate.driven_work += hold.driven_work;
  certificate.joint_drift = hold.drift;
}

template <int D>
double World<D>::kinetic_energy() const {
  return talus::kinetic_energy<D>(bodies_);
}

template <int D>
double World<D>::potential_energy() const {
  return talus::potential_energy<D>(bodies_, scene_);
}

template <int D>
std::vector<Overlap> World<D>::initial_overlaps() {
  reach_.assign(bodies_.size(), {});
  broadphase_.find_pairs(bodies_, reach_, pairs_);
  leave_joined_pairs(joined_, pairs_);
  narrowphase_.find_contacts(bodies_, pairs_, reach_, found_);
  std::vector<Overlap> overlaps;
  for (const Contact<D>& contact : found_) {
    const double allowed =
        scene_.allowed_overlap / touching_fraction * touching_gap<D>(bodies_, contact.key);
    if (-contact.gap > allowed)
      overlaps.push_back({contact.key.a, contact.key.b, -contact.gap, allowed});
  }
  return overlaps;
}

template <int D>
WorldState<D> World<D>::state() const {
  return {steps_,       bodies_.position, bodies_.orientation,        bodies_.velocity,
          bodies_.spin, stored_,          population_.state(bodies_), measures_.state()};
}

template <int D>
void World<D>::restore(const WorldState<D>& state) {
  population_.restore(state.population, scene_, bodies_);
  assert(state.position.size() == bodies_.size() && "a position for every place");
  steps_ = state.steps;
  bodies_.position = state.position;
  bodies_.orientation = state.orientation;
  bodies_.velocity = state.velocity;
  bodies_.spin = state.spin;
  stored_ = state.percussions;
  measures_.restore(scene_.measures, bodies_, state.measures);
}

template class World<2>;
template class World<3>;

}  // namespace talus
