// SPDX-License-Identifier: Apache-2.0
#include "engine/build/deposit.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "engine/build/grain_cells.hpp"

namespace talus {

namespace {

constexpr int drops_per_ball = 400;     // before the region counts as full
constexpr int most_steps = 20000;       // of a ball that rolls
constexpr double clearance = 1e-9;      // gap of contacts, in radii: rounding causes no overlap
constexpr double longest_step = 0.2;    // in radii
constexpr double shortest_step = 1e-7;  // in radii
constexpr double touching_part = 0.1;   // in steps: along an arc of one step the gap opens by less
constexpr double horizon = 0.5;         // in radii: move after which neighbours are found again

// An obstacle (ball or wall) as seen from the present position of the rolling ball.
template <int D>
struct Touch {
  int obstacle = 0;
  double gap = 0;  // [m]
  Vec<D> n;        // unit, away from the obstacle
};

template <int D>
Vec<D> upwards() {
  return Vec<D>::Unit(D - 1);
}

// The steepest descent that leads into no obstacle: the projection of −up onto the cone {d : n_i·d
// ≥ 0}. It lies in a face of that cone, where at most D − 1 obstacles carry a part of the weight.
// All faces are tried. Zero if the obstacles carry the whole weight.
template <int D>
Vec<D> steepest_way(const std::vector<Touch<D>>& touching) {
  constexpr double rounding = 1e-9;
  const Vec<D> down = -upwards<D>();
  const auto is_free = [&](const Vec<D>& d) {
    return std::all_of(touching.begin(), touching.end(),
                       [&](const Touch<D>& t) { return t.n.dot(d) >= -rounding; });
  };
  if (is_free(down)) return down;
  for (const Touch<D>& a : touching) {
    const double pressed = -a.n.dot(down);
    const Vec<D> d = down + pressed * a.n;
    if (pressed > 0 && d.norm() > rounding && is_free(d)) return d;
  }
  if constexpr (D == 3) {
    for (std::size_t i = 0; i < touching.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const Vec<3>&a = touching[i].n, &b = touching[j].n;
        const Vec<3> along = a.cross(b);
        if (along.squaredNorm() < 1e-12) continue;
        const Vec<3> edge = along.normalized();
        const Vec<3> d = edge.dot(down) * edge;
        // The rest of the weight must be carried by a and b.
        const double ab = a.dot(b), rest_a = -a.dot(down), rest_b = -b.dot(down);
        const bool pressed = rest_a - ab * rest_b >= 0 && rest_b - ab * rest_a >= 0;
        if (pressed && d.norm() > rounding && is_free(d)) return d;
      }
    }
  }
  return Vec<D>::Zero();
}

// Up to D obstacles that support a ball: up = Σ λ_i n_i with λ ≥ 0.
template <int D>
struct Support {
  std::array<int, D> obstacles{};
  int count = 0;
};

// Solves NᵀN c = b. Zero columns of N are unused. Returns zero if the others are linearly
// dependent.
template <int D>
Vec<D> solve_normal_equations(const Mat<D>& N, const Vec<D>& b) {
  Mat<D> gram = N.transpose() * N;
  for (int i = 0; i < D; ++i) {
    if (gram(i, i) == 0) gram(i, i) = 1;
  }
  return std::abs(gram.determinant()) > 1e-12 ? Vec<D>(gram.inverse() * b) : Vec<D>(Vec<D>::Zero());
}

// Whether obstacles with these normals support a ball.
template <int D>
bool carry(const Mat<D>& N) {
  constexpr double rounding = 1e-9;
  const Vec<D> lambda = solve_normal_equations<D>(N, N.transpose() * upwards<D>());
  return lambda.minCoeff() >= -rounding && (N * lambda - upwards<D>()).norm() < rounding;
}

// The first support with the fewest obstacles; empty if there is none.
template <int D>
Support<D> find_support(const std::vector<Touch<D>>& touching) {
  const auto n = static_cast<int>(touching.size());
  for (int count = 1; count <= std::min(D, n); ++count) {
    Mat<D> N = Mat<D>::Zero();
    std::array<int, D> chosen{};
    for (int i = 0; i < count; ++i) chosen[static_cast<std::size_t>(i)] = i;
    for (;;) {
      Support<D> support{{}, count};
      for (int i = 0; i < count; ++i) {
        const Touch<D>& t = touching[static_cast<std::size_t>(chosen[static_cast<std::size_t>(i)])];
        N.col(i) = t.n;
        support.obstacles[static_cast<std::size_t>(i)] = t.obstacle;
      }
      if (carry<D>(N)) return support;
      int last = count - 1;  // the next choice, in lexicographic order
      while (last >= 0 && chosen[static_cast<std::size_t>(last)] == n - count + last) --last;
      if (last < 0) break;
      ++chosen[static_cast<std::size_t>(last)];
      for (int i = last + 1; i < count; ++i)
        chosen[static_cast<std::size_t>(i)] = chosen[static_cast<std::size_t>(i - 1)] + 1;
    }
  }
  return {};
}

// Obstacles are numbered: balls from 0, walls of the region from −1 down, then its cylinder.
template <int D>
class Deposition {
 public:
  Deposition(const Region<D>& region, double largest_radius)
      : region_(region),
        cells_((2 + horizon) * largest_radius),
        column_width_(2 * largest_radius) {}

