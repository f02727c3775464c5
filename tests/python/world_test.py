# SPDX-License-Identifier: Apache-2.0
"""Worlds that are stepped by hand."""

import gc
import threading
import unittest

import numpy as np

import kit
import talus


class Worlds(kit.InScratch):
    def test_a_falling_ball_follows_the_scheme(self):
        world = talus.World(kit.falling_ball())
        x, v = world.position, world.velocity
        for k in range(1, 101):
            certificate = world.step()
            self.assertEqual(certificate.step, k)
            self.assertAlmostEqual(v[0, 2], -10 * 1e-3 * k, delta=1e-14)
            self.assertAlmostEqual(x[0, 2], -0.5 * 10 * (1e-3 * k) ** 2, delta=1e-15)
        self.assertEqual(world.time, 0.1)
        self.assertAlmostEqual(certificate.kinetic, 0.5)

    def test_views_show_the_present_state_and_outlive_their_world(self):
        world = talus.World(kit.falling_ball())
        x = world.position
        self.assertTrue(np.shares_memory(x, world.position))
        self.assertIs(x.base, world)
        self.assertFalse(x.flags.writeable)
        with self.assertRaises(ValueError):
            x[0, 0] = 1
        world.advance(100)
        expected = x.copy()
        del world
        gc.collect()
        np.testing.assert_array_equal(x, expected)

    def test_shapes_of_the_plane(self):
        world = talus.World(talus.example("incline"))
        n = len(world.names)
        self.assertEqual(world.position.shape, (n, 2))
        self.assertEqual(world.spin.shape, (n,))
        self.assertEqual(world.orientation.shape, (n,))
        self.assertEqual(talus.World(kit.falling_ball()).orientation.tolist(), [[1, 0, 0, 0]])

    def test_forces_act_until_they_are_set_again(self):
        world = talus.World(kit.falling_ball())
        world.apply_force("ball", [0, 0, 10])  # its weight
        world.advance(50)
        self.assertEqual(np.abs(world.velocity).max(), 0)
        world.apply_force(0, [3, 0, 10], torque=[0, 0, 2])
        certificate = world.advance(50)
        self.assertAlmostEqual(world.velocity[0, 0], 3 * 0.05)
        self.assertAlmostEqual(world.spin[0, 2], 2 * 0.05 / 0.5)
        self.assertLess(abs(certificate.defect), 1e-15)
        # A force on a point off the centre turns the ball.
        world.apply_force("ball", [0, 0, 10], point=world.position[0] + [0.1, 0, 0])
        world.advance(10)
        self.assertAlmostEqual(world.spin[0, 1], -1 * 0.01 / 0.5)
        world.apply_force("ball", [0, 0, 0])
        before = world.velocity[0, 2]
        world.advance(100)
        self.assertAlmostEqual(world.velocity[0, 2] - before, -1)

    def test_drives_are_set_between_steps(self):
        scene = kit.falling_ball(body=[
            {"name": "plate", "shape": {"box": [1, 1, 0.1]}, "material": "steel",
             "drive": [{"direction": [1, 0, 0], "velocity": 0.5}]}])
        world = talus.World(scene)
        world.advance(100)
        self.assertAlmostEqual(world.position[0, 0], 0.05)
        world.drive("plate", [0, 0, -2], spin=[0, 0, 3])
        world.advance(100)
        # The first half step still has the old velocity.
        np.testing.assert_allclose(
            world.position[0], [0.05 + 0.5 * 0.5e-3, 0, -2 * (0.1 - 0.5e-3)], atol=1e-14)
        angle = 2 * np.arctan2(world.orientation[0, 3], world.orientation[0, 0])
        self.assertAlmostEqual(angle, 3 * (0.1 - 0.5e-3))

    def test_what_cannot_be_moved_is_refused(self):
        world = talus.World(talus.example("bouncing"))
        refused = [
            (world.apply_force, ("floor", [0, 0, 1]),
             "body 'floor' does not move freely: no force moves it"),
            (world.apply_force, ("bal", [0, 0, 1]), "no body 'bal' (did you mean 'ball'?)"),
            (world.apply_force, (7, [0, 0, 1]), "body 7: expected one of the start, 0 to 1"),
            (world.apply_force, ("ball", [0, 1]), "force has 2 components, expected 3"),
            (world.apply_force, ("ball", [0, 0, float("nan")]), "force = nan is not finite"),
            (world.drive, ("ball", [0, 0, 1]),
             "body 'ball' is not driven: give it a 'drive' in the scene"),
            (world.advance, (0,), "steps = 0: expected at least 1"),
            (talus.World, (talus.example("bouncing"), 0), "threads = 0: expected at least 1"),
        ]
        for f, arguments, text in refused:
            self.assertEqual(self.message_of(talus.InputError, f, *arguments), text)

    def test_contacts_carry_the_weight(self):
        scene = kit.falling_ball(
            body=[talus.shapes.floor([0, 0, 1], "steel"),
                  talus.shapes.ball(0.1, [0, 0, 0.1], "steel", mass=1)])
        world = talus.World(scene)
        world.advance(5)
        contacts = world.contacts
        self.assertEqual(contacts.rows, 1)
        self.assertEqual((contacts.body_a[0], contacts.body_b[0]), (0, 1))
        np.testing.assert_allclose(contacts.force[0], [0, 0, 10], atol=1e-8)
        np.testing.assert_allclose(contacts.normal[0], [0, 0, 1])
        np.testing.assert_allclose(contacts.point[0], [0, 0, 0], atol=1e-6)
        self.assertEqual(contacts.status[0], 1)
        self.assertAlmostEqual(contacts.to_pandas().normal_force[0], 10)

    def test_two_worlds_step_in_two_threads(self):
        def state_after(world, steps):
            for _ in range(steps):
                world.step()
            return world.position.copy()
        alone = state_after(talus.World(talus.example("column")), 200)
        results = {}
        threads = [
            threading.Thread(target=lambda k=k: results.update(
                {k: state_after(talus.World(talus.example("column"), threads=1 + k), 200)}))
            for k in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for k in range(2):
            np.testing.assert_array_equal(results[k], alone)

    def test_python_goes_on_while_a_step_is_made(self):
        world = talus.World(talus.example("wall"))
        phase = ["before"]
        def work():
            phase[0] = "during"
            world.advance(100)
            phase[0] = "after"
        thread = threading.Thread(target=work)
        thread.start()
        turns = 0
        while thread.is_alive():
            turns += phase[0] == "during"
        thread.join()
        self.assertGreater(turns, 100)

    def test_one_world_is_stepped_by_one_thread(self):
        world = talus.World(talus.example("wall"))
        thread = threading.Thread(target=world.advance, args=(400,))
        thread.start()
        while world.steps == 0:
            pass
        said = self.message_of(RuntimeError, world.step)
        thread.join()
        self.assertEqual(said, "another thread steps this world")
        self.assertEqual(world.steps, 400)

    def test_where_bodies_come_and_go_arrays_are_copies(self):
        world = talus.World(talus.example("chute"))
        x = world.position
        self.assertFalse(np.shares_memory(x, world.position))
        world.advance(2)
        self.assertEqual(len(world.names), len(world.position))


if __name__ == "__main__":
    unittest.main()
