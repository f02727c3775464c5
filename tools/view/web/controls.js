// The page around the picture. Text from the run is set as text, never as markup.

const byId = (id) => document.getElementById(id);

function element(kind, text, parent, className) {
  const e = document.createElement(kind);
  if (text !== undefined && text !== null) e.textContent = text;
  if (className) e.className = className;
  parent?.appendChild(e);
  return e;
}

// Buttons of which one is pressed.
function choice(id, options, value, changed) {
  const root = byId(id);
  root.replaceChildren();
  const set = (chosen) => { for (const b of root.children) b.setAttribute("aria-pressed", String(b.dataset.value === chosen)); };
  for (const [key, name] of options) {
    const button = element("button", name, root);
    button.dataset.value = key;
    button.addEventListener("click", () => { set(key); changed(key); });
  }
  set(value);
  return set;
}

function showHeader(runs) {
  const names = byId("names");
  names.replaceChildren();
  for (const run of runs) {
    const line = element("div", null, names);
    element("b", run.name, line);
    element("span", run.title, line);
    line.title = run.title ? `${run.name}: ${run.title}` : run.name;
  }
  const verdict = byId("verdict"), all = runs.map((run) => run.growing.certificate);
  verdict.hidden = false;
  verdict.className = all.every((c) => c.passed === true) ? "good" : all.some((c) => c.passed === false) ? "bad" : "open";
  verdict.textContent = all.map((c) => (c.passed === true ? "certified" : c.passed === false ? "not certified" : "not complete")).join(" / ");
}

function showCertificate(runs) {
  const dialog = byId("certificate"), lines = byId("certificate-lines");
  dialog.querySelector("h2").textContent = "The certificate, as talus check gives it";
  lines.replaceChildren();
  for (const run of runs) {
    const { verdict, lines: criteria } = run.growing.certificate, { steps, missed_steps } = run.growing;
    element("h4", `${run.name}: ${verdict}`, lines);
    element("div", `${steps} steps, ${missed_steps} missed the tolerance of ${run.tolerance}`, lines);
    for (const text of criteria) {
      const [, result, rest] = /^\s*(\S+)\s+([^]*)$/.exec(text) ?? [null, "", text];
      const line = element("div", null, lines, ["pass", "FAIL", "skip"].includes(result) ? result : "");
      element("b", result, line);
      element("span", rest.replace(/\s+/, ": "), line);
    }
  }
  dialog.showModal();
}

function showAbout(runs) {
  const about = byId("about");
  about.replaceChildren();
  for (const run of runs) {
    const { bodies, growing } = run;
    element("b", run.name, about);
    element("span", `${bodies.name.length} bodies, ${run.frames.length} of ${growing.frames} frames, ${growing.steps} steps of ${shortNumber(run.h)} s`, about);
    element("span", `${run.command} · talus ${run.version} · ${run.created}`, about);
  }
}

function showNotes(runs) {
  const notes = byId("notes");
  notes.replaceChildren();
  for (const run of runs)
    for (const note of run.notes) element("li", runs.length > 1 ? `${run.name}: ${note}` : note, notes);
}

function showLegend(field, range, run, map) {
  const legend = byId("legend"), ends = byId("legend-ends");
  const list = field.list?.(run);
  legend.hidden = field === fields.body;
  legend.classList.toggle("list", Boolean(list));
  byId("legend-name").textContent = field.name + (field.unit ? ` [${field.unit}]` : "");
  ends.replaceChildren();
  if (list) {
    list.slice(0, 8).forEach((name, k) => {
      const line = element("span", null, ends);
      element("i", null, line).style.background = toHex(categories[k % categories.length]);
      line.append(name);
    });
    if (list.length > 8) element("span", `and ${list.length - 8} more`, ends);
  } else {
    byId("legend-bar").style.background = gradient(map);
    element("span", shortNumber(range[0]), ends);
    element("span", shortNumber(range[1]), ends);
  }
}

function showChainLegend(shown, reference, map) {
  const legend = byId("chain-legend");
  legend.hidden = !shown || !reference;
  if (legend.hidden) return;
  const svg = legend.querySelector("svg");
  svg.replaceChildren();
  for (let k = 0; k < 24; ++k) {
    const bar = document.createElementNS("http://www.w3.org/2000/svg", "rect"), s = (k + 0.5) / 24;
    for (const [name, value] of Object.entries({ x: 5 * k, y: 6 - 6 * s, width: 5.3, height: 12 * s, fill: toHex(mapped(map, Math.sqrt(s))) })) bar.setAttribute(name, value);
    svg.appendChild(bar);
  }
  legend.querySelector(".ends").children[1].textContent = `${shortNumber(reference)} N`;
}

function showPicked(run, state, body, closed) {
  const card = byId("picked"), r = body < 0 ? -1 : rowOf(state, body);
  card.hidden = r < 0;
  if (card.hidden) return;
  card.querySelector("button").onclick = closed;
  card.querySelector("h2").textContent = run.bodies.name[body];
  const list = card.querySelector("dl");
  list.replaceChildren();
  const line = (name, value) => { element("dt", name, list); element("dd", value, list); };
  const vector = (v, unit) => `${v.slice(0, run.dimension).map((x) => shortNumber(x)).join(", ")} ${unit}`;
  line("body", `${body}, ${["free", "fixed", "driven"][run.bodies.fixed[body]]}`);
  line("material", run.materials[run.bodies.material[body]]);
  if (run.bodies.mass[body] > 0) line("mass", `${shortNumber(run.bodies.mass[body], 4)} kg`);
  line("position", vector(at3(state.position, r), "m"));
  const v = at3(state.velocity, r);
  line("velocity", vector(v, "m/s"));
  line("speed", `${shortNumber(norm(v))} m/s`);
  line("spin", `${shortNumber(state.spin[r])} rad/s`);
  let total = [0, 0, 0];
  const c = state.contacts, forces = [];
  for (let i = 0; i < c.count; ++i) {
    if (c.a[i] !== body && c.b[i] !== body) continue;
    const force = scaled(at3(c.direction, i), (c.b[i] === body ? 1 : -1) * c.force[i]);
    total = add(total, force);
    forces.push([c.force[i], c.a[i] === body ? c.b[i] : c.a[i], c.status[i]]);
  }
  line("contacts", forces.length);
  if (!forces.length) return;
  line("contact force", vector(total, "N"));
  forces.sort((p, q) => q[0] - p[0]);
  for (const [force, other, status] of forces.slice(0, 8)) line(run.bodies.name[other], `${shortNumber(force)} N${status === 2 ? ", slides" : ""}`);
  if (forces.length > 8) line("others", forces.length - 8);
}

// A bar of round length in the plane.
function showScale(camera, height) {
  const scale = byId("scale");
  scale.hidden = !camera.plane;
  if (!camera.plane) return;
  const length = roundStep(70 * camera.pixel(height));
  scale.firstElementChild.style.width = `${length / camera.pixel(height)}px`;
  scale.lastElementChild.textContent = `${shortNumber(length)} m`;
}
