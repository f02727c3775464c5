// SPDX-License-Identifier: Apache-2.0
#include "engine/outlook/active_constraints.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>

#include "engine/outlook/free_acceleration.hpp"
#include "engine/outlook/touching_contacts.hpp"
#include "engine/step/assembly.hpp"
#include "engine/step/friction_ellipse.hpp"
#include "engine/step/joints.hpp"

namespace talus {

namespace {

// Displacement, relative to the size of a body, for second derivatives by finite differences.
constexpr double excursion = 3e-4;
constexpr double rounding = 16 * std::numeric_limits<double>::epsilon();  // of coordinates

template <int D>
double smaller_size(const Bodies<D>& bodies, int a, int b) {
  double size = std::numeric_limits<double>::infinity();
  for (const int i : {a, b})
    if (i >= 0 && at(i) < bodies.size()) size = std::min(size, bodies.geometry_of(at(i)).size);
  return size;
}

// Two bodies as they are and a short time away, for differences in time. What moves far away does
// not shorten that time, nor does a velocity that both have.
template <int D>
class MovedPair {
 public:
  explicit MovedPair(const Bodies<D>& bodies) : bodies_(bodies), moved_(bodies) {}

  // The time in which they move by a small fraction of their sizes against each other; 0 at rest.
  double excursion_time(int a, int b) const {
    double rate = 0;  // [1/s]
    const double speed = (velocity_of(b) - velocity_of(a)).norm();
    for (const int i : {a, b}) {
      if (!is_body(i)) continue;
      const Geometry<D>& geometry = bodies_.geometry_of(at(i));
      const double spin = bodies_.spin[at(i)].norm();
      rate = std::max(rate, std::isfinite(geometry.bounding_radius)
                                ? std::max(speed, spin * geometry.bounding_radius) / geometry.size
                                : spin);
    }
    return rate > 0 ? excursion / rate : 0;
  }

  // The same for a joint, whose constraints bend as its bodies turn, and that of a rod as it does.
  double excursion_time(const JointFrame<D>& frame) const {
    double rate = 0;  // [1/s]
    if (frame.length > 0)
      rate = (velocity_of(frame.b) - velocity_of(frame.a)).norm() / frame.length;
    for (const int i : {frame.a, frame.b}) {
      if (!is_body(i)) continue;
      rate = std::max(rate, bodies_.spin[at(i)].norm());
      if (frame.length > 0)
        rate = std::max(rate, bodies_.spin[at(i)].norm() *
                                  (i == frame.a ? frame.arm_a : frame.arm_b).norm() / frame.length);
    }
    return rate > 0 ? excursion / rate : 0;
  }

  // What `read` says of all bodies, with these two after a time of constant velocities. Of two
  // bodies that both are in the scene, one stays where it is and is the origin: numbers are small.
  template <class Read>
  auto after(double duration, int a, int b, const Read& read) {
    Vec<D> origin = Vec<D>::Zero(), v = origin;
    if (is_body(a) && is_body(b)) {
      const bool first = std::isfinite(bodies_.geometry_of(at(a)).bounding_radius);
      origin = bodies_.position[at(first ? a : b)];
      v = velocity_of(first ? a : b);
    }
    for (const int i : {a, b}) {
      if (!is_body(i)) continue;
      moved_.position[at(i)] = bodies_.position[at(i)] - origin + duration * (velocity_of(i) - v);
      moved_.orientation[at(i)] =
          rotated<D>(bodies_.orientation[at(i)], duration * bodies_.spin[at(i)]);
    }
    const auto found = read(static_cast<const Bodies<D>&>(moved_));
    for (const int i : {a, b}) {
      if (!is_body(i)) continue;
      moved_.position[at(i)] = bodies_.position[at(i)];
      moved_.orientation[at(i)] = bodies_.orientation[at(i)];
    }
    return found;
  }

