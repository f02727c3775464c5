#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""A chain of links on pins that falls from the horizontal, by Talus and by Siconos (python3-siconos).

    tools/bench/chain.py --talus build/talus [--links 10 100 1000] [--steps 200]

Siconos gets the same model: Newton-Euler bodies, a knee joint per pin, Moreau-Jean with theta = 1/2, the linear
system of the joints by its MLCP solver. Prints processor seconds per step of both on one thread without
starting up, their ratio, and how far the last link is apart after the same time, which says that
both computed the same motion.
"""
import argparse
import os
import resource
import subprocess
import tempfile
import time

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"

import h5py
import numpy as np

LENGTH, RADIUS, MASS, STEP = 0.1, 0.01, 1.0, 1e-3
INERTIA = [MASS * RADIUS**2 / 2, MASS * LENGTH**2 / 12, MASS * LENGTH**2 / 12]


def scene(links, steps):
    text = f"""dimension = 3
gravity = [0, 0, -9.81]
time = {{ step = {STEP}, end = {steps * STEP!r}, save_every = {steps} }}
solver = {{ tolerance = 1e-8 }}
material.steel = {{ density = 7800, friction = 0 }}
"""
    for i in range(links):
        text += f"""
[[body]]
name = "link{i}"
shape = {{ capsule = {{ length = {LENGTH}, radius = {RADIUS} }} }}
material = "steel"
mass = {MASS}
inertia = {INERTIA}
position = [{(i + 0.5) * LENGTH!r}, 0, 0]

[[joint]]
kind = "ball"
between = ["{'world' if i == 0 else f'link{i - 1}'}", "link{i}"]
at = [{i * LENGTH!r}, 0, 0]
"""
    return text


def talus_seconds(program, links, steps):
    """Processor seconds of a whole run, and where the last link is at its end."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "chain.toml"), os.path.join(folder, "chain.h5")
        with open(path, "w") as file:
            file.write(scene(links, steps))
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, "run", path, "-o", out, "--threads", "1", "--quiet"], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        with h5py.File(out) as file:
            position = file["state/position"][-1]
        return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime, position


def by_talus(program, links, steps):
    start, _ = talus_seconds(program, links, 1)
    whole, position = talus_seconds(program, links, steps)
    return (whole - start) / (steps - 1), position


def by_siconos(links, steps):
    import siconos.kernel as sk
    from siconos.mechanics.joints import KneeJointR

    most_blocks = sk.MLCP_NB_BLOCKS_MAX - 1  # of its MLCP; above it, its solver for mechanisms
    model = sk.NonSmoothDynamicalSystem(0, steps * STEP)
    bodies = []
    for i in range(links):
        body = sk.NewtonEulerDS([(i + 0.5) * LENGTH, 0, 0, 1, 0, 0, 0], [0] * 6, MASS, np.diag(INERTIA))
        body.setFExtPtr(np.array([0, 0, -9.81 * MASS]))
        model.insertDynamicalSystem(body)
        bodies.append(body)
        if i == 0:
            joint = KneeJointR([0, 0, 0], True, body)
        else:
            joint = KneeJointR([i * LENGTH, 0, 0], True, bodies[i - 1], body)
        law = sk.EqualityConditionNSL(joint.numberOfConstraints())
        interaction = sk.Interaction(law, joint)
        model.link(interaction, *([body] if i == 0 else [bodies[i - 1], body]))
    stepping = sk.TimeStepping(model, sk.TimeDiscretisation(0, STEP), sk.MoreauJeanOSI(0.5),
                               sk.MLCP() if links <= most_blocks else sk.GenericMechanical())
    stepping.setNewtonTolerance(1e-8)
    stepping.computeOneStep()
    stepping.nextStep()
    start = time.process_time()
    for _ in range(steps - 1):
        stepping.computeOneStep()
        stepping.nextStep()
    return (time.process_time() - start) / (steps - 1), bodies[-1].q()[:3]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--talus", default="build/talus")
    arguments.add_argument("--links", type=int, nargs="+", default=[10, 100, 1000])
    arguments.add_argument("--steps", type=int, default=50)
    arguments.add_argument("--siconos-limit", type=int, default=1000, help="links above which Siconos is left out")
    options = arguments.parse_args()
    print(f"{'links':>6} {'talus s/step':>13} {'siconos s/step':>15} {'ratio':>7} {'apart m':>9}")
    for links in options.links:
        seconds, last = by_talus(options.talus, links, options.steps)
        if links > options.siconos_limit:
            print(f"{links:>6} {seconds:>13.3e}")
            continue
        other, last_other = by_siconos(links, options.steps)
        apart = max(abs(last[k] - last_other[k]) for k in range(3))
        print(f"{links:>6} {seconds:>13.3e} {other:>15.3e} {other / seconds:>7.1f} {apart:>9.1e}", flush=True)


if __name__ == "__main__":
    main()
