// SPDX-License-Identifier: Apache-2.0
// Formulas in scenes: their values against the same formulas in C++, their derivatives against
// differences.
#include "engine/model/expression.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "io/scene/scene_reader.hpp"

using namespace talus;

namespace {

Expression parsed(const std::string& formula) {
  const std::string text = fmt::format(
      "dimension = 3\ntime = {{ step = 1, end = 1 }}\ndynamics = \"sweeping\"\n"
      "material.any = {{ density = 1, friction = 0 }}\n[[set]]\ninside = \"{}\"\n",
      formula);
  return std::get<Scene<3>>(read_scene_text(text, "formula", {}).scene).bodies.front().set.front();
}

struct Case {
  std::string formula;
  std::function<double(double, double, double, double)> f;
};

}  // namespace

TEST_CASE("formulas have the values and the derivatives they say") {
  const Case cases[] = {
      {"1 - 2 - 3*x/y/2", [](double, double x, double y, double) { return -1 - 1.5 * x / y; }},
      {"-x^2 + 2^-y", [](double, double x, double y, double) { return -x * x + std::exp2(-y); }},
      {"2^3^0.5*z", [](double, double, double, double z) { return std::pow(2, std::sqrt(3)) * z; }},
      {"(x - 1)^3 - (-y)^2",
       [](double, double x, double y, double) { return std::pow(x - 1, 3) - y * y; }},
      {"x^y", [](double, double x, double y, double) { return std::pow(x, y); }},
      {"sqrt(x^2 + y^2) - 1.5e-1*t",
       [](double t, double x, double y, double) { return std::hypot(x, y) - 0.15 * t; }},
      {"sin(2*pi*t)*cos(x) + tan(y/2)",
       [](double t, double x, double y, double) {
         return std::sin(2 * M_PI * t) * std::cos(x) + std::tan(y / 2);
       }},
      {"exp(-x)*log(y) + tanh(z)",
       [](double, double x, double y, double z) {
         return std::exp(-x) * std::log(y) + std::tanh(z);
       }},
      {"atan2(y, x) + atan(z)",
       [](double, double x, double y, double z) { return std::atan2(y, x) + std::atan(z); }},
      {"max(x, y) - min(z, t) + abs(x - y)",
       [](double t, double x, double y, double z) {
         return std::max(x, y) - std::min(z, t) + std::abs(x - y);
       }},
  };
  const std::array<double, 4> at = {0.37, 0.81, 1.46, -0.62};
  constexpr double d = 1e-6;
  for (const Case& c : cases) {
    INFO(c.formula);
    const Expression::Value value = parsed(c.formula)(at);
    CHECK(value.f == doctest::Approx(c.f(at[0], at[1], at[2], at[3])).epsilon(1e-14));
    for (std::size_t i = 0; i < 4; ++i) {
      std::array<double, 4> more = at, less = at;
      more[i] += d, less[i] -= d;
      const double slope =
          (c.f(more[0], more[1], more[2], more[3]) - c.f(less[0], less[1], less[2], less[3])) /
          (2 * d);
      CHECK(value.slope[i] == doctest::Approx(slope).epsilon(1e-7));
    }
  }
}