  // The size of the coordinates that a distance between them is made of.
  double coordinates(int a, int b) const {
    Vec<D> between = Vec<D>::Zero();
    double radii = 0;
    for (const int i : {a, b}) {
      if (!is_body(i)) continue;
      between = bodies_.position[at(i)] - between;
      const double radius = bodies_.geometry_of(at(i)).bounding_radius;
      if (std::isfinite(radius)) radii += radius;
    }
    return between.norm() + radii;
  }

 private:
  bool is_body(int i) const { return i >= 0 && at(i) < bodies_.size(); }
  Vec<D> velocity_of(int i) const {
    return is_body(i) ? bodies_.velocity[at(i)] : Vec<D>(Vec<D>::Zero());
  }

  const Bodies<D>& bodies_;
  Bodies<D> moved_;
};

// Gathers constraints of one kind, with the rows of their gradients.
template <int D>
struct Gathered {
  std::vector<ActiveConstraint<D>> constraints;
  std::vector<LinearRow<D>> normal, tangent;  // D − 1 tangents each
  std::vector<Vec<D - 1>> slip;
  std::vector<double> w_normal, w_tangent;

  void add_smooth(const ActiveConstraint<D>& constraint, const LinearRow<D>& row, double w) {
    constraints.push_back(constraint);
    normal.push_back(row);
    w_normal.push_back(w);
    slip.push_back(Vec<D - 1>::Zero());
    LinearRow<D> none = row;
    none.direction.setZero();
    none.moment_a.setZero();
    none.moment_b.setZero();
    for (int k = 0; k < D - 1; ++k) {
      tangent.push_back(none);
      w_tangent.push_back(0);
    }
  }
};

template <int D>
class Gatherer {
 public:
  Gatherer(const Scene<D>& scene, const Bodies<D>& bodies, double t,
           const ActivationTolerances& tolerances, const MasslessBodies& massless)
      : scene_(scene),
        bodies_(bodies),
        tolerances_(tolerances),
        t_(t),
        frames_(joint_frames<D>(scene.joints, make_bodies<D>(scene))),
        moved_(bodies) {
    speed_ = tolerances.speed > 0 ? tolerances.speed : scene.gravity.norm() * scene.h;
    v_.resize(bodies.size() + 1);
    for (std::size_t i = 0; i < bodies.size(); ++i) v_[i] = {bodies.velocity[i], bodies.spin[i]};
    mass_blocks<D>(bodies, scene, mass_);
    set_free_accelerations(massless);
  }

  ActiveConstraints<D> gather() {
    add_joints();
    add_contacts();
    return finished();
  }

 private:
  // Where bodies have no mass, a unit mass that gravity does not see makes the acceleration that of
  // the load alone, and so the load itself. It is not part of the accelerations w.
  void set_free_accelerations(const MasslessBodies& massless) {
    Bodies<D> bodies = bodies_;
    const auto take = [&](int index, bool mass) {
      const auto i = at(index);
      if (!bodies.moves_freely(i)) return;
      bodies.inertia[i].setZero();
      const bool turns = !bodies.inverse_inertia[i].isZero(0);
      if (turns) {
        bodies.inverse_inertia[i].setIdentity();
        mass_[i].inverse_inertia.setIdentity();
      }
      if (mass) {
        bodies.mass[i] = 0;
        bodies.inverse_mass[i] = mass_[i].inverse_mass = 1;
      }
      for (int k = mass ? 0 : D; k < (turns ? D + spin_dim<D> : D); ++k)
        massless_.push_back({i, k});
    };
    for (const int i : massless.bodies) take(i, true);
    for (const int i : massless.particles) take(i, false);
    a_ = free_accelerations<D>(scene_, bodies, t_, v_);
    add_adhesion();
    load_.resize(static_cast<Eigen::Index>(massless_.size()));
    for (std::size_t j = 0; j < massless_.size(); ++j) {
      double& a = component(a_[massless_[j].body], massless_[j].component);
      load_[static_cast<Eigen::Index>(j)] = a;
      a = 0;
    }
  }
  // The largest gap over which the contact holds its bodies together.
  double reach_of_adhesion(const ContactLaw& law, const ContactKey& key) const {
    return std::max(law.range, tolerances_.gap * smaller_size<D>(bodies_, key.a, key.b));
  }

