// SPDX-License-Identifier: Apache-2.0
#include "io/check/trajectory_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "io/check/recomputation.hpp"
#include "io/text/input_error.hpp"
#include "io/trajectory/format_version.hpp"
#include "io/trajectory/series_columns.hpp"
#include "solvers/impact/impact_judgement.hpp"
#include "solvers/math/maximum.hpp"

namespace talus {

namespace {

// Every column of the series.
bool all_finite(const Certificate& c) {
  bool all = true;
  for_each_series_column([&]<class T>(const char*, const char*, T Certificate::*member) {
    if constexpr (std::is_same_v<T, double>) all = all && std::isfinite(c.*member);
  });
  return all;
}

bool finite(const std::vector<Vec<3>>& vectors) {
  return std::all_of(vectors.begin(), vectors.end(), [](const Vec<3>& v) { return v.allFinite(); });
}

bool finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

bool finite(const FrameState& state) {
  return finite(state.position) && finite(state.velocity) && finite(state.angular_velocity) &&
         std::all_of(state.orientation.begin(), state.orientation.end(),
                     [](const Eigen::Quaterniond& q) { return q.coeffs().allFinite(); });
}

bool finite(const FrameJoints& joints) {
  return finite(joints.point) && finite(joints.force) && finite(joints.torque);
}

bool finite(const FrameContacts& contacts) {
  return finite(contacts.point) && finite(contacts.normal) && finite(contacts.force) &&
         finite(contacts.velocity) && finite(contacts.normal_force) && finite(contacts.gap) &&
         finite(contacts.adhesion) && finite(contacts.moment) && finite(contacts.cohesion);
}

// Largest deviation of the length of orientations and normals from 1.
double unit_defect(const FrameState& state, const FrameContacts& contacts) {
  double worst = 0;
  for (const Eigen::Quaterniond& q : state.orientation)
    worst = maximum(worst, std::abs(q.norm() - 1));
  for (const Vec<3>& n : contacts.normal) worst = maximum(worst, std::abs(n.norm() - 1));
  return worst;
}

double kinetic_energy(const BodyTable& bodies, const FrameState& state) {
  double energy = 0;
  for (std::size_t row = 0; row < state.body.size(); ++row) {
    const auto i = static_cast<std::size_t>(state.body[row]);
    const Vec<3> principal_spin =
        bodies.inertia_axes[i].conjugate() *
        (state.orientation[row].conjugate() * state.angular_velocity[row]);
    energy += 0.5 * bodies.mass[i] * state.velocity[row].squaredNorm() +
              0.5 * principal_spin.dot(bodies.inertia[i].cwiseProduct(principal_spin));
  }
  return energy;
}

// Deviation of the momentum of the free bodies of a frame, linear and angular, from the recorded
// one.
double recorded_momentum_defect(const BodyTable& bodies, const FrameState& state,
                                const Certificate& recorded) {
  Vec<3> linear = Vec<3>::Zero(), angular = Vec<3>::Zero();
  double linear_scale = 0, angular_scale = 0;
  for (std::size_t row = 0; row < state.body.size(); ++row) {
    const auto i = static_cast<std::size_t>(state.body[row]);
    if (bodies.fixed[i] != 0) continue;
    const Vec<3> p = bodies.mass[i] * state.velocity[row];
    const Eigen::Quaterniond axes = state.orientation[row] * bodies.inertia_axes[i];
    const Vec<3> spin =
        axes * bodies.inertia[i].cwiseProduct(axes.conjugate() * state.angular_velocity[row]);
    linear += p;
    angular += state.position[row].cross(p) + spin;
    linear_scale += p.norm();
    angular_scale += state.position[row].norm() * p.norm() + spin.norm();
  }
  linear -= Vec<3>(recorded.momentum_x, recorded.momentum_y, recorded.momentum_z);
  angular -=
      Vec<3>(recorded.angular_momentum_x, recorded.angular_momentum_y, recorded.angular_momentum_z);
  return maximum(ratio(linear.norm(), linear_scale), ratio(angular.norm(), angular_scale));
}

// Largest distance of a force of a frame from its friction cone, relative to the largest force; of
// a moment from its bound, relative to that force times the largest length of the laws.
double cone_defect(const TrajectoryReader& run, const FrameContacts& contacts) {
  double worst = 0, largest = 0, worst_moment = 0, longest = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Vec<3>& force = contacts.force[i];
    const Vec<3>& n = contacts.normal[i];
    const double normal_force = force.dot(n);
    const double tangential_force = (force - normal_force * n).norm();
    const auto material = [&](std::int32_t body) {
      return run.bodies().material[static_cast<std::size_t>(body)];
    };
    const ContactLaw& law = run.laws()(material(contacts.body_a[i]), material(contacts.body_b[i]));
    // Adhesion, all or nothing, shifts the cone. Of elliptic friction this is the larger
    // coefficient; recompute looks at directions.
    const double adhesion = contacts.adhesion[i];
    const double pressing = normal_force + adhesion;
    // Of a bond both pull and cohesion depend on its area and damage, which recompute looks at.
    const bool bonded = contacts.bond[i] == 1;
    const double mu = contacts.bond[i] >= 0 ? law.bond.friction : law.friction;
    const double known = bonded ? std::max(adhesion, 0.0) : law.adhesion;
    for (const double outside :
         {-pressing, tangential_force - mu * std::max(pressing, 0.0) - contacts.cohesion[i],
          std::abs(normal_force - contacts.normal_force[i]),
          std::min(std::abs(adhesion), std::abs(adhesion - known)),
          bonded ? -contacts.cohesion[i] : std::abs(contacts.cohesion[i])})
      worst = maximum(worst, outside);
    largest = maximum(largest, force.norm() + adhesion);
    // In the plane the moment is about the normal of the plane: all of it rolls.
    const double spinning = contacts.moment[i].dot(n);
    const double rolling = (contacts.moment[i] - spinning * n).norm();
    worst_moment = std::max({worst_moment, rolling - law.rolling_friction * pressing,
                             std::abs(spinning) - law.spinning_friction * pressing});
    longest = std::max({longest, law.rolling_friction, law.spinning_friction});
  }
  return maximum(ratio(worst, largest), ratio(worst_moment, longest * largest));
}

// Velocities by index of the body; empty if it is not present.
std::vector<std::optional<Vec<3>>> velocities(const FrameState& state, std::size_t bodies) {
  std::vector<std::optional<Vec<3>>> result(bodies);
  for (std::size_t row = 0; row < state.body.size(); ++row)
    result[static_cast<std::size_t>(state.body[row])] = state.velocity[row];
  return result;
}

// Unexplained impulse between two frames one step apart, m (v⁺ − v⁻) − h (m g + Σ F), relative to
// the largest impulse of the step; for bodies that are in both frames.
double momentum_defect(const TrajectoryReader& run, const FrameState& before,
                       const FrameState& after, const FrameContacts& contacts,
                       const FrameJoints& joints) {
  const BodyTable& bodies = run.bodies();
  const double h = run.header().h;
  std::vector<Vec<3>> force(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) force[i] = bodies.mass[i] * run.header().gravity;
  const auto v_minus = velocities(before, bodies.size()), v_plus = velocities(after, bodies.size());
  const auto in_both = [&](std::size_t i) { return v_minus[i] && v_plus[i]; };
  std::vector<double> scale(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (in_both(i))
      scale[i] = h * force[i].norm() + bodies.mass[i] * (v_minus[i]->norm() + v_plus[i]->norm());
  const auto push = [&](std::int32_t body, const Vec<3>& f) {
    if (body < 0) return;  // the world
    force[static_cast<std::size_t>(body)] += f;
    scale[static_cast<std::size_t>(body)] += h * f.norm();
  };
  const auto push_apart = [&](const auto& pairs) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      push(pairs.body_a[i], -pairs.force[i]);
      push(pairs.body_b[i], pairs.force[i]);
    }
  };
  push_apart(contacts);
  push_apart(joints);
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies.fixed[i] != 0 || !in_both(i)) continue;
    const Vec<3> change = bodies.mass[i] * (*v_plus[i] - *v_minus[i]);
    worst = maximum(worst, (change - h * force[i]).norm());
    largest = maximum(largest, scale[i]);
  }
  return ratio(worst, largest);
}

