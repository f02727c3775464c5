# SPDX-License-Identifier: Apache-2.0
"""Beverloo's law in the plane: W = C ρ_b √g (D − k d)^{3/2} for a slot D and disks of diameter d."""
import h5py
import numpy as np

import plot
import study

GRAVITY = 9.81
SMALL = """set = ["packing.0.count=500", "container.0.hopper.width=0.1", "time.end=0.35"]

[[axis]]
name   = "opening"
key    = "container.0.hopper.opening"
values = [0.028, 0.036, 0.044]

[[axis]]
name   = "seed"
key    = "packing.0.seed"
values = [1]
"""
START = 10  # √(d/g) after which the flow is steady


class Discharge:
    """One run: its rate in the window, in both halves of it, and what they are measured in."""

    def __init__(self, case):
        self.case = case
        self.opening, self.seed = case.value("opening"), int(case.value("seed"))
        with h5py.File(case.path, "r") as file:
            grains = file["bodies/fixed"][:] == 0
            self.grains = int(grains.sum())
            mass = file["bodies/mass"][:][grains].sum()
            across = file["state/position"][:len(grains), 0][file["state/body"][:len(grains)].argsort()][grains]
            radius = file["bodies/radius"][:][grains]
            self.d = 2 * radius.mean()
            self.width = np.max(across + radius) - np.min(across - radius)  # deposited against both walls
            self.time, self.passed = file["measures/exit/time"][:], file["measures/exit/mass"][:]
            self.number = file["measures/exit/grains"][:]
            density = mass / (np.pi * np.sum(radius**2))
            self.fraction = file["measures/bulk/solid_fraction"][0]
            self.bulk_density = density * self.fraction
        # While the filling, were it level, is more than two openings high.
        left = mass - self.passed
        self.first = np.searchsorted(self.time, START * np.sqrt(self.d / GRAVITY))
        self.last = np.flatnonzero(left > self.bulk_density * self.width * 2 * self.opening)[-1]
        middle = (self.first + self.last) // 2
        self.rate = self.between(self.first, self.last)
        self.early, self.late = self.between(self.first, middle), self.between(middle, self.last)
        self.out = int(self.number[self.last] - self.number[self.first])
        self.scaled = self.rate / (self.bulk_density * np.sqrt(GRAVITY) * self.d**1.5)

    def between(self, i, j):
        return (self.passed[j] - self.passed[i]) / (self.time[j] - self.time[i])


def exponent(ratio, q):
    """The k in [1, 2] with which q = C (D/d − k)^n fits best, and n."""
    def fitted(k):
        n, C, _ = study.power_law(ratio - k, q)
        return np.sum((np.log(q) - np.log(C * (ratio - k)**n))**2), k, n

    _, k, n = min(fitted(k) for k in np.linspace(1, 2, 51))
    return k, n


def interval(ratio, q):
    """The middle 95 % of the exponent when runs are drawn again from those of each opening."""
    draw = np.random.default_rng(1)
    groups = [np.flatnonzero(ratio == value) for value in np.unique(ratio)]
    drawn = []
    for _ in range(400):
        picked = np.concatenate([draw.choice(group, len(group)) for group in groups])
        drawn.append(exponent(ratio[picked], q[picked])[1])
    return np.quantile(drawn, [0.025, 0.975])


def mankoc(ratio, b):
    """The law of Mankoc et al. without its prefactor: k = 1, and fewer grains near the edges of a small opening."""
    return (1 - 0.5 * np.exp(-b * (ratio - 1))) * (ratio - 1)**1.5


