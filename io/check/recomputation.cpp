// SPDX-License-Identifier: Apache-2.0
#include "io/check/recomputation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <tuple>

#include "engine/detect/overlap.hpp"
#include "engine/detect/set_contacts.hpp"
#include "engine/step/drive.hpp"
#include "engine/step/friction_ellipse.hpp"
#include "engine/step/retrace.hpp"
#include "io/check/recorded_readings.hpp"
#include "io/check/world_at.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/text/input_error.hpp"
#include "io/trajectory/checkpoint.hpp"
#include "io/trajectory/scene_identity.hpp"
#include "solvers/math/index.hpp"
#include "solvers/math/maximum.hpp"

namespace talus {

namespace {

// Bodies of a frame by index; bodies that are not present have no state.
template <int D>
struct Snapshot {
  std::int64_t step = 0;
  std::vector<std::optional<BodyState<D>>> body;
  double fastest = 0, fastest_spin = 0;  // of the free bodies [m/s], [rad/s]
};

// tr J tr J⁻¹: an upper bound for the ratio of the largest to the smallest principal moment, and so
// for the change of ‖ω‖ during free rotation.
template <int D>
double inertia_ratio(const SpinMat<D>& J) {
  if constexpr (D == 2) {
    return 1;
  } else {
    return J.trace() * J.inverse().trace();
  }
}

// Whether geometry can be computed with the states: all finite, and no square overflows.
bool is_sane(const FrameState& state) {
  constexpr double far = 1e100;
  const auto sane = [](const Vec<3>& v) { return v.norm() < far; };
  return std::ranges::all_of(state.position, sane) && std::ranges::all_of(state.velocity, sane) &&
         std::ranges::all_of(state.angular_velocity, sane) &&
         std::ranges::all_of(state.orientation, [](const Eigen::Quaterniond& q) {
           return std::abs(q.norm() - 1) < 0.5;
         });
}

template <int D>
class Recomputation {
 public:
  Recomputation(const TrajectoryReader& run, const Scene<D>& scene,
                const std::vector<Certificate>& steps, RecomputedCriteria& criteria,
                Criterion& penetration, Criterion& cone)
      : run_(run),
        steps_(steps),
        criteria_(criteria),
        penetration_(penetration),
        cone_(cone),
        world_(at_start(run, scene)),
        excluded_(scene),
        driven_(driven_bodies<D>(scene, world_.bodies())),
        in_joint_(total_bodies(scene), 0),
        starts_(snapshot(0)) {
    if (has_controlled_drives<D>(scene)) readings_.emplace(run, scene.measures);
    for (const Joint<D>& joint : scene.joints)
      for (const int body : {joint.a, joint.b})
        if (body >= 0) in_joint_[at(body)] = 1;
  }

  void compare_scene();
  void frame(std::size_t k);

 private:
  static World<D> at_start(const TrajectoryReader& run, const Scene<D>& scene) {
    World<D> world(scene);
    if (scene.earlier)
      world.begin_from(
          read_start_state<D>(run.path(), identity_of_run(run.header()).hash(), scene));
    return world;
  }
  const Scene<D>& scene() const { return world_.scene(); }
  bool has_inertia() const { return scene().has_inertia(); }
  const Certificate* recorded(std::int64_t step) const {
    return step >= 1 && step <= static_cast<std::int64_t>(steps_.size())
               ? &steps_[static_cast<std::size_t>(step - 1)]
               : nullptr;
  }

  Snapshot<D> snapshot(std::int64_t step) const;
  void check_potential(const Certificate& step);
  void check_motion(const Snapshot<D>& now);
  double one_step(std::size_t body, const Snapshot<D>& now, const Certificate& step) const;
  double way_beyond_bound(std::size_t body, const Snapshot<D>& now) const;
  double driven_off(const DrivenBody<D>& driven, const Snapshot<D>& now);
  // What signals saw of the measures when they prescribed the velocities at the end of a step.
  Readings readings_before(std::int64_t step) {
    return readings_ && step > 0 ? readings_->after(step - 1) : Readings{};
  }
  double start_off(const Snapshot<D>& now) const;
  std::array<Vec<D>, 2> points_of(const FrameContacts& contacts, std::size_t i,
                                  const Lattice<D>& at_end) const;
  void check_contacts(const Snapshot<D>& now, const FrameContacts& contacts,
                      const Certificate& step);
  double off_surface(const Vec<D>& point, double gap, std::int32_t number, double size,
                     const Certificate& step) const;
  double off_bond(const FrameContacts& contacts, std::size_t i, double size,
                  const Certificate& step) const;
  void check_ellipses(const FrameContacts& contacts, const Certificate& step);
  void check_impulses(const FrameContacts& contacts, const Certificate& step);
  void check_spin(const Snapshot<D>& now, const FrameContacts& contacts, const Certificate& step);
  BodyInertia<D> inertia(std::size_t place) const {
    return {world_.bodies().inertia[place], world_.bodies().inverse_inertia[place]};
  }

