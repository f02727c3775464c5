// Draws runs with WebGL 2.

const shadowSize = 2048;

class Program {
  constructor(gl, vertex, fragment) {
    this.gl = gl;
    this.program = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost())
        throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(this.program, shader);
    }
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error(gl.getProgramInfoLog(this.program));
    this.places = new Map();
  }

  use(values) {
    const gl = this.gl;
    gl.useProgram(this.program);
    for (const [name, value] of Object.entries(values)) {
      if (!this.places.has(name)) this.places.set(name, gl.getUniformLocation(this.program, name));
      const place = this.places.get(name);
      if (place === null) continue;
      if (value instanceof Float32Array && value.length === 16) gl.uniformMatrix4fv(place, false, value);
      else if (Array.isArray(value)) gl[`uniform${value.length}fv`](place, value);
      else if (value && typeof value === "object") gl.uniform1i(place, value.unit);
      else if (name === "pass") gl.uniform1i(place, value);
      else gl.uniform1f(place, value);
    }
  }
}

// A vertex array whose attributes are consecutive floats of one buffer.
function vertexArray(gl, buffer, sizes, instanced, corners) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  let location = 0;
  if (corners) {
    gl.bindBuffer(gl.ARRAY_BUFFER, corners);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
    location = 1;
  }
  gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
  const stride = 4 * sizes.reduce((a, b) => a + b, 0);
  let offset = 0;
  for (const size of sizes) {
    gl.enableVertexAttribArray(location);
    gl.vertexAttribPointer(location, size, gl.FLOAT, false, stride, offset);
    if (instanced) gl.vertexAttribDivisor(location, 1);
    offset += 4 * size;
    ++location;
  }
  gl.bindVertexArray(null);
  return array;
}

// What the graphics processor holds of one run.
class Drawing {
  constructor(gl, run, square) {
    this.gl = gl;
    this.run = run;
    this.surfaces = surfacesOf(run);
    const filled = (numbers) => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, numbers, gl.STATIC_DRAW);
      return buffer;
    };
    this.mesh = vertexArray(gl, filled(this.surfaces.numbers), [3, 3, 3, 1], false, null);
    this.surfaces.numbers = null;
    this.balls = vertexArray(gl, filled(this.surfaces.ballNumbers), [1, 1], true, square);
    const n = run.bodies.name.length;
    this.rows = Math.max(1, Math.ceil(n / 512));
    this.state = new Float32Array(4 * 3 * 512 * this.rows);
    this.texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    for (const name of ["MIN_FILTER", "MAG_FILTER"]) gl.texParameteri(gl.TEXTURE_2D, gl[`TEXTURE_${name}`], gl.NEAREST);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, 3 * 512, this.rows, 0, gl.RGBA, gl.FLOAT, null);
    this.ribbonBuffer = gl.createBuffer();
    this.ribbons = vertexArray(gl, this.ribbonBuffer, [3, 3, 2, 4], true, square);
    this.dotBuffer = gl.createBuffer();
    this.dots = vertexArray(gl, this.dotBuffer, [3, 4], false, null);
    this.ribbonCount = this.dotCount = 0;
  }

  // state: position, turn (w x y z) by rows of bodies; colours: four numbers a row.
  load(state, colours) {
    const s = this.state;
    for (let i = 0; i < s.length; i += 12) s[i + 3] = 0;
    for (let r = 0; r < state.count; ++r) {
      const at = 12 * state.body[r];
      s[at] = state.position[3 * r]; s[at + 1] = state.position[3 * r + 1]; s[at + 2] = state.position[3 * r + 2]; s[at + 3] = 1;
      s[at + 4] = state.turn[4 * r + 1]; s[at + 5] = state.turn[4 * r + 2]; s[at + 6] = state.turn[4 * r + 3]; s[at + 7] = state.turn[4 * r];
      s[at + 8] = colours[4 * r]; s[at + 9] = colours[4 * r + 1]; s[at + 10] = colours[4 * r + 2]; s[at + 11] = colours[4 * r + 3];
    }
    const gl = this.gl;
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 3 * 512, this.rows, gl.RGBA, gl.FLOAT, s);
  }

  loadRibbons(numbers, count) {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.ribbonBuffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, numbers.subarray(0, 12 * count), this.gl.DYNAMIC_DRAW);
    this.ribbonCount = count;
  }

  loadDots(numbers, count) {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.dotBuffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, numbers.subarray(0, 7 * count), this.gl.DYNAMIC_DRAW);
    this.dotCount = count;
  }
}

