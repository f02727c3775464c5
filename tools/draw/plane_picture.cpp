// SPDX-License-Identifier: Apache-2.0
#include "tools/draw/plane_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tools/draw/plot_area.hpp"
#include "tools/draw/svg.hpp"

namespace talus {

namespace {

constexpr double sheet_width = 900, sheet_margin = 24, legend_height = 74;

// From metres, y up, to pixels, y down.
struct Sheet {
  Box box;
  double scale = 1;  // [pixels/m]
  double height = 0;

  explicit Sheet(Box shown) : box(shown) {
    const Vec<3> size = box.size().cwiseMax(1e-12);
    scale = std::min((sheet_width - 2 * sheet_margin) / size[0], 1.2 * sheet_width / size[1]);
    height = size[1] * scale + 2 * sheet_margin;
  }
  Vec<2> at(const Vec<3>& x) const {
    const Vec<3> centre = box.centre();
    return {0.5 * sheet_width + (x[0] - centre[0]) * scale,
            0.5 * height - (x[1] - centre[1]) * scale};
  }
};

struct Placed {  // a body in a frame
  Vec<3> position;
  Eigen::Quaterniond turn;
  Vec<3> world(const Vec<3>& own) const { return position + turn * own; }
};

Vec<3> point(const StoredPart& part, std::size_t first) { return Vec<3>(&part.parameters[first]); }

void draw_disk(Svg& svg, const Sheet& sheet, const Placed& body, const StoredPart& part,
               std::string_view style) {
  const Vec<3> centre = point(part, 0);
  const double radius = part.parameters[3];
  svg.circle(sheet.at(body.world(centre)), std::max(radius * sheet.scale, least_radius), style);
  svg.line(sheet.at(body.world(centre)), sheet.at(body.world(centre + radius * Vec<3>::UnitX())),
           "stroke='#00000055' stroke-width='0.7'");
}

void draw_capsule(Svg& svg, const Sheet& sheet, const Placed& body, const StoredPart& part,
                  std::string_view style) {
  const Vec<3> a = point(part, 0), b = point(part, 3);
  const double radius = part.parameters[6];
  const Vec<3> along = (b - a).norm() > 0 ? Vec<3>((b - a).normalized()) : Vec<3>(Vec<3>::UnitX());
  const Vec<3> side = radius * Vec<3>(-along[1], along[0], 0);
  const auto at = [&](const Vec<3>& own) {
    const Vec<2> p = sheet.at(body.world(own));
    return fmt::format("{:.2f} {:.2f}", p[0], p[1]);
  };
  const double r = radius * sheet.scale;
  svg.raw(fmt::format(
      "<path d='M{} L{} A{:.2f} {:.2f} 0 0 1 {} L{} A{:.2f} {:.2f} 0 0 1 {}' {}/>\n", at(a + side),
      at(b + side), r, r, at(b - side), at(a - side), r, r, at(a + side), style));
}

// The line of a half-plane, and hatching on its solid side.
void draw_half_plane(Svg& svg, const Sheet& sheet, const Placed& body, const StoredPart& part) {
  const Vec<3> normal = body.turn * point(part, 0);
  const double offset = part.parameters[3] + normal.dot(body.position);
  const Vec<3> centre = sheet.box.centre(), along(-normal[1], normal[0], 0);
  const Vec<3> foot = centre + (offset - normal.dot(centre)) * normal;
  const double reach = 2 * sheet.box.size().head<2>().norm(), spacing = 9 / sheet.scale;
  const auto count = static_cast<int>(reach / spacing);
  for (int k = -count; k <= count; ++k) {
    const Vec<3> from = foot + k * spacing * along;
    svg.line(sheet.at(from), sheet.at(from - spacing * (normal + along)),
             "stroke='#9aa0a6' stroke-width='0.8'");
  }
  svg.line(sheet.at(foot - reach * along), sheet.at(foot + reach * along),
           "stroke='#4a5058' stroke-width='1.6'");
}

void draw_body(Svg& svg, const StillRun& run, const Sheet& sheet, const Placed& placed,
               std::size_t body, const Colour& free) {
  const BodyTable& bodies = run.run.bodies();
  const StoredShape& shape = run.shapes[static_cast<std::size_t>(bodies.shape[body])];
  const Colour fill = bodies.fixed[body] != 0 ? Colour(0.76, 0.775, 0.79) : free;
  const std::string style = fmt::format(
      "fill='{}' stroke='#555b62' stroke-width='0.8' stroke-linejoin='round'", hex(fill));
  for (std::size_t p = 0; p < shape.parts.size(); ++p) {
    const StoredPart& part = shape.parts[p];
    if (part.type == ShapeType::sphere) draw_disk(svg, sheet, placed, part, style);
    if (part.type == ShapeType::capsule) draw_capsule(svg, sheet, placed, part, style);
    if (part.type == ShapeType::half_space) draw_half_plane(svg, sheet, placed, part);
    if (part.type != ShapeType::polytope) continue;
    std::vector<Vec<2>> corners;
    for (int v = shape.surface.part_start[p]; v < shape.surface.part_start[p + 1]; ++v)
      corners.push_back(
          sheet.at(placed.world(shape.surface.vertices[static_cast<std::size_t>(v)])));
    svg.polygon(corners, style);
  }
}

constexpr int legend_steps = 40;

// From 0 to a value; `shape` draws the k-th of the steps at x, with a width.
void draw_scale(Svg& svg, double left, double wide, double y, const std::string& high,
                const std::function<void(double x, double width, double part)>& shape) {
  for (int k = 0; k < legend_steps; ++k)
    shape(left + wide * k / legend_steps, wide / legend_steps + 0.4, (k + 0.5) / legend_steps);
  svg.text({left, y + 22}, "0");
  svg.text({left + wide, y + 22}, high, at_end);
}

void draw_legend(Svg& svg, const StillRun& run, const Sheet& sheet, const Still& still) {
  const double y = sheet.height + 30;
  const double length = tick_step(sheet.box.size()[0] * 1.2);  // about a quarter of the width
  const double end = sheet_width - sheet_margin, start = end - length * sheet.scale;
  svg.rectangle({0, sheet.height}, {sheet_width, legend_height}, "fill='white'");
  svg.line({start, y}, {end, y}, "stroke='#333' stroke-width='1.5'");
  for (const double x : {start, end})
    svg.line({x, y - 5}, {x, y + 5}, "stroke='#333' stroke-width='1.5'");
  svg.text({0.5 * (start + end), y + 22}, fmt::format("{:.6g} m", length), middle);
  svg.text({sheet_margin, y + 5}, fmt::format("t = {:.6g} s", still.time));
  const auto colours = colour_scale(run, still);
  if (!still.forces.empty()) {
    const double left = colours ? 130 : 200, wide = colours ? 120 : 200;
    draw_scale(svg, left, wide, y, fmt::format("{:.4g} N", still.reference_force),
               [&](double x, double width, double part) {
                 svg.rectangle({x, y - 7 * part}, {width, 14 * part},
                               fmt::format("fill='{}'", hex(force_colour(std::sqrt(part)))));
               });
    svg.text({left + wide + 14, y + 5}, "contact force");
  }
  if (!colours) return;
  constexpr double left = 380, wide = 120;
  draw_scale(
      svg, left, wide, y, fmt::format("{:.4g}", colours->high),
      [&](double x, double width, double part) {
        svg.rectangle({x, y - 5}, {width, 10}, fmt::format("fill='{}'", hex(speed_colour(part))));
      });
  svg.text({left + wide + 14, y + 5}, colours->name);
}

}  // namespace

std::string plane_picture(const StillRun& run, std::size_t frame) {
  const Still still = run.at(frame);
  const Sheet sheet(run.box);
  Svg svg(sheet_width, sheet.height + legend_height);
  for (std::size_t row = 0; row < still.state.body.size(); ++row)
    draw_body(svg, run, sheet, {still.state.position[row], still.state.orientation[row]},
              static_cast<std::size_t>(still.state.body[row]), run.colour_of(still, row));
  for (const auto& [from, to] : run.cell_borders(still))
    svg.line(sheet.at(from), sheet.at(to),
             "stroke='#333' stroke-width='0.8' stroke-dasharray='6 3'");
  for (const std::vector<Vec<3>>& way : run.ways) {
    std::vector<Vec<2>> points;
    for (std::size_t k = 0; k < std::min(frame + 1, way.size()); ++k)
      points.push_back(sheet.at(way[k]));
    if (points.size() > 1) svg.polyline(points, "stroke='#1f5fa8' stroke-width='1.2'");
  }
  const double widest = run.widest_chain(still) * sheet.scale;
  for (const ForceLine& force : still.forces)
    svg.line(
        sheet.at(force.from), sheet.at(force.to),
        fmt::format("stroke='{}' stroke-width='{:.2f}' stroke-linecap='round'",
                    hex(force_colour(std::sqrt(force.part))), std::max(0.4, widest * force.part)));
  for (const CrackLine& crack : still.cracks)
    svg.line(sheet.at(crack.from), sheet.at(crack.to),
             fmt::format("stroke='{}' stroke-width='{}' stroke-linecap='round'",
                         crack.broken ? "#d4151b" : "#1a59cc", crack.broken ? 2.5 : 1.2));
  draw_legend(svg, run, sheet, still);
  return svg.finished();
}

}  // namespace talus
