// SPDX-License-Identifier: Apache-2.0
#include "engine/step/correction.hpp"

#include "solvers/math/maximum.hpp"
#include "solvers/math/parallel.hpp"

namespace talus {

template <int D>
void CorrectionRecord<D>::begin(const Bodies<D>& bodies) {
  position_ = bodies.position;
  orientation_ = bodies.orientation;
  velocity_ = bodies.velocity;
  spin_ = bodies.spin;
}

template <int D>
void CorrectionRecord<D>::record(const Bodies<D>& bodies, double duration,
                                 Certificate& certificate) const {
  struct Sum {
    Vec<3> angular = Vec<3>::Zero();
    double distance = 0, turn = 0;

    void operator+=(const Sum& other) {
      angular += other.angular;
      distance = maximum(distance, other.distance);
      turn = maximum(turn, other.turn);
    }
  };
  const Sum sum = parallel_total<Sum>(bodies.size(), [&](std::size_t first, std::size_t last) {
    Sum part;
    for (std::size_t i = first; i < last; ++i) {
      if (!bodies.moves_freely(i)) continue;
      const Vec<D> moved = bodies.position[i] - position_[i];
      const Vec<D> off = moved - duration * (bodies.velocity[i] - velocity_[i]);
      const Spin<D> turned = rotation_between<D>(orientation_[i], bodies.orientation[i]);
      const Spin<D> spin_momentum =
          turned_inertia<D>(orientation_[i], bodies.inertia[i]) * spin_[i];
      const Spin<D> angular = moment<D>(moved, bodies.mass[i] * velocity_[i]) +
                              turned_spin<D>(spin_momentum, turned) - spin_momentum;
      part += {spin_in_space<D>(angular), off.norm(),
               turned.norm() + duration * (bodies.spin[i] - spin_[i]).norm()};
    }
    return part;
  });
  certificate.correction_angular_momentum_x = sum.angular[0];
  certificate.correction_angular_momentum_y = sum.angular[1];
  certificate.correction_angular_momentum_z = sum.angular[2];
  certificate.max_correction = sum.distance;
  certificate.max_correction_turn = sum.turn;
}

template class CorrectionRecord<2>;
template class CorrectionRecord<3>;

}  // namespace talus
