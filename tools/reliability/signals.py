# SPDX-License-Identifier: Apache-2.0
"""Signals at random moments of a run's or a study's life, its resumption included; the result is that of an undisturbed one.

Whatever ends a run, by itself or at once, `--resume` goes on; signals that are no reason to end do not end it.
"""
import atexit
import functools
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from kit import differences, experiment

ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGXCPU, signal.SIGUSR2]  # with a checkpoint
KILLING = [signal.SIGKILL, signal.SIGQUIT, signal.SIGALRM]  # at once
HARMLESS = [signal.SIGUSR1, signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCONT, signal.SIGWINCH, signal.SIGSTOP]

CHANGES = ["--set", "time.end=0.2", "--set", "time.save_every=4", "--threads", "1", "--quiet", "--checkpoint-interval", "0.05"]
STUDY = """scene = "chute.toml"
set = ["time.end=0.15", "time.save_every=4"]
[[axis]]
name = "seed"
key = "emitter.0.seed"
values = [1, 2, 3]
"""


@functools.lru_cache
def undisturbed(talus, scenes):
    """A folder with the run and the study as they should be, and the seconds that each took."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="talus-undisturbed-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "chute.toml").write_bytes((scenes / "chute.toml").read_bytes())
    (folder / "study.toml").write_text(STUDY)
    seconds = []
    for command in (["run", "chute.toml", "-o", "run.h5", *CHANGES], ["batch", "study.toml", "-o", "cases", "--workers", "2"]):
        start = time.monotonic()
        subprocess.run([talus, *command], cwd=folder, check=True, stdin=subprocess.DEVNULL, capture_output=True)
        seconds.append(time.monotonic() - start)
    return folder, *seconds


def takes(process, one):
    """Whether the program has begun to take a signal, or to ignore it: before, it ends at once."""
    try:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    except OSError:
        return False
    masks = [int(line.split()[1], 16) for line in status.splitlines() if line.startswith(("SigCgt:", "SigIgn:"))]
    return any(mask >> (one - 1) & 1 for mask in masks)


def disturbed(kit, command, seconds, patience=60):
    """Starts a command and sends it signals until it ends: what is wrong with its end, or None, and whether it ran to its end."""
    process = kit.start(*command)
    started = time.monotonic()
    sent, expected = [], {0}
    try:
        while process.poll() is None:
            time.sleep(kit.rng.uniform(0, seconds) if kit.rng.random() < 0.7 else kit.rng.uniform(0, 0.05))
            if process.poll() is not None:
                break
            one = kit.rng.choice(kit.rng.choice([ENDING, KILLING, HARMLESS, HARMLESS]))
            sent.append(one.name)
            if one in KILLING or (one in (*ENDING, signal.SIGUSR1, signal.SIGPIPE, signal.SIGXFSZ) and not takes(process, one)):
                expected.add(-one)
            if one in ENDING:
                expected.add(128 + one)
            process.send_signal(one)
            if one == signal.SIGSTOP:
                time.sleep(0.02)
                process.send_signal(signal.SIGCONT)
            if one not in HARMLESS:
                process.wait(patience)
            if time.monotonic() - started > patience:
                return f"no end after {patience} s", False
        code = process.wait(patience)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    # Cases of a study that was killed may still be ending: they are refused, and run by the next attempt.
    if any("another program is writing" in path.read_text() for path in kit.folder.glob("cases/*/messages.txt")):
        expected.add(1)
    return None if code in expected else f"ended with {code} after {sent}", code == 0


def until_done(kit, command, seconds):
    """Disturbs a command and repeats it, up to four times, then lets it end."""
    for _ in range(4):
        failure, done = disturbed(kit, command, seconds)
        if failure or done:
            return failure
    # Cases of a study that was killed may still be ending.
    for _ in range(100):
        last = kit.run(*command)
        if last.returncode == 0 or "another program is writing" not in last.stderr:
            break
        time.sleep(0.1)
    return None if last.returncode == 0 else f"the last resumption: {last.returncode}, {last.stderr.strip()[-200:]}"


@experiment("signals at random moments of a run, and --resume", trials=40)
def run(kit, trial):
    right, seconds, _ = undisturbed(kit.talus, kit.scenes)
    failure = until_done(kit, ["run", right / "chute.toml", "-o", "run.h5", *CHANGES, "--resume"], seconds)
    if failure:
        return failure
    names = differences(right / "run.h5", kit.folder / "run.h5")
    return f"the resumed run differs: {names[:5]}" if names else None


@experiment("signals at random moments of a study, and the same command again", trials=20)
def study(kit, trial):
    right, _, seconds = undisturbed(kit.talus, kit.scenes)
    failure = until_done(kit, ["batch", right / "study.toml", "-o", "cases", "--workers", 2], seconds)
    if failure:
        return failure
    for case in ("case-0001", "case-0002", "case-0003"):
        names = differences(right / "cases" / case / "run.h5", kit.folder / "cases" / case / "run.h5")
        if names:
            return f"{case} differs: {names[:5]}"
    return None
