# SPDX-License-Identifier: Apache-2.0
"""Scenes that are read, made, changed and saved."""

import copy
import pathlib
import pickle
import tomllib
import unittest
import warnings

import numpy as np

import kit
import talus

SCENES = sorted((kit.ROOT / "scenes").glob("*.toml"))


class Scenes(kit.InScratch):
    def test_scenes_and_runs_are_pickled(self):
        scene = talus.Scene.load(talus.example("incline")).set("time.end", 0.01)
        twin = pickle.loads(pickle.dumps(scene))
        self.assertEqual((twin.text, twin.path, twin.bodies), (scene.text, scene.path, scene.bodies))
        copy.deepcopy(scene).set("time.end", 0.02)
        self.assertEqual(scene.end, 0.01)
        run = talus.run(scene, "slide.h5")
        again = pickle.loads(pickle.dumps(run))
        self.assertEqual(again.figures, run.figures)
        self.assertEqual(again.frames[-1].position.tolist(), run.frames[-1].position.tolist())

    def test_probable_slips_are_warnings_with_a_path_of_keys(self):
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            scene = kit.falling_ball(material={"steel": {"density": 2.4, "friction": 0.5}},
                                     body=[talus.shapes.ball(0.1, [0, 0, 0], "steel")])
        self.assertEqual([w.category for w in said], [talus.SceneWarning])
        self.assertEqual(scene.warnings, [str(said[0].message)])
        self.assertTrue(scene.warnings[0].startswith("material.steel.density: material 'steel': density = 2.4"),
                        scene.warnings)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scene.save("ball.toml")
            said = talus.Scene.load("ball.toml").warnings
        self.assertRegex(said[0], r"^ball\.toml:\d+:\d+: material 'steel': density = 2\.4")

    def test_every_bundled_scene_means_the_same_when_it_is_made_of_dictionaries(self):
        self.assertGreater(len(SCENES), 30)
        warnings.simplefilter("ignore", talus.SceneWarning)
        for path in SCENES:
            with self.subTest(path.name):
                read = talus.Scene.load(path)
                description = tomllib.loads(path.read_text())
                made = talus._core.Scene.from_text(
                    talus._toml.document(description), str(path), [], None, True
                )
                self.assertTrue(made.means_the_same_as(read._core))

    def test_a_saved_scene_means_the_same_with_its_changes(self):
        warnings.simplefilter("ignore", talus.SceneWarning)
        for path in SCENES:
            with self.subTest(path.name):
                scene = talus.Scene.load(path).set("time.end", 0.1 + 0.2)
                scene.save("saved.toml", force=True)
                self.assertTrue(talus.Scene.load("saved.toml")._core.means_the_same_as(scene._core))

    def test_an_unchanged_scene_is_saved_as_it_stands(self):
        path = kit.ROOT / "scenes/wall.toml"
        talus.Scene.load(path).save("wall.toml")
        self.assertEqual(pathlib.Path("wall.toml").read_bytes(), path.read_bytes())
        said = self.message_of(talus.InputError, talus.Scene.load(path).save, "wall.toml")
        self.assertEqual(said, "wall.toml: exists already (force=True replaces it)")

    def test_a_record_goes_with_its_scene(self):
        pathlib.Path("quake.txt").write_text("0 0\n1 2\n")
        motion = {"direction": [1, 0], "position": {"file": "quake.txt"}}
        scene = talus.scene(
            dimension=2, gravity=[0, -9.81], time={"step": 1e-3, "end": 1},
            material={"stone": {"density": 2000, "friction": 0.6}},
            body=[{"shape": {"box": [1, 1]}, "material": "stone", "drive": [motion]}])
        pathlib.Path("elsewhere").mkdir()
        scene.save("elsewhere/scene.toml")
        self.assertEqual(pathlib.Path("elsewhere/quake.txt").read_text(), "0 0\n1 2\n")
        self.assertTrue(
            talus.Scene.load("elsewhere/scene.toml")._core.means_the_same_as(scene._core))

    def test_mistakes_in_a_file_have_the_program_s_text_and_their_place(self):
        pathlib.Path("slip.toml").write_text(
            'dimension = 2\ntime = { step = 1e-3, end = 1 }\n\n[material.stone]\nfrction = 0.4\n')
        with self.assertRaises(talus.SceneError) as raised:
            talus.Scene.load("slip.toml")
        error = raised.exception
        self.assertEqual(str(error) + "\n", kit.program("run", "slip.toml", code=2))
        self.assertEqual((error.file, error.line, error.column), ("slip.toml", 5, 1))
        self.assertIsNone(error.keys)
        self.assertIsInstance(error, talus.InputError)
        self.assertIsInstance(error, ValueError)

    def test_mistakes_in_dictionaries_have_a_path_of_keys(self):
        ball = {"shape": {"ball": 1}, "material": "stone"}
        good = {"dimension": 2, "time": {"step": 1e-3, "end": 1},
                "material": {"stone": {"density": 1, "friction": 0}}, "body": [ball]}
        def said(**keys):
            with self.assertRaises(talus.SceneError) as raised:
                talus.scene({**good, **keys})
            self.assertIsNone(raised.exception.line)
            return raised.exception.keys, str(raised.exception)
        keys, text = said(body=[ball, dict(ball, position=[0, "x"])])
        self.assertEqual(keys, "body[1].position[1]")
        self.assertTrue(text.startswith("body[1].position[1]: body 'body1'"), text)
        self.assertEqual(said(time={"step": -1, "end": 1})[0], "time.step")
        self.assertEqual(said(material={"stone": {"density": 1, "friction": 0, "hue": 1}})[0],
                         "material.stone.hue")
        self.assertEqual(said(body=[dict(ball, fixed=None)])[1],
                         "body[0].fixed: None is no number, text, truth value, list or dictionary")
        self.assertEqual(said(body=[dict(ball, mass=float("nan"))])[0], "body[0].mass")

    def test_bodies_that_overlap_are_told_when_the_world_is_made(self):
        ball = {"shape": {"ball": 1}, "material": "stone"}
        scene = talus.scene(dimension=2, time={"step": 1e-3, "end": 1}, body=[ball, ball],
                            material={"stone": {"density": 1, "friction": 0}})
        with self.assertRaises(talus.SceneError) as raised:
            talus.World(scene)
        self.assertEqual(raised.exception.keys, "body[1]")
        self.assertIn("body 'body1' overlaps 'body0' by 2 m", str(raised.exception))

    def test_a_refused_change_changes_nothing(self):
        scene = talus.Scene.load(talus.example("bouncing"))
        before = scene.text
        with self.assertRaises(talus.SceneError):
            scene.set("time.step", -1)
        self.assertEqual(scene.text, before)
        twin = scene.copy().set("time.end", 0.25)
        self.assertEqual((scene.end, twin.end), (5.0, 0.25))
        self.assertEqual(scene.set("body.ball.position", np.array([0, 0, 3.0])).copy().text,
                         scene.text)

    def test_a_column_is_a_loop(self):
        scene = talus.scene(
            dimension=2, gravity=[0, -9.81], time={"step": 1e-3, "end": 1},
            solver={"tolerance": 1e-10}, material={"stone": {"density": 2000, "friction": 0.6}},
            body=[talus.shapes.floor([0, 1], "stone")]
            + [talus.shapes.block([0.2, 0.1], [0, 0.05 + 0.1 * k], "stone") for k in range(5)])
        world = talus.World(scene)
        self.assertEqual(len(world.names), 6)
        last = world.advance(200)
        self.assertTrue(last.converged)
        self.assertLess(last.kinetic, 1e-9)
        # The floor carries all of it.
        contacts = world.contacts
        on_floor = contacts.body_a == 0
        self.assertAlmostEqual(contacts.force[on_floor].sum(axis=0)[1], 5 * 40 * 9.81, places=5)

    def test_a_mesh_becomes_a_body_of_its_volume(self):
        corners = [(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]
        faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        lines = [f"v {x} {y} {z}" for x, y, z in corners]
        lines += ["f " + " ".join(str(c + 1) for c in face) for face in faces]
        pathlib.Path("cube.obj").write_text("\n".join(lines))
        solid = ["solid cube"]
        for a, b, c, d in faces:
            for triangle in ((a, b, c), (a, c, d)):
                solid += ["facet normal 0 0 0", "outer loop"]
                solid += ["vertex %g %g %g" % corners[k] for k in triangle]
                solid += ["endloop", "endfacet"]
        pathlib.Path("cube.stl").write_text("\n".join(solid + ["endsolid cube"]))
        for name in ("cube.obj", "cube.stl"):
            vertices, triangles = talus.shapes.read_mesh(name)
            a, b, c = (vertices[triangles[:, k]] for k in range(3))
            volume = np.einsum("ij,ij->", a, np.cross(b, c)) / 6
            self.assertAlmostEqual(volume, 1)
            world = talus.World(talus.scene(
                dimension=3, gravity=[0, 0, -9.81], time={"step": 1e-3, "end": 1},
                material={"stone": {"density": 2000, "friction": 0.6}},
                body=[talus.shapes.hull(vertices, [0, 0, 0], "stone")]))
            self.assertAlmostEqual(world.mass[0], 2000)
        pathlib.Path("bad.obj").write_text("v 0 0 0\nf 1 2 3\n")
        self.assertIn("bad.obj: is no mesh",
                      self.message_of(talus.InputError, talus.shapes.read_mesh, "bad.obj"))


if __name__ == "__main__":
    unittest.main()
