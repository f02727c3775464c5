# SPDX-License-Identifier: Apache-2.0
"""The scenes of the comparison, each described once: for Talus as a TOML scene, for the other engines' drivers as
a table of numbers. SI units; a body is a sphere or a box with its axes along x, y, z; z is up.
"""
import dataclasses
import math
import random

import numpy as np


@dataclasses.dataclass
class Body:
    kind: str                      # "sphere" or "box"
    half: tuple                    # half sides; a sphere's radius three times
    density: float                 # 0: fixed or driven
    position: tuple
    drive: tuple = (0.0, 0.0, 0.0)  # velocity of a driven body from `begin` to `finish`, at rest before and after
    begin: float = 0.0
    finish: float = 0.0

    @property
    def free(self):
        return self.density > 0

    @property
    def driven(self):
        return self.finish > self.begin

    @property
    def volume(self):
        return 4 / 3 * math.pi * self.half[0]**3 if self.kind == "sphere" else 8 * math.prod(self.half)

    @property
    def mass(self):
        return self.density * self.volume

    @property
    def inertia(self):
        """Principal moments, along the body's axes."""
        if self.kind == "sphere":
            return (0.4 * self.mass * self.half[0]**2,) * 3
        squares = [side**2 for side in self.half]
        return tuple(self.mass / 3 * (sum(squares) - square) for square in squares)


@dataclasses.dataclass
class Scene:
    name: str
    bodies: list
    step: float
    end: float
    frame: float                   # between frames
    rest: float                    # until then nothing should move [s]; 0: it falls
    gravity: tuple = (0.0, 0.0, -9.81)
    friction: float = 0.5
    restitution: float = 0.0

    @property
    def steps(self):
        return round(self.end / self.step)

    @property
    def frame_steps(self):
        return max(1, round(self.frame / self.step))

    @property
    def length(self):
        """The radius, or half the smallest side, of the smallest free body."""
        return min(min(body.half) for body in self.bodies if body.free)


def settle(name, counts, end, frame, radius=0.005, density=2600.0, spacing=2.2, jitter=0.08):
    """Spheres on a loose grid, each displaced a little, fall into a heap in a box that is as wide as the grid."""
    draw = random.Random(1)
    d = spacing * radius
    sides = [n * d for n in counts]
    x, y, height, wall = sides[0] / 2, sides[1] / 2, 0.6 * sides[2], 0.02
    bodies = [Body("box", (x + 2 * wall, y + 2 * wall, wall), 0, (0.0, 0.0, -wall))]
    for side in (-1, 1):
        bodies.append(Body("box", (wall, y + 2 * wall, height), 0, (side * (x + wall), 0.0, height)))
        bodies.append(Body("box", (x + 2 * wall, wall, height), 0, (0.0, side * (y + wall), height)))
    for k in range(counts[2]):
        for j in range(counts[1]):
            for i in range(counts[0]):
                off = [jitter * radius * (2 * draw.random() - 1) for _ in range(3)]
                bodies.append(Body("sphere", (radius,) * 3, density,
                                   ((i + 0.5) * d - x + off[0], (j + 0.5) * d - y + off[1], (k + 0.5) * d + off[2])))
    return Scene(name, bodies, step=1e-3, end=end, frame=frame, rest=0)


def wall(name="wall", courses=10, blocks=10, length=0.124, height=0.05, depth=0.049, density=2000.0):
    """Running bond on two foundations; after 2 s at rest the left one goes down by 60 mm in a second."""
    half = blocks * length / 2
    reach, thick = half / 2 + 0.1, 0.05
    bodies = [Body("box", (reach, 0.15, thick), 0, (-reach, 0.0, -thick), drive=(0.0, 0.0, -0.06), begin=2.0, finish=3.0),
              Body("box", (reach, 0.15, thick), 0, (reach, 0.0, -thick))]
    for course in range(courses):
        row = [length] * blocks if course % 2 == 0 else [length / 2] + [length] * (blocks - 1) + [length / 2]
        x = -half
        for side in row:
            bodies.append(Body("box", (side / 2, depth / 2, height / 2), density, (x + side / 2, 0.0, (course + 0.5) * height)))
            x += side
    return Scene(name, bodies, step=1e-3, end=3.0, frame=0.1, rest=2.0)


