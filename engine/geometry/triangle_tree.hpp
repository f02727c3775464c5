// SPDX-License-Identifier: Apache-2.0
// Bounding volume hierarchy of triangles: a binary tree of boxes, halved at the median of the
// longest side.
#pragma once

#include <array>
#include <vector>

#include "solvers/math/vec.hpp"

namespace talus {

class TriangleTree {
 public:
  TriangleTree() = default;
  TriangleTree(const std::vector<Vec<3>>& vertices,
               const std::vector<std::array<int, 3>>& triangles);

  // Calls visit(triangle) for every triangle whose box meets the given one, in a fixed order.
  template <class Visit>
  void visit_near(const Vec<3>& low, const Vec<3>& high, Visit&& visit) const {
    if (nodes_.empty()) return;
    std::array<int, 64> open;  // deeper than any median split of 2³¹ triangles
    std::size_t top = 0;
    open[top++] = 0;
    while (top > 0) {
      const Node& node = nodes_[static_cast<std::size_t>(open[--top])];
      if ((node.low.array() > high.array()).any() || (node.high.array() < low.array()).any()) {
        continue;
      }
      if (node.second == 0) {
        for (int k = node.first; k < node.last; ++k) {
          const auto t = static_cast<std::size_t>(order_[static_cast<std::size_t>(k)]);
          if ((low_[t].array() <= high.array()).all() && (high_[t].array() >= low.array()).all()) {
            visit(static_cast<int>(t));
          }
        }
      } else {
        open[top++] = node.second;
        open[top++] = static_cast<int>(&node - nodes_.data()) + 1;
      }
    }
  }

 private:
  struct Node {
    Vec<3> low, high;
    int first = 0, last = 0;  // of order_
    int second = 0;           // second child, the first one follows its parent; 0: a leaf
  };
  int add_node(int first, int last);

  std::vector<Vec<3>> low_, high_;  // box of each triangle
  std::vector<int> order_;
  std::vector<Node> nodes_;
};

}  // namespace talus
