// SPDX-License-Identifier: Apache-2.0
#include "io/check/world_at.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "io/scene/joint_refusal.hpp"
#include "io/scene/scene_reader.hpp"
#include "io/text/input_error.hpp"
#include "io/text/missing_file.hpp"
#include "io/text/regular_file.hpp"
#include "io/trajectory/frame_motion.hpp"
#include "io/trajectory/start_from.hpp"
#include "io/trajectory/trajectory_reader.hpp"

namespace talus {

namespace {

bool looks_like_run(const std::filesystem::path& path) {
  if (path.extension() == ".h5" || path.extension() == ".hdf5") return true;
  require_regular_file(path);
  std::ifstream file(path, std::ios::binary);
  char start[4] = {};
  file.read(start, sizeof start);
  return file && std::string_view(start, sizeof start) == "\x89HDF";
}

std::variant<World<2>, World<3>> world_of(const AnyScene& scene) {
  return std::visit(
      []<int D>(const Scene<D>& s) -> std::variant<World<2>, World<3>> { return World<D>(s); },
      scene);
}

}  // namespace

// Bodies of the start keep their indices; bodies created later follow.
template <int D>
void put_at(const FrameState& frame, const FramePopulation& population, std::int64_t step,
            World<D>& world) {
  WorldState<D> state = world.state();
  state.steps = step;
  const std::size_t at_start = world.scene().bodies.size();
  std::size_t places = at_start;
  std::vector<std::size_t> place_of(frame.body.size());
  for (std::size_t row = 0; row < frame.body.size(); ++row) {
    const auto body = static_cast<std::size_t>(frame.body[row]);
    place_of[row] = body < at_start ? body : places++;
  }
  state.population = {std::vector<std::int32_t>(places, -1), population.born, population.removed,
                      population.removed_mass};
  state.position.assign(places, Vec<D>::Zero());
  state.orientation.assign(places, {});
  state.velocity.assign(places, Vec<D>::Zero());
  state.spin.assign(places, Spin<D>::Zero());
  state.percussions.clear();
  if (frame.cell) {
    state.lattice.A = frame.cell->A.template topLeftCorner<D, D>();
    state.lattice.L = frame.cell->L.template topLeftCorner<D, D>();
  }
  for (std::size_t row = 0; row < frame.body.size(); ++row) {
    const std::size_t i = place_of[row];
    state.population.id[i] = frame.body[row];
    state.position[i] = frame.position[row].template head<D>();
    state.orientation[i] = orientation_of(frame.orientation[row], Orientation<D>{});
    state.velocity[i] = frame.velocity[row].template head<D>();
    state.spin[i] = spin_of<D>(frame.angular_velocity[row]);
  }
  if (!fits<D>(state.population, world.scene()))
    throw InputError(fmt::format("step {}: holds other bodies than the scene has", step));
  world.restore(state);
}

template void put_at<2>(const FrameState&, const FramePopulation&, std::int64_t, World<2>&);
template void put_at<3>(const FrameState&, const FramePopulation&, std::int64_t, World<3>&);

struct AnalysisSource::Content {
  std::string path;
  SceneDocument document;
  std::optional<TrajectoryReader> run;
};

AnalysisSource::AnalysisSource(const std::filesystem::path& path,
                               std::span<const std::string> overrides)
    : content_(std::make_unique<Content>()) {
  Content& c = *content_;
  c.path = path.string();
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored))
    throw InputError(fmt::format("{}: no such file{}", c.path, meant_instead(c.path)));
  if (!looks_like_run(path)) {
    c.document = read_scene(path, overrides);
    return;
  }
  if (!overrides.empty())
    throw InputError(fmt::format("{}: is a run: --set changes scenes only", c.path));
  c.run.emplace(path);
  const RunHeader& header = c.run->header();
  c.document = read_scene_text(header.scene_text, c.path, header.overrides, header.records);
  const std::size_t bodies =
      std::visit([](const auto& scene) { return total_bodies(scene); }, c.document.scene);
  if (bodies != c.run->bodies().size())
    throw InputError(fmt::format("{}: its scene has {} bodies, its tables {}", c.path, bodies,
                                 c.run->bodies().size()));
  if (c.run->frames().empty()) throw InputError(fmt::format("{}: has no frames", c.path));
}

AnalysisSource::AnalysisSource(SceneDocument scene) : content_(std::make_unique<Content>()) {
  content_->path = scene.path;
  content_->document = std::move(scene);
}

AnalysisSource::~AnalysisSource() = default;
AnalysisSource::AnalysisSource(AnalysisSource&&) noexcept = default;

bool AnalysisSource::is_run() const { return content_->run.has_value(); }

std::vector<double> AnalysisSource::times() const {
  std::vector<double> times;
  if (is_run())
    for (const Frame& frame : content_->run->frames()) times.push_back(frame.time());
  return times;
}

WorldAt AnalysisSource::at(std::optional<double> time) const {
  const Content& c = *content_;
  WorldAt found{world_of(c.document.scene), 0};
  if (c.run) {
    const std::vector<Frame>& frames = c.run->frames();
    const double first = frames.front().time(), last = frames.back().time();
    const double wanted = time.value_or(first);
    if (!(wanted >= first && wanted <= last))
      throw InputError(
          fmt::format("{}: --at {} is outside of the run, which has frames from {} s to {} s",
                      c.path, wanted, first, last));
    const auto nearest =
        std::min_element(frames.begin(), frames.end(), [&](const Frame& a, const Frame& b) {
          return std::abs(a.time() - wanted) < std::abs(b.time() - wanted);
        });
    const auto frame = static_cast<std::size_t>(nearest - frames.begin());
    const FrameState state = c.run->state(frame);
    const FramePopulation population = c.run->population(frame);
    std::visit([&]<int D>(World<D>& world) { put_at<D>(state, population, nearest->step, world); },
               found.world);
    found.time = nearest->time();
    return found;
  }
  std::visit(
      [&]<int D>(World<D>& world) {
        const double end = world.scene().end, wanted = time.value_or(0);
        if (!(wanted >= 0 && wanted <= end))
          throw InputError(fmt::format("{}: --at {} is outside of the scene, which ends at {} s",
                                       c.path, wanted, end));
        begin_from_earlier_run<D>(c.document, world);
        refuse_contradicting_joints<D>(c.document, world.scene(), world.bodies());
        while (world.time() < wanted - 0.5 * world.scene().h) world.step();
        found.time = world.time();
      },
      found.world);
  return found;
}

}  // namespace talus
