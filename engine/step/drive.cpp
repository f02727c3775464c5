// SPDX-License-Identifier: Apache-2.0
#include "engine/step/drive.hpp"

namespace talus {

template <int D>
std::vector<DrivenBody<D>> driven_bodies(const Scene<D>& scene, const Bodies<D>& bodies) {
  std::vector<DrivenBody<D>> driven;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (scene.bodies[i].drives.empty()) continue;
    driven.push_back(
        {static_cast<int>(i), scene.bodies[i].drives, bodies.position[i], bodies.orientation[i]});
  }
  return driven;
}

template <int D>
Twist<D> prescribed_velocity(const DrivenBody<D>& driven, double t, Readings readings) {
  using Kind = typename Drive<D>::Kind;
  Twist<D> twist;
  for (const Drive<D>& drive : driven.drives) {
    switch (drive.kind) {
      case Kind::velocity:
        twist.v += value(drive.signal, t, readings) * drive.direction;
        break;
      case Kind::position:
        twist.v += derivative(drive.signal, t) * drive.direction;
        break;
      case Kind::spin:
        twist.omega += value(drive.signal, t, readings) * drive.axis;
        break;
      case Kind::angle:
        twist.omega += derivative(drive.signal, t) * drive.axis;
        break;
    }
  }
  return twist;
}

template <int D>
void place(const DrivenBody<D>& driven, double t, Vec<D>& position, Orientation<D>& orientation) {
  using Kind = typename Drive<D>::Kind;
  for (const Drive<D>& drive : driven.drives) {
    const double moved = value(drive.signal, t) - value(drive.signal, 0);
    if (drive.kind == Kind::position) {
      const double error = moved - (position - driven.start_position).dot(drive.direction);
      position += error * drive.direction;
    } else if (drive.kind == Kind::angle) {
      orientation = rotated<D>(driven.start_orientation, moved * drive.axis);
    }
  }
}

#define TALUS_INSTANTIATE(D)                                                               \
  template std::vector<DrivenBody<D>> driven_bodies<D>(const Scene<D>&, const Bodies<D>&); \
  template Twist<D> prescribed_velocity<D>(const DrivenBody<D>&, double, Readings);        \
  template void place<D>(const DrivenBody<D>&, double, Vec<D>&, Orientation<D>&);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
