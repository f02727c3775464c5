# SPDX-License-Identifier: Apache-2.0
"""Columns that collapse, in the plane at a wall and in space all around: how far they run, how high they stay."""
import os

import numpy as np

import plot
import study
from beverloo import verdict

GRAVITY = 9.81
TOUCH = 0.05  # of the mean diameter: grains closer than this are neighbours
QUICK = """set = ["time.end=1.2"]

[[axis]]
name   = "seed"
key    = "packing.0.seed"
values = [1]

[[axis]]
name   = "grains"
key    = "packing.0.count"
values = [208, 417, 833, 1166]
"""
QUICK_SPACE = """set = ["time.end=0.6", "packing.0.region.cylinder=[0.06, 0.2]"]

[[axis]]
name   = "seed"
key    = "packing.0.seed"
values = [1]

[[axis]]
name   = "grains"
key    = "packing.0.count"
values = [375, 750]
"""
FLOOR = 0.005  # m: the tops of the bumps in the plane; in space they are at 0


def heap(x, radius, reach):
    """Which grains belong to the largest set of neighbours; cells of a grid find them."""
    size = 2 * radius.max() + reach
    cells = {}
    for i, key in enumerate(map(tuple, np.floor(x / size).astype(int))):
        cells.setdefault(key, []).append(i)
    root = np.arange(len(x))

    def find(i):
        while root[i] != i:
            root[i] = root[root[i]]
            i = root[i]
        return i

    offsets = np.array(np.meshgrid(*[[-1, 0, 1]] * x.shape[1])).reshape(x.shape[1], -1).T
    for key, here in cells.items():
        for offset in offsets:
            there = cells.get(tuple(np.array(key) + offset), [])
            if not there:
                continue
            apart = np.linalg.norm(x[here][:, None] - x[there][None], axis=2)
            near = apart < radius[here][:, None] + radius[there][None] + reach
            for i, j in zip(*np.nonzero(near)):
                root[find(here[i])] = find(there[j])
    label = np.array([find(i) for i in range(len(x))])
    return label == np.bincount(label).argmax()


class Collapse:
    """One run: column at the start, heap at the end."""

    def __init__(self, case, floor):
        self.case, self.seed = case, int(case.value("seed"))
        frames = study.Frames(case.path)
        self.dimension, radius = frames.dimension, frames.radius
        self.grains, self.d = len(radius), 2 * radius.mean()
        start, end = (frames.position[k][:, :self.dimension] for k in (0, -1))
        self.width = round(np.max(self.away(start) + radius), 5)  # deposited against the walls of its region
        self.height = self.surface(start, radius) - floor
        self.aspect = self.height / self.width
        self.inside = heap(end, radius, TOUCH * self.d)
        self.front = np.max((self.away(end) + radius)[self.inside])
        self.top = np.max((end[:, -1] + radius)[self.inside]) - floor
        self.strays = self.grains - int(self.inside.sum())
        self.run_out, self.stays = (self.front - self.width) / self.width, self.top / self.width
        # The motion ends when 99 % of the heap's way out is behind the 99th percentile of the grains.
        way = np.array([np.quantile(self.away(x[:, :self.dimension]), 0.99) for x in frames.position])
        ended = np.flatnonzero(way - way[0] < 0.99 * (way[-1] - way[0]))[-1] + 1
        self.duration = frames.time[ended] / np.sqrt(self.height / GRAVITY)
        self.speed = np.max(np.linalg.norm(frames.position[-1] - frames.position[-2], axis=1)[self.inside]) / (frames.time[-1] - frames.time[-2])

    def away(self, x):
        return x[:, 0] if self.dimension == 2 else np.hypot(x[:, 0], x[:, 1])

    def surface(self, x, radius):
        """Mean height of the highest grains, one of each strip (in space, of each square) 1.5 d wide."""
        tops = {}
        for cell, top in zip(map(tuple, np.floor(x[:, :-1] / (1.5 * self.d)).astype(int)), x[:, -1] + radius):
            tops[cell] = max(tops.get(cell, top), top)
        return np.mean(list(tops.values()))


