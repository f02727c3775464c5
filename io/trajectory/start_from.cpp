// SPDX-License-Identifier: Apache-2.0
#include "io/trajectory/start_from.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "engine/step/bonds.hpp"
#include "engine/step/carried_percussions.hpp"
#include "engine/step/retrace.hpp"
#include "io/scene/body_names.hpp"
#include "io/text/input_error.hpp"
#include "io/text/printable.hpp"
#include "io/trajectory/checkpoint.hpp"
#include "io/trajectory/frame_motion.hpp"
#include "io/trajectory/scene_identity.hpp"
#include "io/trajectory/trajectory_reader.hpp"
#include "solvers/math/index.hpp"

namespace talus {

namespace {

// "RUN.h5@TIME"
struct FramePlace {
  std::string path;
  std::optional<double> time;  // [s]; default: the last frame
};

FramePlace parse_place(const std::string& frame) {
  const std::size_t split = frame.rfind('@');
  if (split == std::string::npos) return {frame, {}};
  const char* const first = frame.data() + split + 1;
  const char* const end = frame.data() + frame.size();
  double time = 0;
  const auto [stop, error] = std::from_chars(first, end, time);
  if (error != std::errc() || stop != end || !std::isfinite(time))
    throw InputError(fmt::format("from: '{}': '{}' is no time; write RUN.h5@0.5", printable(frame),
                                 printable(frame.substr(split + 1))));
  return {frame.substr(0, split), time};
}

std::size_t find_frame(const TrajectoryReader& run, const std::string& path,
                       std::optional<double> time) {
  const std::vector<Frame>& frames = run.frames();
  if (frames.empty()) throw InputError(fmt::format("{}: has no frames to start from", path));
  if (!time) return frames.size() - 1;
  const auto after = std::ranges::lower_bound(frames, *time - 0.5 * run.header().h, {},
                                              [](const Frame& frame) { return frame.time(); });
  if (after != frames.end() && std::abs(after->time() - *time) <= 0.5 * run.header().h)
    return static_cast<std::size_t>(after - frames.begin());
  std::string nearest;
  if (after != frames.begin()) nearest = fmt::format("{:.6g} s", std::prev(after)->time());
  if (after != frames.end())
    nearest += fmt::format("{}{:.6g} s", nearest.empty() ? "" : " and ", after->time());
  throw InputError(
      fmt::format("{}: has no frame at t = {:.6g} s; the nearest: {}", path, *time, nearest));
}

// The bodies and impulses of a frame, by index of the body in the scene of that run.
template <int D>
struct EarlierFrame {
  std::vector<std::optional<BodyState<D>>> body;
  Lattice<D> cell;                             // if there is one
  std::vector<CarriedPercussion<D>> by_point;  // for the step of the new run
  std::vector<StoredWrench<D>> by_feature;     // exact, instead of `by_point`
  std::vector<Bond<D>> bonds;
};

// An earlier run, its scene, and the frame.
template <int D>
class EarlierRunReader {
 public:
  EarlierRunReader(std::string path, std::optional<double> time)
      : path_(std::move(path)), run_(path_), frame_(find_frame(run_, path_, time)) {
    const RunHeader& header = run_.header();
    if (header.dimension != D)
      throw InputError(fmt::format("{}: is a run in {} dimensions, the scene has {}", path_,
                                   header.dimension, D));
    AnyScene scene =
        read_scene_text(header.scene_text, path_, header.overrides, header.records).scene;
    if (!std::holds_alternative<Scene<D>>(scene) ||
        total_bodies<D>(std::get<Scene<D>>(scene)) != run_.bodies().size())
      throw InputError(fmt::format("{}: has other bodies than its scene", path_));
    scene_ = std::move(std::get<Scene<D>>(scene));
    bodies_ = all_bodies<D>(scene_);
  }

  const std::string& path() const { return path_; }
  const Scene<D>& scene() const { return scene_; }
  const Bodies<D>& bodies() const { return bodies_; }

