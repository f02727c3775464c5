// Frames of a run in time: which two surround a moment, and the state between them.

function frameBefore(frames, time) {
  let low = 0, high = frames.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (frames[middle].time <= time) low = middle; else high = middle - 1;
  }
  return low;
}

// Positions and orientations at a time; straight lines between frames. Contacts are those of the frame before.
function stateAt(run, time) {
  const { frames } = run;
  if (!frames.length) return null;
  const k = frameBefore(frames, time), a = frames[k], b = frames[k + 1];
  if (!b || time <= a.time) return a;
  const s = (time - a.time) / (b.time - a.time);
  const state = run.between ??= {};
  if (!state.position || state.position.length < 3 * a.count) { state.position = new Float32Array(3 * a.count); state.turn = new Float32Array(4 * a.count); }
  Object.assign(state, { time, step: a.step, count: a.count, body: a.body, velocity: a.velocity, spin: a.spin, contacts: a.contacts, joints: a.joints, bonds: a.bonds });
  for (let r = 0; r < a.count; ++r) {
    const q = b.body[r] === a.body[r] ? r : rowOf(b, a.body[r]);
    for (let c = 0; c < 3; ++c)
      state.position[3 * r + c] = q < 0 ? a.position[3 * r + c] : a.position[3 * r + c] * (1 - s) + b.position[3 * q + c] * s;
    let same = 0, size = 0;
    if (q >= 0) for (let c = 0; c < 4; ++c) same += a.turn[4 * r + c] * b.turn[4 * q + c];
    const to = q < 0 ? 0 : same < 0 ? -s : s, from = q < 0 ? 1 : 1 - s;
    for (let c = 0; c < 4; ++c) size += (state.turn[4 * r + c] = a.turn[4 * r + c] * from + (q < 0 ? 0 : b.turn[4 * q + c] * to)) ** 2;
    for (let c = 0; c < 4; ++c) state.turn[4 * r + c] /= Math.sqrt(size) || 1;
  }
  return state;
}

// Box around the free bodies, and the fixed ones that are no larger; a body in a hundred may be outside.
function boxOf(run, frames) {
  const sides = [[], [], []];
  const { radius, fixed, shape } = run.bodies;
  const finite = (i) => shape[i] < 0 || !run.shapes[shape[i]].part_type.includes(partKind.halfSpace);
  const collect = (wanted) => {
    for (const frame of frames)
      for (let r = 0; r < frame.count; ++r) {
        const i = frame.body[r];
        if (!wanted(i)) continue;
        const size = finite(i) ? radius[i] : 0;
        for (let c = 0; c < 3; ++c) sides[c].push([frame.position[3 * r + c] - size, frame.position[3 * r + c] + size]);
      }
  };
  collect((i) => fixed[i] === 0);
  if (!sides[0].length) collect(finite);
  if (!sides[0].length) return [[-1, -1, -1], [1, 1, 1]];
  const low = [0, 0, 0], high = [0, 0, 0];
  for (let c = 0; c < 3; ++c) {
    const lows = sides[c].map((s) => s[0]).sort((a, b) => a - b), highs = sides[c].map((s) => s[1]).sort((a, b) => a - b);
    const cut = lows.length > 300 ? Math.floor(lows.length / 100) : 0;
    low[c] = lows[cut]; high[c] = highs[highs.length - 1 - cut];
  }
  // Fixed and driven bodies of finite size that stand by, whole.
  const size = norm(subtract(high, low)), frame = frames[0];
  const within = [low.map((v) => v - 0.35 * size), high.map((v) => v + 0.35 * size)];
  for (let r = 0; r < frame.count; ++r) {
    const i = frame.body[r];
    if (fixed[i] === 0 || !finite(i) || radius[i] > 0.8 * size) continue;
    const p = at3(frame.position, r);
    if (p.some((v, c) => v < within[0][c] || v > within[1][c])) continue;
    const turn = at4(frame.turn, r), vertices = shape[i] < 0 ? [] : run.shapes[shape[i]].vertices;
    const ends = [];
    for (let k = 0; k < vertices.length; k += 3) ends.push(add(p, rotated(turn, vertices.slice(k, k + 3))));
    if (!ends.length) for (const s of [-1, 1]) ends.push(p.map((v) => v + s * radius[i]));
    for (const end of ends)
      for (let c = 0; c < 3; ++c) { low[c] = Math.min(low[c], end[c]); high[c] = Math.max(high[c], end[c]); }
  }
  return [low, high];
}
