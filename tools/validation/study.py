# SPDX-License-Identifier: Apache-2.0
"""Parameter studies run by `talus batch`, and what every case of them came to."""
import csv
import json
import os
import subprocess

import h5py
import numpy as np


class Failed(Exception):
    pass


class Case:
    """One run of a study: its values on the axes, its trajectory, its certificate."""

    def __init__(self, program, folder, row):
        self.row = row
        self.folder = os.path.join(folder, f"case-{int(row['case']):04d}")
        self.path = os.path.join(self.folder, "run.h5")
        with open(os.path.join(self.folder, "figures.json")) as file:
            self.cpu = json.load(file)["cpu_s"]
        self.certificate = certificate(program, self.folder, self.path)

    def value(self, axis):
        return float(self.row[axis])


def certificate(program, folder, path):
    """What `talus check` says of a run; kept beside it, for it reads the whole file."""
    kept = os.path.join(folder, "check.json")
    if not os.path.exists(kept) or os.path.getmtime(kept) < os.path.getmtime(path):
        said = subprocess.run([program, "check", "--json", path], capture_output=True, text=True)
        if said.returncode not in (0, 3):
            raise Failed(said.stderr.strip() or said.stdout.strip())
        with open(kept, "w") as file:
            file.write(said.stdout.strip().splitlines()[-1])
    with open(kept) as file:
        return json.load(file)


def run(program, study, folder, workers):
    """Runs what is not complete yet; the cases of the study, in their order."""
    command = [program, "batch", study, "-o", folder, "--workers", str(workers), "--threads", "1"]
    if subprocess.run(command).returncode not in (0, 3):  # 3: complete, with steps that missed the tolerance
        raise Failed(f"{' '.join(command)}: not all cases are complete; the same command goes on")
    with open(os.path.join(folder, "summary.csv"), newline="") as file:
        return [Case(program, folder, row) for row in csv.DictReader(file)]


def smaller(study, folder, scene, text):
    """A study of the same scene with other axes, for --quick."""
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, os.path.basename(study))
    text = f'scene = "{os.path.relpath(os.path.join(os.path.dirname(study), scene), folder)}"\n' + text
    if not os.path.exists(path) or open(path).read() != text:
        with open(path, "w") as file:
            file.write(text)
    return path


def certified(cases):
    """A sentence about the certificates of all cases."""
    steps = sum(c.certificate["steps"] for c in cases)
    missed = sum(c.certificate["unconverged_steps"] for c in cases)
    passed = sum(c.certificate["passed"] for c in cases)
    worst = max(c.certificate["max_error"] for c in cases)
    defect = max(c.certificate["energy_defect"] for c in cases)
    others = sorted({k["name"] for c in cases for k in c.certificate["criteria"] if not k["passed"]} - {"converged"})
    verdict = f"`talus check` certifies {passed} of {len(cases)} runs"
    if passed < len(cases):
        verdict += ", the rest fail " + ("by the steps that did not, and nothing else" if not others else "also in " + ", ".join(others))
    return (f"{steps - missed} of {steps} steps ({100 * (1 - missed / steps):.2f} %) converged to "
            f"{cases[0].certificate['tolerance']:g}, the largest contact error of any step is {worst:.1e}, "
            f"the largest energy defect {defect:.0e}; {verdict}. "
            f"Processor time {sum(c.cpu for c in cases) / 60:.1f} min.")


class Frames:
    """Positions of the free bodies of a run, all balls, frame by frame."""

    def __init__(self, path):
        with h5py.File(path, "r") as file:
            self.dimension = int(file.attrs["dim"])
            self.time = file["frames/time"][:]
            free = file["bodies/fixed"][:] == 0
            everything = file["state/position"][:len(self.time) * len(free)]
            self.radius = file["bodies/radius"][:][free]
            self.position = everything.reshape(len(self.time), len(free), 3)[:, free]


def power_law(x, y):
    """Exponent and prefactor of y = C x^n by least squares of the logarithms, and the error of the exponent."""
    x, y = np.log(x), np.log(y)
    n = np.cov(x, y)[0, 1] / np.var(x, ddof=1)
    rest = y - y.mean() - n * (x - x.mean())
    error = np.sqrt(np.sum(rest**2) / max(len(x) - 2, 1) / np.sum((x - x.mean())**2))
    return n, float(np.exp(y.mean() - n * x.mean())), error
