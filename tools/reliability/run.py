#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tries to break Talus, and prints what was tried and what failed.

    tools/reliability/run.py [--scale X] [--talus PROGRAM] [--only TEXT] [--without TEXT] [--write docs/reliability.md]

--scale 0.1 makes a tenth of the trials. Every trial has a seed of its own, so that a failed one can be made again:
its number is printed. Needs h5py (Debian: python3-h5py). Exit code 1 if anything failed.
"""
import argparse
import importlib
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

here = pathlib.Path(__file__).resolve().parent
root = here.parent.parent
sys.path.insert(0, str(here))
import kit  # noqa: E402


def trial(experiment, number, options, folder):
    """None, or what went wrong."""
    place = folder / experiment.name.replace("/", "-") / str(number)
    place.mkdir(parents=True)
    try:
        failure = experiment.function(kit.Kit(options.talus, root / "scenes", place, experiment.name, number), number)
    except subprocess.TimeoutExpired as late:
        failure = f"no end after {late.timeout} s"
    except Exception as error:  # an experiment that cannot be made has failed
        failure = f"{type(error).__name__}: {error}"
    if failure is None:
        shutil.rmtree(place, ignore_errors=True)
    return failure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--talus", type=pathlib.Path, default=root / "build/talus")
    parser.add_argument("--scale", type=float, default=1.0, help="part of the trials to make [1]")
    parser.add_argument("--only", default="", help="experiments whose name contains this text")
    parser.add_argument("--without", metavar="TEXT", help="leaves out experiments whose name contains this text")
    parser.add_argument("--trial", type=int, help="this trial only")
    parser.add_argument("--write", type=pathlib.Path, help="put the table into this page, between its markers")
    options = parser.parse_args()
    options.talus = options.talus.resolve()
    for path in sorted(here.glob("*.py")):
        if path.stem not in ("kit", "run"):
            importlib.import_module(path.stem)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="talus-reliability-"))
    rows, failed = [], 0
    for experiment in kit.experiments:
        if options.only not in experiment.name or (options.without and options.without in experiment.name):
            continue
        trials = [options.trial] if options.trial is not None else range(max(1, round(experiment.trials * options.scale)))
        failures, start = [], time.monotonic()
        for number in trials:
            failure = trial(experiment, number, options, folder)
            if failure:
                failures.append((number, failure))
                print(f"  {experiment.name} trial {number}: {failure}", flush=True)
        failed += len(failures)
        rows.append(f"| {experiment.title} | {experiment.name} | {len(trials)} | {len(failures)} |")
        print(f"{rows[-1]} {time.monotonic() - start:.0f} s", flush=True)
    if options.write:
        page = options.write.read_text()
        begin, end = "<!-- table -->\n", "<!-- end of table -->"
        head, tail = page.partition(begin)[0], page.partition(end)[2]
        table = "| tried | experiment | times | failed |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"
        options.write.write_text(head + begin + table + end + tail)
    if not failed:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        print(f"what failed is left in {folder}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