  EarlierFrame<D> read(double h) const {
    if (auto end = read_end(h)) return std::move(*end);
    EarlierFrame<D> frame;
    frame.body.resize(bodies_.size());
    const FrameState state = run_.state(frame_);
    if (state.cell) {
      frame.cell.A = state.cell->A.template topLeftCorner<D, D>();
      frame.cell.L = state.cell->L.template topLeftCorner<D, D>();
    }
    for (std::size_t row = 0; row < state.body.size(); ++row)
      frame.body[at(state.body[row])] = BodyState<D>{
          state.position[row].template head<D>(),
          orientation_of(state.orientation[row], Orientation<D>{}),
          state.velocity[row].template head<D>(), spin_of<D>(state.angular_velocity[row])};
    const FrameContacts contacts = run_.contacts(frame_);
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      Vec<3> pressing = contacts.force[i];  // without adhesion, which is a part of the force
      if (i < contacts.adhesion.size()) pressing += contacts.adhesion[i] * contacts.normal[i];
      frame.by_point.push_back(
          {contacts.body_a[i], contacts.body_b[i], contacts.point[i].template head<D>(),
           h * pressing.template head<D>(), h * spin_of<D>(contacts.moment[i])});
    }
    frame.bonds = bonds();
    return frame;
  }

 private:
  // The exact state, if the frame is that of the end of a complete run of this version.
  std::optional<EarlierFrame<D>> read_end(double h) const {
    const RunHeader& header = run_.header();
    if (!header.complete || frame_ + 1 != run_.frames().size()) return std::nullopt;
    WorldState<D> state;
    try {
      state = read_end_state<D>(path_, identity_of_run(header).hash(), scene_);
    } catch (const InputError&) {
      return std::nullopt;
    }
    if (state.steps != run_.frames()[frame_].step) return std::nullopt;
    EarlierFrame<D> frame;
    frame.body.resize(bodies_.size());
    frame.cell = state.lattice;
    frame.bonds = std::move(state.bonds);
    const auto id = [&](std::size_t place) { return at(state.population.id[place]); };
    for (std::size_t i = 0; i < state.population.id.size(); ++i)
      if (state.population.id[i] >= 0)
        frame.body[id(i)] =
            BodyState<D>{state.position[i], state.orientation[i], state.velocity[i], state.spin[i]};
    const double longer = h / scene_.h;
    for (std::size_t i = 0; i < state.percussions.size(); ++i) {
      StoredPercussion<D> stored = state.percussions[i];
      stored.key.a = static_cast<std::int32_t>(id(at(stored.key.a)));
      stored.key.b = static_cast<std::int32_t>(id(at(stored.key.b)));
      stored.percussion *= longer;
      Spin<D> moment = Spin<D>::Zero();
      if (!state.moments.empty()) moment = longer * state.moments[i];
      frame.by_feature.push_back({stored, moment});
    }
    return frame;
  }

  // Those of its start with the damage of the frame. What a crack carried is not known: where there
  // is damage it may go on holding.
  std::vector<Bond<D>> bonds() const {
    if (!scene_.laws.any_bonds()) return {};
    std::vector<Bond<D>> bonds;
    if (scene_.earlier) {
      bonds = read_start_state<D>(path_, identity_of_run(run_.header()).hash(), scene_).bonds;
    } else {
      const World<D> start(scene_);
      bonds.assign(start.bonds().begin(), start.bonds().end());
    }
    const FrameBonds now = run_.bonds(frame_);
    if (now.size() != bonds.size())
      throw InputError(
          fmt::format("{}: has {} bonds, its scene {}", path_, now.size(), bonds.size()));
    for (std::size_t i = 0; i < bonds.size(); ++i) {
      const double damage = now.damage[i];
      if (!(damage >= 0 && damage <= 1))
        throw InputError(fmt::format("{}: the damage of a bond is {}", path_, damage));
      bonds[i].damage = damage;
      bonds[i].pulls = damage > 0 && damage < 1;
    }
    return bonds;
  }

  std::string path_;
  TrajectoryReader run_;
  std::size_t frame_;
  Scene<D> scene_;
  Bodies<D> bodies_;
};

bool fits_any(const std::string& name, const std::vector<std::string>& patterns) {
  return std::ranges::any_of(
      patterns, [&](const std::string& pattern) { return fits_pattern(name, pattern); });
}

// Bodies that do not match, for one line.
std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
    text += (i > 0 ? ", " : "") + names[i];
  if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
  return printable(text);
}

template <int D>
bool same_shape(const Geometry<D>& a, const Geometry<D>& b) {
  const auto same = [](double x, double y) {
    return x == y || std::abs(x - y) <= 1e-9 * std::abs(x);
  };
  return a.shapes.size() == b.shapes.size() && same(a.bounding_radius, b.bounding_radius) &&
         same(a.size, b.size) && same(a.half_width, b.half_width);
}

