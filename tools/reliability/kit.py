# SPDX-License-Identifier: Apache-2.0
"""What the experiments of tools/reliability share: starting talus, reading and comparing runs.

An experiment is a function of one trial, registered with its title and the number of trials:

    @experiment("kill -9 at a random moment, then --resume", trials=200)
    def kill_at_random(kit, trial):
        …                      # kit.rng is seeded by experiment and trial
        return None            # fine; or a short text that says what went wrong

Give every trial its own files, below kit.folder.
"""
import dataclasses
import hashlib
import pathlib
import random
import subprocess
import zlib

experiments = []

# Differ between two runs of the same scene.
NOT_COMPARED = {"series/wall_seconds", "meta/command_line", "/@created", "meta@threads", "meta@scene_file",
                "checksums@fixed", "checksums@digest", "checksums@rest"}


@dataclasses.dataclass
class Experiment:
    title: str
    trials: int
    function: object
    area: str

    @property
    def name(self):
        return f"{self.area}/{self.function.__name__}"


def experiment(title, trials):
    def register(function):
        area = function.__module__.rpartition(".")[2]
        experiments.append(Experiment(title, trials, function, area))
        return function
    return register


class Kit:
    def __init__(self, talus, scenes, folder, experiment, trial):
        self.talus = str(talus)
        self.scenes = pathlib.Path(scenes)
        self.folder = pathlib.Path(folder)
        self.rng = random.Random(zlib.crc32(f"{experiment} {trial}".encode()))

    def run(self, *arguments, timeout=120, **options):
        """Runs talus to its end; a run that does not end raises subprocess.TimeoutExpired."""
        return subprocess.run([self.talus, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, errors="replace", timeout=timeout, cwd=self.folder, **options)

    def start(self, *arguments, **options):
        """Starts talus and returns the process."""
        options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL,
                   "cwd": self.folder, **options}
        return subprocess.Popen([self.talus, *map(str, arguments)], **options)


def contents(path):
    """A digest of every dataset and attribute of an HDF5 file, but for what two runs of a scene differ in."""
    import h5py
    import numpy
    found = {}

    def put(name, value):
        if name not in NOT_COMPARED:
            found[name] = hashlib.sha256(repr((value.dtype, value.shape, value.tolist())).encode()).hexdigest()

    def visit(name, item):
        for key, value in item.attrs.items():
            put(f"{name}@{key}", numpy.asarray(value))
        if isinstance(item, h5py.Dataset):
            put(name, numpy.asarray(item[()]))

    with h5py.File(path, "r") as file:
        visit("/", file)
        file.visititems(visit)
    return found


def differences(a, b):
    """Names of what differs between two runs."""
    a, b = contents(a), contents(b)
    return sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name))
