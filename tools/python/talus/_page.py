# SPDX-License-Identifier: Apache-2.0
"""The HTML player as something that a notebook shows."""

import html
import os
from pathlib import Path
from typing import Union


class Page:
    """A page of HTML. A notebook shows it; elsewhere, save it and open it in a browser."""

    def __init__(self, text: str, height: int):
        self.html = text
        self._height = int(height)

    def save(self, path: Union[str, os.PathLike]) -> None:
        Path(path).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.html)}" width="100%" height="{self._height}" '
            'style="border: 0" allowfullscreen></iframe>'
        )

    def __repr__(self) -> str:
        return f"<Page of {len(self.html) / 1e6:.1f} MB: show it in a notebook, or save it>"
