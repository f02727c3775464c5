# SPDX-License-Identifier: Apache-2.0
"""Exceptions of Talus. Their text is what the program prints."""

from typing import Optional


class InputError(ValueError):
    """An input that cannot be used: the place, what was found and what was expected."""


class SceneError(InputError):
    """A mistake in a scene.

    A scene that was read from a file has `file`, `line` and `column`, each counted from 1. A scene
    that was made of dictionaries has `keys`, the path to the value. `description` is the text
    without the place.
    """

    file: Optional[str] = None
    line: Optional[int] = None
    column: Optional[int] = None
    keys: Optional[str] = None
    description: str = ""


for _error in (InputError, SceneError):
    _error.__module__ = "talus"
