#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Whole simulations by Talus and by other engines, side by side and judged by one audit of the positions.

    tools/bench/peers/run.py [--scenes settle1k tower20 …] [--engines talus:1e-3 ode:20 …] [--threads N] [--max-cpu S]

An engine is its name and, behind a colon, what decides its accuracy: the tolerance (talus, siconos), the number of iterations
(ode, bullet) or the time step (lammps, yade, which have spheres only). talus:1e-3@2e4 lets contacts yield, with 2e4 N/m. The others come from Debian's packages: libode-dev,
libbullet-dev, lammps, yade, python3-siconos; the drivers in C++ are built into the build folder when needed. They run one after another.

Times are processor seconds of the steps alone, steps/s per processor second; MB is the largest resident memory of the program (talus, ode, bullet); the ratio to the first Talus of the scene is over the time both have simulated.
Penetrations are over the radius or half the smallest side, means over the last fifth of the run (audit.py); drift is the largest displacement
of a body that should be at rest, settlement the largest at the end, and a block has moved if it is 5 mm from where it was.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[variable] = "1"
sys.path.insert(0, HERE)


NEEDED = ["python3-numpy", "python3-h5py"]
ENGINES = {  # what decides its accuracy by default, Debian packages
    "talus": ("1e-3", []),
    "ode": ("20", ["g++", "pkg-config", "libode-dev"]),
    "bullet": ("50", ["g++", "pkg-config", "libbullet-dev"]),
    "lammps": ("2e-5", ["lammps"]),
    "yade": ("2e-5", ["yade"]),
    "siconos": ("1e-4", ["python3-siconos"]),
}
MODULES = {"ode": "ode", "bullet": "bullet-float64"}  # of pkg-config; drivers in C++
EXPLICIT = ("lammps", "yade")  # spheres only, with a step of their own


def missing(packages):
    def installed(package):
        asked = subprocess.run(["dpkg-query", "-W", "-f", "${Status}", package], capture_output=True, text=True)
        return asked.stdout.startswith("install ok")

    return [package for package in packages if not installed(package)]


def built(name, folder):
    """The driver of an engine in C++, built if it is older than its source."""
    os.makedirs(folder, exist_ok=True)
    program, sources = os.path.join(folder, name), [os.path.join(HERE, file) for file in (f"{name}.cpp", "driver.hpp")]
    if not os.path.exists(program) or any(os.path.getmtime(source) > os.path.getmtime(program) for source in sources):
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", MODULES[name]], capture_output=True, text=True, check=True)
        subprocess.run(["g++", "-O3", "-std=c++20", "-I", ROOT, sources[0], "-o", program, *flags.stdout.split()], check=True)
    return program


def command(name, option, table, frames, options):
    common = [table, frames, str(options.max_cpu), option]
    if name in MODULES:
        return [built(name, os.path.join(options.build, "peers")), *common]
    script = os.path.join(HERE, f"by_{name}.py")
    if name == "talus":
        return ["/usr/bin/python3", script, *common, str(options.threads), os.path.join(options.build, "talus"), *options.set]
    if name == "lammps":
        return ["/usr/bin/python3", script, *common, str(options.threads)]
    if name == "yade":
        return ["yade", "-n", "-x", f"-j{options.threads}", script, *common]
    return ["/usr/bin/python3", script, *common]


class Failed(Exception):
    pass


def simulate(scene, engine, options):
    """Figures of one run, with the processor seconds at every frame for ratios."""
    import numpy as np

    import audit
    import scenes

    name, _, option = engine.partition(":")
    option = option or ENGINES[name][0]
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        table, frames = os.path.join(folder, "scene"), os.path.join(folder, "frames")
        scenes.write_table(scene, table)
        environment = {**os.environ, "PYTHONPATH": HERE}
        ran = subprocess.run(command(name, option, table, frames, options), env=environment, capture_output=True, text=True)
        answers = [line for line in ran.stdout.splitlines() if line.startswith("{")]
        if ran.returncode != 0 or not answers:
            raise Failed((ran.stderr.strip().splitlines() or [f"ended with {ran.returncode}"])[-1])
        times, cpu, states = scenes.read_frames(frames, len(scene.bodies))
    result = {"scene": scene.name, "engine": f"{name}:{option}", "h": float(option) if name in EXPLICIT else scene.step,
              **json.loads(answers[-1]), **audit.audit(scene, times, states)}
    result["cpu_per_s"] = result["cpu_s"] / result["time"]
    result["ms_per_step"] = 1e3 * result["cpu_s"] / result["steps"]
    result["steps_per_s"] = result["steps"] / result["cpu_s"]
    late = np.interp(audit.LATE * times[-1], times, cpu)
    result["late_ms_per_step"] = 1e3 * (cpu[-1] - late) * result["h"] / ((1 - audit.LATE) * times[-1]) if times[-1] > 0 else 0.0
    return result, (times, cpu)


