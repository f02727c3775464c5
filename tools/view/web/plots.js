// Series over time: one card for each group of columns, with a line at the time that is shown.

const lineColours = {
  light: ["#0f766e", "#c2410c", "#4f46e5", "#a16207", "#be185d", "#0369a1", "#4d7c0f", "#6b7280"],
  dark: ["#2dd4bf", "#fb923c", "#a5b4fc", "#facc15", "#f472b6", "#38bdf8", "#a3e635", "#9ca3af"],
};

const seriesGroups = [
  { name: "Energy", columns: ["kinetic", "potential", "total_energy"] },
  { name: "Work since the start", columns: ["contact_work_sum", "friction_work_sum", "normal_work_sum", "external_work_sum", "driven_work_sum", "spring_work_sum", "joint_work_sum", "correction_work_sum"] },
  { name: "Contact error", columns: ["residual", "worst_residual"], logarithmic: true, limit: (run) => ({ value: run.tolerance, name: "tolerance" }) },
  { name: "Penetration", columns: ["max_penetration", "mean_penetration"] },
  { name: "Iterations", columns: ["iterations"] },
  { name: "Contacts", columns: ["contacts", "sticking", "sliding", "separating"] },
  { name: "Speed", columns: ["max_speed"] },
  { name: "Energy defect", columns: ["defect"] },
  { name: "Joints", columns: ["joint_drift"] },
  { name: "Bodies", columns: ["bodies", "waiting"], varies: true },
];

function indexAt(times, t) {
  let low = 0, high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle; else high = middle - 1;
  }
  return low;
}

