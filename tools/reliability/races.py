# SPDX-License-Identifier: Apache-2.0
"""Several programs that write one output at the same moment."""
import subprocess
import time

from kit import differences, experiment

SCENE = "chute.toml"
REFUSALS = ("another program is writing it", "exists already", "holds a run of another scene")


def command(kit, seed, output, *how):
    return ("run", kit.scenes / SCENE, "--until", "0.2", "--quiet", "--threads", "1", "-o", output,
            "--set", f"emitter.0.seed={seed}", *how)


def together(kit, commands, pause=0.0):
    """Starts all of them, a pause apart, and returns their exit codes and what they said."""
    processes = []
    for one in commands:
        processes.append(kit.start(*one, stderr=subprocess.PIPE, text=True))
        time.sleep(pause)
    return [(process, process.communicate(timeout=120)[1]) for process in processes]


def race(kit, how, pause):
    seeds = (1, 2, 3)
    for seed in seeds:
        alone = kit.run(*command(kit, seed, f"alone{seed}.h5"))
        if alone.returncode != 0:
            return f"alone: {alone.stderr}"
    if how == ("--force",):
        kit.run(*command(kit, 9, "run.h5"))
    ended = together(kit, [command(kit, seed, "run.h5", *how) for seed in seeds], pause)
    succeeded = [seed for seed, (process, _) in zip(seeds, ended) if process.returncode == 0]
    for process, said in ended:
        refused = process.returncode == 2 and said.count("\n") == 1 and any(text in said for text in REFUSALS)
        if process.returncode != 0 and not refused:
            return f"exit code {process.returncode}: {said}"
    if not succeeded or (how != ("--force",) and len(succeeded) > 1):
        return f"{len(succeeded)} of {len(seeds)} succeeded"
    if not any(not differences(kit.folder / f"alone{seed}.h5", kit.folder / "run.h5") for seed in succeeded):
        return "the file is of none that succeeded"
    check = kit.run("check", "run.h5")
    if check.returncode != 0:
        return f"check: {check.stderr}{check.stdout}"
    left = sorted(path.name for path in kit.folder.glob("run.*") if ".part" in path.name or "journal" in path.name)
    return f"left over: {left}" if left else None


@experiment("three programs begin one run within 0 to 60 ms", trials=40)
def begin(kit, trial):
    return race(kit, (), kit.rng.uniform(0, 0.02) if trial % 2 else 0)


@experiment("three programs overwrite one run with --force within 0 to 60 ms", trials=40)
def overwrite(kit, trial):
    return race(kit, ("--force",), kit.rng.uniform(0, 0.02) if trial % 2 else 0)


@experiment("three programs resume one run within 0 to 60 ms", trials=40)
def resume(kit, trial):
    return race(kit, ("--resume",), kit.rng.uniform(0, 0.02) if trial % 2 else 0)


@experiment("two programs resume one stopped run at the same moment", trials=40)
def resume_stopped(kit, trial):
    whole = kit.run(*command(kit, 1, "whole.h5"))
    stopped = kit.run(*command(kit, 1, "run.h5", "--stop-after", "0.05s", "--checkpoint-interval", "0.02"))
    if whole.returncode != 0 or stopped.returncode != 0:
        return f"{whole.stderr}{stopped.stderr}"
    ended = together(kit, [command(kit, 1, "run.h5", "--resume")] * 2)
    for process, said in ended:
        if process.returncode != 0 and not (process.returncode == 2 and "another program is writing it" in said):
            return f"exit code {process.returncode}: {said}"
    differ = differences(kit.folder / "whole.h5", kit.folder / "run.h5")
    return f"differs: {differ}" if differ else None
