# SPDX-License-Identifier: Apache-2.0
"""Bodies as dictionaries for talus.scene, so that many of them are a loop."""

import struct
from pathlib import Path
from typing import Any, Dict, Sequence, Tuple

import numpy as np

from talus._errors import InputError

Body = Dict[str, Any]


def _body(shape: Dict, position: Sequence[float], material: str, keys: Dict) -> Body:
    return {"shape": shape, "position": np.asarray(position).tolist(), "material": material, **keys}


def ball(radius: float, position: Sequence[float], material: str, **keys: Any) -> Body:
    """A ball, a disk in the plane. `keys` are further keys of a body, such as name or velocity.

    >>> talus.shapes.ball(0.1, [0, 1], "steel", velocity=[1, 0])["shape"]
    {'ball': 0.1}
    """
    return _body({"ball": radius}, position, material, keys)


def block(sides: Sequence[float], position: Sequence[float], material: str, **keys: Any) -> Body:
    """A box by the lengths of its sides, centred on its position.

    A column of five blocks:

    >>> column = [talus.shapes.block([0.2, 0.1], [0, 0.05 + 0.1 * k], "stone") for k in range(5)]
    >>> column[4]["position"]
    [0.0, 0.45]
    """
    return _body({"box": np.asarray(sides).tolist()}, position, material, keys)


def hull(points: Any, position: Sequence[float], material: str, **keys: Any) -> Body:
    """The convex hull of points in the frame of the body, such as the vertices of a scanned stone.

    >>> len(talus.shapes.hull([[0, 0], [1, 0], [0, 1]], [0, 0], "stone")["shape"]["polytope"])
    3
    """
    return _body({"polytope": np.asarray(points, dtype=float).tolist()}, position, material, keys)


def floor(normal: Sequence[float], material: str, **keys: Any) -> Body:
    """A fixed half-space below the plane through its position, the origin by default."""
    return {
        "name": "floor", "shape": {"halfspace": list(normal)}, "material": material, "fixed": True,
        **keys,
    }


def read_mesh(path: Any) -> Tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of an OBJ or STL file. Vertices that coincide are joined.

    >>> _ = open("corner.obj", "w").write("v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nv 0 0 1\\nf 1 2 3 4\\n")
    >>> vertices, triangles = talus.shapes.read_mesh("corner.obj")
    >>> vertices.shape, triangles.tolist()
    ((4, 3), [[0, 1, 2], [0, 2, 3]])
    """
    path = Path(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        if path.suffix.lower() == ".obj":
            return _obj(data.decode("utf-8", "replace"))
        if path.suffix.lower() == ".stl":
            return _stl(data)
    except (ValueError, IndexError, struct.error) as error:
        raise InputError(f"{path}: is no mesh of its kind: {error}") from None
    raise InputError(f"{path}: expected a .obj or .stl file")


def _obj(text: str) -> Tuple[np.ndarray, np.ndarray]:
    vertices, triangles = [], []
    for line in text.splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == "v":
            vertices.append([float(x) for x in words[1:4]])
        elif words[0] == "f":
            corners = [int(word.split("/")[0]) for word in words[1:]]
            corners = [c - 1 if c > 0 else len(vertices) + c for c in corners]
            triangles += [[corners[0], b, c] for b, c in zip(corners[1:], corners[2:])]
    faces = np.array(triangles, dtype=int).reshape(-1, 3)
    points = np.array(vertices, dtype=float).reshape(-1, 3)
    if len(points) == 0 or (len(faces) and not 0 <= faces.min() <= faces.max() < len(points)):
        raise ValueError("faces name vertices that are not there")
    return points, faces


def _stl(data: bytes) -> Tuple[np.ndarray, np.ndarray]:
    count = struct.unpack_from("<I", data, 80)[0] if len(data) >= 84 else -1
    if len(data) == 84 + 50 * count:  # binary
        record = np.dtype([("normal", "<3f4"), ("corners", "<(3,3)f4"), ("attribute", "<u2")])
        corners = np.frombuffer(data, record, count, 84)["corners"].reshape(-1, 3)
    else:
        words = data.decode("ascii").split()
        at = [k for k, word in enumerate(words) if word == "vertex"]
        corners = np.array([[float(x) for x in words[k + 1 : k + 4]] for k in at])
    if len(corners) == 0 or len(corners) % 3:
        raise ValueError("no triangles")
    vertices, index = np.unique(np.asarray(corners, float), axis=0, return_inverse=True)
    return vertices, index.reshape(-1, 3)
