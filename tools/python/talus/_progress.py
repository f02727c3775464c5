# SPDX-License-Identifier: Apache-2.0
"""The progress of a run on one line, in a terminal and in a notebook."""

import sys
import time


class ProgressLine:
    def __init__(self) -> None:
        self._start = time.monotonic()
        self._live = sys.stderr.isatty() or "ipykernel" in sys.modules
        self._next = 0.0 if self._live else 10.0
        self._drawn = False

    def __call__(self, step: int, first: int, last: int, certificate) -> None:
        spent = time.monotonic() - self._start
        if not self._live and spent < self._next:
            return
        self._next = 1.5 * spent
        share = step / last if last else 1.0
        left = spent * (last - step) / max(step - first, 1)
        text = (
            f"{100 * share:3.0f} % t = {certificate.time:.4g} s, {certificate.contacts} contacts, "
            f"error {certificate.residual:.0e}, {left:.0f} s left"
        )
        sys.stderr.write(f"\r{text:<78}" if self._live else text + "\n")
        sys.stderr.flush()
        self._drawn = self._live

    def finish(self) -> None:
        if self._drawn:
            sys.stderr.write("\r" + " " * 78 + "\r")
            sys.stderr.flush()
