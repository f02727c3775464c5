// SPDX-License-Identifier: Apache-2.0
#include "engine/outlook/touching_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace talus {

namespace {

constexpr double parallel = 0.999;  // cosine of normals that are one face's
constexpr double still = 1e-4;      // velocity that counts as none, where the fastest point has 1
constexpr double part_of_largest = 1e-9;  // of all normal forces, below which nothing presses

// How far q is from the centre of points of a plane, as a part of the way to the edge of their
// hull: the largest over its edges of n·(q − c) / n·(edge − c).
template <int D>
double eccentricity(const std::vector<Vec<D>>& points, const Vec<D>& normal, const Vec<D>& centre,
                    const Vec<D>& q) {
  const Mat<D> frame = frame_of_normal<D>(normal);
  const auto flat = [&](const Vec<D>& x) -> Vec<D - 1> {
    return (frame.transpose() * (x - centre)).template tail<D - 1>();
  };
  const Vec<D - 1> offset = flat(q);
  double part = 0;
  const auto edge = [&](const Vec<D - 1>& outward, double distance) {
    if (distance > 0) part = std::max(part, outward.dot(offset) / distance);
  };
  if constexpr (D == 3) {
    bool flat_hull = true;
    for (const Vec<D>& x : points) {
      for (const Vec<D>& y : points) {
        const Vec<2> from = flat(x), along = flat(y) - from;
        if (along.isZero(0)) continue;
        const Vec<2> outward = Vec<2>(along[1], -along[0]).normalized();
        const double distance = outward.dot(from);
        const bool outermost = std::all_of(points.begin(), points.end(), [&](const Vec<D>& z) {
          return outward.dot(flat(z)) <= distance + 1e-9 * along.norm();
        });
        if (outermost) edge(outward, distance);
        flat_hull = flat_hull && !(outermost && distance > 0);
      }
    }
    if (!flat_hull) return part;
  }
  for (const Vec<D>& x : points) {  // of an edge
    const Vec<D - 1> end = flat(x);
    if (end.norm() > 0) edge(end.normalized(), end.norm());
  }
  return part;
}

template <int D>
class Describer {
 public:
  Describer(const LimitAnalysis<D>& analysis, const LimitState<D>& state)
      : analysis_(analysis), active_(analysis.active()), state_(state) {
    for (const Vec<D>& force : state.contact) largest_ = std::max(largest_, force[0]);
  }

  void describe(TouchingPair<D>& pair) const {
    pair.centre.setZero();
    for (const int i : pair.contacts) pair.centre += point(i);
    pair.centre /= static_cast<double>(pair.contacts.size());
    add_forces(pair);
    find_motion(pair);
  }

 private:
  const ActiveConstraint<D>& contact(int i) const { return active_.unilateral[at(i)]; }
  const Vec<D>& point(int i) const { return contact(i).point; }

  void add_forces(TouchingPair<D>& pair) const {
    Vec<D> action = Vec<D>::Zero();
    double pressing = 0, friction = 0;  // N of Coulomb's law, and μ N
    std::vector<Vec<D>> points;
    for (const int i : pair.contacts) {
      const Vec<D>& p = state_.contact[at(i)];
      const double N = p[0] + contact(i).adhesion;
      const Vec<D> force = analysis_.world_force(at(i), p);
      pair.force += force;
      pair.normal_force += p[0];
      pressing += N;
      friction += contact(i).friction * N;
      action += N * point(i);
      points.push_back(point(i));
    }
    pair.shear = (pair.force - pair.force.dot(pair.normal) * pair.normal).norm();
    const bool presses = pressing > part_of_largest * largest_;
    pair.action = presses ? Vec<D>(action / pressing) : pair.centre;
    pair.eccentricity = presses ? eccentricity<D>(points, pair.normal, pair.centre, pair.action)
                                : std::numeric_limits<double>::quiet_NaN();
    pair.friction_used = presses && friction > 0 ? pair.shear / friction : 0;
  }

  void find_motion(TouchingPair<D>& pair) const {
    const LinearRow<D>& row = active_.rows.normal_u[at(pair.contacts.front())];
    pair.turn = state_.mechanism[at(row.b)].omega - state_.mechanism[at(row.a)].omega;
    pair.place = pair.centre;
    Vec<D> place = Vec<D>::Zero();
    int stay = 0;
    bool touches = false;
    double extent = 0;
    for (const int i : pair.contacts) {
      const Vec<D>& u = state_.velocity[at(i)];
      const double slip = u.template tail<D - 1>().norm();
      pair.slip = std::max(pair.slip, slip);
      touches = touches || u[0] <= contact(i).friction * contact(i).stretch * slip + still;
      extent = std::max(extent, (point(i) - pair.centre).norm());
      if (u.norm() > still) continue;
      ++stay;
      place += point(i);
    }
    const int points = static_cast<int>(pair.contacts.size());
    if (stay > 0) place /= stay;
    if (stay == points) {
      // A single point may be the hinge of bodies that turn about it.
      const bool turns = extent == 0 && pair.turn.norm() * analysis_.smaller_size(row) > still;
      pair.motion = turns ? JointMotion::hinge : JointMotion::none;
    } else if (stay > 0) {
      pair.motion = JointMotion::hinge;
      pair.place = place;
    } else {
      pair.motion = touches ? JointMotion::slide : JointMotion::part;
    }
  }

  const LimitAnalysis<D>& analysis_;
  const ActiveConstraints<D>& active_;
  const LimitState<D>& state_;
  double largest_ = 0;
};

}  // namespace

std::string_view word(JointMotion motion) {
  switch (motion) {
    case JointMotion::hinge:
      return "hinge";
    case JointMotion::slide:
      return "slides";
    case JointMotion::part:
      return "opens";
    default:
      return "still";
  }
}

template <int D>
std::vector<TouchingPair<D>> touching_pairs(const LimitAnalysis<D>& analysis,
                                            const LimitState<D>& state) {
  const auto& unilateral = analysis.active().unilateral;
  std::vector<TouchingPair<D>> pairs;
  for (std::size_t i = 0; i < unilateral.size(); ++i) {
    const ActiveConstraint<D>& c = unilateral[i];
    if (c.kind != ActiveConstraint<D>::Kind::contact) continue;
    // Contacts are sorted by their bodies: those of a pair follow each other.
    auto pair = std::find_if(pairs.rbegin(), pairs.rend(), [&](const TouchingPair<D>& other) {
      return other.a != c.a || other.b != c.b || other.normal.dot(c.direction) > parallel;
    });
    if (pair == pairs.rend() || pair->a != c.a || pair->b != c.b) {
      TouchingPair<D>& added = pairs.emplace_back();
      added.a = c.a;
      added.b = c.b;
      added.normal = c.direction;
      pair = pairs.rbegin();
    }
    pair->contacts.push_back(static_cast<int>(i));
  }
  const Describer<D> describer(analysis, state);
  for (TouchingPair<D>& pair : pairs) describer.describe(pair);
  return pairs;
}

template std::vector<TouchingPair<2>> touching_pairs<2>(const LimitAnalysis<2>&,
                                                        const LimitState<2>&);
template std::vector<TouchingPair<3>> touching_pairs<3>(const LimitAnalysis<3>&,
                                                        const LimitState<3>&);

}  // namespace talus