  void add_adhesion() {
    if (scene_.laws.largest_adhesion() == 0) return;
    for (const Contact<D>& contact :
         contacts_within<D>(scene_, bodies_, tolerances_.gap, scene_.laws.largest_range())) {
      const ContactLaw& law =
          scene_.laws(bodies_.material[at(contact.key.a)], bodies_.material[at(contact.key.b)]);
      if (!law.adheres() || contact.gap > reach_of_adhesion(law, contact.key)) continue;
      apply_percussion<D>(component_row<D>(row_of(contact, bodies_), 0), -law.adhesion, mass_, a_);
    }
  }

  static double& component(Twist<D>& twist, int k) {
    return k < D ? twist.v[k] : twist.omega[k - D];
  }

  double rate(const LinearRow<D>& row, const std::vector<Twist<D>>& x) const {
    return relative_velocity<D>(row, x[at(row.a)], x[at(row.b)]);
  }
  // g̈ of a value of a joint whose bodies move by their velocities alone.
  template <class Read>
  double second_difference(const JointFrame<D>& frame, const Read& read) {
    const double dt = moved_.excursion_time(frame);
    if (dt == 0) return 0;
    const auto after = [&](double duration) {
      return moved_.after(duration, frame.a, frame.b, read);
    };
    const double now = after(0);
    return second_difference(after(-dt) - now, after(dt) - now, dt,
                             moved_.coordinates(frame.a, frame.b));
  }
  // Of changes of the value; 0 where these are rounding of coordinates of this size.
  static double second_difference(double earlier, double later, double dt, double coordinates) {
    const double difference = earlier + later;
    return std::abs(difference) > rounding * coordinates ? difference / (dt * dt) : 0;
  }

  // d/dt(∇qᵀ)q̇ of the coordinate of a joint. In space angles are known up to whole turns.
  double bend_of_coordinate(std::size_t j) {
    const JointFrame<D>& frame = frames_[j];
    const double now = coordinate<D>(frame, bodies_).value;
    return second_difference(frame, [&](const Bodies<D>& bodies) {
      const double change = coordinate<D>(frame, bodies).value - now;
      return turns(frame.kind) ? std::remainder(change, 2 * std::numbers::pi) : change;
    });
  }

  // The same of the k-th constraint of a joint.
  double bend_of_constraint(std::size_t j, std::size_t k) {
    return second_difference(frames_[j], [&](const Bodies<D>& bodies) {
      std::vector<Constraint<D>> constraints;
      add_constraints<D>(frames_[j], bodies, constraints);
      return constraints[k].value;
    });
  }
  int described(int body) const { return at(body) == bodies_.size() ? -1 : bodies_.id[at(body)]; }

  ActiveConstraint<D> of_joint(typename ActiveConstraint<D>::Kind kind, std::size_t joint,
                               const LinearRow<D>& row) const {
    ActiveConstraint<D> constraint;
    constraint.kind = kind;
    constraint.a = described(row.a);
    constraint.b = described(row.b);
    constraint.joint = static_cast<int>(joint);
    constraint.point = joint_point<D>(frames_[joint], bodies_);
    constraint.direction = row.direction;
    constraint.normal_velocity = rate(row, v_);
    return constraint;
  }

