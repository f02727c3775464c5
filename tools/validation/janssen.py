# SPDX-License-Identifier: Apache-2.0
"""Janssen's saturation in the plane: stress on the levels of a narrow silo whose bottom sinks slowly."""
import h5py
import numpy as np

import plot
import study

GRAVITY, WALL_FRICTION = 9.81, 0.3
SINKING = 0.4  # s: from here on friction at the walls is mobilised
LEVELS = 24
SMALL = 'set = ["time.end=0.45", "packing.0.count=150", "packing.0.region.box=[0.12, 0.6]"]\n\n[[repeat]]\nseeds = 2\n'


class Janssen:
    """One run: stress over depth, in the mean over frames."""

    def __init__(self, case):
        self.case = case
        with h5py.File(case.path, "r") as file:
            free = file["bodies/fixed"][:] == 0
            mass, radius = file["bodies/mass"][:][free], file["bodies/radius"][:][free]
            names = file["bodies/name"].asstr()[:]
            side = np.isin(np.arange(len(names)), [k for k, name in enumerate(names) if name in ("left", "right")])
            time = file["frames/time"][:]
            row, count = file["frames/contact_row"][:], file["frames/contact_count"][:]
            place = file["state/position"][:].reshape(len(time), len(names), 3)
            self.width = 0.12
            self.weight = GRAVITY * mass.sum()
            frames = np.flatnonzero(time > SINKING)
            self.depth = self.stress = 0
            for k in frames:
                height = place[k, free, 1]
                foot, top = np.min(height - radius), np.quantile(height + radius, 1 - 7 / len(height))
                levels = top - (top - foot) * np.arange(1, LEVELS + 1) / LEVELS
                part = slice(row[k], row[k] + count[k])
                a, b = file["contacts/body_a"][part], file["contacts/body_b"][part]
                up = np.where(side[a], 1, -1) * file["contacts/force"][part][:, 1]  # on the grain
                at_wall = side[a] | side[b]
                point = file["contacts/point"][part][:, 1]
                carried = np.array([np.sum(up[at_wall & (point > z)]) for z in levels])
                above = np.array([GRAVITY * np.sum(mass[height > z]) for z in levels])
                self.stress = self.stress + (above - carried) / self.width / len(frames)
                self.depth = self.depth + (top - levels) / len(frames)
            momentum = np.diff(file["series/momentum_y"][:])
            h = file["series/time"][0]
        (force,) = case.measure("walls", "force_y")
        self.balance = float(np.max(np.abs(momentum / h + force[1:] + self.weight)) / self.weight)
        self.density = self.weight / (self.width * self.depth[-1])  # ρ_b g
        lengths = np.linspace(0.1, 3, 2901) * self.depth[-1] / 3
        rest = [np.sum((self.stress - self.law(self.depth, length))**2) for length in lengths]
        self.length = float(lengths[np.argmin(rest)])
        self.K = self.width / (2 * WALL_FRICTION * self.length)
        self.fit = float(1 - min(rest) / np.sum((self.stress - self.stress.mean())**2))
        self.bottom = float(self.stress[-1] * self.width / self.weight)

    def law(self, depth, length):
        return self.density * length * (1 - np.exp(-depth / length))


def janssen(setting):
    runs = [Janssen(c) for c in setting.cases("janssen", SMALL)]
    lines = ["| packing | depth over width | λ [m] | K = L/(2 μ_w λ) | R² of the fit | weight that reaches the bottom | forces, weight and momentum balance to |", "|---|---|---|---|---|---|---|"]
    for r in runs:
        lines.append(f"| {r.case.row['repetition']} | {r.depth[-1] / r.width:.1f} | {r.length:.3f} | {r.K:.2f} | {r.fit:.4f} | {100 * r.bottom:.0f} % | {r.balance:.0e} |")
    lines += ["", study.certified([r.case for r in runs])]
    K, fit = [r.K for r in runs], [r.fit for r in runs]
    laws = [study.Law("B02", "Janssen in the plane: R² of the saturation at least 0.98", f"{min(fit):.4f}", study.text_of(fit, 4), min(fit) >= 0.98),
            study.Law("B02", "K = 0.3 to 1", f"{np.mean(K):.2f}", study.text_of(K, 2), all(0.3 <= k <= 1 for k in K)),
            study.Law("B02", "wall and bottom carry weight and momentum to 1e-6", f"{max(r.balance for r in runs):.0e}", "", all(r.balance <= 1e-6 for r in runs))]
    study.write_csv(setting.path("janssen.csv"), ["repetition", "width", "depth", "lambda", "K", "R2", "bottom_part", "balance"],
                    [(r.case, [r.case.row["repetition"], r.width, r.depth[-1], r.length, r.K, r.fit, r.bottom, r.balance]) for r in runs])
    deepest, largest = max(r.depth[-1] for r in runs), 1.2 * max(r.stress.max() for r in runs)
    drawn = plot.Plot("Stress on a level", "depth [m]", "σ [N/m]", (0, 1.05 * deepest), (0, largest), np.arange(0, deepest, 0.25), np.arange(0, largest, 1000), logarithmic=False)
    for r in runs:
        drawn.points(r.depth, r.stress, 0, "measured" if r is runs[0] else "")
        drawn.line(lambda z, r=r: r.law(z, r.length), 0.001, r.depth[-1], 1, "Janssen" if r is runs[0] else "")
    drawn.line(lambda z: runs[0].density * z, 0.001, min(largest / runs[0].density, deepest), 4, "weight above", dashes="4 3")
    plot.write(setting.path("janssen.svg"), [drawn])
    return study.Report(lines, laws)
