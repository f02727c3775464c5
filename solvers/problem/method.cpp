// SPDX-License-Identifier: Apache-2.0
#include "solvers/problem/method.hpp"

namespace talus {

namespace {

constexpr MethodName names[] = {
    {Method::automatic, "auto"},          {Method::nsgs, "nsgs"},
    {Method::anderson, "anderson"},       {Method::nncg, "nncg"},
    {Method::alternating, "alternating"}, {Method::proximal, "proximal"},
    {Method::newton, "newton"},           {Method::interior_point, "interior-point"},
    {Method::de_saxce, "de-saxce"},       {Method::admm, "admm"},
    {Method::release, "release"},
};

}  // namespace

std::span<const MethodName> method_names() { return names; }

std::string_view name_of(Method method) {
  for (const MethodName& entry : names)
    if (entry.method == method) return entry.name;
  return "momentum";
}

}  // namespace talus
