// Numbers of the page: base64 of zlib-compressed byte planes (packed_column.hpp), and chunks of
// frames made of them (frame_chunk.hpp).

function bytesOf(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

async function inflated(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function integers(column) {
  const { n, planes, data } = column, bytes = await inflated(bytesOf(data));
  const values = new Int32Array(n);
  for (let p = 0; p < planes; ++p)
    for (let i = 0, at = p * n; i < n; ++i, ++at) values[i] |= bytes[at] << (8 * p);
  for (let i = 0; i < n; ++i) values[i] = (values[i] >>> 1) ^ -(values[i] & 1);
  return values;
}

async function reals(column, Kind) {  // Float64Array or Float32Array
  const { n, planes, data } = column, bytes = await inflated(bytesOf(data));
  const whole = new Uint8Array(n * planes);
  for (let p = 0; p < planes; ++p)
    for (let i = 0, at = p * n; i < n; ++i, ++at) whole[i * planes + p] = bytes[at];
  return new Kind(whole.buffer);
}

function fromHalf(h) {  // IEEE 754 binary16
  const sign = h & 0x8000 ? -1 : 1, exponent = (h >> 10) & 31, fraction = h & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (1024 + fraction) * 2 ** (exponent - 25);
}

function fromOctahedron(x, y, out, at) {
  let z = 1 - Math.abs(x) - Math.abs(y);
  if (z < 0) {
    const old = x;
    x = (1 - Math.abs(y)) * (x < 0 ? -1 : 1);
    y = (1 - Math.abs(old)) * (y < 0 ? -1 : 1);
  }
  const length = Math.hypot(x, y, z) || 1;
  out[at] = x / length; out[at + 1] = y / length; out[at + 2] = z / length;
}

// The frames of a chunk.
async function framesOf(run, chunk) {
  const dim = run.dimension, n = run.bodies.name.length, quantum = run.quantum;
  const [rows, body, position, turn, velocity, spin] = await Promise.all(
    ["rows", "body", "position", "turn", "velocity", "spin"].map((name) => integers(chunk[name])));
  const contacts = await contactsOf(run, chunk.contacts);
  const joints = chunk.joints ? await reals(chunk.joints, Float32Array) : null;
  const bonds = chunk.bonds ? await reals(chunk.bonds, Float32Array) : null;
  const perTurn = dim === 2 ? 1 : 4;
  const place = new Int32Array(n * dim), orientation = new Int32Array(n * perTurn);
  const frames = [];
  let row = 0;
  for (let f = 0; f < rows.length; ++f) {
    const count = rows[f];
    const frame = {
      time: chunk.time[f], step: chunk.step[f], count,
      body: new Int32Array(count), position: new Float32Array(3 * count), turn: new Float32Array(4 * count),
      velocity: new Float32Array(3 * count), spin: new Float32Array(count), contacts: contacts[f], joints: null, bonds: null,
    };
    let last = -1;
    for (let r = 0; r < count; ++r, ++row) {
      const i = last = last + 1 + body[row];
      frame.body[r] = i;
      for (let k = 0; k < dim; ++k) {
        frame.position[3 * r + k] = (place[i * dim + k] += position[row * dim + k]) * quantum;
        frame.velocity[3 * r + k] = fromHalf(velocity[row * dim + k]);
      }
      for (let k = 0; k < perTurn; ++k) orientation[i * perTurn + k] += turn[row * perTurn + k];
      if (dim === 2) {
        const half = orientation[i] * Math.PI / 65536;
        frame.turn[4 * r] = Math.cos(half); frame.turn[4 * r + 3] = Math.sin(half);
      } else {
        const at = 4 * i, largest = orientation[at + 3];
        let rest = 1;
        for (let k = 0, from = at; k < 4; ++k) {
          if (k === largest) continue;
          const value = orientation[from++] / 4096;
          frame.turn[4 * r + k] = value;
          rest -= value * value;
        }
        frame.turn[4 * r + largest] = Math.sqrt(Math.max(0, rest));
      }
      frame.spin[r] = fromHalf(spin[row]);
    }
    if (joints) frame.joints = joints.subarray(f * joints.length / rows.length, (f + 1) * joints.length / rows.length);
    if (bonds) frame.bonds = bonds.subarray(f * bonds.length / rows.length, (f + 1) * bonds.length / rows.length);
    frames.push(frame);
  }
  return frames;
}

async function contactsOf(run, columns) {
  const dim = run.dimension;
  const [rows, a, b, force, direction, point, status] = await Promise.all(
    ["rows", "a", "b", "force", "direction", "point", "status"].map((name) => integers(columns[name])));
  const result = [];
  let row = 0;
  for (const count of rows) {
    const c = {
      count, a: new Int32Array(count), b: new Int32Array(count), force: new Float32Array(count),
      direction: new Float32Array(3 * count), arm: new Float32Array(3 * count), status: new Uint8Array(count),
    };
    let last = 0;
    for (let i = 0; i < count; ++i, ++row) {
      last += a[row];
      c.a[i] = last;
      c.b[i] = last + b[row];
      c.force[i] = columns.strongest * (force[row] / 65535) ** 2;
      c.status[i] = status[row];
      const smaller = run.bodies.radius[c.a[i]] < run.bodies.radius[c.b[i]] ? c.a[i] : c.b[i];
      for (let k = 0; k < dim; ++k) c.arm[3 * i + k] = point[row * dim + k] * run.bodies.radius[smaller] / 100;
      if (dim === 2) {
        const angle = direction[row] * 2 * Math.PI / 1024;
        c.direction[3 * i] = Math.cos(angle); c.direction[3 * i + 1] = Math.sin(angle);
      } else {
        fromOctahedron(direction[2 * row] / 127, direction[2 * row + 1] / 127, c.direction, 3 * i);
      }
    }
    result.push(c);
  }
  return result;
}

// Row of a body in a frame; −1 if it is not present. Bodies are in ascending order.
function rowOf(frame, body) {
  if (frame.body[body] === body) return body;
  let low = 0, high = frame.count - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (frame.body[middle] === body) return middle;
    if (frame.body[middle] < body) low = middle + 1; else high = middle - 1;
  }
  return -1;
}
