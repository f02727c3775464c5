// SPDX-License-Identifier: Apache-2.0
#include "engine/outlook/blow.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "engine/outlook/touching_contacts.hpp"
#include "engine/step/assembly.hpp"
#include "engine/step/friction_ellipse.hpp"
#include "engine/step/joints.hpp"
#include "engine/step/ledger.hpp"
#include "solvers/climb/run_solver.hpp"
#include "solvers/impact/projection_impact.hpp"
#include "solvers/problem/kinetic_geometry.hpp"

namespace talus {

namespace {

constexpr double struck_gap = 1e-5;  // smaller gaps are closed; relative to the smaller body

// The contact problem of a blow, with the rows of joints first, then those of ropes and stops.
template <int D>
class Struck {
 public:
  Struck(const Scene<D>& scene, const Bodies<D>& bodies, std::span<const Blow<D>> blows)
      : scene_(scene),
        bodies_(bodies),
        frames_(joint_frames<D>(scene.joints, make_bodies<D>(scene))) {
    response_.before.resize(bodies.size() + 1);
    for (std::size_t i = 0; i < bodies.size(); ++i)
      response_.before[i] = {bodies.velocity[i], bodies.spin[i]};
    mass_blocks<D>(bodies, scene, operator_().bodies);
    free_ = response_.before;
    for (const Blow<D>& blow : blows) push(blow);
    add_joints();
    add_contacts();
  }

  BlowResponse<D> respond() {
    Percussions<D> p;
    p.contact.assign(problem_.size(), Vec<D>::Zero());
    p.row.assign(problem_.rows.size(), 0.0);
    response_.solved = true;
    if (problem_.size() + problem_.rows.size() > 0) {
      RunSolver<D> solver({.tolerance = 1e-13, .max_sweeps = 200000});
      response_.solved = solver.solve(problem_, p).error <= 1e-9;
    }
    response_.after = free_;
    const RigidOperator<D>& W = operator_();
    for (std::size_t i = 0; i < problem_.size(); ++i)
      apply_percussion<D>(W.contacts[i], p.contact[i], W.bodies, response_.after);
    for (std::size_t i = 0; i < problem_.rows.size(); ++i)
      apply_percussion<D>(problem_.rows[i], p.row[i], W.bodies, response_.after);
    take_down(p);
    compare(p);
    return std::move(response_);
  }

 private:
  RigidOperator<D>& operator_() { return std::get<RigidOperator<D>>(problem_.W); }

  void push(const Blow<D>& blow) {
    const auto i = at(blow.body);
    const MassBlock<D>& mass = operator_().bodies[i];
    free_[i].v += mass.inverse_mass * blow.impulse;
    if (blow.point)
      free_[i].omega +=
          mass.inverse_inertia * moment<D>(Vec<D>(*blow.point - bodies_.position[i]), blow.impulse);
  }

  // u_free + e u⁻
  double bias_of(const LinearRow<D>& row, double e) const {
    return relative_velocity<D>(row, free_[at(row.a)], free_[at(row.b)]) +
           e * relative_velocity<D>(row, response_.before[at(row.a)], response_.before[at(row.b)]);
  }

  void add_row(LinearRow<D> row, std::size_t joint, double e, RowBounds bounds) {
    row.bounds = bounds;
    row.bias = bounds.lower == 0 ? bias_of(row, e) : bias_of(row, 0);
    problem_.rows.push_back(row);
    joint_of_row_.push_back(static_cast<int>(joint));
    restitution_.push_back(e);
  }

  void add_joints() {
    const RowBounds pushes{.lower = 0};
    for (std::size_t j = 0; j < frames_.size(); ++j) {
      const Joint<D>& joint = scene_.joints[j];
      std::vector<Constraint<D>> held;
      add_constraints<D>(frames_[j], bodies_, held);
      for (const Constraint<D>& constraint : held) add_row(constraint.row, j, 0, {});
      if (joint.kind == JointKind::rope) {
        const Constraint<D> span = distance<D>(frames_[j], bodies_);
        if (frames_[j].length - span.value <= struck_gap * frames_[j].length)
          add_row(opposite<D>(span.row), j, joint.restitution, pushes);
      }
      if (!joint.limits) continue;
      const Constraint<D> q = coordinate<D>(frames_[j], bodies_);
      const double closed = struck_gap * (turns(joint.kind) ? 1 : frames_[j].size);
      if (q.value - joint.limits->lower <= closed)
        add_row(q.row, j, joint.limits->restitution, pushes);
      if (joint.limits->upper - q.value <= closed)
        add_row(opposite<D>(q.row), j, joint.limits->restitution, pushes);
    }
  }

  void add_contacts() {
    for (const Contact<D>& contact : contacts_within<D>(scene_, bodies_, struck_gap)) {
      ContactRow<D> row = contact_row<D>(bodies_, contact);
      const ContactLaw& of_pair =
          scene_.laws(bodies_.material[at(row.a)], bodies_.material[at(row.b)]);
      stretch_row<D>(scene_, bodies_, of_pair, row);
      const auto velocity = [&](const std::vector<Twist<D>>& v) -> Vec<D> {
        return relative_velocity<D>(row, v[at(row.a)], v[at(row.b)]);
      };
      const Vec<D> u_minus = velocity(response_.before);
      const ContactLaw law = law_at(of_pair, scene_.coefficients_of_speed, -u_minus[0]);
      Vec<D> E = Vec<D>::Constant(law.tangential_restitution);
      E[0] = law.restitution;
      operator_().contacts.push_back(row);
      problem_.b.push_back(velocity(free_) + E.cwiseProduct(u_minus));
      problem_.law.push_back({friction_of<D>(scene_, law, row)});
      contact_restitution_.push_back(law.restitution);
    }
  }

