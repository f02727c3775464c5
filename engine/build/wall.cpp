// SPDX-License-Identifier: Apache-2.0
#include "engine/build/wall.hpp"

#include <algorithm>
#include <cmath>

namespace talus {

namespace {

struct Piece {
  double centre, width;  // along the wall [m]
  bool header;

  double from() const { return centre - width / 2; }
  double to() const { return centre + width / 2; }
};

// The pieces of a course of the whole wall.
template <int D>
class Courses {
 public:
  explicit Courses(const WallPlan<D>& plan)
      : plan_(plan), left_(-plan.length() / 2), joint_(plan.joint) {}

  std::vector<Piece> course(int k) {
    pieces_.clear();
    const bool even = k % 2 == 0;
    switch (plan_.bond) {
      case BrickBond::running:
        even ? running() : running_shifted();
        break;
      case BrickBond::header:
        repeat({true}, even ? 0 : header() / 2);
        break;
      case BrickBond::english:
        even ? running() : repeat({true}, header() / 2);
        break;
      case BrickBond::flemish:
        even ? repeat({false, true}, 0)
             : repeat({true, false}, (plan_.block[0] - header()) / 2 - joint_);
        break;
    }
    return pieces_;
  }

 private:
  double header() const { return plan_.block[D - 1]; }

  void running() {
    const double w = plan_.block[0], pitch = w + joint_;
    for (int k = 0; k < plan_.blocks; ++k) pieces_.push_back({left_ + k * pitch + w / 2, w, false});
  }

  void running_shifted() {
    const double w = plan_.block[0], half = (w - joint_) / 2, pitch = w + joint_;
    pieces_.push_back({left_ + half / 2, half, false});
    for (int k = 1; k < plan_.blocks; ++k)
      pieces_.push_back({left_ + k * pitch - joint_ / 2, w, false});
    pieces_.push_back({-left_ - half / 2, half, false});
  }

  // A pattern of stretchers and headers after a first piece that is cut, up to the end.
  void repeat(const std::vector<bool>& headers, double first) {
    double x = left_;
    if (first > 0) {
      pieces_.push_back({x + first / 2, first, plan_.bond != BrickBond::flemish});
      x += first + joint_;
    }
    const double least = 1e-9 * plan_.block[0];
    for (std::size_t k = 0; x < -left_ - least; ++k) {
      const bool is_header = headers[k % headers.size()];
      const double width = is_header ? header() : plan_.block[0];
      if (x + width <= -left_ + least) {
        pieces_.push_back({x + width / 2, width, is_header});
      } else {
        pieces_.push_back({(x - left_) / 2, -left_ - x, is_header});
      }
      x += width + joint_;
    }
  }