  const TrajectoryReader& run_;
  const std::vector<Certificate>& steps_;
  RecomputedCriteria& criteria_;
  Criterion &penetration_, &cone_;
  World<D> world_;
  ExcludedPairs<D> excluded_;
  std::optional<RecordedReadings> readings_;  // if drives depend on them
  std::vector<DrivenBody<D>> driven_;
  OverlapSearch<D> overlaps_;
  std::vector<std::size_t> place_;  // entry of each body of the frame
  std::vector<char> in_joint_;      // by index of the body
  Snapshot<D> starts_;
  std::optional<Snapshot<D>> last_;
};

template <int D>
Snapshot<D> Recomputation<D>::snapshot(std::int64_t step) const {
  const Bodies<D>& bodies = world_.bodies();
  Snapshot<D> now{step, {}, 0, 0};
  now.body.resize(run_.bodies().size());
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies.id[i] < 0) continue;
    now.body[at(bodies.id[i])] =
        BodyState<D>{bodies.position[i], bodies.orientation[i], bodies.velocity[i], bodies.spin[i]};
    if (!bodies.moves_freely(i)) continue;
    now.fastest = maximum(now.fastest, bodies.velocity[i].norm());
    now.fastest_spin = maximum(now.fastest_spin, bodies.spin[i].norm());
  }
  return now;
}

template <int D>
void Recomputation<D>::compare_scene() {
  const RunHeader& header = run_.header();
  const Scene<D>& s = scene();
  double worst = 0;
  const auto equal = [&](double in_file, double in_scene) {
    worst = maximum(worst, ratio(std::abs(in_file - in_scene), std::abs(in_scene)));
  };
  equal(header.h, s.h);
  equal(header.theta, s.theta);
  equal(header.tolerance, s.solver.tolerance);
  equal(header.limits.penetration, s.certificate.penetration);
  equal(header.limits.energy_gain, s.certificate.energy_gain);
  for (int k = 0; k < D; ++k) equal(header.gravity[k], s.gravity[k]);
  const Bodies<D> all = all_bodies<D>(s);
  const BodyTable& table = run_.bodies();
  for (std::size_t i = 0; i < table.size(); ++i) {
    equal(table.mass[i], all.mass[i]);
    equal(table.inertia[i].sum(), all.inertia[i].trace());
    if (table.material[i] != all.material[i] || (table.fixed[i] == 0) != all.moves_freely(i))
      worst = std::numeric_limits<double>::infinity();
  }
  const int materials = static_cast<int>(s.materials.size());
  for (int i = 0; i < materials; ++i)
    for (int j = 0; j < materials; ++j) {
      const ContactLaw &in_file = run_.laws()(i, j), &in_scene = s.laws(i, j);
      equal(in_file.friction, in_scene.friction);
      equal(in_file.adhesion, in_scene.adhesion);
      equal(in_file.range, in_scene.range);
      equal(in_file.rolling_friction, in_scene.rolling_friction);
      equal(in_file.spinning_friction, in_scene.spinning_friction);
      equal(in_file.bond.tension, in_scene.bond.tension);
      equal(in_file.bond.cohesion, in_scene.bond.cohesion);
      equal(in_file.bond.friction, in_scene.bond.friction);
      equal(in_file.bond.fracture_energy, in_scene.bond.fracture_energy);
    }
  criteria_.scene.judge(worst, 0);
}

