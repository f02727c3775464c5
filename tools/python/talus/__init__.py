# SPDX-License-Identifier: Apache-2.0
"""Talus: rigid bodies in frictional contact, every step certified.

    import talus

    run = talus.run("wall.toml", "wall.h5", progress=True)
    run.plot("energy")
    run.show()
"""

from talus._analyze import analyze
from talus._core import Certificate, __version__
from talus._errors import InputError, SceneError
from talus._results import Frame, Frames, Run, open
from talus._run import RunWarning, run
from talus._scene import Scene, SceneWarning, example, scene
from talus._solve import Solution, solve
from talus._study import Study, study
from talus._table import Table
from talus._world import World
from talus import shapes

__all__ = [
    "Certificate", "Frame", "Frames", "InputError", "Run", "RunWarning", "Scene", "SceneError",
    "SceneWarning", "Solution", "Study", "Table", "World", "__version__", "analyze", "example",
    "open", "run", "scene", "shapes", "solve", "study",
]
