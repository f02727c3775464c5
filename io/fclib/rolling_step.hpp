// SPDX-License-Identifier: Apache-2.0
// A step whose contacts pass moments as a file: FCLib has a global form for rolling friction,
//     M v = H r + G λ,   Gᵀ v + b = 0,   u = Hᵀ v + w,
// with v what the percussions add to the velocities of the bodies, w the velocities at no
// percussion, and (N, T₁(, T₂), moments about T₁(, T₂)) for each contact, in the plane the one
// moment there is. μ_r of the file is the length r [m] of rolling.hpp.
#pragma once

#include "io/fclib/fclib.hpp"

namespace talus {

// With the percussions as its solution. Throws InputError for what FCLib has no form for: spinning
// friction, compliant contacts or rows, rows that are not bilateral, and bodies that turn about
// some axes only.
template <int D>
FclibFile fclib_rolling_step(const ContactProblem<D>& problem, const Percussions<D>& p);

}  // namespace talus
