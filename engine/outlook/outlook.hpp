// SPDX-License-Identifier: Apache-2.0
// Estimates for a run from its initial state: the largest speed, bodies with nothing below them,
// and the number of contacts at rest.
#pragma once

#include "engine/model/bodies.hpp"
#include "engine/model/scene.hpp"

namespace talus {

struct Outlook {
  double fastest = 0;       // initial speed, or speed after a fall to the lowest floor below [m/s]
  double longest_fall = 0;  // to the lowest floor below, or to the end of the run [s]
  double smallest = 0;      // smallest size (Geometry) of a free body [m]; 0: no free body
  int floorless = 0;  // free bodies with no fixed or driven body below; a sample in large scenes
  int first_floorless = -1;  // the first of them; −1: none
};

template <int D>
Outlook look_ahead(const Scene<D>& scene, const Bodies<D>& bodies);

// Contact points per body in a dense heap of bodies that are not balls. Flat faces touch at several
// points.
template <int D>
double contacts_per_angular_body();

// A heap of at most `count` balls in a box, to measure contacts and time per ball. The balls have
// the sizes of the free bodies of the scene, including those that emitters will create. Step,
// solver and friction are those of the scene. Without bodies if the scene has no gravity or no free
// bodies.
template <int D>
Scene<D> sample_heap(const Scene<D>& scene, std::size_t count);

}  // namespace talus
