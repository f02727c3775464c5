# SPDX-License-Identifier: Apache-2.0
"""Talus as a solver for models of COMPAS DEM (compas_dem 0.5): arches, vaults and walls of convex blocks.

    from compas_dem.problem import Problem
    from talus_backend import talus_solve

    problem = Problem(model)                 # blocks with a material
    problem.add_gravity()
    problem.add_supports_from_model()
    problem.add_contact_model("MohrCoulomb", mu=0.6)
    result = talus_solve(problem, duration=1.0, n_steps=1000)
    result.run.check()["passed"], result.unbalanced

Results are written to the graph of the model, in the form in which compas_dem's own solvers write them, so that
its viewer shows them: the transformation of each block, and for each pair of blocks in contact its points, frame,
polygon and forces.

What it was written from is the source of compas_dem 0.5.0. The tests (tests/python/compas_dem_test.py) run it
with stand-ins for the classes it uses; it was not run with the package itself.

Differences from the solver LMGC90 of compas_dem:

- There is no gravity unless the problem adds it.
- A displaced block keeps the components of its motion that are not given; it is not free in them.
- Loads of type "ramp" reach their value in the middle of the duration, and stay; "instantaneous" ones act from the start.
"""

from dataclasses import dataclass
from typing import Any, Dict, List, Optional

import compas.geometry as cg
import numpy as np
from compas_dem.interactions import EdgeContact, FrictionContact

import talus

NAME, MATERIAL = "block{}", "stone{}"


@dataclass
class Result:
    """What talus_solve returns."""

    run: talus.Run
    """The run: frames, series, `check()`, `show()`."""
    unbalanced: float
    """Largest mean net force on a free block between the last two frames, relative to the largest contact force."""


def talus_solve(
    problem: Any,
    duration: Optional[float] = None,
    n_steps: Optional[int] = None,
    dt: Optional[float] = None,
    output: str = "compas_dem.h5",
    tolerance: float = 1e-6,
    threads: int = 1,
    progress: bool = False,
) -> Result:
    """Simulates a problem and writes its last frame into problem.model.

    Two of duration [s], n_steps and dt [s] are given, or none: then it is 0.5 s in 500 steps. The run is kept in
    the file `output`, which is replaced.
    """
    step, end = _times(duration, n_steps, dt)
    scene = scene_of(problem, step, end, tolerance)
    run = talus.run(scene, output, threads=threads, progress=progress, force=True)
    blocks = list(problem.model.elements())
    _write_blocks(problem.model, blocks, run)
    _write_contacts(problem.model, blocks, run.frames[-1].contacts)
    return Result(run, _unbalanced(run, scene_gravity(problem)))


def scene_of(problem: Any, step: float, end: float, tolerance: float = 1e-6) -> talus.Scene:
    """The problem as a scene of Talus, to be changed or saved."""
    model = problem.contact_properties.contact_model
    if model is None:
        raise ValueError("the problem has no contact model: problem.add_contact_model('MohrCoulomb', mu=…)")
    for name in ("c", "t_c"):
        if getattr(model, name, None):
            raise ValueError(f"contact model: {name} = {getattr(model, name)}: cohesion [Pa] has no counterpart in Talus")
    if problem.contact_properties.joint_model is not None:
        raise ValueError("joint model: Talus takes rigid contacts here; leave the stiffness of joints out")
    blocks = list(problem.model.elements())
    moved = problem.centroidal_displacements
    materials: Dict[str, Dict] = {}
    bodies = []
    for block in blocks:
        name = MATERIAL.format(len(materials))
        density = float(block.material.density)
        name = next((m for m, y in materials.items() if y["density"] == density), name)
        materials[name] = {"density": density, "friction": float(model.mu)}
        points = _points(block)
        centre = np.asarray(block.point, dtype=float)
        keys = _motion(block, moved.get(block.graphnode), end)
        bodies.append(talus.shapes.hull(points - centre, centre, name, name=NAME.format(block.graphnode), **keys))
    held = {body["name"] for body in bodies if "fixed" in body or "drive" in body}
    forces = [f for f in _forces(problem, blocks, end) if f["body"] not in held]
    return talus.scene(
        dimension=3,
        gravity=scene_gravity(problem).tolist(),
        time={"step": step, "end": end, "save_every": max(1, round(end / step / 50))},
        solver={"tolerance": tolerance},
        material=materials,
        body=bodies,
        **({"force": forces} if forces else {}),
    )


