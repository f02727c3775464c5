# SPDX-License-Identifier: Apache-2.0
"""Runs changed after they were made: `talus check` finds what was changed by computing it again, not only by its checksums."""
import json
import pathlib
import shutil
import tempfile

from kit import experiment

SCENES = {"wall": 0.05, "wall3d": 0.05, "arch": 0.05}  # and how long to run [s]
BUNDLED = sorted(path.stem for path in (pathlib.Path(__file__).resolve().parents[2] / "scenes").glob("*.toml"))
made, folders = {}, []


def failures(kit, path):
    """Names of the criteria that fail, checksums not among them."""
    check = kit.run("check", path, "--json")
    if check.returncode not in (0, 3):
        return [f"exit code {check.returncode}"]
    return [criterion["name"] for criterion in json.loads(check.stdout.splitlines()[-1])["criteria"]
            if not criterion["passed"]]


def sound_run(kit, scene, save_every):
    """A run of a bundled scene, made once."""
    key = scene, save_every
    if key not in made:
        folders.append(tempfile.TemporaryDirectory(prefix="talus-forgeries-"))  # gone at the end
        path = pathlib.Path(folders[-1].name) / "run.h5"
        run = kit.run("run", kit.scenes / f"{scene}.toml", "-o", path, "--quiet", "--until", SCENES[scene],
                      "--set", f"time.save_every={save_every}")
        if run.returncode != 0:
            raise RuntimeError(run.stderr)
        wrong = failures(kit, path)
        if wrong:
            raise RuntimeError(f"{scene} is not certified before it is changed: {wrong}")
        made[key] = path
    return made[key]


class Run:
    """What forgeries choose from."""

    def __init__(self, file, rng):
        self.file, self.rng = file, rng
        self.bodies = len(file["bodies/id"])
        self.frame = rng.randrange(1, len(file["frames/time"]))
        self.step = rng.randrange(len(file["series/step"]))
        free = [i for i in range(self.bodies) if file["bodies/fixed"][i] == 0]
        self.body = rng.choice(free)
        self.row = self.frame * self.bodies + self.body
        # a frame in which contacts carry force
        counts = file["frames/contact_count"][:]
        pressed = [k for k in range(1, len(counts)) if counts[k] > 0]
        k = rng.choice(pressed)
        self.contacts = slice(file["frames/contact_row"][k], file["frames/contact_row"][k] + counts[k])

    def change(self, table, row, change):
        self.file[table][row] = change(self.file[table][row])


def moved(run): run.change("state/position", run.row, lambda x: x + [10, 0, 0])
def all_moved(run): run.change("state/position", slice(None), lambda x: 3 * x)
def turned(run): run.change("state/orientation", run.row, lambda q: [-q[3], -q[2], q[1], q[0]])
def faster(run): run.change("state/velocity", run.row, lambda v: v + [1, 0, 0])
def spinning(run): run.change("state/angular_velocity", run.row, lambda w: w + [0, 0, 1])


def doubled(run):
    run.change("contacts/force", run.contacts, lambda f: 2 * f)
    run.change("contacts/normal_force", run.contacts, lambda f: 2 * f)


def pulling(run):
    run.change("contacts/force", run.contacts, lambda f: -f)
    run.change("contacts/normal_force", run.contacts, lambda f: -f)


def elsewhere(run): run.change("contacts/point", run.contacts, lambda x: x + [1, 0, 0])


def exchanged(run):
    """Contacts between bodies that do not touch: the ends of the list."""
    run.change("contacts/body_a", run.contacts, lambda a: 0 * a + run.bodies - 1)


def no_potential(run): run.change("series/potential", slice(None), lambda v: 0 * v)
def potential(run): run.change("series/potential", run.step, lambda v: v + 1)
def kinetic(run): run.change("series/kinetic", run.step, lambda v: v + 1)
def friction_work(run): run.change("series/friction_work", slice(None), lambda v: 0 * v + 1e9)
def contact_work(run): run.change("series/contact_work", run.step, lambda v: v - 1)
def external_work(run): run.change("series/external_work", run.step, lambda v: v + 1)
def not_a_number(run): run.change(f"series/{run.rng.choice(['kinetic', 'max_correction', 'impact_gain', 'mass'])}",
                                  run.step, lambda v: float("nan"))
def later(run): run.change("series/time", run.step, lambda t: t + 1e-3)
def heavier(run): run.change("bodies/mass", run.body, lambda m: 1.01 * m)
def rougher(run): run.change("materials/friction", slice(None), lambda mu: mu + 0.5)
def lenient(run): run.file["meta"].attrs["tolerance"] = 1.0
def soft(run): run.file["meta"].attrs["penetration_limit"] = 10.0
def forces_of_nobody(run): run.change("contacts/force", run.contacts, lambda f: f + [0, 1e3, 0])


KINDS = [moved, all_moved, turned, faster, spinning, doubled, pulling, elsewhere, exchanged, no_potential, potential,
         kinetic, friction_work, contact_work, external_work, not_a_number, later, heavier, rougher, lenient, soft,
         forces_of_nobody]


@experiment("one thing changed in a finished run, by 22 kinds of change, found without checksums", trials=132)
def forgery(kit, trial):
    import h5py
    kind = KINDS[trial % len(KINDS)]
    scene = list(SCENES)[trial // len(KINDS) % len(SCENES)]
    save_every = [1, 10][trial // len(KINDS) // len(SCENES) % 2]
    path = kit.folder / "forged.h5"
    shutil.copy(sound_run(kit, scene, save_every), path)
    with h5py.File(path, "r+") as file:
        kind(Run(file, kit.rng))
    return None if failures(kit, path) else f"{kind.__name__} in {scene} with save_every = {save_every} passes"


@experiment("bundled scenes with a frame at every step: nothing is blamed that is right", trials=len(BUNDLED))
def untouched(kit, trial):
    scene = BUNDLED[trial % len(BUNDLED)]
    run = kit.run("run", kit.scenes / f"{scene}.toml", "-o", "run.h5", "--quiet", "--set", "time.save_every=1",
                  "--set", "time.end=0.1", timeout=300)
    if run.returncode != 0:
        return f"{scene}: {run.stderr.strip()}"
    wrong = failures(kit, "run.h5")
    return f"{scene}: {wrong}" if wrong else None
