# SPDX-License-Identifier: Apache-2.0
"""Yade: spheres with Hertz-Mindlin contacts, explicit steps. Run by Yade itself:

    yade -n -x -jTHREADS by_yade.py SCENE FRAMES MOST_CPU_SECONDS STEP
"""
import json
import math
import sys
import time

import scenes

YOUNG, POISSON, RESTITUTION = 1e8, 0.25, 0.1  # as by_lammps.py has them

table, frames, most_seconds, step = sys.argv[-4:]
scene, most_seconds, step = scenes.read_table(table), float(most_seconds), float(step)
density = max(body.density for body in scene.bodies)
material = O.materials.append(FrictMat(young=YOUNG, poisson=POISSON, density=density, frictionAngle=math.atan(scene.friction)))
for body in scene.bodies:
    if body.free:
        O.bodies.append(sphere(body.position, body.half[0], material=material))
    else:
        O.bodies.append(box(center=body.position, extents=body.half, fixed=True, material=material))
O.engines = [
    ForceResetter(),
    InsertionSortCollider([Bo1_Sphere_Aabb(), Bo1_Box_Aabb()], verletDist=0.1 * scene.length),
    InteractionLoop([Ig2_Sphere_Sphere_ScGeom(), Ig2_Box_Sphere_ScGeom()],
                    [Ip2_FrictMat_FrictMat_MindlinPhys(en=RESTITUTION, es=RESTITUTION)], [Law2_ScGeom_MindlinPhys_Mindlin()]),
    NewtonIntegrator(gravity=scene.gravity, damping=0),
]
O.dt = step


def states():
    rows = []
    for body in O.bodies:
        s = body.state
        rows.append([*s.pos, s.ori[3], s.ori[0], s.ori[1], s.ori[2], *s.vel, *s.angVel])
    return rows


writer = scenes.FrameWriter(frames)
writer.append(0, 0, states())
steps, period, done, seconds, wall = round(scene.end / step), round(scene.frame / step), 0, 0.0, 0.0
while done < steps and seconds < most_seconds:
    before, wall_before = time.process_time(), time.perf_counter()
    O.run(period, True)
    seconds += time.process_time() - before
    wall += time.perf_counter() - wall_before
    done += period
    writer.append(done * step, seconds, states())
print("\n" + json.dumps({"steps": done, "time": done * step, "cpu_s": seconds, "wall_s": wall,
                         "contacts": O.interactions.countReal()}), flush=True)
