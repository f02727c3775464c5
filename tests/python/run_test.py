# SPDX-License-Identifier: Apache-2.0
"""Runs from a scene to a file: the same as the program's, watched and stopped."""

import os
import pathlib
import signal
import subprocess
import sys
import unittest
import warnings

import h5py
import numpy as np

import kit
import talus


def same_numbers(a, b):
    """Whether two files hold the same, but for times of the machine and how they were made."""
    with h5py.File(a) as one, h5py.File(b) as other:
        names = []
        one.visititems(lambda name, x: names.append(name) if isinstance(x, h5py.Dataset) else None)
        for name in names:
            if name in ("series/wall_seconds", "meta/command_line") or "checksum" in name:
                continue
            if not np.array_equal(one[name][()], other[name][()]):
                return name
    return None


class Runs(kit.InScratch):
    def test_the_file_is_that_of_the_program(self):
        scene = talus.example("column")
        for threads in (1, 2):
            talus.run(scene, "python.h5", until=0.05, threads=threads, force=True)
            kit.program("run", scene, "-o", "program.h5", "--until", 0.05, "--force", "--quiet")
            self.assertIsNone(same_numbers("program.h5", "python.h5"))
        kit.program("check", "python.h5")

    def test_a_run_equals_steps_by_hand(self):
        run = talus.run(talus.example("wall"), "wall.h5", until=0.05)
        world = talus.World(talus.example("wall"))
        world.advance(int(run.steps[-1]))
        last = run.frames[-1]
        np.testing.assert_array_equal(last.position[:, :2], world.position)
        np.testing.assert_array_equal(last.velocity[:, :2], world.velocity)
        np.testing.assert_array_equal(last.spin[:, 2], world.spin)

    def test_figures_are_those_of_the_program(self):
        run = talus.run(kit.falling_ball(), "ball.h5")
        self.assertEqual((run.figures["steps"], run.figures["time"]), (1000, 1))
        self.assertEqual(run.figures["interrupted"], False)
        said = self.message_of(talus.InputError, talus.run, kit.falling_ball(), "ball.h5")
        self.assertTrue(said.startswith("ball.h5: exists"), said)
        said = self.message_of(talus.InputError, talus.run, kit.falling_ball(), "b.h5", until=1e-9)
        self.assertIn("is shorter than one step of 0.001 s", said)

    def test_functions_see_the_world_and_steer_it(self):
        heights, frames = [], []
        def hold(world, certificate):
            heights.append(world.position[0, 2])
            if certificate.step == 100:
                world.apply_force("ball", [0, 0, 10])
        run = talus.run(kit.falling_ball(time={"step": 1e-3, "end": 0.2, "save_every": 50}),
                        "held.h5", on_step=hold, on_frame=lambda world, step: frames.append(step))
        self.assertEqual(frames, [50, 100, 150, 200])
        self.assertEqual(len(heights), 200)
        np.testing.assert_allclose(run.series.max_speed[99:], 1.0)
        # The file says that forces acted which its scene does not have, so that it is certified.
        self.assertTrue(run.check()["passed"], run.check())

    def test_a_function_cannot_step_the_world_of_a_run(self):
        said = self.message_of(RuntimeError, talus.run, kit.falling_ball(), "ball.h5",
                               on_step=lambda world, certificate: world.step())
        self.assertEqual(said, "the run that calls this function steps the world")

    def stops_and_resumes(self, error, on_step):
        scene = kit.falling_ball(
            body=[talus.shapes.floor([0, 0, 1], "steel"),
                  talus.shapes.ball(0.1, [0, 0, 0.2], "steel", velocity=[1, 0, 0])])
        whole = talus.run(scene, "whole.h5", until=0.3)
        if error:
            with self.assertRaises(error):
                talus.run(scene, "parts.h5", until=0.3, on_step=on_step)
        else:
            talus.run(scene, "parts.h5", until=0.3, on_step=on_step)
        part = talus.open("parts.h5")
        self.assertFalse(part.complete)
        self.assertEqual(part.series.rows, 130)
        rest = talus.run(scene, "parts.h5", until=0.3, resume=True)
        self.assertTrue(rest.complete)
        np.testing.assert_array_equal(rest.frames[-1].position, whole.frames[-1].position)
        np.testing.assert_array_equal(rest.series.kinetic, whole.series.kinetic)
        self.assertIsNone(talus.run(scene, "parts.h5", until=0.3, resume=True).figures)

    def test_ctrl_c_leaves_a_valid_file_that_can_be_resumed(self):
        def interrupt(world, certificate):
            if certificate.step == 130:
                os.kill(os.getpid(), signal.SIGINT)
        self.stops_and_resumes(KeyboardInterrupt, interrupt)

    def test_what_a_function_raises_ends_the_run_in_good_order(self):
        def fail(world, certificate):
            if certificate.step == 130:
                1 / 0
        self.stops_and_resumes(ZeroDivisionError, fail)

    def test_a_function_may_end_a_run(self):
        self.stops_and_resumes(None, lambda world, certificate: certificate.step == 130)

    def test_advance_is_interrupted(self):
        script = (
            "import talus, threading, os, signal\n"
            "world = talus.World(talus.example('wall'))\n"
            "threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
            "try:\n"
            "    world.advance(10**9)\n"
            "except KeyboardInterrupt:\n"
            "    print('stopped', world.steps > 0)\n")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertEqual(done.stdout, "stopped True\n", done.stderr)

    def test_pools_of_processes_run_scenes(self):
        # After a run on two threads a forked process has none of them: its loops must start their own.
        script = (
            "import multiprocessing, sys, talus\n"
            "def job(task):\n"
            "    scene, name = task\n"
            "    return talus.run(scene, name, until=0.01, threads=2)\n"
            "if __name__ == '__main__':\n"
            "    scene = talus.Scene.load(talus.example('column'))\n"
            "    here = job((scene, 'here.h5'))\n"
            "    with multiprocessing.get_context(sys.argv[1]).Pool(2) as pool:\n"
            "        there = pool.map(job, [(scene, 'a.h5'), (scene.copy().set('time.step', 2e-3), 'b.h5')])\n"
            "    print(there[0].series.kinetic[-1] == here.series.kinetic[-1], there[1].series.rows)\n")
        pathlib.Path("pool.py").write_text(script)
        for method in ("fork", "spawn"):
            with self.subTest(method):
                for old in pathlib.Path().glob("*.h5"):
                    old.unlink()
                done = subprocess.run([sys.executable, "pool.py", method], capture_output=True,
                                      text=True, timeout=120)
                rows = round(0.01 / 2e-3)
                self.assertEqual(done.stdout, f"True {rows}\n", done.stderr)

    def test_a_file_is_read_while_its_run_goes_on(self):
        seen = []
        def look(world, step):
            run = talus.open("ball.h5")
            seen.append((run.complete, len(run.frames), run.frames[-1].position[0, 2]))
            if len(seen) == 1:
                self.early = run
        talus.run(kit.falling_ball(time={"step": 1e-3, "end": 0.1, "save_every": 25}), "ball.h5",
                  on_frame=look)
        self.assertEqual([frames for _, frames, _ in seen], [2, 3, 4, 5])
        self.assertFalse(seen[-1][0])
        self.assertAlmostEqual(seen[1][2], -0.5 * 10 * 0.05**2)
        self.assertEqual(len(self.early.frames), 2)
        self.assertTrue(self.early.refresh())
        self.assertEqual(len(self.early.frames), 5)
        self.assertTrue(self.early.complete)

    def test_warnings_of_the_program_are_warnings(self):
        scene = talus.Scene.load(talus.example("column")).set("solver.max_sweeps", 1)
        scene.set("solver.tolerance", 1e-14)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            run = talus.run(scene, "column.h5", until=0.02)
        texts = [str(w.message) for w in said if w.category is talus.RunWarning]
        missed = run.figures["unconverged_steps"]
        self.assertGreater(missed, 0)
        self.assertTrue(any(t.startswith(f"{missed} of ") and "missed the tolerance" in t
                            for t in texts), texts)

    def test_progress_is_told(self):
        told = []
        talus.run(kit.falling_ball(), "ball.h5", progress=lambda *what: told.append(what[:3]))
        self.assertEqual(told[-1], (1000, 0, 1000))