def ratio(curve, other):
    """Of the processor time of two runs, up to the last frame both have."""
    import numpy as np

    end = min(curve[0][-1], other[0][-1])
    return float(np.interp(end, *curve) / np.interp(end, *other)) if end > 0 else None


COLUMNS = [  # heading, key, format
    ("engine", "engine", "{}"), ("h", "h", "{:g}"), ("to s", "time", "{:.3g}"), ("CPU s/s", "cpu_per_s", "{:.3g}"),
    ("ms/step", "ms_per_step", "{:.3g}"), ("steps/s", "steps_per_s", "{:.3g}"), ("MB", "memory_mb", "{:.0f}"), ("late", "late_ms_per_step", "{:.3g}"), ("ratio", "ratio", "{:.3g}"),
    ("contacts", "contacts", "{:d}"), ("touching", "touching", "{:.0f}"), ("sweeps", "sweeps", "{:.0f}"), ("error", "max_error", "{:.1e}"),
    ("pen mean", "mean_penetration", "{:.1e}"), ("pen max", "max_penetration", "{:.1e}"), ("kinetic J", "kinetic_energy", "{:.1e}"),
    ("solid", "solid_fraction", "{:.3f}"), ("drift mm", "drift_mm", "{:.2g}"), ("settled mm", "settlement_mm", "{:.1f}"),
    ("moved", "blocks_moved", "{:d}"),
]


def print_table(rows):
    columns = [column for column in COLUMNS if any(row.get(column[1]) is not None for row in rows)]
    cells = [[heading for heading, _, _ in columns]]
    for row in rows:
        cells.append(["-" if row.get(key) is None else form.format(row[key]) for _, key, form in columns])
    widths = [max(len(line[k]) for line in cells) for k in range(len(columns))]
    for line in cells:
        print("  ".join([line[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])]))


def parse_arguments():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--scenes", nargs="+", default=["settle1k", "tower20", "tower20_1000", "wall"],
                           help="settle64, settle1k, settle10k, wall, wall10k, tower20, tower20_1000")
    arguments.add_argument("--engines", nargs="+", default=["talus", "ode:20", "ode:100", "bullet"])
    arguments.add_argument("--threads", type=int, default=1, help="of talus and yade; ranks of lammps")
    arguments.add_argument("--max-cpu", type=float, default=600, metavar="S", help="stop each run after this processor time")
    arguments.add_argument("--until", type=float, metavar="T", help="simulate to this time instead of the scene's end")
    arguments.add_argument("--set", nargs="+", default=[], metavar="KEY=VALUE", help="for talus: change keys of the scene")
    arguments.add_argument("--build", default=os.path.join(ROOT, "build"), help="folder with talus, and for the drivers")
    arguments.add_argument("--json", metavar="FILE", help="all figures, too")
    options = arguments.parse_args()
    options.build = os.path.abspath(options.build)
    for engine in options.engines:
        if engine.partition(":")[0] not in ENGINES:
            arguments.error(f"unknown engine {engine}: there are {', '.join(ENGINES)}")
    return arguments, options


def main():
    arguments, options = parse_arguments()
    lacking = missing(NEEDED)
    if lacking:
        sys.exit(f"apt-get install {' '.join(lacking)}")
    from scenes import SCENES

    for name in options.scenes:
        if name not in SCENES:
            arguments.error(f"unknown scene {name}: there are {', '.join(SCENES)}")
    engines = []
    for engine in options.engines:
        lacking = missing(ENGINES[engine.partition(":")[0]][1])
        if lacking:
            print(f"{engine} left out: apt-get install {' '.join(lacking)}", file=sys.stderr)
        else:
            engines.append(engine)

    results = []
    for name in options.scenes:
        scene = SCENES[name]()
        if options.until:
            scene.end = min(scene.end, options.until)
            scene.frame = min(scene.frame, scene.end / 10)
        rows, curves = [], {}
        for engine in engines:
            kind = engine.partition(":")[0]
            if kind in EXPLICIT and any(body.free and body.kind != "sphere" for body in scene.bodies):
                continue
            try:
                row, curve = simulate(scene, engine, options)
            except Failed as why:
                print(f"{name}: {engine} failed: {why}", file=sys.stderr)
                continue
            curves.setdefault(kind, curve)
            if "talus" in curves:
                row["ratio"] = ratio(curve, curves["talus"])
            rows.append(row)
            print(f"{name}: {engine} {row['cpu_s']:.3g} s", file=sys.stderr, flush=True)
        print(f"\n{name}: {sum(body.free for body in scene.bodies)} bodies, load {os.getloadavg()[0]:.1f}")
        if rows:
            print_table(rows)
        sys.stdout.flush()
        results += rows
        if options.json:
            with open(options.json, "w") as file:
                json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
