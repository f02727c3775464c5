// SPDX-License-Identifier: Apache-2.0
#include "engine/outlook/outlook.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/build/container.hpp"
#include "engine/build/deposit.hpp"
#include "engine/build/random.hpp"

namespace talus {

namespace {

constexpr double most_looks = 3e7;  // bodies times floors; above it a sample is tested

// Heights and places across, of points in a frame whose first axis is up.
template <int D>
struct Shadow {
  Vec<D> low = Vec<D>::Constant(std::numeric_limits<double>::infinity());
  Vec<D> high = Vec<D>::Constant(-std::numeric_limits<double>::infinity());

  void add(const Vec<D>& x, double radius) {
    low = low.cwiseMin(x - Vec<D>::Constant(radius));
    high = high.cwiseMax(x + Vec<D>::Constant(radius));
  }
  bool is_below(const Vec<D>& x) const {
    for (int k = 1; k < D; ++k) {
      if (x[k] < low[k] || x[k] > high[k]) return false;
    }
    return low[0] <= x[0];
  }
};

// Fixed and driven bodies that can stop a fall.
template <int D>
struct Floors {
  std::vector<HalfSpace<D>> planes;  // in the upright frame
  std::vector<Shadow<D>> shadows;    // of finite shapes

  void add(const HalfSpace<D>& plane, const Vec<D>& x, const Mat<D>& R) {
    const Vec<D> n = R * plane.normal;
    if (n[0] > 1e-9) planes.push_back({n, plane.offset + n.dot(x)});
  }
  void add(const Ball<D>& ball, const Vec<D>& x, const Mat<D>& R) {
    shadows.emplace_back().add(x + R * ball.centre, ball.radius);
  }
  void add(const Capsule<D>& capsule, const Vec<D>& x, const Mat<D>& R) {
    shadows.emplace_back();
    for (const Vec<D>& end : capsule.ends) shadows.back().add(x + R * end, capsule.radius);
  }
  void add(const Polytope<D>& polytope, const Vec<D>& x, const Mat<D>& R) {
    shadows.emplace_back();
    for (const Vec<D>& corner : polytope.vertices) shadows.back().add(x + R * corner, 0);
  }

  void add(const TriangleMesh& mesh, const Vec<D>& x, const Mat<D>& R) {
    shadows.emplace_back();
    for (const Vec<3>& corner : mesh.vertices) shadows.back().add(x + R * corner, 0);
  }

  std::size_t size() const { return planes.size() + shadows.size(); }

  // Height above the lowest floor below x; negative if there is none.
  double drop_from(const Vec<D>& x) const {
    double drop = -1;
    for (const HalfSpace<D>& plane : planes)
      drop = std::max(drop, std::max(0.0, plane.normal.dot(x) - plane.offset) / plane.normal[0]);
    for (const Shadow<D>& shadow : shadows) {
      if (shadow.is_below(x)) drop = std::max(drop, std::max(0.0, x[0] - shadow.high[0]));
    }
    return drop;
  }
};

template <int D>
bool is_there(const Bodies<D>& bodies, std::size_t i) {
  return !bodies.geometry_of(i).shapes.empty();  // a vacant entry has none
}

}  // namespace

template <int D>
Outlook look_ahead(const Scene<D>& scene, const Bodies<D>& bodies) {
  Outlook outlook;
  std::vector<std::size_t> moving;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies.moves_freely(i)) continue;
    moving.push_back(i);
    const double size = bodies.geometry_of(i).size;
    outlook.smallest = outlook.smallest == 0 ? size : std::min(outlook.smallest, size);
    outlook.fastest = std::max(outlook.fastest, bodies.velocity[i].norm());
  }
  const double g = scene.gravity.norm();
  if (!(g > 0) || !scene.has_inertia() || moving.empty()) return outlook;

  const Mat<D> upright = frame_of_normal<D>(-scene.gravity / g).transpose();
  Floors<D> floors;
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (bodies.moves_freely(i) || !is_there(bodies, i)) continue;
    const Mat<D> R = upright * rotation_matrix<D>(bodies.orientation[i]);
    const Vec<D> x = upright * bodies.position[i];
    for (const Shape<D>& shape : bodies.geometry_of(i).shapes)
      std::visit([&](const auto& s) { floors.add(s, x, R); }, shape);
  }
  const double looks = static_cast<double>(moving.size()) * static_cast<double>(floors.size());
  const auto stride = static_cast<std::size_t>(std::ceil(std::max(1.0, looks / most_looks)));
  for (std::size_t k = 0; k < moving.size(); k += stride) {
    const std::size_t i = moving[k];
    double drop = floors.drop_from(upright * bodies.position[i]);
    if (drop < 0) {
      drop = g * scene.end * scene.end / 2;
      if (outlook.floorless++ == 0) outlook.first_floorless = static_cast<int>(i);
    }
    const double v = bodies.velocity[i].norm();
    outlook.fastest = std::max(outlook.fastest, std::sqrt(v * v + 2 * g * drop));
    outlook.longest_fall = std::max(outlook.longest_fall, std::sqrt(2 * drop / g));
  }
  return outlook;
}

