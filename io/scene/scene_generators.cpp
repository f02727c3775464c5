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

// A length along the height of a wall as a number of courses.
int whole_courses(const Value& value, double length, double height, int least) {
  const double courses = std::round(length / height);
  if (!(std::abs(length - courses * height) <= 1e-9 * height) || courses < least)
    value.fail_value(fmt::format("does not fit the courses, which are {} high", height));
  return static_cast<int>(courses);
}

template <int D>
WallOpening read_opening(const Value& value, const WallPlan<D>& plan) {
  const Fields fields = value.table("opening", {"position", "size", "lintel", "bearing"});
  const Vec<2> foot = fields["position"].vector<2>(), size = read_sides<2>(fields["size"]);
  const double height = plan.block[1], half = plan.length() / 2;
  WallOpening opening;
  opening.from = foot[0] - size[0] / 2;
  opening.to = foot[0] + size[0] / 2;
  opening.first = whole_courses(fields["position"], foot[1], height, 0);
  opening.last = opening.first + whole_courses(fields["size"], size[1], height, 1);
  if (!(opening.from > -half && opening.to < half))
    fields.fail(fmt::format("reaches beyond the wall, which ends at x = ±{}", half));
  if (opening.last > plan.courses)
    fields.fail(fmt::format("reaches above the wall, which is {} high", plan.courses * height));
  opening.bearing = fields.number_or("bearing", plan.block[0] / 2, positive);
  if (opening.last == plan.courses) {
    if (fields.has("lintel")) fields["lintel"].fail("nothing stands above this opening");
    return opening;
  }
  opening.lintel =
      fields.has("lintel")
          ? whole_courses(fields["lintel"], fields["lintel"].number(positive), height, 1)
          : 1;
  if (opening.last + opening.lintel > plan.courses)
    fields.fail(
        fmt::format("its lintel reaches above the wall, which is {} high", plan.courses * height));
  return opening;
}

