# SPDX-License-Identifier: Apache-2.0
"""Dictionaries, lists and numbers as the text of a scene (TOML)."""

import json
import math
import numbers
import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from talus._errors import SceneError

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def _fail(path: str, what: str) -> None:
    error = SceneError(f"{path}: {what}")
    error.keys, error.description = path, what
    raise error


def _key(key: Any, path: str) -> str:
    if not isinstance(key, str):
        _fail(path or "scene", f"the key {key!r} is no text")
    return key if _BARE.fullmatch(key) else _text(key, path)


def _text(text: str, path: str) -> str:
    # JSON escapes what TOML escapes, but for DEL and for half characters, which have no UTF-8.
    if any("\ud800" <= c <= "\udfff" for c in text):
        _fail(path, "holds characters that are no text")
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _number(x: float) -> str:
    if math.isnan(x):
        return "nan"
    if math.isinf(x):
        return "inf" if x > 0 else "-inf"
    text = repr(x)
    return text if "." in text or "e" in text else text + ".0"


def _whole(x: int, path: str) -> str:
    if not -(2**63) <= x < 2**63:
        _fail(path, f"{x} has more than 64 bits")
    return str(x)


def value(x: Any, path: str) -> str:
    """One value on one line. `path` names it in messages.

    >>> talus._toml.value({"ball": 0.1, "names": ["a", "b"]}, "shape")
    '{ ball = 0.1, names = ["a", "b"] }'
    """
    if isinstance(x, (np.ndarray, np.generic)):
        x = x.tolist()
    if isinstance(x, str):
        return _text(x, path)
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, numbers.Integral):
        return _whole(int(x), path)
    if isinstance(x, numbers.Real):
        return _number(float(x))
    if isinstance(x, Mapping):
        entries = [f"{_key(k, path)} = {value(v, f'{path}.{k}')}" for k, v in x.items()]
        return "{ " + ", ".join(entries) + " }" if entries else "{}"
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(value(v, f"{path}[{k}]") for k, v in enumerate(x)) + "]"
    _fail(path, f"{x!r} is no number, text, truth value, list or dictionary")
    raise AssertionError


def _is_table_list(x: Any) -> bool:
    return isinstance(x, (list, tuple)) and len(x) > 0 and all(isinstance(v, Mapping) for v in x)


def document(scene: Mapping) -> str:
    """The text of a scene: plain values first, then its tables, then its lists of tables.

    >>> print(talus._toml.document({"dimension": 2, "body": [{"shape": {"ball": 1}}]}))
    dimension = 2
    <BLANKLINE>
    [[body]]
    shape = { ball = 1 }
    <BLANKLINE>
    """
    lines, tables = [], []
    for key, x in scene.items():
        name = _key(key, "")
        if key == "material" and isinstance(x, Mapping):
            for material, y in x.items():
                path = f"material.{material}"
                if not isinstance(y, Mapping):
                    lines.append(f"material.{_key(material, 'material')} = {value(y, path)}")
                    continue
                tables.append(["", f"[material.{_key(material, 'material')}]"] + _lines(y, path))
        elif _is_table_list(x):
            for k, entry in enumerate(x):
                tables.append(["", f"[[{name}]]"] + _lines(entry, f"{key}[{k}]"))
        else:
            lines.append(f"{name} = {value(x, key)}")
    return "\n".join(lines + [line for table in tables for line in table]) + "\n"


def _lines(table: Mapping, path: str) -> list:
    return [f"{_key(k, path)} = {value(v, f'{path}.{k}')}" for k, v in table.items()]