def tower(name, top, count=20, side=0.1, density=1000.0):
    """Cubes on each other, the highest `top` times as heavy as the others."""
    bodies = [Body("box", (1.0, 1.0, 0.1), 0, (0.0, 0.0, -0.1))]
    for i in range(count):
        bodies.append(Body("box", (side / 2,) * 3, density * (top if i == count - 1 else 1), (0.0, 0.0, (i + 0.5) * side)))
    return Scene(name, bodies, step=1e-3, end=5.0, frame=0.5, rest=5.0)


SCENES = {
    "settle64": lambda: settle("settle64", (4, 4, 4), end=0.4, frame=0.02),
    "settle1k": lambda: settle("settle1k", (10, 10, 10), end=1.0, frame=0.05),
    "settle10k": lambda: settle("settle10k", (20, 20, 25), end=0.4, frame=0.02),
    "wall": wall,
    "wall10k": lambda: wall("wall10k", courses=40, blocks=250, length=0.4, height=0.2, depth=0.3),
    "tower20": lambda: tower("tower20", 1),
    "tower20_1000": lambda: tower("tower20_1000", 1000),
}


def write_toml(scene, path, stiffness=None):
    """For `talus run`; contacts are rigid unless they have a stiffness [N/m]."""
    law = f"friction = {scene.friction!r}", f"restitution = {scene.restitution!r}"
    if stiffness is not None:
        law += (f"normal_stiffness = {stiffness!r}",)
    with open(path, "w") as file:
        file.write(f"""dimension = 3
gravity = {list(scene.gravity)}
time = {{ step = {scene.step!r}, end = {scene.end!r}, save_every = {scene.frame_steps} }}
""")
        materials = sorted({body.density for body in scene.bodies})
        for density in materials:
            given = f"density = {density!r}, " if density > 0 else ""
            file.write(f"material.m{materials.index(density)} = {{ {given}{', '.join(law)} }}\n")
        for a in range(len(materials)):
            for b in range(a):
                file.write('\n'.join((f'\n[[contact]]\nbetween = ["m{a}", "m{b}"]', *law, "")))
        for body in scene.bodies:
            shape = f"ball = {body.half[0]!r}" if body.kind == "sphere" else f"box = {[2 * side for side in body.half]}"
            file.write(f"\n[[body]]\nshape = {{ {shape} }}\nmaterial = \"m{materials.index(body.density)}\"\n"
                       f"position = {list(body.position)}\n")
            if body.driven:
                speed = math.hypot(*body.drive)
                way = speed * (body.finish - body.begin)
                file.write(f"drive = [{{ direction = {[v / speed for v in body.drive]}, "
                           f"position = {{ table = [[{body.begin!r}, 0], [{body.finish!r}, {way!r}]] }} }}]\n")
            elif not body.free:
                file.write("fixed = true\n")


def write_table(scene, path):
    """For the drivers: a line of settings, then a line for each body."""
    with open(path, "w") as file:
        settings = (scene.step, scene.end, scene.frame, *scene.gravity, scene.friction, scene.restitution)
        file.write(" ".join(map(repr, settings)) + "\n")
        for body in scene.bodies:
            numbers = (*body.half, body.density, *body.position, *body.drive, body.begin, body.finish)
            file.write(" ".join([body.kind, *map(repr, numbers)]) + "\n")


def read_table(path):
    with open(path) as file:
        settings = [float(word) for word in file.readline().split()]
        bodies = []
        for line in file:
            kind, *numbers = line.split()
            n = [float(word) for word in numbers]
            bodies.append(Body(kind, tuple(n[0:3]), n[3], tuple(n[4:7]), tuple(n[7:10]), n[10], n[11]))
    return Scene("", bodies, *settings[0:3], rest=0, gravity=tuple(settings[3:6]), friction=settings[6], restitution=settings[7])


class FrameWriter:
    """What audit.py reads: for each frame its time, the processor seconds of the steps so far, and of each body the
    position, the orientation (w x y z), the velocity and the angular velocity in world axes."""

    def __init__(self, path):
        self.file = open(path, "wb")

    def append(self, time, cpu, states):
        np.array([time, cpu]).tofile(self.file)
        np.asarray(states, float).tofile(self.file)
        self.file.flush()


def read_frames(path, bodies):
    """Times, processor seconds, states[frame, body, 13]."""
    rows = np.fromfile(path)
    rows = rows[:len(rows) // (2 + 13 * bodies) * (2 + 13 * bodies)].reshape(-1, 2 + 13 * bodies)
    return rows[:, 0], rows[:, 1], rows[:, 2:].reshape(len(rows), bodies, 13)
