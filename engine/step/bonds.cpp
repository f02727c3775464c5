// SPDX-License-Identifier: Apache-2.0
#include "engine/step/bonds.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "engine/step/activation.hpp"
#include "engine/step/ledger.hpp"

namespace talus {

namespace {

constexpr double broken_share = 1 - 1e-9;  // of G_f dissipated: nothing is left to hold
constexpr double near_bound = 1e-9;        // share of the bound within which a percussion is on it

template <int D>
const BondLaw& law_of(const Scene<D>& scene, const Bodies<D>& bodies, const ContactKey& key) {
  return scene.laws(bodies.material[at(key.a)], bodies.material[at(key.b)]).bond;
}

auto shapes_of(const ContactKey& key) { return std::tie(key.a, key.b, key.shape_a, key.shape_b); }

template <int D>
double radius_of(const Shape<D>& shape) {
  if (const auto* ball = std::get_if<Ball<D>>(&shape)) return ball->radius;
  if (const auto* capsule = std::get_if<Capsule<D>>(&shape)) return capsule->radius;
  return 0;
}

// A point of a manifold and its share of the area.
template <int D>
struct Tributary {
  Contact<D> contact;
  double area = 0;
};

void share_area(std::vector<Tributary<2>>& points) {
  if (points.size() != 2) return;
  const double length = (points[1].contact.point - points[0].contact.point).norm();
  for (Tributary<2>& point : points) point.area = length / 2;
}

// Of the convex polygon of the points. Each triangle from its centroid to a side gives half of its
// area to either end, which keeps the area and its centroid.
void share_area(std::vector<Tributary<3>>& points) {
  if (points.size() < 3) return;
  const Mat<3> frame = frame_of_normal<3>(points.front().contact.normal);
  std::vector<std::pair<Vec<2>, std::size_t>> flat;
  for (std::size_t i = 0; i < points.size(); ++i)
    flat.emplace_back((frame.transpose() * points[i].contact.point).tail<2>(), i);
  std::sort(flat.begin(), flat.end(), [](const auto& a, const auto& b) {
    return std::pair(a.first[0], a.first[1]) < std::pair(b.first[0], b.first[1]);
  });
  const auto turn = [](const Vec<2>& o, const Vec<2>& a, const Vec<2>& b) {
    return (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0]);
  };
  double extent = 0;
  for (const auto& [x, i] : flat) extent = std::max(extent, (x - flat.front().first).norm());
  const double sliver = 1e-9 * extent * extent;
  std::vector<std::pair<Vec<2>, std::size_t>> hull;  // monotone chain, counter-clockwise
  for (int chain = 0; chain < 2; ++chain) {          // the lower one, then the upper one
    const std::size_t first = hull.size();
    for (const auto& point : flat) {
      while (hull.size() >= first + 2 &&
             turn(hull[hull.size() - 2].first, hull.back().first, point.first) <= sliver)
        hull.pop_back();
      hull.push_back(point);
    }
    hull.pop_back();
    std::reverse(flat.begin(), flat.end());
  }
  if (hull.size() < 3) return;
  double area = 0;
  Vec<2> centroid = Vec<2>::Zero();
  for (std::size_t k = 0; k < hull.size(); ++k) {
    const Vec<2>&a = hull[k].first, &b = hull[(k + 1) % hull.size()].first;
    const double triangle = turn(hull[0].first, a, b) / 2;
    area += triangle;
    centroid += triangle / 3 * (hull[0].first + a + b);
  }
  if (!(area > sliver)) return;
  centroid /= area;
  for (std::size_t k = 0; k < hull.size(); ++k) {
    const auto& [a, i] = hull[k];
    const auto& [b, j] = hull[(k + 1) % hull.size()];
    const double half = turn(centroid, a, b) / 4;
    points[i].area += half;
    points[j].area += half;
  }
}

// Points of the disc about a contact point, in place of it.
void spread_disc(const Contact<2>& centre, double radius, std::vector<Tributary<2>>& points) {
  const Mat<2> frame = frame_of_normal<2>(centre.normal);
  for (const double side : {-1.0, 1.0}) {
    Contact<2> contact = centre;
    contact.point += side * radius * frame.col(1);
    points.push_back({contact, radius});
  }
}
void spread_disc(const Contact<3>& centre, double radius, std::vector<Tributary<3>>& points) {
  constexpr int count = 6;
  const Mat<3> frame = frame_of_normal<3>(centre.normal);
  for (int k = 0; k < count; ++k) {
    const double angle = 2 * std::numbers::pi * k / count;
    Contact<3> contact = centre;
    contact.point +=
        2.0 / 3.0 * radius * (std::cos(angle) * frame.col(1) + std::sin(angle) * frame.col(2));
    points.push_back({contact, std::numbers::pi * radius * radius / count});
  }
}

template <int D>
Bond<D> bond_at(const Bodies<D>& bodies, const Tributary<D>& point, const ContactKey& key) {
  const std::size_t a = at(key.a), b = at(key.b);
  const Mat<D> R_a = rotation_matrix<D>(bodies.orientation[a]),
               R_b = rotation_matrix<D>(bodies.orientation[b]);
  Bond<D> bond;
  bond.key = key;
  bond.anchor_a = R_a.transpose() * (point.contact.point - bodies.position[a]);
  bond.anchor_b = R_b.transpose() * (point.contact.point - bodies.position[b]);
  bond.normal = R_a.transpose() * point.contact.normal;
  bond.area = point.area;
  return bond;
}

// Velocity of b's anchor against a's, where they are.
template <int D>
Vec<D> velocity_of(const Bond<D>& bond, const BondPlace<D>& place, const Bodies<D>& bodies,
                   std::span<const Twist<D>> v) {
  const auto of = [&](int body) -> Vec<D> {
    const Vec<D> arm = place.point - bodies.position[at(body)];
    return v[at(body)].v + cross<D>(v[at(body)].omega, arm);
  };
  return of(bond.key.b) - of(bond.key.a);
}

}  // namespace