template <int D>
void Recomputation<D>::frame(std::size_t k) {
  const std::int64_t step = run_.frames()[k].step;
  const FrameState state = run_.state(k);
  if (!is_sane(state)) {
    criteria_.motion.judge(std::numeric_limits<double>::infinity(), step);
    last_.reset();
    return;
  }
  put_at<D>(state, run_.population(k), step, world_);
  const Bodies<D>& bodies = world_.bodies();
  place_.assign(run_.bodies().size(), bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies.id[i] >= 0) place_[at(bodies.id[i])] = i;

  Snapshot<D> now = snapshot(step);
  penetration_.judge(maximum(overlaps_.deepest(bodies, excluded_),
                             deepest_outside<D>(scene(), bodies, world_.time())),
                     step);
  check_motion(now);
  if (const Certificate* const certificate = recorded(step); certificate && has_inertia()) {
    const FrameContacts contacts = run_.contacts(k);
    check_potential(*certificate);
    check_contacts(now, contacts, *certificate);
    check_impulses(contacts, *certificate);
    if (last_ && last_->step == step - 1 && scene().forces.empty() && scene().springs.empty())
      check_spin(now, contacts, *certificate);
  }
  last_ = std::move(now);
}

template <int D>
void Recomputation<D>::check_potential(const Certificate& step) {
  const Bodies<D>& bodies = world_.bodies();
  double scale = step.turnover + std::abs(spring_energy<D>(bodies, scene()));
  for (std::size_t i = 0; i < bodies.size(); ++i)
    scale += bodies.mass[i] * scene().gravity.norm() * bodies.position[i].norm();
  criteria_.potential.judge(ratio(std::abs(world_.potential_energy() - step.potential), scale),
                            step.step);
}

// Checks that bodies of the first frame are where the scene puts them.
template <int D>
double Recomputation<D>::start_off(const Snapshot<D>& now) const {
  double worst = 0;
  for (std::size_t i = 0; i < now.body.size(); ++i) {
    if (!now.body[i] || !starts_.body[i]) continue;
    const BodyState<D>&start = *starts_.body[i], &is = *now.body[i];
    worst = maximum(worst, ratio((is.position - start.position).norm(), start.position.norm() + 1));
    worst = maximum(worst, rotation_between<D>(start.orientation, is.orientation).norm());
  }
  return worst;
}

// Checks the motion over one step, relative to the lengths involved and in radians.
template <int D>
double Recomputation<D>::one_step(std::size_t body, const Snapshot<D>& now,
                                  const Certificate& step) const {
  const BodyState<D>&before = *last_->body[body], &after = *now.body[body];
  const double h = scene().h;
  const Mismatch off =
      has_inertia() ? mismatch<D>(before, after, inertia(place_[body]), h, scene().theta)
                    : Mismatch{(after.position - before.position - h * after.velocity).norm(), 0};
  const double length = before.position.norm() + after.position.norm() +
                        h * (before.velocity.norm() + after.velocity.norm());
  return maximum(ratio(maximum(0.0, off.distance - step.max_correction), length),
                 maximum(0.0, off.angle - 1.01 * step.max_correction_turn) / 10);
}

// Checks that over several steps no body moves further than the fastest could.
template <int D>
double Recomputation<D>::way_beyond_bound(std::size_t body, const Snapshot<D>& now) const {
  const BodyState<D>&before = *last_->body[body], &after = *now.body[body];
  const double h = scene().h, theta = scene().theta;
  double way = 0, turn = 0, speed = last_->fastest, spin = last_->fastest_spin;
  for (std::int64_t step = last_->step + 1; step <= now.step; ++step) {
    const Certificate* const c = recorded(step);
    if (c == nullptr) return 0;
    if (has_inertia()) {
      way += h * ((1 - theta) * speed + theta * c->max_speed) + c->max_correction;
      turn += h * ((1 - theta) * spin + theta * c->max_spin) + c->max_correction_turn;
    } else {
      way += h * c->max_speed;
      turn += h * c->max_spin;
    }
    speed = c->max_speed;
    spin = c->max_spin;
  }
  const std::size_t place = place_[body];
  const double length = before.position.norm() + after.position.norm() + way;
  const double may_turn = world_.bodies().inverse_inertia[place].isZero(0)
                              ? turn
                              : turn * inertia_ratio<D>(world_.bodies().inertia[place]);
  return maximum(
      ratio(maximum(0.0, (after.position - before.position).norm() - way), length),
      maximum(0.0, rotation_between<D>(before.orientation, after.orientation).norm() - may_turn) /
          10);
}

