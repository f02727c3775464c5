# SPDX-License-Identifier: Apache-2.0
"""The angle of repose of a poured pile, over friction and rolling friction."""
import h5py
import numpy as np

import plot
import study

# Slopes are fitted between these distances from the middle of the plate, in diameters; the plate is 20 wide.
INNER, OUTER = 1.5, 8.5
SMALL = """set = ["time.end=0.7", "emitter.0.end=0.5"]

[[axis]]
name   = "material"
values = ["0.6 0", "0.6 0.1"]
set    = [[], ["material.grain.rolling_friction=5e-4"]]

[[repeat]]
seeds = 2
"""


def tops(place, radius, cell):
    """Of every square of the ground with a grain the highest: its place, and the height of its top."""
    highest = {}
    for k, key in enumerate(map(tuple, np.floor(place[:, :2] / cell).astype(int))):
        if key not in highest or place[k, 2] + radius[k] > place[highest[key], 2] + radius[highest[key]]:
            highest[key] = k
    chosen = list(highest.values())
    return place[chosen], place[chosen, 2] + radius[chosen]


class Pile:
    """One pour: slope and size of the pile at the end."""

    def __init__(self, case):
        self.case = case
        self.friction, self.rolling = (float(word) for word in case.row["material"].split())
        with h5py.File(case.path, "r") as file:
            first, count = file["frames/body_row"][-1], file["frames/body_count"][-1]
            rows = slice(first, first + count)
            free = file["state/fixed"][rows] == 0
            place, radius = file["state/position"][rows][free], file["state/radius"][rows][free]
            self.speed = float(np.max(np.linalg.norm(file["state/velocity"][rows][free], axis=1)))
        on_plate = place[:, 2] > 0
        place, radius = place[on_plate], radius[on_plate]
        self.grains, d = len(radius), 2 * radius.mean()
        at, height = tops(place, radius, 1.5 * d)
        r = np.hypot(at[:, 0], at[:, 1])
        part = (r > INNER * d) & (r < OUTER * d)
        slope, _ = np.polyfit(r[part], height[part], 1)
        self.angle = float(np.degrees(np.arctan(-slope)))
        self.height = float(height.max() / d)


def repose(setting):
    runs = [Pile(c) for c in setting.cases("repose", SMALL)]
    lines = ["| friction μ | rolling friction over the radius | slope of each pile [°] | height [d] | grains on the plate | fastest at the end [m/s] |", "|---|---|---|---|---|---|"]
    mean, spread = {}, {}
    for key in dict.fromkeys((r.friction, r.rolling) for r in runs):
        these = [r for r in runs if (r.friction, r.rolling) == key]
        angles = [r.angle for r in these]
        mean[key], spread[key] = np.mean(angles), max(angles) - min(angles)
        lines.append(f"| {key[0]:g} | {key[1]:g} | {', '.join(f'{a:.1f}' for a in angles)} | {', '.join(f'{r.height:.1f}' for r in these)} | "
                     f"{', '.join(str(r.grains) for r in these)} | {max(r.speed for r in these):.0e} |")
    lines += ["", study.certified([r.case for r in runs])]

    def grows(keys):
        angles = [mean[k] for k in keys if k in mean]
        return ", ".join(f"{a:.1f}°" for a in angles), all(a < b for a, b in zip(angles, angles[1:]))

    laws = []
    for law, keys in (("repose angle grows with friction (0.1, 0.3, 0.6)", [(0.1, 0.0), (0.3, 0.0), (0.6, 0.0)]),
                      ("and with rolling friction (0, 0.02, 0.1 of the radius, at 0.6)", [(0.6, 0.0), (0.6, 0.02), (0.6, 0.1)])):
        text, holds = grows(keys)
        laws.append(study.Law("B09", law, text + ("" if holds else ", not monotone"),
                              ", ".join(study.text_of([r.angle for r in runs if (r.friction, r.rolling) == k], 1) for k in keys if k in mean), None))
    laws.append(study.Law("B09", "two pours differ by at most 1.5°", f"{max(spread.values()):.1f}°", "", None))
    study.write_csv(setting.path("repose.csv"), ["friction", "rolling_over_radius", "repetition", "angle", "height", "grains", "speed"],
                    [(r.case, [r.friction, r.rolling, r.case.row["repetition"], r.angle, r.height, r.grains, r.speed]) for r in runs])
    drawn = [plot.Plot("Friction", "μ", "slope [°]", (0, 0.7), (0, 40), (0, 0.2, 0.4, 0.6), range(0, 41, 10), logarithmic=False),
             plot.Plot("Rolling friction, μ = 0.6", "r/R", "slope [°]", (-0.01, 0.11), (0, 40), (0, 0.02, 0.05, 0.1), range(0, 41, 10), logarithmic=False)]
    plain = [r for r in runs if r.rolling == 0]
    rough = [r for r in runs if r.friction == 0.6]
    drawn[0].points([r.friction for r in plain], [r.angle for r in plain], 0, "each pile")
    drawn[1].points([r.rolling for r in rough], [r.angle for r in rough], 0, "each pile")
    plot.write(setting.path("repose.svg"), drawn)
    return study.Report(lines, laws)
