#include "io/trajectory_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace talus {

namespace {

// Records the worst value of a criterion and the first step that breaks it. A value that is not a
// number breaks every limit and stays the worst.
void judge(Criterion& criterion, double value, std::int64_t step, bool broken) {
  ++criterion.checked;
  if (!std::isnan(criterion.worst) && !(value <= criterion.worst)) criterion.worst = value;
  if (!broken) return;
  ++criterion.violations;
  if (!criterion.first_bad_step || step < *criterion.first_bad_step)
    criterion.first_bad_step = step;
}

void judge(Criterion& criterion, double value, std::int64_t step) {
  judge(criterion, value, step, !(value <= criterion.limit));
}

// part / whole, where nothing out of nothing is fine and something out of nothing is not.
double ratio(double part, double whole) {
  if (part == 0) return 0;
  return whole > 0 ? part / whole : std::numeric_limits<double>::infinity();
}

bool finite(const Certificate& c) {
  for (double value : {c.time, c.max_penetration, c.mean_penetration, c.error, c.kinetic,
                       c.potential, c.contact_work, c.external_work, c.spring_work, c.joint_work,
                       c.driven_work, c.defect, c.turnover, c.correction_work, c.impact_work,
                       c.impact_closing, c.impact_cone, c.impact_gain, c.joint_drift})
    if (!std::isfinite(value)) return false;
  return true;
}

bool finite(const std::vector<Eigen::Vector3d>& vectors) {
  return std::all_of(vectors.begin(), vectors.end(),
                     [](const Eigen::Vector3d& v) { return v.allFinite(); });
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
         finite(contacts.velocity) && finite(contacts.normal_force) && finite(contacts.gap);
}

// Largest distance of a vector's length from 1.
double unit_defect(const FrameState& state, const FrameContacts& contacts) {
  double worst = 0;
  for (const Eigen::Quaterniond& q : state.orientation)
    worst = std::max(worst, std::abs(q.coeffs().norm() - 1));
  for (const Eigen::Vector3d& n : contacts.normal) worst = std::max(worst, std::abs(n.norm() - 1));
  return worst;
}

double kinetic_energy(const BodyTable& bodies, const FrameState& state) {
  double energy = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const Eigen::Vector3d principal_spin =
        bodies.inertia_axes[i].conjugate() *
        (state.orientation[i].conjugate() * state.angular_velocity[i]);
    energy += 0.5 * bodies.mass[i] * state.velocity[i].squaredNorm() +
              0.5 * principal_spin.dot(bodies.inertia[i].cwiseProduct(principal_spin));
  }
  return energy;
}

// How far the forces of a frame are outside their cones, as a part of its largest force.
double cone_defect(const TrajectoryReader& run, const FrameContacts& contacts) {
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const Eigen::Vector3d& force = contacts.force[i];
    const Eigen::Vector3d& n = contacts.normal[i];
    const double normal_force = force.dot(n);
    const double tangential_force = (force - normal_force * n).norm();
    const auto material = [&](std::int32_t body) {
      return run.bodies().material[static_cast<std::size_t>(body)];
    };
    const double mu =
        run.laws()(material(contacts.body_a[i]), material(contacts.body_b[i])).friction;
    worst = std::max({worst, -normal_force, tangential_force - mu * std::max(normal_force, 0.0),
                      std::abs(normal_force - contacts.normal_force[i])});
    largest = std::max(largest, force.norm());
  }
  return ratio(worst, largest);
}

