// SPDX-License-Identifier: Apache-2.0
// Containers: walls generated from a few numbers, and the convex region between them. Up is the
// last axis.
//
// The frames of all walls have their origin at that of the container, so that a drive rotates them
// together about it. Walls are half-spaces, which nothing can pass at any speed, or finite plates
// where grains may pass beside them. Plates meet in mitre joints, without gaps.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/build/packing.hpp"
#include "engine/model/scene.hpp"

namespace talus {

template <int D>
struct Container {
  Region<D> inside;                       // closed on all sides, even where a wall is open
  std::vector<BodyDescription<D>> walls;  // named by their side, without the name of the container
};

// Names of the walls that are left out.
using OpenWalls = std::span<const std::string>;

// left, right (along x), in space front, back (along y), bottom and top; the origin is the middle
// of the foot. Plates if they have a thickness, half-spaces otherwise.
template <int D>
Container<D> box_container(const Vec<D>& sides, OpenWalls open, double thickness);

// An upright prism of n sides around the cylinder: side.0, side.1, …, bottom and top; the origin is
// the middle of the foot.
Container<3> cylinder_container(double radius, double height, int sides, OpenWalls open,
                                double thickness);

// Slopes from the rim of an opening up to upright walls: a left and a right one in the plane, an
// n-sided pyramid and prism in space. Walls are named slope.K and wall.K. The origin is the middle
// of the opening.
struct HopperPlan {
  double opening = 0, width = 0;  // between opposite sides, at the opening and at the top [m]
  double slope = 0;               // of the slopes, to the horizontal [rad]
  double height = 0;              // total, above the opening; larger than that of the slopes [m]
  int sides = 2;                  // 2 in the plane
  double thickness = 0;           // of the walls [m]
};
double slope_height(const HopperPlan& plan);
template <int D>
Container<D> hopper_container(const HopperPlan& plan);

// A ring of n plates around a circle about the origin, side.0, side.1, …; in space a prism along y
// between two half-spaces, front and back.
template <int D>
Container<D> drum_container(double radius, double length, int sides, double thickness);

// A half-space behind every face of a polytope, named 0, 1, …, but for faces whose outward normal
// is one of the open directions.
template <int D>
Container<D> hull_container(const Polytope<D>& hull, std::span<const Vec<D>> open);

}  // namespace talus
