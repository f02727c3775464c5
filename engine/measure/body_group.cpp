// SPDX-License-Identifier: Apache-2.0
#include "engine/measure/body_group.hpp"

#include "solvers/math/parallel.hpp"

namespace talus {

template <int D>
void BodyGroup<D>::start(const BodyMeasure<D>& of, const Bodies<D>& bodies) {
  const auto last = static_cast<std::size_t>(of.bodies.back());
  member_.assign(last + 1, 0);
  start_.assign(last + 1, Vec<D>::Zero());
  for (const int body : of.bodies) member_[static_cast<std::size_t>(body)] = 1;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (has(bodies, i)) start_[static_cast<std::size_t>(bodies.id[i])] = bodies.position[i];
}

template <int D>
bool BodyGroup<D>::has(const Bodies<D>& bodies, std::size_t place) const {
  const std::int32_t id = bodies.id[place];
  return id >= 0 && static_cast<std::size_t>(id) < member_.size() &&
         member_[static_cast<std::size_t>(id)];
}

template <int D>
auto BodyGroup<D>::places(const Bodies<D>& bodies) const -> Places {
  Places sum;
  double count = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!has(bodies, i)) continue;
    sum.now += bodies.position[i];
    sum.start += start_[static_cast<std::size_t>(bodies.id[i])];
    ++count;
  }
  return {sum.now / count, sum.start / count};
}

template <int D>
auto BodyGroup<D>::load(const Bodies<D>& bodies, std::span<const ActiveContact<D>> contacts,
                        std::span<const Spin<D>> moments, const Vec<D>& about) const -> Load {
  return parallel_total<Load>(contacts.size(), [&](std::size_t first, std::size_t last) {
    Load part;
    for (std::size_t i = first; i < last; ++i) {
      const ActiveContact<D>& active = contacts[i];
      const bool on_b = has(bodies, static_cast<std::size_t>(active.contact.key.b));
      const double sign =
          static_cast<double>(on_b) -
          static_cast<double>(has(bodies, static_cast<std::size_t>(active.contact.key.a)));
      if (sign == 0) continue;
      const Vec<D> impulse = sign * (active.frame * active.percussion);
      const Vec<D> point =  // at b itself, where an image of it touches
          on_b ? Vec<D>(active.contact.point - active.contact.offset) : active.contact.point;
      part += Load{impulse, moment<D>(point - about, impulse)};
      if (!moments.empty()) part.moment += sign * spin_from<D>(active.frame, moments[i]);
    }
    return part;
  });
}

template <int D>
void BodyGroup<D>::measure(const BodyMeasure<D>& of, const Bodies<D>& bodies,
                           std::span<const ActiveContact<D>> contacts,
                           std::span<const Spin<D>> moments, double h,
                           std::span<double> row) const {
  const Places mean = places(bodies);
  std::size_t next = 0;
  const auto add = [&](const auto& vector) {
    for (int k = 0; k < vector.size(); ++k) row[next++] = vector[k];
  };
  for (const BodyQuantity quantity : of.quantities) {
    switch (quantity) {
      case BodyQuantity::force: {
        const Load sum = load(bodies, contacts, moments, of.about.value_or(mean.now));
        add(Vec<D>(sum.force / h));
        add(Spin<D>(sum.moment / h));
        break;
      }
      case BodyQuantity::displacement: {
        const Vec<D> displacement = mean.now - mean.start;
        add(displacement);
        row[next++] = displacement.norm();
        break;
      }
    }
  }
}

template class BodyGroup<2>;
template class BodyGroup<3>;

}  // namespace talus
