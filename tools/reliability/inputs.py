# SPDX-License-Identifier: Apache-2.0
"""Files and options that nobody meant: no crash, no hang, one line that says what is wrong, the right exit code.

Mutations are of the bundled scenes and studies and of a short run: values that are absurd, bytes that are wrong,
lines that are missing, doubled or from elsewhere, ends that are cut off.
"""
import re
import resource
import shutil

from kit import experiment

EXIT_CODES = {"run": {0, 1, 2}, "check": {0, 2, 3}, "solve": {0, 2, 3}, "batch": {0, 1, 2, 3}}
MEMORY = 4 << 30  # bytes a process may take

# Scenes of which a few steps take well below a second.
LIGHT = ("arch bouncing box_on_incline chain chute column column_on_wall corner cradle dimer disk_in_angle four_bar "
         "incline kane ladder logs painleve painleve_entry painleve_klein pendulum_chain rocking row stack sweeping "
         "tangential wall").split()

ABSURD = ["0", "-1", "1e308", "-1e308", "5e-324", "nan", "inf", "-inf", "1000000000", "9223372036854775807",
          "18446744073709551616", "1e18", "1e-30", "3", "true", '"x"', '"\\u001b[31m"', "[]", "{}", "[[1,2],[3,4]]",
          "[1,2,3,4]", "[nan,nan]", '{ file = "/dev/zero" }', '{ file = "s.toml" }', '{ file = "/etc/passwd" }',
          "{ table = [] }", "{ table = [[0,0],[0,0]] }", "{ sinusoid = { amplitude = 1e308, frequency = 1e308 } }"]
NUMBER = re.compile(rb"(?<![\w\"])-?\d+\.?\d*(?:e-?\d+)?(?![\w\"])")


def wrong(run, command, lines=4):
    """What is wrong with how a command ended, or None. A place in a scene is shown below its message."""
    # The loader's own words in the case of a signal are not judged.
    if run.returncode < 0:
        return f"signal {-run.returncode}"
    if run.returncode not in EXIT_CODES.get(command, {0, 2}):
        return f"{command}: exit code {run.returncode}: {run.stderr.strip()[-200:]}"
    errors = run.stderr.splitlines()
    if run.returncode in (1, 2) and not 1 <= len(errors) <= lines:
        return f"{command}: exit code {run.returncode} with {len(errors)} lines"
    if "\x1b" in run.stdout + run.stderr:
        return f"{command}: control characters"
    if re.search(r"terminate called|assert|Assertion|std::|HDF5-DIAG", run.stderr):
        return f"{command}: {run.stderr.strip()[-200:]}"
    return None


def limited():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def mutated_text(text, others, rng):
    """A text with one to three mistakes."""
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        kind = rng.random()
        lines = text.split(b"\n")
        numbers = list(NUMBER.finditer(text))
        words = list(re.finditer(rb"\w+", text))
        if kind < 0.15 and text:
            at = rng.randrange(len(text))
            text = text[:at] + bytes([rng.randrange(256)]) + text[at + 1:]
        elif kind < 0.2:
            text = text[:rng.randrange(len(text) + 1)]
        elif kind < 0.6 and numbers:
            place = rng.choice(numbers)
            text = text[:place.start()] + rng.choice(ABSURD).encode() + text[place.end():]
        elif kind < 0.68:
            del lines[rng.randrange(len(lines))]
            text = b"\n".join(lines)
        elif kind < 0.76:
            lines.insert(rng.randrange(len(lines)), rng.choice(lines))
            text = b"\n".join(lines)
        elif kind < 0.86 and words:
            a, b = sorted(rng.sample(words, 2), key=lambda word: word.start()) if len(words) > 1 else (words[0],) * 2
            if a.end() <= b.start():
                text = text[:a.start()] + b.group() + text[a.end():b.start()] + a.group() + text[b.end():]
        elif kind < 0.94:
            other = rng.choice(others).split(b"\n")
            first = rng.randrange(len(other))
            at = rng.randrange(len(lines) + 1)
            text = b"\n".join(lines[:at] + other[first:first + rng.randrange(1, 8)] + lines[at:])
        else:
            keys = re.findall(rb"\b([a-z_]+)\s*=", rng.choice(others)) or [b"x"]
            lines.insert(rng.randrange(len(lines) + 1), rng.choice(keys) + b" = " + rng.choice(ABSURD).encode())
            text = b"\n".join(lines)
    return text


def scenes(kit):
    return [(kit.scenes / f"{name}.toml").read_bytes() for name in LIGHT]


@experiment("a mutated scene, estimated (--dry-run)", trials=200)
def scene_estimated(kit, trial):
    texts = scenes(kit)
    (kit.folder / "s.toml").write_bytes(mutated_text(kit.rng.choice(texts), texts, kit.rng))
    run = kit.run("run", "s.toml", "--dry-run", "--quiet", "--threads", 1, preexec_fn=limited)
    return wrong(run, "run")


@experiment("a mutated scene, run for a few steps and checked", trials=200)
def scene_run(kit, trial):
    texts = scenes(kit)
    (kit.folder / "s.toml").write_bytes(mutated_text(kit.rng.choice(texts), texts, kit.rng))
    run = kit.run("run", "s.toml", "-o", "s.h5", "--quiet", "--threads", 1, "--stop-after", "2s", "--set", "time.end=0.002",
                  preexec_fn=limited)
    if run.returncode == 0 and (kit.folder / "s.h5").exists():
        return wrong(run, "run") or wrong(kit.run("check", "s.h5"), "check")
    return wrong(run, "run")