// Which body of the earlier run each body of the scene is; −1: it starts as the scene says.
template <int D>
std::vector<int> match(const SceneDocument& document, const World<D>& world,
                       const EarlierRunReader<D>& earlier, const EarlierFrame<D>& frame) {
  const Scene<D>& scene = world.scene();
  const EarlierRun& rules = *scene.earlier;
  std::map<std::string, int> there;
  for (std::size_t i = 0; i < frame.body.size(); ++i)
    if (frame.body[i]) there.emplace(description<D>(earlier.scene(), i).name, static_cast<int>(i));
  for (const std::string& pattern : rules.drop)
    if (std::ranges::none_of(there,
                             [&](const auto& body) { return fits_pattern(body.first, pattern); }))
      throw InputError(fmt::format("{}: from: drop = \"{}\" fits no body of {}", document.path,
                                   printable(pattern), earlier.path()));
  std::erase_if(there, [&](const auto& body) { return fits_any(body.first, rules.drop); });

  std::vector<int> matches(scene.bodies.size(), -1);
  std::vector<std::string> missing, reshaped, left;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    const std::string& name = scene.bodies[i].name;
    const auto found = there.find(name);
    if (fits_any(name, rules.add)) continue;
    if (found == there.end()) {
      missing.push_back(name);
      continue;
    }
    if (!same_shape<D>(world.bodies().geometry_of(i),
                       earlier.bodies().geometry_of(at(found->second))))
      reshaped.push_back(name);
    matches[i] = found->second;
    there.erase(found);
  }
  for (const auto& [name, body] : there) left.push_back(name);
  std::string complaint;
  const auto complain = [&](const std::vector<std::string>& names, const char* what) {
    if (names.empty()) return;
    complaint += fmt::format("{}{}: {}", complaint.empty() ? "" : "; ", what, listed(names));
  };
  complain(missing, "not in the run (from.add lets them start as described)");
  complain(left, "not in the scene (from.drop leaves them out)");
  complain(reshaped, "of another shape");
  if (!complaint.empty())
    throw InputError(
        fmt::format("{}: does not match {}: {}", earlier.path(), document.path, complaint));
  return matches;
}

// Impulses of contacts between two bodies that are both taken over.
template <int D>
std::vector<StoredWrench<D>> carried_over(const EarlierFrame<D>& frame,
                                          const std::vector<int>& matches, const World<D>& world,
                                          double duration) {
  std::vector<int> now(frame.body.size(), -1);
  for (std::size_t i = 0; i < matches.size(); ++i)
    if (matches[i] >= 0) now[at(matches[i])] = static_cast<int>(i);
  std::vector<StoredWrench<D>> stored;
  bool same_order = true;
  for (StoredWrench<D> wrench : frame.by_feature) {
    const int a = now[at(wrench.key().a)], b = now[at(wrench.key().b)];
    if (a < 0 || b < 0) continue;
    same_order = same_order && a < b;
    wrench.stored.key.a = a;
    wrench.stored.key.b = b;
    stored.push_back(wrench);
  }
  if (!same_order) return {};  // features are those of a pair in its order
  if (!stored.empty()) {
    std::ranges::sort(stored, {}, &StoredWrench<D>::key);
    return stored;
  }
  std::vector<CarriedPercussion<D>> carried;
  for (CarriedPercussion<D> percussion : frame.by_point) {
    int a = now[at(percussion.a)], b = now[at(percussion.b)];
    if (a < 0 || b < 0) continue;
    if (a > b) {
      std::swap(a, b);
      percussion.percussion = -percussion.percussion;
      percussion.moment = -percussion.moment;
    }
    percussion.a = a;
    percussion.b = b;
    carried.push_back(percussion);
  }
  return recognised<D>(world.bodies(), ExcludedPairs<D>(world.scene()), duration, carried);
}

