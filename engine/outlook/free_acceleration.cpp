// SPDX-License-Identifier: Apache-2.0
#include "engine/outlook/free_acceleration.hpp"

#include <cmath>
#include <numbers>

#include "engine/step/assembly.hpp"
#include "engine/step/force.hpp"

namespace talus {

namespace {

// From the right, as derivative() is: zero for tables, whose slope jumps at their points.
double second_derivative(const Signal& signal, double t) {
  const auto* const wave = std::get_if<Sinusoid>(&signal);
  if (wave == nullptr) return 0;
  const double omega = 2 * std::numbers::pi * wave->frequency;
  return -wave->amplitude * omega * omega * std::sin(omega * t + wave->phase);
}

template <int D>
Twist<D> prescribed_acceleration(std::span<const Drive<D>> drives, double t) {
  using Kind = typename Drive<D>::Kind;
  Twist<D> a;
  for (const Drive<D>& drive : drives) {
    switch (drive.kind) {
      case Kind::velocity:
        a.v += derivative(drive.signal, t) * drive.direction;
        break;
      case Kind::position:
        a.v += second_derivative(drive.signal, t) * drive.direction;
        break;
      case Kind::spin:
        a.omega += derivative(drive.signal, t) * drive.axis;
        break;
      case Kind::angle:
        a.omega += second_derivative(drive.signal, t) * drive.axis;
        break;
    }
  }
  return a;
}

}  // namespace

template <int D>
std::vector<Twist<D>> free_accelerations(const Scene<D>& scene, const Bodies<D>& bodies, double t,
                                         std::span<const Twist<D>> v) {
  std::vector<Impulse<D>> impulses;
  external_impulses<D>(bodies, scene, t, {}, impulses);
  for (Impulse<D>& impulse : impulses) {
    impulse.linear /= scene.h;
    impulse.angular /= scene.h;
  }
  std::vector<MassBlock<D>> mass;
  mass_blocks<D>(bodies, scene, mass);
  std::vector<Twist<D>> a(bodies.size() + 1);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if constexpr (D == 3) {
      const Vec<3> momentum =
          turned_inertia<3>(bodies.orientation[i], bodies.inertia[i]) * bodies.spin[i];
      impulses[i].angular -= cross<3>(bodies.spin[i], momentum);
    }
    a[i].v = mass[i].inverse_mass * impulses[i].linear;
    a[i].omega = mass[i].inverse_inertia * impulses[i].angular;
  }
  // The force −k (ℓ − ℓ₀) − c ℓ̇ of a spring is the limit of its row for a vanishing step.
  Scene<D> instant = scene;
  instant.h = 1e-9;
  instant.theta = 1;
  std::vector<LinearRow<D>> rows;
  std::vector<double> guess;
  spring_rows<D>(bodies, instant, v, v, rows, guess);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double rate = relative_velocity<D>(rows[i], v[at(rows[i].a)], v[at(rows[i].b)]);
    apply_percussion<D>(rows[i], (guess[i] - rate / rows[i].compliance) / instant.h, mass, a);
  }
  for (std::size_t i = 0; i < scene.bodies.size(); ++i)
    if (!scene.bodies[i].drives.empty())
      a[i] = prescribed_acceleration<D>(scene.bodies[i].drives, t);
  return a;
}

template std::vector<Twist<2>> free_accelerations<2>(const Scene<2>&, const Bodies<2>&, double,
                                                     std::span<const Twist<2>>);
template std::vector<Twist<3>> free_accelerations<3>(const Scene<3>&, const Bodies<3>&, double,
                                                     std::span<const Twist<3>>);

}  // namespace talus
