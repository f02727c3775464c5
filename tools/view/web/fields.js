// What bodies can be coloured by. `values(frame, run)` gives a number for every row of a frame.

const perRow = (number) => (frame, run) => {
  const values = new Float32Array(frame.count);
  for (let r = 0; r < frame.count; ++r) values[r] = number(frame, r, run);
  return values;
};
const component = (k) => perRow((frame, r) => frame.velocity[3 * r + k]);
const place = (k) => perRow((frame, r) => frame.position[3 * r + k]);

// Sum over the contacts of each body.
const overContacts = (combine) => (frame) => {
  const values = new Float32Array(frame.count), c = frame.contacts;
  for (let i = 0; i < c.count; ++i)
    for (const body of [c.a[i], c.b[i]]) {
      const r = rowOf(frame, body);
      if (r >= 0) values[r] = combine(values[r], c.force[i]);
    }
  return values;
};

function displacements(frame, run) {
  return perRow((f, r) => {
    const from = run.firstPlace, i = f.body[r];
    if (Number.isNaN(from[3 * i])) return 0;
    return Math.hypot(f.position[3 * r] - from[3 * i], f.position[3 * r + 1] - from[3 * i + 1], f.position[3 * r + 2] - from[3 * i + 2]);
  })(frame, run);
}

// Angle between the orientation in the first frame and this one.
const turned = perRow((f, r, run) => {
  const from = at4(run.firstTurn, f.body[r]), now = at4(f.turn, r);
  const same = Math.abs(from.reduce((sum, q, c) => sum + q * now[c], 0));
  return Number.isNaN(same) ? 0 : 2 * Math.acos(Math.min(1, same));
});

const fields = {
  material: { name: "material", list: (run) => run.materials, values: perRow((f, r, run) => run.bodies.material[f.body[r]]) },
  body: { name: "body", list: () => null, values: perRow((f, r) => f.body[r]) },
  speed: { name: "speed", unit: "m/s", values: perRow((f, r) => Math.hypot(f.velocity[3 * r], f.velocity[3 * r + 1], f.velocity[3 * r + 2])) },
  x: { name: "velocity x", unit: "m/s", signed: true, values: component(0) },
  y: { name: "velocity y", unit: "m/s", signed: true, values: component(1) },
  z: { name: "velocity z", unit: "m/s", signed: true, space: true, values: component(2) },
  spin: { name: "spin", unit: "rad/s", values: perRow((f, r) => Math.abs(f.spin[r])) },
  turned: { name: "rotation since the start", unit: "rad", values: turned },
  px: { name: "position x", unit: "m", ends: true, values: place(0) },
  py: { name: "position y", unit: "m", ends: true, values: place(1) },
  pz: { name: "position z", unit: "m", ends: true, space: true, values: place(2) },
  displacement: { name: "displacement", unit: "m", values: displacements },
  force: { name: "largest contact force", unit: "N", contacts: true, values: overContacts(Math.max) },
  load: { name: "sum of contact forces", unit: "N", contacts: true, values: overContacts((sum, f) => sum + f) },
  contacts: { name: "contacts with force", unit: "", contacts: true, values: overContacts((sum) => sum + 1) },
  mass: { name: "mass", unit: "kg", ends: true, values: perRow((f, r, run) => run.bodies.mass[f.body[r]]) },
  radius: { name: "bounding radius", unit: "m", ends: true, values: perRow((f, r, run) => run.bodies.radius[f.body[r]]) },
  kind: { name: "free, fixed, driven", list: () => ["free", "fixed", "driven"], values: perRow((f, r, run) => run.bodies.fixed[f.body[r]]) },
};

// Ends of the scale, for all frames: 0, or the least where the scale has no natural end; and what one value in two hundred exceeds.
function rangeOf(field, run) {
  const values = [], step = Math.max(1, Math.floor(run.frames.length / 20));
  for (let k = 0; k < run.frames.length; k += step) {
    const frame = run.frames[k], numbers = field.values(frame, run), skip = Math.max(1, Math.floor(frame.count / 2000));
    for (let r = 0; r < frame.count; r += skip)
      if (run.bodies.fixed[frame.body[r]] === 0 && Number.isFinite(numbers[r])) values.push(field.signed ? Math.abs(numbers[r]) : numbers[r]);
  }
  values.sort((a, b) => a - b);
  let high = values.length ? values[Math.floor(0.995 * (values.length - 1))] : 0;
  if ((high === 0 || field.ends) && values.length) high = values[values.length - 1];
  if (field.signed) return [-high, high];
  const low = field.ends ? values[0] ?? 0 : 0;
  return low < high ? [low, high] : [Math.min(0, low), Math.max(high, low, 1e-30)];
}

// Force that draws a chain of full width: what one contact in a hundred exceeds.
function referenceForce(run) {
  const forces = [], step = Math.max(1, Math.floor(run.frames.length / 30));
  for (let k = 0; k < run.frames.length; k += step) {
    const { force } = run.frames[k].contacts, skip = Math.max(1, Math.floor(force.length / 3000));
    for (let i = 0; i < force.length; i += skip) if (force[i] > 0) forces.push(force[i]);
  }
  forces.sort((a, b) => a - b);
  return forces.length ? forces[Math.floor(0.98 * (forces.length - 1))] : 0;
}

function shortNumber(x, digits = 3) {
  if (x === 0) return "0";
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "none" : x > 0 ? "∞" : "−∞";
  const a = Math.abs(x);
  const text = a >= 1e5 || a < 1e-3 ? Number(x.toPrecision(digits)).toExponential().replace("e+", "e") : String(Number(x.toPrecision(digits)));
  return text.replace("-", "−").replace("e-", "e−");
}
