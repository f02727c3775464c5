# SPDX-License-Identifier: Apache-2.0
"""Random close packing: balls and disks that jam in a periodic cell under an imposed pressure."""
import numpy as np

import plot
import study

SMALL = """set = ["time.end=0.6", "solver.tolerance=1e-3", "packing.0.count=80"]

[[axis]]
name   = "mu"
key    = "material.grain.friction"
values = [0, 1]

[[repeat]]
seeds = 2
"""
# Solid fraction and coordination: least and largest value, by dimension and friction.
EXPECTED = {(3, 0.0): ((0.63, 0.65), (5.9, 6.1)), (2, 0.0): ((0.834, 0.850), (3.9, 4.1)), (3, 1.0): ((0.55, 0.58), (4.0, 4.6))}


class Packing:
    """One packing at rest."""

    def __init__(self, case, dimension):
        self.case, self.dimension, self.friction = case, dimension, case.value("mu")
        axes = "xyz"[:dimension]
        columns = ["time", "solid_fraction", "coordination_without_rattlers", "rattlers"]
        self.time, self.fraction, self.coordination, rattlers = case.measure("cell", *columns)
        stress = np.array(case.measure("cell", *[f"stress_{a}{a}" for a in axes]))
        gradient = np.array(case.measure("cell", *[f"velocity_gradient_{a}{a}" for a in axes]))
        self.phi, self.z = float(self.fraction[-1]), float(np.mean(self.coordination[-5:]))
        self.rattlers = int(rattlers[-1])
        self.stress_off = float(np.max(np.abs(stress[:, -1] / 100 - 1)))
        self.rate = float(np.max(np.abs(gradient[:, -1])))


def packing(setting):
    """In space (equal balls) and in the plane (two sizes), without friction and with a coefficient of 1."""
    lines = ["| | μ | solid fraction, each packing | coordination without rattlers | rattlers | strain rate at the end [1/s] | stress carried, off by |",
             "|---|---|---|---|---|---|---|"]
    laws, every = [], []
    drawn = [plot.Plot(f"Solid fraction, in {'space' if D == 3 else 'the plane'}", "t [s]", "φ", (0, 4 if D == 3 else 6), (0.2 if D == 3 else 0.4, 0.9),
                       np.arange(0, 2.1, 0.5)[:4 if D == 3 else 5], np.arange(0.3 if D == 3 else 0.4, 0.91, 0.1), logarithmic=False) for D in (3, 2)]
    for D, name, title in ((3, "packing_space", "250 equal balls"), (2, "packing_plane", "250 disks of two sizes")):
        runs = [Packing(c, D) for c in setting.cases(name, SMALL)]
        every += runs
        for friction in sorted({r.friction for r in runs}):
            these = [r for r in runs if r.friction == friction]
            lines.append(f"| {title} | {friction:g} | {', '.join(f'{r.phi:.3f}' for r in these)} | {', '.join(f'{r.z:.2f}' for r in these)} | "
                         f"{', '.join(str(r.rattlers) for r in these)} | {max(r.rate for r in these):.0e} | {max(r.stress_off for r in these):.0e} |")
            phi, z = (study.interval([getattr(r, what) for r in these])[0] for what in ("phi", "z"))
            asked = EXPECTED.get((D, friction))
            where = f"{'space' if D == 3 else 'the plane'}, μ = {friction:g}"
            for law, value, digits, values, k in ((f"solid fraction in {where}", phi, 3, [r.phi for r in these], 0),
                                                  (f"coordination without rattlers in {where}", z, 2, [r.z for r in these], 1)):
                if asked:
                    low, high = asked[k]
                    laws.append(study.Law("B05", f"{law}: {low:g} to {high:g}", f"{value:.{digits}f}", study.text_of(values, digits), low <= value <= high))
                else:
                    laws.append(study.Law("B05", law, f"{value:.{digits}f}", study.text_of(values, digits), None))
            for r in these:
                drawn[0 if D == 3 else 1].trace(r.time, np.clip(r.fraction, 0.2 if D == 3 else 0.4, 0.9), int(friction), f"μ = {friction:g}" if r is these[0] else "")
    lines += ["", study.certified([r.case for r in every])]
    study.write_csv(setting.path("packing.csv"), ["dimension", "friction", "repetition", "solid_fraction", "coordination", "rattlers", "strain_rate", "stress_off"],
                    [(r.case, [r.dimension, r.friction, r.case.row["repetition"], r.phi, r.z, r.rattlers, r.rate, r.stress_off]) for r in every])
    plot.write(setting.path("packing.svg"), drawn)
    return study.Report(lines, laws)
