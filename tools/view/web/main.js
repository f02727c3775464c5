// Puts the page together: reads the runs, and draws whenever something has changed.

function fail(error) {
  const problem = byId("problem");
  problem.hidden = false;
  problem.textContent = String(error?.message ?? error);
  console.error(error);
}

const settings = {
  field: "speed", chains: false, contacts: false, velocities: false, cracks: true, joints: true, shadows: true, bodies: "solid", walls: "solid", thickness: 0,
};
const page = { runs: [], drawings: [], plots: [], ranges: new Map(), picked: { run: 0, body: -1 }, dirty: true, ready: false };

const dark = () => document.documentElement.dataset.theme === "dark";

// ---- data

async function readGrowing(run, growing) {
  const columns = [...growing.series.columns, ...growing.measures.flatMap((m) => m.columns)];
  await Promise.all(columns.map(async (c) => { c.numbers = await reals(c.values, Float64Array); c.values = null; }));
  run.growing = growing;
}

function takeFrames(run, frames) {
  for (const frame of frames) {
    if (run.frames.length && frame.step <= run.frames[run.frames.length - 1].step) continue;
    run.frames.push(frame);
    for (let r = 0; r < frame.count; ++r) {
      const i = frame.body[r];
      if (Number.isNaN(run.firstPlace[3 * i])) {
        for (let c = 0; c < 3; ++c) run.firstPlace[3 * i + c] = frame.position[3 * r + c];
        for (let c = 0; c < 4; ++c) run.firstTurn[4 * i + c] = frame.turn[4 * r + c];
      }
      if (run.bodies.fixed[i] === 0) run.fastest = Math.max(run.fastest, Math.hypot(...at3(frame.velocity, r)));
    }
  }
}

async function readRun(k) {
  const run = JSON.parse(byId(`run-${k}`).textContent);
  run.frames = [];
  run.firstPlace = new Float32Array(3 * run.bodies.name.length).fill(NaN);
  run.firstTurn = new Float32Array(4 * run.bodies.name.length).fill(NaN);
  run.fastest = 0;
  await readGrowing(run, JSON.parse(byId(`growing-${k}`).textContent));
  return run;
}

function framesChanged() {
  page.ranges.clear();
  const { runs } = page;
  const reference = Math.max(...runs.map(referenceForce));
  for (const run of runs) run.reference = reference;
  const times = runs.flatMap((run) => (run.frames.length ? [run.frames[0].time, run.frames[run.frames.length - 1].time] : []));
  if (times.length) page.player.span(Math.min(...times), Math.max(...times), runs.flatMap((run) => run.growing.missed));
  if (!page.camera.touched) fitCamera();
  redraw();
}

function fitCamera() {
  const boxes = page.runs.filter((run) => run.frames.length).map((run) => {
    const n = run.frames.length;
    return boxOf(run, [...new Set([0, Math.floor(n / 2), n - 1])].map((k) => run.frames[k]));
  });
  if (!boxes.length) return;
  const low = [0, 1, 2].map((c) => Math.min(...boxes.map((b) => b[0][c]))), high = [0, 1, 2].map((c) => Math.max(...boxes.map((b) => b[1][c])));
  const stage = byId("stage");
  page.camera.fit(low, high, stage.clientWidth / page.runs.length / Math.max(1, stage.clientHeight));
  page.camera.home = page.camera.target;
}

// ---- drawing

function rangeFor(name) {
  if (!page.ranges.has(name)) {
    const all = page.runs.map((run) => rangeOf(fields[name], run));
    page.ranges.set(name, [Math.min(...all.map((r) => r[0])), Math.max(...all.map((r) => r[1]))]);
  }
  return page.ranges.get(name);
}

function opacityOf(run, body) {
  const mode = run.bodies.fixed[body] === 0 ? settings.bodies : settings.walls;
  return mode === "solid" ? 1 : mode === "hidden" ? 0 : run.dimension === 2 ? (dark() ? 0.55 : 0.36) : run.bodies.fixed[body] === 0 ? 0.16 : 0.1;
}

function coloursOf(run, state, picked) {
  const field = fields[settings.field], values = field.values(state, run), [low, high] = rangeFor(settings.field);
  const list = field.list?.(run), map = field.signed ? diverging : sequential;
  const wall = dark() ? [0.36, 0.4, 0.46] : [0.66, 0.67, 0.68];
  const colours = run.colours?.length >= 4 * state.count ? run.colours : (run.colours = new Float32Array(4 * state.count));
  for (let r = 0; r < state.count; ++r) {
    const body = state.body[r], fixed = run.bodies.fixed[body] !== 0;
    let colour;
    if (body === picked) colour = [1, 0.45, 0.2];
    else if (fixed && field !== fields.kind) colour = wall;
    else if (list !== undefined) colour = field === fields.body ? numbered(values[r]) : categories[values[r] % categories.length];
    else colour = mapped(map, (values[r] - low) / (high - low));
    const alpha = opacityOf(run, body);
    colours[4 * r] = colour[0]; colours[4 * r + 1] = colour[1]; colours[4 * r + 2] = colour[2];
    colours[4 * r + 3] = body === picked && alpha > 0 ? 1 : alpha;
  }
  return colours;
}

