// SPDX-License-Identifier: Apache-2.0
#include "tools/commands/limit_load.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/text/input_error.hpp"
#include "io/text/name_pattern.hpp"
#include "tools/commands/body_vector.hpp"

namespace talus {

namespace {

constexpr double other_load = 1e-9;  // relative to the weight

template <int D>
constexpr const char* letters = D == 2 ? "x,y" : "x,y,z";

template <int D>
const std::string& name_of(const World<D>& world, std::size_t body) {
  return description<D>(world.scene(), at(world.bodies().id[body])).name;
}

template <int D>
Vec<D> direction_of(const char* option, const std::string& text) {
  const auto direction = vector_in<D>(text);
  if (!direction || direction->isZero(0))
    throw InputError(fmt::format("{} {}: expected a direction, [{}]", option, text, letters<D>));
  return direction->normalized();
}

template <int D>
int find_body(const char* option, const std::string& name, const World<D>& world) {
  for (std::size_t i = 0; i < world.bodies().size(); ++i)
    if (world.bodies().id[i] >= 0 && name_of<D>(world, i) == name) return static_cast<int>(i);
  throw InputError(fmt::format("{}: '{}' is no body of the scene", option, name));
}

// The bodies that --on names, by default all that move freely.
template <int D>
std::vector<int> loaded_bodies(const std::vector<std::string>& names, const World<D>& world) {
  const Bodies<D>& bodies = world.bodies();
  std::vector<char> chosen(bodies.size(), names.empty());
  for (const std::string& name : names) {
    bool known = false, moves = false;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      if (bodies.id[i] < 0 || !fits_pattern(name_of<D>(world, i), name)) continue;
      known = true;
      moves = moves || bodies.moves_freely(i);
      chosen[i] = 1;
    }
    if (!known) throw InputError(fmt::format("--on {}: fits the name of no body", name));
    if (!moves)
      throw InputError(
          fmt::format("--on {}: does not move freely: a load on it does nothing", name));
  }
  std::vector<int> found;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (chosen[i] && bodies.id[i] >= 0 && bodies.moves_freely(i))
      found.push_back(static_cast<int>(i));
  return found;
}

template <int D>
void require_gravity(const char* option, const World<D>& world) {
  if (world.scene().gravity.isZero(0))
    throw InputError(fmt::format(
        "{}: λ is a part of the weight, and the scene has no gravity; give forces, --load",
        option));
}

// λ times the weight of each body, along the direction.
template <int D>
void add_weights(const char* option, const World<D>& world, LiveLoad<D>& live) {
  require_gravity<D>(option, world);
  const double gravity = world.scene().gravity.norm();
  for (const int i : live.bodies)
    live.load[at(i)].force = world.bodies().mass[at(i)] * gravity * live.direction;
}

template <int D>
void add_forces(const LoadOptions& options, const World<D>& world, LiveLoad<D>& live) {
  for (const std::string& text : options.loads) {
    const auto words = body_vector<D>(text);
    if (!words)
      throw InputError(fmt::format("--load {}: expected BODY:[{}] [N] or BODY:[{}]@[{}] [m]", text,
                                   D == 2 ? "fx,fy" : "fx,fy,fz", D == 2 ? "fx,fy" : "fx,fy,fz",
                                   letters<D>));
    const int body = find_body<D>("--load", words->body, world);
    if (!world.bodies().moves_freely(at(body)))
      throw InputError(
          fmt::format("--load: '{}' does not move freely: a load on it does nothing", words->body));
    BodyLoad<D>& load = live.load[at(body)];
    load.force += words->vector;
    if (words->point) {
      const Vec<D> arm = *words->point - world.bodies().position[at(body)];
      load.torque += moment<D>(arm, words->vector);
    }
    if (std::find(live.bodies.begin(), live.bodies.end(), body) == live.bodies.end())
      live.bodies.push_back(body);
  }
}

template <int D>
void find_support(const LoadOptions& options, const World<D>& world, LiveLoad<D>& live) {
  const auto words = body_vector<D>(options.settle);
  if (!words || words->point || words->vector.isZero(0))
    throw InputError(
        fmt::format("--settle {}: expected BODY:[{}], the direction in which it yields",
                    options.settle, letters<D>));
  live.support = find_body<D>("--settle", words->body, world);
  if (world.bodies().moves_freely(at(live.support)))
    throw InputError(fmt::format("--settle: '{}' moves freely: it is no support", words->body));
  live.direction = words->vector.normalized();
}

}  // namespace

template <int D>
LiveLoad<D> live_load(const LoadOptions& options, const World<D>& world) {
  const int kinds = !options.push.empty() + !options.loads.empty() + !options.tilt.empty() +
                    !options.settle.empty();
  if (kinds != 1)
    throw InputError(
        fmt::format("give one live load: --push [{0}], --load BODY:[{1}], --tilt [{0}] "
                    "or --settle BODY:[{0}]{2}",
                    letters<D>, D == 2 ? "fx,fy" : "fx,fy,fz", kinds > 1 ? ", not several" : ""));
  if (!options.on.empty() && options.push.empty())
    throw InputError("--on chooses the bodies of a --push");
  LiveLoad<D> live;
  live.load.resize(world.bodies().size());
  if (!options.push.empty()) {
    live.direction = direction_of<D>("--push", options.push);
    live.bodies = loaded_bodies<D>(options.on, world);
    add_weights<D>("--push", world, live);
  } else if (!options.tilt.empty()) {
    live.question = Question::tilt;
    require_gravity<D>("--tilt", world);
    const Vec<D> down = world.scene().gravity.normalized();
    const Vec<D> wanted = direction_of<D>("--tilt", options.tilt);
    live.direction = wanted - wanted.dot(down) * down;
    if (live.direction.norm() < 1e-9)
      throw InputError(fmt::format("--tilt {}: gravity has this direction already", options.tilt));
    live.direction.normalize();
    live.bodies = loaded_bodies<D>({}, world);
    add_weights<D>("--tilt", world, live);
  } else if (!options.loads.empty()) {
    live.question = Question::load;
    add_forces<D>(options, world, live);
  } else {
    live.question = Question::settle;
    find_support<D>(options, world, live);
  }
  return live;
}

template <int D>
void require_gravity_alone(const World<D>& world, const LimitAnalysis<D>& analysis) {
  const Bodies<D>& bodies = world.bodies();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    if (!bodies.moves_freely(i)) continue;
    const Vec<D> weight = bodies.mass[i] * world.scene().gravity;
    const BodyLoad<D>& dead = analysis.dead()[i];
    const double size = bodies.geometry_of(i).size;
    if ((dead.force - weight).norm() + dead.torque.norm() / size > other_load * weight.norm())
      throw InputError(
          fmt::format("--tilt: {} bears more than its weight (forces, springs or adhesion), which "
                      "does not tilt",
                      name_of<D>(world, i)));
  }
}

#define TALUS_INSTANTIATE(D)                                              \
  template LiveLoad<D> live_load<D>(const LoadOptions&, const World<D>&); \
  template void require_gravity_alone<D>(const World<D>&, const LimitAnalysis<D>&);
TALUS_INSTANTIATE(2)
TALUS_INSTANTIATE(3)
#undef TALUS_INSTANTIATE

}  // namespace talus
