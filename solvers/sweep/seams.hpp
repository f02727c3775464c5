// SPDX-License-Identifier: Apache-2.0
// Nested dissection of a row of blocks. A seam is the separator of a half: the contacts between its
// two quarters. Seams at one depth share no body and are swept at the same time.
#pragma once

#include <algorithm>
#include <bit>

namespace talus {

// Blocks first … last − 1 are halved at the middle, and so is each half. Halves are numbered as in
// a binary heap, the whole being 1; a half of one block has no seam.
struct Halving {
  int first, last;
  unsigned number = 1;

  int middle() const { return (first + last) / 2; }
  int depth() const { return std::bit_width(number) - 1; }
  int place() const { return static_cast<int>(number) - (1 << depth()); }  // in its depth
  Halving lower() const { return {first, middle(), 2 * number}; }
  Halving upper() const { return {middle(), last, 2 * number + 1}; }
};

// The seams of a row of blocks. High up they are long and few, so each side of one is cut into
// parts, and the contacts of part i with part i + phase are swept side by side for all i. Seams and
// phases are numbered from the deepest.
struct Seams {
  int blocks;

  int depths() const { return std::bit_width(static_cast<unsigned>(blocks - 1)); }
  int at_depth(int depth) const { return 1 << depth; }
  int parts(int depth) const {
    const int side_by_side =
        static_cast<int>(std::bit_floor(static_cast<unsigned>(std::clamp(blocks / 4, 1, 8))));
    return std::max(side_by_side >> depth, 1);
  }
  int pieces(int depth) const { return at_depth(depth) * parts(depth); }  // of a phase

  Halving half(int depth, int place) const {
    Halving here{0, blocks};
    for (int bit = depth - 1; bit >= 0; --bit)
      here = (place >> bit & 1) ? here.upper() : here.lower();
    return here;
  }

  // The depth at which threads part: a half of that depth, with all seams inside it, is the work of
  // one. As many halves as threads if these are a power of two, else enough to share; single blocks
  // at most.
  int depth_of_shares(int threads) const {
    const auto wanted = static_cast<unsigned>(threads);
    const int depth = std::bit_width((std::has_single_bit(wanted) ? wanted : 4 * wanted) - 1);
    const int first_whole = std::bit_width(static_cast<unsigned>(parts(0))) - 1;  // in one part
    return std::min(std::max(depth, first_whole), depths());
  }

  // Pieces of all phases below a depth; with −1, of all.
  int pieces_below(int depth) const {
    int count = 0;
    for (int d = depths() - 1; d > depth; --d) count += pieces(d) * parts(d);
    return count;
  }
  // Of contacts between two blocks, a < b.
  int piece_between(int a, int b) const {
    Halving seam{0, blocks};
    while (b < seam.middle() || a >= seam.middle()) {
      seam = b < seam.middle() ? seam.lower() : seam.upper();
    }
    const int depth = seam.depth(), count = parts(depth);
    const int i = (a - seam.first) * count / (seam.middle() - seam.first);
    const int j = (b - seam.middle()) * count / (seam.last - seam.middle());
    const int phase = (j - i + count) % count;
    return pieces_below(depth) + phase * pieces(depth) + seam.place() * count + i;
  }
};

}  // namespace talus
