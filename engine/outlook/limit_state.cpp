// SPDX-License-Identifier: Apache-2.0
#include "engine/outlook/limit_state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

namespace {

constexpr double frictionless = 1e-7;  // μ below which the cone is taken as a half-line

template <int D>
Bodies<D> at_rest(Bodies<D> bodies) {
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    bodies.velocity[i].setZero();
    bodies.spin[i].setZero();
  }
  return bodies;
}

// The inertia of a block, zero where rotation is locked.
template <int D>
SpinMat<D> inertia_of(const MassBlock<D>& mass) {
  if (mass.inverse_inertia.isZero(0)) return SpinMat<D>::Zero();
  return mass.inverse_inertia.inverse();
}

// How many components the force of a contact has: one without friction.
template <int D>
int components(const Vec<D>& scale) {
  return static_cast<int>((scale.array() > 0).count());
}

// Better and better values are the answer of a programme that has a solution at all.
template <int D>
ConeSolution solve(ConeProgram program) {
  ConeSolution solution = solve_cone_program<D>(program);
  if (solution.verdict != ConeVerdict::unbounded) return solution;
  program.cost.setZero();
  program.price.setZero();
  ConeSolution any = solve_cone_program<D>(program);
  return any.verdict == ConeVerdict::solved ? solution : any;
}

}  // namespace

template <int D>
LimitAnalysis<D>::LimitAnalysis(const Scene<D>& scene, const Bodies<D>& bodies, double t)
    : bodies_(bodies), active_(active_constraints<D>(scene, at_rest<D>(bodies), t)) {
  // Rows: joints, then the components of each contact. Columns are freedoms in the kinetic metric.
  std::vector<LinearRow<D>> rows = active_.rows.normal_b;
  for (std::size_t i = 0; i < active_.unilateral.size(); ++i)
    for (int k = 0; k < D; ++k) rows.push_back(component(i, k));
  const KineticGradients<D> gradients = kinetic_gradients<D>(rows, active_.mass);
  dof_of_body_ = gradients.dof_of_body;
  freedoms_ = gradients.rows.cols();

  dead_.resize(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies.moves_freely(i))
      dead_[i] = {bodies.mass[i] * active_.free[i].v,
                  inertia_of<D>(active_.mass[i]) * active_.free[i].omega};
  const Eigen::VectorXd dead = kinetic(dead_);
  if (dead.size() > 0 && !dead.isZero(0)) unit_ = dead.cwiseAbs().maxCoeff();
  equilibrium_.load = -dead / unit_;

  std::vector<Eigen::Triplet<double>> held, pressed;
  const auto joints = static_cast<Eigen::Index>(active_.bilateral.size());
  for (Eigen::Index j = 0; j < joints; ++j) {
    const double norm = gradients.rows.row(j).norm();
    joint_scale_.push_back(norm > 0 ? 1 / norm : 1);
    for (SparseRows::InnerIterator it(gradients.rows, j); it; ++it)
      held.emplace_back(static_cast<int>(it.col()), static_cast<int>(j),
                        joint_scale_.back() * it.value());
  }
  equilibrium_.F.resize(freedoms_, joints);
  equilibrium_.F.setFromTriplets(held.begin(), held.end());
  equilibrium_.price = Eigen::VectorXd::Zero(joints);

  int column = 0;
  for (std::size_t i = 0; i < active_.unilateral.size(); ++i) {
    const Eigen::Index first = joints + static_cast<Eigen::Index>(i) * D;
    const double mu = active_.unilateral[i].friction;
    Vec<D> scale = Vec<D>::Zero();  // S of interior_point.hpp, which makes the cone Lorentz's
    scale[0] = 1;
    if (mu >= frictionless) {
      scale.setOnes();
      scale[0] = 1 / mu;
    }
    double squares = 0;
    for (int k = 0; k < D; ++k)
      squares += scale[k] * scale[k] * gradients.rows.row(first + k).squaredNorm();
    const auto size = static_cast<double>(components(scale));
    if (squares > 0) scale *= std::sqrt(size / squares);
    scale_.push_back(scale);
    for (int k = 0; k < components(scale); ++k, ++column)
      for (SparseRows::InnerIterator it(gradients.rows, first + k); it; ++it)
        pressed.emplace_back(static_cast<int>(it.col()), column, scale[k] * it.value());
    equilibrium_.cones.push_back(components(scale));
  }
  equilibrium_.E.resize(freedoms_, column);
  equilibrium_.E.setFromTriplets(pressed.begin(), pressed.end());
  equilibrium_.cost = Eigen::VectorXd::Zero(column);
}

template <int D>
Vec<D> LimitAnalysis<D>::world_force(std::size_t contact, const Vec<D>& force) const {
  const Vec<D> T = stretching<D>(active_.unilateral[contact].stretch);
  Vec<D> sum = Vec<D>::Zero();
  for (int k = 0; k < D; ++k) sum += force[k] / T[k] * component(contact, k).direction;
  return sum;
}

