// SPDX-License-Identifier: Apache-2.0
#include "tools/draw/raster.hpp"

#include <algorithm>
#include <limits>

namespace talus {

View::Ray View::ray(double x, double y) const {
  const double unit = 2 * reach / height;
  const Vec<3> across = (x - 0.5 * width) * unit * right + (0.5 * height - y) * unit * up;
  if (parallel) return {eye + across, -back};
  return {eye, (across - back).normalized()};
}

Vec<3> View::projected(const Vec<3>& point) const {
  const Vec<3> p = point - eye;
  const double distance = -p.dot(back);
  const double scale = pixels_per_metre(distance);
  return {0.5 * width + scale * p.dot(right), 0.5 * height - scale * p.dot(up), distance};
}

Raster::Raster(const View& seen, bool shaded) : view(seen), shaded_(shaded) {
  const std::size_t pixels =
      static_cast<std::size_t>(view.width) * static_cast<std::size_t>(view.height);
  depth.assign(pixels, std::numeric_limits<float>::infinity());
  if (!shaded) return;
  normal.resize(pixels);
  colour.resize(pixels);
}

bool Raster::nearer(int x, int y, double t) {
  float& present = depth[index(x, y)];
  if (!(t > 0) || !(t < static_cast<double>(present))) return false;
  present = static_cast<float>(t);
  return true;
}

void Raster::keep(int x, int y, const Vec<3>& n, const Colour& c) {
  if (!shaded_) return;
  normal[index(x, y)] = n.cast<float>();
  colour[index(x, y)] = c.cast<float>();
}

Vec<3> Raster::place(int x, int y) const {
  const View::Ray ray = view.ray(x + 0.5, y + 0.5);
  return ray.from + static_cast<double>(depth[index(x, y)]) * ray.along;
}

void Raster::draw_sphere(const Vec<3>& centre, double radius, const Colour& tint) {
  const Vec<3> p = view.projected(centre);
  if (!view.parallel && !(p[2] > 1.01 * radius)) return;  // about the eye
  // Off the axis of view the outline is an ellipse, longer than the sphere by the angle.
  const Vec<3> from_eye = centre - view.eye;
  const double longer =
      view.parallel ? 1 : from_eye.norm() / p[2] * from_eye.norm() / (p[2] - radius);
  const double reach = radius * view.pixels_per_metre(view.parallel ? 1 : p[2]) * longer + 1;
  const auto low = [&](int k) { return std::max(0, static_cast<int>(p[k] - reach)); };
  const auto high = [&](int k, int size) {
    return std::min(size - 1, static_cast<int>(p[k] + reach));
  };
  for (int y = low(1); y <= high(1, view.height); ++y)
    for (int x = low(0); x <= high(0, view.width); ++x) {
      const View::Ray ray = view.ray(x + 0.5, y + 0.5);
      const Vec<3> to = centre - ray.from;
      const double along = to.dot(ray.along),
                   h = radius * radius - to.squaredNorm() + along * along;
      if (h < 0) continue;
      const double t = along - std::sqrt(h);
      if (nearer(x, y, t)) keep(x, y, (ray.from + t * ray.along - centre) / radius, tint);
    }
}

void Raster::draw_polygon(const std::vector<Vec<3>>& corners,
                          const std::function<Vec<3>(const Vec<3>&)>& normal_at, const Colour& tint,
                          bool edges) {
  const std::size_t n = corners.size();
  std::vector<Vec<3>> p(n);
  Vec<3> low = Vec<3>::Constant(1e30), high = -low, area = Vec<3>::Zero();
  for (std::size_t k = 0; k < n; ++k) {
    p[k] = view.projected(corners[k]);
    if (!(p[k][2] > 0) && !view.parallel) return;  // reaches behind the eye
    low = low.cwiseMin(p[k]);
    high = high.cwiseMax(p[k]);
    area += corners[k].cross(corners[(k + 1) % n]);
  }
  const double size = area.norm();
  if (!(size > 0)) return;
  const Vec<3> face = area / size;
  double turn = 0;  // sign of the area on the screen
  for (std::size_t k = 0; k < n; ++k) {
    const Vec<3>&a = p[k], &b = p[(k + 1) % n];
    turn += a[0] * b[1] - a[1] * b[0];
  }
  const double sign = turn < 0 ? -1 : 1;
  for (int y = std::max(0, static_cast<int>(low[1]));
       y <= std::min(view.height - 1, static_cast<int>(high[1])); ++y)
    for (int x = std::max(0, static_cast<int>(low[0]));
         x <= std::min(view.width - 1, static_cast<int>(high[0])); ++x) {
      double nearest = 1e30;  // distance to the sides [pixels]; negative outside
      for (std::size_t k = 0; k < n && nearest >= 0; ++k) {
        const Vec<3>&a = p[k], &b = p[(k + 1) % n];
        const double dx = b[0] - a[0], dy = b[1] - a[1], length = std::hypot(dx, dy);
        if (length == 0) continue;
        nearest =
            std::min(nearest, sign * (dx * (y + 0.5 - a[1]) - dy * (x + 0.5 - a[0])) / length);
      }
      if (nearest < 0) continue;
      const View::Ray ray = view.ray(x + 0.5, y + 0.5);
      const double slope = face.dot(ray.along);
      if (slope == 0) continue;
      const double t = face.dot(corners[0] - ray.from) / slope;
      if (!nearer(x, y, t) || !shaded_) continue;
      Vec<3> m = normal_at(ray.from + t * ray.along);
      if (m.dot(ray.along) > 0) m = -m;
      keep(x, y, m, edges && nearest < 1.6 ? Colour(0.45 * tint) : tint);
    }
}

}  // namespace talus
