# SPDX-License-Identifier: Apache-2.0
"""Scenes: from files, or from dictionaries with the same keys."""

import os
import warnings as python_warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, List, Optional, Union

from talus import _core, _toml
from talus._errors import InputError


class SceneWarning(UserWarning):
    """A probable slip in a scene, which the program prints as a warning."""


class Scene:
    """A simulation to be run: what scenes/README.md describes, checked.

    >>> scene = talus.Scene.load(talus.example("bouncing"))
    >>> scene.dimension, scene.bodies
    (3, ['floor', 'ball'])
    """

    def __init__(self, core: _core.Scene):
        self._core = core
        for text in core.warnings:
            python_warnings.warn(text, SceneWarning, stacklevel=3)

    @classmethod
    def load(cls, path: Union[str, os.PathLike], set: Optional[Mapping] = None) -> "Scene":
        """Reads a scene file. `set` changes keys before anything is checked, as --set does."""
        return cls(_core.Scene.load(os.fspath(path), _changes(set or {})))

    @property
    def text(self) -> str:
        """The scene as TOML, with all changes applied."""
        return self._core.changed_text

    @property
    def path(self) -> str:
        """Its file; for a scene that was made, its name."""
        return self._core.path

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return self._core.dimension

    @property
    def title(self) -> str:
        """What the scene calls itself; empty if it does not."""
        return self._core.title

    @property
    def step(self) -> float:
        """Time step [s]."""
        return self._core.step

    @property
    def end(self) -> float:
        """End of the simulation [s]."""
        return self._core.end

    @property
    def bodies(self) -> List[str]:
        """Names of the bodies at the start, generated ones included."""
        return self._core.bodies

    @property
    def warnings(self) -> List[str]:
        """Probable slips."""
        return self._core.warnings

    def set(self, key: str, value: Any) -> "Scene":
        """Changes one key of the scene, which is checked again; returns the scene itself.

        Entries of lists are addressed by their number, from 0, or by their name. If the changed
        scene has a mistake, nothing is changed.

        >>> scene = talus.Scene.load(talus.example("bouncing"))
        >>> scene.set("time.end", 0.5).end
        0.5
        >>> scene.set("material.ruber.density", 900)
        Traceback (most recent call last):
        talus.SceneError: --set material.ruber.density=900: the scene has no material 'ruber' (did you mean 'rubber'?)
        """
        core = self._core
        self._core = _core.Scene.from_text(
            core.text, core.path, core.overrides + _changes({key: value}), core.records, core.made
        )
        return self

    def copy(self) -> "Scene":
        """An independent copy, for loops over parameters."""
        twin = object.__new__(Scene)
        twin._core = self._core  # never changed in place
        return twin

    def __reduce__(self):
        core = self._core
        return _restored, (core.text, core.path, core.overrides, core.records, core.made)

    def save(self, path: Union[str, os.PathLike], force: bool = False) -> None:
        """Writes the scene file, and the records it names beside it.

        An existing file is kept, unless `force` is given.
        """
        path = Path(path)
        _write(path, self.text, force)
        for name, text in self._core.records:
            record = path.parent / name
            if not (record.exists() and record.read_bytes() == _bytes_of(text)):
                _write(record, text, force)

    def __repr__(self) -> str:
        return f"<Scene {self.path!r} in {self.dimension}D, {len(self.bodies)} bodies>"


def _restored(text: str, path: str, overrides: List[str], records: Any, made: bool) -> Scene:
    """A scene from its pickle; its warnings were told where it was made."""
    twin = object.__new__(Scene)
    twin._core = _core.Scene.from_text(text, path, overrides, records, made)
    return twin


def scene(description: Optional[Mapping] = None, /, name: str = "scene", **keys: Any) -> Scene:
    """A scene from dictionaries and lists, with the keys of a scene file.

    >>> ball = {"shape": {"ball": 0.1}, "material": "rubber", "position": [0, 1]}
    >>> made = talus.scene(
    ...     dimension=2,
    ...     gravity=[0, -9.81],
    ...     time={"step": 1e-3, "end": 1},
    ...     material={"rubber": {"density": 1000, "friction": 0.5}},
    ...     body=[ball, {"name": "floor", "shape": {"halfspace": [0, 1]}, "material": "rubber",
    ...                  "fixed": True}],
    ... )
    >>> made.bodies
    ['body0', 'floor']

    A mistake is a SceneError; its place is a path of keys:

    >>> talus.scene(dimension=2, time={"step": 1e-3, "end": 1}, body=[dict(ball, shape={"bal": 1})],
    ...             material={"rubber": {"density": 1000, "friction": 0.5}})
    Traceback (most recent call last):
    talus.SceneError: body[0].shape.bal: body 'body0', shape: unknown key 'bal' (did you mean 'ball'?)
    """
    whole = {**(description or {}), **keys}
    text = _toml.document(whole)
    return Scene(_core.Scene.from_text(text, name, [], None, True))


def as_scene(source: Union[Scene, Mapping, str, os.PathLike]) -> Scene:
    """The scene itself, that of a dictionary, or that of a file."""
    if isinstance(source, Scene):
        return source
    if isinstance(source, Mapping):
        return scene(source)
    return Scene.load(source)


def example(name: str) -> str:
    """The path of a scene that comes with Talus.

    >>> talus.Scene.load(talus.example("wall")).dimension
    2
    """
    path = Path(_core.scenes_folder()) / f"{name}.toml"
    if not path.is_file():
        known = sorted(p.stem for p in path.parent.glob("*.toml"))
        raise InputError(f"no scene {name!r} comes with Talus; there are {', '.join(known)}")
    return str(path)


def _changes(keys: Mapping) -> List[str]:
    return [f"{key}={_toml.value(value, key)}" for key, value in keys.items()]


def _bytes_of(text: Union[str, bytes]) -> bytes:
    return text if isinstance(text, bytes) else text.encode()


def _write(path: Path, text: Union[str, bytes], force: bool) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)  # of a record in a folder
        with open(path, "wb" if force else "xb") as file:
            file.write(_bytes_of(text))
    except FileExistsError:
        raise InputError(f"{path}: exists already (force=True replaces it)") from None
    except OSError as error:
        raise InputError(f"{path}: cannot write: {error.strerror}") from None
