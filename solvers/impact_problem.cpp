#include "solvers/impact_problem.hpp"

#include <algorithm>

namespace talus {

template <int D>
std::vector<Vec<D>> contact_velocities(const ImpactProblem<D>& impact,
                                       std::span<const Twist<D>> v) {
  std::vector<Vec<D>> u;
  u.reserve(impact.size());
  for (const ContactRow<D>& row : impact.contacts)
    u.push_back(relative_velocity<D>(row, v[at(row.a)], v[at(row.b)]));
  return u;
}

template <int D>
std::vector<Twist<D>> velocities_after(const ImpactProblem<D>& impact,
                                       std::span<const Vec<D>> percussions) {
  std::vector<Twist<D>> v = impact.v_minus;
  for (std::size_t i = 0; i < impact.size(); ++i)
    apply_percussion<D>(impact.contacts[i], percussions[i], impact.bodies, v);
  return v;
}

template <int D>
double closing_speed(std::span<const Vec<D>> u_minus) {
  double fastest = 0;
  for (const Vec<D>& u : u_minus) fastest = std::max(fastest, -u[0]);
  return fastest;
}

#define TALUS_INSTANTIATE(D)                                                     \
  template std::vector<Vec<D>> contact_velocities<D>(const ImpactProblem<D>&,    \
                                                     std::span<const Twist<D>>); \
  template std::vector<Twist<D>> velocities_after<D>(const ImpactProblem<D>&,    \
                                                     std::span<const Vec<D>>);   \
  template double closing_speed<D>(std::span<const Vec<D>>);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
