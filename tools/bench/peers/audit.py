# SPDX-License-Identifier: Apache-2.0
"""One judge for all engines: what the positions and velocities of the bodies say, whatever produced them.

A contact is a pair of bodies whose gap is below a thousandth of the scene's length (the radius, or half the smallest
side, of the smallest body), its penetration the overlap. Gaps are distances of spheres to spheres and boxes, and of
boxes along the best of the fifteen axes that can separate them. Means are over the last fifth of the run.
"""
import itertools

import numpy as np

LATE = 0.8      # of the simulated time
TOUCHING = 1e-3  # of the scene's length
MOVED = 5e-3    # a block that moved, or a settlement that counts [m]


def rotations(q):
    """Matrices, body to world, of quaternions w x y z."""
    w, x, y, z = (q / np.linalg.norm(q, axis=1, keepdims=True)).T
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
                     2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                     2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1).reshape(-1, 3, 3)


def near_pairs(x, reach):
    """Pairs i, j of points not farther apart than reach, by a grid of cells as large."""
    cell = np.floor((x - x.min(axis=0)) / reach).astype(np.int64) + 1
    stride = np.cumprod([1, *(cell.max(axis=0)[:2] + 2)])
    key = cell @ stride
    order = np.argsort(key, kind="stable")
    pairs = []
    for offset in itertools.product((-1, 0, 1), repeat=3):
        if offset[::-1] < (0, 0, 0):  # the other half finds the same pairs from their other ends
            continue
        first, last = (np.searchsorted(key[order], key + stride @ offset, side) for side in ("left", "right"))
        count = last - first
        i = np.repeat(np.arange(len(x)), count)
        within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        j = order[np.repeat(first, count) + within]
        keep = np.linalg.norm(x[i] - x[j], axis=1) <= reach
        if offset == (0, 0, 0):
            keep &= i < j
        pairs.append(np.stack([i[keep], j[keep]], axis=1))
    return np.concatenate(pairs)


class Shapes:
    """The bodies of a scene as arrays."""

    def __init__(self, scene):
        self.scene = scene
        self.sphere = np.array([body.kind == "sphere" for body in scene.bodies])
        self.free = np.array([body.free for body in scene.bodies])
        self.half = np.array([body.half for body in scene.bodies])
        self.mass = np.array([body.mass for body in scene.bodies])
        self.inertia = np.array([body.inertia for body in scene.bodies])
        self.bound = np.where(self.sphere, self.half[:, 0], np.linalg.norm(self.half, axis=1))

    def candidates(self, position):
        """Pairs of free bodies whose bounding spheres come close, and of every free body with every other one."""
        free, held = np.flatnonzero(self.free), np.flatnonzero(~self.free)
        near = free[near_pairs(position[free], 2 * self.bound[free].max() + TOUCHING * self.scene.length)]
        return np.concatenate([near, np.stack(np.meshgrid(free, held), axis=-1).reshape(-1, 2)])

    def gaps(self, state):
        position, rotation = state[:, 0:3], rotations(state[:, 3:7])
        i, j = self.candidates(position).T
        swap = ~self.sphere[i] & self.sphere[j]
        i, j = np.where(swap, j, i), np.where(swap, i, j)
        kinds = self.sphere[i].astype(int) + self.sphere[j]
        found = []
        for kind, gap in ((2, self.spheres), (1, self.sphere_box), (0, self.boxes)):
            chosen = kinds == kind
            if chosen.any():
                found.append(gap(i[chosen], j[chosen], position, rotation))
        return np.concatenate(found)

    def spheres(self, i, j, position, rotation):
        return np.linalg.norm(position[i] - position[j], axis=1) - self.half[i, 0] - self.half[j, 0]

    def sphere_box(self, i, j, position, rotation):
        local = np.einsum("nba,nb->na", rotation[j], position[i] - position[j])
        beyond = np.abs(local) - self.half[j]
        outside = np.linalg.norm(np.maximum(beyond, 0), axis=1)
        return np.where(outside > 0, outside, beyond.max(axis=1)) - self.half[i, 0]

    def boxes(self, i, j, position, rotation):
        between = position[j] - position[i]
        edges = [rotation[k][:, :, axis] for k in (i, j) for axis in range(3)]
        axes = edges + [np.cross(a, b) for a in edges[:3] for b in edges[3:]]
        gap = np.full(len(i), -np.inf)
        for axis in axes:
            length = np.linalg.norm(axis, axis=1)
            parallel = length < 1e-3  # edges that separate nothing the faces do not
            axis = axis / np.where(parallel, 1, length)[:, None]
            reach = sum(self.half[k, a] * np.abs(np.einsum("na,na->n", axis, rotation[k][:, :, a]))
                        for k in (i, j) for a in range(3))
            apart = np.abs(np.einsum("na,na->n", axis, between)) - reach
            gap = np.maximum(gap, np.where(parallel, -np.inf, apart))
        return gap

    def kinetic_energy(self, state):
        spin = np.einsum("nba,nb->na", rotations(state[:, 3:7]), state[:, 10:13])  # in the body's axes
        return 0.5 * float((self.mass * (state[:, 7:10]**2).sum(axis=1)).sum() + (self.inertia * spin**2)[self.free].sum())

    def solid_fraction(self, position):
        """Between 0.2 and 0.8 of the height below which 98 % of the spheres have their centres, each counted where its centre is."""
        z = position[self.free, 2]
        low, high = (part * np.quantile(z, 0.98) for part in (0.2, 0.8))
        volume = sum(body.volume for body, height in zip(self.scene.bodies, position[:, 2]) if body.free and low < height <= high)
        sides = self.half[0, :2] - 0.04  # the floor reaches under the walls, 20 mm thick, and as much beyond
        return float(volume / (4 * sides.prod() * (high - low)))


def audit(scene, times, states):
    """The figures of a run, as a dict."""
    shapes = Shapes(scene)
    if len(times) < 2 or not np.isfinite(states[-1]).all():
        return {}
    late = [state for time, state in zip(times, states) if time >= LATE * times[-1] - 1e-9]
    means, most, contacts = [], 0.0, []
    for state in late:
        gaps = shapes.gaps(state)
        depth = np.maximum(-gaps[gaps < TOUCHING * scene.length], 0) / scene.length
        contacts.append(len(depth))
        means.append(depth.mean() if len(depth) else 0.0)
        most = max(most, depth.max(initial=0.0))
    figures = {"touching": float(np.mean(contacts)), "mean_penetration": float(np.mean(means)), "max_penetration": float(most),
               "kinetic_energy": shapes.kinetic_energy(states[-1])}
    if shapes.sphere.any():
        figures["solid_fraction"] = shapes.solid_fraction(states[-1][:, 0:3])
    if scene.rest > 0:
        moved = np.linalg.norm(states[:, shapes.free, 0:3] - states[0, shapes.free, 0:3], axis=2)
        figures["drift_mm"] = 1e3 * float(moved[times <= scene.rest + 1e-9][-1].max())
        if times[-1] > scene.rest + 1e-9:
            figures["settlement_mm"] = 1e3 * float(moved[-1].max())
            figures["blocks_moved"] = int((moved[-1] > MOVED).sum())
    return figures
