// SPDX-License-Identifier: Apache-2.0
// A small renderer: nearest surface of every pixel (z-buffer), from an eye or in parallel.
#pragma once

#include <cmath>
#include <functional>
#include <vector>

#include "tools/draw/still.hpp"

namespace talus {

// What is seen: rays of pixels, and pixels of points. Axes are orthonormal.
struct View {
  Vec<3> eye, right, up, back;
  double reach = 1;  // half height of the picture: at distance 1, or in metres if parallel
  bool parallel = false;
  int width = 1, height = 1;

  struct Ray {
    Vec<3> from, along;  // along: unit vector
  };
  Ray ray(double x, double y) const;  // pixels from the upper left corner
  // Pixel, and distance along the axis of view.
  Vec<3> projected(const Vec<3>& point) const;
  double pixels_per_metre(double distance) const {
    return 0.5 * height / (parallel ? reach : reach * distance);
  }
};

struct Raster {
  View view;
  std::vector<float> depth;  // along the ray [m]; infinite where nothing is
  std::vector<Eigen::Vector3f> normal, colour;

  // Without normals and colours it is a shadow map.
  Raster(const View& seen, bool shaded);

  void draw_sphere(const Vec<3>& centre, double radius, const Colour& colour);
  // A convex polygon. Its normal may depend on the place, for round surfaces; edges are drawn dark.
  void draw_polygon(const std::vector<Vec<3>>& corners,
                    const std::function<Vec<3>(const Vec<3>&)>& normal, const Colour& colour,
                    bool edges);

  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(view.width) +
           static_cast<std::size_t>(x);
  }
  Vec<3> place(int x, int y) const;  // of the surface seen there

 private:
  bool nearer(int x, int y, double t);  // and keeps it
  void keep(int x, int y, const Vec<3>& n, const Colour& c);

  bool shaded_;
};

}  // namespace talus
