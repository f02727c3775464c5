// SPDX-License-Identifier: Apache-2.0
#include "engine/model/material.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/math/index.hpp"

namespace talus {

namespace {

double at_speed(const PowerOfSpeed& power, double v) {
  if (power.exponent == 0) return power.value;
  return v > 0 ? std::min(1.0, power.value * std::pow(v / power.speed, -power.exponent))
               : (power.value > 0 ? 1.0 : 0.0);
}

double at_speed(const TableOfSpeed& table, double v) {
  if (v <= table.speed.front()) return table.value.front();
  if (v >= table.speed.back()) return table.value.back();
  const auto after = std::upper_bound(table.speed.begin(), table.speed.end(), v);
  const auto k = static_cast<std::size_t>(after - table.speed.begin());
  const double part = (v - table.speed[k - 1]) / (table.speed[k] - table.speed[k - 1]);
  return (1 - part) * table.value[k - 1] + part * table.value[k];
}

}  // namespace

double coefficient_at(const CoefficientOfSpeed& coefficient, double speed) {
  return std::visit([&](const auto& form) { return at_speed(form, speed); }, coefficient);
}

ContactLaw law_by_speed(ContactLaw law, std::span<const CoefficientOfSpeed> coefficients,
                        double speed) {
  const double v = std::max(speed, 0.0);
  if (law.restitution_of_speed >= 0)
    law.restitution = coefficient_at(coefficients[at(law.restitution_of_speed)], v);
  if (law.tangential_restitution_of_speed >= 0)
    law.tangential_restitution =
        coefficient_at(coefficients[at(law.tangential_restitution_of_speed)], v);
  return law;
}

}  // namespace talus
