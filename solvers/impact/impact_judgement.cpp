// SPDX-License-Identifier: Apache-2.0
#include "solvers/impact/impact_judgement.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/math/maximum.hpp"

namespace talus {

template <int D>
ImpactJudgement judge_impact(std::span<const ImpactRecord<D>> contacts, double missed) {
  double fastest = 0, largest = 0, turned_over = 0, gained = 0;
  ImpactJudgement judgement;
  for (const ImpactRecord<D>& contact : contacts) {
    const Vec<D>& p = contact.percussion;
    fastest = maximum(fastest, -contact.u_minus[0]);
    largest = maximum(largest, p.norm());
    turned_over += 0.5 * std::abs(p.dot(contact.u_minus));
    gained += contact.work() + 0.5 * p.dot(contact.smooth) - p.norm() * missed;
    judgement.work += contact.work();
    // Where a contact slides, an error e of the law û + μ‖û_T‖ n means u_N = −e √(1 + μ²).
    const double may_close = contact.restitution * std::max(0.0, contact.u_minus[0]) +
                             missed * std::hypot(1.0, contact.friction);
    judgement.closing = maximum(judgement.closing, -contact.u_plus[0] - may_close);
    const double beyond = p.template tail<D - 1>().norm() - contact.friction * std::max(p[0], 0.0);
    judgement.cone = maximum(maximum(judgement.cone, -p[0]), beyond);
  }
  if (fastest > 0) judgement.closing /= fastest;
  if (largest > 0) judgement.cone /= largest;
  turned_over = maximum(turned_over, 0.5 * largest * fastest);
  if (!(turned_over <= 0)) judgement.gain = maximum(0.0, gained) / turned_over;
  return judgement;
}

template ImpactJudgement judge_impact<2>(std::span<const ImpactRecord<2>>, double);
template ImpactJudgement judge_impact<3>(std::span<const ImpactRecord<3>>, double);

}  // namespace talus
