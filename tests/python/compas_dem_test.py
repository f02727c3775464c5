# SPDX-License-Identifier: Apache-2.0
"""The backend for compas_dem in examples/, with stand-ins for the classes of compas and compas_dem that it uses."""

import sys
import types
import unittest

import numpy as np

import kit


class Frame:
    def __init__(self, point, xaxis, yaxis):
        self.point, self.xaxis, self.yaxis = (np.asarray(v, float) for v in (point, xaxis, yaxis))
        self.zaxis = np.cross(self.xaxis, self.yaxis)

    def matrix(self):
        return np.column_stack([self.xaxis, self.yaxis, self.zaxis])


class Transformation:
    @staticmethod
    def from_frame_to_frame(a, b):
        made = Transformation()
        made.rotation = b.matrix() @ a.matrix().T
        made.shift = b.point - made.rotation @ a.point
        return made

    def __call__(self, x):
        return self.rotation @ np.asarray(x, float) + self.shift


class Point(tuple):
    def __new__(cls, x, y, z):
        return super().__new__(cls, (x, y, z))


class Polygon:
    def __init__(self, points):
        self.points = np.asarray(points, float)
        edges = self.points[1:] - self.points[0]
        twice = np.cross(edges[:-1], edges[1:]).sum(axis=0)
        self.area = np.linalg.norm(twice) / 2
        self.normal = twice / np.linalg.norm(twice)
        self.centroid = self.points.mean(axis=0)


class FrictionContact:
    def __init__(self, points, frame=None):
        self.points, self.frame, self.forces = points, frame, []


class EdgeContact:
    def __init__(self, points, frame, forces=None):
        self.points, self.frame, self.forces = points, frame, forces or []


class Graph:
    def __init__(self):
        self.node, self.edge = {}, {}

    def node_attribute(self, key, name, value=None):
        if value is not None:
            self.node.setdefault(key, {})[name] = value
        return self.node[key][name]

    def edge_attribute(self, edge, name, value=None):
        if value is not None:
            self.edge[edge][name] = value
        return self.edge[edge].get(name)

    def has_edge(self, edge):
        return edge in self.edge

    def add_edge(self, u, v):
        self.edge[u, v] = {}

    def edges(self):
        return iter(self.edge)


