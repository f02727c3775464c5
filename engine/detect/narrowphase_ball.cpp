// SPDX-License-Identifier: Apache-2.0
// A ball against all other shapes: at most one contact. Its feature key is 0, so that it remains
// the same contact wherever it moves over the other shape.
#include <limits>

#include "engine/detect/narrowphase_families.hpp"
#include "engine/geometry/segment.hpp"

namespace talus {

namespace {

template <int D>
Globe<D> placed_ball(const PlacedShape<D>& placed) {
  const auto& ball = std::get<Ball<D>>(*placed.shape);
  return {placed.position + placed.rotation * ball.centre, ball.radius};
}

// Position of a point relative to a polytope, in the frame of the polytope.
template <int D>
struct PointOnPolytope {
  double distance;   // negative inside
  Vec<D> direction;  // unit, out of the polytope
};

// Nearest point of a face to x, which lies above its plane.
Vec<2> nearest_on_face(const Polytope<2>& polytope, std::size_t f, const Vec<2>& x) {
  const Segment<2> edge{polytope.vertices[f],
                        polytope.vertices[(f + 1) % polytope.vertices.size()]};
  return edge.at(closest_parameter<2>(edge, x));
}
Vec<3> nearest_on_face(const Polytope<3>& polytope, std::size_t f, const Vec<3>& x) {
  const auto& loop = polytope.faces[f];
  const Vec<3>& n = polytope.normals[f];
  bool over_face = true;
  double least = std::numeric_limits<double>::infinity();
  Vec<3> nearest = x;
  for (std::size_t k = 0; k < loop.size(); ++k) {
    const Segment<3> edge{
        polytope.vertices[static_cast<std::size_t>(loop[k])],
        polytope.vertices[static_cast<std::size_t>(loop[k + 1 < loop.size() ? k + 1 : 0])]};
    if ((edge.to - edge.from).cross(n).dot(x - edge.from) <= 0) continue;  // on the inner side
    over_face = false;
    const Vec<3> foot = edge.at(closest_parameter<3>(edge, x));
    const double squared = (x - foot).squaredNorm();
    if (squared < least) {
      least = squared;
      nearest = foot;
    }
  }
  return over_face ? Vec<3>(x - (n.dot(x) - polytope.offsets[f]) * n) : nearest;
}

// Distance of x from a polytope. Outside, the closest point is on a face that x lies above; inside,
// on the face with the least depth. Returns false if farther than `largest`.
template <int D>
bool locate(const Polytope<D>& polytope, const Vec<D>& x, double largest,
            PointOnPolytope<D>& found) {
  std::size_t highest_face = 0;
  double highest = -std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < polytope.normals.size(); ++f) {
    const double height = polytope.normals[f].dot(x) - polytope.offsets[f];
    if (height > largest) return false;
    if (height > highest) {
      highest = height;
      highest_face = f;
    }
  }
  // Within rounding of the surface the difference to the closest point has no direction.
  const double rounding = 16 * std::numeric_limits<double>::epsilon() *
                          (polytope.radius + polytope.centre.norm() + x.norm());
  found = {highest, polytope.normals[highest_face]};
  if (highest <= rounding) return true;

  double least = std::numeric_limits<double>::infinity();
  Vec<D> nearest = x;
  for (std::size_t f = 0; f < polytope.normals.size(); ++f) {
    if (polytope.normals[f].dot(x) - polytope.offsets[f] <= 0) continue;
    const Vec<D> y = nearest_on_face(polytope, f, x);
    const double squared = (x - y).squaredNorm();
    if (squared < least) {
      least = squared;
      nearest = y;
    }
  }
  const double distance = std::sqrt(least);
  if (distance > largest) return false;
  // Over the highest face the height is more accurate than the length of a difference.
  if (distance > highest + rounding) found = {distance, (x - nearest) / distance};
  return true;
}

}  // namespace

template <int D>
void ball_ball(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
               ShapeContacts<D>& contacts) {
  ShapeContact<D> contact;
  if (touch(placed_ball(a), placed_ball(b), reach, contact)) contacts.push_back(contact);
}

template <int D>
void ball_capsule(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
                  ShapeContacts<D>& contacts) {
  const auto& ball = std::get<Ball<D>>(*a.shape);
  const auto& capsule = std::get<Capsule<D>>(*b.shape);
  // Relative to the body of the capsule. The difference of the positions comes first, so that no
  // accuracy is lost far from the origin.
  const Vec<D> centre = (a.position - b.position) + a.rotation * ball.centre;
  const Segment<D> axis{b.rotation * capsule.ends[0], b.rotation * capsule.ends[1]};
  const Vec<D> foot = axis.at(closest_parameter<D>(axis, centre));
  ShapeContact<D> contact;
  if (!touch<D>({centre, ball.radius}, {foot, capsule.radius}, reach, contact)) return;
  if (centre == foot) {  // centre on the axis: separate across the axis, not along it
    const Vec<D> along = axis.to - axis.from;
    if (along.squaredNorm() > 0) {
      contact.normal = frame_of_normal<D>(along.normalized()).col(1);
      contact.point = centre + (ball.radius + contact.gap / 2) * contact.normal;
    }
  }
  contact.point += b.position;
  contacts.push_back(contact);
}

template <int D>
void ball_polytope(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
                   ShapeContacts<D>& contacts) {
  const auto& ball = std::get<Ball<D>>(*a.shape);
  const auto& polytope = std::get<Polytope<D>>(*b.shape);
  const Vec<D> centre = (a.position - b.position) + a.rotation * ball.centre;
  const Vec<D> x = b.rotation.transpose() * centre;
  PointOnPolytope<D> found;
  if (!locate(polytope, x, ball.radius + reach, found)) return;
  ShapeContact<D> contact;
  contact.gap = found.distance - ball.radius;
  contact.normal = -(b.rotation * found.direction);
  contact.point = b.position + centre + (ball.radius + contact.gap / 2) * contact.normal;
  contacts.push_back(contact);
}

template <int D>
void ball_half_space(const PlacedShape<D>& a, const PlacedShape<D>& b, double reach,
                     ShapeContacts<D>& contacts) {
  const auto& ball = std::get<Ball<D>>(*a.shape);
  const auto& half_space = std::get<HalfSpace<D>>(*b.shape);
  const Vec<D> n = b.rotation * half_space.normal;
  const Vec<D> centre = (a.position - b.position) + a.rotation * ball.centre;
  const double gap = n.dot(centre) - half_space.offset - ball.radius;
  if (!(gap <= reach)) return;
  contacts.push_back({0, gap, -n, b.position + centre - (ball.radius + gap / 2) * n});
}

template void ball_ball(const PlacedShape<2>&, const PlacedShape<2>&, double, ShapeContacts<2>&);
template void ball_ball(const PlacedShape<3>&, const PlacedShape<3>&, double, ShapeContacts<3>&);
template void ball_capsule(const PlacedShape<2>&, const PlacedShape<2>&, double, ShapeContacts<2>&);
template void ball_capsule(const PlacedShape<3>&, const PlacedShape<3>&, double, ShapeContacts<3>&);
template void ball_polytope(const PlacedShape<2>&, const PlacedShape<2>&, double,
                            ShapeContacts<2>&);
template void ball_polytope(const PlacedShape<3>&, const PlacedShape<3>&, double,
                            ShapeContacts<3>&);
template void ball_half_space(const PlacedShape<2>&, const PlacedShape<2>&, double,
                              ShapeContacts<2>&);
template void ball_half_space(const PlacedShape<3>&, const PlacedShape<3>&, double,
                              ShapeContacts<3>&);

}  // namespace talus
