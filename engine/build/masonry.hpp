// SPDX-License-Identifier: Apache-2.0
// Vaults, domes and buttresses of convex blocks that fit exactly: faces that meet lie in one plane.
// Space only.
#pragma once

#include <string>
#include <vector>

#include "engine/model/scene.hpp"

namespace talus {

// Barrel vault along y: an arch of voussoirs, each course cut into `rows` blocks, in every second
// course shifted by half a block. The origin is the middle of the axis; blocks are named
// NAME.course.k, from the left springing and from −y.
struct VaultPlan {
  std::string name = "vault";
  double inner_radius = 0, thickness = 0, length = 0;  // [m]
  int count = 0, rows = 0;
  double span = 0;  // angle between the springings [rad]
};

// Dome in rings, with joints along meridians and along cones about the centre. All rings are cut at
// the same meridians: beds of rings that are shifted against each other are not plane. The origin
// is the centre of the sphere; blocks are named NAME.ring.k, from the springing up and from the
// x-axis round to the y-axis. A dome without an oculus ends with a keystone NAME.key.
struct DomePlan {
  std::string name = "dome";
  double inner_radius = 0, thickness = 0;  // [m]
  int rings = 0, count = 0;                // count: blocks of a ring
  double springing = 0;                    // angle of the springing from the top [rad]
  double oculus = 0;                       // radius of the hole, within; 0: a keystone [m]

  double top() const;  // angle of the uppermost joint from the top [rad]
};

// Blocks in courses against a wall at x = 0, on the side x > 0, narrower from course to course. The
// origin is the middle of the foot of the face at the wall; blocks are named NAME.k from below.
struct ButtressPlan {
  std::string name = "buttress";
  double foot = 0, top = 0, height = 0, depth = 0;  // widths below and above, … [m]
  int courses = 0;
};

std::vector<BodyDescription<3>> masonry_bodies(const VaultPlan& plan);
std::vector<BodyDescription<3>> masonry_bodies(const DomePlan& plan);
std::vector<BodyDescription<3>> masonry_bodies(const ButtressPlan& plan);
double masonry_count(const VaultPlan& plan);
double masonry_count(const DomePlan& plan);
double masonry_count(const ButtressPlan& plan);

}  // namespace talus