template <int D>
double contacts_per_angular_body() {
  return D == 2 ? 3 : 4;
}

template <int D>
Scene<D> sample_heap(const Scene<D>& scene, std::size_t count) {
  Scene<D> heap;
  heap.h = scene.h;
  heap.end = scene.end;
  heap.theta = scene.theta;
  heap.solver = scene.solver;
  heap.contact_rule = scene.contact_rule;
  heap.correct_drift = scene.correct_drift;
  heap.materials = scene.materials;
  heap.laws = scene.laws;
  heap.coefficients_of_speed = scene.coefficients_of_speed;
  heap.friction_ellipsoids = scene.friction_ellipsoids;
  heap.gravity = -scene.gravity.norm() * Vec<D>::Unit(D - 1);

  std::vector<const BodyDescription<D>*> moving;
  for (std::size_t id = 0; id < total_bodies(scene); ++id) {
    const BodyDescription<D>& body = description(scene, id);
    if (!body.fixed && body.drives.empty()) moving.push_back(&body);
  }
  if (moving.empty() || heap.gravity.isZero(0) || !scene.has_inertia()) return heap;
  const std::size_t stride = (moving.size() + count - 1) / count;
  std::vector<const BodyDescription<D>*> chosen;
  std::vector<double> radii;
  double largest = 0, volume = 0;
  for (std::size_t k = 0; k < moving.size(); k += stride) {
    chosen.push_back(moving[k]);
    radii.push_back(bounding_radius<D>(moving[k]->shapes));
    largest = std::max(largest, radii.back());
    volume += std::pow(2 * radii.back(), D);
  }
  // The heap is about as high as wide.
  const double width = std::max(3 * largest, std::pow(volume, 1.0 / D));
  Vec<D> sides = Vec<D>::Constant(width);
  sides[D - 1] = 100 * width;
  const std::vector<std::string> open = {"top"};
  Container<D> box = box_container<D>(sides, open, 0);
  const int material = moving.front()->material;
  Random random(0);
  std::size_t k = 0;
  for (const Vec<D>& x : deposit<D>(box.inside, radii, random)) {
    BodyDescription<D> ball;
    ball.name = std::to_string(k);
    ball.shapes = {Ball<D>{radii[k]}};
    ball.mass = chosen[k]->mass;
    ball.material = chosen[k]->material;
    ball.position = x;
    heap.bodies.push_back(std::move(ball));
    ++k;
  }
  for (BodyDescription<D>& wall : box.walls) {
    wall.fixed = true;
    wall.material = material;
    heap.bodies.push_back(std::move(wall));
  }
  return heap;
}

template Outlook look_ahead<2>(const Scene<2>&, const Bodies<2>&);
template Outlook look_ahead<3>(const Scene<3>&, const Bodies<3>&);
template double contacts_per_angular_body<2>();
template double contacts_per_angular_body<3>();
template Scene<2> sample_heap<2>(const Scene<2>&, std::size_t);
template Scene<3> sample_heap<3>(const Scene<3>&, std::size_t);

}  // namespace talus