// Checks driven bodies, whose motion is known.
template <int D>
double Recomputation<D>::driven_off(const DrivenBody<D>& driven, const Snapshot<D>& now) {
  const std::size_t body = static_cast<std::size_t>(driven.body);
  BodyState<D> state = *last_->body[body];
  const double h = scene().h, theta = scene().theta;
  const BodyInertia<D> none{SpinMat<D>::Zero(), SpinMat<D>::Zero()};
  double length = state.position.norm();
  for (std::int64_t step = last_->step; step < now.step; ++step) {
    const double t = static_cast<double>(step) * h;
    for (const auto& [end, time, share] :
         {std::tuple(step, t, 1 - theta), std::tuple(step + 1, t + h, theta)}) {
      const Twist<D> v = prescribed_velocity<D>(driven, time, readings_before(end));
      state.velocity = v.v;
      state.spin = v.omega;
      state = drifted<D>(state, none, share * h);
      length += share * h * v.v.norm();
    }
    place<D>(driven, t + h, state.position, state.orientation);
  }
  const BodyState<D>& is = *now.body[body];
  return maximum(ratio((is.position - state.position).norm(), length + is.position.norm()),
                 rotation_between<D>(state.orientation, is.orientation).norm() / 10);
}

template <int D>
void Recomputation<D>::check_motion(const Snapshot<D>& now) {
  if (!last_) {
    const bool from_scene = run_.header().command_line.find("--start") == std::string::npos;
    if (now.step == 0 && from_scene) criteria_.motion.judge(start_off(now), 0);
    return;
  }
  const Certificate* const step = recorded(now.step);
  if (step == nullptr) return;
  double worst = 0;
  for (std::size_t i = 0; i < now.body.size(); ++i) {
    if (!now.body[i] || !last_->body[i] || !world_.bodies().moves_freely(place_[i])) continue;
    worst = maximum(
        worst, now.step == last_->step + 1 ? one_step(i, now, *step) : way_beyond_bound(i, now));
  }
  for (std::size_t i = 0; i < now.body.size(); ++i) {  // fixed ones
    if (!now.body[i] || !last_->body[i] || world_.bodies().moves_freely(place_[i])) continue;
    const auto drive = std::find_if(driven_.begin(), driven_.end(), [&](const auto& driven) {
      return static_cast<std::size_t>(driven.body) == i;
    });
    if (drive != driven_.end()) {
      worst = maximum(worst, driven_off(*drive, now));
    } else if ((now.body[i]->position - last_->body[i]->position).norm() != 0 ||
               rotation_between<D>(now.body[i]->orientation, last_->body[i]->orientation).norm() >
                   1e-12) {
      worst = std::numeric_limits<double>::infinity();
    }
  }
  // The largest speed of this frame, which bounds the motion to the next.
  worst = maximum(worst, ratio(std::abs(now.fastest - step->max_speed), step->max_speed));
  worst = maximum(worst, ratio(std::abs(now.fastest_spin - step->max_spin), step->max_spin));
  criteria_.motion.judge(worst, now.step);
}

// Distance of a contact point from the surface of a body beyond half the gap, at q_m.
template <int D>
double Recomputation<D>::off_surface(const Vec<D>& point, double gap, std::int32_t number,
                                     double size, const Certificate& step) const {
  const std::size_t place = place_[at(number)];
  const Bodies<D>& bodies = world_.bodies();
  const double h = scene().theta * scene().h;
  double slack = 0.5 * std::abs(gap) + step.max_correction + 1e-6 * size;
  const double radius = bodies.geometry_of(place).bounding_radius;
  if (!bodies.moves_freely(place)) {  // the motion of a driven body does not follow its velocity
    if (!std::isfinite(radius) && !bodies.spin[place].isZero(0)) return 0;
    slack += h * bodies.velocity[place].norm();
  }
  if (std::isfinite(radius))
    slack += radius * (step.max_correction_turn +
                       (bodies.moves_freely(place) ? 0 : h * bodies.spin[place].norm()));
  const double reach = slack + size;
  return maximum(0.0,
                 std::abs(distance_from<D>(bodies, place, point, reach, 1e-3 * size)) - slack) /
         size;
}

