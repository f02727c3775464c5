// SPDX-License-Identifier: Apache-2.0
// The motion of a periodic cell (model/cell.hpp): its velocity gradient L, of which every component
// is prescribed or free. A free one works against a stress that is imposed on it, and is a velocity
// of the contact problem beside those of the bodies.
#pragma once

#include <span>

#include "engine/model/bodies.hpp"
#include "engine/model/contact.hpp"
#include "engine/model/scene.hpp"
#include "engine/step/step_data.hpp"

namespace talus {

// L of the free components before the contact problem, and what is prescribed of the others, at t.
//
// With the inertia M_ij of a component and the stress σ, pressure positive, whose power is −V σ :
// L,
//     M_ij (L_ij⁺ − L_ij⁻) = −h V σ_ij + Σ P_i (A n)_j ,
// for a contact with the image at A n has the velocity … + L A n. Where nothing moves, Σ P_i (A
// n)_j = Σ P_i ℓ_j with the branches ℓ, so the stress of the contacts (measure/region_measures.hpp)
// is σ.
template <int D>
Mat<D> free_gradient(const Bodies<D>& bodies, const Scene<D>& scene, const Mat<D>& inverse_inertia,
                     double t, double theta, Readings readings);

// What is prescribed at t, zero for the free components.
template <int D>
Mat<D> prescribed_gradient(const Cell<D>& cell, double t, Readings readings);

// 1/M_ij of the free components, zero for others [1/(kg m²)]: M_ij = m s_j²/12, that of a mass m,
// by default of all bodies that move freely, spread over a cell with the side s_j, in the motion L
// x.
template <int D>
Mat<D> inverse_cell_inertia(const Bodies<D>& bodies, const Scene<D>& scene);

// An acceleration that the imposed stress gives the sides of the cell [m/s²]: as gravity does in
// other scenes, it says how fast a contact closes in a step. Zero without one.
template <int D>
double cell_acceleration(const Bodies<D>& bodies, const Scene<D>& scene,
                         const Mat<D>& inverse_inertia, double t, Readings readings);

// The contact problem with the free components of L as velocities, in factored form.
template <int D>
void add_cell(const Mat<D>& inverse_inertia, const StepData<D>& step, ContactProblem<D>& problem);

// L⁺ = L_free + M⁻¹ Σ P (A n)ᵀ
template <int D>
Mat<D> gradient_after(const Mat<D>& inverse_inertia, const StepData<D>& step);

}  // namespace talus
