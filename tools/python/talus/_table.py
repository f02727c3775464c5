# SPDX-License-Identifier: Apache-2.0
"""Columns of numbers, as numpy arrays and as a DataFrame."""

from collections.abc import Mapping
from typing import Any, Dict, Iterator, List

import numpy as np


class Table(Mapping):
    """Columns of equal length by their names, also as attributes.

    >>> import numpy as np
    >>> table = talus.Table({"gap": np.array([0.0, 1e-6]), "normal": np.array([[0, 1], [1, 0]])})
    >>> table.gap
    array([0.e+00, 1.e-06])
    >>> table.rows
    2
    >>> list(table.to_pandas().columns)
    ['gap', 'normal_x', 'normal_y']
    """

    def __init__(self, columns: Dict[str, np.ndarray], units: Dict[str, str] = {}):
        self._columns = columns
        self.units = {name: units[name] for name in columns if name in units}

    def __getitem__(self, name: str) -> np.ndarray:
        try:
            return self._columns[name]
        except KeyError:
            raise KeyError(f"no column {name!r}; there are {', '.join(self._columns)}") from None

    def __getattr__(self, name: str) -> np.ndarray:
        try:
            return self.__dict__["_columns"][name]
        except KeyError:
            raise AttributeError(f"no column {name!r}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self._columns]

    @property
    def rows(self) -> int:
        """Length of the columns."""
        return len(next(iter(self._columns.values()))) if self._columns else 0

    def to_pandas(self) -> Any:
        """The same as a DataFrame. A vector becomes a column for each component."""
        import pandas

        flat = {}
        for name, column in self._columns.items():
            if column.ndim == 1:
                flat[name] = column
                continue
            letters = "wxyz" if column.shape[1] == 4 else "xyz"
            for k in range(column.shape[1]):
                flat[f"{name}_{letters[k]}"] = column[:, k]
        return pandas.DataFrame(flat)

    def __repr__(self) -> str:
        return f"<Table of {self.rows} rows: {', '.join(self._columns)}>"
