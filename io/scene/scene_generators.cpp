// SPDX-License-Identifier: Apache-2.0
#include "io/scene/scene_generators.hpp"

#include <fmt/format.h>

#include <cmath>

#include "io/scene/scene_packing.hpp"
#include "io/scene/scene_shapes.hpp"

namespace talus {

namespace {

int count(const Value& value) { return value.whole(1, max_count); }

template <int D>
std::array<int, D> counts(const Value& value) {
  const std::vector<Value> list = value.elements();
  if (list.size() != D) {
    value.fail_value(
        fmt::format("has {} entries, expected {} (dimension = {})", list.size(), D, D));
  }
  std::array<int, D> n;
  for (int axis = 0; axis < D; ++axis) n[axis] = count(list[axis]);
  return n;
}

template <int D>
Plan<D> read_wall(const Fields& fields, const std::string& name) {
  WallPlan<D> plan;
  plan.name = name;
  plan.block = read_sides<D>(fields["block"]);
  plan.courses = count(fields["courses"]);
  plan.blocks = count(fields["blocks"]);
  plan.joint = fields.number_or("joint", 0, non_negative);
  if (plan.joint >= plan.block[0]) {
    fields["joint"].fail_value(
        fmt::format("leaves no half blocks: it must be less than the width {}", plan.block[0]));
  }
  return plan;
}

template <int D>
Plan<D> read_chain(const Fields& fields, const std::string& name) {
  ChainPlan<D> plan;
  plan.name = name;
  plan.count = count(fields["count"]);
  plan.radius = fields["radius"].number(positive);
  plan.gap = fields.number_or("gap", 0, non_negative);
  if (fields.has("direction")) plan.direction = fields["direction"].direction<D>();
  if (fields.has("masses")) {
    plan.masses = fields["masses"].numbers(positive);
    if (plan.masses.size() != static_cast<std::size_t>(plan.count)) {
      fields["masses"].fail(fmt::format("{} masses for {} balls", plan.masses.size(), plan.count));
    }
  }
  if (fields.has("incoming")) plan.incoming = fields["incoming"].whole(0, plan.count);
  if (fields.has("incoming") != fields.has("velocity")) {
    fields.fail("'incoming' (how many balls) and 'velocity' go together");
  }
  plan.velocity = fields.vector_or<D>("velocity", Vec<D>::Zero());
  return plan;
}

template <int D>
Plan<D> read_grid(const Fields& fields, const std::string& name) {
  GridPlan<D> plan;
  plan.name = name;
  plan.shapes = read_shapes<D>(fields);
  plan.counts = counts<D>(fields["counts"]);
  const Value spacing = fields["spacing"];
  plan.spacing = spacing.is_number() ? Vec<D>(Vec<D>::Constant(spacing.number(positive)))
                                     : read_sides<D>(spacing);
  plan.jitter = fields.number_or("jitter", 0, non_negative);
  plan.seed = read_seed(fields);
  return plan;
}

std::vector<double> read_overhangs(const Fields& fields, int n, double width) {
  if (!fields.has("overhang")) return std::vector<double>(n, 0.0);
  const Value overhang = fields["overhang"];
  if (fields.has("factor") && !overhang.is_text()) {
    fields["factor"].fail("'factor' goes with overhang = \"harmonic\"");
  }
  if (overhang.is_text()) {
    overhang.choice({"harmonic"});
    return harmonic_overhangs(n, width, fields.number_or("factor", 1, non_negative));
  }
  std::vector<double> list =
      overhang.is_number() ? std::vector<double>(n - 1, overhang.number()) : overhang.numbers();
  if (list.size() + 1 != static_cast<std::size_t>(n)) {
    overhang.fail(
        fmt::format("overhang has {} entries, expected {}: one per joint", list.size(), n - 1));
  }
  list.insert(list.begin(), 0.0);
  return list;
}

// Limits the list of overhangs, which is built before bodies are counted.
constexpr int max_stack = 100'000;

template <int D>
Plan<D> read_stack(const Fields& fields, const std::string& name) {
  StackPlan<D> plan;
  plan.name = name;
  plan.block = read_sides<D>(fields["block"]);
  plan.count = fields["count"].whole(1, max_stack);
  plan.overhangs = read_overhangs(fields, plan.count, plan.block[0]);
  return plan;
}

template <int D>
Plan<D> read_arch(const Fields& fields, const std::string& name) {
  ArchPlan<D> plan;
  plan.name = name;
  plan.inner_radius = fields["inner_radius"].number(positive);
  plan.thickness = fields["thickness"].number(positive);
  plan.count = fields["count"].whole(1, max_count);
  const double span = fields.number_or("span", 180, {0, 360, false});
  plan.span = span * M_PI / 180;
  if (span / plan.count > 120) {
    fields["count"].fail_value(
        fmt::format("is too few for a span of {} degrees: a voussoir may "
                    "take up to 120",
                    span));
  }
  if constexpr (D == 3) {
    plan.depth = fields["depth"].number(positive);
  } else if (fields.has("depth")) {
    fields["depth"].fail("an arch in the plane has no depth");
  }
  if (!voussoir<D>(plan)) fields.fail("its voussoirs are degenerate");
  return plan;
}

template <int D>
Plan<D> read_column(const Fields& fields, const std::string& name) {
  ColumnPlan<D> plan;
  plan.name = name;
  plan.counts = counts<D>(fields["counts"]);
  plan.seed = read_seed(fields);
  if (fields.one_of({"radius", "box"}) == "box") {
    plan.box = read_sides<D>(fields["box"]);
    return plan;
  }
  const Value radius = fields["radius"];
  if (radius.is_number()) {
    plan.min_radius = plan.max_radius = radius.number(positive);
  } else {
    const std::vector<double> range = radius.numbers(positive);
    if (range.size() != 2 || range[0] > range[1]) {
      radius.fail_value("is not a radius or a range [smallest, largest]");
    }
    plan.min_radius = range[0];
    plan.max_radius = range[1];
  }
  return plan;
}

}  // namespace

template <int D>
const std::vector<Generator<D>>& generators() {
  static const std::vector<Generator<D>> all = {
      {"wall", {"block", "courses", "blocks", "joint"}, read_wall<D>},
      {"chain", {"count", "radius", "gap", "direction", "masses", "incoming"}, read_chain<D>},
      {"grid", {"shape", "shapes", "counts", "spacing", "jitter", "seed"}, read_grid<D>},
      {"stack", {"block", "count", "overhang", "factor"}, read_stack<D>},
      {"arch", {"inner_radius", "thickness", "count", "span", "depth"}, read_arch<D>},
      {"column", {"counts", "radius", "box", "seed"}, read_column<D>},
  };
  return all;
}

template const std::vector<Generator<2>>& generators<2>();
template const std::vector<Generator<3>>& generators<3>();

}  // namespace talus
