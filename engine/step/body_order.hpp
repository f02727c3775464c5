// SPDX-License-Identifier: Apache-2.0
// The order of the bodies in the solver: along Morton's space-filling curve.
#pragma once

#include <vector>

#include "engine/geometry/space_curve.hpp"
#include "engine/model/bodies.hpp"

namespace talus {

// The bodies along the curve, as RigidOperator::body_order asks for it, from their positions alone:
// what a run does next does not depend on when it was resumed. Empty for few bodies, which no order
// makes faster.
template <int D>
class BodyOrder {
 public:
  void find(const Bodies<D>& bodies, std::vector<int>& order);

 private:
  std::vector<CurvePlace> places_;  // as they were last: a short way to where they are now
  std::vector<CurvePlace> scratch_;
};

}  // namespace talus
