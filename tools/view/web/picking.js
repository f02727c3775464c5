// The body under a point of the picture: the nearest one that a ray meets.

function ballDistance(from, along, centre, radius) {
  const to = subtract(centre, from), t = dot(to, along), h = radius * radius - dot(to, to) + t * t;
  return h < 0 ? Infinity : t - Math.sqrt(h);
}

// Möller and Trumbore's test of a ray and a triangle, from both sides.
function triangleDistance(from, along, a, b, c) {
  const e1 = subtract(b, a), e2 = subtract(c, a), p = cross(along, e2), det = dot(e1, p);
  if (Math.abs(det) < 1e-300) return Infinity;
  const s = subtract(from, a), u = dot(s, p) / det, q = cross(s, e1), v = dot(along, q) / det;
  return u < 0 || v < 0 || u + v > 1 ? Infinity : dot(e2, q) / det;
}

function surfaceDistance(triangles, from, along) {
  let nearest = Infinity;
  const { place } = triangles, corner = (k) => [place[3 * k], place[3 * k + 1], place[3 * k + 2]];
  for (let k = 0; k < triangles.count; k += 3) {
    const t = triangleDistance(from, along, corner(k), corner(k + 1), corner(k + 2));
    if (t > 0 && t < nearest) nearest = t;
  }
  return nearest;
}

// `hidden(body)`: bodies that are not drawn. Those seen through are met only where nothing solid is.
function pickedBody(drawing, state, ray, opacity) {
  const { run, surfaces } = drawing;
  let best = { body: -1, t: Infinity, solid: false };
  for (let r = 0; r < state.count; ++r) {
    const i = state.body[r], alpha = opacity(i);
    if (alpha <= 0) continue;
    const solid = alpha > 0.99 || run.bodies.fixed[i] === 0;
    const centre = at3(state.position, r), shape = run.bodies.shape[i];
    let t = Infinity;
    if (shape < 0) {
      t = ballDistance(ray.from, ray.along, centre, run.bodies.diameter[i] / 2);
    } else if (surfaces.triangles[shape].count && ballDistance(ray.from, ray.along, centre, 1.001 * run.bodies.radius[i]) < Infinity) {
      const back = conjugate(at4(state.turn, r));
      t = surfaceDistance(surfaces.triangles[shape], rotated(back, subtract(ray.from, centre)), rotated(back, ray.along));
    }
    if (t < Infinity && (solid && !best.solid || solid === best.solid && t < best.t)) best = { body: i, t, solid };
  }
  return best.body;
}
