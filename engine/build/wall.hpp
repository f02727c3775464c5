// SPDX-License-Identifier: Apache-2.0
// Walls of blocks in courses: bonds, openings, lintels.
#pragma once

#include <string>
#include <vector>

#include "engine/model/scene.hpp"

namespace talus {

// How the blocks of a course lie. A stretcher shows its width, a header its depth; where a bond has
// headers, the wall is as thick as a block is wide, and two stretchers stand behind each other.
//     running  stretchers, every second course shifted by half a block
//     header   headers, every second course shifted by half a header
//     english  courses of stretchers and of headers in turn
//     flemish  stretchers and headers in turn in every course, each header over a stretcher
enum class BrickBond { running, header, english, flemish };

// A rectangular hole. Its lintel is one block over it, as thick as the wall.
struct WallOpening {
  double from = 0, to = 0;  // along the wall, from its middle [m]
  int first = 0, last = 0;  // courses [first, last) that it interrupts
  double bearing = 0;       // of the lintel on either side [m]
  int lintel = 0;           // courses that it is high; 0: the opening ends at the top
};

// The origin is the middle of the foot; blocks are named NAME.course.block, from below, from the
// left and, where two stand behind each other, from −y; lintels NAME.lintel.k. Pieces at ends and
// openings shorter than a quarter of a block are one with their neighbour.
template <int D>
struct WallPlan {
  std::string name = "wall";
  Vec<D> block = Vec<D>::Zero();  // width, height(, depth) of a full block [m]
  int courses = 0;
  int blocks = 0;    // stretchers along the wall
  double joint = 0;  // gap between neighbours of a course [m], less than the width
  BrickBond bond = BrickBond::running;
  std::vector<WallOpening> openings;

  double length() const { return blocks * block[0] + (blocks - 1) * joint; }
  double thickness() const {  // space only
    return bond == BrickBond::running ? block[D - 1] : block[0];
  }
};

// An upper bound where there are openings.
template <int D>
double wall_count(const WallPlan<D>& plan);

template <int D>
std::vector<BodyDescription<D>> wall_bodies(const WallPlan<D>& plan);

}  // namespace talus
