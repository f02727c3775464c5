#include "engine/drift.hpp"

#include <algorithm>

#include "solvers/parallel.hpp"

namespace talus {

namespace {

// Share of a penetration removed per step, and the largest correction and the penetration that sets
// it off, both as fractions of the smaller body.
constexpr double share = 0.2;
constexpr double largest_correction = 1e-2;
constexpr double tolerated_penetration = 1e-5;

}  // namespace

template <int D>
bool DriftCorrection<D>::apply(const ContactProblem<D>& step_problem,
                               std::span<const ActiveContact<D>> contacts, double h,
                               Bodies<D>& bodies) {
  problem_.b.resize(contacts.size());
  bool needed = false;
  double wanted = 0;
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    const ActiveContact<D>& contact = contacts[i];
    const double size =
        std::min(bodies.geometry_of(static_cast<std::size_t>(contact.contact.key.a)).size,
                 bodies.geometry_of(static_cast<std::size_t>(contact.contact.key.b)).size);
    const double gap = contact.contact.gap + h * contact.u_plus[0];
    problem_.b[i].setZero();
    problem_.b[i][0] = gap < 0 ? -std::min(share * -gap, largest_correction * size) : gap;
    if (gap < -tolerated_penetration * size) needed = true;
    if (gap < 0) wanted = std::max(wanted, -problem_.b[i][0]);
  }
  if (!needed) return false;

  problem_.W = std::get<RigidOperator<D>>(step_problem.W);
  problem_.law.assign(contacts.size(), Coulomb<D>{0});
  problem_.velocity_floor = wanted;
  multipliers_.contact.assign(contacts.size(), Vec<D>::Zero());
  solver_.solve(problem_, multipliers_);

  const auto& W = std::get<RigidOperator<D>>(problem_.W);
  displacement_.assign(W.bodies.size(), {});
  for (std::size_t i = 0; i < contacts.size(); ++i) {
    apply_percussion<D>(W.contacts[i], multipliers_.contact[i], W.bodies, displacement_);
  }
  parallel_for(bodies.size(), [&](std::size_t i) {
    displace<D>(displacement_[i].v, displacement_[i].omega, i, bodies);
  });
  return true;
}

template class DriftCorrection<2>;
template class DriftCorrection<3>;

}  // namespace talus