@experiment("a mutated study", trials=60)
def study(kit, trial):
    (kit.folder / "base.toml").write_bytes((kit.scenes / "bouncing.toml").read_bytes())
    text = (b'scene = "base.toml"\nset = ["time.end=0.002"]\n[[axis]]\nname = "h"\nkey = "time.step"\n'
            b'values = [1e-3, 5e-4]\n[[axis]]\nkey = "gravity.2"\nfrom = -9.81\nto = -1\ncount = 2\n')
    study_text = (kit.scenes / "studies/friction.toml").read_bytes()
    (kit.folder / "study.toml").write_bytes(mutated_text(text, [study_text, text], kit.rng))
    # A line for every case, and one for the study.
    return wrong(kit.run("batch", "study.toml", "--workers", 1, preexec_fn=limited), "batch", lines=12)


NO_NUMBERS = ["nan", "inf", "-1", "1e400", "", "x", "0x10", "1 2", "-", "--", "1e", "\x1b[31m", "…", "1,5"]
NUMBERS = [*NO_NUMBERS, "0", "1e-400", "1e16", "99999999999999999999"]


@experiment("an option with an absurd value", trials=150)
def option(kit, trial):
    problem = kit.scenes.parent / "tests/fclib/Box_Stacks-i0122-82-5.hdf5"
    scene = kit.scenes / "bouncing.toml"
    commands = [("run", scene, "-o", "new.h5", "--quiet", "--stop-after", "2s", option) for option in
                ("--until", "--threads", "--checkpoint-every", "--checkpoint-interval", "--save-problem", "--set", "--start",
                 "--no-such-option")]
    commands += [("solve", problem, option) for option in ("--tol", "--max-iter", "--threads", "--solver", "--time-limit")]
    commands += [("batch", kit.scenes / "studies/friction.toml", "-o", "cases", "--summary", option) for option in
                 ("--workers", "--threads", "--case", "--stop-after", "--checkpoint-every")]
    commands += [("analyze", kit.scenes / "ladder.toml", option) for option in ("--at", "--set", "--sweep")]
    commands += [("analyze", kit.scenes / "ladder.toml", "--plot", "p.svg", "--sweep")]
    command = kit.rng.choice(commands)
    value = kit.rng.choice(NUMBERS)
    if command[-1] in ("--set", "--sweep"):
        key = kit.rng.choice(["time.step", "time", "body.0", "body.x.mass", "material.x.friction", "a" + ".a" * 100, "", "[x]"])
        value = f"{key}={value}" + (f":{kit.rng.choice(NUMBERS)}:{kit.rng.choice(NUMBERS)}" if command[-1] == "--sweep" else "")
    run = kit.run(*command, value, preexec_fn=limited)
    if run.returncode == 2 and (kit.folder / "new.h5").exists():
        return "refused after the file was made"
    if run.returncode != 2 and value in NO_NUMBERS:
        return f"{command[0]} {command[-1]} {value!r}: not refused"
    return wrong(run, command[0])


def damaged(data, rng):
    """A binary file with a few bytes changed, cut off, or with a piece that is moved or gone."""
    data = bytearray(data)
    kind = rng.random()
    if kind < 0.2:
        return bytes(data[:rng.randrange(len(data))])
    if kind < 0.35:
        at, length = rng.randrange(len(data)), rng.choice([1, 8, 512, 4096])
        del data[at:at + length]
        return bytes(data)
    if kind < 0.5:
        a, b, length = rng.randrange(len(data)), rng.randrange(len(data)), rng.choice([8, 512, 4096])
        data[a:a + length] = data[b:b + length]
        return bytes(data)
    # HDF5 keeps its own tables mostly near the beginning.
    reach = rng.choice([2048, 2048, 65536, len(data)])
    for _ in range(rng.choice([1, 1, 2, 8])):
        data[rng.randrange(min(reach, len(data)))] = rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])
    return bytes(data)


@experiment("a damaged trajectory, read by every command and resumed", trials=60)
def trajectory(kit, trial):
    scene = kit.scenes / kit.rng.choice(["chute.toml", "row.toml", "four_bar.toml"])
    made = kit.run("run", scene, "-o", "run.h5", "--quiet", "--threads", 1, "--set", "time.end=0.03", "--set", "time.save_every=5",
                   "--stop-after", kit.rng.choice(["1h", "0.01s"]))
    if made.returncode != 0:
        return f"the run failed: {made.stderr.strip()[-200:]}"
    path = kit.folder / "run.h5"
    path.write_bytes(damaged(path.read_bytes(), kit.rng))
    shutil.copy(path, kit.folder / "copy.h5")
    for command in (["info", "copy.h5"], ["check", "copy.h5"], ["export", "copy.h5", "--what", "bodies"],
                    ["export", "copy.h5", "--what", "contacts"], ["picture", "copy.h5"], ["analyze", "copy.h5"], ["views", "copy.h5"],
                    ["run", scene, "-o", "run.h5", "--quiet", "--threads", 1, "--set", "time.end=0.03", "--set", "time.save_every=5",
                     "--resume"]):
        failure = wrong(kit.run(*command, preexec_fn=limited), command[0])
        if failure:
            return failure
    return None


@experiment("a damaged FCLib file, solved", trials=60)
def contact_problem(kit, trial):
    problems = sorted((kit.scenes.parent / "tests/fclib").glob("*.hdf5"))
    small = [path for path in problems if path.stat().st_size < 200_000]
    path = kit.folder / "problem.hdf5"
    path.write_bytes(damaged(kit.rng.choice(small).read_bytes(), kit.rng))
    return wrong(kit.run("solve", "problem.hdf5", "--time-limit", 2, preexec_fn=limited), "solve")