  void add_joints() {
    using Kind = typename ActiveConstraint<D>::Kind;
    std::vector<Constraint<D>> now;
    for (std::size_t j = 0; j < frames_.size(); ++j) {
      const Joint<D>& joint = scene_.joints[j];
      now.clear();
      add_constraints<D>(frames_[j], bodies_, now);
      const std::size_t first = bilateral_.constraints.size();
      for (std::size_t k = 0; k < now.size(); ++k) {
        bilateral_.add_smooth(of_joint(Kind::joint, j, now[k].row), now[k].row,
                              rate(now[k].row, a_) + bend_of_constraint(j, k));
      }
      if (joint.motor) {
        const LinearRow<D> row = coordinate<D>(frames_[j], bodies_).row;
        const double wanted = derivative(joint.motor->velocity, t_);
        bilateral_.add_smooth(of_joint(Kind::joint, j, row), row,
                              rate(row, a_) + bend_of_coordinate(j) - wanted);
      }
      if (joint.friction > 0) add_guide_friction(j, first);
      if (joint.kind == JointKind::rope) add_rope(j);
      if (joint.limits) add_stops(j);
    }
  }

  // Friction along the coordinate of a joint. Of a slider or slot in the plane it is that of one
  // bilateral constraint along the guide; else several carry the force that bounds it.
  void add_guide_friction(std::size_t j, std::size_t first) {
    const Joint<D>& joint = scene_.joints[j];
    const bool angle = turns(joint.kind);
    const LinearRow<D> row = coordinate<D>(frames_[j], bodies_).row;
    const double slip = rate(row, v_);
    const bool slips = std::abs(slip) > (angle ? speed_ / frames_[j].size : speed_);
    const int way = !slips ? 0 : slip > 0 ? 1 : -1;
    bilateral_.tangent[first * (D - 1)] = row;
    bilateral_.w_tangent[first * (D - 1)] = rate(row, a_) + bend_of_coordinate(j);
    ActiveConstraint<D>& constraint = bilateral_.constraints[first];
    constraint.friction = joint.friction * (angle ? joint.radius : 1);
    constraint.slip = std::abs(slip);
    const int normals = force_constraints<D>(joint.kind);
    if (normals == 1) {
      bilateral_.slip[first][0] = way;
      return;
    }
    constraint.normals = normals;
    rough_joints_.push_back({static_cast<Eigen::Index>(first), normals, constraint.friction, way});
  }

  // Whether a unilateral constraint is active: closed, and not about to open. `bend` is g̈ due to
  // the motion alone; a time step leaves rates of this times h.
  bool takes_part(const ActiveConstraint<D>& constraint, double closed, double slow, double bend) {
    slow += 2 * scene_.h * std::abs(bend);
    if (constraint.gap > closed || constraint.normal_velocity > slow) return false;
    if (constraint.normal_velocity < -slow) ++impacts_;
    return true;
  }

  void add_rope(std::size_t j) {
    const auto gap = [&](const Bodies<D>& bodies) {
      return frames_[j].length - distance<D>(frames_[j], bodies).value;
    };
    LinearRow<D> row = opposite<D>(distance<D>(frames_[j], bodies_).row);
    ActiveConstraint<D> constraint = of_joint(ActiveConstraint<D>::Kind::rope, j, row);
    constraint.gap = gap(bodies_);
    const double bend = second_difference(frames_[j], gap);
    if (!takes_part(constraint, tolerances_.gap * frames_[j].length, speed_, bend)) return;
    unilateral_.add_smooth(constraint, row, rate(row, a_) + bend);
  }

  void add_stops(std::size_t j) {
    const JointLimits& limits = *scene_.joints[j].limits;
    const bool angle = turns(scene_.joints[j].kind);
    const double unit = angle ? 1 : frames_[j].size,
                 slow = angle ? speed_ / frames_[j].size : speed_;
    const Constraint<D> q = coordinate<D>(frames_[j], bodies_);
    const double curvature = bend_of_coordinate(j);
    for (const bool upper : {false, true}) {
      const double gap = upper ? limits.upper - q.value : q.value - limits.lower;
      const double bend = upper ? -curvature : curvature;
      const LinearRow<D> row = upper ? opposite<D>(q.row) : q.row;
      ActiveConstraint<D> constraint = of_joint(ActiveConstraint<D>::Kind::stop, j, row);
      constraint.gap = gap;
      if (takes_part(constraint, tolerances_.gap * unit, slow, bend))
        unilateral_.add_smooth(constraint, row, rate(row, a_) + bend);
    }
  }

