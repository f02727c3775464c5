// SPDX-License-Identifier: Apache-2.0
// What is added far away changes neither how a random scene moves nor how exactly it is solved.
#include "tests/random/deviation.hpp"

using namespace talus;
using namespace talus::random_scenes;

namespace {

constexpr double far = 1e6;  // in extents of the scene

template <int D>
bool is_free(const BodyDescription<D>& body) {
  return !body.fixed && body.drives.empty();
}

template <int D>
double size_of(const Scene<D>& scene) {
  double largest = extent<D>(scene);
  for (const BodyDescription<D>& body : scene.bodies)
    if (is_free(body)) largest = std::max(largest, bounding_radius<D>(body.shapes));
  return largest;
}

template <int D>
BodyDescription<D> ball(const std::string& name, double radius, const Vec<D>& position) {
  BodyDescription<D> body;
  body.name = name;
  body.shapes = {Ball<D>{radius}};
  body.position = position;
  return body;
}

// A ball that flies alone, and one that hits a fixed ball a thousand times as fast as anything
// nearby.
template <int D>
bool add_bodies(Scene<D>& scene) {
  const double size = size_of<D>(scene), r = 0.1 * size;
  const Vec<D> place = far * size * Vec<D>::Unit(D - 1), aside = 100 * size * Vec<D>::Unit(0);
  scene.bodies.push_back(ball<D>("far alone", r, place - aside));
  scene.bodies.push_back(ball<D>("far anvil", r, place));
  scene.bodies.back().fixed = true;
  scene.bodies.push_back(ball<D>("far hammer", r, place + 2 * r * Vec<D>::Unit(D - 1)));
  scene.bodies.back().velocity = -1000 * size / (100 * scene.h) * Vec<D>::Unit(D - 1);
  return true;
}

// Each free body hangs on a rope from a nail, and on one from the body before it: all of them
// slack.
template <int D>
bool add_slack_ropes(Scene<D>& scene) {
  const double size = size_of<D>(scene);
  int last = -1;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    if (!is_free(scene.bodies[i])) continue;
    for (const int a : {-1, last}) {
      Joint<D> rope;
      rope.kind = JointKind::rope;
      rope.a = a;
      rope.b = static_cast<int>(i);
      rope.length = far * size;
      rope.collide = true;
      scene.joints.push_back(rope);
      if (last < 0) break;
    }
    last = static_cast<int>(i);
  }
  return last >= 0;
}

// Stops on all coordinates that have none, and walls on all sides.
template <int D>
bool add_far_stops(Scene<D>& scene) {
  const double size = size_of<D>(scene);
  for (Joint<D>& joint : scene.joints) {
    if (!has_coordinate(joint) || joint.limits) continue;
    const double reach = turns(joint.kind) ? far : far * size;
    joint.limits = JointLimits{.lower = -reach, .upper = reach};
  }
  for (int d = 0; d < D; ++d)
    for (const double side : {-1, 1}) {
      BodyDescription<D> wall;
      wall.name = fmt::format("far wall {} {}", d, side);
      wall.shapes = {HalfSpace<D>{side * Vec<D>::Unit(d), 0}};
      wall.position = -side * far * size * Vec<D>::Unit(d);
      wall.fixed = true;
      scene.bodies.push_back(wall);
    }
  return true;
}

// To the last bit: what is far away shares no island with the scene. Contacts there have an error
// of their own, within the tolerance.
enum class Far { without_contacts, with_contacts };

template <class Add>
Property unmoved_by(Add add, Far contacts = Far::without_contacts) {
  return [add, contacts](const AnyScene& any, int steps, std::uint64_t) {
    return std::visit(
        [&]<int D>(const Scene<D>& scene) -> Verdict {
          Scene<D> more = scene;
          if (!add(more)) return {"", "nothing to add to"};
          World<D> world(scene), other(more);
          for (int k = 1; k <= steps; ++k) {
            const Certificate alone = world.step(), beside = other.step();
            const std::string where = fmt::format("step {}: ", k);
            const bool own = contacts == Far::with_contacts && beside.error > alone.error &&
                             beside.error <= scene.solver.tolerance;
            if (beside.error != alone.error && !own)
              return {where + fmt::format("error {:.3g}, alone {:.3g}", beside.error, alone.error),
                      ""};
            for (std::size_t i = 0; i < scene.bodies.size(); ++i)
              if (other.bodies().position[i] != world.bodies().position[i] ||
                  other.bodies().velocity[i] != world.bodies().velocity[i] ||
                  other.bodies().spin[i] != world.bodies().spin[i])
                return {where + fmt::format("body {} moves otherwise", scene.bodies[i].name), ""};
          }
          return {};
        },
        any);
  };
}

}  // namespace

TEST_CASE("bodies far away, one of them in an impact, change nothing") {
  try_scenes(200, unmoved_by([]<int D>(Scene<D>& scene) { return add_bodies<D>(scene); },
                             Far::with_contacts));
}

TEST_CASE("slack ropes change nothing") {
  try_scenes(200, unmoved_by([]<int D>(Scene<D>& scene) { return add_slack_ropes<D>(scene); }));
}

TEST_CASE("stops and walls far away change nothing") {
  try_scenes(200, unmoved_by([]<int D>(Scene<D>& scene) { return add_far_stops<D>(scene); }));
}
