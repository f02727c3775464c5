// Vectors as arrays of three, quaternions w x y z, matrices of 16 by columns.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const norm = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => scaled(a, 1 / (norm(a) || 1));
const at3 = (array, i) => [array[3 * i], array[3 * i + 1], array[3 * i + 2]];
const at4 = (array, i) => [array[4 * i], array[4 * i + 1], array[4 * i + 2], array[4 * i + 3]];

function rotated([w, x, y, z], v) {  // v + 2w (q × v) + 2 q × (q × v)
  const t = scaled(cross([x, y, z], v), 2);
  return add(add(v, scaled(t, w)), cross([x, y, z], t));
}
const conjugate = ([w, x, y, z]) => [w, -x, -y, -z];

function multiplied(a, b) {  // matrices: a b
  const c = new Float32Array(16);
  for (let col = 0; col < 4; ++col)
    for (let row = 0; row < 4; ++row)
      for (let k = 0; k < 4; ++k) c[4 * col + row] += a[4 * k + row] * b[4 * col + k];
  return c;
}

// Rows: right, up, backward; seen from `eye`.
function viewMatrix(eye, right, up, back) {
  return new Float32Array([
    right[0], up[0], back[0], 0, right[1], up[1], back[1], 0, right[2], up[2], back[2], 0,
    -dot(right, eye), -dot(up, eye), -dot(back, eye), 1]);
}

function perspective(halfTangent, aspect, near, far) {
  return new Float32Array([
    1 / (halfTangent * aspect), 0, 0, 0, 0, 1 / halfTangent, 0, 0,
    0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]);
}

function orthographic(halfWidth, halfHeight, near, far) {
  return new Float32Array([
    1 / halfWidth, 0, 0, 0, 0, 1 / halfHeight, 0, 0, 0, 0, 2 / (near - far), 0, 0, 0, (far + near) / (near - far), 1]);
}

// Any unit vector normal to n.
const anyNormal = (n) => unit(cross(n, Math.abs(n[0]) < 0.8 ? [1, 0, 0] : [0, 1, 0]));
