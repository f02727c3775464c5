#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The judge of tools/bench/peers against gaps, energies and fractions known by hand, and that Talus gets the scenes the others get.

    peers_audit.py TALUS
"""
import math
import os
import subprocess
import sys
import tempfile
import unittest

import h5py
import numpy as np

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tools", "bench", "peers"))
import audit
import scenes
from scenes import Body, Scene

TALUS = sys.argv.pop() if len(sys.argv) > 1 else "build/talus"


def turn(axis, degrees):
    half = math.radians(degrees) / 2
    return [math.cos(half), *(math.sin(half) * np.array(axis, float) / np.linalg.norm(axis))]


def product(p, q):
    return np.array([p[0] * q[0] - np.dot(p[1:], q[1:]), *(p[0] * np.array(q[1:]) + q[0] * np.array(p[1:]) + np.cross(p[1:], q[1:]))])


def gap(a, b, place, turn_a=(1, 0, 0, 0), turn_b=(1, 0, 0, 0)):
    """Of two shapes, b at a place seen from a; the same from everywhere."""
    shapes = audit.Shapes(Scene("", [a, b], 1e-3, 1, 1, 0))
    found = []
    for whole in (np.array([1.0, 0, 0, 0]), turn([1, 2, 3], 70)):
        matrix = audit.rotations(np.array([whole]))[0]
        state = np.zeros((2, 13))
        state[1, 0:3] = matrix @ place
        state[0, 3:7], state[1, 3:7] = product(whole, turn_a), product(whole, turn_b)
        found.append(shapes.gaps(state).min())
    assert abs(found[0] - found[1]) < 1e-12, "a gap depends on who looks"
    return found[0]


SPHERE = Body("sphere", (1.0,) * 3, 1, (0, 0, 0))
CUBE = Body("box", (1.0,) * 3, 1, (0, 0, 0))
SLAB = Body("box", (2.0, 1.0, 0.5), 0, (0, 0, 0))


class Gaps(unittest.TestCase):
    def test_spheres(self):
        self.assertAlmostEqual(gap(SPHERE, SPHERE, [0, 1.2, 1.6]), 0, 12)

    def test_a_sphere_at_a_face_an_edge_and_inside(self):
        self.assertAlmostEqual(gap(SPHERE, SLAB, [0.3, 0, 1.4]), -0.1, 12)
        self.assertAlmostEqual(gap(SPHERE, SLAB, [2.3, 1.4, 0]), -0.5, 12)
        self.assertAlmostEqual(gap(SPHERE, SLAB, [0, 0, 0.4]), -1.1, 12)

    def test_boxes_face_to_face_and_edge_to_face(self):
        self.assertAlmostEqual(gap(CUBE, SLAB, [0.5, 0.2, -1.45]), -0.05, 12)
        self.assertAlmostEqual(gap(CUBE, SLAB, [0, 0, -0.5 - math.sqrt(2)], turn([0, 1, 0], 45)), 0, 12)

    def test_boxes_edge_to_edge(self):
        far = 2 * math.sqrt(2)
        crossed = turn([1, 0, 0], 45), turn([0, 1, 0], 45)
        self.assertAlmostEqual(gap(CUBE, CUBE, [0, 0, far + 0.01], *crossed), 0.01, 12)
        self.assertAlmostEqual(gap(CUBE, CUBE, [0, 0, far - 0.01], *crossed), -0.01, 12)

    def test_no_pair_is_missed(self):
        x = np.random.default_rng(1).random((500, 3)) * [1, 2, 0.1]
        distance = np.linalg.norm(x[:, None] - x[None], axis=2)
        for reach in (0.03, 0.2, 3):
            i, j = np.nonzero(np.triu(distance <= reach, 1))
            found = np.sort(audit.near_pairs(x, reach), axis=1)
            self.assertEqual(sorted(map(tuple, found)), sorted(zip(i, j)))


class Figures(unittest.TestCase):
    def test_energy_of_a_box_that_flies_and_turns_about_an_axis_of_its_own(self):
        box = Body("box", (0.1, 0.2, 0.3), 1000, (0, 0, 0))
        state = np.zeros((1, 13))
        state[0, 3:7], state[0, 7:10] = turn([1, 1, 1], 120), [1, 2, 2]
        state[0, 10:13] = [0, 3, 0]  # its own x axis points along y
        mass = 1000 * 8 * 0.1 * 0.2 * 0.3
        expected = 0.5 * mass * 9 + 0.5 * mass / 3 * (0.2**2 + 0.3**2) * 9
        self.assertAlmostEqual(audit.Shapes(Scene("", [box], 1e-3, 1, 1, 0)).kinetic_energy(state), expected, 9)

    def test_spheres_on_a_cubic_lattice_fill_a_sixth_of_pi(self):
        scene = scenes.settle("", (5, 5, 40), 1, 1, spacing=2.0, jitter=0.0)
        position = np.array([body.position for body in scene.bodies])
        # Centres are counted: in the 24 layers between the planes there may be one too many or too few.
        self.assertAlmostEqual(audit.Shapes(scene).solid_fraction(position) / (math.pi / 6), 1, delta=1 / 24)

    def test_drift_settlement_and_moved_blocks(self):
        scene = scenes.wall()
        times = np.array([0.0, 2.0, 3.0])
        states = np.zeros((3, len(scene.bodies), 13))
        states[:, :, 0:3], states[:, :, 3] = [body.position for body in scene.bodies], 1
        states[1, 10, 0] += 1e-5
        states[2, 10:12, 2] -= 0.06
        states[2, 20, 2] += 0.004
        figures = audit.audit(scene, times, states)
        self.assertAlmostEqual(figures["drift_mm"], 0.01, 9)
        self.assertAlmostEqual(figures["settlement_mm"], 60, 9)
        self.assertEqual(figures["blocks_moved"], 2)


class SameScene(unittest.TestCase):
    def run_talus(self, scene, end):
        with tempfile.TemporaryDirectory() as folder:
            toml, trajectory = os.path.join(folder, "scene.toml"), os.path.join(folder, "run.h5")
            scenes.write_toml(scene, toml)
            subprocess.run([TALUS, "run", toml, "-o", trajectory, "--until", str(end), "--quiet"], check=True)
            with h5py.File(trajectory, "r") as file:
                n = len(scene.bodies)
                return file["state/position"][:n], file["state/position"][-n:], file["bodies/mass"][:], file["bodies/inertia"][:]

    def test_talus_has_the_same_bodies(self):
        for name in ("settle64", "wall", "tower20_1000"):
            scene = scenes.SCENES[name]()
            position, _, mass, inertia = self.run_talus(scene, scene.step)
            np.testing.assert_allclose(position, [body.position for body in scene.bodies], atol=1e-15)
            np.testing.assert_allclose(mass, [body.mass for body in scene.bodies], rtol=1e-12)
            np.testing.assert_allclose(np.sort(inertia), np.sort([body.inertia for body in scene.bodies]), rtol=1e-12, atol=1e-15)

    def test_talus_drives_the_foundation_alike(self):
        scene = scenes.wall(courses=0)
        scene.step, scene.frame = 0.1, 0.1
        at_rest, sunk = (self.run_talus(scene, end)[1][0, 2] for end in (2.0, 3.0))
        self.assertAlmostEqual(at_rest, -0.05, 12)
        self.assertAlmostEqual(sunk, -0.11, 12)

    def test_the_table_says_all(self):
        for make in scenes.SCENES.values():
            scene = make()
            with tempfile.NamedTemporaryFile() as file:
                scenes.write_table(scene, file.name)
                read = scenes.read_table(file.name)
            read.name, read.rest = scene.name, scene.rest
            self.assertEqual(read, scene)


if __name__ == "__main__":
    unittest.main()
