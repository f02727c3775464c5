# SPDX-License-Identifier: Apache-2.0
"""LAMMPS (package GRANULAR): spheres with Hertz-Mindlin contacts, explicit steps; planes for the box.

    by_lammps.py SCENE FRAMES MOST_CPU_SECONDS STEP RANKS
"""
import json
import os
import re
import sys

import numpy as np

import processes
import scenes

YOUNG, POISSON, RESTITUTION = 1e8, 0.25, 0.1  # soft enough for the step, stiff enough for overlaps of 1e-3 r


def script(scene, step, folder):
    floor = scene.bodies[0]
    x, y = (side - 0.04 for side in floor.half[:2])
    law = f"hertz/material {YOUNG} {RESTITUTION} {POISSON} tangential mindlin NULL 1.0 {scene.friction} damping tsuji"
    period = round(scene.frame / step)
    return f"""units si
atom_style sphere
boundary f f f
newton off
comm_modify vel yes
read_data {folder}/data
pair_style granular
pair_coeff * * {law}
neighbor 0.001 bin
neigh_modify delay 0 every 1 check yes
fix motion all nve/sphere
fix weight all gravity {-scene.gravity[2]} vector 0 0 -1
fix bottom all wall/gran granular {law} zplane 0.0 NULL
fix sides_x all wall/gran granular {law} xplane {-x} {x}
fix sides_y all wall/gran granular {law} yplane {-y} {y}
timestep {step}
compute touching all contact/atom
compute contacts all reduce sum c_touching
thermo_style custom step cpu c_contacts
thermo {period}
dump frames all custom {period} {folder}/dump x y z vx vy vz omegax omegay omegaz
dump_modify frames sort id format float %.16g
variable stop equal is_file({folder}/stop)
fix limit all halt 100 v_stop == 1 error soft message no
run {round(scene.end / step)}
"""


def data(scene):
    spheres = [body for body in scene.bodies if body.free]
    reach = max(scene.bodies[0].half) + max(body.position[2] for body in spheres)
    lines = [f"spheres\n\n{len(spheres)} atoms\n1 atom types"]
    lines += [f"{-reach} {reach} {axis}lo {axis}hi" for axis in "xyz"]
    lines.append("\nAtoms # sphere\n")
    for i, body in enumerate(spheres):
        lines.append(" ".join(map(str, (i + 1, 1, 2 * body.half[0], body.density, *body.position))))
    return "\n".join(lines) + "\n"


def main():
    scene = scenes.read_table(sys.argv[1])
    frames, most_seconds, step, ranks = sys.argv[2], float(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5])
    folder = os.path.dirname(frames)
    with open(f"{folder}/data", "w") as file:
        file.write(data(scene))
    with open(f"{folder}/script", "w") as file:
        file.write(script(scene, step, folder))
    command = ["lmp", "-in", f"{folder}/script", "-log", f"{folder}/log", "-screen", "none"]
    if ranks > 1:
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-np", str(ranks)] + command
    os.environ["OMP_NUM_THREADS"] = "1"
    code = processes.run_within(most_seconds, command, lambda process: open(f"{folder}/stop", "w").close())
    if code != 0:
        sys.exit(f"LAMMPS ended with {code}")

    with open(f"{folder}/log") as file:
        log = file.read()
    wall, ranks_used, steps = re.search(r"Loop time of (\S+) on (\d+) procs for (\d+) steps", log).groups()
    busy = float(re.search(r"([\d.]+)% CPU use", log).group(1)) / 100 * int(ranks_used)
    rows = [line.split() for line in re.findall(r"^ *\d+ +[\d.e+-]+ +[\d.e+-]+ *$", log, re.M)]
    seconds = {int(row[0]): float(row[1]) * busy for row in rows}

    free = [i for i, body in enumerate(scene.bodies) if body.free]
    states = np.zeros((len(scene.bodies), 13))
    states[:, 3] = 1
    states[:, 0:3] = [body.position for body in scene.bodies]
    writer = scenes.FrameWriter(frames)
    with open(f"{folder}/dump") as file:
        for block in file.read().split("ITEM: TIMESTEP\n")[1:]:
            lines = block.splitlines()
            numbers = np.array([line.split() for line in lines[8:]], float)
            if len(numbers) < len(free):
                sys.exit("LAMMPS lost spheres")
            states[free, 0:3], states[free, 7:13] = numbers[:, 0:3], numbers[:, 3:9]
            writer.append(int(lines[0]) * step, seconds.get(int(lines[0]), float(wall) * busy), states)
    print(json.dumps({"steps": int(steps), "time": int(steps) * step, "cpu_s": float(wall) * busy, "wall_s": float(wall),
                      "contacts": round(float(rows[-1][2]) / 2)}))


main()
