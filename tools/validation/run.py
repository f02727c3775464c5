#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Validation studies: many runs against a published law, fitted, drawn and written into docs/validation/.

    tools/validation/run.py beverloo      # discharge of a silo in the plane, over the opening
    tools/validation/run.py collapse      # columns in the plane, over their height
    tools/validation/run.py collapse3d    # round columns
    tools/validation/run.py all --quick   # small versions, a minute or two in all; leaves docs/ as it is

Needs python3-h5py and python3-numpy. The studies are those of scenes/studies/, run by `talus batch` into --work; what is complete
there is not run again. Each subcommand writes NAME.csv (a line per run) and NAME.svg, and its part of docs/validation/README.md.
Exit code 0 when all laws hold, 3 when one does not, 1 when something could not be run; small versions are too small for the laws, and pass if they run.
"""
import argparse
import os
import sys

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[variable] = "1"
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, HERE)

from beverloo import beverloo
from collapse import collapse, collapse3d
from study import Failed

STUDIES = {"beverloo": beverloo, "collapse": collapse, "collapse3d": collapse3d}


def put_into_page(path, name, lines):
    """Replaces what stands between the marks of a study."""
    with open(path) as file:
        text = file.read()
    opening, closing = f"<!-- {name}: written by tools/validation/run.py -->", f"<!-- end of {name} -->"
    before, rest = text.split(opening)
    after = rest.split(closing)[1]
    with open(path, "w") as file:
        file.write(before + opening + "\n" + "\n".join(lines) + "\n" + closing + after)


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
    failed = False
    for name in STUDIES if arguments.study == "all" else [arguments.study]:
        try:
            lines = STUDIES[name](arguments.talus, os.path.join(ROOT, "scenes"), work, arguments.workers, arguments.quick, output)
        except (Failed, OSError) as reason:
            print(f"{name}: {reason}", file=sys.stderr)
            return 1
        if not arguments.quick:
            put_into_page(os.path.join(output, "README.md"), name, lines)
        print("\n".join(lines))
        failed = failed or any("**FAIL**" in line for line in lines)
    return 3 if failed and not arguments.quick else 0


if __name__ == "__main__":
    sys.exit(main())
