// SPDX-License-Identifier: Apache-2.0
#include "engine/step/catching_up.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/math/maximum.hpp"
#include "solvers/math/parallel.hpp"

namespace talus {

namespace {

template <int D>
Twist<D> difference(const Twist<D>& a, const Twist<D>& b) {
  return {a.v - b.v, a.omega - b.omega};
}

template <int D>
double dot(const Twist<D>& a, const Twist<D>& b) {
  return a.v.dot(b.v) + a.omega.dot(b.omega);
}

}  // namespace

template <int D>
void CatchingUp<D>::begin(const Bodies<D>& bodies, std::span<const Twist<D>> v_free) {
  position_.assign(bodies.position.begin(), bodies.position.end());
  orientation_.assign(bodies.orientation.begin(), bodies.orientation.end());
  v_.assign(v_free.begin(), v_free.end());
  iterations_ = 0;
  relaxation_ = 1;
  farthest_ = 0;
}

template <int D>
void CatchingUp<D>::linearise(StepData<D>& step) const {
  const auto& W = std::get<RigidOperator<D>>(step.problem.W);
  for (std::size_t i = 0; i < W.contacts.size(); ++i) {
    const ContactRow<D>& row = W.contacts[i];
    const auto made = [&](int body) {  // of a free body; walls have moved already
      return difference<D>(v_[at(body)], step.v_free[at(body)]);
    };
    step.problem.b[i][0] -= relative_velocity<D>(row, made(row.a), made(row.b))[0];
  }
}

template <int D>
ContactError CatchingUp<D>::error(const Bodies<D>& bodies, double h, const StepData<D>& step) {
  const ContactProblem<D>& problem = step.problem;
  const auto& W = std::get<RigidOperator<D>>(problem.W);
  constexpr double few_operations = 32 * std::numeric_limits<double>::epsilon();
  u_hat_.contact.resize(problem.size());
  u_hat_.row.clear();
  rounding_.resize(problem.size());
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const ContactRow<D>& row = W.contacts[i];
    const auto made = [&](int body) { return difference<D>(v_[at(body)], step.v_free[at(body)]); };
    u_hat_.contact[i] = problem.b[i] + relative_velocity<D>(row, made(row.a), made(row.b));
    const auto length = [&](int body, const Vec<D>& arm) {
      return (bodies.moves_freely(at(body)) ? bodies.position[at(body)].norm() : 0) + arm.norm();
    };
    rounding_[i] = few_operations * (problem.b[i].norm() +
                                     (length(row.a, row.arm_a) + length(row.b, row.arm_b)) / h);
  }
  ContactError error = measure_(problem, step.islands, step.percussions, u_hat_, rounding_);

  of_island_.assign(at(step.islands.count()), {});
  for (std::size_t i = 0; i < problem.size(); ++i)
    if (step.islands.of(i) >= 0) of_island_[at(step.islands.of(i))].add(problem.b[i]);
  scale_.assign(bodies.size(), 0);
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const int island = step.islands.of(i);
    if (island < 0) continue;
    const double scale = of_island_[at(island)].value(problem.velocity_floor);
    for (const int body : {W.contacts[i].a, W.contacts[i].b}) scale_[at(body)] = scale;
  }
  for (std::size_t body = 0; body < bodies.size(); ++body) {
    if (!bodies.moves_freely(body)) continue;
    const Twist<D> off = difference<D>(v_[body], step.v_plus[body]);
    const double velocity = std::sqrt(dot(off, off));
    const double scale = scale_[body] > 0 ? scale_[body] : velocity;  // nothing pushes it
    error.velocity = maximum(error.velocity, velocity);
    if (velocity == 0) continue;
    error.relative = maximum(error.relative, velocity / scale);
    error.worst = maximum(error.worst, velocity / scale);
  }
  return error;
}

// Irons and Tuck's relaxation factor (Aitken's Δ² for vectors): on a boundary of curvature κ the
// plain iteration changes the error by the factor ∓κ‖q⁺ − q⁻‖, one mode of which this removes.
template <int D>
double CatchingUp<D>::relaxation() {
  if (iterations_ < 2) return 1;
  double product = 0, squares = 0;
  for (std::size_t i = 0; i < way_.size(); ++i) {
    const Twist<D> change = difference<D>(way_[i], last_way_[i]);
    product += dot(last_way_[i], change);
    squares += dot(change, change);
  }
  if (!(squares > 0)) return 1;
  return std::clamp(-relaxation_ * product / squares, 0.02, 4.0);
}

template <int D>
void CatchingUp<D>::move(std::span<const Twist<D>> v_plus, double h, Bodies<D>& bodies) {
  std::swap(way_, last_way_);
  way_.assign(bodies.size(), {});
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (bodies.moves_freely(i)) way_[i] = difference<D>(v_plus[i], v_[i]);
  for (const Twist<D>& way : way_) farthest_ = std::max(farthest_, std::sqrt(dot(way, way)));
  ++iterations_;
  relaxation_ = relaxation();
  parallel_for(bodies.size(), [&](std::size_t i) {
    if (!bodies.moves_freely(i)) return;
    v_[i].v += relaxation_ * way_[i].v;
    v_[i].omega += relaxation_ * way_[i].omega;
    bodies.velocity[i] = v_[i].v;
    bodies.spin[i] = v_[i].omega;
    bodies.position[i] = position_[i] + h * v_[i].v;
    bodies.orientation[i] = rotated<D>(orientation_[i], h * v_[i].omega);
  });
}

template class CatchingUp<2>;
template class CatchingUp<3>;

}  // namespace talus