def table(runs, laws):
    lines = ["| a | grains | d₀/d | run-out, each seed | " + " | ".join(name for name, _ in laws) +
             " | height left, each seed | stray grains | duration [√(h₀/g)] |",
             "|---" * (7 + len(laws)) + "|"]
    for count, width in sorted({(r.grains, r.width) for r in runs}, key=lambda column: column[0] / column[1]**runs[0].dimension):
        these = [r for r in runs if (r.grains, r.width) == (count, width)]
        a = np.mean([r.aspect for r in these])
        lines.append(f"| {a:.2f} | {count} | {width / these[0].d:.0f} | {', '.join(f'{r.run_out:.2f}' for r in these)} | "
                     + " | ".join(f"{law(a):.2f}" for _, law in laws)
                     + f" | {', '.join(f'{r.stays:.2f}' for r in these)} | {', '.join(str(r.strays) for r in these)} | "
                     f"{np.mean([r.duration for r in these]):.1f} |")
    return lines


def write_csv(path, runs):
    with open(path, "w") as file:
        file.write("grains,seed,d,width,height,aspect,front,top,run_out,height_left,strays,duration,fastest_at_end,steps,unconverged,"
                   "max_error,max_penetration,certified,cpu_s\n")
        for r in runs:
            c = r.case.certificate
            file.write(f"{r.grains},{r.seed},{r.d:.5g},{r.width:.5g},{r.height:.5g},{r.aspect:.4f},{r.front:.5g},{r.top:.5g},{r.run_out:.4f},"
                       f"{r.stays:.4f},{r.strays},{r.duration:.2f},{r.speed:.1e},{c['steps']},{c['unconverged_steps']},{c['max_error']:.3g},"
                       f"{c['max_penetration']:.3g},{int(c['passed'])},{r.case.cpu:.1f}\n")


def lube(a):
    return 1.2 * a if a < 2.3 else 1.9 * a**(2 / 3)


def staron(a):
    return 2.5 * a if a < 2 else 3.25 * a**0.7


def judged(runs):
    """Exponents and prefactors of columns in the plane against both laws."""
    a, out, top = (np.array([getattr(r, name) for r in runs]) for name in ("aspect", "run_out", "stays"))
    low, high, tall = a < 2.3, a > 2.3, a > 1.15
    lines = ["| | measured | published | asked | |", "|---|---|---|---|---|"]
    for name, part, y, law, published in (("run-out, a < 2.3", low, out, 1, "1; 1"), ("run-out, a > 2.3", high, out, 2 / 3, "2/3; 0.7"),
                                          ("height left, a > 1.15", tall, top, 0.4, "0.4; 0.35")):
        if part.sum() > 2:
            n, _, error = study.power_law(a[part], y[part])
            lines.append(f"| exponent of the {name} | {n:.2f} ± {error:.2f} | {published} | ± 0.12 of the first | {verdict(abs(n - law) <= 0.12)} |")
    for name, part, y, law, published in (("run-out, a < 2.3 (exponent 1)", low, out, 1, "1.2; 2.5"),
                                          ("run-out, a > 2.3 (exponent 2/3)", high, out, 2 / 3, "1.9; 3.25 (0.7)"),
                                          ("height left, a > 1.15 (exponent 0.4)", tall, top, 0.4, "1; 0.65 (0.35)")):
        if part.any():
            lines.append(f"| prefactor of the {name} | {np.exp(np.mean(np.log(y[part] / a[part]**law))):.2f} | {published} | no gate | |")
    return lines


def at_rest(runs):
    return (f"The fastest grain of any heap moves at {max(r.speed for r in runs):.0e} m/s in the mean over the last two frames. "
            + study.certified([r.case for r in runs]))


