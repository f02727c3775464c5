// SPDX-License-Identifier: Apache-2.0
// Many bodies of one kind close together, for benchmarks of any size.
#pragma once

#include <cmath>
#include <random>

#include "engine/model/scene.hpp"

namespace talus::bench {

// Balls of radius 0.9 to 1.1 m on a rotated face-centred lattice. Neighbours overlap or are apart
// at random, so that a ball has about six contacts, as in a settled packing.
inline Scene<3> packed_balls(int count) {
  std::mt19937 rng(1);
  std::uniform_real_distribution<double> radius(0.9, 1.1);
  const Mat<3> R = rotation_matrix<3>(rotated<3>({}, Vec<3>(0.3, 0.5, 0.7)));
  Scene<3> scene;
  const int side = static_cast<int>(std::ceil(std::cbrt(count / 4.0)));
  for (int i = 0; i < side; ++i) {
    for (int j = 0; j < side; ++j) {
      for (int k = 0; k < side; ++k) {
        for (const Vec<3>& corner :
             {Vec<3>(0, 0, 0), Vec<3>(0, 1, 1), Vec<3>(1, 0, 1), Vec<3>(1, 1, 0)}) {
          if (static_cast<int>(scene.bodies.size()) == count) return scene;
          BodyDescription<3> body;
          body.shapes = {Ball<3>{0.01 * std::round(100 * radius(rng)), Vec<3>::Zero()}};
          body.position = R * (std::sqrt(2.0) * (2 * Vec<3>(i, j, k) + corner));
          scene.bodies.push_back(body);
        }
      }
    }
  }
  return scene;
}

// A wall three blocks deep in running bond.
inline Scene<3> wall_of_boxes(int count) {
  Scene<3> scene;
  const Shape<3> block = box<3>({0.2, 0.1, 0.1});
  const int length = static_cast<int>(std::ceil(std::sqrt(count / 3.0)));
  for (int course = 0; course < length; ++course) {
    for (int i = 0; i < length; ++i) {
      for (int j = 0; j < 3; ++j) {
        if (static_cast<int>(scene.bodies.size()) == count) return scene;
        BodyDescription<3> body;
        body.shapes = {block};
        body.position = {0.2 * (i + 0.5 * (course % 2)), 0.1 * j, 0.1 * course};
        scene.bodies.push_back(body);
      }
    }
  }
  return scene;
}

}  // namespace talus::bench