class Renderer {
  constructor(canvas) {
    this.canvas = canvas;
    const gl = this.gl = canvas.getContext("webgl2", { antialias: true, alpha: true, premultipliedAlpha: true });
    if (!gl) throw new Error("This browser has no WebGL 2, which the player needs.");
    this.square = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.square);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
    this.sheetArray = vertexArray(gl, this.square, [2], false, null);
    this.programs = {
      mesh: new Program(gl, meshVertex, meshFragment), meshShadow: new Program(gl, meshVertex, shadowFragment),
      ball: new Program(gl, ballVertex, ballFragment), ballShadow: new Program(gl, ballVertex, ballShadow),
      ribbon: new Program(gl, ribbonVertex, ribbonFragment), dot: new Program(gl, dotVertex, dotFragment),
      sheet: new Program(gl, sheetVertex, sheetFragment),
    };
    this.shadowMap = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, shadowSize, shadowSize);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    for (const name of ["MIN_FILTER", "MAG_FILTER"]) gl.texParameteri(gl.TEXTURE_2D, gl[`TEXTURE_${name}`], gl.LINEAR);
    for (const name of ["WRAP_S", "WRAP_T"]) gl.texParameteri(gl.TEXTURE_2D, gl[`TEXTURE_${name}`], gl.CLAMP_TO_EDGE);
    this.shadowFrame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.shadowMap, 0);
    gl.drawBuffers([gl.NONE]);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  resize() {
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    const w = Math.max(1, Math.round(this.canvas.clientWidth * scale)), h = Math.max(1, Math.round(this.canvas.clientHeight * scale));
    if (this.canvas.width !== w || this.canvas.height !== h) { this.canvas.width = w; this.canvas.height = h; }
    this.scale = scale;
  }

  // drawings side by side, all seen by one camera.
  draw(drawings, camera, look) {
    this.resize();
    const gl = this.gl, { width, height } = this.canvas, part = width / drawings.length;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.disable(gl.SCISSOR_TEST);
    gl.viewport(0, 0, width, height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    drawings.forEach((drawing, k) => {
      const solid = !camera.plane && look.shadows;
      const shadow = solid ? this.drawShadow(drawing, camera) : null;
      gl.viewport(Math.round(k * part), 0, Math.round(part), height);
      this.drawRun(drawing, camera, look, shadow, part / height, height);
    });
  }

  lampOf(camera) {
    return unit(add(scaled(camera.up, 1.7), add(scaled(camera.front, 0.8), scaled(camera.side, -0.9))));
  }

  drawShadow(drawing, camera) {
    const gl = this.gl, lamp = this.lampOf(camera), reach = 0.62 * camera.extent;
    const right = anyNormal(lamp), up = cross(lamp, right);
    const view = viewMatrix(add(camera.home ?? camera.target, scaled(lamp, 2 * reach)), right, up, lamp);
    const projection = orthographic(reach, reach, 0, 4 * reach);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.shadowFrame);
    gl.viewport(0, 0, shadowSize, shadowSize);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.drawBodies(drawing, this.programs.meshShadow, this.programs.ballShadow, { view, projection, parallel: 1, pass: 0 });
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return multiplied(projection, view);
  }

  drawBodies(drawing, mesh, ball, values) {
    const gl = this.gl;
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, drawing.texture);
    values = { ...values, state: { unit: 0 } };
    if (drawing.surfaces.corners) {
      mesh.use(values);
      gl.bindVertexArray(drawing.mesh);
      gl.drawArrays(gl.TRIANGLES, 0, drawing.surfaces.corners);
    }
    if (drawing.surfaces.balls.length) {
      ball.use(values);
      gl.bindVertexArray(drawing.balls);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, drawing.surfaces.balls.length);
    }
    gl.bindVertexArray(null);
  }

  drawRun(drawing, camera, look, toShadow, aspect, height) {
    const gl = this.gl, plane = camera.plane;
    const { view, projection, eye } = camera.matrices(aspect);
    const pixel = camera.pixel(height);
    const values = {
      view, projection, eye, sky: camera.up, lamp: this.lampOf(camera), parallel: plane ? 1 : 0, flatness: plane ? 1 : 0,
      shadowMap: { unit: 1 }, toShadow: toShadow ?? new Float32Array(16), shadows: toShadow ? 0.0012 * camera.extent : 0,
      edgeColour: look.edge, edgeWidth: 1.1 * this.scale, least: plane ? 0.6 * pixel * this.scale : 0.6 * pixel * this.scale / camera.frame().distance,
    };
    gl.activeTexture(gl.TEXTURE1);
    gl.bindTexture(gl.TEXTURE_2D, this.shadowMap);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    const depth = (test, write) => { (test ? gl.enable : gl.disable).call(gl, gl.DEPTH_TEST); gl.depthMask(write); };
    const { mesh, ball } = this.programs;
    const ribbons = () => {
      if (!drawing.ribbonCount) return;
      this.programs.ribbon.use(values);
      gl.bindVertexArray(drawing.ribbons);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, drawing.ribbonCount);
    };
    const dots = () => {
      if (!drawing.dotCount) return;
      this.programs.dot.use({ ...values, size: look.dotSize * this.scale });
      gl.bindVertexArray(drawing.dots);
      gl.drawArrays(gl.POINTS, 0, drawing.dotCount);
    };
    if (plane) {
      depth(false, false);
      this.drawHalfPlanes(drawing, camera, look, values);
      this.drawBodies(drawing, mesh, ball, { ...values, pass: 2 });
      ribbons();
      dots();
    } else {
      depth(true, true);
      this.drawBodies(drawing, mesh, ball, { ...values, pass: 0 });
      this.drawSheets(drawing, camera, look, values, true);
      this.drawSheets(drawing, camera, look, values, false);
      depth(true, true);
      ribbons();
      depth(true, false);
      this.drawBodies(drawing, mesh, ball, { ...values, pass: 1 });
      depth(false, false);
      dots();
    }
    gl.depthMask(true);
    gl.bindVertexArray(null);
  }

  // Planes of half-spaces, seen from the side where bodies are.
  drawSheets(drawing, camera, look, values, floors) {
    if (look.walls === "hidden") return;
    const gl = this.gl, home = camera.home ?? camera.target;
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(false);
    for (const sheet of drawing.surfaces.sheets) {
      const at = 12 * sheet.body, s = drawing.state;
      if (s[at + 3] === 0) continue;
      const turn = [s[at + 7], s[at + 4], s[at + 5], s[at + 6]];
      const normal = rotated(turn, sheet.normal), place = [s[at], s[at + 1], s[at + 2]];
      const offset = sheet.offset + dot(normal, place);
      const floor = dot(normal, camera.up) > 0.5;
      if (floor !== floors || dot(normal, values.eye) < offset) continue;  // nobody looks through a wall from behind
      const reach = (floor ? 1.3 : 0.75) * camera.extent;
      const foot = add(home, scaled(normal, offset - dot(normal, home)));
      const along = Math.abs(dot(normal, camera.side)) < 0.9 ? unit(subtract(camera.side, scaled(normal, dot(normal, camera.side)))) : anyNormal(normal);
      const across = cross(normal, along);
      const weak = floor ? 1 : look.walls === "solid" ? 0.7 : 0.25;
      const tint = [...look.sheet.slice(0, 3), look.sheet[3] * weak], lineColour = [...look.sheetLine.slice(0, 3), look.sheetLine[3] * (floor ? 1 : 0.5)];
      this.programs.sheet.use({
        ...values, foot, along, across, reach, normal, tint, lineColour, band: 0, spacing: look.grid, origin: [dot(foot, along), dot(foot, across)],
        shadows: floor ? values.shadows : 0,
      });
      gl.bindVertexArray(this.sheetArray);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
    gl.bindVertexArray(null);
  }

  drawHalfPlanes(drawing, camera, look, values) {
    if (look.walls === "hidden") return;
    const gl = this.gl, s = drawing.state, home = camera.home ?? camera.target;
    for (const sheet of drawing.surfaces.sheets) {
      const at = 12 * sheet.body;
      if (s[at + 3] === 0) continue;
      const normal = rotated([s[at + 7], s[at + 4], s[at + 5], s[at + 6]], sheet.normal);
      const offset = sheet.offset + dot(normal, [s[at], s[at + 1], s[at + 2]]);
      const foot = add(home, scaled(normal, offset - dot(normal, home)));
      const tint = [...look.sheetLine.slice(0, 3), look.walls === "solid" ? 0.8 : 0.3];
      this.programs.sheet.use({
        ...values, foot: [foot[0], foot[1], 0], along: cross(normal, [0, 0, 1]), across: normal, normal, reach: 5 * camera.extent, tint,
        lineColour: look.sheetLine, spacing: 1, origin: [0, 0], band: 0.07 * camera.extent,
      });
      gl.bindVertexArray(this.sheetArray);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }
    gl.bindVertexArray(null);
  }

  // Opaque pixels of the picture as it is drawn now.
  drawnPixels() {
    const gl = this.gl, { width, height } = this.canvas, pixels = new Uint8Array(4 * width * height);
    gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
    let count = 0;
    for (let i = 3; i < pixels.length; i += 4) if (pixels[i] > 0) ++count;
    return count;
  }
}
