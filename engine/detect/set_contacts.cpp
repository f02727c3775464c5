// SPDX-License-Identifier: Apache-2.0
#include "engine/detect/set_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "solvers/math/maximum.hpp"

namespace talus {

namespace {

// −f/‖∇f‖. Not a number where the gradient vanishes outside of the set: no direction leads back.
template <int D>
double gap_of(const FieldValue<D>& field) {
  const double slope = field.gradient.norm();
  if (slope == 0) return field.f <= 0 ? HUGE_VAL : std::nan("");
  return -field.f / slope;
}

// Calls visit(set, body, function, its value) for all sets, free bodies and functions.
template <int D, class Visit>
void visit_sets(const Scene<D>& scene, const Bodies<D>& bodies, double t, Visit&& visit) {
  for (std::size_t set = 0; set < scene.bodies.size(); ++set) {
    const std::vector<Expression>& functions = scene.bodies[set].set;
    if (functions.empty()) continue;
    for (std::size_t body = 0; body < bodies.size(); ++body) {
      if (!bodies.moves_freely(body)) continue;
      for (std::size_t k = 0; k < functions.size(); ++k)
        visit(set, body, k, field_at<D>(functions[k], t, bodies.position[body]));
    }
  }
}

// The point is such that the impulse acts on the mass centre (activation.hpp, point_of_action).
template <int D>
Contact<D> set_contact(std::size_t set, std::size_t body, std::size_t function, double gap,
                       const Vec<D>& x, const Vec<D>& gradient) {
  const bool set_first = set < body;
  const Vec<D> inner = std::isnan(gap) ? Vec<D>(Vec<D>::UnitX()) : Vec<D>(-gradient.normalized());
  Contact<D> contact;
  contact.key.a = static_cast<std::int32_t>(set_first ? set : body);
  contact.key.b = static_cast<std::int32_t>(set_first ? body : set);
  (set_first ? contact.key.shape_a : contact.key.shape_b) = static_cast<std::int32_t>(function);
  contact.gap = gap;
  contact.normal = set_first ? inner : Vec<D>(-inner);
  contact.point = x - 0.5 * gap * inner;
  return contact;
}

}  // namespace

template <int D>
void add_set_contacts(const Scene<D>& scene, const Bodies<D>& bodies, double t, double margin,
                      std::vector<Contact<D>>& contacts) {
  double deepest = 0;
  visit_sets<D>(scene, bodies, t,
                [&](std::size_t, std::size_t, std::size_t, const FieldValue<D>& field) {
                  deepest = std::max(deepest, -gap_of<D>(field));
                });
  const double near = margin + 4 * deepest;
  const std::size_t before = contacts.size();
  visit_sets<D>(scene, bodies, t,
                [&](std::size_t set, std::size_t body, std::size_t k, const FieldValue<D>& field) {
                  const double gap = gap_of<D>(field);
                  if (gap > near) return;  // NaN goes on
                  contacts.push_back(
                      set_contact<D>(set, body, k, gap, bodies.position[body], field.gradient));
                });
  if (contacts.size() > before)
    std::ranges::sort(contacts, {}, [](const Contact<D>& contact) { return contact.key; });
}

template <int D>
double set_speed(const Scene<D>& scene, const Bodies<D>& bodies, double t, const ContactKey& key) {
  if (!scene.is_set(key.a) && !scene.is_set(key.b)) return 0;
  const bool set_first = scene.is_set(key.a);
  const auto set = static_cast<std::size_t>(set_first ? key.a : key.b);
  const auto body = static_cast<std::size_t>(set_first ? key.b : key.a);
  const auto function = static_cast<std::size_t>(set_first ? key.shape_a : key.shape_b);
  const FieldValue<D> field =
      field_at<D>(scene.bodies[set].set[function], t, bodies.position[body]);
  return field.rate / field.gradient.norm();
}

template <int D>
double deepest_outside(const Scene<D>& scene, const Bodies<D>& bodies, double t) {
  double deepest = 0;
  visit_sets<D>(scene, bodies, t,
                [&](std::size_t, std::size_t body, std::size_t, const FieldValue<D>& field) {
                  deepest =
                      maximum(deepest, -gap_of<D>(field) / bodies.geometry_of(body).half_width);
                });
  return deepest;
}

#define TALUS_INSTANTIATE(D)                                                                  \
  template void add_set_contacts<D>(const Scene<D>&, const Bodies<D>&, double, double,        \
                                    std::vector<Contact<D>>&);                                \
  template double set_speed<D>(const Scene<D>&, const Bodies<D>&, double, const ContactKey&); \
  template double deepest_outside<D>(const Scene<D>&, const Bodies<D>&, double);

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
