// SPDX-License-Identifier: Apache-2.0
// Pairs of bodies that may touch: the broad phase without the excluded pairs, and in a periodic
// cell with the images of bodies.
#pragma once

#include <span>
#include <vector>

#include "engine/detect/broadphase.hpp"
#include "engine/detect/excluded_pairs.hpp"
#include "engine/model/bodies.hpp"

namespace talus {

// Which image of the second body of a pair it is that meets the first.
template <int D>
struct PeriodicImage {
  Vec<D> shift = Vec<D>::Zero();     // n, whole numbers
  Vec<D> offset = Vec<D>::Zero();    // A n [m]
  Vec<D> velocity = Vec<D>::Zero();  // L A n [m/s]
};

// In a cell the broad phase looks at the bodies where their images in the cell are, and at further
// images around it. Half-spaces repeat themselves and have no images.
template <int D>
class PairSearch {
 public:
  // Sorted pairs, with their images in a periodic cell and none otherwise. A pair that meets
  // through several images is there several times. Reach is that of the next `duration`.
  void find(const Bodies<D>& bodies, std::span<const Reach<D>> reach, double duration,
            const ExcludedPairs<D>& excluded, std::vector<BodyPair>& pairs,
            std::vector<PeriodicImage<D>>& images);

 private:
  struct Entry {  // of the bodies that the broad phase sees: those in the cell, then further images
    std::int32_t body;
    Vec<D> away;  // body minus entry, in whole lattice vectors
    bool operator==(const Entry&) const = default;
  };
  struct Found {
    BodyPair pair;
    Vec<D> shift;
  };

  void place_entries(const Bodies<D>& bodies, std::span<const Reach<D>> reach, double duration);
  void add_images(const Bodies<D>& bodies, double duration);

  Broadphase<D> broadphase_;
  // of a periodic cell
  Bodies<D> seen_;
  std::vector<Reach<D>> seen_reach_;
  std::vector<Entry> entries_, last_entries_;
  std::vector<BodyPair> seen_pairs_;
  std::vector<Found> found_;
};

}  // namespace talus