def collapse(program, scenes, work, workers, quick, output):
    """In the plane, released on one side of a wall: columns of as many grains each, and of one width each."""
    def cases(name):
        source = os.path.join(scenes, "studies", f"{name}.toml")
        if quick:
            source = study.smaller(source, work, "collapse_plane.toml", QUICK)
        return [Collapse(c, FLOOR) for c in study.run(program, source, os.path.join(work, name), workers)]

    runs = {"collapse": cases("collapse")}
    titles = {"collapse": "Every column 20 disks wide"}
    if not quick:
        # The tallest of the columns of one width have as many disks as all of this study.
        runs["collapse_equal"] = cases("collapse_equal")
        runs["collapse_equal"] += [r for r in runs["collapse"] if r.grains == runs["collapse_equal"][0].grains]
        titles["collapse_equal"] = f"{runs['collapse_equal'][0].grains} disks in every column"
    lines = []
    for name, these in runs.items():
        lines += [f"### {titles[name]}", "", *table(these, [("Lube et al.", lube), ("Staron and Hinch", staron)]), "", *judged(these), "",
                  at_rest(these), ""]
        write_csv(os.path.join(output, f"{name}.csv"), these)

    spread = plot.Plot("Run-out", "a = h₀/d₀", "(d∞ − d₀)/d₀", (0.4, 10), (0.3, 20), (0.5, 1, 2, 4, 8), (0.5, 1, 2, 5, 10, 20))
    height = plot.Plot("Height left", "a = h₀/d₀", "h∞/d₀", (0.4, 10), (0.3, 4), (0.5, 1, 2, 4, 8), (0.5, 1, 2, 4))
    for colour, (name, these) in zip((0, 3), runs.items()):
        a = [r.aspect for r in these]
        spread.points(a, [r.run_out for r in these], colour, titles[name])
        height.points(a, [r.stays for r in these], colour, titles[name])
    for name, law, colour, knee in (("Lube et al. 2005", lube, 1, 2.3), ("Staron and Hinch 2005", staron, 2, 2.0)):
        spread.line(law, 0.45, knee - 1e-9, colour, name)
        spread.line(law, knee, 9.5, colour, "")
    height.line(lambda a: a, 0.45, 1.15, 1, "Lube et al. 2005: a, a^0.4")
    height.line(lambda a: a**0.4, 1.15, 9.5, 1, "")
    height.line(lambda a: 0.65 * a**0.35, 1, 9.5, 2, "Staron and Hinch 2005: 0.65 a^0.35")
    plot.write(os.path.join(output, "collapse.svg"), [spread, height])
    return lines


def lube_round(a):
    return 1.24 * a if a < 1.7 else 1.6 * a**0.5


def collapse3d(program, scenes, work, workers, quick, output):
    """In space, released all around."""
    source = os.path.join(scenes, "studies", "collapse3d.toml")
    if quick:
        source = study.smaller(source, work, "collapse_space.toml", QUICK_SPACE)
    runs = [Collapse(c, 0.0) for c in study.run(program, source, os.path.join(work, "collapse3d"), workers)]
    lines = table(runs, [("Lube et al. 2004", lube_round)]) + ["", "| | measured | published | asked | |", "|---|---|---|---|---|"]
    for r in runs:
        law = lube_round(r.aspect)
        lines.append(f"| run-out at a = {r.aspect:.2f} | {r.run_out:.2f} ({100 * (r.run_out / law - 1):+.0f} %) | {law:.2f} | ± 20 % | "
                     f"{verdict(abs(r.run_out / law - 1) <= 0.2)} |")
        if r.aspect > 1.7:
            law = 0.88 * r.aspect**(1 / 6)
            lines.append(f"| height left at a = {r.aspect:.2f} | {r.stays:.2f} ({100 * (r.stays / law - 1):+.0f} %) | {law:.2f} | ± 20 % | "
                         f"{verdict(abs(r.stays / law - 1) <= 0.2)} |")
    lines += ["", at_rest(runs)]
    write_csv(os.path.join(output, "collapse3d.csv"), runs)
    spread = plot.Plot("Run-out", "a = h₀/r₀", "(r∞ − r₀)/r₀", (0.4, 3), (0.3, 4), (0.5, 1, 2, 3), (0.5, 1, 2, 4))
    spread.points([r.aspect for r in runs], [r.run_out for r in runs], 0, "measured")
    spread.line(lube_round, 0.42, 1.7 - 1e-9, 1, "Lube et al. 2004: 1.24 a, 1.6 a^½")
    spread.line(lube_round, 1.7, 2.9, 1, "")
    for share in (0.8, 1.2):
        spread.line(lambda x: share * lube_round(x), 0.42, 2.9, 4, "± 20 %" if share > 1 else "", dashes="4 3")
    plot.write(os.path.join(output, "collapse3d.svg"), [spread])
    return lines
