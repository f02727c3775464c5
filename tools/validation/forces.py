# SPDX-License-Identifier: Apache-2.0
"""Contact forces in a slow biaxial test in the plane: their distribution, and what the strong ones carry."""
import h5py
import numpy as np

import plot
import study

YIELDING = 1.5  # s: the cell has been shortened by 0.14 by then, and the packing gives way
SMALL = 'set = ["time.end=1.8", "packing.0.count=60", "cell.size=[0.114, 0.092]", "packing.0.region.box=[0.113, 0.091]", "packing.0.position=[0.057, 0]"]\n\n[[repeat]]\nseeds = 2\n'
WEAK, STRONG = np.geomspace(0.03, 1, 13), np.linspace(1, 4, 13)  # bins of f/⟨f⟩


class Forces:
    """One run: normal forces over their mean, frame by frame, and the deviatoric stress."""

    def __init__(self, case):
        self.case = case
        ratios, all_of_it, strong = [], np.zeros((2, 2)), np.zeros((2, 2))
        with h5py.File(case.path, "r") as file:
            time = file["frames/time"][:]
            row, count = file["frames/contact_row"][:], file["frames/contact_count"][:]
            bodies = len(file["bodies/radius"])
            radius = file["bodies/radius"][:]
            for k in np.flatnonzero(time > YIELDING):
                part = slice(row[k], row[k] + count[k])
                f, normal, force = (file[f"contacts/{name}"][part] for name in ("normal_force", "normal", "force"))
                # From centre to centre: the radii, to the depth of the contact.
                branch = (radius[file["contacts/body_a"][part]] + radius[file["contacts/body_b"][part]])[:, None] * normal
                ratio = f / f.mean()
                ratios.append(ratio)
                moment = np.einsum("ni,nj->nij", force[:, :2], branch[:, :2])
                all_of_it += moment.sum(axis=0)
                strong += moment[ratio > 1].sum(axis=0)
        self.bodies, self.frames = bodies, len(ratios)
        f = np.concatenate(ratios)
        self.contacts = len(f)
        self.above = float(np.mean(f > 1))
        self.deviatoric = float(deviator(strong) / deviator(all_of_it))
        self.strength = float(deviator(all_of_it) / np.trace(all_of_it))
        self.weak_density = np.histogram(f, WEAK)[0] / np.diff(WEAK) / len(f)
        self.strong_density = np.histogram(f, STRONG)[0] / np.diff(STRONG) / len(f)
        self.alpha = slope(np.log(np.sqrt(WEAK[1:] * WEAK[:-1])), self.weak_density)
        self.beta = -slope(0.5 * (STRONG[1:] + STRONG[:-1]), self.strong_density)


def slope(x, density):
    """Of the logarithm, over the bins that hold something."""
    filled = density > 0
    return float(np.polyfit(x[filled], np.log(density[filled]), 1)[0])


def deviator(moment):
    low, high = np.linalg.eigvalsh(0.5 * (moment + moment.T))
    return high - low


def forces(setting):
    runs = [Forces(c) for c in setting.cases("forces", SMALL)]
    lines = ["| packing | contacts in all frames | α below the mean | β above it | contacts above the mean | of the deviatoric stress | (σ₁ − σ₂)/(σ₁ + σ₂) |", "|---|---|---|---|---|---|---|"]
    for r in runs:
        lines.append(f"| {r.case.row['repetition']} | {r.contacts} | {r.alpha:.2f} | {r.beta:.2f} | {100 * r.above:.0f} % | {100 * r.deviatoric:.0f} % | {r.strength:.3f} |")
    lines += ["", study.certified([r.case for r in runs])]
    alpha, beta = ([getattr(r, what) for r in runs] for what in ("alpha", "beta"))
    laws = [study.Law("B06", "forces below the mean: P ∝ f^α, α = −0.3 ± 0.25", f"{np.mean(alpha):.2f}", study.text_of(alpha, 2), bool(abs(np.mean(alpha) + 0.3) <= 0.25)),
            study.Law("B06", "above it: P ∝ e^(−β f/⟨f⟩), β = 1.4 ± 0.4", f"{np.mean(beta):.2f}", study.text_of(beta, 2), bool(abs(np.mean(beta) - 1.4) <= 0.4)),
            study.Law("B06", "contacts above the mean (about 40 %) and the deviatoric stress they carry (about all)",
                      f"{100 * np.mean([r.above for r in runs]):.0f} %, {100 * np.mean([r.deviatoric for r in runs]):.0f} %",
                      f"{study.text_of([100 * r.above for r in runs], 0)} %, {study.text_of([100 * r.deviatoric for r in runs], 0)} %", None)]
    study.write_csv(setting.path("forces.csv"), ["repetition", "frames", "contacts", "alpha", "beta", "above_mean", "deviatoric_part", "strength"],
                    [(r.case, [r.case.row["repetition"], r.frames, r.contacts, r.alpha, r.beta, r.above, r.deviatoric, r.strength]) for r in runs])
    drawn = [plot.Plot("Forces below the mean", "f/⟨f⟩", "P", (0.02, 1.2), (0.2, 5), (0.03, 0.1, 0.3, 1), (0.2, 0.5, 1, 2, 5)),
             plot.Plot("Forces above the mean", "f/⟨f⟩", "P", (0.9, 4.1), (0.001, 1), (1, 2, 3, 4), (0.001, 0.01, 0.1, 1), logarithmic="y")]
    for r in runs:
        drawn[0].points(np.sqrt(WEAK[1:] * WEAK[:-1]), r.weak_density, 0, "measured" if r is runs[0] else "")
        shown = r.strong_density > 0
        drawn[1].points((0.5 * (STRONG[1:] + STRONG[:-1]))[shown], r.strong_density[shown], 0, "measured" if r is runs[0] else "")
    at_mean = np.mean([r.strong_density[0] for r in runs])
    drawn[0].line(lambda x: at_mean * x**-0.3, 0.03, 1, 1, "(f/⟨f⟩)^−0.3")
    drawn[1].line(lambda x: at_mean * np.exp(-1.4 * (x - 1.125)), 1, 4, 1, "exp(−1.4 f/⟨f⟩)")
    plot.write(setting.path("forces.svg"), drawn)
    return study.Report(lines, laws)
