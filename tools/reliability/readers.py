# SPDX-License-Identifier: Apache-2.0
"""Programs that read a run while it is being written."""
import time

from kit import experiment


def open_run(path):
    """A run that may be written at this moment (docs/TRAJECTORY.md)."""
    import h5py
    for _ in range(1000):
        try:
            return h5py.File(path, "r")
        except OSError:  # a frame is just being added
            time.sleep(0.001)
    return h5py.File(path, "r")


def read_everything(path):
    """Reads every dataset and every attribute; how many frames there are."""
    import h5py
    with open_run(path) as run:
        def visit(name, item):
            dict(item.attrs)
            if isinstance(item, h5py.Dataset):
                item[()]
        run.visititems(visit)
        frames = len(run["frames/time"])
        for view in run["views"].values():
            assert view["Steps"].attrs["NSteps"] == frames
        for name in ("step", "body_row", "contact_row"):
            assert len(run["frames/" + name]) >= frames
        return frames


def beside_run(kit, read):
    """Calls read(path) all through a run; what it raised, or None."""
    run = kit.folder / "run.h5"
    options = ["run", kit.scenes / "wall.toml", "--until", "0.6", "--threads", "1", "--quiet", "-o", run,
               "--set", f"time.save_every={kit.rng.choice([1, 5, 20])}", "--checkpoint-interval", "0.2"]
    writer, reads, most = kit.start(*options), 0, 0
    try:
        while writer.poll() is None:
            if not run.exists():
                continue
            frames = read(run)
            if frames < most:
                return f"{frames} frames after {most}"
            reads, most = reads + 1, frames
    except Exception as error:
        return f"read {reads}: {type(error).__name__}: {error}"
    finally:
        writer.wait()
    if writer.returncode != 0 or kit.run("check", run).returncode != 0:
        return "the run beside readers is not certified"
    return None if reads > 0 else "nothing was read"


@experiment("h5py reads all of a run, again and again while it is written", trials=20)
def h5py(kit, trial):
    return beside_run(kit, read_everything)


@experiment("talus info, check and export of a run while it is written", trials=10)
def talus(kit, trial):
    def read(run):
        for command in (["check"], ["export", "--what", "contacts", "-o", kit.folder / "table.csv", "--force"], ["info"]):
            outcome = kit.run(command[0], run, *command[1:])
            assert outcome.returncode == 0, f"{command[0]}: {outcome.stdout[-300:]}{outcome.stderr}"
        return 0
    return beside_run(kit, read)


@experiment("talus snapshot of a run while it is written, then check and h5py", trials=10)
def snapshot(kit, trial):
    def read(run):
        copy = kit.folder / "copy.h5"
        for outcome in (kit.run("snapshot", run, copy, "--force"), kit.run("check", copy)):
            assert outcome.returncode == 0, f"{outcome.stdout[-300:]}{outcome.stderr}"
        return read_everything(copy)
    return beside_run(kit, read)
