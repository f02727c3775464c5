// SPDX-License-Identifier: Apache-2.0
// A contact problem in which the velocity gradient of a periodic cell takes part: besides the
// bodies every contact is moved by L d, where d is the way to the image that its second body is,
// zero for most. The components of L have an inertia of their own, so the whole is û = W p + b
// again, with a W of a few velocities that many contacts share. It is in factored form: what sweeps
// keep and what a factorisation needs.
#pragma once

#include <span>
#include <vector>

#include "solvers/problem/contact_problem.hpp"

namespace talus {

// The rigid problem must have no linear rows and no moments. inverse_inertia: of the components of
// L, zero for those that are prescribed. d: of every contact.
template <int D>
void with_gradient(const ContactProblem<D>& rigid, const Mat<D>& inverse_inertia,
                   std::span<const Vec<D>> d, ContactProblem<D>& problem);

}  // namespace talus