  const WallPlan<D>& plan_;
  double left_, joint_;
  std::vector<Piece> pieces_;
};

// Makes pieces that are too short one with a neighbour.
void join_short(std::vector<Piece>& pieces, double least) {
  for (std::size_t k = 0; k < pieces.size() && pieces.size() > 1;) {
    if (pieces[k].width >= least) {
      ++k;
      continue;
    }
    const std::size_t with = k > 0 ? k - 1 : 1;
    const double from = std::min(pieces[k].from(), pieces[with].from());
    const double to = std::max(pieces[k].to(), pieces[with].to());
    pieces[with] = {(from + to) / 2, to - from, pieces[with].header};
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

// The part of a course between two places.
std::vector<Piece> clipped(const std::vector<Piece>& course, double from, double to, double least) {
  std::vector<Piece> kept;
  for (const Piece& piece : course) {
    if (piece.from() >= from && piece.to() <= to) {
      kept.push_back(piece);
      continue;
    }
    const double a = std::max(piece.from(), from), b = std::min(piece.to(), to);
    if (b - a > 1e-9 * least) kept.push_back({(a + b) / 2, b - a, piece.header});
  }
  join_short(kept, least);
  return kept;
}

}  // namespace

template <int D>
double wall_count(const WallPlan<D>& plan) {
  const double courses = plan.courses, blocks = plan.blocks;
  if (plan.bond == BrickBond::running)
    return courses * blocks + plan.courses / 2 +
           static_cast<double>(plan.openings.size()) * (courses + 1);
  const double headers = plan.length() / plan.block[D - 1] + 2;
  return courses * (2 * blocks + headers + static_cast<double>(plan.openings.size()) * 2);
}

template <int D>
std::vector<BodyDescription<D>> wall_bodies(const WallPlan<D>& plan) {
  const double h = plan.block[1], left = -plan.length() / 2;
  const double least = 0.25 * (plan.bond == BrickBond::running ? plan.block[0] : plan.block[D - 1]);
  std::vector<BodyDescription<D>> bodies;
  const auto add = [&](const std::string& name, const Piece& piece, double low, double height,
                       double depth, double across) {
    BodyDescription<D> body;
    Vec<D> sides;
    sides[0] = piece.width;
    sides[D - 1] = height;
    if constexpr (D == 3) {
      sides[1] = depth;
      body.position[1] = across;
    }
    body.name = name;
    body.shapes = {box<D>(sides)};
    body.position[0] = piece.centre;
    body.position[D - 1] = low;
    bodies.push_back(std::move(body));
  };

  Courses<D> all(plan);
  for (int course = 0; course < plan.courses; ++course) {
    std::vector<Piece> whole = all.course(course);
    // Holes and lintels that interrupt this course, from the left.
    std::vector<std::array<double, 2>> gaps;
    for (const WallOpening& hole : plan.openings) {
      if (course >= hole.first && course < hole.last) gaps.push_back({hole.from, hole.to});
      if (course >= hole.last && course < hole.last + hole.lintel)
        gaps.push_back({hole.from - hole.bearing, hole.to + hole.bearing});
    }
    std::sort(gaps.begin(), gaps.end());
    std::vector<Piece> pieces;
    if (gaps.empty()) {
      if (plan.bond != BrickBond::running) join_short(whole, least);
      pieces = std::move(whole);
    } else {
      double from = left;
      gaps.push_back({-left, -left});
      for (const auto& [begin, end] : gaps) {
        const std::vector<Piece> part = clipped(whole, from, begin, least);
        pieces.insert(pieces.end(), part.begin(), part.end());
        from = end;
      }
    }
    const std::string name = plan.name + "." + std::to_string(course) + ".";
    const double low = (course + 0.5) * h;
    int k = 0;
    for (const Piece& piece : pieces) {
      const double depth = plan.block[D - 1];
      if (D == 2 || plan.bond == BrickBond::running) {
        add(name + std::to_string(k++), piece, low, h, depth, 0);
      } else if (piece.header) {
        add(name + std::to_string(k++), piece, low, h, plan.thickness(), 0);
      } else {
        for (const double side : {-1, 1})
          add(name + std::to_string(k++), piece, low, h, depth,
              side * (plan.thickness() - depth) / 2);
      }
    }
  }
  int k = 0;
  for (const WallOpening& hole : plan.openings) {
    if (hole.lintel == 0) continue;
    const double from = std::max(hole.from - hole.bearing, left);
    const double to = std::min(hole.to + hole.bearing, -left);
    add(plan.name + ".lintel." + std::to_string(k++), {(from + to) / 2, to - from, true},
        (hole.last + 0.5 * hole.lintel) * h, hole.lintel * h, D == 3 ? plan.thickness() : 0, 0);
  }
  return bodies;
}

template double wall_count(const WallPlan<2>&);
template double wall_count(const WallPlan<3>&);
template std::vector<BodyDescription<2>> wall_bodies(const WallPlan<2>&);
template std::vector<BodyDescription<3>> wall_bodies(const WallPlan<3>&);

}  // namespace talus
