// SPDX-License-Identifier: Apache-2.0
#include "tests/physics/rocking.hpp"

using namespace talus;
using namespace talus::physics;

TEST_CASE_TEMPLATE("a rocking block turns over its edge and loses what Housner says", Dim, Plane,
                   Solid) {
  constexpr int D = Dim::value;
  struct Row {
    double b, height, tilt, time, before, after, peak;
  };
  for (const Row& row : {Row{0.25, 1.0, 0.5, 0.493803, 0.565045, 0.515188, 0.094737},
                         Row{0.25, 1.0, 0.9, 1.120864, 0.649578, 0.592262, 0.142113},
                         Row{0.1, 0.5, 0.5, 0.347094, 0.648049, 0.610662, 0.083339},
                         Row{0.5, 1.0, 0.5, 0.516630, 1.018535, 0.712974, 0.095651}}) {
    const Rocking rocking{row.b, row.height, row.tilt};
    const RockingResult got = rock<D>(rocking, 1e-4);
    const std::string name =
        "A17 b = " + std::to_string(row.b) + ", tilt " + std::to_string(row.tilt) + ", ";
    compare(name + "quadrature of the first impact [s]", rocking.first_impact(), row.time, 1e-6);
    compare(name + "first impact [s]", got.impact, row.time, 2e-3 * row.time);
    compare(name + "spin before [rad/s]", got.spin_before, row.before, 5e-3 * row.before);
    const double ratio = 1 - 1.5 * std::pow(std::sin(rocking.alpha()), 2);
    compare(name + "spin after over before", got.spin_after / got.spin_before, ratio, 5e-3 * ratio);
    compare(name + "next peak [rad]", got.peak, row.peak, 0.015 * row.peak);
  }
}
