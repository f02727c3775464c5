"""Random scenes judged by a plain oracle, and seen turned, moved, mirrored, renumbered and in other units."""
import os
import subprocess

from kit import experiment

SCENES = 500  # of a trial


@experiment("500 random scenes against a plain oracle and under changes of view", trials=20)
def random_scenes(kit, trial):
    program = os.path.join(os.path.dirname(kit.talus), "tests", "test_random")
    # Behind the seeds that every test run tries.
    seeds = {"TALUS_RANDOM_SEED": str(10000 + SCENES * trial), "TALUS_RANDOM_SCENES": str(SCENES)}
    run = subprocess.run([program, "--no-intro"], env={**os.environ, **seeds}, stdin=subprocess.DEVNULL,
                         capture_output=True, text=True, errors="replace", timeout=600, cwd=kit.folder)
    if run.returncode == 0:
        return None
    (kit.folder / "failures.txt").write_text(run.stdout)
    failed = [line.partition("MESSAGE: ")[2] for line in run.stdout.splitlines() if "MESSAGE: seed" in line]
    return f"{len(failed)} scenes, shown in {kit.folder}/failures.txt: {'; '.join(failed[:3])}"
