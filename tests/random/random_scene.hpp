// SPDX-License-Identifier: Apache-2.0
// Random scenes, as text that `talus run` reads: a seed gives the same scene with the same
// compiler. Bodies, joints, springs and forces are parts that can be left out, so that a scene that
// fails can be made smaller.
#pragma once

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "engine/build/random.hpp"

namespace talus::random_scenes {

struct Part {
  std::string name;                // of the body it describes, if it does
  std::vector<std::string> needs;  // bodies it refers to
  std::string text;
};

struct RandomScene {
  std::uint64_t seed = 0;
  std::string head;
  std::vector<Part> parts;
  int steps = 0;

  std::string text() const {
    std::string all = head;
    for (const Part& part : parts) all += "\n" + part.text;
    return all;
  }

  RandomScene without(std::size_t part) const {
    RandomScene smaller = *this;
    const std::string name = parts[part].name;
    smaller.parts.erase(smaller.parts.begin() + static_cast<std::ptrdiff_t>(part));
    if (!name.empty())
      std::erase_if(smaller.parts, [&](const Part& other) {
        return std::find(other.needs.begin(), other.needs.end(), name) != other.needs.end();
      });
    return smaller;
  }
};

template <int D>
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) { scene_.seed = seed; }

  RandomScene make() {
    length_ = power(-3, 3);
    speed_ = std::sqrt(acceleration * length_);
    frictionless_ = chance(0.5);
    spread_ = chance(0.2) ? 1.5 : 0.4;
    scene_.steps = integer(3, 8);
    write_head();
    if (chance(0.75)) add_floor();
    if (has_floor_ && chance(0.25)) {
      add_stack();
    } else {
      add_cluster();
    }
    if (chance(0.4)) add_joints();
    if (chance(0.25)) add_springs();
    if (chance(0.2)) add_force();
    return std::move(scene_);
  }

 private:
  using Point = std::array<double, D>;
  struct Placed {
    std::string name;
    Point centre;
    double radius;
    bool free;  // neither fixed nor driven
  };
  static constexpr double acceleration = 9.81;

  bool chance(double probability) { return random_.between(0, 1) < probability; }
  int integer(int low, int high) {  // both included
    return std::min(high, low + static_cast<int>(random_.between(0, high - low + 1)));
  }
  double power(double low, double high) { return std::pow(10, random_.between(low, high)); }
  Point direction() {
    Point n;
    double squares = 0;
    for (double& x : n) {
      x = random_.normal();
      squares += x * x;
    }
    for (double& x : n) x /= std::sqrt(squares);
    return n;
  }
  static Point scaled(Point x, double factor) {
    for (double& c : x) c *= factor;
    return x;
  }
  static Point sum(Point a, const Point& b) {
    for (int i = 0; i < D; ++i) a[i] += b[i];
    return a;
  }
  static double distance(const Point& a, const Point& b) {
    double squares = 0;
    for (int i = 0; i < D; ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(squares);
  }
  static std::string list(const Point& x) { return fmt::format("[{}]", fmt::join(x, ", ")); }
  std::string spin(double size) {
    if constexpr (D == 2) return fmt::format("{}", size * random_.normal());
    return list(scaled(direction(), size));
  }
  std::string rotation() {
    if constexpr (D == 2)
      return fmt::format("{{ radians = {} }}", random_.between(-3, 3));
    else
      return fmt::format("{{ axis = {}, radians = {} }}", list(direction()), random_.between(0, 3));
  }
  std::string signal(double size) {
    if (chance(0.5)) return fmt::format("{}", size * random_.normal());
    return fmt::format("{{ sinusoid = {{ amplitude = {}, frequency = {}, phase = {} }} }}", size,
                       speed_ / length_ * power(-1, 1), random_.between(0, 6));
  }

  std::string law() {
    std::string keys = fmt::format("friction = {}\n", frictionless_ ? 0
                                                      : chance(0.2) ? 0
                                                                    : power(-2, 0.2));
    if (chance(0.15)) {
      const double stiffness =
          density_ * std::pow(length_, D) * acceleration / (length_ * power(-4, -2));
      keys += fmt::format("normal_stiffness = {}\n", stiffness);
    } else if (chance(0.5)) {
      keys += fmt::format("restitution = {}\n", random_.between(0, 1));
      if (!frictionless_ && chance(0.3))
        keys += fmt::format("tangential_restitution = {}\n", random_.between(0, 1));
    }
    return keys;
  }

  void write_head() {
    density_ = power(1, 4);
    Point gravity = scaled(direction(), 0.3);
    gravity[D - 1] -= 1;
    const double pull = chance(0.8) ? acceleration * power(-1, 0.3) : 0;
    const double step = length_ / speed_ * power(-2.5, -1.2);
    std::string& head = scene_.head;
    head = fmt::format("dimension = {}\ngravity = {}\n", D, list(scaled(gravity, pull)));
    head += fmt::format("time = {{ step = {}, end = {}, theta = {} }}\n", step, 1000 * step,
                        chance(0.8) ? 0.5 : random_.between(0.5, 1));
    head += fmt::format("solver = {{ tolerance = {} }}\n", 1e-8);
    if (chance(0.1)) head += "correct_drift = false\n";
    head += fmt::format("\n[material.stone]\ndensity = {}\n{}", density_, law());
    two_materials_ = chance(0.5);
    if (!two_materials_) return;
    head += fmt::format("\n[material.steel]\ndensity = {}\n{}", density_ * power(-1, 1), law());
    head += fmt::format("\n[[contact]]\nbetween = [\"stone\", \"steel\"]\n{}", law());
  }

  std::string material() { return two_materials_ && chance(0.5) ? "steel" : "stone"; }

  void add_body(const std::string& name, const std::string& keys) {
    scene_.parts.push_back(
        {name,
         {},
         fmt::format("[[body]]\nname = \"{}\"\nmaterial = \"{}\"\n{}", name, material(), keys)});
  }

  std::string drive() {
    std::string drives =
        fmt::format("{{ direction = {}, velocity = {} }}", list(direction()), signal(0.3 * speed_));
    if (chance(0.5)) {
      const std::string axis = D == 2 ? "" : "axis = " + list(direction()) + ", ";
      drives += fmt::format(", {{ {}spin = {} }}", axis, signal(speed_ / length_));
    }
    return fmt::format("drive = [{}]\n", drives);
  }

  void add_floor() {
    has_floor_ = true;
    Point up{};
    up[D - 1] = 1;
    add_body("floor", fmt::format("shape = {{ halfspace = {} }}\n{}", list(up),
                                  chance(0.15) ? drive() : "fixed = true\n"));
  }

  // Points on a sphere of radius r, spread in the plane so that the hull is not flat.
  std::string polytope(double r) {
    std::vector<std::string> points;
    const int count = D == 2 ? integer(3, 8) : integer(5, 12);
    for (int i = 0; i < count; ++i) {
      Point x = direction();
      if constexpr (D == 2) {
        const double angle = 2 * M_PI * (i + random_.between(0, 0.7)) / count;
        x = {std::cos(angle), std::sin(angle)};
      }
      points.push_back(list(scaled(x, r)));
    }
    return fmt::format("{{ polytope = [{}] }}", fmt::join(points, ", "));
  }
  std::string box(double r) {
    Point sides;
    double squares = 0;
    for (double& s : sides) {
      s = random_.between(0.3, 1);
      squares += s * s;
    }
    return fmt::format("{{ box = {} }}", list(scaled(sides, 2 * r / std::sqrt(squares))));
  }

  // Within a ball of radius r about the origin.
  std::string shape(double r, bool& is_ball) {
    const double kind = random_.between(0, 1);
    is_ball = kind < 0.35;
    if (is_ball) return fmt::format("shape = {{ ball = {} }}\n", r);
    if (kind < 0.55) return "shape = " + box(r) + "\n";
    if (kind < 0.75) return "shape = " + polytope(r) + "\n";
    if (kind < 0.9) {
      const double cap = r * random_.between(0.1, 0.8);
      return fmt::format("shape = {{ capsule = {{ length = {}, radius = {} }} }}\n", 2 * (r - cap),
                         cap);
    }
    const double small = r * random_.between(0.2, 0.6);
    return fmt::format("shapes = [{{ ball = {}, position = {} }}, {}]\n", small,
                       list(scaled(direction(), r - small)), box(0.6 * r));
  }

  // How a body that moves moves: towards a centre and at random.
  std::string motion(const Point& centre, double r) {
    std::string keys;
    if (chance(0.7)) {
      Point v = scaled(direction(), speed_ * random_.between(0, 0.3));
      v = sum(v, scaled(centre, -random_.between(0, 0.5) * speed_ / length_));
      keys += fmt::format("velocity = {}\n", list(v));
    }
    if (chance(0.04)) return keys + "rotation_locked = true\n";
    if (chance(0.4)) keys += fmt::format("spin = {}\n", spin(speed_ / r));
    if (chance(0.1))
      keys += fmt::format("mass = {}\n", density_ * std::pow(r, D) * power(-1.5, 1.5));
    return keys;
  }

  // Each body touches, or nearly touches, one that is there or the floor.
  void add_cluster() {
    const int count = integer(1, 5) + (chance(0.5) ? integer(0, 8) : chance(0.3) ? 20 : 0);
    for (int i = 0; i < count; ++i) {
      const double r = length_ * power(-spread_, spread_);
      bool is_ball = false;
      const std::string keys = shape(r, is_ball);
      for (int trial = 0; trial < 20; ++trial) {
        const Point centre = place(r);
        if (!free_at(centre, r)) continue;
        const std::string name = fmt::format("b{}", i);
        const double kind = random_.between(0, 1);
        const bool free = kind > 0.1;
        add_body(name, keys + fmt::format("position = {}\n", list(centre)) +
                           (is_ball ? "" : "rotation = " + rotation() + "\n") +
                           (kind < 0.05  ? "fixed = true\n"
                            : kind < 0.1 ? drive()
                                         : motion(centre, r)));
        placed_.push_back({name, centre, r, free});
        break;
      }
    }
  }
  Point place(double r) {
    const double gap = chance(0.5) ? 0 : 0.05 * length_ * random_.between(0, 1);
    if (placed_.empty() || (has_floor_ && chance(0.3))) {
      Point centre = scaled(direction(), length_);
      centre[D - 1] = r + gap;
      return centre;
    }
    const Placed& other =
        placed_[static_cast<std::size_t>(integer(0, static_cast<int>(placed_.size()) - 1))];
    return sum(other.centre, scaled(direction(), other.radius + r + gap));
  }
  bool free_at(const Point& centre, double r) const {
    constexpr double slack = 1 - 1e-12;
    if (has_floor_ && centre[D - 1] < r * slack) return false;
    return std::all_of(placed_.begin(), placed_.end(), [&](const Placed& other) {
      return distance(centre, other.centre) >= (r + other.radius) * slack;
    });
  }

  // Boxes upon each other, at rest or nearly.
  void add_stack() {
    const int count = integer(1, 10);
    Point foot{};
    for (int i = 0; i < count; ++i) {
      Point sides;
      for (double& s : sides) s = length_ * random_.between(0.5, 2);
      for (int d = 0; d + 1 < D; ++d) foot[d] += 0.2 * length_ * random_.normal();
      Point centre = foot;
      centre[D - 1] += sides[D - 1] / 2;
      const std::string name = fmt::format("b{}", i);
      std::string keys =
          fmt::format("shape = {{ box = {} }}\nposition = {}\n", list(sides), list(centre));
      if (chance(0.3))
        keys += fmt::format("velocity = {}\n", list(scaled(direction(), 0.1 * speed_)));
      add_body(name, keys);
      placed_.push_back({name, centre, sides[0], true});
      foot[D - 1] += sides[D - 1];
    }
  }

  // A forest of joints, so that none contradicts another.
  void add_joints() {
    static const std::vector<std::string> kinds =
        D == 2 ? std::vector<std::string>{"pin", "slider", "slot", "fixed", "distance", "rope"}
               : std::vector<std::string>{"ball", "hinge",    "slider", "cylindrical",
                                          "slot", "distance", "rope",   "fixed"};
    for (std::size_t i = 0; i < placed_.size(); ++i) {
      const Placed& b = placed_[i];
      if (!b.free || chance(0.6)) continue;
      const bool to_world = i == 0 || chance(0.3);
      const Placed& a = placed_[static_cast<std::size_t>(integer(0, static_cast<int>(i)))];
      if (!to_world && &a == &b) continue;
      const std::string kind =
          kinds[static_cast<std::size_t>(integer(0, static_cast<int>(kinds.size()) - 1))];
      const Point near_a = to_world ? sum(b.centre, scaled(direction(), b.radius)) : a.centre;
      std::string keys = fmt::format("[[joint]]\nkind = \"{}\"\nbetween = [\"{}\", \"{}\"]\n", kind,
                                     to_world ? "world" : a.name, b.name);
      if (kind == "distance" || kind == "rope") {
        const Point anchor = to_world ? near_a : Point{};
        keys += fmt::format("anchors = [{}, {}]\n", list(anchor), list(Point{}));
        if (kind == "rope" && chance(0.5))
          keys +=
              fmt::format("length = {}\n", distance(near_a, b.centre) * random_.between(1.001, 2));
        if (kind == "rope" && chance(0.3))
          keys += fmt::format("restitution = {}\n", random_.between(0, 1));
      } else {
        keys += fmt::format("at = {}\n", list(scaled(sum(near_a, b.centre), 0.5)));
        keys += axis_keys(kind);
      }
      scene_.parts.push_back(
          {"", to_world ? std::vector{b.name} : std::vector{a.name, b.name}, keys});
    }
  }
  std::string axis_keys(const std::string& kind) {
    std::string keys;
    const bool turns = kind == "hinge" || kind == "pin";
    const bool slides = kind == "slider" || kind == "cylindrical" || kind == "slot";
    if (kind == "hinge" || slides) keys += fmt::format("axis = {}\n", list(direction()));
    if (!turns && !slides) return keys;
    const double size = turns ? 1 : length_;
    if (chance(0.2))
      keys +=
          fmt::format("motor = {{ velocity = {}, limit = {} }}\n", signal(size * speed_ / length_),
                      density_ * std::pow(length_, D) * acceleration * size * power(-1, 1));
    if (chance(0.3))
      keys += fmt::format("limits = {{ lower = {}, upper = {}, restitution = {} }}\n",
                          -size * random_.between(0, 0.1), size * random_.between(0, 0.1),
                          chance(0.5) ? 0 : random_.between(0, 1));
    if (!frictionless_ && chance(0.2) && kind != "cylindrical") {
      keys += fmt::format("friction = {}\n", power(-2, 0));
      if (turns) keys += fmt::format("radius = {}\n", 0.1 * length_);
    }
    return keys;
  }

  void add_springs() {
    for (const Placed& b : placed_) {
      if (!b.free || chance(0.7)) continue;
      const Point anchor = sum(b.centre, scaled(direction(), length_));
      const double stiffness =
          density_ * std::pow(b.radius, D) * acceleration / length_ * power(-1, 3);
      scene_.parts.push_back(
          {"",
           {b.name},
           fmt::format("[[spring]]\nbetween = [\"{}\", \"world\"]\nanchors = [{}, {}]\n"
                       "stiffness = {}\ndamping = {}\n",
                       b.name, list(scaled(direction(), 0.5 * b.radius)), list(anchor), stiffness,
                       stiffness * length_ / speed_ * power(-2, 0))});
    }
  }

  void add_force() {
    for (const Placed& b : placed_) {
      if (!b.free || chance(0.8)) continue;
      scene_.parts.push_back(
          {"",
           {b.name},
           fmt::format("[[force]]\nbody = \"{}\"\ndirection = {}\nforce = {}\n", b.name,
                       list(direction()),
                       signal(density_ * std::pow(b.radius, D) * acceleration))});
    }
  }

  Random random_;
  RandomScene scene_;
  double length_ = 1, speed_ = 1, density_ = 1;  // m, m/s, kg/m^D
  double spread_ = 0;                            // of sizes, decades up and down
  bool frictionless_ = false, two_materials_ = false, has_floor_ = false;
  std::vector<Placed> placed_;
};

// Even seeds lie in the plane, odd ones in space.
inline RandomScene random_scene(std::uint64_t seed) {
  return seed % 2 == 0 ? Generator<2>(seed).make() : Generator<3>(seed).make();
}

}  // namespace talus::random_scenes
