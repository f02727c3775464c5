#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Validation studies: many runs against a published law, fitted, drawn and written into docs/validation/.

    tools/validation/run.py cooling       # one study: its part of the page, its rows of the table, NAME.csv and NAME.svg
    tools/validation/run.py all --quick   # small versions, a few minutes in all; leaves docs/ as it is

Needs python3-h5py and python3-numpy. The studies are those of scenes/studies/, run by `talus batch` into --work; what is complete
there is not run again. Exit code 0 when all laws hold, 3 when one does not, 1 when something could not be run; small versions are too
small for the laws, and pass if they run.
"""
import argparse
import csv
import os
import sys

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[variable] = "1"
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)

from beverloo import beverloo
from collapse import collapse, collapse3d
from cooling import cooling
from crater import crater
from flow import flow
from forces import forces
from janssen import janssen
from packing import packing
from repose import repose
from study import Failed, Law, Setting

# The order of the page. `crater` needs what `repose` found.
STUDIES = {"beverloo": beverloo, "janssen": janssen, "collapse3d": collapse3d, "collapse": collapse, "flow": flow, "packing": packing,
           "forces": forces, "cooling": cooling, "repose": repose, "crater": crater}
TABLE = "laws.csv"


def put_into_page(path, name, lines):
    """Replaces what stands between the marks of a part of the page."""
    with open(path) as file:
        text = file.read()
    opening, closing = f"<!-- {name}: written by tools/validation/run.py -->", f"<!-- end of {name} -->"
    before, rest = text.split(opening)
    after = rest.split(closing)[1]
    with open(path, "w") as file:
        file.write(before + opening + "\n" + "\n".join(lines) + "\n" + closing + after)


def laws_of_all(path, name, laws):
    """The table of laws by study, with the rows of one of them replaced."""
    rows = {study: [] for study in STUDIES}
    if os.path.exists(path):
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                rows[row.pop("study")].append(Law(**{**row, "holds": {"pass": True, "report only": None}.get(row["holds"], False)}))
    rows[name] = laws
    with open(path, "w", newline="") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["study", "case", "law", "result", "interval", "holds"])
        for study, these in rows.items():
            for law in these:
                table.writerow([study, law.case, law.law, law.result, law.interval, law.verdict().strip("*")])
    return rows


def table_of(rows):
    lines = ["| case | law | result | interval over seeds | | study |", "|---|---|---|---|---|---|"]
    every = [(law, study) for study, these in rows.items() for law in these]
    return lines + [f"| {law.case} | {law.law} | {law.result} | {law.interval} | {law.verdict()} | `{study}` |"
                    for law, study in sorted(every, key=lambda entry: entry[0].case)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("study", choices=[*STUDIES, "all"])
    parser.add_argument("--talus", default=os.path.join(ROOT, "build", "talus"), help="program to validate")
    parser.add_argument("--work", default=os.path.join(ROOT, "build", "validation"), help="folder of the runs")
    parser.add_argument("--workers", type=int, default=1, help="runs at a time, each on one thread")
    parser.add_argument("--quick", action="store_true", help="small versions, into the work folder alone")
    arguments = parser.parse_args()
    work = os.path.join(arguments.work, "quick") if arguments.quick else arguments.work
    output = work if arguments.quick else os.path.join(ROOT, "docs", "validation")
    os.makedirs(output, exist_ok=True)
    os.makedirs(work, exist_ok=True)
    setting = Setting(arguments.talus, os.path.join(ROOT, "scenes"), work, output, arguments.workers, arguments.quick)
    failed = False
    for name in STUDIES if arguments.study == "all" else [arguments.study]:
        try:
            report = STUDIES[name](setting)
        except (Failed, OSError) as reason:
            print(f"{name}: {reason}", file=sys.stderr)
            return 1
        rows = laws_of_all(os.path.join(output, TABLE), name, report.laws)
        if not arguments.quick:
            page = os.path.join(output, "README.md")
            put_into_page(page, name, [f"![Measured values and the law]({name}.svg)", "", *report.lines])
            put_into_page(page, "laws", table_of(rows))
        print("\n".join([*report.lines, "", *table_of({name: report.laws})]))
        failed = failed or any(law.holds is False for law in report.laws)
    return 3 if failed and not arguments.quick else 0


if __name__ == "__main__":
    sys.exit(main())
