// SPDX-License-Identifier: Apache-2.0
#include "engine/world.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "engine/detect/set_contacts.hpp"
#include "engine/outlook/monitor.hpp"
#include "engine/step/activation.hpp"
#include "solvers/climb/run_solver.hpp"
#include "solvers/climb/second_solution.hpp"
#include "solvers/math/parallel.hpp"

namespace talus {

namespace {

// Positions drift for a while with the velocities they have; free bodies turn by Euler's equations,
// their spin with them. Bodies at rest, fixed ones among them, are left alone.
template <int D>
void advance_positions(double duration, Bodies<D>& bodies) {
  bodies.lattice.advance(duration);
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
void prescribe_velocities(std::span<const DrivenBody<D>> driven, double t, Readings readings,
                          std::span<Twist<D>> v) {
  for (const DrivenBody<D>& body : driven)
    v[at(body.body)] = prescribed_velocity<D>(body, t, readings);
}

template <int D>
void place_driven_bodies(std::span<const DrivenBody<D>> driven, double t, Bodies<D>& bodies) {
  for (const DrivenBody<D>& body : driven) {
    const auto i = at(body.body);
    place<D>(body, t, bodies.position[i], bodies.orientation[i]);
  }
}

// Of the sweeping process: free bodies have no velocity of their own.
template <int D>
void stop_free_bodies(Bodies<D>& bodies) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies.moves_freely(i)) continue;
    bodies.velocity[i].setZero();
    bodies.spin[i].setZero();
  }
}

template <int D>
void displace_free_bodies(std::span<const Twist<D>> v, double h, Bodies<D>& bodies) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies.moves_freely(i)) continue;
    bodies.velocity[i] = v[i].v;
    bodies.spin[i] = v[i].omega;
    bodies.position[i] += h * v[i].v;
    bodies.orientation[i] = rotated<D>(bodies.orientation[i], h * v[i].omega);
  }
}

// Catching up asks for its tolerance where several contact problems end.
template <int D>
double tolerance_of_solver(const Scene<D>& scene) {
  return (scene.dynamics == Dynamics::sweeping ? 0.1 : 1) * scene.solver.tolerance;
}

}  // namespace

template <int D>
World<D>::World(Scene<D> scene, std::unique_ptr<Solver<D>> solver)
    : scene_(std::move(scene)),
      bodies_(make_bodies<D>(scene_)),
      population_(scene_, bodies_),
      driven_(driven_bodies<D>(scene_, bodies_)),
      forces_of_scene_(scene_.forces.size()),
      joints_(scene_, bodies_),
      excluded_(scene_),
      solver_(std::move(solver)),
      measures_(scene_.measures, bodies_),
      stop_(scene_.stops) {
  if (!solver_)
    solver_ = std::make_unique<RunSolver<D>>(SolveOptions{.tolerance = tolerance_of_solver(scene_),
                                                          .max_sweeps = scene_.solver.max_sweeps});
  assert(scene_.h > 0 && scene_.theta >= 0.5 && scene_.theta <= 1 &&
         "the reader checks time.step and time.theta");
  inverse_cell_inertia_ = inverse_cell_inertia<D>(bodies_, scene_);
  for (const Geometry<D>& geometry : bodies_.geometries)
    if (std::isfinite(geometry.bounding_radius))
      largest_radius_ = std::max(largest_radius_, geometry.bounding_radius);
  if (scene_.cell && scene_.cell->is_free())
    cell_solver_ = std::make_unique<LadderSolver<D>>(
        Method::automatic,
        SolveOptions{.tolerance = scene_.solver.tolerance, .max_sweeps = scene_.solver.max_sweeps});
  prescribe_first_velocities();
  bonds_.restore(bonds_between<D>(scene_, bodies_, excluded_));
  if (scene_.cell)  // bodies take part in the flow of the cell
    for (std::size_t i = 0; i < bodies_.size(); ++i)
      if (bodies_.moves_freely(i)) bodies_.velocity[i] += bodies_.lattice.L * bodies_.position[i];
}

