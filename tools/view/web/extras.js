// Force chains, contact points, velocities, cracks and joints of a frame, as ribbons and dots.

const ribbonSize = 12, dotSize = 7;

class Heap {  // an array that grows
  constructor(size) { this.size = size; this.numbers = new Float32Array(size * 256); this.count = 0; }
  push(...values) {
    if ((this.count + 1) * this.size > this.numbers.length) {
      const larger = new Float32Array(2 * this.numbers.length);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers.set(values, this.count++ * this.size);
  }
}

function contactPoint(run, state, i) {
  const c = state.contacts, { radius } = run.bodies;
  const r = rowOf(state, radius[c.a[i]] < radius[c.b[i]] ? c.a[i] : c.b[i]);
  return r < 0 ? null : add(at3(state.position, r), at3(c.arm, i));
}

// Lines from centre to centre; they end at the contact point where a body is fixed or driven, or
// where it is an image of the body that touches, on the other side of a periodic cell.
function addChains(ribbons, run, state, width, map) {
  const c = state.contacts;
  if (!run.reference) return;
  for (let i = 0; i < c.count; ++i) {
    if (c.force[i] <= 0) continue;
    const point = contactPoint(run, state, i);
    if (!point) continue;
    const end = (body) => {
      const r = rowOf(state, body);
      if (run.bodies.fixed[body] !== 0 || r < 0) return point;
      const centre = at3(state.position, r);
      return norm(add(centre, scaled(point, -1))) <= 1.5 * run.bodies.radius[body] ? centre : point;
    };
    const s = Math.min(1, c.force[i] / run.reference), w = width * s;
    ribbons.push(...end(c.a[i]), ...end(c.b[i]), w, w, ...mapped(map, Math.min(1, Math.sqrt(s))), 1);
  }
}

function addVelocities(ribbons, run, state, length, colour) {
  const fastest = run.fastest || 1, head = 0.3;
  for (let r = 0; r < state.count; ++r) {
    const v = at3(state.velocity, r), speed = norm(v);
    if (speed < 1e-3 * fastest) continue;
    const from = at3(state.position, r), to = add(from, scaled(v, length / fastest));
    const neck = add(from, scaled(v, length / fastest * (1 - head))), w = 0.035 * length * Math.min(1, 0.3 + speed / fastest);
    ribbons.push(...from, ...neck, w * 0.5, w * 0.5, ...colour, 1);
    ribbons.push(...neck, ...to, w * 1.7, 0, ...colour, 1);
  }
}

function addContacts(dots, run, state, stick, slide) {
  const c = state.contacts;
  for (let i = 0; i < c.count; ++i) {
    const point = contactPoint(run, state, i);
    if (point) dots.push(...point, ...(c.status[i] === 2 ? slide : stick), 1);
  }
}

const isBlock = (run, i) => run.bodies.shape[i] >= 0 && run.shapes[run.bodies.shape[i]].part_type.every((t) => t === partKind.polytope);

// Where blocks press on each other in the first frame with forces: one point then, a place on each of the two bodies later.
function seamsOf(run) {
  if (run.seams) return run.seams;
  const frame = run.frames.find((f) => f.contacts.count > 0);
  if (!frame) return [];
  run.seams = [];
  const { a, b, count } = frame.contacts;
  for (let i = 0; i < count; ++i) {
    const point = contactPoint(run, frame, i);
    if (!point || !isBlock(run, a[i]) || !isBlock(run, b[i])) continue;
    const place = (body) => {
      const r = rowOf(frame, body);
      return rotated(conjugate(at4(frame.turn, r)), subtract(point, at3(frame.position, r)));
    };
    run.seams.push({ bodies: [a[i], b[i]], places: [place(a[i]), place(b[i])] });
  }
  return run.seams;
}

// The crack map of bonds: from one bond to the next of the same two bodies, if both are damaged, with the lesser damage.
function tornBonds(state) {
  const torn = [], { bonds } = state, width = 5, least = 1e-3;  // point, damage, pair; what the tolerance of the solver leaves is less
  for (let i = 0; i + 2 * width <= bonds.length; i += width) {
    if (bonds[i + 4] !== bonds[i + 9]) continue;
    const damage = Math.min(bonds[i + 3], bonds[i + 8]);
    if (damage > least) torn.push({ ends: [at3(bonds, i), at3(bonds, i + width)], damage });
  }
  return torn;
}

// Both ends of every seam that has opened or slid, by more than a hundredth of a block's size; blocks further apart than that size are no wall any more.
function cracksOf(run, state, size) {
  if (state.bonds) return tornBonds(state).filter(({ damage }) => damage >= 1).map(({ ends }) => ends);
  const cracks = [];
  for (const { bodies, places } of seamsOf(run)) {
    const rows = bodies.map((body) => rowOf(state, body));
    if (rows.some((r) => r < 0)) continue;
    const ends = rows.map((r, k) => add(at3(state.position, r), rotated(at4(state.turn, r), places[k])));
    const opening = norm(subtract(ends[1], ends[0]));
    if (opening > 0.01 * size && opening < 2 * size) cracks.push(ends);
  }
  return cracks;
}

function addCracks(ribbons, run, state, size, width, colour) {
  if (state.bonds)  // what softens is drawn thinner
    for (const { ends: [from, to], damage } of tornBonds(state)) {
      const w = damage < 1 ? 0.4 * width : width;
      ribbons.push(...from, ...to, w, w, ...(damage < 1 ? colour : [0.85, 0.1, 0.1]), 1);
    }
  else
    for (const [from, to] of cracksOf(run, state, size)) ribbons.push(...from, ...to, width, width, ...colour, 1);
}

// In the plane, bodies thinner than this line: the line between their ends.
function addRods(ribbons, run, state, width, shown) {
  if (run.dimension !== 2) return;
  const rods = (run.rods ??= run.shapes.map(longAxis)), { shape } = run.bodies;
  for (let r = 0; r < state.count; ++r) {
    const rod = rods[shape[state.body[r]]];
    if (!rod || rod.half >= width || !shown(state.body[r])) continue;
    const [from, to] = rod.ends.map((end) => add(at3(state.position, r), rotated(at4(state.turn, r), end)));
    ribbons.push(...from, ...to, width, width, 0.45, 0.44, 0.42, 1);
  }
}

// The two ends of a shape, and how far it reaches to the sides of the line between them.
function longAxis({ vertices, part_type: kinds }) {
  const all = [];
  for (let k = 0; k < vertices.length; k += 3) all.push(vertices.slice(k, k + 3));
  if (!all.length || kinds.includes(partKind.halfSpace)) return null;
  const farthest = (from) => all.reduce((a, b) => (norm(subtract(b, from)) > norm(subtract(a, from)) ? b : a));
  const a = farthest(all[0]), b = farthest(a), along = unit(subtract(b, a));
  return { ends: [a, b], half: Math.max(...all.map((v) => norm(cross(along, subtract(v, a))))) };
}

// In the plane, where all free bodies are points: the way that each has come, and a dot where it is.
function addWays(ribbons, dots, run, time, width, colour) {
  if (!ofPoints(run)) return;
  const { frames } = run, last = frameBefore(frames, time), { fixed } = run.bodies;
  const end = stateAt(run, time), leap = 0.5 * run.reach;  // to the other side of a periodic cell
  for (let r = 0; r < end.count; ++r) {
    const i = end.body[r];
    if (fixed[i] !== 0) continue;
    let from = null;
    for (let k = 0; k <= last + 1; ++k) {
      const state = k <= last ? frames[k] : end, row = rowOf(state, i), to = row < 0 ? null : at3(state.position, row);
      if (from && to && norm(subtract(to, from)) < leap) ribbons.push(...from, ...to, width, width, ...colour, 1);
      from = to;
    }
    dots.push(...at3(end.position, r), ...colour, 1);
  }
}

function ofPoints(run) {
  if (run.ofPoints !== undefined && run.countedFrames === run.frames.length) return run.ofPoints;
  const { radius, fixed } = run.bodies, free = [...radius.keys()].filter((i) => fixed[i] === 0);
  const low = [Infinity, Infinity], high = [-Infinity, -Infinity];
  for (const { position } of run.frames)
    for (let k = 0; k < position.length; ++k) if (k % 3 < 2) { low[k % 3] = Math.min(low[k % 3], position[k]); high[k % 3] = Math.max(high[k % 3], position[k]); }
  const size = run.reach = Math.hypot(high[0] - low[0], high[1] - low[1]);
  run.countedFrames = run.frames.length;
  return run.ofPoints = run.dimension === 2 && free.length > 0 && free.length <= 100 && free.every((i) => radius[i] <= 0.003 * size);
}

// A dot where a joint holds, and lines to the bodies.
function addJoints(ribbons, dots, run, state, width, colour) {
  const { a, b } = run.joints;
  if (!a || !state.joints) return;
  for (let j = 0; j < a.length; ++j) {
    const point = at3(state.joints, 3 * j);
    dots.push(...point, ...colour, 1);
    for (const body of [a[j], b[j]]) {
      const r = body < 0 ? -1 : rowOf(state, body);
      if (r >= 0) ribbons.push(...point, ...at3(state.position, r), width, width, ...colour, 0.8);
    }
  }
}
