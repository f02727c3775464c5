#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files of every version of the trajectory format can be read, and the present version is what runs write.

    formats.py TALUS           reads formats/1.*.h5.gz, each written by the program of its time from formats/scene.toml
    formats.py TALUS --keep    writes the file of the present version: once, when `format_minor` was raised

Standard library and h5py only.
"""
import csv
import gzip
import json
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

os.environ.setdefault("HDF5_USE_FILE_LOCKING", "FALSE")
import h5py

HERE = pathlib.Path(__file__).resolve().parent
FORMATS = HERE / "formats"
HEADER = (HERE.parent / "io/trajectory/format_version.hpp").read_text()
PRESENT = int(re.search(r"format_minor = (\d+)", HEADER)[1])
ADDED = re.findall(r'\{"(/[a-z_/]+)", (\d+), Before::(zero|unknown)\}', HEADER)
RAISE = "raise format_minor in io/trajectory/format_version.hpp and keep a file: tests/formats.py build/talus --keep"

errors = []


def need(ok, message):
    if not ok:
        errors.append(message)


def talus(*arguments, folder, expect=0):
    """Standard output and error of the program."""
    done = subprocess.run([PROGRAM, *arguments], cwd=folder, capture_output=True, text=True)
    need(done.returncode == expect, f"talus {' '.join(arguments)}: exit code {done.returncode}, expected {expect}: {done.stderr.strip()}")
    return done.stdout, done.stderr


def write_run(folder, name):
    shutil.copy(FORMATS / "scene.toml", folder)
    talus("run", "scene.toml", "-o", name, "--threads", "1", "--quiet", folder=folder)
    return folder / name


def layout(group, path=""):
    """Every link below a group: what it is, its type and width, its attributes."""
    described = {}
    for name in group:
        child, place = group[name], f"{path}/{name}"
        attributes = tuple(sorted((key, str(getattr(value, "dtype", type(value).__name__)).lstrip("<|")) for key, value in child.attrs.items()))
        if isinstance(child, h5py.Dataset):
            kind = child.dtype.str if child.dtype.kind in "iuf" else child.dtype.kind
            described[place] = (kind, child.shape[1:], attributes)
        else:
            described[place] = ("group", attributes)
            described.update(layout(child, place))
    return described


def all_of(file):
    """The layout of a file. Attributes of /meta/dependencies are names of libraries: they may change."""
    with h5py.File(file, "r") as run:
        described = layout(run) | {"/": tuple(sorted(run.attrs))}
    described.pop("/meta/dependencies")
    return described


def rows(folder, run, what):
    talus("export", run, "--to", "csv", "--what", what, "-o", f"{what}.csv", "--force", folder=folder)
    with open(folder / f"{what}.csv", newline="") as table:
        return list(csv.DictReader(table))


def check_kept(minor, folder):
    """The file says what the scheme says of a body in free fall: v = -g t, z = 5 - g t^2 / 2."""
    run = f"1.{minor}.h5"
    (folder / run).write_bytes(gzip.decompress((FORMATS / f"{run}.gz").read_bytes()))
    info = json.loads(talus("info", run, "--json", folder=folder)[0] or "{}")
    need(info.get("format") == f"1.{minor}", f"{run}: info says format {info.get('format')}")
    talus("check", run, folder=folder)
    falls = [row for row in rows(folder, run, "bodies") if row["name"] == "free"]
    need(len(falls) == 5, f"{run}: {len(falls)} frames of the falling body, expected 5")
    for row in falls:
        t = float(row["time"])
        need(abs(float(row["vz"]) + 9.81 * t) < 1e-12, f"{run}: v_z = {row['vz']} at t = {t}")
        need(abs(float(row["z"]) - 5 + 9.81 * t * t / 2) < 1e-12, f"{run}: z = {row['z']} at t = {t}")
    need(len(rows(folder, run, "series")) == 20, f"{run}: has not 20 steps")
    need(any(float(row["normal_force"]) > 0 for row in rows(folder, run, "contacts")), f"{run}: no contact pushes")
    talus("view", run, "-o", f"1.{minor}.html", folder=folder)
    if minor < PRESENT:
        _, said = talus("run", "scene.toml", "-o", run, "--resume", "--until", "0.03", folder=folder, expect=2)
        need(len(said.splitlines()) == 1, f"{run}: --resume said {said!r}")


def check_present(folder):
    """A run writes what the kept file of its version holds: whoever adds a column raises the version."""
    now, then = all_of(write_run(folder, "now.h5")), all_of(folder / f"1.{PRESENT}.h5")
    for path in sorted(now.keys() | then.keys()):
        need(now.get(path) == then.get(path), f"{path} is {now.get(path)}, in format 1.{PRESENT} it is {then.get(path)}; {RAISE}")


def check_added(folder):
    """A file without the columns that came later reads as the table in format_version.hpp says; in a later file they are missed."""
    oldest = min(int(since) for _, since, _ in ADDED) - 1
    shutil.copy(folder / f"1.{PRESENT}.h5", folder / "old.h5")
    with h5py.File(folder / "old.h5", "r+") as run:
        for path, _, _ in ADDED:
            if path in run:
                del run[path]
    _, said = talus("info", "old.h5", folder=folder, expect=2)
    need("old.h5: " in said, f"a file without its columns: {said!r}")
    with h5py.File(folder / "old.h5", "r+") as run:
        run.attrs["format_version"] = [1, oldest]
    steps = rows(folder, "old.h5", "series")
    need(len(steps) == 20, "a file of an early format has not 20 steps")
    for path, _, before in ADDED:
        column = path.rpartition("/")[2]
        if not path.startswith("/series/"):
            continue
        for step in steps:
            value = float(step[column])
            need(value == 0 if before == "zero" else math.isnan(value) or value == -1, f"{path} reads {value} where it is {before}")
    _, said = talus("check", "old.h5", folder=folder, expect=2)
    need("old.h5: has format 1." in said and "momentum_x" in said, f"check of a file that records too little: {said!r}")


def check_later(folder):
    """A later minor version only adds; a later major version is refused."""
    shutil.copy(folder / f"1.{PRESENT}.h5", folder / "later.h5")
    with h5py.File(folder / "later.h5", "r+") as run:
        run["series/of_the_future"] = [1.0] * 20
        run.attrs["format_version"] = [1, PRESENT + 7]
    need(f"format 1.{PRESENT + 7}:" in talus("info", "later.h5", folder=folder)[0], "info does not tell a later format")
    with h5py.File(folder / "later.h5", "r+") as run:
        run.attrs["format_version"] = [2, 0]
    _, said = talus("info", "later.h5", folder=folder, expect=2)
    need(said == "later.h5: trajectory format 2 is not known, this program reads 1\n", f"a later major version: {said!r}")


def main():
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        if sys.argv[2:] == ["--keep"]:
            kept = FORMATS / f"1.{PRESENT}.h5.gz"
            kept.write_bytes(gzip.compress(write_run(folder, kept.stem).read_bytes(), mtime=0))
            print(f"wrote {kept}")
        else:
            shutil.copy(FORMATS / "scene.toml", folder)
            kept = sorted(int(path.name.split(".")[1]) for path in FORMATS.glob("1.*.h5.gz"))
            for minor in kept:
                check_kept(minor, folder)
            if kept == list(range(2, PRESENT + 1)):
                check_present(folder)
                check_added(folder)
                check_later(folder)
            else:
                errors.append(f"kept are files of the minor versions {kept}, not 2 to {PRESENT}: tests/formats.py build/talus --keep")
    print("\n".join(errors) or f"formats 1.2 to 1.{PRESENT} are read")
    return 1 if errors else 0


PROGRAM = os.path.abspath(sys.argv[1])
if __name__ == "__main__":
    sys.exit(main())