// The point of a contact at a and at b. In a periodic cell the one saved is that of the image of a
// that is in the cell at the end of the step, and it touches an image of b: from there to a, and on
// to b.
template <int D>
std::array<Vec<D>, 2> Recomputation<D>::points_of(const FrameContacts& contacts, std::size_t i,
                                                  const Lattice<D>& at_end) const {
  const Bodies<D>& bodies = world_.bodies();
  Lattice<D> there = at_end;  // q_m, where contacts are detected
  there.advance(-scene().theta * scene().h);
  const auto near = [&](const Vec<D>& point, const Lattice<D>& lattice, std::int32_t body) {
    const std::size_t place = place_[at(body)];
    if (!std::isfinite(bodies.geometry_of(place).bounding_radius)) return point;
    return Vec<D>(point - lattice.A * lattice.nearest_image(point - bodies.position[place]));
  };
  const Vec<D> at_a = near(contacts.point[i].template head<D>(), at_end, contacts.body_a[i]);
  return {at_a, near(at_a, there, contacts.body_b[i])};
}

// How far the point of a bond is from the nearest of the bonds that its bodies were given at the
// start, at q_m, and what its strength is above that of its area. A run that began from another has
// the bonds of that.
template <int D>
double Recomputation<D>::off_bond(const FrameContacts& contacts, std::size_t i, double size,
                                  const Certificate& step) const {
  if (scene().earlier) return 0;
  const Bodies<D>& bodies = world_.bodies();
  const Vec<D> point = contacts.point[i].template head<D>();
  double nearest = std::numeric_limits<double>::infinity();
  const Bond<D>* bond = nullptr;
  for (const Bond<D>& own : world_.bonds()) {
    if (bodies.id[at(own.key.a)] != contacts.body_a[i] ||
        bodies.id[at(own.key.b)] != contacts.body_b[i])
      continue;
    const double distance = (place_of<D>(own, bodies).point - point).norm();
    if (distance >= nearest) continue;
    nearest = distance;
    bond = &own;
  }
  if (bond == nullptr) return nearest;
  const BondLaw& law =
      scene().laws(bodies.material[at(bond->key.a)], bodies.material[at(bond->key.b)]).bond;
  const auto above = [&](double force, double strength) {
    return maximum(0.0, force - (1 + 1e-9) * strength * bond->area) / (law.cohesion * bond->area);
  };
  double slack = step.max_correction + 1e-6 * size;
  for (const std::int32_t number : {contacts.body_a[i], contacts.body_b[i]}) {
    const std::size_t place = place_[at(number)];
    const double radius = bodies.geometry_of(place).bounding_radius;
    const double way = scene().theta * scene().h;
    if (!bodies.moves_freely(place)) slack += way * bodies.velocity[place].norm();
    if (std::isfinite(radius))
      slack += radius * (step.max_correction_turn +
                         (bodies.moves_freely(place) ? 0 : way * bodies.spin[place].norm()));
  }
  return maximum(maximum(0.0, nearest - slack) / size,
                 maximum(above(contacts.adhesion[i], law.tension),
                         above(contacts.cohesion[i], law.cohesion - law.friction * law.tension)));
}

template <int D>
void Recomputation<D>::check_contacts(const Snapshot<D>& now, const FrameContacts& contacts,
                                      const Certificate& step) {
  // Contacts were detected at q_m: move back by hθ.
  WorldState<D> state = world_.state();
  const WorldState<D> at_end = state;
  for (std::size_t i = 0; i < world_.bodies().size(); ++i) {
    if (world_.bodies().id[i] < 0 || !world_.bodies().moves_freely(i)) continue;
    const BodyState<D> before =
        drifted<D>(*now.body[at(world_.bodies().id[i])], inertia(i), -scene().theta * scene().h);
    state.position[i] = before.position;
    state.orientation[i] = before.orientation;
  }
  state.lattice.advance(-scene().theta * scene().h);
  world_.restore(state);
  double worst = 0, overlap = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const auto geometry = [&](std::int32_t body) -> const Geometry<D>& {
      return world_.bodies().geometry_of(place_[at(body)]);
    };
    const std::int32_t a = contacts.body_a[i], b = contacts.body_b[i];
    if (!now.body[at(a)] || !now.body[at(b)]) {
      worst = std::numeric_limits<double>::infinity();
      continue;
    }
    const double size = std::min(geometry(a).size, geometry(b).size);
    if (contacts.bond[i] == 1) {
      worst = maximum(worst, off_bond(contacts, i, size, step));
      continue;
    }
    const auto [at_a, at_b] = points_of(contacts, i, at_end.lattice);
    worst = maximum(worst, off_surface(at_a, contacts.gap[i], a, size, step));
    worst = maximum(worst, off_surface(at_b, contacts.gap[i], b, size, step));
    overlap = maximum(overlap,
                      -contacts.gap[i] / std::min(geometry(a).half_width, geometry(b).half_width));
  }
  if (!scene().friction_ellipsoids.empty()) check_ellipses(contacts, step);
  world_.restore(at_end);
  if (overlap > step.max_relative_penetration * (1 + 1e-12))
    worst = std::numeric_limits<double>::infinity();
  criteria_.contacts.judge(worst, step.step);
}

