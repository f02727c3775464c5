// SPDX-License-Identifier: Apache-2.0
#include "engine/detect/narrowphase.hpp"

#include <algorithm>
#include <cmath>

#include "engine/detect/narrowphase_families.hpp"
#include "solvers/math/parallel.hpp"

namespace talus {

namespace {

template <int D>
using PairFunction = void (*)(const PlacedShape<D>&, const PlacedShape<D>&, double,
                              ShapeContacts<D>&);

template <int D>
void no_contact(const PlacedShape<D>&, const PlacedShape<D>&, double, ShapeContacts<D>&) {}

// The function for shape families in the opposite order.
template <int D, PairFunction<D> find>
void swapped(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
             ShapeContacts<D>& contacts) {
  const std::size_t first = contacts.size();
  find(b, a, reach, contacts);
  for (std::size_t i = first; i < contacts.size(); ++i) contacts[i].normal *= -1;
}

// Rows and columns in the order of Shape<D>: ball, capsule, polytope, half-space; in space also
// walls of triangles, which meet convex shapes only.
template <int D>
constexpr PairFunction<D> pair_functions[5][5] = {
    {ball_ball<D>, ball_capsule<D>, ball_polytope<D>, ball_half_space<D>, convex_mesh<D>},
    {swapped<D, ball_capsule<D>>, capsule_capsule<D>, capsule_polytope<D>, capsule_half_space<D>,
     convex_mesh<D>},
    {swapped<D, ball_polytope<D>>, swapped<D, capsule_polytope<D>>, polytope_polytope<D>,
     polytope_half_space<D>, convex_mesh<D>},
    {swapped<D, ball_half_space<D>>, swapped<D, capsule_half_space<D>>,
     swapped<D, polytope_half_space<D>>, no_contact<D>, no_contact<D>},
    {swapped<D, convex_mesh<D>>, swapped<D, convex_mesh<D>>, swapped<D, convex_mesh<D>>,
     no_contact<D>, no_contact<D>}};

// Largest distance by which two bodies can approach, if both continue or if one is stopped.
template <int D>
double approach(const Reach<D>& a, const Reach<D>& b) {
  return std::sqrt(std::max({(b.displacement - a.displacement).squaredNorm(),
                             a.displacement.squaredNorm(), b.displacement.squaredNorm()}));
}

template <int D>
void find_pair_contacts(const Bodies<D>& bodies, std::span<const Mat<D>> rotation, BodyPair pair,
                        const PeriodicImage<D>& image, double reach, ShapeContacts<D>& buffer,
                        std::vector<Contact<D>>& contacts) {
  const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
  const Geometry<D>&geometry_a = bodies.geometry_of(a), &geometry_b = bodies.geometry_of(b);
  const Vec<D> position_b = bodies.position[b] + image.offset;
  if (geometry_a.ball_radius > 0 && geometry_b.ball_radius > 0) {
    ShapeContact<D> c;
    if (touch<D>({bodies.position[a], geometry_a.ball_radius}, {position_b, geometry_b.ball_radius},
                 reach, c)) {
      contacts.push_back(
          {{pair.a, pair.b, 0, 0, 0}, c.gap, c.normal, c.point, image.shift, image.offset});
    }
    return;
  }
  const auto &shapes_a = geometry_a.shapes, &shapes_b = geometry_b.shapes;
  for (std::size_t i = 0; i < shapes_a.size(); ++i) {
    const PlacedShape<D> placed_a{&shapes_a[i], bodies.position[a], rotation[a]};
    for (std::size_t j = 0; j < shapes_b.size(); ++j) {
      const PlacedShape<D> placed_b{&shapes_b[j], position_b, rotation[b]};
      buffer.clear();
      find_shape_contacts<D>(placed_a, placed_b, reach, buffer);
      std::sort(buffer.begin(), buffer.end(),
                [](const auto& x, const auto& y) { return x.feature < y.feature; });
      for (const ShapeContact<D>& c : buffer) {
        contacts.push_back({{pair.a, pair.b, static_cast<std::int32_t>(i),
                             static_cast<std::int32_t>(j), c.feature},
                            c.gap,
                            c.normal,
                            c.point,
                            image.shift,
                            image.offset});
      }
    }
  }
}

// Where two bodies meet through several images, their contacts are in the order of these.
template <int D>
void sort_repeated(std::span<const BodyPair> pairs, std::vector<Contact<D>>& contacts) {
  if (std::adjacent_find(pairs.begin(), pairs.end()) == pairs.end()) return;
  std::ranges::stable_sort(contacts, {}, &Contact<D>::key);
}

}  // namespace

template <int D>
void find_shape_contacts(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
                         std::vector<ShapeContact<D>>& contacts) {
  pair_functions<D>[a.shape->index()][b.shape->index()](a, b, reach, contacts);
}

template <int D>
void Narrowphase<D>::find_contacts(const Bodies<D>& bodies, std::span<const BodyPair> pairs,
                                   std::span<const Reach<D>> reach,
                                   std::vector<Contact<D>>& contacts,
                                   std::span<const PeriodicImage<D>> images, double duration) {
  rotation_.resize(bodies.size());
  parallel_for(bodies.size(), [&](std::size_t i) {
    if (!(bodies.geometry_of(i).ball_radius > 0)) {
      rotation_[i] = rotation_matrix<D>(bodies.orientation[i]);
    } else {
      rotation_[i].setIdentity();
    }
  });
  const auto find_range = [&](std::size_t first, std::size_t last, std::vector<Contact<D>>& found) {
    static thread_local ShapeContacts<D> buffer;
    for (std::size_t k = first; k < last; ++k) {
      const Reach<D>&reach_a = reach[static_cast<std::size_t>(pairs[k].a)],
            &reach_b = reach[static_cast<std::size_t>(pairs[k].b)];
      const PeriodicImage<D> image = images.empty() ? PeriodicImage<D>{} : images[k];
      const double pair_reach = reach_a.margin + reach_b.margin + approach<D>(reach_a, reach_b) +
                                std::abs(duration) * image.velocity.norm();
      find_pair_contacts<D>(bodies, rotation_, pairs[k], image, pair_reach, buffer, found);
    }
  };
  if (threads() == 1) {
    contacts.clear();
    find_range(0, pairs.size(), contacts);
    if (!images.empty()) sort_repeated(pairs, contacts);
    return;
  }

  // Each chunk collects its contacts separately; then they are copied to their final place.
  const std::size_t chunks = (pairs.size() + stretch_length - 1) / stretch_length;
  if (found_.size() < chunks) found_.resize(chunks);
  parallel_chunks(
      pairs.size(),
      [&](std::size_t chunk, std::size_t first, std::size_t last) {
        found_[chunk].clear();
        find_range(first, last, found_[chunk]);
      },
      stretch_length);
  start_.assign(chunks + 1, 0);
  for (std::size_t c = 0; c < chunks; ++c) start_[c + 1] = start_[c] + found_[c].size();
  contacts.resize(start_[chunks]);
  parallel_chunks(
      chunks,
      [&](std::size_t c, std::size_t, std::size_t) {
        std::copy(found_[c].begin(), found_[c].end(),
                  contacts.begin() + static_cast<std::ptrdiff_t>(start_[c]));
      },
      1);
  if (!images.empty()) sort_repeated(pairs, contacts);
}

template <int D>
void find_contacts(const Bodies<D>& bodies, std::span<const BodyPair> pairs,
                   std::span<const Reach<D>> reach, std::vector<Contact<D>>& contacts) {
  Narrowphase<D>().find_contacts(bodies, pairs, reach, contacts);
}

template void find_shape_contacts(const PlacedShape<2>&, const PlacedShape<2>&, double,
                                  std::vector<ShapeContact<2>>&);
template void find_shape_contacts(const PlacedShape<3>&, const PlacedShape<3>&, double,
                                  std::vector<ShapeContact<3>>&);
template class Narrowphase<2>;
template class Narrowphase<3>;
template void find_contacts(const Bodies<2>&, std::span<const BodyPair>, std::span<const Reach<2>>,
                            std::vector<Contact<2>>&);
template void find_contacts(const Bodies<3>&, std::span<const BodyPair>, std::span<const Reach<3>>,
                            std::vector<Contact<3>>&);

}  // namespace talus