function loadRun(k) {
  const run = page.runs[k], state = stateAt(run, page.player.time);
  if (!state) return;
  const drawing = page.drawings[k], picked = page.picked.run === k ? page.picked.body : -1;
  drawing.load(state, coloursOf(run, state, picked));
  const ribbons = (run.ribbonHeap ??= new Heap(ribbonSize)), dots = (run.dotHeap ??= new Heap(dotSize));
  ribbons.count = dots.count = 0;
  const size = run.bodySize ??= medianRadius(run), width = chainWidth(run, size) * 10 ** settings.thickness;
  addRods(ribbons, run, state, 0.001 * (page.camera.extent ?? 1), (i) => opacityOf(run, i) > 0);
  if (settings.chains) addChains(ribbons, run, state, width, heat[dark() ? "dark" : "light"]);
  addWays(ribbons, dots, run, page.player.time, 0.0012 * (page.camera.extent ?? 1), dark() ? [0.55, 0.72, 0.95] : [0.12, 0.37, 0.66]);
  if (settings.velocities) addVelocities(ribbons, run, state, 4 * size * 10 ** settings.thickness, dark() ? [0.98, 0.82, 0.3] : [0.1, 0.25, 0.5]);
  if (settings.contacts) addContacts(dots, run, state, dark() ? [0.18, 0.83, 0.75] : [0.06, 0.46, 0.43], [0.9, 0.25, 0.2]);
  if (settings.cracks) addCracks(ribbons, run, state, size, 0.08 * size * 10 ** settings.thickness, dark() ? [0.35, 0.75, 1] : [0.1, 0.35, 0.8]);
  if (settings.joints) addJoints(ribbons, dots, run, state, 0.06 * size, dark() ? [0.98, 0.6, 0.25] : [0.76, 0.25, 0.05]);
  drawing.loadRibbons(ribbons.numbers, ribbons.count);
  drawing.loadDots(dots.numbers, dots.count);
  if (picked >= 0) showPicked(run, state, picked, () => pick(k, -1));
}

function medianRadius(run) {
  const sizes = run.bodies.radius.filter((r, i) => run.bodies.fixed[i] === 0 && r > 0).sort((a, b) => a - b);
  return sizes.length ? sizes[sizes.length >> 1] : 0.1;
}

// Half the greatest width of a chain: about a quarter of a body, no more than fits into slender ones.
function chainWidth(run, size) {
  const slender = run.slender ??= medianHalfWidth(run), picture = page.camera.extent ?? 1;
  return Math.max(Math.min(0.22 * size, 0.44 * slender), 0.002 * picture);
}

function medianHalfWidth(run) {
  const { shape, radius, fixed } = run.bodies, axes = run.dimension === 2 ? [0, 1] : [0, 1, 2];
  const ofShape = run.shapes.map(({ vertices }) => Math.min(...axes.map((c) => {
    const along = vertices.filter((_, k) => k % 3 === c);
    return 0.5 * (along.reduce((a, b) => Math.max(a, b), -Infinity) - along.reduce((a, b) => Math.min(a, b), Infinity));
  })));
  const all = [...radius.keys()].filter((i) => fixed[i] === 0 && radius[i] > 0).map((i) => (shape[i] >= 0 && ofShape[shape[i]] >= 0 ? ofShape[shape[i]] : radius[i])).sort((a, b) => a - b);
  return all.length ? all[all.length >> 1] : 0.1;
}

function look() {
  const d = dark();
  return {
    walls: settings.walls, shadows: settings.shadows, dotSize: 7, grid: roundStep((page.camera.extent ?? 1) / 12),
    edge: d ? [0.02, 0.03, 0.05, 0.7] : [0.12, 0.14, 0.18, page.camera.plane ? 0.55 : 0.4],
    sheet: d ? [0.13, 0.16, 0.21, 0.85] : [0.86, 0.855, 0.84, 0.9],
    sheetLine: d ? [0.5, 0.56, 0.64, page.camera.plane ? 0.35 : 0.22] : [0.45, 0.47, 0.5, page.camera.plane ? 0.35 : 0.24],
  };
}

function redraw() {
  if (page.dirty) return;
  page.dirty = true;
  requestAnimationFrame(drawNow);
}

