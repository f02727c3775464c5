// SPDX-License-Identifier: Apache-2.0
#include "engine/step/compliant.hpp"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

// Mean of max(0, x)ⁿ over [a, b].
double mean_of_power(double a, double b, double n) {
  const double middle = std::max(0.5 * (a + b), 0.0);
  if (std::abs(b - a) <= 1e-6 * std::max(std::abs(a), std::abs(b)))
    return middle > 0 ? std::pow(middle, n) : 0;
  const auto integral = [&](double x) { return x > 0 ? std::pow(x, n + 1) / (n + 1) : 0; };
  return (integral(b) - integral(a)) / (b - a);
}

}  // namespace

// The oscillator ÿ + 2ζẏ + y = 0 from y = 0, ẏ = 1 to the time T at which ÿ = 0, where the force
// ends. Below critical damping tan(√(1−ζ²) T) = −2ζ√(1−ζ²)/(1−2ζ²), and there −ẏ = exp(−ζT).
double restitution_of(double zeta) {
  const double root = std::sqrt(std::abs(1 - zeta * zeta));
  if (root < 1e-6) return std::exp(-2.0);
  if (zeta > 1) return std::exp(-zeta / root * 2 * std::atanh(root / zeta));
  const double phase = M_PI - std::atan2(2 * zeta * root, 1 - 2 * zeta * zeta);
  return std::exp(-zeta / root * phase);
}

double damping_ratio_of(double restitution) {
  if (restitution >= 1) return 0;
  double low = 0, high = 1;
  while (restitution_of(high) > restitution) high *= 2;
  for (int k = 0; k < 200; ++k) {
    const double middle = 0.5 * (low + high);
    (restitution_of(middle) > restitution ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

SpringResponse spring_response(const ContactLaw& law, double gap, double u_minus,
                               double inverse_mass, double h) {
  const double k = law.normal_stiffness, w = law.exponent;
  const double x = -gap, way = -h * u_minus;
  const double k_t = w * k * std::pow(std::max(x, x + way), w - 1);
  const double omega_squared = h * h * inverse_mass * k_t;
  const double s = omega_squared / (1 + omega_squared), phi = 0.5 * (1 - s);
  const double ahead = x + s * way;
  const double spring = k * mean_of_power(ahead - 0.5 * way, ahead + 0.5 * way, w);
  const double gamma = law.damping_ratio * std::sqrt(2 * (w + 1) * k / inverse_mass);
  const double c = gamma * mean_of_power(x - 0.5 * way, x + 0.5 * way, 0.5 * (w - 1));
  const double slope = s * h * k_t + c * (1 - phi);  // of P/h over −u⁺
  return {1 / (h * slope), -(spring + (s * h * k_t - c * phi) * u_minus) / slope};
}

}  // namespace talus