class Program(kit.InScratch):
    def test_python_is_the_program_too(self):
        done = subprocess.run([sys.executable, "-m", "talus", "run", talus.example("bouncing"),
                               "-o", "ball.h5", "--until", "0.01", "--json", "--quiet"],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('"steps": 100', done.stdout)
        done = subprocess.run([sys.executable, "-m", "talus", "rum"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr, kit.program("rum", code=2))

    def test_a_study_runs_its_cases_and_completes_them(self):
        scene = talus.Scene.load(talus.example("incline")).set("time.end", 0.05)
        axes = {"contact.0.friction": [0.2, 0.8], "time.step": {"from": 1e-3, "to": 2e-3, "count": 2}}
        study = talus.study(scene, axes, folder="out/slides", workers=2)
        self.assertEqual(len(study.summary), 4)
        self.assertEqual(list(study.summary["contact.0.friction"]), [0.2, 0.2, 0.8, 0.8])
        self.assertTrue(all(study.run(k).complete for k in (1, 2, 3, 4)))
        # The first friction lets the block slide, tan 30° = 0.577, the second does not.
        index = list(study.run(1).bodies.name).index("stays")
        speeds = [np.linalg.norm(study.run(k).frames[-1].velocity[index]) for k in (1, 3)]
        self.assertAlmostEqual(speeds[0], 0.05 * 9.81 * (0.5 - 0.2 * np.cos(np.pi / 6)), places=3)
        self.assertLess(speeds[1], 1e-6)
        times = [pathlib.Path("out/slides/case-0001/run.h5").stat().st_mtime_ns]
        talus.study(scene, axes, folder="out/slides")
        times.append(pathlib.Path("out/slides/case-0001/run.h5").stat().st_mtime_ns)
        self.assertEqual(times[0], times[1])

    def test_a_study_with_a_mistake_has_the_program_s_text(self):
        said = self.message_of(talus.InputError, talus.study, talus.example("incline"),
                               {"material.rogh.friction": [1]}, folder="slides")
        self.assertIn("the scene has no material 'rogh' (did you mean 'rough'?)", said)


if __name__ == "__main__":
    unittest.main()