template <int D>
double LimitAnalysis<D>::smaller_size(const LinearRow<D>& row) const {
  double size = std::numeric_limits<double>::infinity();
  for (const int i : {row.a, row.b})
    if (i >= 0 && at(i) < bodies_.size()) size = std::min(size, bodies_.geometry_of(at(i)).size);
  return size;
}

template <int D>
const LinearRow<D>& LimitAnalysis<D>::component(std::size_t contact, int k) const {
  return k == 0 ? active_.rows.normal_u[contact]
                : active_.rows.tangent_u[contact * (D - 1) + at(k) - 1];
}

template <int D>
Eigen::VectorXd LimitAnalysis<D>::kinetic(std::span<const BodyLoad<D>> loads) const {
  Eigen::VectorXd f = Eigen::VectorXd::Zero(freedoms_);
  for (std::size_t i = 0; i < loads.size(); ++i) {
    const int first = dof_of_body_[i];
    if (first < 0) continue;
    const MassBlock<D>& mass = active_.mass[i];
    f.segment<D>(first) = std::sqrt(mass.inverse_mass) * loads[i].force;
    f.segment<spin_dim<D>>(first + D) =
        inertia_root<D>(mass.inverse_inertia).transpose() * loads[i].torque;
  }
  return f;
}

template <int D>
std::vector<int> LimitAnalysis<D>::held_by_nothing(std::span<const BodyLoad<D>> live) const {
  std::vector<int> bodies;
  for (std::size_t i = 0; i < dead_.size(); ++i)
    if (bodies_.moves_freely(i) && dof_of_body_[i] < 0 &&
        !(dead_[i].is_zero() && (live.empty() || live[i].is_zero())))
      bodies.push_back(static_cast<int>(i));
  return bodies;
}

template <int D>
bool LimitAnalysis<D>::has_effect(std::span<const BodyLoad<D>> live) const {
  return !kinetic(live).isZero(0);
}

// The programme of (1) with the multiplier as the first free unknown.
template <int D>
ConeProgram LimitAnalysis<D>::program(std::span<const BodyLoad<D>> live) const {
  ConeProgram program = equilibrium_;
  const Eigen::VectorXd f = kinetic(live);
  std::vector<Eigen::Triplet<double>> entries;
  const double size = f.cwiseAbs().maxCoeff();
  for (Eigen::Index i = 0; i < f.size(); ++i)
    if (f[i] != 0) entries.emplace_back(static_cast<int>(i), 0, f[i] / size);
  for (Eigen::Index j = 0; j < equilibrium_.F.outerSize(); ++j)
    for (Eigen::SparseMatrix<double>::InnerIterator it(equilibrium_.F, j); it; ++it)
      entries.emplace_back(static_cast<int>(it.row()), static_cast<int>(j) + 1, it.value());
  program.F.resize(equilibrium_.F.rows(), equilibrium_.F.cols() + 1);
  program.F.setFromTriplets(entries.begin(), entries.end());
  program.price = Eigen::VectorXd::Zero(program.F.cols());
  return program;
}

template <int D>
LimitState<D> LimitAnalysis<D>::largest(std::span<const BodyLoad<D>> live) const {
  ConeProgram cone_program = program(live);
  cone_program.price[0] = -1;
  const ConeSolution solution = solve<D>(cone_program);
  LimitState<D> found = state(solution, 1);
  const double unit = unit_ / kinetic(live).cwiseAbs().maxCoeff();
  found.multiplier = -unit * solution.primal;
  found.dual = -unit * solution.dual;
  normalise(found);
  return found;
}

template <int D>
LimitState<D> LimitAnalysis<D>::least(std::span<const BodyLoad<D>> live) const {
  std::vector<BodyLoad<D>> opposite(live.begin(), live.end());
  for (BodyLoad<D>& load : opposite) load = {-load.force, -load.torque};
  LimitState<D> found = largest(opposite);
  found.multiplier = -found.multiplier;
  found.dual = -found.dual;
  return found;
}

template <int D>
LimitState<D> LimitAnalysis<D>::settle(int support, const Twist<D>& w) const {
  std::vector<Twist<D>> motion(bodies_.size() + 1);
  motion[at(support)] = w;
  const auto rate = [&](const LinearRow<D>& row) {
    return relative_velocity<D>(row, motion[at(row.a)], motion[at(row.b)]);
  };
  ConeProgram cone_program = equilibrium_;
  for (std::size_t j = 0; j < joint_scale_.size(); ++j)
    cone_program.price[static_cast<Eigen::Index>(j)] =
        joint_scale_[j] * rate(active_.rows.normal_b[j]);
  Eigen::Index column = 0;
  for (std::size_t i = 0; i < scale_.size(); ++i)
    for (int k = 0; k < components(scale_[i]); ++k)
      cone_program.cost[column++] = scale_[i][k] * rate(component(i, k));
  const ConeSolution solution = solve<D>(cone_program);
  LimitState<D> found = state(solution, 0);
  found.multiplier = unit_ * solution.primal;
  found.dual = unit_ * solution.dual;
  if (solution.verdict == ConeVerdict::solved) found.mechanism[at(support)] = w;
  normalise(found);
  return found;
}

