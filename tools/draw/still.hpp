// SPDX-License-Identifier: Apache-2.0
// A frame of a run made ready to be drawn: bodies with their shapes, lines of force, and the box
// that the picture shows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/trajectory/trajectory_reader.hpp"

namespace talus {

using Colour = Vec<3>;  // red, green, blue from 0 to 1

std::string hex(const Colour& colour);
Colour category_colour(std::size_t number);
Colour speed_colour(double part);  // from 0 to 1
Colour force_colour(double part);

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

struct Still {
  FrameState state;
  double time = 0;
  std::vector<ForceLine> forces;  // weak ones first
  double reference_force = 0;     // drawn in full width [N]: one contact in fifty exceeds it
  double body_size = 0;           // median radius of the free bodies [m]
};

// What of a run stays the same from frame to frame.
struct StillRun {
  const TrajectoryReader& run;
  std::vector<StoredShape> shapes;
  Box box;             // of the first, the middle and the last frame
  double fastest = 0;  // speed that one free body in two hundred exceeds, in some frames [m/s]

  explicit StillRun(const TrajectoryReader& trajectory);
  Still at(std::size_t frame) const;
  bool has_half_space(std::size_t body) const;
};

// The frame nearest to a time. Throws InputError if it is outside of the run.
std::size_t frame_at(const TrajectoryReader& run, double time);

}  // namespace talus