// The criteria, in the order in which they are shown.
struct Criteria {
  RecomputedCriteria again;
  Criterion order{"order", "steps follow each other without a gap, at their times", 1e-12};
  Criterion finite{"finite", "every number of the file is finite", 0};
  Criterion converged{"converged", "every contact problem was solved to the tolerance asked for"};
  Criterion energy{"energy", "energy balances in every step", 1e-10};
  Criterion ledger{"ledger", "energies change by the work recorded, which adds up", 1e-10};
  Criterion penetration{"penetration",
                        "bodies overlap by a small part of the thinner one's half width"};
  Criterion tunnelling{"tunnelling", "no body went through another between two looks for contacts"};
  Criterion unit{"unit", "orientations and normals have unit length", 1e-9};
  Criterion kinetic{"kinetic", "saved velocities have the kinetic energy and momentum recorded",
                    1e-10};
  Criterion cone{"cone", "saved contact forces push and stay within friction"};
  Criterion overlap{"overlap", "saved contacts overlap no more than was recorded", 0, 0, 0, 0, {},
                    "m"};
  Criterion impacts{"impacts",
                    "impacts lose what their contacts lose, by percussions and velocities", 1e-10};
  Criterion impact_closing{"impact_closing", "no contact closes after an impact"};
  Criterion impact_cone{"impact_cone", "percussions of impacts push and stay within friction"};
  Criterion impact_gain{"impact_gain", "impacts gain no more energy than the scene allows"};
  Criterion momentum{"momentum", "momentum changes by gravity, contact and joints alone", 1e-10};
  Criterion population{"population", "bodies there are those of the start and born, less removed",
                       1e-12};

