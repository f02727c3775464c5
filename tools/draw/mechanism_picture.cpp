// SPDX-License-Identifier: Apache-2.0
#include "tools/draw/mechanism_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "io/trajectory/surface.hpp"
#include "tools/draw/svg.hpp"

namespace talus {

namespace {

constexpr double picture_width = 900, picture_edge = 30, caption = 64;  // [pixels]
constexpr double reach_of_mechanism = 0.07;  // its fastest point moves by this part of the picture
constexpr double seen_from = -65 * std::numbers::pi / 180, seen_above = 18 * std::numbers::pi / 180;

// Where the viewer is: right, up and towards the eye.
template <int D>
Mat<3> viewing_axes() {
  if constexpr (D == 2) return Mat<3>::Identity();
  Mat<3> axes;
  axes.col(2) = Vec<3>(std::cos(seen_above) * std::cos(seen_from),
                       std::cos(seen_above) * std::sin(seen_from), std::sin(seen_above));
  axes.col(0) = Vec<3>(-std::sin(seen_from), std::cos(seen_from), 0);
  axes.col(1) = axes.col(2).cross(axes.col(0));
  return axes;
}

template <int D>
Vec<3> in_space(const Vec<D>& x) {
  Vec<3> out = Vec<3>::Zero();
  out.head<D>() = x;
  return out;
}

struct Face {
  std::vector<Vec<3>> corners;  // in the axes of the view
  double depth = 0;             // of its middle
  bool endless = false;
  std::string style;
};

template <int D>
class MechanismPicture {
 public:
  MechanismPicture(const Bodies<D>& bodies, const std::vector<Twist<D>>& mechanism,
                   const std::vector<TouchingPair<D>>& pairs)
      : bodies_(bodies),
        mechanism_(mechanism),
        pairs_(pairs),
        shapes_(draw_shapes<D>(bodies)),
        view_(viewing_axes<D>()) {
    find_box();
  }

  std::string draw(const std::string& title) {
    const Vec<2> size = high_ - low_;
    scale_ = std::min((picture_width - 2 * picture_edge) / size[0], picture_width / size[1]);
    height_ = size[1] * scale_ + 2 * picture_edge;
    Svg svg(picture_width, height_ + caption);
    draw_faces(svg);
    draw_thrust(svg);
    draw_joints(svg);
    svg.rectangle({0, height_}, {picture_width, caption}, "fill='white'");
    draw_caption(svg, title);
    return svg.finished();
  }

 private:
  bool is_free(std::size_t body) const { return bodies_.moves_freely(body); }

  Vec<3> seen(const Vec<3>& x) const { return view_.transpose() * x; }
  Vec<2> pixel(const Vec<3>& seen) const {
    const Vec<2> middle_of_box = 0.5 * (low_ + high_);
    return {0.5 * picture_width + (seen[0] - middle_of_box[0]) * scale_,
            0.5 * height_ - (seen[1] - middle_of_box[1]) * scale_};
  }
  Vec<2> pixel_of(const Vec<D>& x) const { return pixel(seen(in_space<D>(x))); }

  // How far the mechanism, drawn large, carries a point of a body.
  Vec<D> way(std::size_t body, const Vec<D>& x) const {
    const Twist<D>& twist = mechanism_[body];
    return reach_ * (twist.v + cross<D>(twist.omega, x - bodies_.position[body]));
  }
  Vec<D> place(std::size_t body, const Vec<3>& own) const {
    const Vec<D> arm = own.template head<D>();
    return bodies_.position[body] + rotation_matrix<D>(bodies_.orientation[body]) * arm;
  }

  void include(const Vec<3>& point) {
    low_ = low_.cwiseMin(point.head<2>());
    high_ = high_.cwiseMax(point.head<2>());
  }