  ContactRow<D> row_of(const Contact<D>& contact, const Bodies<D>& bodies) const {
    ContactRow<D> row;
    row.a = contact.key.a;
    row.b = contact.key.b;
    row.frame = frame_of_normal<D>(contact.normal);
    row.arm_a = contact.point - bodies.position[at(row.a)];
    row.arm_b = contact.point - bodies.position[at(row.b)] - contact.offset;
    return row;
  }

  // A contact a short time away: its gap, and the velocity of b against a at its point, world axes.
  struct Moved {
    double gap = 0;
    Vec<D> velocity;
  };

  // Empty where the same features do not meet.
  std::optional<Moved> contact_among(const Bodies<D>& bodies, const Contact<D>& contact) const {
    const ContactKey& key = contact.key;
    const auto placed = [&](int body, int shape) -> PlacedShape<D> {
      return {&bodies.geometry_of(at(body)).shapes[at(shape)], bodies.position[at(body)],
              rotation_matrix<D>(bodies.orientation[at(body)])};
    };
    const PlacedShape<D> a = placed(key.a, key.shape_a);
    PlacedShape<D> b = placed(key.b, key.shape_b);
    b.position += contact.offset;
    double reach = 0;
    for (const int i : {key.a, key.b})
      if (const double size = bodies.geometry_of(at(i)).size; std::isfinite(size))
        reach += (tolerances_.gap + 4 * excursion) * size;
    std::vector<ShapeContact<D>> found;
    find_shape_contacts<D>(a, b, reach, found);
    for (const ShapeContact<D>& c : found) {
      if (c.feature != key.feature) continue;
      Contact<D> moved = contact;
      moved.gap = c.gap;
      moved.normal = c.normal;
      moved.point = c.point;
      const ContactRow<D> row = row_of(moved, bodies);
      return Moved{c.gap, row.frame * relative_velocity<D>(row, v_[at(key.a)], v_[at(key.b)])};
    }
    return std::nullopt;
  }

  // What the motion alone adds to the accelerations of a contact, in its frame: g̈, and the rate of
  // the tangential velocities, both at a contact point that wanders over its bodies. By differences
  // in time; if the contact is not found again there, of the two material points that touch.
  Vec<D> bend(const Contact<D>& contact, const ContactRow<D>& row) {
    const double dt = moved_.excursion_time(row.a, row.b);
    if (dt == 0) return Vec<D>::Zero();
    const auto find = [&](const Bodies<D>& bodies) { return contact_among(bodies, contact); };
    const std::optional<Moved> before = moved_.after(-dt, row.a, row.b, find),
                               now = moved_.after(0, row.a, row.b, find),
                               after = moved_.after(dt, row.a, row.b, find);
    if (!before || !now || !after) return row.frame.transpose() * centripetal(row);
    const Vec<D> change = after->velocity - before->velocity;
    Vec<D> bend = Vec<D>::Zero();
    if (change.norm() > rounding_of_velocity(row)) bend = row.frame.transpose() * change / (2 * dt);
    bend[0] = second_difference(before->gap - now->gap, after->gap - now->gap, dt,
                                moved_.coordinates(row.a, row.b) + contact.offset.norm());
    return bend;
  }

  // What rounding leaves of a velocity of the contact.
  double rounding_of_velocity(const ContactRow<D>& row) const {
    const Twist<D>&a = v_[at(row.a)], &b = v_[at(row.b)];
    return rounding * (a.v.norm() + b.v.norm() + a.omega.norm() * row.arm_a.norm() +
                       b.omega.norm() * row.arm_b.norm());
  }

  Vec<D> centripetal(const ContactRow<D>& row) const {
    const Twist<D>&a = v_[at(row.a)], &b = v_[at(row.b)];
    return cross<D>(b.omega, cross<D>(b.omega, row.arm_b)) -
           cross<D>(a.omega, cross<D>(a.omega, row.arm_a));
  }