  std::vector<Criterion> list() const {
    return {order,       again.scene, finite,         converged,      penetration, tunnelling,
            energy,      ledger,      unit,           again.motion,   kinetic,     again.potential,
            cone,        overlap,     again.contacts, again.impulses, impacts,     impact_closing,
            impact_cone, impact_gain, momentum,       again.spin,     population};
  }
};

// A complete run has every step up to its end, or up to where a stop condition ended it.
void check_length(const RunHeader& header, const std::vector<Certificate>& steps,
                  Criteria& criteria) {
  if (!header.complete) return;
  const double due = std::ceil(header.end / header.h * (1 - 1e-12));
  const auto number = static_cast<double>(steps.size());
  const bool all = header.stopped_by.empty() ? number == due : number <= due;
  criteria.order.judge(all ? 0 : INFINITY, static_cast<std::int64_t>(steps.size()) + 1);
}

// If gravity is the only external force and positions follow the mean of the velocities (θ = 1/2),
// potential energy decreases by the work of gravity: V⁺ − V⁻ = −½ h Σ m g·(v⁺ + v⁻).
void check_fall(const RunHeader& header, const Certificate& before, const Certificate& c,
                double potential_scale, Criteria& criteria) {
  if (!header.has_inertia() || header.theta != 0.5 || header.applied_forces > 0 ||
      header.springs > 0)
    return;
  const double unaccounted =
      std::abs(c.potential - before.potential + c.external_work - c.inflow_potential);
  criteria.ledger.judge(ratio(maximum(0.0, unaccounted - 2 * std::abs(c.correction_work)),
                              c.turnover + potential_scale),
                        c.step);
}