// Checks that forces are within their friction ellipses, relative to the largest force, with bodies
// as they are at q_m. Of an axis that turned by φ since then the ellipse changes by φ times the
// difference of the coefficients.
template <int D>
void Recomputation<D>::check_ellipses(const FrameContacts& contacts, const Certificate& step) {
  const Bodies<D>& bodies = world_.bodies();
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    ContactRow<D> row;
    row.a = static_cast<int>(place_[at(contacts.body_a[i])]);
    row.b = static_cast<int>(place_[at(contacts.body_b[i])]);
    row.frame = frame_of_normal<D>(contacts.normal[i].template head<D>());
    const ContactLaw& law = scene().laws(bodies.material[at(row.a)], bodies.material[at(row.b)]);
    const Vec<D> force = contacts.force[i].template head<D>();
    largest = maximum(largest, force.norm() + contacts.adhesion[i]);
    if (law.ellipsoid < 0) continue;
    stretch_row<D>(scene(), bodies, law, row);
    double turned = step.max_correction_turn;
    for (const int body : {row.a, row.b})
      if (!bodies.moves_freely(at(body)))
        turned += scene().theta * scene().h * bodies.spin[at(body)].norm();
    const FrictionEllipsoid& ellipsoid = scene().friction_ellipsoids[at(law.ellipsoid)];
    const double slimness = law.friction / std::min(ellipsoid.along, ellipsoid.across);
    const double pressing = force.dot(row.frame.col(0)) + contacts.adhesion[i];
    const Vec<D> p =
        (unit_frame<D>(row).transpose() * force).cwiseQuotient(stretching<D>(row.stretch));
    worst = maximum(worst, p.template tail<D - 1>().norm() -
                               friction_of<D>(scene(), law, row) * std::max(pressing, 0.0) -
                               slimness * slimness * turned * force.norm());
  }
  cone_.judge(ratio(worst, largest), step.step);
}

template <int D>
void Recomputation<D>::check_impulses(const FrameContacts& contacts, const Certificate& step) {
  double normal = 0, friction = 0, scale = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const double f_n = contacts.force[i].dot(contacts.normal[i]);
    scale += scene().h * std::abs(f_n);
    normal += scene().h * f_n;
    friction += scene().h * (contacts.force[i] - f_n * contacts.normal[i]).norm();
  }
  const double off =
      maximum(std::abs(normal - step.normal_impulse), std::abs(friction - step.friction_impulse));
  criteria_.impulses.judge(ratio(off, scale), step.step);
}

