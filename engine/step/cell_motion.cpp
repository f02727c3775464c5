// SPDX-License-Identifier: Apache-2.0
#include "engine/step/cell_motion.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/math/parallel.hpp"
#include "solvers/problem/with_gradient.hpp"

namespace talus {

namespace {

template <int D>
Mat<D> imposed_stress(const Cell<D>& cell, double t, Readings readings) {
  Mat<D> stress = Mat<D>::Zero();
  for (int i = 0; i < D; ++i)
    for (int j = i; j < D; ++j)
      if (const auto& signal = cell.stress[at(i)][at(j)])
        stress(i, j) = value(*signal, t, readings);
  return stress;
}

}  // namespace

template <int D>
Mat<D> prescribed_gradient(const Cell<D>& cell, double t, Readings readings) {
  Mat<D> L = Mat<D>::Zero();
  for (int i = 0; i < D; ++i)
    for (int j = i; j < D; ++j)
      if (const auto& signal = cell.gradient[at(i)][at(j)]) L(i, j) = value(*signal, t, readings);
  return L;
}

template <int D>
Mat<D> free_gradient(const Bodies<D>& bodies, const Scene<D>& scene, const Mat<D>& inverse_inertia,
                     double t, double theta, Readings readings) {
  const Cell<D>& cell = *scene.cell;
  Mat<D> L = prescribed_gradient<D>(cell, t + scene.h, readings);
  if (!cell.is_free()) return L;
  const Mat<D> push =
      scene.h * bodies.lattice.volume() * imposed_stress<D>(cell, t + theta * scene.h, readings);
  for (int i = 0; i < D; ++i)
    for (int j = i; j < D; ++j)
      if (cell.stress[at(i)][at(j)])
        L(i, j) = bodies.lattice.L(i, j) - inverse_inertia(i, j) * push(i, j);
  return L;
}

template <int D>
Mat<D> inverse_cell_inertia(const Bodies<D>& bodies, const Scene<D>& scene) {
  Mat<D> inverse = Mat<D>::Zero();
  if (!scene.cell) return inverse;
  double mass = 0;
  for (const double m : bodies.mass) mass += m;
  mass = scene.cell->mass.value_or(mass);
  for (int i = 0; i < D; ++i)
    for (int j = i; j < D; ++j)
      if (scene.cell->stress[at(i)][at(j)])
        inverse(i, j) = 12 / (mass * scene.cell->size[j] * scene.cell->size[j]);
  return inverse;
}

template <int D>
double cell_acceleration(const Bodies<D>& bodies, const Scene<D>& scene,
                         const Mat<D>& inverse_inertia, double t, Readings readings) {
  if (!scene.cell || !scene.cell->is_free()) return 0;
  const Mat<D> rate = bodies.lattice.volume() *
                      imposed_stress<D>(*scene.cell, t, readings).cwiseProduct(inverse_inertia);
  return (rate * bodies.lattice.A.diagonal().asDiagonal()).cwiseAbs().maxCoeff();
}

template <int D>
void add_cell(const Mat<D>& inverse_inertia, const StepData<D>& step, ContactProblem<D>& problem) {
  static thread_local std::vector<Vec<D>> room;  // kept, so that later steps allocate nothing
  std::vector<Vec<D>>& offsets = room;
  offsets.resize(step.contacts.size());
  for (std::size_t i = 0; i < offsets.size(); ++i) offsets[i] = step.contacts[i].contact.offset;
  with_gradient<D>(step.problem, inverse_inertia, offsets, problem);
}

template <int D>
Mat<D> gradient_after(const Mat<D>& inverse_inertia, const StepData<D>& step) {
  const auto& W = std::get<RigidOperator<D>>(step.problem.W);
  struct Sum {
    Mat<D> pushes = Mat<D>::Zero();
    void operator+=(const Sum& other) { pushes += other.pushes; }
  };
  const Sum sum =
      parallel_total<Sum>(step.contacts.size(), [&](std::size_t first, std::size_t last) {
        Sum part;
        for (std::size_t i = first; i < last; ++i) {
          const Vec<D>& offset = step.contacts[i].contact.offset;
          if (offset.isZero(0)) continue;
          part.pushes += W.contacts[i].frame * step.percussions.contact[i] * offset.transpose();
        }
        return part;
      });
  return step.cell.free + inverse_inertia.cwiseProduct(sum.pushes);
}

#define TALUS_INSTANTIATE(D)                                                                     \
  template Mat<D> free_gradient<D>(const Bodies<D>&, const Scene<D>&, const Mat<D>&, double,     \
                                   double, Readings);                                            \
  template Mat<D> prescribed_gradient<D>(const Cell<D>&, double, Readings);                      \
  template Mat<D> inverse_cell_inertia<D>(const Bodies<D>&, const Scene<D>&);                    \
  template double cell_acceleration<D>(const Bodies<D>&, const Scene<D>&, const Mat<D>&, double, \
                                       Readings);                                                \
  template void add_cell<D>(const Mat<D>&, const StepData<D>&, ContactProblem<D>&);              \
  template Mat<D> gradient_after<D>(const Mat<D>&, const StepData<D>&);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