  // The box of the bodies that move freely and of what they touch, and room for the mechanism.
  void find_box() {
    low_.setConstant(std::numeric_limits<double>::infinity());
    high_ = -low_;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (!is_free(i)) continue;
      if (shapes_.surface_of[i] < 0) {
        const double r = bodies_.geometry_of(i).bounding_radius;
        const Vec<3> centre = seen(in_space<D>(bodies_.position[i]));
        include(centre - Vec<3>::Constant(r));
        include(centre + Vec<3>::Constant(r));
        continue;
      }
      for (const Vec<3>& own : shapes_.surfaces[at(shapes_.surface_of[i])].vertices)
        include(seen(in_space<D>(place(i, own))));
    }
    for (const TouchingPair<D>& pair : pairs_) include(seen(in_space<D>(pair.centre)));
    if (!(low_.array() <= high_.array()).all()) low_.setZero(), high_.setOnes();
    const double size = (high_ - low_).maxCoeff();
    reach_ = reach_of_mechanism * size;
    const Vec<2> margin = Vec<2>::Constant(1.2 * reach_);
    low_ -= margin;
    high_ += margin;
  }

  std::string style_of(std::size_t body, const Vec<3>& normal, bool moved) const {
    if (!moved) return "fill='none' stroke='#8a9097' stroke-width='0.7' stroke-dasharray='3,2'";
    const double light = D == 2 ? 1 : 0.72 + 0.28 * std::abs(normal.dot(Vec<3>(0.3, 0.85, 0.43)));
    const Twist<D>& twist = mechanism_[body];
    const bool moves = !twist.v.isZero(1e-6) || !twist.omega.isZero(1e-6);
    const Vec<3> colour = light * (!is_free(body) ? Vec<3>(0.76, 0.775, 0.79)
                                   : moves        ? Vec<3>(0.93, 0.79, 0.60)
                                                  : Vec<3>(0.86, 0.89, 0.84));
    return fmt::format(
        "fill='#{:02x}{:02x}{:02x}' stroke='#555b62' stroke-width='0.8' stroke-linejoin='round'",
        static_cast<int>(255 * colour[0]), static_cast<int>(255 * colour[1]),
        static_cast<int>(255 * colour[2]));
  }

  void add_faces(std::size_t body, bool moved, std::vector<Face>& faces) const {
    const Surface& surface = shapes_.surfaces[at(shapes_.surface_of[body])];
    for (std::size_t k = 0; k < surface.polygons(); ++k) {
      Face face;
      for (int c = surface.start[k]; c < surface.start[k + 1]; ++c) {
        const Vec<D> x = place(body, surface.vertices[at(surface.corner[at(c)])]);
        face.corners.push_back(seen(in_space<D>(moved ? Vec<D>(x + way(body, x)) : x)));
        face.depth += face.corners.back()[2];
      }
      if (face.corners.size() < 3) continue;
      face.depth /= static_cast<double>(face.corners.size());
      const Vec<3> normal =
          (face.corners[1] - face.corners[0]).cross(face.corners[2] - face.corners[0]).normalized();
      if (D == 3 && !(normal[2] > 0)) continue;  // its back
      face.style = style_of(body, normal, moved);
      face.endless = !std::isfinite(bodies_.geometry_of(body).bounding_radius);
      faces.push_back(std::move(face));
    }
  }

  void draw_faces(Svg& svg) const {
    std::vector<Face> faces, before;
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (shapes_.surface_of[i] >= 0) {
        add_faces(i, true, faces);
        if (is_free(i)) add_faces(i, false, before);
        continue;
      }
      const Vec<D> x = bodies_.position[i];
      svg.circle(pixel_of(x + way(i, x)), bodies_.geometry_of(i).bounding_radius * scale_,
                 style_of(i, Vec<3>::UnitZ(), true));
    }
    // Half-spaces are plates under all other bodies, too large to be sorted by their middles.
    std::stable_sort(faces.begin(), faces.end(), [](const Face& a, const Face& b) {
      return a.endless != b.endless ? a.endless : a.depth < b.depth;
    });
    faces.insert(faces.end(), before.begin(), before.end());
    std::vector<Vec<2>> corners;
    for (const Face& face : faces) {
      corners.clear();
      for (const Vec<3>& x : face.corners) corners.push_back(pixel(x));
      svg.polygon(corners, face.style);
    }
  }