  // Drops a ball at a random place. Returns false if there was no room or it did not come to rest.
  bool drop(double radius, Random& random);

  std::vector<Vec<D>> take_centres() { return std::move(centres_); }

 private:
  Touch<D> touch_of(int obstacle, const Vec<D>& x) const;
  void look_around(const Vec<D>& x);
  void find_touching(const Vec<D>& x, double reach);
  bool push_out(Vec<D>& x, double tolerance) const;
  double surface_near(const Vec<D>& x) const;
  bool start(Random& random, Vec<D>& x);
  double fall(const Vec<D>& x) const;
  bool settle(Vec<D>& x);
  bool roll(Vec<D>& x);

  std::uint64_t column_of(const Vec<D>& x, int dx, int dy) const {
    const auto cell = [&](int axis, int shift) {
      return static_cast<std::int64_t>(std::floor(x[axis] / column_width_)) + shift;
    };
    return static_cast<std::uint64_t>(cell(0, dx)) << 32 ^
           (D == 3 ? static_cast<std::uint64_t>(cell(1, dy)) & 0xffffffffu : 0);
  }

  const Region<D>& region_;
  std::vector<Vec<D>> centres_;
  std::vector<double> radii_;
  GrainCells<D> cells_;
  double column_width_;
  std::unordered_map<std::uint64_t, double> surface_;  // top of the highest ball in a column