// Σ m ‖g‖ ‖x‖ of a frame: the rounding error of potential energy is relative to this.
double scale_of_potential(const TrajectoryReader& run, std::size_t frame) {
  const FrameState state = run.state(frame);
  double scale = 0;
  for (std::size_t row = 0; row < state.body.size(); ++row)
    scale += run.bodies().mass[static_cast<std::size_t>(state.body[row])] *
             run.header().gravity.norm() * state.position[row].norm();
  return scale;
}

void check_series(const RunHeader& header, const std::vector<Certificate>& steps,
                  std::optional<double> first_kinetic, double potential_scale, Criteria& criteria,
                  RunCheck& check) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Certificate& c = steps[i];
    const auto number = static_cast<std::int64_t>(i) + 1;
    const double due = static_cast<double>(number) * header.h;
    criteria.order.judge(c.step == number ? ratio(std::abs(c.time - due), due) : INFINITY, number);
    criteria.finite.judge(all_finite(c) ? 0 : 1, number);
    const bool converged = c.converged && c.error <= header.tolerance;
    criteria.converged.judge(c.error, number, !converged);
    check.unconverged_steps += !converged;
    criteria.energy.judge(ratio(std::abs(c.defect), c.turnover), number);

    // The drift correction rotates bodies, and with them their inertia. So it may change kinetic
    // energy by the work recorded for it.
    const std::optional<double> before =
        i > 0 ? std::optional<double>(steps[i - 1].kinetic) : first_kinetic;
    if (before) {
      const double work = c.contact_work + c.adhesion_work + c.bond_work + c.external_work +
                          c.spring_work + c.joint_work + c.driven_work + c.cell_work;
      const double unbooked = std::abs(c.kinetic - *before - work - c.inflow_kinetic - c.defect);
      criteria.ledger.judge(ratio(maximum(0.0, unbooked - std::abs(c.correction_work)), c.turnover),
                            number);
    }
    criteria.ledger.judge(
        ratio(std::abs(c.contact_work - c.normal_work - c.friction_work - c.rolling_work),
              c.turnover),
        number);
    if (i > 0) check_fall(header, steps[i - 1], c, potential_scale, criteria);
    check.max_error = maximum(check.max_error, c.error);
    check.worst_contact_error = maximum(check.worst_contact_error, c.worst_error);
    const auto take_worst = [&](double value, double& worst, std::int64_t& step) {
      if (maximum(worst, value) == worst || std::isnan(worst)) return;
      worst = value;
      step = number;
    };
    take_worst(c.max_penetration, check.max_penetration, check.max_penetration_step);
    take_worst(c.max_relative_penetration, check.max_relative_penetration,
               check.max_relative_penetration_step);
    criteria.penetration.judge(c.max_relative_penetration, number);
    criteria.tunnelling.judge(c.passed_through, number);
  }
  check.energy_defect = criteria.energy.worst;
}

// Numbers must agree exactly, masses to rounding. The first step gives the numbers at the start.
void check_population(const std::vector<Certificate>& steps, Criteria& criteria) {
  if (steps.empty()) return;
  const Certificate& first = steps.front();
  const std::int64_t bodies = first.bodies - first.born + first.removed;
  const double mass = first.mass - first.born_mass + first.removed_mass;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Certificate& c = steps[i];
    const double unaccounted = std::abs(c.mass - mass - c.born_mass + c.removed_mass);
    const bool broken = c.bodies != bodies + c.born - c.removed || c.waiting < 0;
    criteria.population.judge(
        broken ? INFINITY : ratio(unaccounted, std::abs(mass) + c.born_mass + c.removed_mass),
        static_cast<std::int64_t>(i) + 1);
  }
}