template <int D>
Certificate World<D>::step() {
  const ThreadCount threads(threads_ > 0 ? threads_ : talus::threads());
  population_.change(scene_, steps_, time(), bodies_, stored_, stored_moments_);
  Certificate certificate = scene_.has_inertia()                    ? moreau_jean_step()
                            : scene_.dynamics == Dynamics::sweeping ? sweeping_step()
                                                                    : lazy_step();
  population_.record(certificate);
  measures_.record(scene_.measures, steps_, scene_.h, bodies_, step_.contacts,
                   step_.percussions.moment);
  stop_.look(scene_.stops, bodies_, population_.has_grains_left(scene_), measures_.rows());
  return certificate;
}

// One step of the Moreau–Jean scheme. Positions are read at q_m only; velocities jump there, from
// v⁻ to v⁺:
//     q_m = q⁻ ⊕ h(1−θ) v⁻
//     v⁺  = v⁻ + M⁻¹ (h F(t + θh) + H P),   where P solves û = W P + b with its laws
//     q⁺  = q_m ⊕ hθ v⁺
// Where impacts have a law of their own, they take v_free = v⁻ + M⁻¹ h F to v_impact, from which P
// is found (impact.hpp), and P is the sum of both percussions. ⊕ turns bodies as torque-free ones
// do, which carries the gyroscopic terms and conserves energy (space.cpp).
template <int D>
Certificate World<D>::moreau_jean_step() {
  const double h = scene_.h, theta = scene_.theta;
  const double t = time();
  StepData<D>& s = step_;
  Certificate certificate;
  advance_positions<D>((1 - theta) * h, bodies_);  // q⁻ → q_m
  const bool monitored = scene_.monitor.looks_at(steps_);
  if (monitored) certificate.region = static_cast<int>(contact_region<D>(scene_, bodies_, t));
  certificate.passed_through =
      passage_.count(bodies_, {(1 - theta) * h, steps_ > 0 ? theta * h : 0},
                     population_.newcomers(), excluded_, stored_);

  external_impulses<D>(bodies_, scene_, t + theta * h, measures_.rows(), s.external);
  free_velocities<D>(bodies_, s.external, s.v_minus, s.v_free);  // v⁻ → v_free
  prescribe_velocities<D>(driven_, t + h, measures_.rows(), s.v_free);
  begin_cell_step(t);

  find_active_contacts(h, t, 0);  // up to the next q_m
  assemble<D>(bodies_, scene_, {stored_, stored_moments_}, s);
  joints_.add_rows(bodies_, scene_, t + h, measures_.rows(), s.v_minus, s.v_free, s.problem.rows,
                   s.percussions.row);
  impacts_.resolve(scene_, bodies_, joints_.stops(), s);  // v_free → v_impact
  guess_percussions();
  const SolveReport solve = solve_contacts();
  if (monitored && scene_.monitor.solve_again) solve_again(certificate);
  apply_percussions<D>(s.problem, s.percussions, s.v_impact, s.v_plus, s.contacts);  // → v⁺
  end_cell_step();

  const ContactError error = judge_contacts(solve, certificate);
  s.row_percussions = s.percussions.row;
  impacts_.record(scene_, bodies_, joints_.stops(), error.velocity, s, certificate);
  joints_.record(bodies_, s.problem.rows, s.row_percussions);
  record_contacts<D>(s.contacts, certificate);
  record_penetration<D>(bodies_, s.contacts, certificate);
  record_work<D>(bodies_, joints_.first_row(), s, certificate);
  bonds_.wear(scene_, bodies_, s, 100 * scene_.solver.tolerance);

  set_velocities<D>(s.v_plus, bodies_);
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

// The velocity gradient of a periodic cell: as it is, and without percussions.
template <int D>
void World<D>::begin_cell_step(double t) {
  if (!scene_.cell) return;
  if (const double width = bodies_.lattice.width(); width < 4 * largest_radius_)
    throw std::runtime_error("the periodic cell is only " + std::to_string(width) +
                             " m wide now, less than twice the largest body of " +
                             std::to_string(2 * largest_radius_) + " m");
  step_.cell.minus = bodies_.lattice.L;
  step_.cell.free =
      free_gradient<D>(bodies_, scene_, inverse_cell_inertia_, t, scene_.theta, measures_.rows());
  scene_.cell_acceleration = cell_acceleration<D>(bodies_, scene_, inverse_cell_inertia_,
                                                  t + scene_.theta * scene_.h, measures_.rows());
}

template <int D>
void World<D>::end_cell_step() {
  if (!scene_.cell) return;
  step_.cell.plus =
      cell_solver_ ? gradient_after<D>(inverse_cell_inertia_, step_) : step_.cell.free;
  bodies_.lattice.L = step_.cell.plus;
  carry_images<D>(step_.problem, step_.cell.plus, step_.contacts);
}

// Of a sweeping process: walls go to t + h, and v_free holds their velocities there.
template <int D>
void World<D>::move_walls(double t) {
  const double h = scene_.h, theta = scene_.theta;
  advance_positions<D>((1 - theta) * h, bodies_);
  prescribe_velocities<D>(driven_, t + h, measures_.rows(), step_.v_free);
  set_velocities<D>(step_.v_free, bodies_);
  advance_positions<D>(theta * h, bodies_);
  place_driven_bodies<D>(driven_, t + h, bodies_);
}

// One step of Moreau's sweeping process −dq/dt ∈ N_Φ(t)(q) by catching up: the walls go first, then
//     q⁻ − q⁺ ∈ N_Φ(t+h)(q⁺),
// in which M = I and the percussions are the displacements over h (catching_up.hpp).
template <int D>
Certificate World<D>::sweeping_step() {
  const double h = scene_.h, t = time();
  StepData<D>& s = step_;
  begin_sweeping_step();
  move_walls(t);
  catching_up_.begin(bodies_, s.v_free);
  SolveReport solve;
  ContactError error;
  for (int iteration = 0;; ++iteration) {
    find_active_contacts(h, t + h, catching_up_.margin(h));
    assemble<D>(bodies_, scene_, {stored_, stored_moments_}, s);
    catching_up_.linearise(s);
    guess_percussions();
    apply_percussions<D>(s.problem, s.percussions, s.v_free, s.v_plus, s.contacts);
    error = catching_up_.error(bodies_, h, s);
    if (error.relative <= scene_.solver.tolerance) break;
    if (iteration == CatchingUp<D>::most_iterations || !std::isfinite(error.relative)) break;
    solve.sweeps += solve_contacts().sweeps;
    apply_percussions<D>(s.problem, s.percussions, s.v_free, s.v_plus, s.contacts);
    catching_up_.move(s.v_plus, h, bodies_);
  }

  Certificate certificate;
  record_error(solve, error, certificate);
  end_sweeping_step(certificate);
  return certificate;
}

// One step of the explicit scheme q⁺ = q⁻ + h γ(t, q⁻): the lazy selector γ is the element of least
// norm in Γ(t, q) = { v : ∂f/∂t + v·∇f ≤ 0 where f ≥ 0 } [M05, "lazy selector"]. Its contact
// problem asks u_N ≥ 0 of what touches at t, against the velocities that walls have there.
template <int D>
Certificate World<D>::lazy_step() {
  const double h = scene_.h, t = time();
  StepData<D>& s = step_;
  begin_sweeping_step();
  find_active_contacts(h, t, 0);
  assemble<D>(bodies_, scene_, {stored_, stored_moments_}, s);
  for (std::size_t i = 0; i < s.contacts.size(); ++i)
    s.problem.b[i][0] -= set_speed<D>(scene_, bodies_, t, s.contacts[i].contact.key);
  s.v_impact = s.v_free;
  guess_percussions();
  const SolveReport solve = solve_contacts();
  apply_percussions<D>(s.problem, s.percussions, s.v_impact, s.v_plus, s.contacts);

  Certificate certificate;
  judge_contacts(solve, certificate);
  move_walls(t);
  displace_free_bodies<D>(s.v_plus, h, bodies_);  // q⁻ → q⁺
  end_sweeping_step(certificate);
  return certificate;
}

// Free bodies rest, and walls have the velocities of the start of the step.
template <int D>
void World<D>::begin_sweeping_step() {
  stop_free_bodies<D>(bodies_);
  step_.external.assign(bodies_.size(), {});
  step_.problem.rows.clear();
  step_.percussions.row.clear();
  free_velocities<D>(bodies_, step_.external, step_.v_minus, step_.v_free);
}

template <int D>
void World<D>::end_sweeping_step(Certificate& certificate) {
  record_contacts<D>(step_.contacts, certificate);
  record_penetration<D>(bodies_, step_.contacts, certificate);
  record_momentum<D>(bodies_, certificate);
  certificate.step = ++steps_;
  certificate.time = time();
}

// Gaps that can close within `duration` or are smaller than `margin`, and the part they take in the
// step. Sets are those at t.
template <int D>
void World<D>::find_active_contacts(double duration, double t, double margin) {
  StepData<D>& s = step_;
  find_reach<D>(bodies_, scene_, s.v_free, duration, s.reach);
  if (margin > 0)
    for (Reach<D>& reach : s.reach) reach.margin += margin;
  search_.find(bodies_, s.reach, excluded_, s.found, duration);
  bonds_.act(scene_, bodies_, s.v_minus, s.bonds);
  bonds_.replace_contacts(bodies_, s.found);
  if (!scene_.has_inertia()) add_set_contacts<D>(scene_, bodies_, t, margin, s.found);
  find_parts<D>(bodies_, scene_, s.v_minus, s.v_free, s.cell, s.found, s.parts, s.active);
}

template <int D>
void World<D>::guess_percussions() {
  StepData<D>& s = step_;
  warm_start<D>(scene_, s);
  s.islands.find(s.problem);
}

// problem → percussions, which are kept for the next step.
template <int D>
SolveReport World<D>::solve_contacts() {
  StepData<D>& s = step_;
  body_order_.find(bodies_, std::get<RigidOperator<D>>(s.problem.W).body_order);
  SolveReport report;
  if (cell_solver_) {
    add_cell<D>(inverse_cell_inertia_, s, s.cell_problem);
    s.cell_islands.find(s.cell_problem);
    report = cell_solver_->solve(s.cell_problem, s.cell_islands, s.percussions);
  } else {
    report = solver_->solve(s.problem, s.islands, s.percussions);
  }

  stored_.resize(s.contacts.size());
  parallel_for(s.contacts.size(), [&](std::size_t i) {
    const Mat<D>& frame = std::get<RigidOperator<D>>(s.problem.W).contacts[i].frame;
    stored_[i] = {s.contacts[i].contact.key, frame * s.percussions.contact[i]};
  });
  stored_moments_.resize(s.percussions.moment.size());
  parallel_for(stored_moments_.size(), [&](std::size_t i) {
    stored_moments_[i] = spin_from<D>(s.contacts[i].frame, s.percussions.moment[i]);
  });
  return report;
}

// How well the contact problem was solved is measured here, on v⁺; of the solver's report only the
// number of its sweeps is taken down.
template <int D>
ContactError World<D>::judge_contacts(const SolveReport& solve, Certificate& certificate) {
  const StepData<D>& s = step_;
  const ContactError error =
      cell_solver_ ? contact_error<D>(s.cell_problem, s.cell_islands, s.percussions)
                   : judge_(s.problem, s.islands, s.percussions, s.v_impact, s.v_plus);
  record_error(solve, error, certificate);
  return error;
}

template <int D>
void World<D>::record_error(const SolveReport& solve, const ContactError& error,
                            Certificate& certificate) const {
  certificate.sweeps = solve.sweeps;
  certificate.error = error.relative;
  certificate.worst_error = error.worst;
  certificate.converged = error.relative <= scene_.solver.tolerance;  // not so if it is NaN
}

template <int D>
void World<D>::correct_positions(Certificate& certificate) {
  const bool drifts =
      scene_.correct_drift && drift_.is_needed(step_.contacts, step_.islands, scene_.h, bodies_);
  if (!drifts && joints_.empty()) return;
  correction_.begin(bodies_);
  if (drifts) certificate.correction_work = correct_drift();
  hold_joints(certificate);
  correction_.record(bodies_, scene_.theta * scene_.h, certificate);
}

template <int D>
void World<D>::solve_again(Certificate& certificate) const {
  const SecondSolution second = look_for_second_solution<D>(step_.problem, step_.percussions);
  certificate.solutions = static_cast<int>(second.found);
  certificate.solution_difference = second.difference;
}

template <int D>
double World<D>::correct_drift() {
  const double before = kinetic_energy() + potential_energy();
  drift_.apply(step_.problem, step_.islands, bodies_);
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
  step_.reach.assign(bodies_.size(), {});
  search_.find(bodies_, step_.reach, excluded_, step_.found);
  if (!scene_.has_inertia()) add_set_contacts<D>(scene_, bodies_, time(), 0, step_.found);
  std::vector<Overlap> overlaps;
  for (const Contact<D>& contact : step_.found) {
    double allowed =
        scene_.allowed_overlap / touching_fraction * touching_gap<D>(bodies_, contact.key);
    if (scene_.earlier)  // bodies may overlap as they do during a run
      allowed = std::max(allowed, scene_.certificate.penetration *
                                      std::min(bodies_.geometry_of(at(contact.key.a)).half_width,
                                               bodies_.geometry_of(at(contact.key.b)).half_width));
    if (-contact.gap > allowed)
      overlaps.push_back({contact.key.a, contact.key.b, -contact.gap, allowed});
  }
  return overlaps;
}

template <int D>
WorldState<D> World<D>::state() const {
  return {steps_,
          bodies_.position,
          bodies_.orientation,
          bodies_.velocity,
          bodies_.spin,
          stored_,
          stored_moments_,
          population_.state(bodies_),
          measures_.state(),
          stop_.state(),
          bodies_.lattice,
          {bonds_.bonds().begin(), bonds_.bonds().end()}};
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
  bodies_.lattice = state.lattice;
  stored_ = state.percussions;
  stored_moments_ = state.moments;
  bonds_.restore(state.bonds);
  measures_.restore(scene_.measures, bodies_, state.measures);
  stop_.restore(state.steps_at_rest);
}

template <int D>
void World<D>::begin_from(const WorldState<D>& state) {
  assert(state.steps == 0 && "a run begins with its first step");
  restore(state);
  driven_ = driven_bodies<D>(scene_, bodies_);
  prescribe_first_velocities();
  measures_ = Measures<D>(scene_.measures, bodies_);
}

template <int D>
void World<D>::set_load(int body, const Vec<D>& force, const Spin<D>& torque) {
  const auto loads = scene_.forces.begin() + static_cast<std::ptrdiff_t>(forces_of_scene_);
  auto load = std::find_if(loads, scene_.forces.end(),
                           [&](const AppliedForce<D>& other) { return other.body == body; });
  if (load == scene_.forces.end()) load = scene_.forces.insert(load, AppliedForce<D>{});
  load->body = body;
  load->direction = force;
  load->axis = torque;
  load->point = -bodies_.origin_offset[at(body)];  // the mass centre
  load->signal = Constant{1};
}

template <int D>
void World<D>::set_drive(int body, const Vec<D>& velocity, const Spin<D>& spin) {
  const auto driven = std::find_if(driven_.begin(), driven_.end(),
                                   [&](const DrivenBody<D>& other) { return other.body == body; });
  assert(driven != driven_.end() && "a driven body");
  using Kind = typename Drive<D>::Kind;
  driven->drives = {{Kind::velocity, velocity, Spin<D>::Zero(), Constant{1}},
                    {Kind::spin, Vec<D>::Zero(), spin, Constant{1}}};
}

template <int D>
void World<D>::prescribe_first_velocities() {
  for (const DrivenBody<D>& driven : driven_) {
    const Twist<D> start = prescribed_velocity<D>(driven, 0);
    bodies_.velocity[at(driven.body)] = start.v;
    bodies_.spin[at(driven.body)] = start.omega;
  }
  if (!scene_.cell) return;
  const Mat<D> L = prescribed_gradient<D>(*scene_.cell, 0, {});
  for (std::size_t i = 0; i < D; ++i)
    for (std::size_t j = 0; j < D; ++j)
      if (!scene_.cell->stress[i][j])
        bodies_.lattice.L(static_cast<int>(i), static_cast<int>(j)) =
            L(static_cast<int>(i), static_cast<int>(j));
}

template class World<2>;
template class World<3>;

}  // namespace talus
