// SPDX-License-Identifier: Apache-2.0
#include "tools/draw/frame_image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "solvers/math/parallel.hpp"
#include "tools/draw/plot_area.hpp"
#include "tools/draw/raster.hpp"

namespace talus {

namespace {

constexpr int finer = 2;  // pixels that are computed for one of the picture, in each direction
const Colour paper(1, 1, 1), ink(0.2, 0.22, 0.25), wall_colour(0.72, 0.73, 0.745),
    way_colour(0.12, 0.37, 0.66), outline_colour(0.42, 0.42, 0.4);

struct Directions {
  Vec<3> up, front, side;  // front: towards the viewer
};

// Against gravity is up; without gravity z.
Directions directions(const StillRun& run) {
  if (run.run.header().dimension == 2) return {Vec<3>::UnitY(), Vec<3>::UnitZ(), Vec<3>::UnitX()};
  const Vec<3> gravity = run.run.header().gravity;
  Vec<3> up = Vec<3>::UnitZ();
  Eigen::Index axis = 2;
  if (gravity.norm() > 0) {
    gravity.cwiseAbs().maxCoeff(&axis);
    up = Vec<3>::Unit(axis) * (gravity[axis] > 0 ? -1 : 1);
  }
  const Vec<3> front = axis == 1 ? Vec<3>(Vec<3>::UnitZ()) : Vec<3>(-Vec<3>::UnitY());
  return {up, front, up.cross(front)};
}

Vec<3> corner_of(const Box& box, int k) {
  const Vec<3> half = 0.5 * box.size();
  return {k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1], k & 4 ? half[2] : -half[2]};
}

// Looks at the box from the front, from the right and from above; in the plane, straight at it.
View view_of(const StillRun& run, const Directions& axes, int width, int height) {
  View view;
  view.width = width;
  view.height = height;
  const double aspect = static_cast<double>(width) / height;
  const Vec<3> size = run.box.size().cwiseMax(1e-12);
  if (run.run.header().dimension == 2) {
    view.parallel = true;
    view.right = Vec<3>::UnitX(), view.up = Vec<3>::UnitY(), view.back = Vec<3>::UnitZ();
    view.reach = 0.54 * std::max(size[1], size[0] / aspect);
    view.eye = run.box.centre() + 4 * size.norm() * Vec<3>::UnitZ();  // above every disk
    return view;
  }
  constexpr double azimuth = 0.55, elevation = 0.3;
  const Vec<3> level = std::cos(azimuth) * axes.front + std::sin(azimuth) * axes.side;
  view.back = std::cos(elevation) * level + std::sin(elevation) * axes.up;
  view.right = axes.up.cross(level).normalized();
  view.up = view.back.cross(view.right);
  view.reach = std::tan(17 * M_PI / 180);
  double distance = 0;
  for (int k = 0; k < 8; ++k) {
    const Vec<3> corner = corner_of(run.box, k);
    const double across =
        std::max(std::abs(corner.dot(view.up)), std::abs(corner.dot(view.right)) / aspect);
    distance = std::max(distance, across / view.reach + corner.dot(view.back));
  }
  view.eye = run.box.centre() + 1.06 * distance * view.back;
  return view;
}

// The light: it sees the box from above.
View lamp_of(const StillRun& run, const Directions& axes, int size) {
  View lamp;
  lamp.parallel = true;
  lamp.width = lamp.height = size;
  lamp.back = (1.7 * axes.up + 0.8 * axes.front - 0.9 * axes.side).normalized();
  lamp.right = lamp.back.unitOrthogonal();
  lamp.up = lamp.back.cross(lamp.right);
  lamp.reach = 0.62 * run.box.size().norm();
  lamp.eye = run.box.centre() + 2 * lamp.reach * lamp.back;
  return lamp;
}

struct PlacedBody {
  std::size_t body;
  Vec<3> position;
  Eigen::Quaterniond turn;
  Vec<3> world(const Vec<3>& own) const { return position + turn * own; }
};

Vec<3> parameter(const StoredPart& part, std::size_t first) {
  return Vec<3>(&part.parameters[first]);
}

bool has_flat_faces(const StoredPart& part) {
  return part.type == ShapeType::polytope || part.type == ShapeType::mesh;
}

// Normals of a round part: away from its axis. A face has one normal.
std::function<Vec<3>(const Vec<3>&)> normals_of(const PlacedBody& body, const StoredPart& part,
                                                const std::vector<Vec<3>>& corners) {
  if (has_flat_faces(part)) {
    const Vec<3> n = (corners[1] - corners[0]).cross(corners[2] - corners[0]).normalized();
    return [n](const Vec<3>&) { return n; };
  }
  const Vec<3> a = body.world(parameter(part, 0));
  const Vec<3> b = part.type == ShapeType::capsule ? body.world(parameter(part, 3)) : a;
  return [a, b](const Vec<3>& x) -> Vec<3> {
    const Vec<3> along = b - a;
    const double length = along.squaredNorm();
    const double s = length > 0 ? std::clamp((x - a).dot(along) / length, 0.0, 1.0) : 0;
    return (x - a - s * along).normalized();
  };
}

// A disk is a ball seen from above, in a darker one that is its border. Points are seen, too.
void draw_disks(Raster& raster, const StoredShape& shape, const PlacedBody& body,
                const Colour& colour) {
  const double pixel = 1 / raster.view.pixels_per_metre(1), border = 1.6 * pixel;
  for (const StoredPart& part : shape.parts) {
    if (part.type != ShapeType::sphere) continue;
    const Vec<3> centre = body.world(parameter(part, 0));
    const double radius = std::max(part.parameters[3], least_radius * finer * pixel);
    raster.draw_sphere(centre - 0.5 * radius * Vec<3>::UnitZ(), radius, 0.45 * colour);
    if (radius > border) raster.draw_sphere(centre, radius - border, colour);
  }
}

// Faces of the parts that are drawn by their faces: no half-spaces, and in the plane no disks.
void for_each_face(
    const StoredShape& shape, bool plane,
    const std::function<void(std::span<const int> vertices, const StoredPart& part)>& visit) {
  const Surface& surface = shape.surface;
  for (std::size_t f = 0; f < surface.polygons(); ++f) {
    const std::span<const int> vertices(
        surface.corner.data() + surface.start[f],
        static_cast<std::size_t>(surface.start[f + 1] - surface.start[f]));
    if (vertices.size() < 3) continue;
    const auto end =
        std::upper_bound(surface.part_start.begin(), surface.part_start.end(), vertices[0]);
    const auto p = static_cast<std::size_t>(end - surface.part_start.begin() - 1);
    const StoredPart& part = shape.parts[std::min(p, shape.parts.size() - 1)];
    if (part.type == ShapeType::half_space || (plane && part.type == ShapeType::sphere)) continue;
    visit(vertices, part);
  }
}

void draw_body(Raster& raster, const StillRun& run, const PlacedBody& body, const Colour& colour) {
  const BodyTable& bodies = run.run.bodies();
  if (bodies.shape[body.body] < 0)
    return raster.draw_sphere(body.position, 0.5 * bodies.diameter[body.body], colour);
  const StoredShape& shape = run.shapes[static_cast<std::size_t>(bodies.shape[body.body])];
  const bool plane = run.in_plane();
  if (plane) draw_disks(raster, shape, body, colour);
  for_each_face(shape, plane, [&](std::span<const int> vertices, const StoredPart& part) {
    std::vector<Vec<3>> corners;
    for (const int v : vertices)
      corners.push_back(body.world(shape.surface.vertices[static_cast<std::size_t>(v)]));
    const auto upright = [](const Vec<3>&) -> Vec<3> { return Vec<3>::UnitZ(); };
    raster.draw_polygon(corners, plane ? upright : normals_of(body, part, corners), colour,
                        plane || has_flat_faces(part));
  });
}

// Outlines, so that rods thinner than a pixel are seen.
void draw_outline(Image& image, const StoredShape& shape,
                  const std::function<Vec<2>(const Vec<3>&)>& at) {
  for_each_face(shape, true, [&](std::span<const int> vertices, const StoredPart&) {
    const auto corner = [&](std::size_t k) {
      const int v = vertices[k % vertices.size()];
      return at(shape.surface.vertices[static_cast<std::size_t>(v)]);
    };
    for (std::size_t k = 0; k < vertices.size(); ++k)
      draw_line(image, corner(k), corner(k + 1), 0.8 * finer, outline_colour);
  });
}

// Bodies of a frame with their colours. Of the walls of a container those before its middle are
// left out.
void draw_bodies(Raster& raster, const StillRun& run, const Still& still, const View& eye) {
  const BodyTable& bodies = run.run.bodies();
  const bool plane = run.run.header().dimension == 2;
  int standing = 0;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    standing += bodies.fixed[i] != 0 && bodies.shape[i] >= 0 && !run.has_half_space(i);
  for (std::size_t row = 0; row < still.state.body.size(); ++row) {
    const auto i = static_cast<std::size_t>(still.state.body[row]);
    const PlacedBody body{i, still.state.position[row], still.state.orientation[row]};
    const bool fixed = bodies.fixed[i] != 0;
    const bool before = (body.position - run.box.centre()).dot(eye.back) > 0;
    if (fixed && !plane && standing >= 3 && before) continue;
    draw_body(raster, run, body, fixed ? wall_colour : run.colour_of(still, row));
  }
}

struct Floor {
  Vec<3> normal;
  double offset = 0;
};

// Half-spaces that bear.
std::vector<Floor> floors(const StillRun& run, const Still& still, const Vec<3>& up) {
  std::vector<Floor> found;
  for (std::size_t row = 0; row < still.state.body.size(); ++row) {
    const std::int32_t shape =
        run.run.bodies().shape[static_cast<std::size_t>(still.state.body[row])];
    if (shape < 0) continue;
    for (const StoredPart& part : run.shapes[static_cast<std::size_t>(shape)].parts) {
      if (part.type != ShapeType::half_space) continue;
      const Vec<3> normal = still.state.orientation[row] * parameter(part, 0);
      if (normal.dot(up) > 0.3)
        found.push_back({normal, part.parameters[3] + normal.dot(still.state.position[row])});
    }
  }
  return found;
}

// Places around a pixel, as parts of a disk: spirals that begin at different angles, so that
// neighbouring pixels, whose mean is taken, see different places.
constexpr int spirals = 17, samples = 8;
const auto& sample_places() {
  static const auto places = [] {
    std::array<std::array<Vec<2>, samples>, spirals> all;
    for (int s = 0; s < spirals; ++s)
      for (int k = 0; k < samples; ++k) {
        const double angle = 2.4 * s + 2.399963 * k, r = std::sqrt((k + 0.5) / samples);
        all[static_cast<std::size_t>(s)][static_cast<std::size_t>(k)] =
            r * Vec<2>(std::cos(angle), std::sin(angle));
      }
    return all;
  }();
  return places;
}

// Share of the light of the sky that reaches a place: surfaces around it that rise above its
// tangent plane take some of it. (McGuire and others, The Alchemy screen-space ambient obscurance
// algorithm, 2011)
double open_sky(const Raster& raster, int x, int y, const Vec<3>& place, const Vec<3>& n,
                double reach) {
  const double distance = (place - raster.view.eye).norm();
  const double pixels = std::min(reach * raster.view.pixels_per_metre(distance), 160.0);
  if (pixels < 2) return 1;
  double taken = 0;
  for (const Vec<2>& part : sample_places()[static_cast<std::size_t>((x * 7 + y * 13) % spirals)]) {
    const int sx = x + static_cast<int>(std::lround(pixels * part[0]));
    const int sy = y + static_cast<int>(std::lround(pixels * part[1]));
    if (sx < 0 || sy < 0 || sx >= raster.view.width || sy >= raster.view.height) continue;
    if (!std::isfinite(raster.depth[raster.index(sx, sy)])) continue;
    const Vec<3> to = raster.place(sx, sy) - place;
    const double squared = to.squaredNorm();
    if (squared > 4 * reach * reach) continue;
    taken += std::max(0.0, to.dot(n) - 0.02 * reach) / (squared + 0.02 * reach * reach) * reach;
  }
  return std::max(0.25, 1 - 0.55 * taken / samples);
}

double lamp_light(const Raster& shadow, const Vec<3>& place, const Vec<3>& n, double margin) {
  const Vec<3> p = shadow.view.projected(place + margin * n);
  double lit = 0;
  for (int j = -1; j <= 1; ++j)
    for (int i = -1; i <= 1; ++i) {
      const int x = static_cast<int>(std::floor(p[0])) + i,
                y = static_cast<int>(std::floor(p[1])) + j;
      const bool outside = x < 0 || y < 0 || x >= shadow.view.width || y >= shadow.view.height;
      lit += outside || p[2] < static_cast<double>(shadow.depth[shadow.index(x, y)]) + margin;
    }
  return lit / 9;
}

// Floors into the raster, as far as nothing is before them: their pixels have no colour of their
// own.
void add_floors(Raster& raster, const std::vector<Floor>& floors) {
  for (const Floor& floor : floors)
    parallel_for(static_cast<std::size_t>(raster.view.height), [&](std::size_t row) {
      for (int x = 0; x < raster.view.width; ++x) {
        const int y = static_cast<int>(row);
        const View::Ray ray = raster.view.ray(x + 0.5, y + 0.5);
        const double slope = floor.normal.dot(ray.along);
        const double t = (floor.offset - floor.normal.dot(ray.from)) / slope;
        float& depth = raster.depth[raster.index(x, y)];
        if (!(slope < 0) || !(t > 0) || !(t < static_cast<double>(depth))) continue;
        depth = static_cast<float>(t);
        raster.normal[raster.index(x, y)] = floor.normal.cast<float>();
        raster.colour[raster.index(x, y)].setConstant(-1);
      }
    });
}

Image lit_image(const StillRun& run, const Still& still, const Directions& axes, const View& view) {
  Raster raster(view, true);
  draw_bodies(raster, run, still, view);
  add_floors(raster, floors(run, still, axes.up));
  Raster shadow(lamp_of(run, axes, 2048), false);
  draw_bodies(shadow, run, still, view);
  const Vec<3> lamp = shadow.view.back, home = run.box.centre();
  const double extent = run.box.size().norm(), grid = tick_step(0.5 * extent);
  Image image(view.width, view.height, paper);
  parallel_for(static_cast<std::size_t>(view.height), [&](std::size_t row) {
    for (int x = 0; x < view.width; ++x) {
      const int y = static_cast<int>(row);
      const std::size_t at = raster.index(x, y);
      if (!std::isfinite(raster.depth[at])) continue;
      const Vec<3> place = raster.place(x, y), n = raster.normal[at].cast<double>();
      const double open = open_sky(raster, x, y, place, n, 2 * still.body_size);
      const double light =
          std::max(0.0, n.dot(lamp)) * lamp_light(shadow, place, n, 0.003 * extent);
      const Vec<3> half = (lamp + (view.eye - place).normalized()).normalized();
      const double shine = light > 0 ? 0.12 * std::pow(std::max(0.0, n.dot(half)), 38) : 0;
      if (raster.colour[at][0] >= 0) {
        const double ambient = (0.6 + 0.14 * n.dot(axes.up)) * open;
        image.at(x, y) =
            raster.colour[at].cast<double>() * (ambient + 0.5 * light) + Colour::Constant(shine);
        continue;
      }
      // A floor: paper with a grid, darker in the shade, that fades out.
      const double away = (place - home).norm() / (1.3 * extent);
      const double fade = std::clamp(1.25 - 1.25 * away, 0.0, 1.0);
      const double pixel = 1 / view.pixels_per_metre((place - view.eye).norm());
      double line = 0;
      for (const Vec<3>& axis : {axes.side, axes.front}) {
        const double cell = place.dot(axis) / grid, off = std::abs(cell - std::round(cell)) * grid;
        line = std::max(line, std::clamp(1.2 - off / pixel, 0.0, 1.0));
      }
      const double shade =
          0.95 * (0.62 + 0.38 * light / std::max(1e-9, n.dot(lamp))) * (0.5 + 0.5 * open) -
          0.07 * line;
      image.at(x, y) += fade * (Colour::Constant(shade) - paper);
    }
  });
  return image;
}

// The plane: flat colours, lines of half-planes, and force chains.
Image flat_image(const StillRun& run, std::size_t frame, const Still& still, const View& view) {
  Raster raster(view, true);
  draw_bodies(raster, run, still, view);
  Image image(view.width, view.height, paper);
  for (std::size_t k = 0; k < image.pixels.size(); ++k)
    if (std::isfinite(raster.depth[k])) image.pixels[k] = raster.colour[k].cast<double>();
  const auto at = [&](const Vec<3>& x) -> Vec<2> { return view.projected(x).head<2>(); };
  for (std::size_t row = 0; row < still.state.body.size(); ++row) {
    const std::int32_t shape =
        run.run.bodies().shape[static_cast<std::size_t>(still.state.body[row])];
    if (shape < 0) continue;
    const StoredShape& stored = run.shapes[static_cast<std::size_t>(shape)];
    draw_outline(image, stored, [&](const Vec<3>& own) {
      return at(still.state.position[row] + still.state.orientation[row] * own);
    });
    for (const StoredPart& part : stored.parts) {
      if (part.type == ShapeType::sphere) {  // a line that shows how it turns
        const Vec<3> own = parameter(part, 0), edge = own + part.parameters[3] * Vec<3>::UnitX();
        const Vec<3>& x = still.state.position[row];
        const Eigen::Quaterniond& turn = still.state.orientation[row];
        draw_line(image, at(x + turn * own), at(x + turn * edge), 0.6 * finer,
                  Colour(0.6, 0.6, 0.6));
      }
      if (part.type != ShapeType::half_space) continue;
      const Vec<3> normal = still.state.orientation[row] * parameter(part, 0);
      const double offset = part.parameters[3] + normal.dot(still.state.position[row]);
      const Vec<3> centre = run.box.centre(), along(-normal[1], normal[0], 0);
      const Vec<3> foot = centre + (offset - normal.dot(centre)) * normal;
      const double reach = 3 * run.box.size().norm();
      draw_line(image, at(foot - reach * along), at(foot + reach * along), 1.5 * finer, ink);
    }
  }
  for (const auto& [from, to] : run.cell_borders(still))
    draw_line(image, at(from), at(to), 0.8 * finer, ink);
  for (const std::vector<Vec<3>>& way : run.ways)
    for (std::size_t k = 1; k < std::min(frame + 1, way.size()); ++k)
      draw_line(image, at(way[k - 1]), at(way[k]), 1.2 * finer, way_colour);
  const double widest = run.widest_chain(still) * view.pixels_per_metre(1);
  for (const ForceLine& force : still.forces)
    draw_line(image, at(force.from), at(force.to), std::max(0.6 * finer, widest * force.part),
              force_colour(std::sqrt(force.part)));
  for (const CrackLine& crack : still.cracks)
    draw_line(image, at(crack.from), at(crack.to), (crack.broken ? 2.5 : 1.2) * finer,
              crack.broken ? Colour(0.83, 0.08, 0.11) : Colour(0.1, 0.35, 0.8));
  return image;
}

// Lightens what lies under words, so that they can be read.
void lay_paper(Image& image, double left, double top, double right, double foot) {
  for (int y = static_cast<int>(top); y < static_cast<int>(foot); ++y)
    for (int x = static_cast<int>(left); x < static_cast<int>(right); ++x)
      image.blend(x, y, paper, 0.8);
}

void draw_words(Image& image, const Vec<2>& baseline, const std::string& words, double size) {
  const double around = 0.5 * size;
  lay_paper(image, baseline[0] - around, baseline[1] - size - around,
            baseline[0] + text_width(words, size) + around, baseline[1] + around);
  draw_text(image, baseline, words, size, ink);
}

// A bar of round length in the lower right corner.
void draw_scale_bar(Image& image, double pixels_per_metre, double size) {
  const double length = tick_step(image.width / pixels_per_metre);  // about a fifth of the width
  const std::string words = fmt::format("{:.6g} m", length);
  const double end = image.width - 1.5 * size, start = end - length * pixels_per_metre;
  const double y = image.height - 4.2 * size, middle = 0.5 * (start + end);
  lay_paper(image, start - size, y - size, end + size, image.height - 0.8 * size);
  draw_line(image, {start, y}, {end, y}, 0.15 * size, ink);
  for (const double x : {start, end})
    draw_line(image, {x, y - 0.5 * size}, {x, y + 0.5 * size}, 0.15 * size, ink);
  draw_text(image, {middle - 0.5 * text_width(words, size), image.height - 1.5 * size}, words, size,
            ink);
}

struct Legend {
  std::string name, high;
  Colour (*colour)(double);
  bool root = false;  // colours follow the root of the value
};

// The k-th from the left.
void draw_legend(Image& image, const Legend& legend, double size, int k) {
  const double left = (1.5 + 28 * k) * size, bottom = image.height - 1.5 * size, wide = 14 * size;
  const int top = static_cast<int>(bottom - 2.7 * size),
            foot = static_cast<int>(bottom - 1.9 * size);
  lay_paper(image, left - 0.5 * size, bottom - 4.8 * size,
            left + std::max(wide, text_width(legend.name, size)) + 0.5 * size, bottom + 0.5 * size);
  for (int x = 0; x < static_cast<int>(wide); ++x)
    for (int y = top; y < foot; ++y) {
      const double part = x / wide;
      image.blend(static_cast<int>(left) + x, y,
                  legend.colour(legend.root ? std::sqrt(part) : part), 1);
    }
  draw_text(image, {left, bottom}, "0", size, ink);
  draw_text(image, {left + wide - text_width(legend.high, size), bottom}, legend.high, size, ink);
  draw_text(image, {left, bottom - 3.3 * size}, legend.name, size, ink);
}

}  // namespace

Image frame_image(const StillRun& run, std::size_t frame, int width, int height) {
  const Still still = run.at(frame);
  const bool plane = run.run.header().dimension == 2;
  const Directions axes = directions(run);
  const View view = view_of(run, axes, finer * width, finer * height);
  Image image = reduced(
      plane ? flat_image(run, frame, still, view) : lit_image(run, still, axes, view), finer);
  const double size = std::max(7.0, height / 75.0);
  const std::string time = fmt::format("t = {:.4g} s", still.time);
  draw_words(image, {1.5 * size, 2.5 * size}, time, size);
  if (plane) draw_scale_bar(image, view.pixels_per_metre(1) / finer, size);
  int legends = 0;
  if (const auto scale = colour_scale(run, still))
    draw_legend(image, {scale->name, fmt::format("{:.3g}", scale->high), speed_colour}, size,
                legends++);
  if (plane && !still.forces.empty())
    draw_legend(
        image,
        {"contact force [N]", fmt::format("{:.4g}", still.reference_force), force_colour, true},
        size, legends);
  return image;
}

}  // namespace talus
