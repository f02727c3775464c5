# SPDX-License-Identifier: Apache-2.0
"""kill -9 at any moment of a run or a study, then --resume: the result is that of the run left alone."""
import os
import signal
import subprocess
import time

from kit import differences, experiment

OPTIONS = ("--quiet", "--threads", "1", "--checkpoint-interval", "0.02")
STUDY = """scene = "base.toml"
set = ["time.end=0.1"]
[[axis]]
name = "seed"
key = "emitter.0.seed"
values = [1, 2, 3]
"""


def killed_after(process, seconds):
    """Whether the process, which leads a group of its own, was still there to be killed."""
    try:
        process.wait(timeout=seconds)
        return False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True


def kill_and_resume(kit, longest):
    """Kills a run, and attempts to resume it, up to four times; the last attempt is left alone."""
    scene = (kit.scenes / "chute.toml", "--until", "0.4")
    whole = kit.run("run", *scene, *OPTIONS, "-o", "whole.h5")
    if whole.returncode != 0:
        return whole.stderr
    for _ in range(kit.rng.randint(1, 4)):
        process = kit.start("run", *scene, *OPTIONS, "-o", "run.h5", "--resume", start_new_session=True)
        killed_after(process, kit.rng.uniform(0, longest))
        if (kit.folder / "run.h5").exists() and kit.run("info", "run.h5").returncode != 0:
            return "killed, its file cannot be read"
    rest = kit.run("run", *scene, *OPTIONS, "-o", "run.h5", "--resume")
    if rest.returncode != 0:
        return f"--resume: exit code {rest.returncode}: {rest.stderr}"
    differ = differences(kit.folder / "whole.h5", kit.folder / "run.h5")
    left = sorted(path.name for path in kit.folder.glob("run.*") if path.suffix in (".part", ".journal"))
    return f"differs: {differ}" if differ else f"left over: {left}" if left else None


@experiment("kill -9 within the first 50 ms of a run or of its resumptions", trials=80)
def at_the_beginning(kit, trial):
    return kill_and_resume(kit, 0.05)


@experiment("kill -9 at any moment of a run or of its resumptions", trials=80)
def at_any_moment(kit, trial):
    return kill_and_resume(kit, 0.6)


@experiment("kill -9 of a study, of the program alone or with all its cases", trials=30)
def of_a_study(kit, trial):
    (kit.folder / "base.toml").write_text((kit.scenes / "chute.toml").read_text())
    (kit.folder / "study.toml").write_text(STUDY)
    whole = kit.run("batch", "study.toml", "-o", "whole")
    if whole.returncode != 0:
        return whole.stderr
    process = kit.start("batch", "study.toml", "-o", "cases", start_new_session=True)
    time.sleep(kit.rng.uniform(0, 0.4))
    (os.killpg if kit.rng.random() < 0.5 else os.kill)(process.pid, signal.SIGKILL)
    process.wait()
    for _ in range(100):  # cases whose parent is gone come to their end
        rest = kit.run("batch", "study.toml", "-o", "cases")
        if "another program is writing it" not in rest.stderr:
            break
        time.sleep(0.1)
    if rest.returncode != 0:
        return f"exit code {rest.returncode}: {rest.stderr}"
    for case in sorted((kit.folder / "whole").glob("case-*")):
        differ = differences(case / "run.h5", kit.folder / "cases" / case.name / "run.h5")
        if differ:
            return f"{case.name} differs: {differ}"
    return None
