// Triangles of the bodies: positions and normals in body axes, and for every corner the distances to
// the edges of its polygon (1 where a side of the triangle is no edge), so that edges can be drawn.

class Triangles {
  constructor() { this.place = []; this.normal = []; this.edge = []; }

  // A convex polygon as a fan; corner k has normal(k).
  polygon(points, normal, edges) {
    for (let i = 1; i + 1 < points.length; ++i) {
      const three = [0, i, i + 1];
      const open = [!edges, !edges || i + 2 < points.length, !edges || i > 1];  // sides opposite each corner
      three.forEach((k, corner) => {
        this.place.push(...points[k]);
        this.normal.push(...normal(k));
        for (let side = 0; side < 3; ++side) this.edge.push(open[side] || side === corner ? 1 : 0);
      });
    }
  }
  get count() { return this.place.length / 3; }
}

const partKind = { ball: 0, polytope: 1, capsule: 2, halfSpace: 4 };

// Half disks, so that the line between them shows the rotation.
function addDisk(triangles, centre, radius, facets) {
  for (const start of [0, Math.PI]) {
    const points = [];
    for (let i = 0; i <= facets / 2; ++i) {
      const angle = start + 2 * Math.PI * i / facets;
      points.push([centre[0] + radius * Math.cos(angle), centre[1] + radius * Math.sin(angle), 0]);
    }
    triangles.polygon(points, () => [0, 0, 1], true);
  }
}

// Nearest point of the axis of a round part.
function axisPoint(kind, numbers, p) {
  const a = numbers.slice(0, 3);
  if (kind === partKind.ball) return a;
  const along = subtract(numbers.slice(3, 6), a), length = dot(along, along);
  return add(a, scaled(along, Math.min(1, Math.max(0, length > 0 ? dot(subtract(p, a), along) / length : 0))));
}

// The surface of a shape without its half-spaces.
function trianglesOf(shape, dimension, facets) {
  const triangles = new Triangles(), vertex = (k) => at3(shape.vertices, k);
  const partOf = (k) => { let p = 0; while (k >= shape.part_start[p + 1]) ++p; return p; };
  const numbersOf = (p) => shape.part_parameters.slice(7 * p, 7 * p + 7);
  shape.part_type.forEach((kind, p) => {
    if (dimension === 2 && kind === partKind.ball) addDisk(triangles, numbersOf(p).slice(0, 3), numbersOf(p)[3], facets);
  });
  for (let f = 0; f + 1 < shape.start.length; ++f) {
    const corners = shape.corner.slice(shape.start[f], shape.start[f + 1]);
    if (corners.length < 3) continue;
    const part = partOf(corners[0]), kind = shape.part_type[part];
    if (kind === partKind.halfSpace || (dimension === 2 && kind === partKind.ball)) continue;
    const points = corners.map(vertex);
    const face = dimension === 2 ? [0, 0, 1] : unit(cross(subtract(points[1], points[0]), subtract(points[2], points[0])));
    const round = dimension === 3 && kind !== partKind.polytope;
    const smooth = round && points.map((p) => unit(subtract(p, axisPoint(kind, numbersOf(part), p))));
    triangles.polygon(points, (k) => (smooth ? smooth[k] : face), !round);
  }
  return triangles;
}

function halfSpacesOf(shape) {
  const found = [];
  shape.part_type.forEach((kind, p) => {
    const numbers = shape.part_parameters.slice(7 * p, 7 * p + 7);
    if (kind === partKind.halfSpace) found.push({ normal: numbers.slice(0, 3), offset: numbers[3] });
  });
  return found;
}

// All bodies of a run: one list of corners for those with a surface, a list of balls, and sheets.
function surfacesOf(run) {
  const { shape, diameter } = run.bodies, n = shape.length;
  let round = 0;
  for (let i = 0; i < n; ++i) if (run.dimension === 2 && shape[i] >= 0 && run.shapes[shape[i]].part_type[0] === partKind.ball) ++round;
  const facets = round > 20000 ? 16 : round > 3000 ? 24 : 48;
  const triangles = run.shapes.map((s) => trianglesOf(s, run.dimension, facets));
  const sheets = [], balls = [];
  let corners = 0;
  for (let i = 0; i < n; ++i) {
    if (shape[i] < 0) { balls.push(i); continue; }
    corners += triangles[shape[i]].count;
    for (const plane of halfSpacesOf(run.shapes[shape[i]])) sheets.push({ body: i, ...plane });
  }
  const numbers = new Float32Array(10 * corners);
  let at = 0;
  for (let i = 0; i < n; ++i) {
    if (shape[i] < 0) continue;
    const t = triangles[shape[i]];
    for (let k = 0; k < t.count; ++k) {
      for (let c = 0; c < 3; ++c) {
        numbers[at + c] = t.place[3 * k + c];
        numbers[at + 3 + c] = t.normal[3 * k + c];
        numbers[at + 6 + c] = t.edge[3 * k + c];
      }
      numbers[at + 9] = i;
      at += 10;
    }
  }
  const ballNumbers = new Float32Array(2 * balls.length);
  balls.forEach((i, k) => { ballNumbers[2 * k] = i; ballNumbers[2 * k + 1] = diameter[i] / 2; });
  return { triangles, corners, numbers, balls, ballNumbers, sheets };
}
