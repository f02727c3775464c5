# SPDX-License-Identifier: Apache-2.0
"""Parameter studies run by `talus batch`: what every case came to, and what the laws say about it."""
import csv
import dataclasses
import json
import os
import re
import subprocess

import h5py
import numpy as np

STUDENT = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131]  # 97.5 %


class Failed(Exception):
    pass


@dataclasses.dataclass
class Law:
    """A row of the table of laws."""
    case: str  # in the list of validation cases, "B07"
    law: str
    result: str
    interval: str
    holds: bool | None  # None: reported, not judged

    def verdict(self):
        return verdict(self.holds)


def verdict(holds):
    return "report only" if holds is None else "pass" if holds else "**FAIL**"


@dataclasses.dataclass
class Report:
    lines: list  # the study's part of the page
    laws: list


@dataclasses.dataclass
class Setting:
    """Where a study finds and leaves things."""
    program: str
    scenes: str
    work: str
    output: str
    workers: int = 1
    quick: bool = False

    def cases(self, name, small=None):
        """Runs scenes/studies/NAME.toml, with --quick the settings and axes `small` instead of its own."""
        source = os.path.join(self.scenes, "studies", f"{name}.toml")
        if self.quick:
            if small is None:
                return []
            source = smaller(source, self.work, small)
        return run(self.program, source, os.path.join(self.work, name), self.workers)

    def path(self, name):
        return os.path.join(self.output, name)


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

    def measure(self, name, *columns):
        """Columns of a measure; `time` is one of them."""
        with h5py.File(self.path, "r") as file:
            return [file[f"measures/{name}/{column}"][:] for column in columns]


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


def smaller(study, folder, text):
    """A study of the same scene with other settings and axes, for --quick."""
    with open(study) as file:
        scene = re.search(r'^scene\s*=\s*"(.*)"', file.read(), re.MULTILINE).group(1)
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
    tolerances = sorted({c.certificate["tolerance"] for c in cases})
    others = sorted({k["name"] for c in cases for k in c.certificate["criteria"] if not k["passed"]} - {"converged"})
    said = f"`talus check` certifies {passed} of {len(cases)} runs"
    if passed < len(cases):
        said += ", the rest fail " + ("by the steps that did not, and nothing else" if not others else "also in " + ", ".join(others))
    return (f"{steps - missed} of {steps} steps ({100 * (1 - missed / steps):.2f} %) converged to "
            f"{', '.join(f'{t:g}' for t in tolerances)}, the largest contact error of any step is {worst:.1e}, "
            f"the largest energy defect {defect:.0e}; {said}. "
            f"Processor time {sum(c.cpu for c in cases) / 60:.1f} min.")


def write_csv(path, columns, rows):
    """`rows`: of each case the case itself, and its values of the columns; what `talus check` found is added."""
    with open(path, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow([*columns, "steps", "unconverged", "max_error", "max_penetration", "certified", "cpu_s"])
        for case, values in rows:
            c = case.certificate
            table.writerow([f"{v:.6g}" if isinstance(v, float) else v for v in values]
                           + [c["steps"], c["unconverged_steps"], f"{c['max_error']:.3g}", f"{c['max_penetration']:.3g}",
                              int(c["passed"]), f"{case.cpu:.1f}"])


def interval(values):
    """Mean over seeds and half the width of its interval of 95 % (Student's distribution)."""
    values = np.asarray(values, float)
    if len(values) < 2:
        return float(np.mean(values)), float("nan")
    return float(np.mean(values)), float(STUDENT[min(len(values) - 2, len(STUDENT) - 1)] * np.std(values, ddof=1) / np.sqrt(len(values)))


def text_of(values, digits=3):
    mean, half = interval(values)
    return f"{mean:.{digits}f}" + ("" if np.isnan(half) else f" ± {half:.{digits}f}")


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