def beverloo(setting):
    runs = [Discharge(c) for name, small in (("beverloo", SMALL), ("beverloo_wide", None)) for c in setting.cases(name, small)]
    openings = sorted({r.opening for r in runs})
    d = np.mean([r.d for r in runs])
    ratio, q = np.array([r.opening / d for r in runs]), np.array([r.scaled for r in runs])
    best, n = exponent(ratio, q)
    low, high = interval(ratio, q)
    given = {k: study.power_law(ratio - k, q) for k in (0.5, 1.0, 1.25, 1.5, 1.75, 2.0)}
    rest = {k: np.std(np.log(q / (C * (ratio - k)**m))) for k, (m, C, _) in given.items()}
    # With the exponent of the law, W^{2/3} is linear in D: k is where the line meets the axis.
    slope, intercept = np.polyfit(ratio, q**(2 / 3), 1)
    k, C = -intercept / slope, slope**1.5
    off = {D: np.mean([r.scaled for r in runs if r.opening == D]) / (C * (D / d - k)**1.5) - 1 for D in openings}
    drift = {D: np.mean([r.late / r.early - 1 for r in runs if r.opening == D]) for D in openings}
    worst = max(drift, key=lambda D: abs(drift[D]))
    b = min(np.linspace(0.02, 0.6, 59), key=lambda b: np.std(np.log(q / mankoc(ratio, b))))

    lines = ["| D/d | packings | grains out in the window | W [kg/s], each packing | W/(ρ_b √g d^{3/2}) | line with n = 3/2 | second half against first |",
             "|---|---|---|---|---|---|---|"]
    for D in openings:
        these = [r for r in runs if r.opening == D]
        lines.append(f"| {D / d:.2f} | {len(these)} | {', '.join(str(r.out) for r in these)} | "
                     f"{', '.join(f'{r.rate:.2f}' for r in these)} | {np.mean([r.scaled for r in these]):.2f} | "
                     f"{C * (D / d - k)**1.5:.2f} | {100 * drift[D]:+.1f} % |")
    lines += ["", "| k held at | exponent n | scatter about the fit |", "|---|---|---|"]
    lines += [f"| {value:g} | {given[value][0]:.2f} | {100 * rest[value]:.1f} % |" for value in given]
    lines += [f"| (Mankoc et al., b = {b:.2f}) | 3/2 | {100 * np.std(np.log(q / mankoc(ratio, b))):.1f} % |", "",
              f"With n = 3/2 the line W^{{2/3}} over D gives k = {k:.2f} and the prefactor C = {C:.2f}, for a filling of solid fraction {np.mean([r.fraction for r in runs]):.3f}; "
              f"the worst opening is {100 * max(off.values(), key=abs):+.1f} % off it. Rates of two packings at one opening differ by up to "
              f"{100 * max(max(r.rate for r in runs if r.opening == D) / min(r.rate for r in runs if r.opening == D) - 1 for D in openings):.1f} %.",
              "", study.certified([r.case for r in runs])]
    published = given[1.5][0]
    laws = [study.Law("B01", "Beverloo in the plane: exponent 1.5 ± 0.15, with the published k = 1.5", f"{published:.2f}", f"{given[2.0][0]:.2f} to {given[1.0][0]:.2f} for k = 2 to 1", bool(abs(published - 1.5) <= 0.15)),
            study.Law("B01", "the same with the k in 1–2 that fits best", f"{n:.2f} with k = {best:.2f}", f"{low:.2f} to {high:.2f} (resampled packings)", bool(abs(n - 1.5) <= 0.15)),
            study.Law("B01", "k in 1–2, with n = 3/2", f"{k:.2f}", "", bool(1 <= k <= 2)),
            study.Law("B01", "rate independent of the filling height within 5 %", f"worst {100 * drift[worst]:+.1f} %, at D = {worst / d:.0f} d",
                      f"{study.text_of([100 * (r.late / r.early - 1) for r in runs if r.opening == worst], 1)} %", bool(abs(drift[worst]) <= 0.05))]

    study.write_csv(setting.path("beverloo.csv"), ["opening", "seed", "grains", "d", "width", "solid_fraction", "window_start", "window_end", "grains_out",
                                                   "rate", "rate_first_half", "rate_second_half", "scaled"],
                    [(r.case, [r.opening, r.seed, r.grains, r.d, r.width, r.fraction, r.time[r.first], r.time[r.last], r.out, r.rate, r.early, r.late, r.scaled]) for r in runs])
    law = plot.Plot("Discharge over opening", "D/d − k", "W/(ρ_b √g d³ᐟ²)", (4, 24), (4, 200), (4, 6, 8, 12, 16, 24), (5, 10, 20, 50, 100, 200))
    law.points(ratio - k, q, 0, f"measured, k = {k:.2f}")
    law.line(lambda x: C * x**1.5, 4.2, 23, 1, f"{C:.2f} (D/d − k)³ᐟ²")
    end = max(r.time[-1] for r in runs)
    top = 1.1 * max(r.number[-1] for r in runs)
    step = 10**np.floor(np.log10(top / 2))
    flow = plot.Plot("Grains that have run out", "t [s]", "grains", (0, end), (0, top), np.arange(0, end, 0.2),
                     np.arange(0, top, step), logarithmic=False)
    for r in runs:
        flow.trace(r.time, r.number, openings.index(r.opening), f"D = {r.opening / d:.1f} d" if r.seed == 1 else "")
    plot.write(setting.path("beverloo.svg"), [law, flow])
    return study.Report(lines, laws)