  void add_contacts() {
    const std::vector<Contact<D>> found = contacts_within<D>(scene_, bodies_, tolerances_.gap);
    for (const Contact<D>& contact : found) {
      const std::size_t a = at(contact.key.a), b = at(contact.key.b);
      const ContactLaw& law = scene_.laws(bodies_.material[a], bodies_.material[b]);
      ContactRow<D> row = row_of(contact, bodies_);
      stretch_row<D>(scene_, bodies_, law, row);
      const Vec<D> u = relative_velocity<D>(row, v_[a], v_[b]);
      ActiveConstraint<D> constraint;
      constraint.a = described(contact.key.a);
      constraint.b = described(contact.key.b);
      constraint.point = contact.point;
      constraint.direction = contact.normal;
      constraint.gap = contact.gap;
      constraint.normal_velocity = u[0];
      constraint.slip = u.cwiseQuotient(stretching<D>(row.stretch)).template tail<D - 1>().norm();
      constraint.friction = friction_of<D>(scene_, law, row);
      constraint.stretch = row.stretch;
      constraint.adhesion = law.adhesion;
      const Vec<D> curve = bend(contact, row);
      const double slow = speed_ + rounding_of_velocity(row);
      if (!takes_part(constraint,
                      tolerances_.gap * smaller_size<D>(bodies_, contact.key.a, contact.key.b),
                      slow, curve[0]))
        continue;
      const Vec<D> w = relative_velocity<D>(row, a_[a], a_[b]) + curve;
      unilateral_.constraints.push_back(constraint);
      unilateral_.normal.push_back(component_row<D>(row, 0));
      unilateral_.w_normal.push_back(w[0]);
      for (int k = 1; k < D; ++k) {
        unilateral_.tangent.push_back(component_row<D>(row, k));
        unilateral_.w_tangent.push_back(w[k]);
      }
      Vec<D - 1> slip = Vec<D - 1>::Zero();
      if (constraint.slip > slow) slip = u.template tail<D - 1>().normalized();
      unilateral_.slip.push_back(slip);
    }
  }

  ConstraintSet constraint_set(const Gathered<D>& gathered, SparseRows normal,
                               SparseRows tangent) const {
    ConstraintSet set;
    const auto m = static_cast<Eigen::Index>(gathered.constraints.size());
    set.normal = std::move(normal);
    set.tangent = std::move(tangent);
    set.friction.resize(m);
    set.slip.resize(D - 1, m);
    for (Eigen::Index i = 0; i < m; ++i) {
      const ActiveConstraint<D>& constraint = gathered.constraints[static_cast<std::size_t>(i)];
      set.friction[i] = constraint.normals > 1 ? 0 : constraint.friction;
      set.slip.col(i) = gathered.slip[static_cast<std::size_t>(i)];
    }
    const auto vector = [](const std::vector<double>& x) -> Eigen::VectorXd {
      return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
    };
    set.w_normal = vector(gathered.w_normal);
    set.w_tangent = vector(gathered.w_tangent);
    return set;
  }

  // The columns of massless freedoms moved behind those of the others. What no constraint touches
  // is left out.
  SparseRows massless_last(const KineticGradients<D>& gradients) {
    const Eigen::Index n = gradients.rows.cols();
    std::vector<int> last;
    std::vector<typename ActiveConstraints<D>::Freedom> touched;
    Eigen::VectorXd load(load_.size());
    for (std::size_t j = 0; j < massless_.size(); ++j) {
      const int first = gradients.dof_of_body[massless_[j].body];
      if (first < 0) continue;
      load[static_cast<Eigen::Index>(last.size())] = load_[static_cast<Eigen::Index>(j)];
      last.push_back(first + massless_[j].component);
      touched.push_back(massless_[j]);
    }
    massless_ = std::move(touched);
    load_ = load.head(static_cast<Eigen::Index>(last.size()));
    if (last.empty()) return gradients.rows;
    std::vector<int> place(static_cast<std::size_t>(n), 0);
    for (const int column : last) place[static_cast<std::size_t>(column)] = -1;
    int next = 0;
    for (int& p : place)
      if (p == 0) p = next++;
    for (const int column : last) place[static_cast<std::size_t>(column)] = next++;
    std::vector<Eigen::Triplet<double>> entries;
    for (Eigen::Index i = 0; i < gradients.rows.rows(); ++i)
      for (SparseRows::InnerIterator it(gradients.rows, i); it; ++it)
        entries.emplace_back(static_cast<int>(i), place[static_cast<std::size_t>(it.col())],
                             it.value());
    SparseRows rows(gradients.rows.rows(), n);
    rows.setFromTriplets(entries.begin(), entries.end());
    return rows;
  }

