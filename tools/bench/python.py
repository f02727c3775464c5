#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What Python adds: a step of one ball beside C++, and a frame of 10⁵ bodies beside h5py.

    cmake --build build --target talus_package bench_step
    PYTHONPATH=build/python tools/bench/python.py build/tools/bench/bench_step

Times are minima over many stretches, taken in turn.
"""

import os
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

import talus

STEPS, TURNS = 20_000, 7


def one_ball():
    return talus.scene(
        dimension=3, gravity=[0, 0, -9.81], time={"step": 1e-4, "end": 100},
        material={"steel": {"density": 7800, "friction": 0.3}},
        body=[talus.shapes.floor([0, 0, 1], "steel"),
              talus.shapes.ball(0.1, [0, 0, 0.1], "steel")])


def python_step(scene):
    world = talus.World(scene)
    step = world.step
    begin = time.perf_counter()
    for _ in range(STEPS):
        step()
    return 1e6 * (time.perf_counter() - begin) / STEPS


def compare_steps(program, folder):
    scene = one_ball()
    scene.save(f"{folder}/ball.toml")
    cpp, python = [], []
    for _ in range(TURNS):
        done = subprocess.run([program, f"{folder}/ball.toml", str(STEPS), "1"],
                              capture_output=True, text=True, check=True)
        cpp.append(float(done.stdout))
        python.append(python_step(scene))
    print(f"a step of one ball on a floor: C++ {min(cpp):.2f} µs, Python {min(python):.2f} µs: "
          f"{min(python) - min(cpp):.2f} µs more")


def compare_frames(folder):
    n = 100_000
    file = f"{folder}/balls.h5"
    places = np.stack(np.meshgrid(*[3.0 * np.arange(47)] * 3), -1).reshape(-1, 3)[:n]
    scene = talus.scene(
        dimension=3, time={"step": 1e-3, "end": 3e-3}, material={"steel": {"density": 1, "friction": 0}},
        body=[{"shape": {"ball": 1}, "material": "steel", "position": p, "velocity": [1, 2, 3]}
              for p in places.tolist()])
    talus.run(scene, file, threads=1)
    ours, theirs = [], []
    run = talus.open(file)
    with h5py.File(file) as h5:
        first, count = h5["frames/body_row"][()], h5["frames/body_count"][()]
        for turn in range(25):
            k = turn % len(run.frames)
            begin = time.perf_counter()
            frame = run.frames[k]
            frame.position, frame.orientation, frame.velocity, frame.spin
            ours.append(time.perf_counter() - begin)
            begin = time.perf_counter()
            rows = slice(first[k], first[k] + count[k])
            for name in ("position", "orientation", "velocity", "angular_velocity"):
                h5["state"][name][rows]
            theirs.append(time.perf_counter() - begin)
    print(f"a frame of {n} bodies: talus {1e3 * min(ours):.2f} ms, h5py {1e3 * min(theirs):.2f} ms: "
          f"ratio {min(ours) / min(theirs):.2f}")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        compare_steps(sys.argv[1], folder)
        compare_frames(folder)
    print(f"load average {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