// J ω of a body about its own centre is conserved in free motion; contacts change it at q_m. Bodies
// in joints are skipped: their velocities are projected on the joints after the step.
template <int D>
void Recomputation<D>::check_spin(const Snapshot<D>& now, const FrameContacts& contacts,
                                  const Certificate& step) {
  const double h = scene().h, theta = scene().theta;
  const std::size_t bodies = now.body.size();
  std::vector<Vec<3>> unaccounted(bodies, Vec<3>::Zero());
  std::vector<double> scale(bodies, 0);
  const auto there = [&](std::size_t i) {
    return now.body[i] && last_->body[i] && !in_joint_[i] &&
           world_.bodies().moves_freely(place_[i]) &&
           !world_.bodies().inverse_inertia[place_[i]].isZero(0);
  };
  for (std::size_t i = 0; i < bodies; ++i) {
    if (!there(i)) continue;
    const SpinMat<D> J = world_.bodies().inertia[place_[i]];
    const auto momentum = [&](const BodyState<D>& body) -> Vec<3> {
      return spin_in_space<D>(turned_inertia<D>(body.orientation, J) * body.spin);
    };
    const Vec<3> before = momentum(*last_->body[i]), after = momentum(*now.body[i]);
    unaccounted[i] = after - before;
    scale[i] = before.norm() + after.norm();
  }
  const auto push = [&](std::int32_t body, const Vec<3>& point, const Vec<3>& force,
                        const Vec<3>& torque) {
    if (body < 0 || !there(at(body))) return;
    const BodyState<D>& before = *last_->body[at(body)];
    const Vec<3> centre = in_space<D>(before.position + (1 - theta) * h * before.velocity);
    const Vec<3> arm = point - centre;
    unaccounted[at(body)] -= h * (arm.cross(force) + torque);
    // Coordinates far from the origin have a larger rounding error.
    scale[at(body)] += h * ((arm.norm() + 1e-4 * point.norm()) * force.norm() + torque.norm());
  };
  const auto is_free = [&](std::int32_t body) {
    return now.body[at(body)] && world_.bodies().moves_freely(place_[at(body)]);
  };
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const std::int32_t a = contacts.body_a[i], b = contacts.body_b[i];
    // Midway between the surfaces, or on that of the only free body (engine/NOTATION.md).
    const double share = 0.5 * (is_free(b) - is_free(a));
    const Vec<3> way = share * contacts.gap[i] * contacts.normal[i];
    const auto [at_a, at_b] = points_of(contacts, i, world_.bodies().lattice);
    push(a, in_space<D>(at_a) + way, -contacts.force[i], -contacts.moment[i]);
    push(b, in_space<D>(at_b) + way, contacts.force[i], contacts.moment[i]);
  }
  double worst = 0, largest = 0;
  int traced = 0;
  for (std::size_t i = 0; i < bodies; ++i) {
    if (!there(i)) continue;
    ++traced;
    const double turned = scale[i] * step.max_correction_turn;
    worst = maximum(worst, unaccounted[i].norm() - turned);
    largest = maximum(largest, scale[i]);
  }
  if (traced > 0) criteria_.spin.judge(ratio(maximum(0.0, worst), largest), step.step);
}

void skip_all(RecomputedCriteria& criteria, const std::string& reason) {
  for (Criterion* const criterion : {&criteria.scene, &criteria.motion, &criteria.potential,
                                     &criteria.contacts, &criteria.impulses, &criteria.spin})
    criterion->skipped = reason;
}

}  // namespace

void recompute(const TrajectoryReader& run, const std::vector<Certificate>& steps,
               RecomputedCriteria& criteria, Criterion& penetration, Criterion& cone) {
  const RunHeader& header = run.header();
  std::optional<AnyScene> scene;
  try {
    scene = read_scene_text(header.scene_text, "scene", header.overrides, header.records).scene;
  } catch (const std::exception&) {  // the file is damaged
    skip_all(criteria, "the scene in the file cannot be read");
    return;
  }
  const std::size_t bodies = std::visit([](const auto& s) { return total_bodies(s); }, *scene);
  const int dimension = scene->index() == 0 ? 2 : 3;
  if (bodies != run.bodies().size() || dimension != header.dimension) {
    criteria.scene.judge(std::numeric_limits<double>::infinity(), 0);
    skip_all(criteria, "the file has other bodies than its scene");
    return;
  }
  std::visit(
      [&]<int D>(const Scene<D>& s) {
        std::optional<Recomputation<D>> opened;
        try {
          opened.emplace(run, s, steps, criteria, penetration, cone);
        } catch (const InputError& error) {
          skip_all(criteria,
                   fmt::format("the state at its start cannot be read: {}", error.what()));
          return;
        }
        Recomputation<D>& recomputation = *opened;
        recomputation.compare_scene();
        for (std::size_t k = 0; k < run.frames().size(); ++k) {
          try {
            recomputation.frame(k);
          } catch (const InputError&) {  // the frame has bodies that the scene does not have
            criteria.scene.judge(std::numeric_limits<double>::infinity(), run.frames()[k].step);
            return;
          }
        }
      },
      *scene);
}

}  // namespace talus
