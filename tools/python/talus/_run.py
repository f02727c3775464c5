# SPDX-License-Identifier: Apache-2.0
"""Runs from a scene to a file."""

import json
import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Callable, Optional, Sequence, Union

from talus import _core
from talus._progress import ProgressLine
from talus._results import Run
from talus._scene import Scene, as_scene


class RunWarning(UserWarning):
    """Something a run says of its steps at its end, such as missed tolerances."""


def run(
    scene: Union[Scene, Mapping, str, os.PathLike],
    output: Union[str, os.PathLike, None] = None,
    *,
    threads: Optional[int] = None,
    until: Optional[float] = None,
    progress: Union[bool, Callable] = False,
    on_step: Optional[Callable] = None,
    on_frame: Optional[Callable] = None,
    resume: bool = False,
    force: bool = False,
    checkpoint_every: float = 60,
    checkpoint_interval: Optional[float] = None,
    stop_after: Optional[float] = None,
    save_problems: Sequence[Union[int, str]] = (),
) -> Run:
    """Simulates a scene, writes its trajectory and returns it, opened.

    The same runner as `talus run`: same bits, same file, same options. `threads` are all cores if
    they are not given. `on_step(world, certificate)` is called after every step, and ends the run
    in good order where it returns something true; `on_frame(world, step)` is called after every
    frame. Both may read the world and set its forces and drives; a resumed run does not know what
    was set. What they raise, and Ctrl-C, ends the run after the step with a checkpoint and a valid
    file: `resume=True` goes on from there.

    >>> fast = []
    >>> result = talus.run(talus.example("bouncing"), "fall.h5", until=0.1,
    ...                    on_step=lambda world, step: fast.append(step.max_speed))
    >>> len(fast), result.complete, result.figures["unconverged_steps"]
    (1000, True, 0)
    >>> bool(abs(fast[-1] - 9.81 * 0.1) < 1e-9)
    True
    """
    made = as_scene(scene)
    if output is None:
        output = Path(made.path).stem + ".h5"
    line = ProgressLine() if progress is True else None
    try:
        told = _core.run(
            made._core,
            os.fspath(output),
            threads=threads if threads is not None else os.cpu_count() or 1,
            until=until,
            checkpoint_every=checkpoint_every,
            checkpoint_interval=checkpoint_interval,
            stop_after=stop_after,
            resume=resume,
            force=force,
            save_problems=[str(problem) for problem in save_problems],
            on_step=on_step,
            on_frame=on_frame,
            progress=line or (progress if callable(progress) else None),
        )
    finally:
        if line:
            line.finish()
    if told is None:  # it was complete already
        return Run(output)
    figures, said = told
    for text in said:
        warnings.warn(text.removeprefix("warning: "), RunWarning, stacklevel=2)
    return Run(output, json.loads(figures))