template <int D>
BondPlace<D> place_of(const Bond<D>& bond, const Bodies<D>& bodies) {
  const std::size_t a = at(bond.key.a), b = at(bond.key.b);
  const Mat<D> R_a = rotation_matrix<D>(bodies.orientation[a]),
               R_b = rotation_matrix<D>(bodies.orientation[b]);
  const Vec<D> x_a = bodies.position[a] + R_a * bond.anchor_a,
               x_b = bodies.position[b] + R_b * bond.anchor_b;
  return {0.5 * (x_a + x_b), R_a * bond.normal, x_b - x_a};
}

template <int D>
std::vector<Bond<D>> bonds_between(const Scene<D>& scene, const Bodies<D>& bodies,
                                   const ExcludedPairs<D>& excluded) {
  if (!scene.laws.any_bonds()) return {};
  double widest = scene.laws.largest_bond_reach();
  for (const Geometry<D>& geometry : bodies.geometries)
    if (std::isfinite(geometry.size))
      widest = std::max(widest, bond_touching_fraction * geometry.size);
  const std::vector<Reach<D>> reach(bodies.size(), Reach<D>{Vec<D>::Zero(), widest / 2});
  std::vector<Contact<D>> found;
  ContactSearch<D>().find(bodies, reach, excluded, found);

  std::vector<Bond<D>> bonds;
  std::vector<Tributary<D>> points;
  for (std::size_t first = 0, last = 0; first < found.size(); first = last) {
    const ContactKey& key = found[first].key;
    while (last < found.size() && shapes_of(found[last].key) == shapes_of(key)) ++last;
    const BondLaw& law = law_of<D>(scene, bodies, key);
    if (!law.exists()) continue;
    const double near =
        law.reach > 0 ? law.reach
                      : bond_touching_fraction / touching_fraction * touching_gap<D>(bodies, key);
    const auto shape_of = [&](int body, int shape) -> const Shape<D>& {
      return bodies.geometry_of(at(body)).shapes[at(shape)];
    };
    const double r_a = radius_of<D>(shape_of(key.a, key.shape_a)),
                 r_b = radius_of<D>(shape_of(key.b, key.shape_b));
    points.clear();
    for (std::size_t i = first; i < last; ++i) {
      if (found[i].gap > near) continue;
      if (r_a == 0 && r_b == 0) {
        points.push_back({found[i], 0});
        continue;
      }
      const double least = r_a > 0 && r_b > 0 ? std::min(r_a, r_b) : std::max(r_a, r_b);
      spread_disc(found[i], law.radius > 0 ? law.radius : least, points);
    }
    if (r_a == 0 && r_b == 0) share_area(points);
    std::uint64_t number = 0;  // of a point of a disc
    for (const Tributary<D>& point : points) {
      if (!(point.area > 0)) continue;
      ContactKey own = point.contact.key;
      if (r_a > 0 || r_b > 0) own.feature += (++number % 128) << 56;
      bonds.push_back(bond_at<D>(bodies, point, own));
    }
  }
  std::ranges::sort(bonds, {}, &Bond<D>::key);
  return bonds;
}

template <int D>
void Bonds<D>::act(const Scene<D>& scene, const Bodies<D>& bodies,
                   std::span<const Twist<D>> v_minus, std::vector<BondAction<D>>& actions) {
  actions.assign(bonds_.size(), {});
  held_.assign(bonds_.size(), 0);
  for (std::size_t i = 0; i < bonds_.size(); ++i) {
    const Bond<D>& bond = bonds_[i];
    if (bond.broken()) continue;
    const BondLaw& law = law_of<D>(scene, bodies, bond.key);
    const BondPlace<D> place = place_of<D>(bond, bodies);
    double strength = 1;
    if (bond.damage == 0) {
      held_[i] = 1;
      actions[i].drift = place.apart;
    }
    if (law.fracture_energy > 0) {
      const Vec<D> u = velocity_of<D>(bond, place, bodies, v_minus);
      const double u_N = u.dot(place.normal);
      // What opens within a step by as little as surfaces that touch are apart rests.
      const double touching = touching_gap<D>(bodies, bond.key);
      if (bond.damage > 0)
        held_[i] = bond.pulls || scene.h * u_N > touching || place.opening() <= touching;
      const double s = std::sqrt(1 - bond.damage);
      const double x = bond.damage == 0 ? 0
                                        : scene.h *
                                              (law.tension * std::max(u_N, 0.0) +
                                               law.cohesion * (u - u_N * place.normal).norm()) /
                                              (2 * law.fracture_energy);
      strength = x < s ? s - x / 2 : s * s / (2 * x);
    }
    const double load = scene.h * bond.area * strength;  // of a unit of stress
    actions[i].pull = held_[i] ? load * law.tension : 0;
    actions[i].cohesion = load * (law.cohesion - law.friction * law.tension);
  }
}

