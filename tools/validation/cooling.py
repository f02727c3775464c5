# SPDX-License-Identifier: Apache-2.0
"""Haff's law: a gas of smooth inelastic balls or disks cools by its collisions."""
import h5py
import numpy as np

import plot
import study

MIXED, WINDOW = 6, 20  # collisions per particle before the window, and in it
SMALL = 'set = ["time.end=0.02"]\n\n[[repeat]]\nseeds = 2\n'


class Cooling:
    """One run: temperature and collisions over time, and what kinetic theory says of them."""

    def __init__(self, case):
        self.case = case
        with h5py.File(case.path, "r") as file:
            self.dimension = D = int(file.attrs["dim"])
            diameter = 2 * file["bodies/radius"][0]
            masses = file["bodies/mass"][:]
            self.number = N = len(masses)
            volume = np.prod(np.diag(file["cell/vectors"][0].reshape(3, 3))[:D])
            e = file["materials/restitution"][0]
            self.time = file["series/time"][:]
            h = self.time[0]
            self.T = 2 * file["series/kinetic"][:] / (D * masses.sum())  # m⟨v²⟩/D over m
            momentum = np.array([file[f"series/momentum_{axis}"][:] for axis in "xyz"]).T
            push = np.einsum("ij,ij->i", file["impacts/percussion"][:], file["impacts/normal"][:]) > 0
            step = file["impacts/step"][:][push]
            speed = np.linalg.norm(file["state/velocity"][:].reshape(-1, N, 3), axis=2)
        self.momentum = np.max(np.linalg.norm(momentum - momentum[0], axis=1)) / (masses.sum() * np.sqrt(self.T[0]))
        self.cumulative = 2 / N * np.searchsorted(np.sort(step), np.arange(1, len(self.time) + 1), side="right")
        nu = N * (np.pi / 6 * diameter**3 if D == 3 else np.pi / 4 * diameter**2) / volume
        n = N / volume
        if D == 3:
            self.frequency = 4 * n * diameter**2 * (1 - nu / 2) / (1 - nu)**3 * np.sqrt(np.pi * self.T)
        else:
            self.frequency = 2 * n * diameter * (1 - 7 * nu / 16) / (1 - nu)**2 * np.sqrt(np.pi * self.T)
        self.step_over_collision = h * self.frequency[0]
        # The window: from MIXED collisions per particle on.
        self.first = min(int(np.searchsorted(self.cumulative, MIXED)), len(self.time) - 2)
        self.last = min(int(np.searchsorted(self.cumulative, MIXED + WINDOW)), len(self.time) - 1)
        zeta = (1 - e**2) * self.frequency[self.first] / D
        self.law = self.T[self.first] / (1 + zeta * (self.time - self.time[self.first]) / 2)**2
        part = slice(self.first, self.last + 1)
        off = self.T[part] / self.law[part] - 1
        self.off = float(off[np.argmax(np.abs(off))])
        counted = self.cumulative[self.last] - self.cumulative[self.first]
        expected = np.sum(self.frequency[self.first + 1:self.last + 1]) * h
        self.count_off = float(counted / expected - 1)
        self.counted = float(counted)
        # ⟨v⁴⟩/⟨v²⟩² over that of Maxwell's distribution, in the last frame.
        self.kurtosis = float(np.mean(speed[-1]**4) / np.mean(speed[-1]**2)**2 / ((D + 2) / D))


def cooling(setting):
    """In space and in the plane, three random starts each."""
    lines, laws, every = [], [], []
    drawn = plot.Plot("Temperature", "collisions per particle", "T/T₀", (0, 28), (0.05, 1.5), range(0, 29, 4), (0.05, 0.1, 0.2, 0.5, 1),
                      logarithmic="y")
    lines += ["| | collisions per particle in the window | T against the law, worst of each start | collisions against kinetic theory | "
              "⟨v⁴⟩/⟨v²⟩² over Maxwell's at the end | momentum that came or went |", "|---|---|---|---|---|---|"]
    for colour, (name, title) in enumerate((("cooling_space", "balls, a tenth of the volume"), ("cooling_plane", "disks, a fifth of the area"))):
        runs = [Cooling(c) for c in setting.cases(name, SMALL)]
        every += runs
        lines.append(f"| {title} | {min(r.counted for r in runs):.1f} | {', '.join(f'{100 * r.off:+.1f} %' for r in runs)} | "
                     f"{', '.join(f'{100 * r.count_off:+.1f} %' for r in runs)} | {', '.join(f'{r.kurtosis:.2f}' for r in runs)} | "
                     f"{max(r.momentum for r in runs):.0e} |")
        space = "space" if runs[0].dimension == 3 else "the plane"
        laws += [
            study.Law("B07", f"Haff in {space}: T within 5 % for {WINDOW} collisions per particle",
                      f"worst {100 * max((r.off for r in runs), key=abs):+.1f} %",
                      f"{study.text_of([100 * r.off for r in runs], 1)} %", all(abs(r.off) <= 0.05 for r in runs)),
            study.Law("B07", f"collision frequency in {space} within 3 %",
                      f"worst {100 * max((r.count_off for r in runs), key=abs):+.1f} %",
                      f"{study.text_of([100 * r.count_off for r in runs], 1)} %", all(abs(r.count_off) <= 0.03 for r in runs)),
            study.Law("B07", f"momentum in {space} to 1e-12 of M √T₀", f"{max(r.momentum for r in runs):.0e}", "",
                      all(r.momentum <= 1e-12 for r in runs))]
        for r in runs:
            part = slice(0, r.last + 1, 10)
            drawn.trace(r.cumulative[part], r.T[part] / r.T[0], colour, title if r is runs[0] else "")
        r = runs[0]
        part = slice(r.first, r.last + 1, 10)
        drawn.trace(r.cumulative[part], r.law[part] / r.T[0], 2 + colour, "Haff's law, " + ("in space" if r.dimension == 3 else "in the plane"))
    lines += ["", study.certified([r.case for r in every])]
    study.write_csv(setting.path("cooling.csv"), ["dimension", "repetition", "particles", "step_over_collision_time", "window_start", "window_end",
                                                  "collisions", "temperature_off", "collisions_off", "kurtosis", "momentum"],
                    [(r.case, [r.dimension, r.case.row["repetition"], r.number, r.step_over_collision, r.time[r.first], r.time[r.last], r.counted,
                               r.off, r.count_off, r.kurtosis, r.momentum]) for r in every])
    plot.write(setting.path("cooling.svg"), [drawn])
    return study.Report(lines, laws)
