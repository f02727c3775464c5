# SPDX-License-Identifier: Apache-2.0
"""Talus, to a tolerance, with rigid contacts or such that yield.

    by_talus.py SCENE FRAMES MOST_CPU_SECONDS TOLERANCE[@STIFFNESS] THREADS PROGRAM [KEY=VALUE…]
"""
import json
import os
import resource
import signal
import sys

import h5py
import numpy as np

import processes
import scenes


def main():
    scene = scenes.read_table(sys.argv[1])
    frames, most_seconds = sys.argv[2], float(sys.argv[3])
    accuracy, threads, program, *changes = sys.argv[4:]
    tolerance, _, stiffness = accuracy.partition("@")
    folder = os.path.dirname(frames)
    toml, trajectory, answer = (os.path.join(folder, name) for name in ("scene.toml", "run.h5", "answer.json"))
    scenes.write_toml(scene, toml, float(stiffness) if stiffness else None)
    command = [program, "run", toml, "-o", trajectory, "--threads", threads, "--json", "--quiet"]
    for change in [f"solver.tolerance={tolerance}", *changes]:
        command += ["--set", change]
    with open(answer, "w") as file:
        keep = os.dup(1)
        os.dup2(file.fileno(), 1)
        code = processes.run_within(most_seconds, command, lambda process: process.send_signal(signal.SIGTERM))
        os.dup2(keep, 1)
    if code not in (0, 128 + signal.SIGTERM):
        sys.exit(code)
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    with open(answer) as file:
        figures = json.loads(file.read().splitlines()[-1])

    with h5py.File(trajectory, "r") as file:
        times, steps = file["frames/time"][:], file["frames/step"][:]
        n = len(scene.bodies)
        columns = [file[f"state/{name}"][:len(times) * n].reshape(len(times), n, -1)
                   for name in ("position", "orientation", "velocity", "angular_velocity")]
        series = {name: file[f"series/{name}"][:] for name in ("wall_seconds", "iterations", "contacts")}
    # The file has the wall time of every step; its share of the run's is taken for its share of the processor time.
    wall = np.concatenate([[0], np.cumsum(series["wall_seconds"])])
    cpu = wall * figures["cpu_s"] / max(wall[-1], 1e-9)
    writer = scenes.FrameWriter(frames)
    for k in range(len(times)):
        writer.append(times[k], cpu[steps[k]], np.concatenate([column[k] for column in columns], axis=1))
    print(json.dumps({"steps": figures["steps"], "time": figures["time"], "cpu_s": figures["cpu_s"], "wall_s": figures["wall_s"],
                      "memory_mb": memory,
                      "contacts": figures["contacts_last"], "sweeps": float(series["iterations"].mean()),
                      "max_error": figures["max_error"], "unconverged_steps": figures["unconverged_steps"]}))


main()
