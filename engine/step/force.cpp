// SPDX-License-Identifier: Apache-2.0
#include "engine/step/force.hpp"

#include "solvers/math/parallel.hpp"

namespace talus {

namespace {

// A point of a body, given in the frame the body was described in, as an arm from the mass centre.
template <int D>
Vec<D> arm_of(const Bodies<D>& bodies, int body, const Vec<D>& point) {
  return rotation_matrix<D>(bodies.orientation[at(body)]) *
         (bodies.origin_offset[at(body)] + point);
}

// The two ends of a spring: arms from the mass centres, and the vector from one to the other.
template <int D>
struct SpringEnds {
  Vec<D> arm_a, arm_b = Vec<D>::Zero();
  Vec<D> span;  // from a to b [m]
};

template <int D>
SpringEnds<D> ends_of(const Bodies<D>& bodies, const Spring<D>& spring) {
  SpringEnds<D> ends;
  ends.arm_a = arm_of<D>(bodies, spring.a, spring.anchor_a);
  Vec<D> end_b = spring.anchor_b;
  if (spring.b >= 0) {
    ends.arm_b = arm_of<D>(bodies, spring.b, spring.anchor_b);
    end_b = bodies.position[at(spring.b)] + ends.arm_b;
  }
  ends.span = end_b - bodies.position[at(spring.a)] - ends.arm_a;
  return ends;
}

}  // namespace

template <int D>
void external_impulses(const Bodies<D>& bodies, const Scene<D>& scene, double t, Readings readings,
                       std::vector<Impulse<D>>& impulses) {
  impulses.resize(bodies.size());
  parallel_for(bodies.size(), [&](std::size_t i) {
    impulses[i] = {scene.h * bodies.mass[i] * scene.gravity, Spin<D>::Zero()};
  });
  for (const AppliedForce<D>& force : scene.forces) {
    if (!bodies.moves_freely(at(force.body))) continue;
    const bool pressure = force.area > 0;
    const double magnitude =
        scene.h * (pressure ? force.area : 1) * value(force.signal, t, readings);
    const Vec<D> direction =
        pressure ? Vec<D>(rotation_matrix<D>(bodies.orientation[at(force.body)]) * force.direction)
                 : force.direction;
    Impulse<D>& impulse = impulses[at(force.body)];
    impulse.linear += magnitude * direction;
    impulse.angular +=
        magnitude * (force.axis + moment<D>(arm_of<D>(bodies, force.body, force.point), direction));
  }
}

template <int D>
void spring_rows(const Bodies<D>& bodies, const Scene<D>& scene, std::span<const Twist<D>> v_minus,
                 std::span<const Twist<D>> v_free, std::vector<LinearRow<D>>& rows,
                 std::vector<double>& guess) {
  rows.clear();
  guess.clear();
  const double h = scene.h, theta = scene.theta;
  const int world = static_cast<int>(bodies.size());
  for (const Spring<D>& spring : scene.springs) {
    const double k = spring.stiffness, c = spring.damping;
    const double S = h * h * theta * theta * k + h * theta * c;
    if (S == 0) continue;
    const SpringEnds<D> ends = ends_of<D>(bodies, spring);
    const auto add_row = [&](const Vec<D>& direction, double stretch) {
      LinearRow<D> row;
      row.a = spring.a;
      row.b = spring.b >= 0 ? spring.b : world;
      row.direction = direction;
      row.moment_a = moment<D>(ends.arm_a, direction);
      row.moment_b = moment<D>(ends.arm_b, direction);
      const double u_minus = relative_velocity<D>(row, v_minus[at(row.a)], v_minus[at(row.b)]);
      const double u_free = relative_velocity<D>(row, v_free[at(row.a)], v_free[at(row.b)]);
      const double p0 =
          h * (k * (stretch - h * (1 - theta) * (1 - theta) * u_minus) + c * (1 - theta) * u_minus);
      row.compliance = 1 / S;
      row.bias = u_free + p0 / S;
      rows.push_back(row);
      guess.push_back(-p0);
    };
    const double length = ends.span.norm();
    if (spring.rest_length > 0 && length > 0) {
      add_row(ends.span / length, length - spring.rest_length);
    } else if (spring.rest_length == 0) {
      for (int i = 0; i < D; ++i) add_row(Vec<D>::Unit(i), ends.span[i]);
    }
  }
}

template <int D>
double spring_energy(const Bodies<D>& bodies, const Scene<D>& scene) {
  double energy = 0;
  for (const Spring<D>& spring : scene.springs) {
    const double stretch = ends_of<D>(bodies, spring).span.norm() - spring.rest_length;
    energy += 0.5 * spring.stiffness * stretch * stretch;
  }
  return energy;
}

#define TALUS_INSTANTIATE(D)                                                                 \
  template void external_impulses<D>(const Bodies<D>&, const Scene<D>&, double, Readings,    \
                                     std::vector<Impulse<D>>&);                              \
  template void spring_rows<D>(const Bodies<D>&, const Scene<D>&, std::span<const Twist<D>>, \
                               std::span<const Twist<D>>, std::vector<LinearRow<D>>&,        \
                               std::vector<double>&);                                        \
  template double spring_energy<D>(const Bodies<D>&, const Scene<D>&);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
