# SPDX-License-Identifier: Apache-2.0
"""Runs in files: frames, series, measures and contacts, read when they are asked for."""

import json
import os
from functools import cached_property
from typing import Any, Dict, Iterator, List, Optional, Sequence, Union, overload

import numpy as np

from talus import _core, _plot
from talus._errors import InputError
from talus._page import Page
from talus._scene import Scene
from talus._table import Table


class Frame:
    """The state at one output time. Positions are those of mass centres, SI units.

    Orientations are quaternions (w, x, y, z) from body to world. In the plane the third component
    of vectors is 0, as in the file.
    """

    def __init__(self, run: "Run", number: int):
        self._run = run
        self.number = number
        self.time = float(run.times[number])
        self.step = int(run.steps[number])

    @cached_property
    def state(self) -> Table:
        """body, position, orientation, velocity and spin, a row for every body that is there."""
        return Table(self._run._reader.state(self.number))

    @property
    def body(self) -> np.ndarray:
        """Numbers of the bodies, rows of run.bodies."""
        return self.state.body

    @property
    def position(self) -> np.ndarray:
        """Of mass centres [m]."""
        return self.state.position

    @property
    def orientation(self) -> np.ndarray:
        """Quaternions (w, x, y, z) from body to world."""
        return self.state.orientation

    @property
    def velocity(self) -> np.ndarray:
        """Of mass centres [m/s]."""
        return self.state.velocity

    @property
    def spin(self) -> np.ndarray:
        """Angular velocities [rad/s], world axes."""
        return self.state.spin

    @cached_property
    def contacts(self) -> Table:
        """Contacts that carry a force; `force` and `moment` act on body_b."""
        return Table(self._run._reader.contacts(self.number))

    @cached_property
    def joints(self) -> Table:
        """Forces and torques of the joints on body_b."""
        return Table(self._run._reader.joints(self.number))

    def to_pandas(self) -> Any:
        """A DataFrame with a row for every body, with its name."""
        table = self.state.to_pandas()
        table.insert(0, "name", self._run.bodies.name[self.body])
        return table

    def __repr__(self) -> str:
        return f"<Frame {self.number} of {self._run.path}: t = {self.time:.6g} s>"


class Frames:
    """The frames of a run, by number or by time. None is read before it is used."""

    def __init__(self, run: "Run"):
        self._run = run

    def __len__(self) -> int:
        return len(self._run.times)

    @overload
    def __getitem__(self, number: int) -> Frame: ...
    @overload
    def __getitem__(self, number: slice) -> List[Frame]: ...
    def __getitem__(self, number):
        if isinstance(number, slice):
            return [Frame(self._run, k) for k in range(*number.indices(len(self)))]
        k = number + len(self) if number < 0 else number
        if not 0 <= k < len(self):
            raise IndexError(f"{self._run.path}: frame {number} of a run with {len(self)} frames")
        return Frame(self._run, k)

    def __iter__(self) -> Iterator[Frame]:
        return (Frame(self._run, k) for k in range(len(self)))

    def at(self, time: float) -> Frame:
        """The frame nearest to a time [s]."""
        if len(self) == 0:
            raise InputError(f"{self._run.path}: has no frames")
        return self[int(np.argmin(np.abs(self._run.times - time)))]

    def __repr__(self) -> str:
        return f"<{len(self)} frames of {self._run.path}>"


class Run:
    """A trajectory file. Opening it reads its index only, whatever its size.

    >>> run = talus.open(ball_run)
    >>> run.complete, len(run.frames), run.bodies.name.tolist()
    (True, 6, ['floor', 'ball'])
    >>> run.frames[-1].position[1]
    array([0.       , 0.       , 1.0877375])
    >>> run.series.to_pandas()[["time", "kinetic"]].shape
    (500, 2)
    >>> bool(abs(run.series.defect).max() < 1e-12)
    True

    A run that is being written may be read, too; `refresh` looks for what is new.
    """

    def __init__(self, path: Union[str, os.PathLike], figures: Optional[Dict] = None):
        self.figures = figures
        """What `talus run --json` prints, for a run that talus.run has just made."""
        self._reader = _core.RunFile(os.fspath(path))

    def __reduce__(self):
        return Run, (os.path.abspath(self.path), self.figures)

    def refresh(self) -> bool:
        """Looks again at a file that may have grown; says whether there are new frames."""
        before = len(self.times)
        for name in ("header", "bodies", "_index", "series", "measures", "impacts"):
            self.__dict__.pop(name, None)
        return len(self.times) != before

    @property
    def path(self) -> str:
        """Its file."""
        return self._reader.path

    @cached_property
    def header(self) -> Dict:
        """Parameters of the run."""
        return self._reader.header()

    @property
    def complete(self) -> bool:
        """Whether it reached its end, or a stop condition."""
        return self.header["complete"]

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return self.header["dimension"]

    @property
    def scene(self) -> Scene:
        """The scene that was run."""
        text, overrides, records = self._reader.scene()
        return Scene(_core.Scene.from_text(text, self.path, overrides, records, False))

    @cached_property
    def bodies(self) -> Table:
        """name, material, fixed (0 free, 1 fixed, 2 driven), mass, inertia, radius, diameter."""
        return Table(self._reader.bodies())

    @cached_property
    def _index(self):
        return self._reader.frames()

    @property
    def times(self) -> np.ndarray:
        """Times of the frames [s]."""
        return self._index[0]

    @property
    def steps(self) -> np.ndarray:
        """Steps of the frames."""
        return self._index[1]

    @property
    def frames(self) -> Frames:
        """The frames, by number or, with `at`, by time."""
        return Frames(self)

    @cached_property
    def series(self) -> Table:
        """A row for every step: energies, works, errors (docs/TRAJECTORY.md)."""
        return Table(self._reader.series(), _core.series_units())

    @cached_property
    def measures(self) -> Dict[str, Table]:
        """The [[measure]]s of the scene by their names."""
        return {name: Table(columns) for name, columns in self._reader.measures().items()}

    @cached_property
    def impacts(self) -> Table:
        """A row for every contact of an impact."""
        return Table(self._reader.impacts())

    def check(self) -> Dict:
        """The certificate of the run, with the keys of `talus check --json`.

        >>> talus.open(ball_run).check()["passed"]
        True
        """
        return json.loads(self._reader.check())

    def plot(self, what: Union[str, Sequence[str]] = "energy", ax: Any = None) -> Any:
        """Plots columns over time with matplotlib; returns its axes.

        `what` is "energy", "work", "contacts", "error", "penetration", a column of the series, a
        column "MEASURE.COLUMN" of a measure, or a list of these columns.

        >>> talus.open(ball_run).plot("energy").get_ylabel()
        'energy [J]'
        """
        return _plot.plot(self, what, ax)

    def show(self, height: int = 560, megabytes: float = 20) -> Page:
        """The run as a page that plays in the notebook. Runs above the size are thinned."""
        return Page(self._reader.page(megabytes), height)

    def __repr__(self) -> str:
        state = "complete" if self.complete else "not complete"
        return f"<Run {self.path}: {len(self.times)} frames, {state}>"


def open(path: Union[str, os.PathLike]) -> Run:
    """Opens a run. It may still be under way."""
    return Run(path)
