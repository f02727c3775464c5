#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the layout of trajectory files (docs/TRAJECTORY.md), independently of the code that writes them.

    check_trajectory.py RUN.h5 ...      one line per file; exit 0 if all are sound, 1 if not

Needs numpy and h5py. May be used on the file of a run that still goes on.
"""
import os
import sys
import xml.etree.ElementTree

os.environ.setdefault("HDF5_USE_FILE_LOCKING", "FALSE")
import h5py
import numpy as np

VIEWS = ("bodies", "mesh", "walls", "contacts", "chains")
CELLS = ("Vertices", "Lines", "Polygons", "Strips")
STATE = {"position": 3, "orientation": 4, "velocity": 3, "angular_velocity": 3}
CONTACTS = {"point": ("f8", 3), "normal": ("f8", 3), "force": ("f8", 3), "velocity": ("f8", 3), "normal_force": ("f8", 1),
            "gap": ("f8", 1), "body_a": ("i4", 1), "body_b": ("i4", 1), "status": ("u1", 1)}
BODIES = {"id": ("i8", 1), "shape_type": ("u1", 1), "shape": ("i4", 1), "material": ("i4", 1), "fixed": ("u1", 1),
          "mass": ("f8", 1), "inertia": ("f8", 3), "inertia_axes": ("f8", 4), "radius": ("f8", 1), "diameter": ("f8", 1)}
PARAMETERS = ("dt", "theta", "gravity", "solver", "tolerance", "max_iterations", "threads", "ranks", "end", "save_every",
              "dynamics", "contact", "correct_drift", "scene_hash", "scene_file", "applied_forces", "springs")
SERIES = ("step", "time", "kinetic", "potential", "contact_work", "external_work", "spring_work", "driven_work",
          "correction_work", "defect", "turnover", "contacts", "sticking", "sliding", "separating", "max_penetration",
          "mean_penetration", "iterations", "residual", "converged", "wall_seconds")


def rotate(q, v):
    """Vectors v turned by unit quaternions q (w x y z)."""
    w, u = q[..., :1], q[..., 1:]
    t = 2 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


class Checker:
    def __init__(self, path):
        self.path = path
        self.errors = []
        self.checks = 0
        self.f = h5py.File(path, "r")

    def need(self, ok, message):
        self.checks += 1
        if not ok:
            self.errors.append(message)
        return bool(ok)

    def column(self, name, kind, width, rows=None, growing=False):
        """The dataset must exist with this type, width and at least (or exactly) this many rows."""
        if not self.need(name in self.f and isinstance(self.f[name], h5py.Dataset), f"{name} is missing"):
            return False
        d = self.f[name]
        shape = d.shape[1:] if width > 1 else d.shape[1:] + (1,)
        ok = self.need(d.dtype == np.dtype(kind), f"{name} has type {d.dtype}, expected {kind}")
        ok &= self.need(shape == (width,), f"{name} has shape {d.shape}, expected {width} columns")
        if growing:
            ok &= self.need(d.maxshape[0] is None, f"{name} cannot grow")
            ok &= self.need(d.compression is None, f"{name} is compressed: not safe while it grows")
            ok &= self.need(rows is None or d.shape[0] >= rows, f"{name} has {d.shape[0]} rows, expected {rows}")
        else:
            ok &= self.need(rows is None or d.shape[0] == rows, f"{name} has {d.shape[0]} rows, expected {rows}")
        return ok

    def rows(self, name, first, count):
        return self.f[name][int(first):int(first + count)]

    def run(self):
        self.root()
        self.tables()
        if self.frames():
            for k in range(self.F):
                self.frame(k)
            self.mesh_topology()
            self.views()
        self.series()

    def root(self):
        a = self.f.attrs
        self.need(a.get("format") == "granular-trajectory", "attribute format")
        self.need(list(a.get("format_version", [0]))[0] == 1, "attribute format_version")
        self.need(a.get("units") == "SI", "attribute units")
        self.need(a.get("dim") in (2, 3), "attribute dim")
        self.need(a.get("complete") in (0, 1), "attribute complete")
        for name in ("creator", "creator_version", "created"):
            self.need(isinstance(a.get(name), str) and a[name], f"attribute {name}")
        for name in ("scene", "command_line", "overrides"):
            self.need(f"meta/{name}" in self.f, f"meta/{name} is missing")
        if self.need("meta" in self.f, "meta is missing"):
            for name in PARAMETERS:
                self.need(name in self.f["meta"].attrs, f"meta has no attribute {name}")
            self.need("HDF5" in self.f["meta/dependencies"].attrs, "version of HDF5 is not recorded")
        self.dim = int(a.get("dim", 3))

    def tables(self):
        f = self.f
        self.N = len(f["bodies/id"])
        for name, (kind, width) in BODIES.items():
            self.column("bodies/" + name, kind, width, self.N)
        self.need(len(f["bodies/name"]) == self.N, "bodies/name")
        M = len(f["materials/name"])
        for name in ("friction", "restitution", "tangential_restitution"):
            d = f["materials/" + name]
            self.need(d.shape in ((M, M), (M,)), f"materials/{name} is not square")
            table = d[:].reshape(M, M)
            self.need((table == table.T).all() and (table >= 0).all(), f"materials/{name} is not symmetric, or negative")
        material = f["bodies/material"][:]
        self.need(((material >= 0) & (material < M)).all(), "bodies/material out of range")
        free = f["bodies/fixed"][:] == 0
        self.need((f["bodies/mass"][:][free] > 0).all() and (f["bodies/mass"][:][~free] == 0).all(), "masses")
        self.need(np.isfinite(f["bodies/radius"][:]).all(), "bodies/radius is not finite")
        shape, kind = f["bodies/shape"][:], f["bodies/shape_type"][:]
        self.need(((f["bodies/diameter"][:] > 0) == (kind == 0)).all(), "a diameter for balls, 0 for others")
        if self.dim == 3:
            self.need(((shape < 0) == (kind == 0)).all(), "all but spheres have a row of /shapes")
        S = len(f["shapes/vertex_offset"]) - 1
        self.need(shape.max(initial=-1) < S, "bodies/shape out of range")
        vo, fo, so = (f["shapes/" + n][:] for n in ("vertex_offset", "face_offset", "shape_face_offset"))
        self.need(vo[0] == 0 and vo[-1] == len(f["shapes/vertices"]) and (np.diff(vo) > 0).all(), "shapes/vertex_offset")
        self.need(so[0] == 0 and so[-1] == len(fo) - 1 and (np.diff(so) > 0).all(), "shapes/shape_face_offset")
        self.need(fo[0] == 0 and fo[-1] == len(f["shapes/face_connectivity"]) and (np.diff(fo) > 2).all(), "shapes/face_offset")
        corner = f["shapes/face_connectivity"][:]
        for s in range(S):
            local = corner[fo[so[s]]:fo[so[s + 1]]]
            self.need(local.min() >= 0 and local.max() < vo[s + 1] - vo[s], f"faces of shape {s} name vertices it has not")
        self.drawn = {"mesh": np.flatnonzero((shape >= 0) & free), "walls": np.flatnonzero((shape >= 0) & ~free)}
        self.vertices = {g: int(sum(vo[s + 1] - vo[s] for s in shape[who])) for g, who in self.drawn.items()}
        self.polygons = {g: int(sum(so[s + 1] - so[s] for s in shape[who])) for g, who in self.drawn.items()}
        for group in self.drawn:
            self.need((group in f) == (self.vertices[group] > 0), f"{group} exactly when there are shapes to draw")

    def frames(self):
        f = self.f
        if not self.column("frames/time", "f8", 1, growing=True):
            return False
        self.F = F = len(f["frames/time"])
        ok = True
        for name in ("step", "body_row", "body_count", "contact_row", "contact_count", "mesh_row", "polygon_row", "wall_row",
                     "wall_polygon_row", "zero", "one", "index", "contact_row2", "contact_count2"):
            ok &= self.column("frames/" + name, "i8", 1, F, growing=True)
        for name in ("zero4", "contact_cell4", "chain_cell4"):
            ok &= self.column("frames/" + name, "i8", 4, F, growing=True)
        if not ok or not F:
            return False
        col = {n: f["frames/" + n][:F] for n in f["frames"]}
        k, row, count = np.arange(F), col["contact_row"], col["contact_count"]
        self.need((np.diff(col["time"]) > 0).all() and (np.diff(col["step"]) > 0).all(), "times and steps increase")
        self.varies = "body" in f["state"]    # bodies come and go
        if self.varies:
            for name, number in (("body_row", "body_count"), ("mesh_row", "mesh_count"), ("polygon_row", "polygon_count"),
                                 ("corner_row", "corner_count"), ("topology_row", "topology_count")):
                self.need((col[name] == np.r_[0, np.cumsum(col[number])[:-1]]).all(), "frames/" + name)
        else:
            col["mesh_count"], col["polygon_count"] = np.full(F, self.vertices["mesh"]), np.full(F, self.polygons["mesh"])
            self.need((col["body_count"] == self.N).all() and (col["body_row"] == k * self.N).all(), "frames/body_row")
            self.need((col["mesh_row"] == k * self.vertices["mesh"]).all()
                      and (col["polygon_row"] == k * self.polygons["mesh"]).all(), "frames/mesh_row")
        col["wall_count"], col["wall_polygon_count"] = np.full(F, self.vertices["walls"]), np.full(F, self.polygons["walls"])
        self.need((col["wall_row"] == k * self.vertices["walls"]).all()
                  and (col["wall_polygon_row"] == k * self.polygons["walls"]).all(), "frames/wall_row")
        self.need((count >= 0).all() and (row == np.r_[0, np.cumsum(count)[:-1]]).all(), "frames/contact_row")
        self.need((col["zero"] == 0).all() and (col["one"] == 1).all() and (col["index"] == k).all(), "helpers zero, one, index")
        self.need((col["contact_row2"] == 2 * row).all() and (col["contact_count2"] == 2 * count).all(), "contact_row2")
        nothing = 0 * row
        self.need((col["zero4"] == 0).all(), "zero4")
        self.need((col["contact_cell4"] == np.c_[row, nothing, nothing, nothing]).all(), "contact_cell4")
        self.need((col["chain_cell4"] == np.c_[nothing, row, nothing, nothing]).all(), "chain_cell4")
        R, C = int(col["body_row"][-1] + col["body_count"][-1]), int(row[-1] + count[-1])
        for name, width in STATE.items():
            if self.column("state/" + name, "f8", width, R, growing=True):
                self.need("unit" in f["state/" + name].attrs, f"state/{name} has no unit")
        for name, (kind, width) in CONTACTS.items():
            self.column("contacts/" + name, kind, width, C, growing=True)
        self.column("contacts/chain_points", "f4", 3, 2 * C, growing=True)
        for group, rows, polygons in (("mesh", "mesh", "polygon"), ("walls", "wall", "wall_polygon")):
            if self.vertices[group]:
                self.column(group + "/points", "f4", 3, int(col[rows + "_row"][-1] + col[rows + "_count"][-1]), growing=True)
                self.column(group + "/velocity", "f4", 3, int(col[polygons + "_row"][-1] + col[polygons + "_count"][-1]),
                            growing=True)
        self.col = col
        return not self.errors

    def frame(self, k):
        f, c = self.f, int(self.col["contact_count"][k])
        state = {n: self.rows("state/" + n, self.col["body_row"][k], self.col["body_count"][k]) for n in STATE}
        who = np.arange(self.N)
        if self.varies:
            who = self.rows("state/body", self.col["body_row"][k], self.col["body_count"][k])
            self.need(len(set(who)) == len(who) and who.min() >= 0 and who.max() < self.N, f"state/body of frame {k}")
            for name in ("diameter", "radius", "mass", "material", "shape_type", "fixed"):
                got = self.rows("state/" + name, self.col["body_row"][k], self.col["body_count"][k])
                self.need((got == f["bodies/" + name][:][who]).all(), f"state/{name} of frame {k}")
        row_of = np.full(self.N, -1)
        row_of[who] = np.arange(len(who))
        for name, values in state.items():
            self.need(np.isfinite(values).all(), f"state/{name} is not finite in frame {k}")
        q = state["orientation"]
        self.need(abs((q**2).sum(1) - 1).max() < 1e-12, f"orientations of frame {k} are not of unit length")
        if self.dim == 2:
            self.need((state["position"][:, 2] == 0).all() and (state["velocity"][:, 2] == 0).all()
                      and (q[:, 1:3] == 0).all() and (state["angular_velocity"][:, :2] == 0).all(), f"frame {k} leaves the plane")
        con = {n: self.rows("contacts/" + n, self.col["contact_row"][k], c) for n in CONTACTS}
        if c:
            a, b, n, force = con["body_a"], con["body_b"], con["normal"], con["force"]
            self.need(np.isin(a, who).all() and np.isin(b, who).all() and (a != b).all(), f"bodies of contacts in frame {k}")
            self.need(self.varies or (a < b).all(), f"order of bodies of contacts in frame {k}")
            self.need(abs((n**2).sum(1) - 1).max() < 1e-12, f"normals of frame {k} are not of unit length")
            big = abs(force).max()
            self.need(abs((force * n).sum(1) - con["normal_force"]).max() <= 1e-12 * big, f"normal_force in frame {k}")
            self.need((con["normal_force"] >= 0).all(), f"contacts pull in frame {k}")
            mat = f["bodies/material"][:]
            M = len(f["materials/name"])
            mu = f["materials/friction"][:].reshape(M, M)[mat[a], mat[b]]
            tangential = np.linalg.norm(force - con["normal_force"][:, None] * n, axis=1)
            slack = max(float(f["meta"].attrs["tolerance"]), 1e-12) * big
            self.need((tangential <= mu * con["normal_force"] + slack).all(), f"friction exceeded in frame {k}")
            self.need(np.isin(con["status"], (1, 2)).all(), f"status of contacts in frame {k}")
            ends = self.rows("contacts/chain_points", 2 * self.col["contact_row"][k], 2 * c).reshape(c, 2, 3)
            free = f["bodies/fixed"][:] == 0
            for side, body in ((0, a), (1, b)):
                want = np.where(free[body][:, None], state["position"][row_of[body]], con["point"])
                self.need((ends[:, side] == want.astype("f4")).all(), f"ends of force chains in frame {k}")
        self.surfaces(k, "mesh", "mesh", "polygon", who, row_of, state)
        self.surfaces(k, "walls", "wall", "wall_polygon", who, row_of, state)

    def surfaces(self, k, group, rows, polygons, who, row_of, state):
        f = self.f
        vo, shape = f["shapes/vertex_offset"][:], f["bodies/shape"][:]
        vertices, so = f["shapes/vertices"][:], f["shapes/shape_face_offset"][:]
        part = set(self.drawn[group])
        drawn = [i for i in who if i in part]
        if not drawn:
            return
        if group == "walls":
            drawn.sort()    # as their polygons, which the file has once
        body = np.concatenate([np.full(vo[shape[i] + 1] - vo[shape[i]], row_of[i]) for i in drawn])
        local = np.concatenate([vertices[vo[shape[i]]:vo[shape[i] + 1]] for i in drawn])
        want = state["position"][body] + rotate(state["orientation"][body], local)
        got = self.rows(group + "/points", self.col[rows + "_row"][k], self.col[rows + "_count"][k])
        size = max(1e-300, abs(want).max())
        self.need(got.shape == want.shape and abs(got - want).max() <= 1e-6 * size, f"{group} of frame {k} is not where the bodies are")
        faces = np.concatenate([np.full(so[shape[i] + 1] - so[shape[i]], row_of[i]) for i in drawn])
        got = self.rows(group + "/velocity", self.col[polygons + "_row"][k], self.col[polygons + "_count"][k])
        self.need((got == state["velocity"][faces].astype("f4")).all(), f"{group}/velocity of frame {k}")

    def varying_topology(self):
        """Every frame has polygons of its own, of bodies that are there."""
        for k in range(self.F):
            col = {n: int(values[k]) for n, values in self.col.items() if values.ndim == 1 and n != "time"}
            polygons = self.rows("mesh/polygons", col["corner_row"], col["corner_count"])
            offset = self.rows("mesh/polygon_offset", col["polygon_row"] + k, col["polygon_count"] + 1)
            mixed = self.rows("mesh/xdmf_topology", col["topology_row"], col["topology_count"])
            body = self.rows("mesh/body", col["polygon_row"], col["polygon_count"])
            want = [np.r_[3, e - s, polygons[s:e]] for s, e in zip(offset[:-1], offset[1:])]
            want = np.concatenate(want) if want else np.zeros(0, int)
            self.need(offset[0] == 0 and offset[-1] == len(polygons), f"mesh/polygon_offset of frame {k}")
            self.need(len(want) == len(mixed) and (want == mixed).all(), f"mesh/xdmf_topology of frame {k}")
            self.need(np.isin(body, self.rows("state/body", col["body_row"], col["body_count"])).all(), f"mesh/body of frame {k}")

    def mesh_topology(self):
        for group in ("mesh", "walls"):
            if not self.vertices[group]:
                continue
            if group == "mesh" and self.varies:
                self.varying_topology()
            else:
                self.topology(group)

    def topology(self, group):
        f = self.f
        polygons, offset, mixed = (f[f"{group}/{n}"][:] for n in ("polygons", "polygon_offset", "xdmf_topology"))
        self.need(len(offset) == self.polygons[group] + 1 and offset[-1] == len(polygons), group + "/polygon_offset")
        self.need(polygons.min() >= 0 and polygons.max() < self.vertices[group], group + "/polygons out of range")
        want = np.concatenate([np.r_[3, e - s, polygons[s:e]] for s, e in zip(offset[:-1], offset[1:])])
        self.need(len(want) == len(mixed) and (want == mixed).all(), f"{group}/xdmf_topology differs from {group}/polygons")
        body = f[group + "/body"][:]
        self.need(len(body) == self.polygons[group] and (np.diff(body) >= 0).all() and set(body) == set(self.drawn[group]),
                  group + "/body")

    def views(self):
        f, F = self.f, self.F
        source = {"bodies": "state/position", "mesh": "mesh/points", "walls": "walls/points", "contacts": "contacts/point",
                  "chains": "contacts/chain_points"}
        shown = [view for view in VIEWS if self.vertices.get(view, 1)]
        self.need(set(f["views"]) == set(shown), f"views {list(f['views'])}, expected {shown}")
        self.companions(os.path.splitext(self.path)[0], shown)
        for view in shown:
            g = f["views/" + view]
            steps = g["Steps"]
            self.need(list(g.attrs["Version"]) == [2, 0] and g.attrs["Type"] == b"PolyData", f"view {view}: Version, Type")
            self.need(h5py.check_string_dtype(g.attrs.get_id("Type").dtype) is None or
                      h5py.check_string_dtype(g.attrs.get_id("Type").dtype).length is not None, f"view {view}: Type of fixed length")
            self.need(int(steps.attrs["NSteps"]) <= F, f"view {view} shows more frames than there are")
            self.need(g["Points"] == f[source[view]], f"view {view}: Points is not a link to {source[view]}")
            self.need(steps["Values"] == f["frames/time"], f"view {view}: Values")
            for cells in CELLS:
                for part in ("NumberOfCells", "NumberOfConnectivityIds", "Connectivity", "Offsets"):
                    self.need(f"{cells}/{part}" in g, f"view {view}: {cells}/{part} is missing")
            for where in ("PointData", "CellData"):
                for name in g.get(where, {}):
                    self.need(f"{where}Offsets/{name}" in steps, f"view {view}: no offsets for {name}")
            self.cells(view, g, steps)

    def cells(self, view, g, steps):
        """Follows the offsets of every frame as ParaView does: each cell must name points the frame has."""
        kind = {"bodies": 0, "mesh": 2, "walls": 2, "contacts": 0, "chains": 1}[view]
        cells = g[CELLS[kind]]
        parts, points = steps["PartOffsets"][:], g["NumberOfPoints"][:]
        per_cell = {"bodies": 1, "contacts": 1, "chains": 2}.get(view)
        for k in range(self.F):
            part = parts[k]
            first_cell, first_id = steps["CellOffsets"][k, kind], steps["ConnectivityIdOffsets"][k, kind]
            n, ids = int(cells["NumberOfCells"][part]), int(cells["NumberOfConnectivityIds"][part])
            offsets = cells["Offsets"][first_cell + part:first_cell + part + n + 1]
            connectivity = cells["Connectivity"][first_id:first_id + ids]
            ok = len(offsets) == n + 1 and len(connectivity) == ids and offsets[0] == 0 and offsets[-1] == ids
            ok = ok and (ids == 0 or (connectivity.min() >= 0 and connectivity.max() < points[part]))
            ok = ok and (per_cell is None or (np.diff(offsets) == per_cell).all())
            self.need(ok, f"view {view}: cells of frame {k}")

    def companions(self, base, shown):
        stub, text = base + ".vtkhdf", base + ".xmf2"
        if self.need(os.path.exists(stub), f"{os.path.basename(stub)} is missing"):
            with h5py.File(stub, "r") as s:
                root = s["VTKHDF"]
                self.need(root.attrs["Type"] == b"MultiBlockDataSet" and "Steps" not in root, "the root of the .vtkhdf")
                self.need(set(root) == {"Assembly", *shown}, f"blocks {list(root)}")
                for view in shown:
                    link, block = root.get(view, getlink=True), root["Assembly"].get(view, getlink=True)
                    self.need(isinstance(link, h5py.ExternalLink) and link.filename == os.path.basename(self.path)
                              and link.path == "/views/" + view, f"block {view} leads elsewhere")
                    self.need(isinstance(block, h5py.SoftLink) and block.path == "/VTKHDF/" + view, f"assembly of {view}")
        if not self.need(os.path.exists(text), f"{os.path.basename(text)} is missing"):
            return
        blocks = xml.etree.ElementTree.parse(text).getroot().findall("./Domain/Grid")
        self.need([block.get("Name") for block in blocks] == shown, "blocks of the .xmf2")
        for block in blocks:
            self.entries(block.get("Name"), block.findall("Grid"))

    def entries(self, view, grids):
        self.need(len(grids) <= self.F, f"{view}: shows more frames than there are")
        arrays = {tuple(sorted(a.get("Name") for a in grid.findall("Attribute"))) for grid in grids}
        self.need(len(arrays) <= 1, f"{view}: not every frame has the same arrays")
        for k, grid in enumerate(grids):
            self.need(float(grid.find("Time").get("Value")) == self.col["time"][k], f"{view}: time of frame {k}")
            for item in grid.iter("DataItem"):
                if item.get("ItemType") != "HyperSlab":
                    continue
                what, where = item.findall("DataItem")
                name, path = where.text.split(":")
                start, stride, count = np.array(what.text.split(), int).reshape(3, -1)
                whole = [int(v) for v in where.get("Dimensions").split()]
                shape = self.f[path].shape if path in self.f else ()
                self.need(name == os.path.basename(self.path) and len(shape) == len(whole) and (stride == 1).all()
                          and all(s + c <= w <= n for s, c, w, n in zip(start, count, whole, shape)),
                          f"{view}: frame {k} reads {path} out of range")
                self.need([int(v) for v in item.get("Dimensions").split()] == list(count), f"{view}: {path} in frame {k}")
                size = {"f8": 8, "f4": 4, "i8": 8, "i4": 4, "u1": 1}[self.f[path].dtype.str[1:]]
                self.need(int(where.get("Precision")) == size, f"{view}: precision of {path}")

    def series(self):
        f = self.f
        if not all([self.need(f"series/{n}" in f, f"series/{n} is missing") for n in SERIES]):
            return
        rows = min(len(f["series/" + n]) for n in SERIES)
        step = f["series/step"][:rows]
        self.need((step == np.arange(1, rows + 1)).all(), "series/step does not count from 1")
        time = f["series/time"][:rows]
        self.need(np.allclose(time, step * f["meta"].attrs["dt"], rtol=1e-12, atol=0), "series/time")
        for name in SERIES:
            self.need(np.isfinite(f["series/" + name][:rows]).all(), f"series/{name} is not finite")
            self.need("unit" in f["series/" + name].attrs, f"series/{name} has no unit")


def main(paths):
    bad = 0
    for path in paths:
        try:
            checker = Checker(path)
            checker.run()
            errors, checks = checker.errors, checker.checks
        except (OSError, KeyError, ValueError, IndexError, TypeError) as error:
            errors, checks = [f"{type(error).__name__}: {error}"], 0
        for message in errors[:20]:
            print(f"{path}: {message}")
        print(f"{path}: {'sound' if not errors else 'NOT SOUND'}, {checks} checks")
        bad += bool(errors)
    return 1 if bad or not paths else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
