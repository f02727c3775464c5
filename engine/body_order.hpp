// In which order the solver keeps the bodies.
#pragma once

#include <vector>

#include "engine/bodies.hpp"
#include "engine/space_curve.hpp"

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