template <int D>
ForceRange LimitAnalysis<D>::normal_force(std::span<const int> contacts,
                                          std::span<const BodyLoad<D>> live,
                                          double multiplier) const {
  ConeProgram cone_program = equilibrium_;
  if (multiplier != 0) cone_program.load -= multiplier / unit_ * kinetic(live);
  std::vector<Eigen::Index> column(scale_.size() + 1, 0);
  for (std::size_t i = 0; i < scale_.size(); ++i) column[i + 1] = column[i] + components(scale_[i]);
  double largest = 0;  // of the costs, which are to be of size one
  for (const int i : contacts) largest = std::max(largest, scale_[at(i)][0]);
  for (const int i : contacts) cone_program.cost[column[at(i)]] = scale_[at(i)][0] / largest;
  ForceRange range;
  range.known = true;
  const auto value = [&]() -> double {
    const ConeSolution solution = solve_cone_program<D>(cone_program);
    const bool bounded = solution.verdict == ConeVerdict::solved;
    range.known = range.known && (bounded || solution.verdict == ConeVerdict::unbounded);
    if (!bounded) return -std::numeric_limits<double>::infinity();
    const bool none = std::abs(solution.primal) < 1e-8;  // to what programmes are solved
    return none ? 0 : unit_ * largest * solution.primal;
  };
  range.least = std::max(0.0, value());
  cone_program.cost = -cone_program.cost;
  range.largest = -value();
  for (const int i : contacts) {
    range.least -= active_.unilateral[at(i)].adhesion;
    range.largest -= active_.unilateral[at(i)].adhesion;
  }
  return range;
}

template <int D>
LimitState<D> LimitAnalysis<D>::state(const ConeSolution& solution, int free_before_joints) const {
  LimitState<D> state;
  state.verdict = solution.verdict;
  state.error = solution.error;
  state.iterations = solution.iterations;
  Eigen::Index column = 0;
  for (std::size_t i = 0; i < scale_.size(); ++i) {
    Vec<D> p = Vec<D>::Zero();
    for (int k = 0; k < components(scale_[i]); ++k)
      p[k] = unit_ * scale_[i][k] * solution.x[column++];
    p[0] -= active_.unilateral[i].adhesion;
    state.contact.push_back(stretching<D>(active_.unilateral[i].stretch).cwiseProduct(p));
  }
  for (std::size_t j = 0; j < joint_scale_.size(); ++j)
    state.joint.push_back(unit_ * joint_scale_[j] *
                          solution.y[free_before_joints + static_cast<Eigen::Index>(j)]);

  state.mechanism.resize(bodies_.size() + 1);
  if (solution.verdict == ConeVerdict::unbounded) return state;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const int first = dof_of_body_[i];
    if (first < 0) continue;
    const MassBlock<D>& mass = active_.mass[i];
    state.mechanism[i].v = -std::sqrt(mass.inverse_mass) * solution.v.segment<D>(first);
    state.mechanism[i].omega =
        -(inertia_root<D>(mass.inverse_inertia) * solution.v.segment<spin_dim<D>>(first + D));
  }
  return state;
}

// Gives the mechanism's fastest point a speed of 1, and contacts their velocities in it.
template <int D>
void LimitAnalysis<D>::normalise(LimitState<D>& state) const {
  double fastest = 0;
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const double radius = bodies_.geometry_of(i).bounding_radius;
    const Twist<D>& twist = state.mechanism[i];
    fastest = std::max(fastest,
                       twist.v.norm() + (std::isfinite(radius) ? radius * twist.omega.norm() : 0));
  }
  if (fastest > 0) {
    for (Twist<D>& twist : state.mechanism) {
      twist.v /= fastest;
      twist.omega /= fastest;
    }
  }
  for (std::size_t i = 0; i < active_.unilateral.size(); ++i) {
    Vec<D> u;
    for (int k = 0; k < D; ++k) {
      const LinearRow<D>& row = component(i, k);
      u[k] = relative_velocity<D>(row, state.mechanism[at(row.a)], state.mechanism[at(row.b)]);
    }
    state.velocity.push_back(u.cwiseQuotient(stretching<D>(active_.unilateral[i].stretch)));
  }
}

template class LimitAnalysis<2>;
template class LimitAnalysis<3>;

}  // namespace talus
