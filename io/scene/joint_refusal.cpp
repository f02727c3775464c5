// SPDX-License-Identifier: Apache-2.0
#include "io/scene/joint_refusal.hpp"

#include <fmt/format.h>

#include "engine/outlook/joint_consistency.hpp"

namespace talus {

template <int D>
void refuse_contradicting_joints(const SceneDocument& document, const Scene<D>& scene,
                                 const Bodies<D>& bodies) {
  const int joint = contradicting_joint<D>(scene, bodies);
  if (joint < 0) return;
  throw document.error_at_joint(
      joint,
      fmt::format("joint '{}' cannot hold: together with the other joints, the motors and the "
                  "driven bodies it leaves no velocities that satisfy all of them",
                  scene.joints[static_cast<std::size_t>(joint)].name));
}

template void refuse_contradicting_joints<2>(const SceneDocument&, const Scene<2>&,
                                             const Bodies<2>&);
template void refuse_contradicting_joints<3>(const SceneDocument&, const Scene<3>&,
                                             const Bodies<3>&);

}  // namespace talus
