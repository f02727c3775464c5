// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/region_measures.hpp"

#include "solvers/math/parallel.hpp"

namespace talus {

namespace {

// Σ f(i), summed in the order of chunks, whatever the number of threads.
template <class T, class F>
T chunked_sum(std::size_t count, const T& zero, std::vector<T>& sums, F f) {
  sums.assign((count + chunk_length - 1) / chunk_length, zero);
  parallel_chunks(count, [&](std::size_t chunk, std::size_t first, std::size_t last) {
    T sum = zero;
    for (std::size_t i = first; i < last; ++i) f(chunk, i, sum);
    sums[chunk] = sum;
  });
  T total = zero;
  for (const T& sum : sums) total += sum;
  return total;
}

template <int D>
bool is_grain_within(const CutRegion<D>& region, const Bodies<D>& bodies, std::size_t i) {
  return bodies.moves_freely(i) && region.contains(bodies.position[i]);
}

template <int D>
void find_volumes(const Bodies<D>& bodies, std::vector<double>& volumes) {
  while (volumes.size() < bodies.geometries.size())
    volumes.push_back(mass_properties<D>(bodies.geometries[volumes.size()].shapes).volume);
}

// Position of the bounding ball of a body: −1 outside the region, 1 inside, 0 across a face.
template <int D>
int place_of_bounding_ball(const CutRegion<D>& region, const Vec<D>& centre, double radius) {
  const Polytope<D>& faces = region.polytope;
  int place = 1;
  for (std::size_t f = 0; f < faces.normals.size(); ++f) {
    const double height = faces.normals[f].dot(centre) - faces.offsets[f];
    if (height >= radius) return -1;
    if (height > -radius) place = 0;
  }
  return place;
}

}  // namespace

template <int D>
double solid_volume(const CutRegion<D>& region, const Bodies<D>& bodies,
                    RegionScratch<D>& scratch) {
  find_volumes<D>(bodies, scratch.volumes);
  scratch.cuts.resize(bodies.size() / chunk_length + 1);
  return chunked_sum(
      bodies.size(), 0.0, scratch.sums, [&](std::size_t chunk, std::size_t i, double& sum) {
        if (!bodies.moves_freely(i)) return;
        const Geometry<D>& geometry = bodies.geometry_of(i);
        const int place =
            place_of_bounding_ball<D>(region, bodies.position[i], geometry.bounding_radius);
        if (place > 0) sum += scratch.volumes[static_cast<std::size_t>(bodies.geometry[i])];
        if (place != 0) return;
        const Mat<D> R = rotation_matrix<D>(bodies.orientation[i]);
        for (const Shape<D>& shape : geometry.shapes)
          sum += volume_within<D>(region, shape, bodies.position[i], R, scratch.cuts[chunk]);
      });
}

template <int D>
Mat<D> contact_stress(const CutRegion<D>& region, const Bodies<D>& bodies,
                      std::span<const ActiveContact<D>> contacts, double h,
                      RegionScratch<D>& scratch) {
  const Mat<D> sum = chunked_sum(contacts.size(), Mat<D>(Mat<D>::Zero()), scratch.tensor_sums,
                                 [&](std::size_t, std::size_t k, Mat<D>& part) {
                                   const ActiveContact<D>& active = contacts[k];
                                   if (active.percussion.isZero(0)) return;
                                   const auto a = static_cast<std::size_t>(active.contact.key.a),
                                              b = static_cast<std::size_t>(active.contact.key.b);
                                   const Vec<D>& point = active.contact.point;
                                   Vec<D> branch = Vec<D>::Zero();
                                   const auto add = [&](const Vec<D>& from, const Vec<D>& to) {
                                     const auto interval = region.inside(from, to);
                                     if (interval.last > interval.first)
                                       branch += (interval.last - interval.first) * (to - from);
                                   };
                                   if (bodies.moves_freely(a)) add(bodies.position[a], point);
                                   if (bodies.moves_freely(b)) add(point, bodies.position[b]);
                                   part += active.frame * active.percussion * branch.transpose();
                                 });
  return sum / (h * region.volume);
}

template <int D>
Mat<D> kinetic_stress(const CutRegion<D>& region, const Bodies<D>& bodies,
                      RegionScratch<D>& scratch) {
  // Two passes: Σ m [1 v; v v⊗v] would suffer from cancellation if the mean velocity is large.
  double mass = 0;
  Vec<D> momentum = Vec<D>::Zero();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!is_grain_within<D>(region, bodies, i)) continue;
    mass += bodies.mass[i];
    momentum += bodies.mass[i] * bodies.velocity[i];
  }
  if (mass == 0) return Mat<D>::Zero();
  const Vec<D> mean = momentum / mass;
  const Mat<D> sum = chunked_sum(bodies.size(), Mat<D>(Mat<D>::Zero()), scratch.tensor_sums,
                                 [&](std::size_t, std::size_t i, Mat<D>& part) {
                                   if (!is_grain_within<D>(region, bodies, i)) return;
                                   const Vec<D> v = bodies.velocity[i] - mean;
                                   part += bodies.mass[i] * v * v.transpose();
                                 });
  return sum / region.volume;
}

