# SPDX-License-Identifier: Apache-2.0
"""Siconos: Moreau-Jean stepping, Bullet's collision detection, NSGS to a tolerance. Run by Debian's /usr/bin/python3.

    by_siconos.py SCENE FRAMES MOST_CPU_SECONDS TOLERANCE

Debian builds it with its self-checks, which take a large part of the time: it is here for its answers.
"""
import json
import os
import sys
import time

import numpy as np
import siconos.kernel as kernel
import siconos.numerics as numerics
from siconos.io.mechanics_run import MechanicsHdf5Runner
from siconos.mechanics.collision.bullet import SiconosBulletOptions
from siconos.mechanics.collision.tools import Contactor

import audit
import scenes

MARGIN = 1e-3       # of a shape, in parts of its smallest side
MOST_SWEEPS = 1000
# A driven body that touches a fixed one gives Siconos a row of zeros, at which it ends: driven bodies are shorter by this.
CLEARANCE = 2e-3


class Enough(Exception):
    pass


def describe(scene, path):
    with MechanicsHdf5Runner(io_filename=path, mode="w") as io:
        shapes = {}
        for i, body in enumerate(scene.bodies):
            position, half = list(body.position), list(body.half)
            if body.driven:
                half[0] -= CLEARANCE / 2
                position[0] += np.sign(position[0]) * CLEARANCE / 2
            size = half[:1] if body.kind == "sphere" else [2 * side for side in half]
            key = (body.kind, *size)
            if key not in shapes:
                shapes[key] = f"shape{len(shapes)}"
                margin = MARGIN * min(size)
                io.add_primitive_shape(shapes[key], body.kind.capitalize(), size, insideMargin=margin, outsideMargin=margin)
            mass, inertia = (body.mass, list(body.inertia)) if body.free else (1000.0, [1000.0] * 3)
            moving = {"velocity": [0] * 6, "mass": mass, "inertia": inertia} if body.free or body.driven else {}
            io.add_object(name(i), [Contactor(shapes[key])], translation=position, **moving)
            if body.driven:
                io.add_boundary_condition(f"drive{i}", name(i), indices=list(range(6)), bc_class="BoundaryCondition", v=[0.0] * 6)
        io.add_Newton_impact_friction_nsl("contact", mu=scene.friction, e=scene.restitution)


def name(i):
    return f"body{i:06d}"


class Stepping:
    """Called before and after every step of Siconos' own loop."""

    def __init__(self, scene, frames, most_seconds):
        self.scene, self.most_seconds = scene, most_seconds
        self.writer = scenes.FrameWriter(frames)
        self.states = np.zeros((len(scene.bodies), 13))
        self.states[:, 0:3], self.states[:, 3] = [body.position for body in scene.bodies], 1
        self.moving = [i for i, body in enumerate(scene.bodies) if body.free or body.driven]
        self.done, self.seconds, self.sweeps, self.contacts = 0, 0.0, 0, 0

    def append(self, io):
        def ordered(rows):
            rows = np.array(rows)
            return rows[np.argsort(rows[:, 0]), 1:]

        self.states[self.moving, 0:7] = ordered(io._io.positions(io._nsds))
        self.states[self.moving, 7:13] = ordered(io._io.velocities(io._nsds))
        turn = audit.rotations(self.states[:, 3:7])
        frame = self.states.copy()
        frame[:, 10:13] = np.einsum("nab,nb->na", turn, self.states[:, 10:13])  # Siconos has spins in body axes
        self.writer.append(self.done * self.scene.step, self.seconds, frame)

    def before(self, io):
        if self.done == 0:
            self.append(io)
        now = self.done * self.scene.step
        for i, body in enumerate(self.scene.bodies):
            if body.driven:
                speed = body.drive if body.begin <= now < body.finish else (0.0,) * 3
                condition = io._nsds.topology().getDynamicalSystem(name(i)).boundaryConditions()
                condition.setPrescribedVelocity(np.array([*speed, 0, 0, 0], float))
        self.begin = time.process_time()

    def after(self, io):
        self.seconds += time.process_time() - self.begin
        self.done += 1
        problem = io._simulation.oneStepNSProblem(0)
        self.sweeps += int(problem.numericsSolverOptions().iparam[numerics.SICONOS_IPARAM_ITER_DONE])
        self.contacts = problem.getSizeOutput() // 3
        end = self.done >= self.scene.steps or self.seconds > self.most_seconds
        if end or self.done % self.scene.frame_steps == 0:
            self.append(io)
        if end:
            raise Enough


def main():
    scene = scenes.read_table(sys.argv[1])
    frames, most_seconds, tolerance = sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
    path = os.path.join(os.path.dirname(frames), "siconos.hdf5")
    describe(scene, path)

    collision = SiconosBulletOptions()
    collision.worldScale = 100  # Bullet wants bodies of about one unit
    collision.contactBreakingThreshold = 0.02
    boxes = any(body.free and body.kind == "box" for body in scene.bodies)
    collision.perturbationIterations = collision.minimumPointsPerturbationThreshold = 3 if boxes else 0
    solver = kernel.solver_options_create(numerics.SICONOS_FRICTION_3D_NSGS)
    solver.iparam[numerics.SICONOS_IPARAM_MAX_ITER] = MOST_SWEEPS
    solver.dparam[numerics.SICONOS_DPARAM_TOL] = tolerance

    def weigh(body):
        body.setFExtPtr(body.scalarMass() * np.array(scene.gravity))

    stepping = Stepping(scene, frames, most_seconds)
    answers = os.dup(1)
    os.dup2(2, 1)  # what Siconos has to say is no part of the answer
    with MechanicsHdf5Runner(io_filename=path, mode="r+", set_external_forces=weigh, verbose=False) as io:
        try:
            io.run(t0=0, T=scene.end + 2 * scene.step, h=scene.step, theta=0.50001, Newton_max_iter=1, bullet_options=collision,
                   solver_options=solver, verbose=False, verbose_progress=False, with_timer=False, output_frequency=10**9,
                   constraint_activation_threshold=0.0, start_run_iteration_hook=stepping.before,
                   end_run_iteration_hook=stepping.after)
        except Enough:
            pass
    sys.stdout.flush()
    os.dup2(answers, 1)
    print(json.dumps({"steps": stepping.done, "time": stepping.done * scene.step, "cpu_s": stepping.seconds,
                      "contacts": stepping.contacts, "sweeps": stepping.sweeps / max(1, stepping.done)}), flush=True)


main()