function drawNow() {
  page.dirty = false;
  if (!page.ready) return;
  page.runs.forEach((_, k) => loadRun(k));
  page.renderer.draw(page.drawings, page.camera, look());
  page.player.draw();
  for (const plot of page.plots) plot.draw(page.player.time, page.player.start, page.player.end);
  showScale(page.camera, byId("stage").clientHeight);
  const name = settings.field;
  showLegend(fields[name], rangeFor(name), page.runs[0], fields[name].signed ? diverging : sequential);
  showChainLegend(settings.chains, page.runs[0].reference, heat[dark() ? "dark" : "light"]);
  page.drawn = (page.drawn ?? 0) + 1;
}

// ---- the user

function pick(run, body) {
  page.picked = { run, body };
  if (body < 0) byId("picked").hidden = true;
  redraw();
}

// What is at a place of the window.
function bodyAt(x, y) {
  const box = byId("scene").getBoundingClientRect(), part = box.width / page.runs.length;
  const k = Math.min(page.runs.length - 1, Math.max(0, Math.floor((x - box.left) / part)));
  const run = page.runs[k], state = stateAt(run, page.player.time), aspect = part / box.height;
  if (!state) return { run: k, body: -1 };
  const ray = page.camera.ray(2 * (x - box.left - k * part) / part - 1, 1 - 2 * (y - box.top) / box.height, aspect);
  return { run: k, body: pickedBody(page.drawings[k], state, ray, (i) => opacityOf(run, i)) };
}

function setTheme(theme) { document.documentElement.dataset.theme = theme; redraw(); }

function makeControls() {
  const [first] = page.runs, colour = byId("colour");
  for (const [key, field] of Object.entries(fields))
    if (!(field.space && first.dimension === 2)) element("option", field.name, colour).value = key;
  colour.value = settings.field;
  colour.addEventListener("change", () => { settings.field = colour.value; redraw(); });
  const setBodies = choice("bodies", [["solid", "solid"], ["through", "see-through"], ["hidden", "hidden"]], settings.bodies, (v) => { settings.bodies = v; redraw(); });
  choice("walls", [["solid", "solid"], ["through", "see-through"], ["hidden", "hidden"]], settings.walls, (v) => { settings.walls = v; redraw(); });
  const toggles = [["chains", "force chains"], ["contacts", "contact points"], ["velocities", "velocities"]];
  const blocks = (run) => run.bodies.fixed.filter((f, i) => f === 0 && isBlock(run, i)).length;
  if (page.runs.some((run) => blocks(run) > 1 || run.frames[0]?.bonds)) toggles.push(["cracks", "cracks"]);
  if (page.runs.some((run) => run.joints.a)) toggles.push(["joints", "joints"]);
  if (first.dimension === 3) toggles.push(["shadows", "shadows"]);
  for (const [key, name] of toggles) {
    const label = element("label", null, byId("shown")), box = element("input", null, label);
    box.type = "checkbox";
    box.checked = settings[key];
    box.id = `show-${key}`;
    label.append(name);
    box.addEventListener("change", () => {
      settings[key] = box.checked;
      if (key === "chains" && settings.bodies !== "hidden") setBodies(settings.bodies = box.checked ? "through" : "solid");
      redraw();
    });
  }
  byId("thickness").addEventListener("input", (e) => { settings.thickness = Number(e.target.value); redraw(); });
  const turnTo = (azimuth, elevation) => { Object.assign(page.camera, { azimuth, elevation, touched: false }); fitCamera(); redraw(); };
  const views = first.dimension === 3 ? [["home", "home", 0.55, 0.3], ["front", "front", 0, 0], ["side", "side", Math.PI / 2, 0], ["top", "top", 0, 1.55]] : [["home", "whole scene", 0, 0]];
  choice("views", views, "", (key) => { const v = views.find((w) => w[0] === key); turnTo(v[2], v[3]); });
  byId("verdict").addEventListener("click", () => showCertificate(page.runs));
  byId("theme").addEventListener("click", () => setTheme(dark() ? "light" : "dark"));
  byId("settings").addEventListener("click", () => { document.body.classList.toggle("no-panel"); resized(); });
  byId("toggle-plots").addEventListener("click", () => { document.body.classList.toggle("no-plots"); byId("toggle-plots").setAttribute("aria-pressed", String(!document.body.classList.contains("no-plots"))); resized(); });
  if (window.innerWidth <= 760) document.body.classList.add("no-panel");
  window.addEventListener("keydown", (e) => {
    if (e.target.closest?.("select, input, dialog")) return;
    const steps = { ArrowLeft: -1, ArrowRight: 1 };
    if (e.key === " ") { e.preventDefault(); page.player.toggle(); }
    else if (e.key === "Escape") pick(0, -1);
    else if (e.key in steps && first.frames.length) {
      page.player.pause();
      const k = frameBefore(first.frames, page.player.time) + steps[e.key];
      page.player.seek(first.frames[Math.min(first.frames.length - 1, Math.max(0, k))].time);
    }
  });
  if (page.runs.length > 1) page.runs.forEach((run, k) => {
    element("div", run.name, byId("labels")).style.left = `calc(${100 * (k + 0.5) / page.runs.length}% - 3em)`;
  });
}

