// SPDX-License-Identifier: Apache-2.0
#include "engine/geometry/triangle_tree.hpp"

#include <algorithm>
#include <numeric>

namespace talus {

namespace {

constexpr int triangles_in_leaf = 4;

}  // namespace

TriangleTree::TriangleTree(const std::vector<Vec<3>>& vertices,
                           const std::vector<std::array<int, 3>>& triangles) {
  for (const auto& [a, b, c] : triangles) {
    const Vec<3>&x = vertices[static_cast<std::size_t>(a)],
          &y = vertices[static_cast<std::size_t>(b)], &z = vertices[static_cast<std::size_t>(c)];
    low_.push_back(x.cwiseMin(y).cwiseMin(z));
    high_.push_back(x.cwiseMax(y).cwiseMax(z));
  }
  order_.resize(triangles.size());
  std::iota(order_.begin(), order_.end(), 0);
  if (!triangles.empty()) add_node(0, static_cast<int>(triangles.size()));
}

int TriangleTree::add_node(int first, int last) {
  const auto number = nodes_.size();
  Node node;
  node.first = first;
  node.last = last;
  const auto at = [&](int k) {
    return static_cast<std::size_t>(order_[static_cast<std::size_t>(k)]);
  };
  node.low = low_[at(first)];
  node.high = high_[at(first)];
  for (int k = first + 1; k < last; ++k) {
    node.low = node.low.cwiseMin(low_[at(k)]);
    node.high = node.high.cwiseMax(high_[at(k)]);
  }
  nodes_.push_back(node);
  if (last - first <= triangles_in_leaf) return static_cast<int>(number);

  Eigen::Index axis = 0;
  (node.high - node.low).maxCoeff(&axis);
  const int middle = first + (last - first) / 2;
  const auto centre = [&](int t) {
    const auto i = static_cast<std::size_t>(t);
    return low_[i][axis] + high_[i][axis];
  };
  std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last,
                   [&](int s, int t) {
                     const double x = centre(s), y = centre(t);
                     return x != y ? x < y : s < t;
                   });
  add_node(first, middle);
  const int second = add_node(middle, last);
  nodes_[number].second = second;
  return static_cast<int>(number);
}

}  // namespace talus
