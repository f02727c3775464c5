# SPDX-License-Identifier: Apache-2.0
"""Columns that collapse, in the plane at a wall and in space all around: how far they run, how high they stay."""
import numpy as np

import plot
import study

GRAVITY = 9.81
TOUCH = 0.05  # of the mean diameter: grains closer than this are neighbours
SMALL = """set = ["time.end=0.8", "packing.0.region={ points = [[0, 0], [0.07, 0], [0.07, 0.4], [0, 0.4]] }"]

[[axis]]
name   = "grains"
key    = "packing.0.count"
values = [60, 120]

[[axis]]
name   = "seed"
key    = "packing.0.seed"
values = [1]
"""
SMALL_SPACE = """set = ["time.end=0.6", "packing.0.region.cylinder=[0.04, 0.2]"]

[[axis]]
name   = "seed"
key    = "packing.0.seed"
values = [1]

[[axis]]
name   = "grains"
key    = "packing.0.count"
values = [150, 300]
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
        self.case, self.name = case, case.row.get("variant", "")
        frames = study.Frames(case.path)
        self.dimension, radius = frames.dimension, frames.radius
        self.grains, self.d = len(radius), 2 * radius.mean()
        start, end = (frames.position[k][:, :self.dimension] for k in (0, -1))
        self.width = round(np.max(self.away(start) + radius), 5)  # deposited against the walls of its region
        self.height = self.surface(start, radius) - floor
        self.aspect = self.height / self.width
        self.inside = heap(end, radius, TOUCH * self.d)
        self.front = np.max((self.away(end) + radius)[self.inside])
        self.quantile_front = np.quantile(self.away(end), 0.98)  # without a heap to belong to
        self.top = np.max((end[:, -1] + radius)[self.inside]) - floor
        self.strays = self.grains - int(self.inside.sum())
        self.run_out, self.stays = (self.front - self.width) / self.width, self.top / self.width
        self.quantile_out = self.quantile_front / self.width - 1
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
    study.write_csv(path, ["grains", "variant", "d", "width", "height", "aspect", "front", "quantile_front", "top", "run_out", "height_left", "strays", "duration", "fastest_at_end"],
                    [(r.case, [r.grains, r.name, r.d, r.width, r.height, r.aspect, r.front, r.quantile_front, r.top, r.run_out, r.stays, r.strays, r.duration, r.speed])
                     for r in runs])


def lube(a):
    return 1.2 * a if a < 2.3 else 1.9 * a**(2 / 3)


def staron(a):
    return 2.5 * a if a < 2 else 3.25 * a**0.7


EXPONENTS = (("run-out, a < 2.3", lambda a: a < 2.3, "run_out", 1, "1"), ("run-out, a > 2.3", lambda a: a > 2.3, "run_out", 2 / 3, "2/3"),
             ("height left, a > 1.15", lambda a: a > 1.15, "stays", 0.4, "0.4"))


def exponent(runs, part, what):
    """With its prefactor and error; what the front is may be told by quantiles, too."""
    these = [r for r in runs if part(r.aspect)]
    if len(these) < 2:
        return None
    return study.power_law(np.array([r.aspect for r in these]), np.array([getattr(r, what) for r in these]))


def at_rest(runs):
    return (f"The fastest grain of any heap moves at {max(r.speed for r in runs):.0e} m/s in the mean over the last two frames. "
            + study.certified([r.case for r in runs]))


def collapse(setting):
    """In the plane, released on one side of a wall."""
    runs = [Collapse(c, 0 if c.row.get("variant") == "floor without bumps" else FLOOR)
            for name, small in (("collapse", SMALL), ("collapse_large", None)) for c in setting.cases(name, small)]
    names = list(dict.fromkeys(r.name for r in runs))
    plain = [r for r in runs if r.name in ("", "reference", "another packing")]
    lines = ["### Columns of 400 disks", "", *table(plain, [("Lube et al.", lube), ("Staron and Hinch", staron)]), "",
             "### What decides about the exponents", "",
             "| | run-out, a < 2.3 | run-out, a > 2.3 | the same with the 98 % quantile as front | height left, a > 1.15 | run-out at a = 2 | at a = 8 |", "|---|---|---|---|---|---|---|"]
    for name in names:
        these = [r for r in runs if r.name == name]
        fits = [exponent(these, part, what) for part, what in ((EXPONENTS[0][1], "run_out"), (EXPONENTS[1][1], "run_out"),
                                                               (EXPONENTS[1][1], "quantile_out"), (EXPONENTS[2][1], "stays"))]
        at = [min(these, key=lambda r: abs(r.aspect - a)).run_out for a in (2, 8)]
        lines.append(f"| {name or 'small'} | " + " | ".join("" if f is None else f"{f[0]:.2f} ± {f[2]:.2f}" for f in fits) + f" | {at[0]:.2f} | {at[1]:.2f} |")
    lines += ["| published | 1 | 2/3; 0.7 | | 0.4; 0.35 | 2.4; 5.0 | 7.6; 13.9 |", "", at_rest(runs)]
    laws = []
    large = [r for r in runs if r.name == "1600 disks"] or plain
    for title, part, what, law, text in EXPONENTS:
        fit = exponent(large, part, what)
        spread = [exponent([r for r in runs if r.name == name], part, what) for name in names]
        if fit:
            laws.append(study.Law("B03", f"columns in the plane: exponent of the {title}: {text} ± 0.12", f"{fit[0]:.2f}",
                                  f"± {fit[2]:.2f} (fit); {min(f[0] for f in spread if f):.2f} to {max(f[0] for f in spread if f):.2f} over set-ups", bool(abs(fit[0] - law) <= 0.12)))
    wide = exponent(large, EXPONENTS[1][1], "run_out")
    if wide:
        laws.append(study.Law("B03", "columns in wide channels: exponent of the run-out, a > 2.3: 0.9 ± 0.1 (Balmforth and Kerswell)", f"{wide[0]:.2f}", f"± {wide[2]:.2f} (fit)",
                              bool(abs(wide[0] - 0.9) <= 0.1)))
    write_csv(setting.path("collapse.csv"), runs)
    spread = plot.Plot("Run-out", "a = h₀/d₀", "(d∞ − d₀)/d₀", (0.4, 10), (0.3, 20), (0.5, 1, 2, 4, 8), (0.5, 1, 2, 5, 10, 20))
    height = plot.Plot("Height left", "a = h₀/d₀", "h∞/d₀", (0.4, 10), (0.3, 4), (0.5, 1, 2, 4, 8), (0.5, 1, 2, 4))
    for colour, these, title in ((0, plain, "400 disks"), (3, [r for r in runs if r.name == "1600 disks"], "1600 disks")):
        a = [r.aspect for r in these]
        spread.points(a, [r.run_out for r in these], colour, title if a else "")
        height.points(a, [r.stays for r in these], colour, title if a else "")
    for name, law, colour, knee in (("Lube et al. 2005", lube, 1, 2.3), ("Staron and Hinch 2005", staron, 2, 2.0)):
        spread.line(law, 0.45, knee - 1e-9, colour, name)
        spread.line(law, knee, 9.5, colour, "")
    height.line(lambda a: a, 0.45, 1.15, 1, "Lube et al. 2005: a, a^0.4")
    height.line(lambda a: a**0.4, 1.15, 9.5, 1, "")
    height.line(lambda a: 0.65 * a**0.35, 1, 9.5, 2, "Staron and Hinch 2005: 0.65 a^0.35")
    plot.write(setting.path("collapse.svg"), [spread, height])
    return study.Report(lines, laws)


def lube_round(a):
    return 1.24 * a if a < 1.7 else 1.6 * a**0.5


def collapse3d(setting):
    """In space, released all around."""
    runs = [Collapse(c, 0.0) for c in setting.cases("collapse3d", SMALL_SPACE)]
    factors = [Collapse(c, 0.0) for c in setting.cases("collapse3d_factors")]
    lines = table(runs, [("Lube et al. 2004", lube_round)])
    laws = []
    for r in runs:
        law = lube_round(r.aspect)
        laws.append(study.Law("B03", f"round columns, a = {r.aspect:.2f}: run-out {law:.2f} ± 20 %", f"{r.run_out:.2f} ({100 * (r.run_out / law - 1):+.0f} %)",
                              "one packing", bool(abs(r.run_out / law - 1) <= 0.2)))
        if r.aspect > 1.7:
            law = 0.88 * r.aspect**(1 / 6)
            laws.append(study.Law("B03", f"round columns, a = {r.aspect:.2f}: height left {law:.2f} ± 20 %", f"{r.stays:.2f} ({100 * (r.stays / law - 1):+.0f} %)",
                                  "one packing" + (f"; {min(f.stays for f in factors):.2f} to {max(f.stays for f in factors):.2f} over set-ups" if factors else ""),
                                  bool(abs(r.stays / law - 1) <= 0.2)))
    if factors:
        lines += ["", f"What decides about the height at a = {factors[0].aspect:.1f}, with {factors[0].grains} balls, {factors[0].width / factors[0].d:.0f} in the radius:", "",
                  "| | height left over r₀ | run-out | stray grains | certified |", "|---|---|---|---|---|"]
        lines += [f"| {r.name} | {r.stays:.2f} | {r.run_out:.2f} | {r.strays} | {'yes' if r.case.certificate['passed'] else 'no'} |" for r in factors]
    lines += ["", at_rest(runs + factors)]
    write_csv(setting.path("collapse3d.csv"), runs + factors)
    spread = plot.Plot("Run-out", "a = h₀/r₀", "(r∞ − r₀)/r₀", (0.4, 3), (0.3, 4), (0.5, 1, 2, 3), (0.5, 1, 2, 4))
    spread.points([r.aspect for r in runs], [r.run_out for r in runs], 0, "measured")
    spread.line(lube_round, 0.42, 1.7 - 1e-9, 1, "Lube et al. 2004: 1.24 a, 1.6 a^½")
    spread.line(lube_round, 1.7, 2.9, 1, "")
    for share in (0.8, 1.2):
        spread.line(lambda x: share * lube_round(x), 0.42, 2.9, 4, "± 20 %" if share > 1 else "", dashes="4 3")
    plot.write(setting.path("collapse3d.svg"), [spread])
    return study.Report(lines, laws)
