# SPDX-License-Identifier: Apache-2.0
"""One flipped bit in a trajectory or a checkpoint, as a bad disk or cable leaves it: what does Talus notice?

A flip is harmless where every value that a reader gets is as it was: most of them hit space that HDF5 has taken and not
used. All others have to be noticed by `talus check`, and by `--resume` before it goes on.
"""
import functools
import hashlib
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

from kit import NOT_COMPARED, experiment

FLIPS = 5  # of a trial
END = "0.06"  # [s]
RUN = ["run", "wall.toml", "--set", "time.save_every=5", "--set", "wall.0.courses=3", "--threads", "1",
       "--quiet"]


def everything(path):
    """A digest of each value that h5py gets by any path, and of what it cannot read."""
    import h5py
    import numpy
    found = {}

    def put(name, read):
        try:
            value = numpy.asarray(read())
            found[name] = hashlib.sha256(repr((value.dtype, value.shape, value.tolist())).encode()).hexdigest()
        except Exception as error:
            found[name] = str(error)

    def visit(name, item):
        for key in item.attrs:
            put(f"{name}@{key}", lambda: item.attrs[key])
        if isinstance(item, h5py.Dataset):
            put(name, lambda: item[()])
        else:
            for key in item:
                visit(f"{name}/{key}", item[key])

    with h5py.File(path, "r") as file:
        visit("", file)
    return found


def read_by_h5py(path):
    """The same from a process of its own, since HDF5 may crash; None where it did."""
    run = subprocess.run([sys.executable, __file__, str(path)], stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
    return json.loads(run.stdout) if run.returncode == 0 else None


def same_run(a, b):
    """Whether two files hold the same run: what may differ between two runs of a scene is not compared."""
    def compared(values):
        return {name: value for name, value in values.items()
                if name.lstrip("/") not in {n.lstrip("/") for n in NOT_COMPARED}}
    return a is not None and compared(a) == compared(b)


@functools.cache
def samples(talus, scenes):
    """A complete run, one that ends earlier, and one that was stopped, with its checkpoint."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="talus-flips-"))
    shutil.copy(f"{scenes}/wall.toml", folder)

    def run(*arguments):
        subprocess.run([talus, *arguments], cwd=folder, check=True, capture_output=True)

    run(*RUN, "-o", "full.h5", "--until", END)
    run(*RUN, "-o", "short.h5", "--until", "0.03")
    run(*RUN, "-o", "stopped.h5", "--until", END, "--stop-after", "0.01s")
    return folder, everything(folder / "full.h5")


def flipped(rng, content):
    """One bit, mostly in bytes that are not zero."""
    content = bytearray(content)
    while True:
        i = rng.randrange(len(content))
        if content[i] != 0 or rng.random() < 0.1:
            content[i] ^= 1 << rng.randrange(8)
            return bytes(content)


def one_line(run):
    return len(run.stderr.strip().splitlines()) == 1


@experiment("five times a bit flipped in a trajectory: noticed by check where it matters", trials=60)
def trajectory_then_check(kit, trial):
    folder, whole = samples(kit.talus, str(kit.scenes))
    content, file = (folder / "full.h5").read_bytes(), kit.folder / "full.h5"
    for _ in range(FLIPS):
        file.write_bytes(flipped(kit.rng, content))
        check = kit.run("check", file)
        if check.returncode not in (0, 2, 3):
            return f"check ended with {check.returncode}"
        if check.returncode == 2 and not one_line(check):
            return f"check says {check.stderr}"
        if check.returncode == 0 and read_by_h5py(file) != whole:
            return "check passed, though a reader gets other values"
        for command in ("info", "export"):
            if (code := kit.run(command, file).returncode) not in (0, 2):
                return f"{command} ended with {code}"
    return None


def resume(kit, names):
    """Flips a bit in the first of these files and resumes; what went wrong or nothing."""
    folder, whole = samples(kit.talus, str(kit.scenes))
    shutil.copy(folder / "wall.toml", kit.folder)
    for _ in range(FLIPS):
        for old in kit.folder.glob(names[0].split(".")[0] + ".*"):
            old.unlink()
        for name in names:
            shutil.copy(folder / name, kit.folder)
        damaged = kit.folder / names[0]
        damaged.write_bytes(flipped(kit.rng, damaged.read_bytes()))
        run = kit.folder / (names[0].split(".")[0] + ".h5")
        again = kit.run(*RUN, "-o", run, "--resume", "--until", END)
        if again.returncode not in (0, 2) or (again.returncode == 2 and not one_line(again)):
            return f"--resume ended with {again.returncode}: {again.stderr}"
        if again.returncode == 0 and not same_run(read_by_h5py(run), whole):
            return "--resume went on to another result"
    return None


@experiment("five times a bit flipped in a trajectory: refused by --resume, or the same result", trials=30)
def trajectory_then_resume(kit, trial):
    return resume(kit, ["short.h5"] if trial % 2 == 0 else ["stopped.h5", "stopped.ckpt.A.h5"])


@experiment("five times a bit flipped in a checkpoint: refused by --resume, or the same result", trials=20)
def checkpoint_then_resume(kit, trial):
    return resume(kit, ["stopped.ckpt.A.h5", "stopped.h5"])


if __name__ == "__main__":
    print(json.dumps(everything(sys.argv[1])))