// Bonds between two bodies that are both taken over are those of the earlier run, if it had any;
// others are made where surfaces touch now.
template <int D>
std::vector<Bond<D>> bonds_of_start(const EarlierRunReader<D>& earlier,
                                    const EarlierFrame<D>& frame, const std::vector<int>& matches,
                                    const World<D>& placed) {
  const Scene<D>& scene = placed.scene();
  const Bodies<D>& bodies = placed.bodies();
  if (!scene.laws.any_bonds()) return {};
  const bool had_bonds = earlier.scene().laws.any_bonds();
  const auto taken_over = [&](const ContactKey& key) {
    return had_bonds && matches[at(key.a)] >= 0 && matches[at(key.b)] >= 0;
  };
  std::vector<Bond<D>> bonds;
  for (const Bond<D>& bond : bonds_between<D>(scene, bodies, ExcludedPairs<D>(scene)))
    if (!taken_over(bond.key)) bonds.push_back(bond);
  std::vector<int> now(frame.body.size(), -1);
  for (std::size_t i = 0; i < matches.size(); ++i)
    if (matches[i] >= 0) now[at(matches[i])] = static_cast<int>(i);
  const auto shift_of = [&](int was, int is) -> Vec<D> {
    return earlier.bodies().origin_offset[at(was)] - bodies.origin_offset[at(is)];
  };
  for (Bond<D> bond : frame.bonds) {
    const int a = now[at(bond.key.a)], b = now[at(bond.key.b)];
    if (a < 0 || b < 0) continue;
    if (!scene.laws(bodies.material[at(a)], bodies.material[at(b)]).bond.exists()) continue;
    bond.anchor_a -= shift_of(bond.key.a, a);
    bond.anchor_b -= shift_of(bond.key.b, b);
    bond.key.a = a;
    bond.key.b = b;
    if (a > b) {
      bond.normal = -(rotation_matrix<D>(bodies.orientation[at(b)]).transpose() *
                      (rotation_matrix<D>(bodies.orientation[at(a)]) * bond.normal));
      std::swap(bond.key.a, bond.key.b);
      std::swap(bond.key.shape_a, bond.key.shape_b);
      std::swap(bond.anchor_a, bond.anchor_b);
    }
    bonds.push_back(bond);
  }
  std::ranges::sort(bonds, {}, &Bond<D>::key);
  return bonds;
}

}  // namespace

template <int D>
WorldState<D> state_from_earlier_run(const SceneDocument& document, const World<D>& world) {
  const Scene<D>& scene = world.scene();
  const FramePlace place = parse_place(scene.earlier->frame);
  const auto path = std::filesystem::path(document.path).parent_path() / place.path;
  const EarlierRunReader<D> earlier(path.string(), place.time);
  const EarlierFrame<D> frame = earlier.read(scene.h);
  const std::vector<int> matches = match<D>(document, world, earlier, frame);

  const auto axes = [](const Scene<D>& of) {
    return of.cell ? of.cell->periodic : std::array<bool, D>{};
  };
  if (axes(scene) != axes(earlier.scene()))
    throw InputError(
        fmt::format("{}: is periodic along other axes than {}", earlier.path(), document.path));
  WorldState<D> state = world.state();
  if (scene.cell) {
    state.lattice.A = frame.cell.A;
    state.lattice.L = frame.cell.L;
  }
  const Bodies<D>& bodies = world.bodies();
  for (std::size_t i = 0; i < matches.size(); ++i) {
    if (matches[i] < 0) continue;
    const BodyState<D>& was = *frame.body[at(matches[i])];
    // Free bodies are placed by their mass centre, others by the origin of their frame.
    const Vec<D> shift = earlier.bodies().origin_offset[at(matches[i])] - bodies.origin_offset[i];
    state.position[i] = was.position;
    if (!shift.isZero(0)) state.position[i] += rotation_matrix<D>(was.orientation) * shift;
    state.orientation[i] = was.orientation;
    const bool free = bodies.moves_freely(i);
    state.velocity[i] = free ? was.velocity : Vec<D>(Vec<D>::Zero());
    state.spin[i] =
        free && !bodies.inverse_inertia[i].isZero(0) ? was.spin : Spin<D>(Spin<D>::Zero());
  }
  World<D> placed(scene);
  placed.begin_from(state);
  state.bonds = bonds_of_start<D>(earlier, frame, matches, placed);
  state.percussions.clear();
  for (const StoredWrench<D>& wrench : carried_over<D>(frame, matches, placed, scene.h)) {
    state.percussions.push_back(wrench.stored);
    if (scene.laws.any_passes_moments()) state.moments.push_back(wrench.moment);
  }
  return state;
}

template <int D>
void begin_from_earlier_run(const SceneDocument& document, World<D>& world) {
  if (world.scene().earlier) world.begin_from(state_from_earlier_run<D>(document, world));
}

std::string earlier_run_override(const std::string& frame, const std::filesystem::path& scene) {
  std::error_code none;
  const auto folder = std::filesystem::absolute(scene, none).parent_path();
  const auto run = std::filesystem::absolute(frame, none);
  std::string text = "\"";
  for (const char c : run.lexically_proximate(folder).string()) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return "from.run=" + text + "\"";
}

template WorldState<2> state_from_earlier_run<2>(const SceneDocument&, const World<2>&);
template WorldState<3> state_from_earlier_run<3>(const SceneDocument&, const World<3>&);
template void begin_from_earlier_run<2>(const SceneDocument&, World<2>&);
template void begin_from_earlier_run<3>(const SceneDocument&, World<3>&);

}  // namespace talus