// 1, 2 or 5 times a power of ten.
function roundStep(rough) {
  const power = 10 ** Math.floor(Math.log10(rough)), part = rough / power;
  return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

const words = (name) => name.replace(/_sum$/, "").replaceAll("_", " ");

class Plot {
  // curves: {name, unit, run (number), times, values, shown}
  constructor(title, curves, options, seek) {
    Object.assign(this, { title, curves, options, seek, hover: null });
    this.root = document.createElement("div");
    this.root.className = "plot";
    this.head = this.root.appendChild(document.createElement("h3"));
    this.canvas = this.root.appendChild(document.createElement("canvas"));
    const unit = curves[0].unit && curves[0].unit !== "1" ? ` [${curves[0].unit}]` : "";
    this.head.appendChild(document.createElement("b")).textContent = title + unit;
    this.names = [...new Set(curves.map((c) => c.name))];
    this.buttons = this.names.map((name) => {
      const button = this.head.appendChild(document.createElement("button"));
      button.append(document.createElement("i"), document.createTextNode(words(name)), document.createElement("span"));
      button.addEventListener("click", () => {
        for (const c of curves) if (c.name === name) c.shown = !c.shown;
        this.draw();
      });
      return button;
    });
    const timeAt = (e) => {
      const box = this.canvas.getBoundingClientRect();
      return this.start + (this.end - this.start) * Math.min(1, Math.max(0, (e.clientX - box.left - this.left) / (box.width - this.left - this.right)));
    };
    this.canvas.addEventListener("pointermove", (e) => {
      this.hover = timeAt(e);
      if (e.buttons & 1) seek(this.hover); else this.draw();
    });
    this.canvas.addEventListener("pointerdown", (e) => seek(timeAt(e)));
    this.canvas.addEventListener("pointerleave", () => { this.hover = null; this.draw(); });
    this.left = 46; this.right = 6; this.top = 6; this.bottom = 16;
  }

  // Curves that the user has hidden stay hidden in the plot of a run that has grown.
  takeChoices(before) {
    for (const curve of this.curves)
      curve.shown = before?.curves.find((c) => c.name === curve.name && c.run === curve.run)?.shown ?? curve.shown;
  }

  valueAt(name, t, run = 0) {
    const c = this.curves.find((curve) => curve.name === name && curve.run === run);
    return c && c.times.length ? c.values[indexAt(c.times, t)] : NaN;
  }

  range() {
    let low = Infinity, high = -Infinity;
    const { logarithmic, limit } = this.options;
    for (const c of this.curves) {
      if (!c.shown) continue;
      for (const v of c.values) {
        if (!Number.isFinite(v) || (logarithmic && v <= 0)) continue;
        if (v < low) low = v;
        if (v > high) high = v;
      }
    }
    if (limit) { low = Math.min(low, limit.value); high = Math.max(high, limit.value); }
    if (!(low <= high)) [low, high] = [logarithmic ? 0.1 : 0, 1];
    if (logarithmic) return [Math.log10(Math.max(low, high * 1e-9)) - 0.1, Math.log10(high) + 0.15];
    if (low > 0 && low < 0.6 * high) low = 0;
    if (high < 0 && high > 0.6 * low) high = 0;
    const margin = 0.06 * (high - low) || 0.5 * Math.abs(high) || 1;
    return [low === 0 ? 0 : low - margin, high === 0 ? 0 : high + margin];
  }

  draw(time = this.time, start = this.start, end = this.end) {
    Object.assign(this, { time, start, end });
    const { canvas, left, right, top, bottom } = this, style = getComputedStyle(document.documentElement);
    const scale = window.devicePixelRatio || 1, w = canvas.clientWidth, h = canvas.clientHeight;
    if (!w || !h) return;
    canvas.width = Math.round(w * scale); canvas.height = Math.round(h * scale);
    const paper = canvas.getContext("2d");
    paper.scale(scale, scale);
    paper.font = `10.5px ${style.getPropertyValue("--sans")}`;
    const ink = style.getPropertyValue("--soft"), grid = style.getPropertyValue("--line");
    const colours = lineColours[document.documentElement.dataset.theme === "dark" ? "dark" : "light"];
    const [low, high] = this.range(), { logarithmic, limit } = this.options;
    const x = (t) => left + (t - start) / (end - start || 1) * (w - left - right);
    const y = (v) => h - bottom - ((logarithmic ? Math.log10(v) : v) - low) / (high - low) * (h - top - bottom);
    paper.fillStyle = ink; paper.strokeStyle = grid; paper.lineWidth = 1;
    paper.textAlign = "right"; paper.textBaseline = "middle";
    const step = logarithmic ? Math.max(1, Math.ceil((high - low) / 4)) : roundStep((high - low) / 3.5);
    for (let v = Math.ceil(low / step) * step; v <= high; v += step) {
      const value = logarithmic ? 10 ** v : Math.abs(v) < 1e-9 * step ? 0 : v, py = Math.round(y(value)) + 0.5;
      paper.beginPath(); paper.moveTo(left, py); paper.lineTo(w - right, py); paper.stroke();
      paper.fillText(shortNumber(value), left - 5, py);
    }
    paper.textAlign = "center"; paper.textBaseline = "alphabetic";
    const stride = roundStep((end - start || 1) / Math.max(2, w / 90));
    for (let t = Math.ceil(start / stride) * stride; t <= end + 1e-9 * stride; t += stride)
      paper.fillText(shortNumber(Math.abs(t) < 1e-9 * stride ? 0 : t), Math.min(w - 14, x(t)), h - 3);
    paper.save();
    paper.beginPath(); paper.rect(left, top - 2, w - left - right, h - top - bottom + 4); paper.clip();
    if (limit) {
      paper.strokeStyle = style.getPropertyValue("--bad"); paper.setLineDash([4, 3]);
      paper.beginPath(); paper.moveTo(left, y(limit.value)); paper.lineTo(w, y(limit.value)); paper.stroke();
      paper.setLineDash([]);
    }
    paper.lineJoin = "round"; paper.lineWidth = 1.4;
    for (const c of this.curves) {
      if (!c.shown) continue;
      paper.strokeStyle = colours[this.names.indexOf(c.name) % colours.length];
      paper.setLineDash(c.run ? [5, 3] : []);
      paper.beginPath();
      let open = false;
      for (let i = 0; i < c.times.length; ++i) {
        const v = c.values[i];
        if (!Number.isFinite(v) || (logarithmic && v <= 0)) { open = false; continue; }
        if (open) paper.lineTo(x(c.times[i]), y(v)); else paper.moveTo(x(c.times[i]), y(v));
        open = true;
      }
      paper.stroke();
    }
    paper.setLineDash([]);
    paper.restore();
    const at = this.hover ?? time;
    paper.strokeStyle = style.getPropertyValue("--accent");
    paper.beginPath(); paper.moveTo(x(time), top - 4); paper.lineTo(x(time), h - bottom); paper.stroke();
    if (this.hover !== null) { paper.strokeStyle = ink; paper.beginPath(); paper.moveTo(x(at), top); paper.lineTo(x(at), h - bottom); paper.stroke(); }
    this.names.forEach((name, k) => {
      const button = this.buttons[k], curves = this.curves.filter((c) => c.name === name);
      button.setAttribute("aria-pressed", String(curves.some((c) => c.shown)));
      button.children[0].style.background = colours[k % colours.length];
      button.children[1].textContent = " " + curves.map((c) => shortNumber(this.valueAt(name, at, c.run))).join(" / ");
    });
  }
}

function makePlots(runs, seek) {
  const plots = [], all = runs.map((run) => new Map(run.growing.series.columns.map((c) => [c.name, c])));
  const curves = (names, of, hidden) => names.flatMap((name) => runs.flatMap((run, k) => {
    const columns = of(k), column = columns?.get(name);
    return column ? [{ name, unit: column.unit, run: k, times: columns.get("time").numbers, values: column.numbers, shown: !hidden.includes(name) }] : [];
  }));
  for (const group of seriesGroups) {
    if (group.varies && !runs.some((run) => run.varies)) continue;
    const found = curves(group.columns, (k) => all[k].has("time") ? all[k] : null, []);
    if (found.length) plots.push(new Plot(group.name, found, { ...group, limit: group.limit?.(runs[0]) }, seek));
  }
  const measures = new Map();
  runs.forEach((run, k) => { for (const m of run.growing.measures) measures.set(m.name, { ...measures.get(m.name), [k]: new Map(m.columns.map((c) => [c.name, c])) }); });
  for (const [name, perRun] of measures) {
    const columns = [...new Set(Object.values(perRun).flatMap((m) => [...m.keys()]))].filter((c) => c !== "time");
    const found = curves(columns, (k) => perRun[k], columns.slice(1));
    if (found.length) plots.push(new Plot(name, found, { measure: true }, seek));
  }
  return plots;
}
