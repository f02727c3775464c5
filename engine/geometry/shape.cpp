// SPDX-License-Identifier: Apache-2.0
#include "engine/geometry/shape.hpp"

#include <algorithm>
#include <limits>

namespace talus {

namespace {

template <int D>
Shape<D> moved_shape(Ball<D> ball, const Vec<D>& t, const Mat<D>& R) {
  ball.centre = R * ball.centre + t;
  return ball;
}

template <int D>
Shape<D> moved_shape(Capsule<D> capsule, const Vec<D>& t, const Mat<D>& R) {
  for (Vec<D>& end : capsule.ends) end = R * end + t;
  return capsule;
}

template <int D>
Shape<D> moved_shape(Polytope<D> polytope, const Vec<D>& t, const Mat<D>& R) {
  for (Vec<D>& x : polytope.vertices) x = R * x + t;
  for (std::size_t f = 0; f < polytope.normals.size(); ++f) {
    polytope.normals[f] = R * polytope.normals[f];
    polytope.offsets[f] += polytope.normals[f].dot(t);
  }
  polytope.centre = R * polytope.centre + t;
  return polytope;
}

template <int D>
Shape<D> moved_shape(HalfSpace<D> half_space, const Vec<D>& t, const Mat<D>& R) {
  half_space.normal = R * half_space.normal;
  half_space.offset += half_space.normal.dot(t);
  return half_space;
}

template <int D>
Shape<D> moved_shape(TriangleMesh mesh, const Vec<D>& t, const Mat<D>& R) {
  for (Vec<D>& x : mesh.vertices) x = R * x + t;
  return triangle_mesh(std::move(mesh.vertices), std::move(mesh.triangles));
}

template <int D>
double radius_about_origin(const Ball<D>& ball) {
  return ball.centre.norm() + ball.radius;
}

template <int D>
double radius_about_origin(const Capsule<D>& capsule) {
  return std::max(capsule.ends[0].norm(), capsule.ends[1].norm()) + capsule.radius;
}

template <int D>
double radius_about_origin(const Polytope<D>& polytope) {
  double radius = 0;
  for (const Vec<D>& x : polytope.vertices) radius = std::max(radius, x.norm());
  return radius;
}

template <int D>
double radius_about_origin(const HalfSpace<D>&) {
  return std::numeric_limits<double>::infinity();
}

template <int D>
double radius_about_origin(const TriangleMesh& mesh) {
  double radius = 0;
  for (const Vec<3>& x : mesh.vertices) radius = std::max(radius, x.norm());
  return radius;
}

}  // namespace

template <int D>
Shape<D> moved(const Shape<D>& shape, const Vec<D>& translation, const Orientation<D>& rotation) {
  const Mat<D> R = rotation_matrix<D>(rotation);
  return std::visit([&](const auto& s) { return moved_shape<D>(s, translation, R); }, shape);
}

template <int D>
double bounding_radius(const std::vector<Shape<D>>& shapes) {
  double radius = 0;
  for (const Shape<D>& shape : shapes) {
    radius = std::max(radius,
                      std::visit([](const auto& s) { return radius_about_origin<D>(s); }, shape));
  }
  return radius;
}

template Shape<2> moved(const Shape<2>&, const Vec<2>&, const Orientation<2>&);
template Shape<3> moved(const Shape<3>&, const Vec<3>&, const Orientation<3>&);
template double bounding_radius<2>(const std::vector<Shape<2>>&);
template double bounding_radius<3>(const std::vector<Shape<3>>&);

}  // namespace talus
