// Containers: walls from a few numbers, and the convex space between them. Up is the last axis.
//
// Walls are bodies at the container's origin, so that a drive turns them about it together. They
// are half-spaces, through which nothing escapes however fast, or finite plates where grains may
// pass beside them; plates meet in mitres, without gaps.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/packing.hpp"
#include "engine/scene.hpp"

namespace talus {

template <int D>
struct Container {
  Region<D> inside;                       // closed on all sides, open walls included
  std::vector<BodyDescription<D>> walls;  // named by their side, without the container
};

// Walls left out, by their names.
using OpenWalls = std::span<const std::string>;

// left, right (along x), in space front, back (along y), bottom and top; the origin is the middle
// of the foot. Plates if they have a thickness, half-spaces otherwise.
template <int D>
Container<D> box_container(const Vec<D>& sides, OpenWalls open, double thickness);

// An upright prism of n sides around the cylinder: side.0, side.1, …, bottom and top; the origin is
// the middle of the foot.
Container<3> cylinder_container(double radius, double height, int sides, OpenWalls open,
                                double thickness);

// Slopes from the rim of an opening up to upright walls: in the plane a left and a right one, in
// space n-sided pyramid and prism. slope.K and wall.K; the origin is the middle of the opening.
struct HopperPlan {
  double opening = 0, width = 0;  // between opposite sides, below and above [m]
  double slope = 0;               // of the slopes against the horizontal [rad]
  double height = 0;     // of everything above the opening, more than that of the slopes [m]
  int sides = 2;         // 2 in the plane
  double thickness = 0;  // of the walls [m]
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