  // the ball that is rolling
  double r_ = 0;
  Vec<D> seen_from_;
  std::vector<int> near_;
  std::vector<Touch<D>> touching_;
};

template <int D>
Touch<D> Deposition<D>::touch_of(int obstacle, const Vec<D>& x) const {
  if (obstacle >= 0) {
    const auto i = static_cast<std::size_t>(obstacle);
    const Vec<D> from = x - centres_[i];
    const double distance = from.norm();
    return {obstacle, distance - radii_[i] - r_, from / distance};
  }
  const auto wall = static_cast<std::size_t>(-1 - obstacle);
  if (wall < region_.walls.size()) {
    const auto& plane = region_.walls[wall];
    return {obstacle, plane.d - plane.n.dot(x) - r_, Vec<D>(-plane.n)};
  }
  const double from_axis = std::hypot(x[0], x[1]);
  Vec<D> n = Vec<D>::UnitX();
  if (from_axis > 0) n = Vec<D>(-x / from_axis);
  n[D - 1] = 0;
  return {obstacle, region_.cylinder - from_axis - r_, n};
}

// Finds the obstacles that a ball can meet within `horizon` of x.
template <int D>
void Deposition<D>::look_around(const Vec<D>& x) {
  near_.clear();
  seen_from_ = x;
  cells_.each_near(x, [&](std::size_t i) {
    const double reach = radii_[i] + (1 + horizon) * r_;
    if ((centres_[i] - x).squaredNorm() < reach * reach) near_.push_back(static_cast<int>(i));
  });
  const int walls = static_cast<int>(region_.walls.size()) + (region_.cylinder > 0 ? 1 : 0);
  for (int wall = -1; wall >= -walls; --wall) {
    if (touch_of(wall, x).gap < horizon * r_) near_.push_back(wall);
  }
}

template <int D>
void Deposition<D>::find_touching(const Vec<D>& x, double reach) {
  touching_.clear();
  for (const int obstacle : near_) {
    const Touch<D> seen = touch_of(obstacle, x);
    if (seen.gap < reach) touching_.push_back(seen);
  }
}

// Pushes the ball out of all obstacles, one after the other. Returns false if that does not end.
template <int D>
bool Deposition<D>::push_out(Vec<D>& x, double tolerance) const {
  for (int k = 0; k < 100; ++k) {
    bool is_out = true;
    for (const int obstacle : near_) {
      const Touch<D> seen = touch_of(obstacle, x);
      if (seen.gap >= -tolerance) continue;
      is_out = false;
      x -= seen.gap * seen.n;
    }
    if (is_out) return true;
  }
  return false;
}

template <int D>
double Deposition<D>::surface_near(const Vec<D>& x) const {
  double top = region_.low[D - 1];
  for (int dx = -1; dx <= 1; ++dx) {
    for (int dy = D == 3 ? -1 : 0; dy <= (D == 3 ? 1 : 0); ++dy) {
      const auto found = surface_.find(column_of(x, dx, dy));
      if (found != surface_.end()) top = std::max(top, found->second);
    }
  }
  return top;
}

// Finds a free place just above the balls that are already deposited there.
template <int D>
bool Deposition<D>::start(Random& random, Vec<D>& x) {
  x[D - 1] = 0;
  for (int k = 0; k < D - 1; ++k) x[k] = random.between(region_.low[k] + r_, region_.high[k] - r_);
  double low = surface_near(x) + r_, high = std::numeric_limits<double>::infinity();
  for (const auto& wall : region_.walls) {
    const double up = wall.n[D - 1], room = wall.d - r_ - wall.n.dot(x);
    if (up < 0) low = std::max(low, room / up);
    if (up > 0) high = std::min(high, room / up);
  }
  x[D - 1] = std::min(low, high);
  look_around(x);
  return std::all_of(near_.begin(), near_.end(),
                     [&](int obstacle) { return touch_of(obstacle, x).gap >= -clearance * r_; });
}

// Distance that the ball falls until it touches an obstacle or has to find its neighbours again.
template <int D>
double Deposition<D>::fall(const Vec<D>& x) const {
  double way = horizon * r_ / 2;
  for (const int obstacle : near_) {
    if (obstacle >= 0) {
      const auto i = static_cast<std::size_t>(obstacle);
      const Vec<D> from = x - centres_[i];
      const double above = from[D - 1], apart = radii_[i] + r_;
      const double across = from.squaredNorm() - above * above;
      if (above > 0 && across < apart * apart)
        way = std::min(way, above - std::sqrt(apart * apart - across));
    } else {
      const Touch<D> seen = touch_of(obstacle, x);
      if (seen.n[D - 1] > 0) way = std::min(way, seen.gap / seen.n[D - 1]);
    }
  }
  return std::max(way, 0.0);
}

// Moves the ball to its resting place near x, by Newton's method on the gaps of the obstacles that
// support it. Returns false if there is none: nothing supports it, or another obstacle is in the
// way.
template <int D>
bool Deposition<D>::settle(Vec<D>& x) {
  const Support<D> support = find_support<D>(touching_);
  if (support.count == 0) return false;
  Mat<D> N = Mat<D>::Zero();
  Vec<D> off = Vec<D>::Zero();
  Vec<D> rest = x;
  for (int k = 0; k < 20; ++k) {
    for (int i = 0; i < support.count; ++i) {
      const Touch<D> seen = touch_of(support.obstacles[static_cast<std::size_t>(i)], rest);
      N.col(i) = seen.n;
      off[i] = clearance * r_ - seen.gap;
    }
    if (off.cwiseAbs().maxCoeff() < 1e-3 * clearance * r_) break;
    rest += N * solve_normal_equations<D>(N, off);
    if (!((rest - x).norm() < longest_step * r_)) return false;
  }
  if (!(off.cwiseAbs().maxCoeff() < 0.1 * clearance * r_)) return false;
  if (!carry<D>(N)) return false;
  look_around(rest);
  for (const int obstacle : near_) {
    if (touch_of(obstacle, rest).gap < 0) return false;
  }
  x = rest;
  return true;
}

// Rolls the ball down in short steps between the obstacles. A step that does not lead further down
// is repeated with a shorter length.
template <int D>
bool Deposition<D>::roll(Vec<D>& x) {
  double step = longest_step * r_;
  for (int k = 0; k < most_steps && step > shortest_step * r_; ++k) {
    if ((x - seen_from_).norm() > horizon * r_ / 2) look_around(x);
    find_touching(x, touching_part * step);
    const Vec<D> d = steepest_way<D>(touching_);
    if (touching_.empty()) {
      x[D - 1] -= fall(x);
      continue;
    }
    if (d.isZero(0)) {
      if (settle(x)) return true;
      step /= 2;
      continue;
    }
    Vec<D> next = x + step * d.normalized();
    if (push_out(next, 1e-3 * touching_part * step) && next[D - 1] < x[D - 1]) {
      x = next;
      step = std::min(2 * step, longest_step * r_);
    } else {
      step /= 2;
    }
  }
  return false;
}

template <int D>
bool Deposition<D>::drop(double radius, Random& random) {
  r_ = radius;
  Vec<D> x;
  if (!start(random, x) || !roll(x)) return false;
  cells_.add(x, centres_.size());
  centres_.push_back(x);
  radii_.push_back(r_);
  double& top = surface_.try_emplace(column_of(x, 0, 0), region_.low[D - 1]).first->second;
  top = std::max(top, x[D - 1] + r_);
  return true;
}

}  // namespace

template <int D>
std::vector<Vec<D>> deposit(const Region<D>& region, std::span<const double> radii,
                            Random& random) {
  if (radii.empty()) return {};
  Deposition<D> deposition(region, *std::max_element(radii.begin(), radii.end()));
  for (const double radius : radii) {
    bool lies = false;
    for (int k = 0; k < drops_per_ball && !lies; ++k) lies = deposition.drop(radius, random);
    if (!lies) break;
  }
  return deposition.take_centres();
}

template std::vector<Vec<2>> deposit<2>(const Region<2>&, std::span<const double>, Random&);
template std::vector<Vec<3>> deposit<3>(const Region<3>&, std::span<const double>, Random&);

}  // namespace talus
