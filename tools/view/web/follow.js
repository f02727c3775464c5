// A page of `talus view --serve` asks where it came from for what is new, again and again.

class Follower {
  // changed(run, growing): frames or series have come.
  constructor(runs, changed) {
    Object.assign(this, { runs, changed, problem: "" });
    for (const run of runs) Object.assign(run.live, { step: -1, more: true });
    this.badge = byId("live");
    this.badge.hidden = false;
  }

  // Takes the frames that are there by now. Returns whether the server has answered.
  async catchUp() {
    try {
      for (const [k, run] of this.runs.entries())
        do await this.ask(k, run); while (run.live.more);
      return true;
    } catch (error) {
      this.problem = "no connection";
      return false;
    }
  }

  async ask(k, run) {
    const { identity, version, step, every, share } = run.live;
    const answer = await fetch(`news?${new URLSearchParams({ run: k, identity, version, step, every, share })}`, { cache: "no-store" });
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const news = await answer.json();
    if (news.identity !== identity) {  // another run has taken its place
      location.reload();
      await new Promise(() => {});
    }
    this.problem = news.problem;
    const frames = (await Promise.all(news.chunks.map((chunk) => framesOf(run, chunk)))).flat();
    takeFrames(run, frames);
    if (news.growing) await readGrowing(run, news.growing);
    if (frames.length) run.live.step = frames[frames.length - 1].step;
    Object.assign(run.live, { version: news.version, more: news.more });
    if (frames.length || news.growing) this.changed(Boolean(news.growing));
  }

  async follow() {
    for (;;) {
      const answered = await this.catchUp();
      this.show();
      await new Promise((done) => setTimeout(done, !answered ? 3000 : this.runs.every((run) => run.growing.complete) ? 3000 : 700));
    }
  }

  show() {
    const { badge, problem } = this, complete = this.runs.every((run) => run.growing.complete);
    badge.className = problem ? "lost" : complete ? "" : "running";
    badge.textContent = problem || (complete ? "complete" : "following");
  }
}
