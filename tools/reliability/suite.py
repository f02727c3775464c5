# SPDX-License-Identifier: Apache-2.0
"""The built tests, with every core kept busy by another process. One trial is one run of them.

Twenty runs of the whole suite, which take hours: tools/reliability/run.py --only suite/whole --scale 10
"""
import contextlib
import os
import re
import subprocess
import sys

from kit import experiment

LIMIT = 3600  # s, of a trial


@contextlib.contextmanager
def busy_cores():
    spinning = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(os.cpu_count())]
    try:
        yield
    finally:
        for process in spinning:
            process.kill()
            process.wait()


def failed_tests(kit, *selection):
    """None, or the names of the tests that failed; what they printed is left beside the trial."""
    command = ["ctest", "--test-dir", os.path.dirname(kit.talus), "-j", str(os.cpu_count()), "--no-tests=error",
               "--output-on-failure", *selection]
    with busy_cores():
        run = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                             timeout=LIMIT)
    if run.returncode == 0:
        return None
    (kit.folder / "failures.txt").write_text(run.stdout + run.stderr)
    names = re.findall(r"^\s*\d+ - (\S+) \(", run.stdout, re.MULTILINE)
    return f"{', '.join(names) or 'ctest itself'}, shown in {kit.folder}/failures.txt"


@experiment("tests of files and of the program, all cores busy", trials=2)
def files_and_program(kit, _):
    return failed_tests(kit, "-R", "^(io|program)/")


@experiment("the whole test suite, all cores busy", trials=2)
def whole(kit, _):
    return failed_tests(kit)
