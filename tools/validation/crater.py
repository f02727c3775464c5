# SPDX-License-Identifier: Apache-2.0
"""The depth at which a ball that falls into a bed of grains comes to rest."""
import csv
import os

import h5py
import numpy as np

import plot
import study
from repose import tops

GRAVITY = 9.81
SMALL = """set = ["packing.0.count=300", "time.end=0.3", "body.ball.position=[0, 0, 0.15]"]

[[axis]]
name   = "drop"
values = ["reference", "smaller"]
set    = [[], ["body.ball.shape={ ball = 0.015 }"]]
"""


class Crater:
    """One fall."""

    def __init__(self, case):
        self.case, self.name = case, case.row["drop"]
        with h5py.File(case.path, "r") as file:
            names = file["bodies/name"].asstr()[:]
            ball = int(np.flatnonzero(names == "ball")[0])
            grains = file["bodies/fixed"][:] == 0
            grains[ball] = False
            radius, mass = file["bodies/radius"][:], file["bodies/mass"][:]
            time = file["frames/time"][:]
            place = file["state/position"][:].reshape(len(time), len(names), 3)
            self.speed = float(np.linalg.norm(file["state/velocity"][:].reshape(len(time), len(names), 3)[-1, ball]))
        self.diameter = float(2 * radius[ball])
        self.density = float(mass[ball] / (np.pi / 6 * self.diameter**3))
        start, end = place[0, ball, 2], place[-1, ball, 2]
        d = 2 * radius[grains].mean()
        # The surface of the bed just before the ball arrives.
        surface = np.mean(tops(place[0, grains], radius[grains], 1.5 * d)[1])
        arrives = np.sqrt(2 * (start - radius[ball] - surface) / GRAVITY)
        before = place[int(np.searchsorted(time, 0.9 * arrives)) - 1, grains]
        self.surface = float(np.mean(tops(before, radius[grains], 1.5 * d)[1]))
        area = np.ptp(before[:, 0] + radius[grains]) * np.ptp(before[:, 1] + radius[grains])
        self.bulk = float(mass[grains].sum() / (area * self.surface))
        self.depth, self.fall = float(self.surface - (end - radius[ball])), float(start - end)
        self.left = float(end - radius[ball])


def crater(setting):
    runs = [Crater(c) for c in setting.cases("crater", SMALL)]
    slopes = setting.path("repose.csv")
    if not os.path.exists(slopes):
        raise study.Failed("the law needs the angle of repose: run the study 'repose' first")
    with open(slopes, newline="") as file:
        angle = np.mean([float(r["angle"]) for r in csv.DictReader(file) if (float(r["friction"]), float(r["rolling_over_radius"])) == (0.6, 0)])
    mu = np.tan(np.radians(angle))
    for r in runs:
        r.scale = (r.density / r.bulk)**0.5 * r.diameter**(2 / 3) * r.fall**(1 / 3) / mu
        r.factor = r.depth / r.scale
    lines = ["| | diameter [m] | density over that of the bed | fall H [m] | depth d [m] | 0.14 law [m] | d over the law | below the ball [m] | speed at the end [m/s] |", "|---|---|---|---|---|---|---|---|---|"]
    for r in runs:
        lines.append(f"| {r.name} | {r.diameter:g} | {r.density / r.bulk:.2f} | {r.fall:.3f} | {r.depth:.3f} | {0.14 * r.scale:.3f} | {r.factor / 0.14:.2f} | {r.left:.3f} | {r.speed:.0e} |")
    lines += ["", study.certified([r.case for r in runs])]
    by = {r.name: r for r in runs}
    laws = []
    for law, exponent, names, x in (("H", 1 / 3, ("lower", "reference", "higher"), lambda r: r.fall),
                                    ("density", 1 / 2, ("lighter", "reference", "heavier"), lambda r: r.density),
                                    ("diameter", 2 / 3, ("smaller", "reference", "larger"), lambda r: r.diameter)):
        these = [by[n] for n in names if n in by]
        if len(these) < 3:
            continue
        # What else the law knows is taken out with its own powers.
        y = [r.factor * x(r)**exponent for r in these]
        if min(y) <= 0:
            high = sum(value <= 0 for value in y)
            laws.append(study.Law("B08", f"crater: depth ∝ {law}^{exponent:.2f} ± 0.1", "none", f"{high} of 3 balls stop on the surface", False))
            continue
        n, _, error = study.power_law(np.array([x(r) for r in these]), np.array(y))
        laws.append(study.Law("B08", f"crater: depth ∝ {law}^{exponent:.2f} ± 0.1", f"{n:.2f}", f"± {error:.2f} (fit of three falls)", bool(abs(n - exponent) <= 0.1)))
    factor = [r.factor for r in runs]
    laws.append(study.Law("B08", "prefactor 0.14 ± 30 %", f"{np.mean(factor):.3f}", f"{min(factor):.3f} to {max(factor):.3f}", bool(abs(np.mean(factor) / 0.14 - 1) <= 0.3)))
    study.write_csv(setting.path("crater.csv"), ["drop", "diameter", "density", "bulk_density", "fall", "depth", "factor", "speed"],
                    [(r.case, [r.name, r.diameter, r.density, r.bulk, r.fall, r.depth, r.factor, r.speed]) for r in runs])
    drawn = plot.Plot("Depth of the crater", "μ⁻¹ (ρ/ρ_g)^½ D^⅔ H^⅓ [m]", "d [m]", (0.08, 0.8), (0.001, 0.12), (0.1, 0.2, 0.4, 0.8), (0.001, 0.01, 0.1))
    sunk = [r for r in runs if r.depth > 0.001]  # the axes are logarithmic
    drawn.points([r.scale for r in sunk], [r.depth for r in sunk], 0, "measured")
    drawn.line(lambda x: 0.14 * x, 0.09, 0.75, 1, "Uehara et al. 2003: 0.14")
    plot.write(setting.path("crater.svg"), [drawn])
    return study.Report(lines, laws)
