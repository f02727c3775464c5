// SPDX-License-Identifier: Apache-2.0
#include "engine/step/activation.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/math/parallel.hpp"

namespace talus {

template <int D>
void find_reach(const Bodies<D>& bodies, const Scene<D>& scene, std::span<const Twist<D>> v_free,
                double duration, std::vector<Reach<D>>& reach) {
  reach.resize(bodies.size());
  double allowance = 0.5 * settling_speed(scene) * scene.h + 0.5 * scene.laws.largest_range();
  const double pull = scene.h * scene.laws.largest_adhesion();
  if (!scene.has_inertia()) {  // what one wall moves may reach another
    for (const Twist<D>& v : v_free) allowance = std::max(allowance, duration * v.v.norm());
  }
  parallel_for(bodies.size(), [&](std::size_t i) {
    const Geometry<D>& geometry = bodies.geometry_of(i);
    reach[i].displacement = duration * v_free[i].v;
    reach[i].margin = allowance + duration * pull * bodies.inverse_mass[i];
    if (std::isfinite(geometry.bounding_radius)) {
      reach[i].margin += duration * v_free[i].omega.norm() * geometry.bounding_radius;
      reach[i].margin += touching_fraction * geometry.size;
    }
  });
}

template <int D>
double touching_gap(const Bodies<D>& bodies, const ContactKey& key) {
  return touching_fraction *
         std::min(bodies.geometry_of(at(key.a)).size, bodies.geometry_of(at(key.b)).size);
}

template <int D>
Vec<D> point_of_action(const Bodies<D>& bodies, const Contact<D>& contact) {
  const double free_a = bodies.moves_freely(at(contact.key.a)) ? 1 : 0;
  const double free_b = bodies.moves_freely(at(contact.key.b)) ? 1 : 0;
  return contact.point + 0.5 * (free_b - free_a) * contact.gap * contact.normal;
}

template <int D>
void find_parts(const Bodies<D>& bodies, const Scene<D>& scene, std::span<const Twist<D>> v_minus,
                std::span<const Twist<D>> v_free, const CellStep<D>& cell,
                std::span<const Contact<D>> found, std::vector<Part>& parts,
                std::vector<int>& active) {
  parts.resize(found.size());
  parallel_for(found.size(), [&](std::size_t i) {
    const Contact<D>& contact = found[i];
    if (!scene.has_inertia()) {
      const bool touches = contact.gap <= touching_gap<D>(bodies, contact.key);
      const bool waits = scene.dynamics == Dynamics::lazy_selector && !touches;
      parts[i] = waits ? Part::stays_out : Part::arrives;
      return;
    }
    if (contact.bond >= 0) {
      parts[i] = contact.held ? Part::touches : Part::arrives;
      return;
    }
    const std::size_t a = at(contact.key.a), b = at(contact.key.b);
    const Vec<D> point = point_of_action<D>(bodies, contact);
    // Along the normal, against the flow L x of a periodic cell.
    const Vec<D> x_a = bodies.position[a], x_b = bodies.position[b] + contact.offset;
    const auto along = [&](const Vec<D>& velocity) { return contact.normal.dot(velocity); };
    const auto speed = [&](const Twist<D>& v, const Vec<D>& x, const Vec<D>& flow) {
      return along(v.v + cross<D>(v.omega, point - x) - flow);
    };
    const Vec<D> flow_a = cell.free * x_a, flow_b = cell.free * bodies.position[b];
    const double a_closes = speed(v_free[a], x_a, flow_a),
                 b_closes = -speed(v_free[b], x_b, flow_b);
    const double closes = a_closes + b_closes - along(cell.free * (x_b - x_a));
    const Vec<D> still = Vec<D>::Zero();
    const double u_minus = speed(v_minus[b], x_b, still) - speed(v_minus[a], x_a, still) +
                           along(cell.minus * contact.offset);
    const ContactLaw law = law_at(scene.laws(bodies.material[a], bodies.material[b]),
                                  scene.coefficients_of_speed, -u_minus);
    const double pull = scene.h * law.adhesion * (bodies.inverse_mass[a] + bodies.inverse_mass[b]);
    parts[i] = part_of<D>({contact.gap, touching_gap<D>(bodies, contact.key), -closes,
                           std::max({closes, a_closes, b_closes}), pull, u_minus},
                          law, scene);
  });
  parallel_list(
      found.size(), [&](std::size_t i) { return parts[i] != Part::stays_out; }, active);
}

#define TALUS_INSTANTIATE(D)                                                                \
  template void find_reach<D>(const Bodies<D>&, const Scene<D>&, std::span<const Twist<D>>, \
                              double, std::vector<Reach<D>>&);                              \
  template double touching_gap<D>(const Bodies<D>&, const ContactKey&);                     \
  template Vec<D> point_of_action<D>(const Bodies<D>&, const Contact<D>&);                  \
  template void find_parts<D>(const Bodies<D>&, const Scene<D>&, std::span<const Twist<D>>, \
                              std::span<const Twist<D>>, const CellStep<D>&,                \
                              std::span<const Contact<D>>, std::vector<Part>&, std::vector<int>&);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