  ActiveConstraints<D> finished() {
    std::vector<LinearRow<D>> rows;
    for (const auto* part :
         {&bilateral_.normal, &unilateral_.normal, &bilateral_.tangent, &unilateral_.tangent})
      rows.insert(rows.end(), part->begin(), part->end());
    const SparseRows gradients = massless_last(kinetic_gradients<D>(rows, mass_));
    Eigen::Index first = 0;
    const auto next = [&](const std::vector<LinearRow<D>>& part) -> SparseRows {
      const auto count = static_cast<Eigen::Index>(part.size());
      first += count;
      return gradients.middleRows(first - count, count);
    };
    const SparseRows normal_b = next(bilateral_.normal), normal_u = next(unilateral_.normal);
    const SparseRows tangent_b = next(bilateral_.tangent), tangent_u = next(unilateral_.tangent);

    ActiveConstraints<D> active;
    active.system.tangents = D - 1;
    active.system.bilateral = constraint_set(bilateral_, normal_b, tangent_b);
    active.system.unilateral = constraint_set(unilateral_, normal_u, tangent_u);
    active.rows = {std::move(bilateral_.normal), std::move(unilateral_.normal),
                   std::move(bilateral_.tangent), std::move(unilateral_.tangent)};
    active.system.massless = load_.size();
    active.system.load = load_;
    for (const auto& [body, k] : massless_) {
      if (k < D) mass_[body].inverse_mass = 0;
      if (k >= D) mass_[body].inverse_inertia.setZero();
    }
    active.massless = massless_;
    active.mass = std::move(mass_);
    active.free = std::move(a_);
    for (std::size_t i = 0; i <= bodies_.size(); ++i)
      active.body.push_back(described(static_cast<int>(i)));
    active.bilateral = std::move(bilateral_.constraints);
    active.unilateral = std::move(unilateral_.constraints);
    active.impacts = impacts_;
    active.system.rough_joints = std::move(rough_joints_);
    return active;
  }

  const Scene<D>& scene_;
  const Bodies<D>& bodies_;
  ActivationTolerances tolerances_;
  double t_;
  std::vector<JointFrame<D>> frames_;
  MovedPair<D> moved_;
  double speed_ = 0;
  std::vector<Twist<D>> v_, a_;
  std::vector<MassBlock<D>> mass_;
  std::vector<typename ActiveConstraints<D>::Freedom> massless_;
  Eigen::VectorXd load_;  // on them
  Gathered<D> bilateral_, unilateral_;
  int impacts_ = 0;
  std::vector<RoughJoint> rough_joints_;
};

}  // namespace

template <int D>
ActiveConstraints<D> active_constraints(const Scene<D>& scene, const Bodies<D>& bodies, double t,
                                        const ActivationTolerances& tolerances,
                                        const MasslessBodies& massless) {
  return Gatherer<D>(scene, bodies, t, tolerances, massless).gather();
}

template ActiveConstraints<2> active_constraints<2>(const Scene<2>&, const Bodies<2>&, double,
                                                    const ActivationTolerances&,
                                                    const MasslessBodies&);
template ActiveConstraints<3> active_constraints<3>(const Scene<3>&, const Bodies<3>&, double,
                                                    const ActivationTolerances&,
                                                    const MasslessBodies&);

}  // namespace talus