// Openings and lintels that would be in the same place.
bool meet(const WallOpening& a, const WallOpening& b) {
  const auto overlap = [](double from, double to, double other_from, double other_to) {
    return from < other_to && other_from < to;
  };
  const auto widened = [](const WallOpening& o) {
    return std::pair(o.from - o.bearing * (o.lintel > 0), o.to + o.bearing * (o.lintel > 0));
  };
  const auto [a_from, a_to] = widened(a);
  const auto [b_from, b_to] = widened(b);
  return overlap(a_from, a_to, b_from, b_to) &&
         overlap(a.first, a.last + a.lintel, b.first, b.last + b.lintel);
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
  if (fields.has("bond"))
    plan.bond =
        static_cast<BrickBond>(fields["bond"].choice({"running", "header", "english", "flemish"}));
  if (plan.bond != BrickBond::running) {
    if (D == 2) fields["bond"].fail("a bond with headers needs dimension = 3");
    if (plan.block[0] < 2 * plan.block[D - 1] + plan.joint * (1 - 1e-9))
      fields["bond"].fail(
          fmt::format("a header spans two blocks: the width of a block must be at "
                      "least {}, twice its depth and a joint",
                      2 * plan.block[D - 1] + plan.joint));
  }
  if (!fields.has("openings")) return plan;
  for (const Value& entry : fields["openings"].elements()) {
    const WallOpening opening = read_opening<D>(entry, plan);
    for (const WallOpening& other : plan.openings)
      if (meet(opening, other)) entry.fail("meets another opening or its lintel");
    plan.openings.push_back(opening);
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

double read_angle(const Fields& fields, std::string_view key, double fallback, double most) {
  return fields.number_or(key, fallback, {0, most, false}) * M_PI / 180;
}

template <int D>
void need_space(const Fields& fields) {
  if (D == 2) fields.fail("needs dimension = 3");
}

template <int D>
Plan<D> read_vault(const Fields& fields, const std::string& name) {
  need_space<D>(fields);
  VaultPlan plan;
  plan.name = name;
  plan.inner_radius = fields["inner_radius"].number(positive);
  plan.thickness = fields["thickness"].number(positive);
  plan.length = fields["length"].number(positive);
  plan.count = fields["count"].whole(1, max_count);
  plan.rows = count(fields["rows"]);
  plan.span = read_angle(fields, "span", 180, 270);
  if (plan.span / plan.count > 2 * M_PI / 3)
    fields["count"].fail_value("is too few: a voussoir may take up to 120 degrees");
  if constexpr (D == 3) return plan;
  return {};
}

template <int D>
Plan<D> read_dome(const Fields& fields, const std::string& name) {
  need_space<D>(fields);
  DomePlan plan;
  plan.name = name;
  plan.inner_radius = fields["inner_radius"].number(positive);
  plan.thickness = fields["thickness"].number(positive);
  plan.rings = fields["rings"].whole(1, max_count);
  plan.count = fields["count"].whole(3, max_count);
  plan.springing = read_angle(fields, "springing", 90, 120);
  plan.oculus = fields.number_or("oculus", 0, non_negative);
  const double widest = plan.inner_radius * std::sin(std::min(plan.springing, M_PI / 2));
  if (plan.oculus >= widest)
    fields["oculus"].fail_value(fmt::format("leaves no dome: it must be less than {:g}", widest));
  if constexpr (D == 3) return plan;
  return {};
}

template <int D>
Plan<D> read_buttress(const Fields& fields, const std::string& name) {
  need_space<D>(fields);
  ButtressPlan plan;
  plan.name = name;
  plan.foot = fields["foot"].number(positive);
  plan.top = fields["top"].number(positive);
  plan.height = fields["height"].number(positive);
  plan.depth = fields["depth"].number(positive);
  plan.courses = count(fields["courses"]);
  if constexpr (D == 3) return plan;
  return {};
}

template <int D>
Polytope<D> read_voronoi_region(const Value& value) {
  const Fields fields = value.table({"box", "points"});
  if (fields.one_of({"box", "points"}) == "points") return read_hull<D>(fields["points"]);
  return box<D>(read_sides<D>(fields["box"]));
}

template <int D>
Plan<D> read_voronoi(const Fields& fields, const std::string& name) {
  VoronoiPlan<D> plan;
  plan.name = name;
  plan.region = read_voronoi_region<D>(fields["region"]);
  plan.count = fields["count"].whole(1, max_cells);
  plan.seed = read_seed(fields);
  if (fields.has("relax")) plan.relax = fields["relax"].whole(0, 100);
  return plan;
}

}  // namespace

template <int D>
const std::vector<Generator<D>>& generators() {
  static const std::vector<Generator<D>> all = {
      {"wall", {"block", "courses", "blocks", "joint", "bond", "openings"}, read_wall<D>},
      {"chain", {"count", "radius", "gap", "direction", "masses", "incoming"}, read_chain<D>},
      {"grid", {"shape", "shapes", "counts", "spacing", "jitter", "seed"}, read_grid<D>},
      {"stack", {"block", "count", "overhang", "factor"}, read_stack<D>},
      {"arch", {"inner_radius", "thickness", "count", "span", "depth"}, read_arch<D>},
      {"column", {"counts", "radius", "box", "seed"}, read_column<D>},
      {"vault", {"inner_radius", "thickness", "length", "count", "rows", "span"}, read_vault<D>},
      {"dome",
       {"inner_radius", "thickness", "rings", "count", "springing", "oculus"},
       read_dome<D>},
      {"buttress", {"foot", "top", "height", "depth", "courses"}, read_buttress<D>},
      {"voronoi", {"region", "count", "seed", "relax"}, read_voronoi<D>},
  };
  return all;
}

template const std::vector<Generator<2>>& generators<2>();
template const std::vector<Generator<3>>& generators<3>();

}  // namespace talus