def scene_gravity(problem: Any) -> np.ndarray:
    """Gravity and the accelerations that act on all blocks [m/s²]."""
    given = problem.boundary_conditions
    return np.sum([[0, 0, -given.g if given.gravity else 0.0], *given.body_forces], axis=0)


def _times(duration, n_steps, dt):
    given = [x is not None for x in (duration, n_steps, dt)]
    if sum(given) == 0:
        return 1e-3, 0.5
    if sum(given) != 2:
        raise ValueError("give two of duration, n_steps and dt")
    if dt is None:
        return duration / n_steps, duration
    return dt, duration if duration is not None else n_steps * dt


def _points(block) -> np.ndarray:
    """Vertices of a block. Talus takes their convex hull, so a block that is not convex is an error."""
    vertices, faces = block.modelgeometry.to_vertices_and_faces(True)  # triangles
    points = np.asarray(vertices, dtype=float)
    faces = np.asarray(faces, dtype=int)
    corner = points[faces[:, 0]]
    normal = np.cross(points[faces[:, 1]] - corner, points[faces[:, 2]] - corner)
    area = np.linalg.norm(normal, axis=1)
    normal, corner = normal[area > 0] / area[area > 0, None], corner[area > 0]
    if np.einsum("ij,ij->", normal * area[area > 0, None], corner - points.mean(axis=0)) < 0:  # six volumes
        normal = -normal
    size = np.ptp(points, axis=0).max()
    above = ((points[None] - corner[:, None]) * normal[:, None]).sum(axis=2).max()
    if above > 1e-3 * size:
        raise ValueError(f"block {block.graphnode} is not convex: a corner lies {above:.3g} m beyond one of its faces")
    return points


def _motion(block, moved: Optional[Dict], end: float) -> Dict:
    """Keys of a body that is held or moved; none for a free one."""
    if moved is None:
        return {"fixed": True} if block.is_support else {}
    shift = np.array([v or 0.0 for v in moved["translation"] or [0.0] * 3])
    turn = np.array([v or 0.0 for v in moved["rotation"] or [0.0] * 3])
    drive: List[Dict] = []
    for vector, axis, value in ((shift, "direction", "position"), (turn, "axis", "angle")):
        length = float(np.linalg.norm(vector))
        if length > 0:
            drive.append({axis: (vector / length).tolist(), value: {"table": [[0, 0], [end, length]]}})
    return {"drive": drive} if drive else {"fixed": True}


def _forces(problem, blocks, end: float) -> List[Dict]:
    """Point and surface loads as forces and torques. They act at the centre of a block with their moment about it."""
    centre = {block.graphnode: np.asarray(block.point, dtype=float) for block in blocks}
    loads = []
    for load in problem.boundary_conditions.point_loads:
        force = np.asarray(load["force"], dtype=float)
        moment = np.zeros(3)
        if load["point"] is not None:
            moment = np.cross(np.asarray(load["point"], dtype=float) - centre[load["block_index"]], force)
        elif load["moment"] is not None:
            moment = np.asarray(load["moment"], dtype=float)
        loads.append((load["block_index"], force, moment, load["loading_type"] == "ramp"))
    for load in problem.boundary_conditions.surface_loads:
        polygon = load["polygon"]
        direction = np.asarray(polygon.normal if load["direction"] is None else load["direction"], dtype=float)
        force = load["magnitude"] * polygon.area * direction
        arm = np.asarray(polygon.centroid, dtype=float) - centre[load["block_index"]]
        loads.append((load["block_index"], force, np.cross(arm, force), True))
    entries = []
    for index, force, moment, ramp in loads:
        for vector, axis, value in ((force, "direction", "force"), (moment, "axis", "torque")):
            size = float(np.linalg.norm(vector))
            if size > 0:
                signal = {"table": [[0, 0], [end / 2, size]]} if ramp else size
                entries.append({"body": NAME.format(index), axis: (vector / size).tolist(), value: signal})
    return entries


def _axes(q: np.ndarray) -> np.ndarray:
    """The first two axes of a body with the orientation q = (w, x, y, z), as rows."""
    w, x, y, z = q
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)],
        [2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)],
    ])


