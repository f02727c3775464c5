// SPDX-License-Identifier: Apache-2.0
#include "engine/outlook/monitor.hpp"

#include "engine/outlook/active_constraints.hpp"
#include "solvers/analysis/well_posedness.hpp"

namespace talus {

namespace {

constexpr double most_modes = 512;
constexpr int most_visits = 2000;
constexpr Eigen::Index small = 16, most_dense = 100;

}  // namespace

template <int D>
ContactRegion contact_region(const Scene<D>& scene, const Bodies<D>& bodies, double t) {
  const ContactSystem system = active_constraints<D>(scene, bodies, t).system;
  const ConstraintSet& u = system.unilateral;
  bool slips = false;
  for (const ConstraintSet* set : {&system.bilateral, &u})
    for (Eigen::Index i = 0; i < set->size(); ++i)
      slips = slips || (set->friction[i] > 0 && set->slip.col(i).squaredNorm() > 0);
  if (!slips) return ContactRegion::regular;

  if (system.bilateral.size() <= most_dense) {
    const PainleveRatio painleve = painleve_ratios(system);
    for (Eigen::Index i = 0; i < u.size(); ++i)
      if (u.slip.col(i).squaredNorm() > 0 && painleve.ratio[i] >= 1)
        return ContactRegion::paradoxical;
  }
  if (system.size() <= small && mode_count(system) <= most_modes) {
    const ModeList modes = enumerate_modes(system, most_visits);
    if ((modes.complete || !modes.solutions.empty()) && !one_acceleration(modes))
      return ContactRegion::paradoxical;
  }
  return sliding_is_P(system, most_dense) == Verdict::yes ? ContactRegion::regular
                                                          : ContactRegion::not_unique;
}

template ContactRegion contact_region<2>(const Scene<2>&, const Bodies<2>&, double);
template ContactRegion contact_region<3>(const Scene<3>&, const Bodies<3>&, double);

}  // namespace talus
