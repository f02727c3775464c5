// SPDX-License-Identifier: Apache-2.0
// Contact forces on a group of bodies, and its displacement since the start of a run.
#pragma once

#include <span>
#include <vector>

#include "engine/model/bodies.hpp"
#include "engine/model/contact.hpp"
#include "engine/model/measure.hpp"

namespace talus {

template <int D>
class BodyGroup {
 public:
  // Takes the positions that the bodies have now.
  void start(const BodyMeasure<D>& of, const Bodies<D>& bodies);

  // The quantities of the measure after a step of length h, in the order of its columns. Forces are
  // impulses over h; those between two bodies of the group cancel. Means are over the bodies
  // present, NaN if there is none. Moments of contacts: none, or one each [N m s].
  void measure(const BodyMeasure<D>& of, const Bodies<D>& bodies,
               std::span<const ActiveContact<D>> contacts, std::span<const Spin<D>> moments,
               double h, std::span<double> row) const;

 private:
  struct Load {
    Vec<D> force = Vec<D>::Zero();     // [N s]
    Spin<D> moment = Spin<D>::Zero();  // [N m s]
    void operator+=(const Load& other) {
      force += other.force;
      moment += other.moment;
    }
  };
  struct Places {
    Vec<D> now = Vec<D>::Zero(), start = Vec<D>::Zero();  // mean positions [m]
  };
  bool has(const Bodies<D>& bodies, std::size_t place) const;
  Places places(const Bodies<D>& bodies) const;
  Load load(const Bodies<D>& bodies, std::span<const ActiveContact<D>> contacts,
            std::span<const Spin<D>> moments, const Vec<D>& about) const;

  std::vector<char> member_;   // by index of the body
  std::vector<Vec<D>> start_;  // by index of the body [m]
};

}  // namespace talus