def _write_blocks(model, blocks, run) -> None:
    first, last = run.frames[0], run.frames[-1]
    for k, block in enumerate(blocks):
        frames = [cg.Frame(f.position[k].tolist(), *_axes(f.orientation[k]).tolist()) for f in (first, last)]
        model.graph.node_attribute(block.graphnode, "transformation", cg.Transformation.from_frame_to_frame(*frames))


def _write_contacts(model, blocks, contacts) -> None:
    graph = model.graph
    for edge in list(graph.edges()):  # results of an earlier solution
        for name in ("face_contact", "edge_contact", "point_contact"):
            graph.edge_attribute(edge, name, False)
    pairs: Dict[tuple, List[int]] = {}
    for i, pair in enumerate(zip(contacts.body_a.tolist(), contacts.body_b.tolist())):
        pairs.setdefault(pair, []).append(i)
    for (a, b), rows in pairs.items():
        u, v = blocks[a].graphnode, blocks[b].graphnode
        sign = 1.0
        if graph.has_edge((v, u)) and not graph.has_edge((u, v)):
            u, v, sign = v, u, -1.0
        elif not graph.has_edge((u, v)):
            graph.add_edge(u, v)
        _write_edge(graph, (u, v), contacts, np.array(rows), sign)


def _write_edge(graph, edge, contacts, rows: np.ndarray, sign: float) -> None:
    """The normal points from the first block of the edge to the second, on which the force acts."""
    normal = sign * contacts.normal[rows].mean(axis=0)
    normal /= np.linalg.norm(normal)
    across = np.eye(3)[np.argmin(np.abs(normal))]
    u = np.cross(across, normal)
    u /= np.linalg.norm(u)
    v = np.cross(normal, u)
    middle = contacts.point[rows].mean(axis=0)
    arms = contacts.point[rows] - middle
    rows = rows[np.argsort(np.arctan2(arms @ v, arms @ u))]  # around the polygon
    points = contacts.point[rows].tolist()
    force = sign * contacts.force[rows]
    total = force.sum(axis=0)
    frame = cg.Frame(middle.tolist(), u.tolist(), v.tolist())
    local = [
        {"c_np": max(f @ normal, 0.0), "c_nn": max(-(f @ normal), 0.0), "c_u": float(f @ u), "c_v": float(f @ v)}
        for f in force
    ]
    values = {
        "contact_point": points,
        "contact_frame": frame,
        "contact_frames": [cg.Frame(p, u.tolist(), v.tolist()) for p in points],
        "gap": contacts.gap[rows].tolist(),
        "status": [("none", "stick", "slide")[s] for s in contacts.status[rows]],
        "force_normal": (force @ normal).tolist(),
        "force_tangent1": (force @ u).tolist(),
        "force_tangent2": (force @ v).tolist(),
        "force_vector": force.tolist(),
        "force": total.tolist(),
        "force_magnitude": float(np.linalg.norm(total)),
        "face_contact": len(rows) >= 3,
        "edge_contact": len(rows) == 2,
        "point_contact": len(rows) == 1,
    }
    corners = [cg.Point(*p) for p in points]
    if len(rows) >= 3:
        contact = FrictionContact(points=corners, frame=frame)
        contact.forces = local
        values["contact_data"], values["contact_polygon"] = contact, cg.Polygon(points)
    elif len(rows) == 2:
        values["contact_data"] = EdgeContact(points=corners, frame=frame, forces=local)
    for name, value in values.items():
        graph.edge_attribute(edge, name, value)


def _unbalanced(run, gravity: np.ndarray) -> float:
    """From the velocities of the last two frames, which are accelerations of the blocks times the time between them."""
    if len(run.frames) < 2:
        return float("inf")
    before, last = run.frames[-2], run.frames[-1]
    free = run.bodies.fixed == 0
    change = (last.velocity - before.velocity)[free] / (last.time - before.time)
    net = np.linalg.norm(run.bodies.mass[free, None] * change, axis=1).max(initial=0.0)
    weight = np.linalg.norm(gravity) * run.bodies.mass[free].max(initial=0.0)
    largest = max(np.linalg.norm(last.contacts.force, axis=1).max(initial=0.0), weight)
    return float(net / largest) if largest > 0 else 0.0
