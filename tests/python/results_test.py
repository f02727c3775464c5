# SPDX-License-Identifier: Apache-2.0
"""Files of runs, against h5py and the program's tables."""

import subprocess
import unittest

import h5py
import numpy as np
import pandas

import kit
import talus


class Results(kit.InScratch):
    def setUp(self):
        super().setUp()
        talus.run(talus.example("column"), "column.h5", until=0.05)
        self.run_ = talus.open("column.h5")

    def test_frames_are_those_of_the_file(self):
        run = self.run_
        with h5py.File("column.h5") as file:
            first, count = file["frames/body_row"][()], file["frames/body_count"][()]
            c_first, c_count = file["frames/contact_row"][()], file["frames/contact_count"][()]
            np.testing.assert_array_equal(run.times, file["frames/time"])
            np.testing.assert_array_equal(run.steps, file["frames/step"])
            self.assertGreater(len(run.frames), 3)
            for frame in run.frames:
                rows = slice(first[frame.number], first[frame.number] + count[frame.number])
                for ours, theirs in (("position", "position"), ("orientation", "orientation"),
                                     ("velocity", "velocity"), ("spin", "angular_velocity")):
                    np.testing.assert_array_equal(frame.state[ours], file["state"][theirs][rows])
                rows = slice(c_first[frame.number], c_first[frame.number] + c_count[frame.number])
                left_out = {"adhesion": 0, "moment": 0, "cohesion": 0, "bond": -1}  # in files of scenes without them
                for name, none in left_out.items():
                    self.assertTrue((frame.contacts[name] == none).all())
                for name in set(frame.contacts) - set(left_out):
                    np.testing.assert_array_equal(frame.contacts[name],
                                                  file["contacts"][name][rows])
            for name in run.series:
                np.testing.assert_array_equal(run.series[name], file["series"][name][()])
            np.testing.assert_array_equal(run.bodies.mass, file["bodies/mass"])

    def test_moments_of_rolling_contacts(self):
        scene = talus.example("rolling_friction")
        run = talus.run(scene, "rolling.h5", until=0.1)
        world = talus.World(scene)
        world.advance(int(run.steps[-1]))
        contacts = run.frames[-1].contacts
        with h5py.File("rolling.h5") as file:
            first = file["frames/contact_row"][-1]
            np.testing.assert_array_equal(contacts.moment, file["contacts/moment"][first:])
        self.assertGreater(np.linalg.norm(contacts.moment, axis=1).min(), 0)
        np.testing.assert_array_equal(world.contacts.moment, contacts.moment)

    def test_impacts_are_the_columns_of_the_file(self):
        run = talus.run(talus.example("chain"), "chain.h5")
        with h5py.File("chain.h5") as file:
            self.assertEqual(set(run.impacts), set(file["impacts"]))
            for name in run.impacts:
                np.testing.assert_array_equal(run.impacts[name], file["impacts"][name][()])
        # Three equal balls, the first at 1 m/s: 2/3 of the energy is along the normals.
        whole = run.impacts.quasi_normal_energy_before + run.impacts.quasi_tangential_energy_before
        np.testing.assert_allclose(run.impacts.quasi_normal_energy_before, 2 / 3 * whole)

    def test_frames_are_a_sequence(self):
        frames = self.run_.frames
        self.assertEqual(frames[-1].number, len(frames) - 1)
        self.assertEqual([f.number for f in frames[1:3]], [1, 2])
        self.assertEqual(frames.at(0.0249).number, int(np.argmin(abs(self.run_.times - 0.0249))))
        with self.assertRaises(IndexError):
            frames[len(frames)]

    def test_tables_are_data_frames_as_the_program_exports_them(self):
        kit.program("export", "column.h5", "--to", "csv", "-o", "series.csv")
        theirs = pandas.read_csv("series.csv", comment="#", float_precision="round_trip")
        ours = self.run_.series.to_pandas()
        for name in ("time", "kinetic", "contacts", "residual"):
            column = next(c for c in theirs.columns if c.split(" ")[0] == name)
            np.testing.assert_array_equal(theirs[column], ours[name])
        table = self.run_.frames[-1].to_pandas()
        self.assertEqual(list(table.columns[:4]), ["name", "body", "position_x", "position_y"])
        self.assertEqual(table.name[0], self.run_.bodies.name[0])

    def test_measures(self):
        run = talus.run(talus.Scene.load(talus.example("oedometer")), "o.h5", until=0.01)
        self.assertTrue(run.measures)
        with h5py.File("o.h5") as file:
            for name, table in run.measures.items():
                for column in table:
                    np.testing.assert_array_equal(
                        table[column], file[f"measures/{name}"][column][()])

    def test_check_is_that_of_the_program(self):
        import json
        done = subprocess.run([kit.PROGRAM, "check", "column.h5", "--json"], capture_output=True)
        self.assertEqual(self.run_.check(), json.loads(done.stdout))

    def test_the_scene_of_a_run_is_the_one_that_was_run(self):
        scene = talus.Scene.load(talus.example("bouncing")).set("time.end", 0.001)
        run = talus.run(scene, "ball.h5")
        self.assertTrue(run.scene._core.means_the_same_as(scene._core))
        again = talus.run(run.scene, "again.h5")
        np.testing.assert_array_equal(again.frames[-1].position, run.frames[-1].position)

    def test_plots_show_the_columns(self):
        import matplotlib
        matplotlib.use("Agg")
        axes = self.run_.plot("energy")
        lines = {line.get_label(): line.get_ydata() for line in axes.get_lines()}
        np.testing.assert_array_equal(lines["kinetic"], self.run_.series.kinetic)
        np.testing.assert_allclose(lines["total"],
                                   self.run_.series.kinetic + self.run_.series.potential)
        self.assertEqual(axes.get_ylabel(), "energy [J]")
        work = self.run_.plot("friction_work").get_lines()[0].get_ydata()
        np.testing.assert_allclose(work[-1], self.run_.series.friction_work.sum())
        self.assertIn("no column 'enrgy' to plot",
                      self.message_of(talus.InputError, self.run_.plot, "enrgy"))

    def test_the_page_is_the_player_s(self):
        page = self.run_.show()
        kit.program("view", "column.h5", "-o", "column.html", "--size", "20")
        with open("column.html", encoding="utf-8") as file:
            self.assertEqual(page.html, file.read())
        self.assertIn("<iframe srcdoc=", page._repr_html_())

    def test_files_that_cannot_be_read_are_one_clear_line(self):
        with open("no.h5", "w") as file:
            file.write("nothing")
        for name in ("no.h5", "absent.h5"):
            said = self.message_of(talus.InputError, talus.open, name)
            self.assertEqual(said + "\n", kit.program("info", name, code=2))


class Analysis(kit.InScratch):
    def test_it_is_that_of_the_program(self):
        import json
        scene = talus.example("ladder")
        done = subprocess.run([kit.PROGRAM, "analyze", scene, "--json"], capture_output=True)
        theirs = json.loads(done.stdout.splitlines()[-1])
        self.assertEqual(talus.analyze(scene), theirs)
        self.assertEqual(talus.analyze(talus.Scene.load(scene)), theirs)
        run = talus.run(scene, "ladder.h5", until=0.02)
        done = subprocess.run([kit.PROGRAM, "analyze", "ladder.h5", "--at", "0.01", "--json"],
                              capture_output=True)
        self.assertEqual(talus.analyze(run, at=0.01), json.loads(done.stdout.splitlines()[-1]))
        self.assertIn("is no body of the scene",
                      self.message_of(talus.InputError, talus.analyze, scene, massless=["x"]))


if __name__ == "__main__":
    unittest.main()
