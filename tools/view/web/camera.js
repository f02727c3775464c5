// The camera: orbits about a target in space, slides over the plane in 2D. One finger or the left
// button turns (in 2D it moves), two fingers or the right button move, wheel or pinch zooms.

const halfTangent = Math.tan(17 * Math.PI / 180);

class Camera {
  constructor(dimension, gravity) {
    this.plane = dimension === 2;
    const down = unit(gravity);
    // The axis against gravity is up; without gravity z.
    this.up = [0, 0, 1];
    if (this.plane) this.up = [0, 1, 0];
    else if (norm(gravity) > 0) {
      const k = [0, 1, 2].reduce((a, b) => (Math.abs(down[b]) > Math.abs(down[a]) ? b : a));
      this.up = [0, 0, 0];
      this.up[k] = down[k] > 0 ? -1 : 1;
    }
    this.front = this.up[1] !== 0 ? [0, 0, 1] : [0, -1, 0];  // where the viewer stands at azimuth 0
    this.side = cross(this.up, this.front);
    this.azimuth = 0.55;
    this.elevation = 0.3;
    this.target = [0, 0, 0];
    this.radius = 1;
    this.touched = false;
  }

  // Shows a whole box.
  fit(low, high, aspect) {
    this.target = scaled(add(low, high), 0.5);
    const size = subtract(high, low), margin = 1.08;
    this.extent = Math.max(norm(size), 1e-9);
    let reach = 0.5 * Math.max(size[1], size[0] / aspect);
    if (!this.plane) {
      const { right, up, back } = this.frame();
      reach = 0;
      for (let k = 0; k < 8; ++k) {
        const corner = size.map((s, c) => (k >> c & 1 ? 0.5 : -0.5) * s);
        reach = Math.max(reach, Math.abs(dot(up, corner)) + dot(back, corner) * halfTangent, Math.abs(dot(right, corner)) / aspect + dot(back, corner) * halfTangent);
      }
    }
    this.radius = Math.max(margin * reach, 1e-9);
  }

  // {right, up, back, eye, distance} in world axes.
  frame() {
    if (this.plane) return { right: [1, 0, 0], up: [0, 1, 0], back: [0, 0, 1], eye: add(this.target, [0, 0, 1]), distance: 1 };
    const [ca, sa, ce, se] = [Math.cos(this.azimuth), Math.sin(this.azimuth), Math.cos(this.elevation), Math.sin(this.elevation)];
    const level = add(scaled(this.front, ca), scaled(this.side, sa));
    const back = add(scaled(level, ce), scaled(this.up, se));
    const right = unit(cross(this.up, level));
    const distance = this.radius / halfTangent;
    return { right, up: cross(back, right), back, eye: add(this.target, scaled(back, distance)), distance };
  }

  matrices(aspect) {
    const { right, up, back, eye, distance } = this.frame();
    const view = viewMatrix(eye, right, up, back);
    const reach = distance + 4 * (this.extent ?? this.radius);
    const projection = this.plane
      ? orthographic(this.radius * aspect, this.radius, -10, 10)
      : perspective(halfTangent, aspect, Math.max(0.01 * distance, distance - 3 * (this.extent ?? this.radius)), reach);
    return { view, projection, eye, back };
  }

  // World length of a pixel at the target.
  pixel(height) {
    return this.plane ? 2 * this.radius / height : 2 * halfTangent * this.frame().distance / height;
  }

  turn(dx, dy) {
    this.azimuth -= dx;
    this.elevation = Math.min(1.55, Math.max(-1.55, this.elevation + dy));
  }

  move(dx, dy, height) {  // in pixels
    const { right, up } = this.frame(), p = this.pixel(height);
    this.target = add(this.target, add(scaled(right, -dx * p), scaled(up, dy * p)));
  }

  zoom(factor, x, y, height) {  // x, y: place that stays, in pixels from the middle
    const { right, up } = this.frame(), p = this.pixel(height) * (1 - factor);
    this.radius *= factor;
    this.target = add(this.target, add(scaled(right, x * p), scaled(up, -y * p)));
  }

  // Ray through a point of the picture; x and y from −1 to 1.
  ray(x, y, aspect) {
    const { right, up, back, eye } = this.frame();
    const reach = this.plane ? this.radius : halfTangent;
    const across = add(scaled(right, x * reach * aspect), scaled(up, y * reach));
    return this.plane ? { from: add(eye, across), along: [0, 0, -1] } : { from: eye, along: unit(subtract(across, back)) };
  }
}

function followPointer(canvas, camera, changed, clicked) {
  const pointers = new Map();
  let moved = 0, spread = 0;
  const middle = () => {
    const all = [...pointers.values()];
    return [all.reduce((s, p) => s + p[0], 0) / all.length, all.reduce((s, p) => s + p[1], 0) / all.length];
  };
  const distance = () => { const [a, b] = [...pointers.values()]; return Math.hypot(a[0] - b[0], a[1] - b[1]); };
  const fromMiddle = (x, y) => {
    const box = canvas.getBoundingClientRect();
    return [x - box.left - box.width / 2, y - box.top - box.height / 2];
  };
  const touched = () => { camera.touched = true; changed(); };
  canvas.addEventListener("pointerdown", (e) => {
    canvas.setPointerCapture(e.pointerId);
    if (pointers.size === 0) moved = 0;
    pointers.set(e.pointerId, [e.clientX, e.clientY]);
    if (pointers.size === 2) spread = distance();
  });
  canvas.addEventListener("pointermove", (e) => {
    if (!pointers.has(e.pointerId)) return;
    const before = middle();
    pointers.set(e.pointerId, [e.clientX, e.clientY]);
    const after = middle(), dx = after[0] - before[0], dy = after[1] - before[1];
    moved += Math.hypot(dx, dy);
    if (moved < 4 && pointers.size === 1) return;
    if (camera.plane || pointers.size === 2 || e.buttons === 2 || e.buttons === 4 || e.shiftKey) {
      camera.move(dx, dy, canvas.clientHeight);
    } else {
      camera.turn(dx * 0.008, dy * 0.008);
    }
    if (pointers.size === 2) {
      const now = distance();
      camera.zoom(spread / (now || 1), ...fromMiddle(...after), canvas.clientHeight);
      spread = now;
    }
    touched();
  });
  const leave = (e) => {
    if (!pointers.delete(e.pointerId)) return;
    if (e.type === "pointerup" && moved < 5 && pointers.size === 0) clicked(e.clientX, e.clientY);
  };
  canvas.addEventListener("pointerup", leave);
  canvas.addEventListener("pointercancel", leave);
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  canvas.addEventListener("wheel", (e) => {
    e.preventDefault();
    camera.zoom(Math.exp(Math.max(-0.5, Math.min(0.5, e.deltaY * (e.deltaMode ? 0.03 : 0.0015)))), ...fromMiddle(e.clientX, e.clientY), canvas.clientHeight);
    touched();
  }, { passive: false });
}