  // Forces run through a body that two joints press from one to the other. Elsewhere each joint
  // has its force, as long as it is strong.
  void draw_thrust(Svg& svg) const {
    double strongest = 0;
    std::vector<std::vector<const TouchingPair<D>*>> of_body(bodies_.size());
    for (const TouchingPair<D>& pair : pairs_) {
      if (std::isnan(pair.eccentricity)) continue;
      strongest = std::max(strongest, pair.force.norm());
      for (std::size_t i = 0; i < bodies_.size(); ++i)
        if (bodies_.id[i] >= 0 && (bodies_.id[i] == pair.a || bodies_.id[i] == pair.b))
          of_body[i].push_back(&pair);
    }
    const auto width = [&](double force) {
      return fmt::format(
          "stroke='#1f5fa8' stroke-opacity='0.8' stroke-width='{:.2f}' "
          "stroke-linecap='round'",
          0.8 + 2.7 * force / strongest);
    };
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
      if (!is_free(i)) continue;
      const auto& joints = of_body[i];
      if (joints.size() == 2) {
        svg.line(pixel_of(joints[0]->action), pixel_of(joints[1]->action),
                 width(0.5 * (joints[0]->force.norm() + joints[1]->force.norm())));
        continue;
      }
      for (const TouchingPair<D>* const joint : joints) {
        const double part = joint->force.norm() / strongest;
        if (part < 0.005) continue;
        const double sign = bodies_.id[i] == joint->b ? 1 : -1;
        const Vec<D> to = joint->action + sign * part * 0.5 * bodies_.geometry_of(i).size *
                                              joint->force.normalized();
        svg.line(pixel_of(joint->action), pixel_of(to), width(joint->force.norm()));
      }
    }
  }

  void draw_joints(Svg& svg) const {
    for (const TouchingPair<D>& pair : pairs_) {
      const Vec<2> x = pixel_of(pair.place);
      if (pair.motion == JointMotion::hinge)
        svg.circle(x, 4.5, "fill='#c62828' stroke='white' stroke-width='1'");
      if (pair.motion != JointMotion::slide) continue;
      const Mat<D> frame = frame_of_normal<D>(pair.normal);
      double extent = 0;
      Vec<D> along = frame.col(1);
      for (int k = 1; k < D; ++k)
        if (seen(in_space<D>(frame.col(k))).template head<2>().norm() > extent) {
          extent = seen(in_space<D>(frame.col(k))).template head<2>().norm();
          along = frame.col(k);
        }
      const Vec<2> direction = (pixel_of(pair.centre + along) - x).normalized();
      svg.line(x - 7 * direction, x + 7 * direction,
               "stroke='#e07b00' stroke-width='3' stroke-linecap='round'");
    }
  }

  void draw_caption(Svg& svg, const std::string& title) const {
    svg.text({picture_edge, height_ + 20}, title);
    const double y = height_ + 44;
    svg.circle({picture_edge + 6, y - 4}, 4.5, "fill='#c62828'");
    svg.text({picture_edge + 18, y}, "hinge");
    svg.line({picture_edge + 80, y - 4}, {picture_edge + 94, y - 4},
             "stroke='#e07b00' stroke-width='3' stroke-linecap='round'");
    svg.text({picture_edge + 102, y}, "sliding joint");
    svg.line({picture_edge + 210, y - 4}, {picture_edge + 234, y - 4},
             "stroke='#1f5fa8' stroke-width='2.5' stroke-linecap='round'");
    svg.text({picture_edge + 242, y}, "thrust");
    svg.line({picture_edge + 310, y - 4}, {picture_edge + 334, y - 4},
             "stroke='#8a9097' stroke-dasharray='3,2'");
    svg.text({picture_edge + 342, y}, "before; displacements are drawn large");
  }

  const Bodies<D>& bodies_;
  const std::vector<Twist<D>>& mechanism_;
  const std::vector<TouchingPair<D>>& pairs_;
  DrawnShapes shapes_;
  Mat<3> view_;
  Vec<2> low_, high_;  // in the axes of the view
  double reach_ = 0;   // [m] that the mechanism's fastest point moves
  double scale_ = 1, height_ = 0;
};

}  // namespace

template <int D>
std::string mechanism_picture(const Bodies<D>& bodies, const std::vector<Twist<D>>& mechanism,
                              const std::vector<TouchingPair<D>>& pairs, const std::string& title) {
  return MechanismPicture<D>(bodies, mechanism, pairs).draw(title);
}

template std::string mechanism_picture<2>(const Bodies<2>&, const std::vector<Twist<2>>&,
                                          const std::vector<TouchingPair<2>>&, const std::string&);
template std::string mechanism_picture<3>(const Bodies<3>&, const std::vector<Twist<3>>&,
                                          const std::vector<TouchingPair<3>>&, const std::string&);

}  // namespace talus