void check_frames(const TrajectoryReader& run, const std::vector<Certificate>& steps,
                  Criteria& criteria) {
  const RunHeader& header = run.header();
  const bool has_inertia = header.has_inertia();
  const bool only_gravity = header.applied_forces == 0 && header.springs == 0;
  std::optional<FrameState> last;
  for (std::size_t k = 0; k < run.frames().size(); ++k) {
    const std::int64_t step = run.frames()[k].step;
    FrameState state = run.state(k);
    const FrameContacts contacts = run.contacts(k);
    const FrameJoints joints = run.joints(k);
    criteria.finite.judge(finite(state) && finite(contacts) && finite(joints) ? 0 : 1, step);
    criteria.unit.judge(unit_defect(state, contacts), step);
    criteria.cone.judge(cone_defect(run, contacts), step);
    if (step >= 1 && step <= static_cast<std::int64_t>(steps.size())) {
      const Certificate& booked = steps[static_cast<std::size_t>(step - 1)];
      if (has_inertia)
        criteria.kinetic.judge(ratio(std::abs(kinetic_energy(run.bodies(), state) - booked.kinetic),
                                     std::max(booked.kinetic, booked.turnover)),
                               step);
      if (has_inertia)
        criteria.kinetic.judge(recorded_momentum_defect(run.bodies(), state, booked), step);
      criteria.population.judge(
          static_cast<std::int64_t>(state.body.size()) == booked.bodies ? 0 : INFINITY, step);
      double overlap = 0;
      for (double gap : contacts.gap) overlap = maximum(overlap, -gap - booked.max_penetration);
      criteria.overlap.judge(overlap, step);
    }
    if (last && has_inertia && only_gravity && step == run.frames()[k - 1].step + 1)
      criteria.momentum.judge(momentum_defect(run, *last, state, contacts, joints), step);
    last = std::move(state);
  }
}

// Checks ½ P·(u⁺ + u⁻) of every contact, and the sums per step.
void check_impacts(const ImpactTable& impacts, const std::vector<Certificate>& steps,
                   Criteria& criteria) {
  for (std::size_t first = 0, next = 0; first < impacts.size(); first = next) {
    const std::int64_t step = impacts.step[first];
    double sum = 0, turnover = 0, worst = 0;
    for (next = first; next < impacts.size() && impacts.step[next] == step; ++next) {
      const double work = 0.5 * impacts.percussion[next].dot(impacts.velocity_before[next] +
                                                             impacts.velocity_after[next]);
      sum += impacts.work[next];
      turnover += 0.5 * std::abs(impacts.percussion[next].dot(impacts.velocity_before[next]));
      worst = maximum(worst, std::abs(work - impacts.work[next]));
    }
    if (step < 1 || step > static_cast<std::int64_t>(steps.size())) continue;
    const Certificate& booked = steps[static_cast<std::size_t>(step - 1)];
    const bool all = booked.impact_contacts == static_cast<std::int64_t>(next - first);
    worst = maximum(worst, std::abs(sum - booked.impact_work));
    criteria.impacts.judge(all ? ratio(worst, turnover) : INFINITY, step);
  }
}

// Whether impacts were admissible, in every step that had one.
void judge_impacts(const std::vector<Certificate>& steps, Criteria& criteria, RunCheck& check) {
  for (const Certificate& c : steps) {
    check.impacts += c.impacts;
    check.inadmissible_impacts += c.impact_inadmissible;
    check.failed_impacts += c.impact_failed;
    check.impact_work += c.impact_work;
    if (c.impacts == 0) continue;
    criteria.impact_closing.judge(c.impact_closing, c.step);
    criteria.impact_cone.judge(c.impact_cone, c.step);
    criteria.impact_gain.judge(c.impact_gain, c.step);
  }
}