  double kinetic(const std::vector<Twist<D>>& v) const {
    double sum = 0;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (!bodies_.moves_freely(i)) continue;
      sum += 0.5 * bodies_.mass[i] * v[i].v.squaredNorm();
      sum += 0.5 * v[i].omega.dot(turned_inertia<D>(bodies_.orientation[i], bodies_.inertia[i]) *
                                  v[i].omega);
    }
    return sum;
  }

  void take_down(const Percussions<D>& p) {
    for (std::size_t i = 0; i < problem_.size(); ++i) {
      if (p.contact[i].isZero(0)) continue;
      const ContactRow<D>& row = operator_().contacts[i];
      const Vec<D> P = stretching<D>(row.stretch).cwiseProduct(p.contact[i]);
      response_.contacts.push_back({bodies_.id[at(row.a)], bodies_.id[at(row.b)],
                                    row.frame * p.contact[i], P[0],
                                    P.template tail<D - 1>().norm()});
    }
    for (std::size_t j = 0; j < frames_.size(); ++j) {
      typename BlowResponse<D>::OfJoint joint{static_cast<int>(j), Vec<D>::Zero()};
      for (std::size_t k = 0; k < problem_.rows.size(); ++k)
        if (at(joint_of_row_[k]) == j) joint.impulse += p.row[k] * problem_.rows[k].direction;
      response_.joints.push_back(joint);
    }
    response_.energy_before = kinetic(response_.before);
    response_.energy_after = kinetic(response_.after);
  }

  // q̇⁺ = q̇⁻ − S (Ẽ + I) q̇⁻ + M_o⁺ i, in the kinetic metric, where M = I.
  void compare(const Percussions<D>& p) {
    std::vector<LinearRow<D>> rows;
    std::vector<double> e;
    for (std::size_t i = 0; i < problem_.rows.size(); ++i) {
      const LinearRow<D>& row = problem_.rows[i];
      if (row.is_unilateral() && !(p.row[i] > 0)) continue;
      rows.push_back(row);
      e.push_back(row.is_unilateral() ? restitution_[i] : 0);
    }
    for (std::size_t i = 0; i < problem_.size(); ++i) {
      if (!(p.contact[i][0] > 0)) continue;
      if (problem_.law[i].mu > 0) return;
      rows.push_back(component_row<D>(operator_().contacts[i], 0));
      e.push_back(contact_restitution_[i]);
    }
    const auto moves_by_itself = [&](int body) {
      const Twist<D>& v = response_.before[at(body)];
      return !operator_().bodies[at(body)].moves() && !(v.v.isZero(0) && v.omega.isZero(0));
    };
    for (const LinearRow<D>& row : rows)  // the projection is for constraints at rest
      if (moves_by_itself(row.a) || moves_by_itself(row.b)) return;
    if (rows.empty()) return;
    const std::span<const MassBlock<D>> mass = operator_().bodies;
    const KineticGradients<D> gradients = kinetic_gradients<D>(rows, mass);
    const Eigen::MatrixXd A(gradients.rows);
    if (A.cols() > 200) return;
    const Eigen::Index n = A.cols();
    const auto kinetic_of = [&](const std::vector<Twist<D>>& v) {
      Eigen::VectorXd w = Eigen::VectorXd::Zero(n);
      for (std::size_t i = 0; i < mass.size(); ++i) {
        const int first = gradients.dof_of_body[i];
        if (first < 0) continue;
        w.segment<D>(first) = v[i].v / std::sqrt(mass[i].inverse_mass);
        if (mass[i].inverse_inertia.isZero(0)) continue;
        w.segment<spin_dim<D>>(first + D) =
            inertia_root<D>(mass[i].inverse_inertia).inverse() * v[i].omega;
      }
      return w;
    };
    const Eigen::VectorXd before = kinetic_of(response_.before);
    const Eigen::VectorXd blow = kinetic_of(free_) - before;
    const ObliqueProjection projection(Eigen::MatrixXd::Identity(n, n), A);
    const Eigen::VectorXd after =
        projected_velocity(
            projection, A,
            Eigen::Map<const Eigen::VectorXd>(e.data(), static_cast<Eigen::Index>(e.size()))
                .asDiagonal(),
            before) +
        projection.M_o_pinv * blow;
    const Eigen::VectorXd here = kinetic_of(response_.after);
    const double largest = std::max({here.norm(), before.norm(), blow.norm(), 1e-300});
    response_.projection_apart = (after - here).norm() / largest;
  }

  const Scene<D>& scene_;
  const Bodies<D>& bodies_;
  std::vector<JointFrame<D>> frames_;
  ContactProblem<D> problem_{RigidOperator<D>{}, {}, {}, {}, 0};
  std::vector<Twist<D>> free_;
  std::vector<int> joint_of_row_;
  std::vector<double> restitution_, contact_restitution_;
  BlowResponse<D> response_;
};

}  // namespace

template <int D>
BlowResponse<D> strike(const Scene<D>& scene, const Bodies<D>& bodies,
                       std::span<const Blow<D>> blows) {
  return Struck<D>(scene, bodies, blows).respond();
}

template BlowResponse<2> strike<2>(const Scene<2>&, const Bodies<2>&, std::span<const Blow<2>>);
template BlowResponse<3> strike<3>(const Scene<3>&, const Bodies<3>&, std::span<const Blow<3>>);

}  // namespace talus