template <int D>
double solid_volume(const Bodies<D>& bodies, RegionScratch<D>& scratch) {
  find_volumes<D>(bodies, scratch.volumes);
  return chunked_sum(bodies.size(), 0.0, scratch.sums,
                     [&](std::size_t, std::size_t i, double& sum) {
                       if (bodies.moves_freely(i))
                         sum += scratch.volumes[static_cast<std::size_t>(bodies.geometry[i])];
                     });
}

template <int D>
Mat<D> contact_stress(const Bodies<D>& bodies, std::span<const ActiveContact<D>> contacts, double h,
                      RegionScratch<D>& scratch) {
  const Lattice<D>& lattice = bodies.lattice;
  const Mat<D> sum =
      chunked_sum(contacts.size(), Mat<D>(Mat<D>::Zero()), scratch.tensor_sums,
                  [&](std::size_t, std::size_t k, Mat<D>& part) {
                    const ActiveContact<D>& active = contacts[k];
                    if (active.percussion.isZero(0)) return;
                    const auto a = static_cast<std::size_t>(active.contact.key.a),
                               b = static_cast<std::size_t>(active.contact.key.b);
                    const Vec<D>& point = active.contact.point;
                    Vec<D> branch = Vec<D>::Zero();
                    if (bodies.moves_freely(a)) branch += point - bodies.position[a];
                    if (bodies.moves_freely(b))
                      branch += bodies.position[b] + lattice.A * active.contact.shift - point;
                    part += active.frame * active.percussion * branch.transpose();
                  });
  return sum / (h * lattice.volume());
}

template <int D>
Mat<D> kinetic_stress(const Bodies<D>& bodies, RegionScratch<D>& scratch) {
  const Lattice<D>& lattice = bodies.lattice;
  const auto against_flow = [&](std::size_t i) -> Vec<D> {
    return bodies.velocity[i] - lattice.L * bodies.position[i];
  };
  double mass = 0;
  Vec<D> momentum = Vec<D>::Zero();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies.moves_freely(i)) continue;
    mass += bodies.mass[i];
    momentum += bodies.mass[i] * against_flow(i);
  }
  if (mass == 0) return Mat<D>::Zero();
  const Vec<D> mean = momentum / mass;
  const Mat<D> sum = chunked_sum(bodies.size(), Mat<D>(Mat<D>::Zero()), scratch.tensor_sums,
                                 [&](std::size_t, std::size_t i, Mat<D>& part) {
                                   if (!bodies.moves_freely(i)) return;
                                   const Vec<D> v = against_flow(i) - mean;
                                   part += bodies.mass[i] * v * v.transpose();
                                 });
  return sum / lattice.volume();
}

#define TALUS_INSTANTIATE(D)                                                                       \
  template double solid_volume<D>(const CutRegion<D>&, const Bodies<D>&, RegionScratch<D>&);       \
  template Mat<D> contact_stress<D>(const CutRegion<D>&, const Bodies<D>&,                         \
                                    std::span<const ActiveContact<D>>, double, RegionScratch<D>&); \
  template Mat<D> kinetic_stress<D>(const CutRegion<D>&, const Bodies<D>&, RegionScratch<D>&);     \
  template double solid_volume<D>(const Bodies<D>&, RegionScratch<D>&);                            \
  template Mat<D> contact_stress<D>(const Bodies<D>&, std::span<const ActiveContact<D>>, double,   \
                                    RegionScratch<D>&);                                            \
  template Mat<D> kinetic_stress<D>(const Bodies<D>&, RegionScratch<D>&);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
