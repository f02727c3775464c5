#include "solvers/impact_judgement.hpp"

#include <algorithm>
#include <cmath>

namespace talus {

template <int D>
ImpactJudgement judge_impact(std::span<const ImpactRecord<D>> contacts, double missed) {
  double fastest = 0, largest = 0, turned_over = 0, gained = 0;
  ImpactJudgement judgement;
  for (const ImpactRecord<D>& contact : contacts) {
    const Vec<D>& p = contact.percussion;
    fastest = std::max(fastest, -contact.u_minus[0]);
    largest = std::max(largest, p.norm());
    turned_over += 0.5 * std::abs(p.dot(contact.u_minus));
    gained += contact.work() + 0.5 * p.dot(contact.smooth) - p.norm() * missed;
    judgement.work += contact.work();
    judgement.closing = std::max(judgement.closing, -contact.u_plus[0] - missed);
    const double beyond = p.template tail<D - 1>().norm() - contact.friction * std::max(p[0], 0.0);
    judgement.cone = std::max({judgement.cone, -p[0], beyond});
  }
  if (fastest > 0) judgement.closing /= fastest;
  if (largest > 0) judgement.cone /= largest;
  turned_over = std::max(turned_over, 0.5 * largest * fastest);
  if (turned_over > 0) judgement.gain = std::max(0.0, gained) / turned_over;
  return judgement;
}

template ImpactJudgement judge_impact<2>(std::span<const ImpactRecord<2>>, double);
template ImpactJudgement judge_impact<3>(std::span<const ImpactRecord<3>>, double);

}  // namespace talus