template <int D>
void Bonds<D>::replace_contacts(const Bodies<D>& bodies, std::vector<Contact<D>>& found) {
  if (bonds_.empty()) return;
  merged_.clear();
  std::size_t f = 0;
  for (std::size_t first = 0, last = 0; first < bonds_.size(); first = last) {
    const ContactKey& key = bonds_[first].key;
    while (last < bonds_.size() && shapes_of(bonds_[last].key) == shapes_of(key)) ++last;
    while (f < found.size() && shapes_of(found[f].key) < shapes_of(key))
      merged_.push_back(found[f++]);
    const std::size_t begin = merged_.size();
    for (; f < found.size() && shapes_of(found[f].key) == shapes_of(key); ++f) {
      double nearest = std::numeric_limits<double>::infinity();
      bool taken = false;  // by a bond
      for (std::size_t i = first; i < last; ++i) {
        const double distance = (place_of<D>(bonds_[i], bodies).point - found[f].point).norm();
        if (distance > nearest || (distance == nearest && !bonds_[i].broken())) continue;
        nearest = distance;
        taken = !bonds_[i].broken();
      }
      if (taken) continue;
      merged_.push_back(found[f]);
      merged_.back().cracked = true;
    }
    for (std::size_t i = first; i < last; ++i) {
      if (bonds_[i].broken()) continue;
      const BondPlace<D> place = place_of<D>(bonds_[i], bodies);
      Contact<D> contact;
      contact.key = bonds_[i].key;
      contact.gap = place.opening();
      contact.normal = place.normal;
      contact.point = place.point;
      contact.bond = static_cast<int>(i);
      contact.held = held_[i] != 0;
      merged_.push_back(contact);
    }
    std::sort(merged_.begin() + static_cast<std::ptrdiff_t>(begin), merged_.end(),
              [](const Contact<D>& a, const Contact<D>& b) {
                return std::tie(a.key, a.bond) < std::tie(b.key, b.bond);
              });
  }
  merged_.insert(merged_.end(), found.begin() + static_cast<std::ptrdiff_t>(f), found.end());
  found.swap(merged_);
}

template <int D>
void Bonds<D>::wear(const Scene<D>& scene, const Bodies<D>& bodies, const StepData<D>& step,
                    double rest) {
  for (Bond<D>& bond : bonds_) bond.pulls = false;
  if (bonds_.empty()) return;
  const auto& W = std::get<RigidOperator<D>>(step.problem.W);
  for (std::size_t i = 0; i < step.contacts.size(); ++i) {
    const ActiveContact<D>& active = step.contacts[i];
    if (active.contact.bond < 0) continue;
    Bond<D>& bond = bonds_[at(active.contact.bond)];
    const BondLaw& law = law_of<D>(scene, bodies, bond.key);
    bond.pulls = active.percussion[0] < -near_bound * active.pull;
    const Vec<D> p = active.pressing();
    const double bound = active.law.friction * p[0] + active.cohesion;
    const bool opens = p[0] <= near_bound * active.pull;
    const bool slides = p.template tail<D - 1>().norm() >= (1 - near_bound) * bound;
    if (!opens && !slides) continue;
    if (law.fracture_energy > 0) {
      const double energy = std::max(-bond_work<D>(active).bond, 0.0);
      bond.damage = std::min(bond.damage + energy / (law.fracture_energy * bond.area), 1.0);
      if (bond.damage >= broken_share) bond.damage = 1;
      continue;
    }
    const Vec<D> drift =
        W.contacts[i].frame.transpose() * step.bonds[at(active.contact.bond)].drift / scene.h;
    const double scale = step.problem.b[i].norm() + step.problem.velocity_floor;
    if ((active.u_plus + drift).norm() > rest * scale) bond.damage = 1;
  }
}

#define TALUS_INSTANTIATE(D)                                                        \
  template BondPlace<D> place_of<D>(const Bond<D>&, const Bodies<D>&);              \
  template std::vector<Bond<D>> bonds_between<D>(const Scene<D>&, const Bodies<D>&, \
                                                 const ExcludedPairs<D>&);          \
  template class Bonds<D>;

TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
