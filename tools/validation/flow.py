# SPDX-License-Identifier: Apache-2.0
"""The rheology of dense flows in the plane: friction and solid fraction over the inertial number."""
import numpy as np

import plot
import study

STEADY = 0.4  # part of a run after which the flow is steady
SMALL = """set = ["packing.0.count=60", "cell.size=[0.104, 0.104]", "packing.0.region.box=[0.103, 0.103]", "packing.0.position=[0.052, 0]"]

[[axis]]
name   = "I"
values = ["0.1", "0.2"]
set    = [["cell.velocity_gradient=[[0, 10], [0, 0]]", "time.step=5e-4", "time.end=0.3"],
          ["cell.velocity_gradient=[[0, 20], [0, 0]]", "time.step=5e-4", "time.end=0.25"]]

[[repeat]]
seeds = 2
"""


class Flow:
    """One run: means over its steady part."""

    def __init__(self, case):
        self.case = case
        time, solid, xy, kinetic_xy, yy, kinetic_yy = case.measure(
            "cell", "time", "solid_fraction", "stress_xy", "kinetic_stress_xy", "stress_yy", "kinetic_stress_yy")
        steady = time > STEADY * time[-1]
        self.inertial = case.value("I")
        self.strain = 100 * self.inertial * (time[-1] - time[steady][0])
        self.pressure = float(np.mean((yy + kinetic_yy)[steady]))
        self.friction = float(-np.mean((xy + kinetic_xy)[steady]) / self.pressure)
        self.solid = float(np.mean(solid[steady]))


def flow(setting):
    runs = [Flow(c) for c in setting.cases("flow", SMALL)]
    numbers = sorted({r.inertial for r in runs})
    lines = ["| I | strain averaged over | μ*, mean over packings | 0.25 + 1.1 I | solid fraction | 0.81 − 0.3 I | mean pressure over the imposed |", "|---|---|---|---|---|---|---|"]
    off = {"friction": [], "solid": []}
    for I in numbers:
        these = [r for r in runs if r.inertial == I]
        friction, solid = ([getattr(r, what) for r in these] for what in ("friction", "solid"))
        off["friction"].append(np.mean(friction) - (0.25 + 1.1 * I))
        off["solid"].append(np.mean(solid) - (0.81 - 0.3 * I))
        lines.append(f"| {I:g} | {these[0].strain:.1f} | {study.text_of(friction)} | {0.25 + 1.1 * I:.3f} | {study.text_of(solid)} | {0.81 - 0.3 * I:.3f} | "
                     f"{np.mean([r.pressure for r in these]) / 1000:.3f} |")
    lines += ["", study.certified([r.case for r in runs])]
    laws = []
    for what, title in (("friction", "μ(I) in the plane: 0.25 + 1.1 I ± 0.03"), ("solid", "solid fraction 0.81 − 0.3 I ± 0.03")):
        worst = int(np.argmax(np.abs(off[what])))
        half = study.interval([getattr(r, what) for r in runs if r.inertial == numbers[worst]])[1]
        laws.append(study.Law("B04", f"{title}, I = {numbers[0]:g} to {numbers[-1]:g}", f"worst {off[what][worst]:+.3f}, at I = {numbers[worst]:g}",
                              f"{off[what][worst]:+.3f} ± {half:.3f}", abs(off[what][worst]) <= 0.03))
    study.write_csv(setting.path("flow.csv"), ["I", "repetition", "strain", "friction", "solid_fraction", "pressure"],
                    [(r.case, [r.inertial, r.case.row["repetition"], r.strain, r.friction, r.solid, r.pressure]) for r in runs])
    drawn = [plot.Plot("Friction of the flow", "I", "μ*", (0, 0.22), (0.2, 0.55), (0, 0.05, 0.1, 0.15, 0.2), (0.2, 0.3, 0.4, 0.5), logarithmic=False),
             plot.Plot("Solid fraction", "I", "φ", (0, 0.22), (0.72, 0.86), (0, 0.05, 0.1, 0.15, 0.2), (0.72, 0.76, 0.8, 0.84), logarithmic=False)]
    for picture, what, law in ((drawn[0], "friction", lambda I: 0.25 + 1.1 * I), (drawn[1], "solid", lambda I: 0.81 - 0.3 * I)):
        picture.points([r.inertial for r in runs], [getattr(r, what) for r in runs], 0, "measured")
        picture.line(law, 0.001, 0.21, 1, "da Cruz et al. 2005")
        for shift in (-0.03, 0.03):
            picture.line(lambda I, shift=shift: law(I) + shift, 0.001, 0.21, 4, "± 0.03" if shift > 0 else "", dashes="4 3")
    plot.write(setting.path("flow.svg"), drawn)
    return study.Report(lines, laws)
