# SPDX-License-Identifier: Apache-2.0
"""Runs that are stopped, killed, resumed, made longer and changed on the way, in a random order."""
import signal
import time

from kit import differences, experiment

SCENE = """
time = { step = 1e-3, end = 0.3, save_every = 7 }
dimension = 2
gravity = [0, -9.81]

[material.stone]
density = 2500
friction = 0.5

[[body]]
name = "floor"
shape = { halfspace = [0, 1] }
material = "stone"
fixed = true

[[grid]]
shape = { ball = 0.01 }
counts = [6, 6]
spacing = [0.0205, 0.03]
jitter = 0.0002
position = [0, 0.02]
material = "stone"
"""
END = 0.3  # [s]


def steps(run):
    """How many steps a run has come, 0 without a file."""
    import h5py
    if not run.exists():
        return 0
    with h5py.File(run, "r") as file:
        return len(file["series/time"])


def one_line(outcome):
    return outcome.returncode == 2 and len(outcome.stderr.strip().splitlines()) == 1


@experiment("a run stopped, killed, resumed, made longer and changed at random: the same bits or one line", trials=40)
def at_random(kit, trial):
    rng, run = kit.rng, kit.folder / "run.h5"
    scene = kit.folder / "scene.toml"
    scene.write_text(SCENE)
    common = ["--quiet", "--checkpoint-interval", "0.05"]
    begin = kit.run("run", scene, "-o", kit.folder / "whole.h5", *common)
    if begin.returncode != 0:
        return begin.stderr

    def command(*more):
        return ["run", scene, "-o", run, "--resume", "--threads", rng.choice([1, 2, 3]), *common, *more]

    for _ in range(rng.randrange(1, 6)):
        scene.write_text(f"# read {rng.random()}\n" + SCENE)  # a comment makes no difference
        way = rng.choice(["stop", "kill", "term", "until", "other scene", "earlier"])
        if way == "stop":
            outcome = kit.run(*command("--until", END, "--stop-after", f"{rng.uniform(0, 0.1)}s"))
            if outcome.returncode != 0:
                return f"stop: {outcome.stderr}"
        elif way == "until":
            outcome = kit.run(*command("--until", round(rng.uniform(0.01, END), 3)))
            if outcome.returncode != 0 and not one_line(outcome):
                return f"until: {outcome.returncode} {outcome.stderr}"
        elif way in ("kill", "term"):
            process = kit.start(*command("--until", END))
            time.sleep(rng.uniform(0, 0.2))
            process.send_signal(signal.SIGKILL if way == "kill" else signal.SIGTERM)
            process.wait()
        elif steps(run) > 1:
            before = run.read_bytes()
            change = (["--set", "material.stone.friction=0.4"] if way == "other scene" else ["--until", "0.001"])
            outcome = kit.run(*command(*change))
            if not one_line(outcome) or run.read_bytes() != before:
                return f"{way}: {outcome.returncode} {outcome.stderr}"
    end = kit.run(*command("--until", END))
    if end.returncode != 0:
        return f"to the end: {end.stderr}"
    if differing := [name for name in differences(kit.folder / "whole.h5", run) if name != "meta/scene"]:
        return f"differs in {differing[:4]}"
    return None
