// SPDX-License-Identifier: Apache-2.0
#include "engine/build/masonry.hpp"

#include <cassert>
#include <cmath>

namespace talus {

namespace {

// The hull of corners as a body with its origin at its centre.
BodyDescription<3> block_of(const std::string& name, const std::vector<Vec<3>>& corners) {
  const std::optional<Polytope<3>> hull = convex_hull<3>(corners);
  assert(hull && "the reader refuses degenerate blocks");
  BodyDescription<3> body;
  body.name = name;
  body.position = mass_properties<3>(Shape<3>(*hull)).centre;
  body.shapes = {moved<3>(Shape<3>(*hull), -body.position, Orientation<3>())};
  return body;
}

std::string numbered_block(const std::string& name, int i, int k) {
  return name + "." + std::to_string(i) + "." + std::to_string(k);
}

}  // namespace

double masonry_count(const VaultPlan& plan) {
  return static_cast<double>(plan.count) * plan.rows + plan.count / 2;
}

std::vector<BodyDescription<3>> masonry_bodies(const VaultPlan& plan) {
  std::vector<BodyDescription<3>> bodies;
  const double outer = plan.inner_radius + plan.thickness, pitch = plan.length / plan.rows;
  for (int course = 0; course < plan.count; ++course) {
    std::vector<double> cuts = {-plan.length / 2};
    for (int k = course % 2; k < plan.rows; ++k)
      cuts.push_back(-plan.length / 2 + (k + (course % 2 == 0 ? 1.0 : -0.5)) * pitch);
    if (course % 2 == 0) {
      cuts.back() = plan.length / 2;
    } else {
      cuts.push_back(plan.length / 2 - pitch / 2);
      cuts.push_back(plan.length / 2);
    }
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
      std::vector<Vec<3>> corners;
      for (const int side : {0, 1}) {
        // The angle from the vertical, from the left springing to the right.
        const double angle = -plan.span / 2 + (course + side) * plan.span / plan.count;
        for (const double radius : {plan.inner_radius, outer})
          for (const double y : {cuts[k], cuts[k + 1]})
            corners.emplace_back(radius * std::sin(angle), y, radius * std::cos(angle));
      }
      bodies.push_back(block_of(numbered_block(plan.name, course, static_cast<int>(k)), corners));
    }
  }
  return bodies;
}

double DomePlan::top() const {
  return oculus > 0 ? std::asin(oculus / inner_radius) : springing / (2 * rings + 1);
}

double masonry_count(const DomePlan& plan) {
  return static_cast<double>(plan.rings) * plan.count + (plan.oculus > 0 ? 0 : 1);
}

std::vector<BodyDescription<3>> masonry_bodies(const DomePlan& plan) {
  const double outer = plan.inner_radius + plan.thickness, top = plan.top();
  const auto point = [&](double radius, double angle, int k) -> Vec<3> {
    const double round = 2 * M_PI * (k % plan.count) / plan.count;
    return radius * Vec<3>(std::sin(angle) * std::cos(round), std::sin(angle) * std::sin(round),
                           std::cos(angle));
  };
  std::vector<BodyDescription<3>> bodies;
  for (int ring = 0; ring < plan.rings; ++ring)
    for (int k = 0; k < plan.count; ++k) {
      std::vector<Vec<3>> corners;
      for (const int joint : {ring, ring + 1}) {
        const double angle = plan.springing + (top - plan.springing) * joint / plan.rings;
        for (const int side : {k, k + 1})
          for (const double radius : {plan.inner_radius, outer})
            corners.push_back(point(radius, angle, side));
      }
      bodies.push_back(block_of(numbered_block(plan.name, ring, k), corners));
    }
  if (!(plan.oculus > 0)) {
    std::vector<Vec<3>> corners;
    for (int k = 0; k < plan.count; ++k)
      for (const double radius : {plan.inner_radius, outer})
        corners.push_back(point(radius, top, k));
    bodies.push_back(block_of(plan.name + ".key", corners));
  }
  return bodies;
}

double masonry_count(const ButtressPlan& plan) { return plan.courses; }

std::vector<BodyDescription<3>> masonry_bodies(const ButtressPlan& plan) {
  std::vector<BodyDescription<3>> bodies;
  for (int k = 0; k < plan.courses; ++k) {
    std::vector<Vec<3>> corners;
    for (const int joint : {k, k + 1}) {
      const double part = static_cast<double>(joint) / plan.courses;
      const double width = plan.foot + part * (plan.top - plan.foot);
      for (const double x : {0.0, width})
        for (const double y : {-plan.depth / 2, plan.depth / 2})
          corners.emplace_back(x, y, part * plan.height);
    }
    bodies.push_back(block_of(plan.name + "." + std::to_string(k), corners));
  }
  return bodies;
}

}  // namespace talus