// States why criteria were skipped.
void explain_skipped(const RunHeader& header, Criteria& criteria) {
  const auto because = [](Criterion& criterion, std::string reason) {
    if (criterion.checked == 0 && criterion.skipped.empty()) criterion.skipped = std::move(reason);
  };
  if (!header.has_inertia()) {
    for (Criterion* const of_inertia :
         {&criteria.kinetic, &criteria.momentum, &criteria.again.spin, &criteria.again.potential,
          &criteria.again.contacts, &criteria.again.impulses})
      because(*of_inertia, "a sweeping process has no inertia");
  }
  for (Criterion* const of_forces : {&criteria.momentum, &criteria.again.spin}) {
    if (header.applied_forces > 0 || header.springs > 0)
      because(*of_forces, "the file does not hold applied forces and those of springs");
    if (header.save_every > 1)
      because(*of_forces, "no two frames are one step apart (time.save_every = 1)");
  }
  if (header.joints > 0) because(criteria.again.spin, "all bodies are held by joints");
  for (Criterion* const of_impacts :
       {&criteria.impacts, &criteria.impact_closing, &criteria.impact_cone, &criteria.impact_gain})
    because(*of_impacts, "no impacts were recorded");
  for (Criterion* const of_frames :
       {&criteria.unit, &criteria.kinetic, &criteria.cone, &criteria.overlap, &criteria.momentum,
        &criteria.again.spin, &criteria.again.motion, &criteria.again.potential,
        &criteria.again.contacts, &criteria.again.impulses})
    because(*of_frames, "no frames after the start");
  for (Criterion* const of_steps :
       {&criteria.order, &criteria.finite, &criteria.converged, &criteria.penetration,
        &criteria.energy, &criteria.ledger, &criteria.population})
    because(*of_steps, "no steps");
}

// Files of early formats can be read, but hold too little to be judged.
void refuse_unrecorded(const TrajectoryReader& run, const Series& series) {
  if (series.unrecorded.empty()) return;
  throw InputError(fmt::format(
      "{}: has format {}.{}, which does not record {}; it can be read, but not checked", run.path(),
      format_major, run.header().format_minor, fmt::join(series.unrecorded, ", ")));
}

}  // namespace

bool RunCheck::passed() const {
  return std::all_of(criteria.begin(), criteria.end(),
                     [](const Criterion& criterion) { return criterion.passed(); });
}

std::optional<std::int64_t> RunCheck::first_bad_step() const {
  std::optional<std::int64_t> first;
  for (const Criterion& criterion : criteria)
    if (criterion.first_bad_step && (!first || *criterion.first_bad_step < *first))
      first = criterion.first_bad_step;
  return first;
}

RunCheck check_run(const TrajectoryReader& run, const CheckOptions& options) {
  const RunHeader& header = run.header();
  const Series series = run.series();
  refuse_unrecorded(run, series);
  Criteria criteria;
  criteria.converged.limit = header.tolerance;
  // Impulses are as accurate as the tolerance of the solver.
  criteria.cone.limit = std::max(header.tolerance, 1e-12);
  const double admissible = admissible_tolerance(header.tolerance);
  criteria.impact_closing.limit = criteria.impact_cone.limit = admissible;
  criteria.impact_gain.limit = std::max(admissible, header.limits.energy_gain);
  criteria.penetration.limit = options.penetration.value_or(header.limits.penetration);

  RunCheck check;
  const std::vector<Certificate>& steps = series.steps;
  std::optional<double> first_kinetic;
  if (!run.frames().empty() && run.frames().front().step == 0 && header.has_inertia())
    first_kinetic = kinetic_energy(run.bodies(), run.state(0));
  double potential_scale = 0;
  if (!run.frames().empty())
    potential_scale =
        maximum(scale_of_potential(run, 0), scale_of_potential(run, run.frames().size() - 1));
  check_series(header, steps, first_kinetic, potential_scale, criteria, check);
  check_length(header, steps, criteria);
  check_frames(run, steps, criteria);
  recompute(run, steps, criteria.again, criteria.penetration, criteria.cone);
  check_population(steps, criteria);
  check_impacts(run.impacts(), steps, criteria);
  judge_impacts(steps, criteria, check);
  explain_skipped(header, criteria);
  check.criteria = criteria.list();
  return check;
}

}  // namespace talus
