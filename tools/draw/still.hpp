// SPDX-License-Identifier: Apache-2.0
// A frame of a run made ready to be drawn: bodies with their shapes, lines of force, and the box
// that the picture shows.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/trajectory/trajectory_reader.hpp"

namespace talus {

using Colour = Vec<3>;  // red, green, blue from 0 to 1

inline constexpr double least_radius = 3;  // of a disk in a picture [pixels]

std::string hex(const Colour& colour);
Colour category_colour(std::size_t number);
Colour speed_colour(double part);  // from 0 to 1
Colour force_colour(double part);

// What the colours of free bodies show. usual: in the plane the material, in space the speed.
enum class ColourBy { usual, speed, material, body, force };
inline constexpr std::string_view colour_names[] = {"usual", "speed", "material", "body", "force"};

struct Box {
  Vec<3> low = Vec<3>::Constant(-1), high = Vec<3>::Constant(1);
  Vec<3> size() const { return high - low; }
  Vec<3> centre() const { return 0.5 * (low + high); }
};

// A line of a force chain: from centre to centre, or to the contact point of a fixed body.
struct ForceLine {
  Vec<3> from, to;
  double part = 0;  // of the reference force, at most 1
};

// A part of the crack map: from one bond of a joint to the next, both damaged.
struct CrackLine {
  Vec<3> from, to;
  bool broken = false;  // both
};

struct Still {
  FrameState state;
  double time = 0;
  std::vector<ForceLine> forces;  // weak ones first
  std::vector<CrackLine> cracks;
  std::vector<double> load;    // largest contact force on each body, by rows of the state [N]
  double reference_force = 0;  // drawn in full width [N]: one contact in fifty exceeds it
  double body_size = 0;        // median radius of the free bodies [m]
  double half_width = 0;       // median of half their least extents [m]
};

// From bond to bond of each joint.
std::vector<CrackLine> crack_map(const FrameBonds& bonds);

// What of a run stays the same from frame to frame.
struct StillRun {
  const TrajectoryReader& run;
  std::vector<StoredShape> shapes;
  Box box;             // of the first, the middle and the last frame
  double fastest = 0;  // speed that one free body in two hundred exceeds, in some frames [m/s]

  ColourBy colour_by;                     // never usual
  std::optional<double> reference_force;  // of all frames; without it each has its own

  // Of each free body, if all are points: where it was at the frames. A picture of points shows
  // nothing but their way.
  std::vector<std::vector<Vec<3>>> ways;

  explicit StillRun(const TrajectoryReader& trajectory, ColourBy colours = ColourBy::usual);
  Still at(std::size_t frame) const;
  double widest_chain(const Still& still) const;  // [m]
  // One reference force for pictures that follow each other: otherwise chains would flicker.
  void share_reference_force(std::span<const std::size_t> frames);
  Colour colour_of(const Still& still, std::size_t row) const;
  // Borders of a periodic cell in the plane.
  std::vector<std::array<Vec<3>, 2>> cell_borders(const Still& still) const;
  bool in_plane() const { return run.header().dimension == 2; }
  bool has_half_space(std::size_t body) const;

 private:
  void find_ways();
  // Half of the least extent along the axes of the body [m].
  double half_width(std::size_t body) const;
};

// The scale of the colours; nothing for materials and bodies.
struct ColourScale {
  std::string name;
  double high = 0;
};
std::optional<ColourScale> colour_scale(const StillRun& run, const Still& still);

// The frame nearest to a time. Throws InputError if it is outside of the run.
std::size_t frame_at(const TrajectoryReader& run, double time);

}  // namespace talus