class Mesh:
    """A box."""

    def __init__(self, low, high):
        corners = np.array([[i, j, k] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
        self.vertices = (np.asarray(low) + corners * (np.asarray(high, float) - low)).tolist()
        sides = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        self.faces = [t for a, b, c, d in sides for t in ((a, b, c), (a, c, d))]

    def to_vertices_and_faces(self, triangulated):
        return self.vertices, self.faces


class Block:
    def __init__(self, node, low, high, support=False):
        self.graphnode, self.is_support = node, support
        self.modelgeometry = Mesh(low, high)
        self.point = np.mean([low, high], axis=0).tolist()
        self.material = types.SimpleNamespace(density=2000.0)


class Model:
    def __init__(self, blocks):
        self.blocks, self.graph = blocks, Graph()

    def elements(self):
        return iter(self.blocks)


class Problem:
    """What compas_dem.problem.Problem holds."""

    def __init__(self, model, mu=0.5):
        self.model = model
        self.boundary_conditions = types.SimpleNamespace(
            gravity=True, g=10.0, body_forces=[], point_loads=[], surface_loads=[])
        contact = types.SimpleNamespace(mu=mu, c=None, t_c=None)
        self.contact_properties = types.SimpleNamespace(contact_model=contact, joint_model=None)
        self.centroidal_displacements = {}

    def load(self, block, force, moment=None, point=None, loading_type="ramp"):
        self.boundary_conditions.point_loads.append(
            {"block_index": block, "force": force, "moment": moment, "point": point, "loading_type": loading_type})


def backend():
    compas, geometry = types.ModuleType("compas"), types.ModuleType("compas.geometry")
    dem, interactions = types.ModuleType("compas_dem"), types.ModuleType("compas_dem.interactions")
    geometry.Frame, geometry.Transformation, geometry.Point, geometry.Polygon = Frame, Transformation, Point, Polygon
    interactions.FrictionContact, interactions.EdgeContact = FrictionContact, EdgeContact
    compas.geometry, dem.interactions = geometry, interactions
    sys.modules.update({m.__name__: m for m in (compas, geometry, dem, interactions)})
    sys.path.insert(0, str(kit.ROOT / "examples/compas_dem"))
    import talus_backend
    return talus_backend


solver = backend()


def stack():
    """Two blocks of 2000 kg on a support, graph nodes 7, 8 and 9."""
    return Model([Block(7 + k, [0, 0, k], [1, 1, k + 1], support=k == 0) for k in range(3)])


class Backend(kit.InScratch):
    def test_a_stack_carries_its_weight(self):
        problem = Problem(stack())
        problem.model.graph.add_edge(9, 8)  # the other way round
        result = solver.talus_solve(problem, duration=0.1, n_steps=100)
        self.assertTrue(result.run.check()["passed"])
        self.assertLess(result.unbalanced, 1e-4)
        graph = problem.model.graph
        self.assertEqual(sorted(graph.edges()), [(7, 8), (9, 8)])
        for edge, weight, points in (((7, 8), 40e3, 4), ((9, 8), -20e3, 4)):
            force = graph.edge_attribute(edge, "force")
            np.testing.assert_allclose(force, [0, 0, weight], atol=0.1)
            contact = graph.edge_attribute(edge, "contact_data")
            self.assertIsInstance(contact, FrictionContact)
            self.assertTrue(graph.edge_attribute(edge, "face_contact"))
            self.assertEqual(len(contact.points), points)
            self.assertAlmostEqual(graph.edge_attribute(edge, "contact_polygon").area, 1, delta=1e-6)
            total = sum(f["c_np"] * contact.frame.zaxis + f["c_u"] * contact.frame.xaxis + f["c_v"] * contact.frame.yaxis
                        for f in contact.forces)
            np.testing.assert_allclose(total, force, atol=1e-6)
            np.testing.assert_allclose(contact.frame.zaxis, [0, 0, np.sign(weight)], atol=1e-6)
        for node in (7, 8, 9):
            move = graph.node_attribute(node, "transformation")
            np.testing.assert_allclose(move([0.5, 0.5, 0.5]), [0.5, 0.5, 0.5], atol=1e-6)

    def test_loads_reach_the_support(self):
        problem = Problem(stack())
        problem.load(9, [3e3, 0, -5e3], point=[0.5, 0.5, 3.0])
        problem.load(8, [0, 0, 0], moment=[0, 2e3, 0], loading_type="instantaneous")
        problem.boundary_conditions.surface_loads.append(
            {"block_index": 9, "polygon": Polygon([[0, 0, 3], [1, 0, 3], [1, 1, 3], [0, 1, 3]]), "magnitude": 1e3,
             "direction": [0, 0, -1]})
        solver.talus_solve(problem, duration=0.2, dt=1e-3)
        graph = problem.model.graph
        np.testing.assert_allclose(graph.edge_attribute((7, 8), "force"), [-3e3, 0, 46e3], atol=1)
        # Moments about the middle of the joint: the horizontal load at 2 m above it, and the moment.
        points = np.array(graph.edge_attribute((7, 8), "contact_point")) - [0.5, 0.5, 1]
        moment = np.cross(points, graph.edge_attribute((7, 8), "force_vector")).sum(axis=0)
        np.testing.assert_allclose(moment, [0, -(2 * 3e3 + 2e3), 0], atol=10)

    def test_a_displaced_support_moves_what_stands_on_it(self):
        problem = Problem(stack())
        problem.centroidal_displacements = {
            7: {"translation": [0.05, None, None], "rotation": [None, None, 0.1]},
        }
        result = solver.talus_solve(problem, duration=1.0, dt=1e-3)
        self.assertTrue(result.run.check()["passed"])
        for node in (7, 8, 9):
            move = problem.model.graph.node_attribute(node, "transformation")
            np.testing.assert_allclose(move([0.5, 0.5, 0.5]), [0.55, 0.5, 0.5], atol=2e-3)
            np.testing.assert_allclose(move.rotation[1, 0], np.sin(0.1), atol=5e-3)

    def test_a_block_on_an_edge_has_an_edge_contact(self):
        lying = Block(2, [0, 0, 0], [1, 1, 1])
        turn = np.array([[np.cos(0.7), 0, np.sin(0.7)], [0, 1, 0], [-np.sin(0.7), 0, np.cos(0.7)]])
        points = np.array(lying.modelgeometry.vertices) @ turn.T
        points[:, 2] += 1 - points[:, 2].min()
        lying.modelgeometry.vertices, lying.point = points.tolist(), points.mean(axis=0).tolist()
        problem = Problem(Model([Block(1, [-2, -2, 0], [3, 3, 1], support=True), lying]))
        solver.talus_solve(problem, duration=0.01, n_steps=10)
        self.assertTrue(problem.model.graph.edge_attribute((1, 2), "edge_contact"))
        self.assertIsInstance(problem.model.graph.edge_attribute((1, 2), "contact_data"), EdgeContact)

    def test_what_it_cannot_do_is_refused(self):
        def refused(problem, **keys):
            return self.message_of(ValueError, solver.talus_solve, problem, **keys)
        problem = Problem(stack())
        self.assertEqual(refused(problem, duration=1.0), "give two of duration, n_steps and dt")
        problem.contact_properties.contact_model.c = 1e5
        self.assertEqual(refused(problem),
                         "contact model: c = 100000.0: cohesion [Pa] has no counterpart in Talus")
        problem.contact_properties.contact_model = None
        self.assertIn("no contact model", refused(problem))
        dented = stack()
        dented.blocks[2].modelgeometry.vertices[7] = [0.4, 0.4, 2.4]
        self.assertIn("block 9 is not convex: a corner lies ", refused(Problem(dented)))


if __name__ == "__main__":
    unittest.main()
