# SPDX-License-Identifier: Apache-2.0
"""The contact solver alone."""

import unittest

import h5py
import numpy as np
import scipy.sparse

import kit
import talus

PROBLEMS = [kit.ROOT / "tests/fclib" / f"{name}.hdf5" for name in (
    "BoxesStack1-i100000-32", "Capsules-i125-1213", "Disks2D-00071", "OneObject-i1028-138",
    "Confeti-ex13-4contact", "GranularFlowOnWall2D-00667_00000")]


def matrix(group):
    """A matrix of an FCLib file."""
    m, n, nz = (int(np.ravel(group[k][()])[0]) for k in ("m", "n", "nz"))
    p, i, x = (group[k][()] for k in ("p", "i", "x"))
    if nz >= 0:
        return scipy.sparse.coo_matrix((x[:nz], (i[:nz], p[:nz])), (m, n)).tocsr()
    if nz == -1:
        return scipy.sparse.csc_matrix((x, i, p), (m, n))
    return scipy.sparse.csr_matrix((x, i, p), (m, n))


def law_defect(W, b, mu, p):
    """‖p − P_K(p − u − μ‖u_T‖ n)‖, contact by contact, with nothing of Talus."""
    u = (W @ p.ravel() + b).reshape(p.shape)
    worst = 0
    for pa, ua, m in zip(p, u, mu):
        z = pa - ua
        z[0] -= m * np.linalg.norm(ua[1:])
        size = np.linalg.norm(z[1:])
        if size <= m * z[0]:
            nearest = z
        elif m * size <= -z[0]:
            nearest = 0 * z
        else:
            normal = (z[0] + m * size) / (1 + m * m)
            nearest = np.concatenate([[normal], m * normal * z[1:] / size])
        worst = max(worst, np.linalg.norm(pa - nearest))
    return worst


class Solve(kit.InScratch):
    def test_one_contact_by_hand(self):
        # u = p + b: it opens, sticks, or slides with p_T = -mu p_N against its slip.
        for b, mu, p in (([1, 5], 0.5, [0, 0]), ([-1, 0.3], 0.5, [1, -0.3]),
                         ([-1, 1], 0.5, [1, -0.5]), ([-1, 3, 4], 0.5, [1, -0.3, -0.4])):
            answer = talus.solve(np.eye(len(b)), b, [mu], tolerance=1e-12)
            np.testing.assert_allclose(answer.percussions, [p], atol=1e-10)
            np.testing.assert_allclose(answer.velocities, [np.add(p, b)], atol=1e-10)
            self.assertTrue(answer.converged)

    def test_problems_of_others_in_matrices_and_files(self):
        for path in PROBLEMS:
            with self.subTest(path.name), h5py.File(path) as file:
                self.assertNotIn("V", file["fclib_local"])
                local = file["fclib_local"]
                W, b, mu = matrix(local["W"]), local["vectors/q"][()], local["vectors/mu"][()]
                answer = talus.solve(W, b, mu, tolerance=1e-9)
                from_file = talus.solve(path, tolerance=1e-9)
                np.testing.assert_array_equal(answer.percussions, from_file.percussions)
                self.assertLessEqual(answer.error, 1e-9)
                defect = law_defect(W, b, mu, answer.percussions)
                self.assertLess(defect, 1e-6 * np.linalg.norm(b))

    def test_bodies_and_their_velocities_give_the_same(self):
        rng = np.random.default_rng(1)
        M = scipy.sparse.diags(rng.uniform(1, 2, 12))
        H = scipy.sparse.random(12, 9, 0.6, random_state=2)
        b, mu, f = rng.normal(size=9), [0.1, 0.5, 0.9], rng.normal(size=12)
        W = (H.T @ scipy.sparse.diags(1 / M.diagonal()) @ H).toarray()
        free = b + H.T @ (f / M.diagonal())
        one = talus.solve(M, H, b, mu, f=f, tolerance=1e-11)
        other = talus.solve(W, free, mu, tolerance=1e-11)
        np.testing.assert_allclose(one.velocities, other.velocities, atol=1e-8)
        self.assertLess(law_defect(W, free, mu, one.percussions), 1e-7)

    def test_methods_are_named(self):
        W, b = np.diag([1.0, 2, 3]), [-1, 1, 1]
        answers = [talus.solve(W, b, [0.3], solver=name, tolerance=1e-10).percussions
                   for name in ("auto", "nsgs", "newton", "admm")]
        for p in answers[1:]:
            np.testing.assert_allclose(p, answers[0], atol=1e-8)
        said = self.message_of(talus.InputError, talus.solve, W, b, [0.3], solver="nsg")
        self.assertTrue(said.startswith("--solver nsg: expected one of auto, nsgs"), said)

    def test_bad_shapes_are_refused(self):
        eye = np.eye(3)
        for problem, text in (
            ((eye, [1, 2], [0.1]), "W: is 3 by 3, expected 2 by 2"),
            ((eye, [1, 2, 3], [0.1, 0.1]),
             "mu: has 2 numbers for 3 unknowns, expected one for every 3 of them, or 2 in the plane"),
            ((eye, [1, 2, 3], [-0.1]), "mu: entry 0 is -0.1, expected ≥ 0"),
            ((eye, [1, 2, np.nan], [0.1]), "b: entry 2 is nan"),
            ((eye[0], [1, 2, 3], [0.1]), "W: has 1 dimensions, expected a matrix"),
            ((eye, [[1, 2], [2, 3]], [0.1]), "b: has 2 dimensions, expected a list of numbers"),
            ((eye, "abc", [0.1]), "b: expected a list of numbers"),
            ((eye, np.ones((2, 3)), [1, 2, 3], [0.1]), "H: is 2 by 3, expected 3 by 3"),
            ((eye, [1, 2, 3]), "expected solve(W, b, mu), solve(M, H, b, mu) or solve(FILE)"),
        ):
            self.assertEqual(self.message_of(talus.InputError, talus.solve, *problem), text)
        bad = scipy.sparse.csr_matrix(eye)
        bad.indices[1] = 7
        self.assertEqual(self.message_of(talus.InputError, talus.solve, bad, [1, 2, 3], [0.1]),
                         "W: is no sparse matrix by rows")
        self.assertIn("absent.hdf5", self.message_of(talus.InputError, talus.solve, "absent.hdf5"))


if __name__ == "__main__":
    unittest.main()
