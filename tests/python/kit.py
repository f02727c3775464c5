# SPDX-License-Identifier: Apache-2.0
"""What the tests of the Python module share."""

import os
import pathlib
import subprocess
import tempfile
import unittest

import talus

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ["TALUS_PROGRAM"]


class InScratch(unittest.TestCase):
    """Every test has an empty folder of its own as its working folder."""

    def setUp(self):
        self._home = os.getcwd()
        self._scratch = tempfile.TemporaryDirectory()
        os.chdir(self._scratch.name)

    def tearDown(self):
        os.chdir(self._home)
        self._scratch.cleanup()

    def message_of(self, error, f, *arguments, **keys):
        with self.assertRaises(error) as raised:
            f(*arguments, **keys)
        return str(raised.exception)


def program(*words, code=0):
    """Runs the program; returns what it says on standard error."""
    done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done.stderr


def falling_ball(**keys):
    """A ball of 1 kg, far above everything."""
    return talus.scene(
        {
            "dimension": 3,
            "gravity": [0, 0, -10],
            "time": {"step": 1e-3, "end": 1},
            "material": {"steel": {"density": 1000, "friction": 0.5}},
            "body": [
                {"name": "ball", "shape": {"ball": 0.1}, "material": "steel", "mass": 1,
                 "inertia": [0.5, 0.5, 0.5]}
            ],
            **keys,
        }
    )
