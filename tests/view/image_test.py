# SPDX-License-Identifier: Apache-2.0
"""Pictures of `talus picture -o F.png`, decoded by Python's own zlib: a ball covers the pixels that geometry says.

    image_test.py TALUS"""
import math
import os
import struct
import subprocess
import sys
import tempfile
import zlib

STONE = """time = { step = 1e-4, end = 2e-4, save_every = 1 }
[material.stone]
density = 2500
friction = 0.5
"""
SCENE = "dimension = %d\ngravity = [%s]\n" + STONE + """[[body]]
name = "ball"
shape = { ball = 0.1 }
material = "stone"
position = [%s]
velocity = [%s]
"""


def pixels(path):
    """Width, height and rows of red, green, blue bytes; filters 0 and 1 only."""
    with open(path, "rb") as file:
        data = file.read()
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "not a PNG"
    at, body = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        chunk = data[at + 8:at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0] == zlib.crc32(kind + chunk), "checksum of a chunk"
        if kind == b"IHDR":
            width, height, bits, colour = struct.unpack(">IIBB", chunk[:10])
            assert (bits, colour) == (8, 2)
        if kind == b"IDAT":
            body += chunk
        at += 12 + length
    raw, rows = zlib.decompress(body), []
    for y in range(height):
        row = bytearray(raw[y * (3 * width + 1) + 1:(y + 1) * (3 * width + 1)])
        if raw[y * (3 * width + 1)] == 1:
            for x in range(3, len(row)):
                row[x] = (row[x] + row[x - 3]) & 255
        rows.append(row)
    return width, height, rows


def covered(path, left, foot):
    """Pixels right of `left` and above the last `foot` rows that are not paper; legends stand outside."""
    width, height, rows = pixels(path)
    count = sum(row[3 * x:3 * x + 3] != b"\xff\xff\xff" for row in rows[:height - foot] for x in range(left, width))
    return width, height, count


def longest_dark_line(path, foot):
    """Of the last `foot` rows of a picture [pixels]."""
    width, height, rows = pixels(path)
    longest = 0
    for row in rows[height - foot:]:
        dark = "".join("#" if max(row[3 * x:3 * x + 3]) < 120 else " " for x in range(width))
        longest = max(longest, *map(len, dark.split()), 0)
    return longest


ROD = "dimension = 2\n" + STONE + """[[body]]
name = "rod"
shape = { box = [2, 0.001] }
material = "stone"
rotation = { degrees = 30 }
"""

SHELF = "dimension = 2\ngravity = [0, -9.81]\n" + STONE + """[[body]]
name = "ball"
shape = { ball = 0.1 }
material = "stone"
position = [0, 0.1]
[[body]]
name = "shelf"
shape = { box = [0.4, 0.02] }
material = "stone"
position = [0, -0.01]
fixed = true
"""


def drawn(talus, folder, scene, *options):
    """Rows of the last frame of a scene."""
    with open(os.path.join(folder, "b.toml"), "w") as file:
        file.write(scene)
    for command in (["run", "b.toml", "--quiet", "--force"], ["picture", "b.h5", "-o", "b.png", "--force", *options]):
        done = subprocess.run([talus, *command], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
    return pixels(os.path.join(folder, "b.png"))


def columns_with_ink(width, rows, threshold):
    return [x for x in range(width) if any(max(row[3 * x:3 * x + 3]) < threshold for row in rows)]


def rod_and_shelf(talus, folder):
    # A rod of half a pixel is a line without gaps, cos 30° times as long.
    width, height, rows = drawn(talus, folder, ROD, "--size", "600x400")
    middle = [row for row in rows[40:height - 60]]  # without the time above and the scale bar below
    seen = columns_with_ink(width, middle, 225)
    metre = 200 / (0.54 * 2)  # the box has the bounding radius
    expected = 2 * math.cos(math.pi / 6) * metre
    gaps = sum(b - a > 1 for a, b in zip(seen, seen[1:]))
    print(f"rod: {len(seen)} columns, {gaps} gaps")
    assert gaps == 0 and abs(len(seen) - expected) < 4, "the rod is broken"
    # A fixed body that stands by is seen whole.
    width, height, rows = drawn(talus, folder, SHELF, "--size", "240x400")
    wall = [x for x in range(width) if any(bytes(row[3 * x:3 * x + 3]) == bytes((184, 186, 190)) for row in rows)]
    print(f"shelf: from {wall[0]} to {wall[-1]} of {width}")
    assert wall[0] > 3 and wall[-1] < width - 4, "the shelf is cut off"


def expected_radius(dimension):
    """Of a ball of 0.1 m that the picture of 1200 x 900 is fitted to [pixels]."""
    if dimension == 2:
        return 450 / (0.54 * 0.2) * 0.1
    azimuth, elevation, reach = 0.55, 0.3, math.tan(math.radians(17))
    level = (math.sin(azimuth), -math.cos(azimuth), 0)
    back = tuple(math.cos(elevation) * v for v in level[:2]) + (math.sin(elevation),)
    right = (math.cos(azimuth), math.sin(azimuth), 0)
    up = (back[1] * right[2] - back[2] * right[1], back[2] * right[0] - back[0] * right[2], back[0] * right[1] - back[1] * right[0])
    far = 0
    for k in range(8):
        c = [0.1 if k >> i & 1 else -0.1 for i in range(3)]
        dot = lambda v: sum(a * b for a, b in zip(v, c))  # noqa: E731
        far = max(far, max(abs(dot(up)), abs(dot(right)) / (1200 / 900)) / reach + dot(back))
    return 450 / reach * math.tan(math.asin(0.1 / (1.06 * far)))


def main():
    talus = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="talus-image-") as folder:
        rod_and_shelf(talus, folder)
        for dimension in (2, 3):
            zeros = ", ".join("0" * dimension)
            with open(os.path.join(folder, "a.toml"), "w") as file:
                file.write(SCENE % (dimension, zeros, zeros, zeros))
            for command in ("run a.toml --quiet --force", "picture a.h5 --at 0 -o a.png --force"):
                done = subprocess.run([talus, *command.split()], cwd=folder, capture_output=True, text=True)
                assert done.returncode == 0, done.stderr
            picture = os.path.join(folder, "a.png")
            foot = 75 if dimension == 2 else 0  # there is the scale bar: beside the ball, and shorter than its diameter
            width, height, count = covered(picture, 150, foot)
            assert (width, height) == (1200, 900)
            area = math.pi * expected_radius(dimension) ** 2
            print(f"{dimension}D: {count} pixels, {area:.0f} expected")
            if dimension == 2:  # without the cap of the disk that lies in these rows
                radius = expected_radius(2)
                below = height / 2 - foot
                area -= radius ** 2 * math.acos(below / radius) - below * math.sqrt(radius ** 2 - below ** 2)
                bar, metre = longest_dark_line(picture, foot), radius / 0.1
                print(f"2D: the scale bar has {bar} pixels, {0.05 * metre:.0f} expected")
                assert abs(bar - 0.05 * metre) < 4
            assert abs(count - area) < 0.005 * area, f"{dimension}D: {count} pixels, {area:.0f} expected"
            if dimension == 3:
                done = subprocess.run([talus, "picture", "a.h5", "--at", "0", "-o", "a.svg"], cwd=folder, capture_output=True, text=True)
                assert done.returncode == 2 and done.stderr == "a.svg: bodies in space are drawn as PNG: -o NAME.png\n", done.stderr


if __name__ == "__main__":
    main()
