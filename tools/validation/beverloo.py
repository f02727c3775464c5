# SPDX-License-Identifier: Apache-2.0
"""Beverloo's law in the plane: W = C ρ_b √g (D − k d)^{3/2} for a slot D and disks of diameter d."""
import os

import h5py
import numpy as np

import plot
import study

GRAVITY = 9.81
QUICK = """set = ["packing.0.count=1200", "container.0.hopper.width=0.16", "time.end=0.5"]

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


def beverloo(program, scenes, work, workers, quick, output):
    runs = []
    for name in ("beverloo", "beverloo_wide"):
        source = os.path.join(scenes, "studies", f"{name}.toml")
        if quick:
            if name != "beverloo":
                continue
            source = study.smaller(source, work, "silo.toml", QUICK)
        runs += [Discharge(c) for c in study.run(program, source, os.path.join(work, name), workers)]
    openings = sorted({r.opening for r in runs})
    d = np.mean([r.d for r in runs])
    ratio, q = np.array([r.opening / d for r in runs]), np.array([r.scaled for r in runs])
    best, n = exponent(ratio, q)
    low, high = interval(ratio, q)
    given = {k: study.power_law(ratio - k, q)[0] for k in (1.0, 1.5, 2.0)}
    # With the exponent of the law, W^{2/3} is linear in D: k is where the line meets the axis.
    slope, intercept = np.polyfit(ratio, q**(2 / 3), 1)
    k, C = -intercept / slope, slope**1.5
    off = {D: np.mean([r.scaled for r in runs if r.opening == D]) / (C * (D / d - k)**1.5) - 1 for D in openings}
    drift = {D: np.mean([r.late / r.early - 1 for r in runs if r.opening == D]) for D in openings}
    worst = max(drift.values(), key=abs)

    lines = ["| D/d | seeds | grains out in the window | W [kg/s], each seed | W/(ρ_b √g d^{3/2}) | law with the fit | second half against first |",
             "|---|---|---|---|---|---|---|"]
    for D in openings:
        these = [r for r in runs if r.opening == D]
        lines.append(f"| {D / d:.2f} | {len(these)} | {', '.join(str(r.out) for r in these)} | "
                     f"{', '.join(f'{r.rate:.2f}' for r in these)} | {np.mean([r.scaled for r in these]):.2f} | "
                     f"{C * (D / d - k)**1.5:.2f} | {100 * drift[D]:+.1f} % |")
    lines += ["", "| | measured | asked | |", "|---|---|---|---|",
              f"| exponent n, with the k in 1–2 that fits best (k = {best:.2f}) | {n:.2f}, 95 % of resampled seeds {low:.2f}–{high:.2f} | 1.5 ± 0.15 | {verdict(abs(n - 1.5) <= 0.15)} |",
              f"| k, with n = 3/2 (W^{{2/3}} over D is a line) | {k:.2f} | 1 to 2 | {verdict(1 <= k <= 2)} |",
              f"| mean rate of an opening against that line, worst | {100 * max(off.values(), key=abs):+.1f} % | no gate | |",
              f"| second half of the window against the first, mean over seeds, worst opening | {100 * worst:+.1f} % | within 5 % | {verdict(abs(worst) <= 0.05)} |",
              "", f"For a given k the exponent is {given[1.0]:.2f} (k = 1), {given[1.5]:.2f} (k = 1.5), {given[2.0]:.2f} (k = 2). "
              f"With n = 3/2 the prefactor is C = {C:.2f}, for a filling of solid fraction {np.mean([r.fraction for r in runs]):.3f}; "
              "in the plane no value of it is asked for.",
              "", study.certified([r.case for r in runs])]

    with open(os.path.join(output, "beverloo.csv"), "w") as file:
        file.write("opening,seed,grains,d,width,solid_fraction,window_start,window_end,grains_out,rate,rate_first_half,"
                   "rate_second_half,scaled,steps,unconverged,max_error,max_penetration,certified,cpu_s\n")
        for r in runs:
            c = r.case.certificate
            file.write(f"{r.opening:g},{r.seed},{r.grains},{r.d:.6g},{r.width:.4g},{r.fraction:.4f},{r.time[r.first]:.4g},{r.time[r.last]:.4g},"
                       f"{r.out},{r.rate:.5g},{r.early:.5g},{r.late:.5g},{r.scaled:.5g},{c['steps']},{c['unconverged_steps']},"
                       f"{c['max_error']:.3g},{c['max_penetration']:.3g},{int(c['passed'])},{r.case.cpu:.1f}\n")
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
    plot.write(os.path.join(output, "beverloo.svg"), [law, flow])
    return lines


def verdict(passed):
    return "pass" if passed else "**FAIL**"
