// SPDX-License-Identifier: Apache-2.0
#include "engine/step/drift.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "solvers/math/parallel.hpp"

namespace talus {

namespace {

// Share of an excess of penetration removed per step; as fractions of the smaller body, the largest
// correction, the penetration that is left alone, and the excess over it that sets a correction
// off: contacts at rest shall not be pushed about, without friction, in every step.
constexpr double share = 0.2;
constexpr double largest_correction = 1e-2;
constexpr double tolerated_penetration = 5e-6;
constexpr double tolerated_excess = 5e-6;

}  // namespace

template <int D>
bool DriftCorrection<D>::is_needed(std::span<const ActiveContact<D>> contacts,
                                   const Islands<D>& islands, double h, const Bodies<D>& bodies) {
  problem_.b.resize(contacts.size());
  penetrates_.assign(contacts.size(), 0);
  std::atomic<bool> needed = false;
  parallel_for(contacts.size(), [&](std::size_t i) {
    const ActiveContact<D>& contact = contacts[i];
    const double size =
        std::min(bodies.geometry_of(static_cast<std::size_t>(contact.contact.key.a)).size,
                 bodies.geometry_of(static_cast<std::size_t>(contact.contact.key.b)).size);
    const double room = contact.contact.gap + h * contact.u_plus[0] + tolerated_penetration * size;
    problem_.b[i].setZero();
    if (contact.law.yields()) {  // penetrates by its law; here it is far open
      problem_.b[i][0] = size;
      return;
    }
    problem_.b[i][0] = room < 0 ? -std::min(share * -room, largest_correction * size) : room;
    if (room < -tolerated_excess * size) {
      penetrates_[i] = 1;
      if (!needed) needed = true;
    }
  });
  if (!needed) return false;
  moves_.assign(at(islands.count()), 0);
  for (std::size_t i = 0; i < contacts.size(); ++i)
    if (penetrates_[i] && islands.of(i) >= 0) moves_[at(islands.of(i))] = 1;
  parallel_for(contacts.size(), [&](std::size_t i) {
    const int island = islands.of(i);
    if (island < 0 || !moves_[at(island)]) problem_.b[i][0] = std::max(problem_.b[i][0], 0.0);
  });
  return true;
}

template <int D>
void DriftCorrection<D>::apply(ContactProblem<D>& step_problem, const Islands<D>& islands,
                               Bodies<D>& bodies) {
  std::swap(problem_.W, step_problem.W);
  problem_.law.assign(problem_.size(), Coulomb<D>{0});
  multipliers_.contact.assign(problem_.size(), Vec<D>::Zero());
  solver_.solve(problem_, islands, multipliers_);

  const auto& W = std::get<RigidOperator<D>>(problem_.W);
  displacement_.assign(W.bodies.size(), {});
  for (std::size_t i = 0; i < problem_.size(); ++i) {
    apply_percussion<D>(W.contacts[i], multipliers_.contact[i], W.bodies, displacement_);
  }
  parallel_for(bodies.size(), [&](std::size_t i) {
    displace<D>(displacement_[i].v, displacement_[i].omega, i, bodies);
  });
  std::swap(problem_.W, step_problem.W);
}

template class DriftCorrection<2>;
template class DriftCorrection<3>;

}  // namespace talus
