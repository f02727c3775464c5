// SPDX-License-Identifier: Apache-2.0
// The methods that contact problems are solved with, by the names that the command line and reports
// give them.
#pragma once

#include <span>
#include <string_view>

namespace talus {

enum class Method {
  automatic,
  nsgs,            // Gauss–Seidel, plain
  anderson,        // accelerated by Anderson's method
  nncg,            // accelerated by nonlinear conjugate gradients
  momentum,        // accelerated with momentum, with less memory; rigid problems only
  alternating,     // forward and backward sweeps in turn
  proximal,        // proximal point, each step by semismooth Newton
  newton,          // the same from next to no regularisation
  interior_point,  // De Saxcé's term inside the Newton system
  de_saxce,        // De Saxcé's fixed point around convex interior-point solves
  admm,
  release,  // Newton, without contacts that press although they part
};

struct MethodName {
  Method method;
  std::string_view name;
};

// Of those that solve a problem in any form.
std::span<const MethodName> method_names();
std::string_view name_of(Method method);

}  // namespace talus
