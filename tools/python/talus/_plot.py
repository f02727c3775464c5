# SPDX-License-Identifier: Apache-2.0
"""Plots of a run over time, by matplotlib."""

from typing import Any, List, Sequence, Tuple, Union

import numpy as np

from talus._errors import InputError

_GROUPS = {
    "energy": ["kinetic", "potential"],
    "work": ["contact_work", "external_work", "driven_work", "cell_work", "spring_work", "joint_work", "bond_work"],
    "contacts": ["contacts", "sticking", "sliding"],
    "error": ["residual", "worst_residual"],
    "penetration": ["max_penetration", "mean_penetration"],
}


def _column(run: Any, name: str) -> Tuple[np.ndarray, np.ndarray, str]:
    measure, _, column = name.partition(".")
    if column and measure in run.measures and column in run.measures[measure]:
        table = run.measures[measure]
        return table.time, table[column], ""
    if name not in run.series:
        known = ", ".join([*_GROUPS, *run.series, *run.measures])
        raise InputError(f"{run.path}: no column {name!r} to plot; there are {known}")
    values = run.series[name]
    if name.endswith("_work"):
        values = np.cumsum(values)
    return run.series.time, values, run.series.units[name]


def plot(run: Any, what: Union[str, Sequence[str]], ax: Any) -> Any:
    """See Run.plot."""
    names: List[str] = _GROUPS.get(what, [what]) if isinstance(what, str) else list(what)
    columns = [(name, *_column(run, name)) for name in names]
    if ax is None:
        import matplotlib.pyplot

        ax = matplotlib.pyplot.figure().add_subplot()
    for name, time, values, _ in columns:
        if what == "work" and not np.any(values):
            continue
        ax.plot(time, values, label=name.replace("_", " "))
    if what == "energy":
        total = columns[0][2] + columns[1][2]
        ax.plot(columns[0][1], total, "k", linewidth=0.8, label="total")
    if what == "error":
        ax.set_yscale("log")
    unit = columns[0][3]
    title = what if isinstance(what, str) else ", ".join(names)
    ax.set_xlabel("time [s]")
    ax.set_ylabel(f"{title} [{unit}]" if unit else title)
    if len(ax.get_lines()) > 1:
        ax.legend()
    return ax
