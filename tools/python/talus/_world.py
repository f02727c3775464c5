# SPDX-License-Identifier: Apache-2.0
"""Worlds that are stepped by hand."""

import os
from collections.abc import Mapping
from typing import Union

from talus import _core
from talus._scene import Scene, as_scene


class World(_core.World):
    """A scene in motion. `step` makes one time step and returns its certificate.

    >>> world = talus.World(talus.example("bouncing"))
    >>> x = world.position          # a view: it shows the present state, without a copy
    >>> certificate = world.step()
    >>> certificate.converged, certificate.contacts, world.steps
    (True, 0, 1)
    >>> world.names
    ['floor', 'ball']

    Forces and drives that are set stay in effect until they are set again:

    >>> world.apply_force("ball", [0, 0, 20])
    >>> _ = world.advance(100)

    Other Python threads run while a step is made, and several worlds can be stepped in several
    threads. Within one world a step uses as many `threads` as are asked for; the bits are the same.
    """

    def __init__(self, scene: Union[Scene, Mapping, str, os.PathLike], threads: int = 1):
        super().__init__(as_scene(scene)._core, threads)
