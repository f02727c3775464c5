# SPDX-License-Identifier: Apache-2.0
"""The contact solver alone, for problems of one's own."""

import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from talus import _core
from talus._errors import InputError


@dataclass(frozen=True)
class Solution:
    """The answer to a contact problem, and how good it is.

    `percussions` and `velocities` have a row for every contact, normal component first. `error` is
    the relative error of Coulomb's law, computed from the percussions, whatever the solver says.
    """

    percussions: np.ndarray
    velocities: np.ndarray
    error: float
    worst_error: float
    siconos_error: float
    converged: bool
    method: str
    iterations: int
    time: float


def solve(
    *problem: Any,
    f: Any = None,
    solver: str = "auto",
    tolerance: float = 1e-8,
    max_iterations: int = 1_000_000,
    time_limit: float = 60,
    threads: int = 1,
) -> Solution:
    """Solves a problem of contacts with Coulomb friction.

    `solve(W, b, mu)`: velocities u = W p + b. `solve(M, H, b, mu)`: M v = H p + f, u = Hᵀ v + b,
    with f = 0 unless it is given. `solve("problem.hdf5")`: an FCLib file. Matrices are of
    scipy.sparse or numpy. Components are ordered by contacts, normal first; there are 3 of a
    contact, or 2 in the plane. The law is

        K ∋ p ⟂ u + mu ‖u_T‖ n ∈ K*,  K = { ‖p_T‖ ≤ mu p_N }.

    A block of 1 kg lands at 1 m/s with a slip of 1 m/s, friction 0.5:

    >>> import numpy as np
    >>> answer = talus.solve(np.eye(2), [-1.0, 1.0], [0.5])
    >>> answer.percussions, answer.velocities
    (array([[ 1. , -0.5]]), array([[0. , 0.5]]))
    >>> answer.converged
    True
    """
    if len(problem) == 1:
        if f is not None:
            raise InputError("f goes with solve(M, H, b, mu)")
        core = _core.read_problem(os.fspath(problem[0]))
    elif len(problem) == 3:
        if f is not None:
            raise InputError("f goes with solve(M, H, b, mu)")
        W, b, mu = problem
        core = _core.local_problem(_rows(W, "W"), _numbers(b, "b"), _numbers(mu, "mu"))
    elif len(problem) == 4:
        M, H, b, mu = problem
        rows = _rows(M, "M")
        force = np.zeros(rows[0]) if f is None else _numbers(f, "f")
        core = _core.global_problem(
            rows, _rows(H, "H"), force, _numbers(b, "b"), _numbers(mu, "mu")
        )
    else:
        raise InputError("expected solve(W, b, mu), solve(M, H, b, mu) or solve(FILE)")
    answer = _core.solve(
        core, solver=solver, tolerance=tolerance, max_iterations=max_iterations,
        time_limit=time_limit, threads=threads,
    )
    components = answer.pop("components")
    answer["percussions"] = answer["percussions"].reshape(-1, components)
    answer["velocities"] = answer["velocities"].reshape(-1, components)
    del answer["dimension"], answer["contacts"]
    return Solution(**answer)


def _numbers(values: Any, name: str) -> np.ndarray:
    try:
        numbers = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name}: expected a list of numbers") from None
    return numbers.ravel() if 1 in numbers.shape and numbers.ndim == 2 else numbers


def _rows(matrix: Any, name: str):
    """Shape, starts of rows, columns and values."""
    if hasattr(matrix, "tocsr"):
        A = matrix.tocsr().astype(float)
        return (*A.shape, A.indptr, A.indices, A.data)
    A = np.asarray(matrix, dtype=float)
    if A.ndim != 2:
        raise InputError(f"{name}: has {A.ndim} dimensions, expected a matrix")
    row, column = np.nonzero(A)
    starts = np.searchsorted(row, np.arange(A.shape[0] + 1))
    return (*A.shape, starts, column, A[row, column])
