// Time: play, speed, loop, and the time bar with a red mark where a step missed its tolerance.

class Player {
  constructor(changed) {
    Object.assign(this, { time: -Infinity, start: 0, end: 0, speed: 1, playing: false, loop: true, changed, missed: [] });
    this.bar = byId("timeline");
    const seek = (e) => {
      const box = this.bar.getBoundingClientRect();
      this.seek(this.start + (this.end - this.start) * Math.min(1, Math.max(0, (e.clientX - box.left - 6) / (box.width - 12))));
    };
    this.bar.addEventListener("pointerdown", (e) => { this.bar.setPointerCapture(e.pointerId); this.pause(); seek(e); });
    this.bar.addEventListener("pointermove", (e) => { if (e.buttons) seek(e); });
    byId("play").addEventListener("click", () => this.toggle());
    byId("loop").addEventListener("click", () => { this.loop = !this.loop; byId("loop").setAttribute("aria-pressed", String(this.loop)); });
    byId("speed").addEventListener("change", (e) => { this.speed = Number(e.target.value); this.chosen = true; });
  }

  span(start, end, missed) {
    const stays = !this.playing && this.time >= this.end;  // who stands at the end moves with it
    Object.assign(this, { start, end, missed });
    this.time = stays ? end : Math.min(Math.max(this.time, start), end);
    if (this.chosen || !(end > start)) return;
    // As fast as the run if that takes 3 to 30 s; otherwise so that it takes about ten.
    const length = end - start, speed = length >= 3 && length <= 30 ? 1 : roundStep(length / 10);
    if (speed !== this.speed || !byId("speed").children.length) {
      this.speed = speed;
      const choices = new Set([this.speed, 1]);
      for (const f of [0.1, 0.2, 0.5, 2, 5, 10]) choices.add(Number((this.speed * f).toPrecision(1)));
      const select = byId("speed");
      select.replaceChildren();
      for (const s of [...choices].sort((a, b) => a - b)) element("option", `× ${shortNumber(s)}`, select).value = s;
      select.value = this.speed;
    }
  }

  toggle() { if (this.playing) this.pause(); else this.play(); }
  play() {
    if (this.end <= this.start) return;
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    this.last = performance.now();
    this.button();
    const step = (now) => {
      if (!this.playing) return;
      this.advance(Math.min(0.25, (now - this.last) / 1000));
      this.last = now;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }
  pause() { this.playing = false; this.button(); }
  button() { byId("play").textContent = this.playing ? "❚❚" : "▶"; byId("play").setAttribute("aria-label", this.playing ? "Pause" : "Play"); }

  advance(seconds) {
    this.time += seconds * this.speed;
    if (this.time > this.end) {
      if (this.loop) this.time = this.start + (this.time - this.end) % (this.end - this.start);
      else { this.time = this.end; this.pause(); }
    }
    this.changed();
  }
  seek(time) { this.time = Math.min(this.end, Math.max(this.start, time)); this.changed(); }

  draw() {
    const { bar } = this, scale = window.devicePixelRatio || 1, w = bar.clientWidth, h = bar.clientHeight;
    if (bar.width !== Math.round(w * scale)) { bar.width = Math.round(w * scale); bar.height = Math.round(h * scale); }
    const paper = bar.getContext("2d"), style = getComputedStyle(document.documentElement);
    const x = (t) => 6 + (w - 12) * (t - this.start) / (this.end - this.start || 1);
    paper.setTransform(scale, 0, 0, scale, 0, 0);
    paper.clearRect(0, 0, w, h);
    const strip = (a, b, colour) => { paper.fillStyle = colour; paper.beginPath(); paper.roundRect(a, h / 2 - 3, Math.max(0, b - a), 6, 3); paper.fill(); };
    strip(3, w - 3, style.getPropertyValue("--paper-2"));
    strip(3, x(this.time), style.getPropertyValue("--accent"));
    paper.fillStyle = style.getPropertyValue("--bad");
    for (const t of this.missed) paper.fillRect(x(t) - 1, h / 2 - 9, 2, 18);
    paper.fillStyle = style.getPropertyValue("--ink");
    paper.beginPath(); paper.arc(x(this.time), h / 2, 7, 0, 7); paper.fill();
    byId("time").textContent = `${this.time.toPrecision(4)} s`;
  }
}