function resized() { if (!page.camera.touched) fitCamera(); redraw(); }

function chooseSettings() {
  const [run] = page.runs, { fixed, shape } = run.bodies;
  const inPlane = run.dimension === 2;
  settings.field = inPlane ? "material" : run.materials.length > 1 && run.bodies.name.length < 60 ? "material" : "speed";
  settings.chains = inPlane && run.reference > 0;
  settings.bodies = settings.chains ? "through" : "solid";
  const standing = fixed.filter((f, i) => f !== 0 && shape[i] >= 0 && !run.shapes[shape[i]].part_type.includes(partKind.halfSpace)).length;
  settings.walls = !inPlane && standing >= 3 ? "through" : "solid";
}

function growingChanged() {
  const root = byId("plots"), scroll = root.scrollLeft, before = page.plots;
  page.plots = makePlots(page.runs, (t) => { page.player.pause(); page.player.seek(t); });
  for (const plot of page.plots) plot.takeChoices(before.find((p) => p.title === plot.title));
  root.replaceChildren(...page.plots.map((p) => p.root));
  root.scrollLeft = scroll;
  showHeader(page.runs);
  showAbout(page.runs);
  showNotes(page.runs);
}

async function start() {
  document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const count = document.querySelectorAll("script.run").length;
  for (let k = 0; k < count; ++k) page.runs.push(await readRun(k));
  const [first] = page.runs;
  if (page.runs.some((run) => run.dimension !== first.dimension)) throw new Error("The runs are of different dimensions.");
  page.camera = new Camera(first.dimension, first.gravity);
  page.player = new Player(redraw);
  page.renderer = new Renderer(byId("scene"));
  page.drawings = page.runs.map((run) => new Drawing(page.renderer.gl, run, page.renderer.square));
  followPointer(byId("scene"), page.camera, redraw, (x, y) => { const hit = bodyAt(x, y); pick(hit.run, hit.body); });
  new ResizeObserver(resized).observe(byId("stage"));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (e) => setTheme(e.matches ? "dark" : "light"));
  byId("scene").addEventListener("webglcontextlost", () => fail(new Error("The graphics processor was lost; load the page again.")));
  page.dirty = false;
  const chunks = [...document.querySelectorAll("script.chunk")], bar = byId("loading").firstElementChild;
  for (let k = 0; k < chunks.length; ++k) {
    const run = page.runs[Number(chunks[k].dataset.run)];
    takeFrames(run, await framesOf(run, JSON.parse(chunks[k].textContent)));
    chunks[k].remove();
    bar.style.width = `${100 * (k + 1) / chunks.length}%`;
    if (!page.ready && page.runs.every((r) => r.frames.length)) { page.ready = true; framesChanged(); }
  }
  for (const run of page.runs) run.frames.sort((a, b) => a.step - b.step);
  if (first.live) await loadLive();
  framesChanged();
  chooseSettings();
  makeControls();
  growingChanged();
  page.ready = true;
  redraw();
  byId("loading").hidden = true;
  page.loaded = true;
  document.documentElement.dataset.loaded = "yes";
  page.follower?.follow();
}

// All frames that are there; of a run that has just begun, the first.
async function loadLive() {
  let ready = false;
  page.follower = new Follower(page.runs, (grown) => { if (ready) { framesChanged(); if (grown) growingChanged(); } });
  page.follower.show();
  while (!await page.follower.catchUp() || !page.runs.every((run) => run.frames.length)) {
    page.follower.show();
    await new Promise((done) => setTimeout(done, 500));
  }
  ready = true;
  if (page.runs.some((run) => !run.growing.complete)) page.player.time = Infinity;  // where the run is now
  byId("live").addEventListener("click", () => { page.player.pause(); page.player.seek(page.player.end); });
}

// For scripts and the console.
window.talus = { page, settings, fields, bodyAt, pick, cracks: (run) => cracksOf(run, stateAt(run, page.player.time), medianRadius(run)), redraw: () => { page.dirty = false; drawNow(); }, setTheme, rowOf, stateAt, showCertificate: () => showCertificate(page.runs) };

start().catch(fail);
