#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Cost of a step, memory, frames and checkpoints of a layer of balls, ten deep, from a thousand to a million balls.

    tools/bench/scale.py [--talus build/talus] [--balls 1000 10000 100000 1000000] [--threads N] [--stiffness K] [--plot scale.svg]

The layer is deposited, so that it starts nearly at rest, and stepped to a contact error of 1e-3. The first steps, which find the
forces from nothing, are left out. Times are wall times: run it on a quiet machine. Prints a line per size: contacts, sweeps and
milliseconds per step, microseconds per contact and step, steps per second, the largest memory, what one frame in a hundred steps
costs against them, and the seconds of a checkpoint; then the exponent of the time over the balls. With --stiffness contacts yield.
"""
import argparse
import json
import os
import subprocess
import sys
import tempfile

import h5py
import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tools", "validation"))
import plot

COLD = 5  # steps left out
STEP = 1e-3  # s
LAYERS = 10


def scene(balls, steps, stiffness):
    side = 0.01 * (balls / LAYERS)**0.5
    return f"""dimension = 3
gravity   = [0, 0, -9.81]
time      = {{ step = {STEP}, end = {steps * STEP}, save_every = {steps} }}
solver    = {{ tolerance = 1e-3 }}
material.grain = {{ density = 2500, friction = 0.5{f', normal_stiffness = {stiffness}' if stiffness else ''} }}

[[container]]
name     = "box"
box      = [{side}, {side}, 0.3]
material = "grain"

[[packing]]
in       = "box"
count    = {balls}
radius   = [0.0045, 0.0055]
seed     = 5
fill     = "deposit"
material = "grain"
"""


def measure(program, balls, threads, stiffness):
    steps = COLD + (10 if balls > 300000 else 40)
    with tempfile.TemporaryDirectory() as folder:
        path, run = os.path.join(folder, "layer.toml"), os.path.join(folder, "run.h5")
        with open(path, "w") as file:
            file.write(scene(balls, steps, stiffness))
        command = [program, "run", path, "-o", run, "--threads", str(threads), "--quiet", "--json",
                   "--checkpoint-interval", str((steps // 2) * STEP)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        answer = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            sys.exit(f"{' '.join(command)}: ended with {os.waitstatus_to_exitcode(status)}")
        figures = json.loads(answer)
        with h5py.File(run, "r") as file:
            series = {name: file[f"series/{name}"][COLD:] for name in ("wall_seconds", "iterations", "contacts")}
            frames = len(file["frames/time"])
    # The step after a checkpoint or a frame holds their time.
    step = float(np.median(series["wall_seconds"]))
    contacts = float(series["contacts"].mean())
    return {"balls": balls, "contacts": contacts, "sweeps": float(series["iterations"].mean()), "ms": 1e3 * step,
            "us": 1e6 * step / contacts, "rate": 1 / step, "gib": usage.ru_maxrss / 2**20,
            "writing": figures["writing_s"] / frames / (100 * step), "unconverged": figures["unconverged_steps"],
            "checkpoint": figures["checkpointing_s"] / max(figures["checkpoints"], 1)}


def draw(rows, exponent, threads, path):
    balls, ms = [row["balls"] for row in rows], [row["ms"] for row in rows]
    low, high = 0.5 * min(ms), 2 * max(ms)
    figure = plot.Plot(f"a step of a layer of balls, {threads} thread{'s' if threads > 1 else ''}", "balls", "ms per step",
                       (0.6 * balls[0], 1.6 * balls[-1]), (low, high), balls,
                       [10.0**k for k in range(-2, 7) if low <= 10.0**k <= high])
    figure.points(balls, ms, 0, f"measured, exponent {exponent:.2f}")
    figure.line(lambda n: ms[0] * n / balls[0], balls[0], balls[-1], 4, "linear", "4 3")
    plot.write(path, [figure])


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--talus", default=os.path.join(ROOT, "build", "talus"))
    arguments.add_argument("--balls", nargs="+", type=int, default=[1000, 10000, 100000, 1000000])
    arguments.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    arguments.add_argument("--stiffness", type=float, metavar="N/m")
    arguments.add_argument("--plot", metavar="SVG")
    options = arguments.parse_args()
    print(f"load {os.getloadavg()[0]:.1f}, {options.threads} threads")
    print("    balls  contacts  sweeps   ms/step  us/contact  steps/s    GiB  writing  checkpoint s  unconverged")
    rows = []
    for balls in sorted(options.balls):
        rows.append(measure(options.talus, balls, options.threads, options.stiffness))
        print("{balls:9d} {contacts:9.0f} {sweeps:7.1f} {ms:9.2f} {us:11.2f} {rate:8.1f} {gib:6.2f} {writing:8.2%} {checkpoint:13.2f} "
              "{unconverged:12d}".format(**rows[-1]), flush=True)
    if len(rows) < 2:
        return
    exponent = np.polyfit(np.log([row["balls"] for row in rows]), np.log([row["ms"] for row in rows]), 1)[0]
    print(f"time per step grows as balls^{exponent:.2f}")
    if options.plot:
        draw(rows, exponent, options.threads, options.plot)


main()
