// What a run will meet, as far as one look at the start can tell: how fast bodies get, what nothing
// will catch, and how many contacts there are when everything lies.
#pragma once

#include "engine/bodies.hpp"
#include "engine/scene.hpp"

namespace talus {

struct Outlook {
  double fastest = 0;        // speed given, or reached by a fall to the lowest floor below [m/s]
  double longest_fall = 0;   // until the lowest floor below, or the end [s]
  double smallest = 0;       // radius of the smallest ball around a body that moves [m]; 0: none
  int floorless = 0;         // bodies that move with no fixed or driven one below …
  int first_floorless = -1;  // … and the first of them
};

template <int D>
Outlook look_ahead(const Scene<D>& scene, const Bodies<D>& bodies);

// Points of contact per body in a dense heap, for bodies that are no balls: of two in contact, flat
// faces touch in several points.
template <int D>
double contacts_per_angular_body();

// A heap of balls as large as the bodies of the scene that move, those to be born among them,
// `count` at most, in a box, with the scene's step, solver and friction: contacts and time per ball
// can be measured on it. Without bodies if the scene has no gravity or nothing that moves.
template <int D>
Scene<D> sample_heap(const Scene<D>& scene, std::size_t count);

}  // namespace talus