// Impulse unaccounted for between two frames one step apart, m (v⁺ − v⁻) − h (m g + Σ F), as a part
// of the largest impulse of the step.
double momentum_defect(const TrajectoryReader& run, const FrameState& before,
                       const FrameState& after, const FrameContacts& contacts,
                       const FrameJoints& joints) {
  const BodyTable& bodies = run.bodies();
  const double h = run.header().h;
  std::vector<Eigen::Vector3d> force(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) force[i] = bodies.mass[i] * run.header().gravity;
  std::vector<double> scale(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    scale[i] = h * force[i].norm() +
               bodies.mass[i] * (before.velocity[i].norm() + after.velocity[i].norm());
  const auto push = [&](std::int32_t body, const Eigen::Vector3d& f) {
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
    if (bodies.fixed[i] != 0) continue;
    const Eigen::Vector3d change = bodies.mass[i] * (after.velocity[i] - before.velocity[i]);
    worst = std::max(worst, (change - h * force[i]).norm());
    largest = std::max(largest, scale[i]);
  }
  return ratio(worst, largest);
}

// The criteria, in the order in which they are shown.
struct Criteria {
  Criterion order{"order", "steps follow each other without a gap, at their times", 1e-12};
  Criterion finite{"finite", "every number of the file is finite", 0};
  Criterion converged{"converged", "every contact problem was solved to the tolerance asked for"};
  Criterion energy{"energy", "energy balances in every step", 1e-10};
  Criterion ledger{"ledger", "kinetic energy changes by the work that was booked", 1e-10};
  Criterion unit{"unit", "orientations and normals have unit length", 1e-9};
  Criterion kinetic{"kinetic", "saved velocities have the kinetic energy that was booked", 1e-10};
  Criterion cone{"cone", "saved contact forces push and stay within friction"};
  Criterion overlap{"overlap", "saved contacts overlap no more than was booked", 0, 0, 0, 0, {},
                    "m"};
  Criterion momentum{"momentum", "momentum changes by gravity, contact and joints alone", 1e-10};

  std::vector<Criterion> list() const {
    return {order, finite, converged, energy, ledger, unit, kinetic, cone, overlap, momentum};
  }
};

void check_series(const RunHeader& header, const std::vector<Certificate>& steps,
                  std::optional<double> first_kinetic, Criteria& criteria, RunCheck& check) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Certificate& c = steps[i];
    const auto number = static_cast<std::int64_t>(i) + 1;
    const double due = static_cast<double>(number) * header.h;
    judge(criteria.order, c.step == number ? ratio(std::abs(c.time - due), due) : INFINITY, number);
    judge(criteria.finite, finite(c) ? 0 : 1, number);
    const bool converged = c.converged && c.error <= header.tolerance;
    judge(criteria.converged, c.error, number, !converged);
    check.unconverged_steps += !converged;
    judge(criteria.energy, ratio(std::abs(c.defect), c.turnover), number);

    // The correction of drift turns bodies, and with them their inertia: it may shift kinetic
    // energy by what it has booked for itself.
    const std::optional<double> before =
        i > 0 ? std::optional<double>(steps[i - 1].kinetic) : first_kinetic;
    if (before) {
      const double work =
          c.contact_work + c.external_work + c.spring_work + c.joint_work + c.driven_work;
      const double unbooked = std::abs(c.kinetic - *before - work - c.defect);
      judge(criteria.ledger,
            ratio(std::max(0.0, unbooked - std::abs(c.correction_work)), c.turnover), number);
    }
    check.max_error = std::max(check.max_error, c.error);
    if (c.max_penetration > check.max_penetration) {
      check.max_penetration = c.max_penetration;
      check.max_penetration_step = number;
    }
  }
  check.energy_defect = criteria.energy.worst;
}

void check_frames(const TrajectoryReader& run, const std::vector<Certificate>& steps,
                  Criteria& criteria) {
  const RunHeader& header = run.header();
  const bool has_inertia = header.dynamics != "sweeping";
  const bool only_gravity = header.applied_forces == 0 && header.springs == 0;
  std::optional<FrameState> last;
  for (std::size_t k = 0; k < run.frames().size(); ++k) {
    const std::int64_t step = run.frames()[k].step;
    FrameState state = run.state(k);
    const FrameContacts contacts = run.contacts(k);
    const FrameJoints joints = run.joints(k);
    judge(criteria.finite, finite(state) && finite(contacts) && finite(joints) ? 0 : 1, step);
    judge(criteria.unit, unit_defect(state, contacts), step);
    judge(criteria.cone, cone_defect(run, contacts), step);
    if (step >= 1 && step <= static_cast<std::int64_t>(steps.size())) {
      const Certificate& booked = steps[static_cast<std::size_t>(step - 1)];
      if (has_inertia)
        judge(criteria.kinetic,
              ratio(std::abs(kinetic_energy(run.bodies(), state) - booked.kinetic),
                    std::max(booked.kinetic, booked.turnover)),
              step);
      double overlap = 0;
      for (double gap : contacts.gap) overlap = std::max(overlap, -gap - booked.max_penetration);
      judge(criteria.overlap, overlap, step);
    }
    if (last && has_inertia && only_gravity && step == run.frames()[k - 1].step + 1)
      judge(criteria.momentum, momentum_defect(run, *last, state, contacts, joints), step);
    last = std::move(state);
  }
}

}  // namespace

namespace {

void judge_impacts(const RunHeader& header, const std::vector<Certificate>& steps,
                   RunCheck& check) {
  const double tolerance = std::max(header.tolerance, 1e-6);
  const auto look = [&](std::string claim, double Certificate::*member) {
    ImpactFinding finding{std::move(claim)};
    for (const Certificate& c : steps) {
      if (c.*member <= tolerance) continue;
      if (finding.steps++ == 0) finding.first_bad_step = c.step;
      finding.worst = std::max(finding.worst, c.*member);
    }
    if (finding.steps > 0) check.impact_findings.push_back(finding);
  };
  for (const Certificate& c : steps) check.impacts += c.impacts;
  look("a contact closes after the impact", &Certificate::impact_closing);
  look("a percussion is outside its cone", &Certificate::impact_cone);
  look("the impact gains energy", &Certificate::impact_gain);
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

RunCheck check_run(const TrajectoryReader& run) {
  const RunHeader& header = run.header();
  Criteria criteria;
  criteria.converged.limit = header.tolerance;
  // Percussions are as exact as the solver made them, never worse than it was asked to.
  criteria.cone.limit = std::max(header.tolerance, 1e-12);

  RunCheck check;
  const std::vector<Certificate> steps = run.series().steps;
  std::optional<double> first_kinetic;
  if (!run.frames().empty() && run.frames().front().step == 0 && header.dynamics != "sweeping")
    first_kinetic = kinetic_energy(run.bodies(), run.state(0));
  check_series(header, steps, first_kinetic, criteria, check);
  check_frames(run, steps, criteria);
  judge_impacts(header, steps, check);
  check.criteria = criteria.list();
  return check;
}

}  // namespace talus
