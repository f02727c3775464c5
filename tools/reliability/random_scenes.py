# SPDX-License-Identifier: Apache-2.0
"""Random scenes: judged by a plain oracle, with more far away, and seen turned, moved, mirrored, renumbered and in other units."""
import os
import subprocess

from kit import experiment

SCENES = 500  # of a trial


def failed_scenes(kit, trial, *cases):
    """None, or the scenes that fail the test cases of these names."""
    program = os.path.join(os.path.dirname(kit.talus), "tests", "test_random")
    # Behind the seeds that every test run tries.
    seeds = {"TALUS_RANDOM_SEED": str(10000 + SCENES * trial), "TALUS_RANDOM_SCENES": str(SCENES)}
    run = subprocess.run([program, "--no-intro", "--test-case=" + ",".join(f"*{case}*" for case in cases)],
                         env={**os.environ, **seeds}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                         errors="replace", timeout=600, cwd=kit.folder)
    if run.returncode == 0:
        return None
    (kit.folder / "failures.txt").write_text(run.stdout)
    failed = [line.partition("MESSAGE: ")[2] for line in run.stdout.splitlines() if "MESSAGE: seed" in line]
    return f"{len(failed)} scenes, shown in {kit.folder}/failures.txt: {'; '.join(failed[:3])}"


@experiment("500 random scenes: every step obeys the laws of contact, judged by a plain oracle", trials=20)
def laws(kit, trial):
    return failed_scenes(kit, trial, "obeys the laws of contact")


@experiment("500 random scenes with bodies, slack ropes, stops and walls far away: the same bits", trials=20)
def far_away(kit, trial):
    return failed_scenes(kit, trial, "change nothing")


@experiment("500 random scenes turned, moved and in other units: the same motion", trials=20)
def other_view(kit, trial):
    return failed_scenes(kit, trial, "a turned scene", "at another place", "in other units")


@experiment("500 random scenes in a mirror, and with other numbers of bodies: the same motion", trials=20)
def other_order(kit, trial):
    return failed_scenes(kit, trial, "in a mirror", "other numbers")


@experiment("500 random scenes in units that are powers of two: the same bits", trials=20)
def powers_of_two(kit, trial):
    return failed_scenes(kit, trial, "powers of two")


@experiment("500 random scenes from a moving frame: the same motion", trials=20)
def moving_frame(kit, trial):
    return failed_scenes(kit, trial, "moving frame")
