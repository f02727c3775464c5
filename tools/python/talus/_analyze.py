# SPDX-License-Identifier: Apache-2.0
"""Well-posedness of the contact problem at one configuration."""

import json
import os
from collections.abc import Mapping
from typing import Any, Dict, Optional, Sequence, Union

from talus import _core
from talus._results import Run
from talus._scene import Scene, as_scene


def analyze(
    source: Union[Scene, Run, Mapping, str, os.PathLike],
    at: Optional[float] = None,
    *,
    massless: Sequence[str] = (),
    particles: Sequence[str] = (),
    blows: Sequence[str] = (),
    seconds: float = 5,
) -> Dict[str, Any]:
    """Is the contact problem of a scene or a run at a time well posed, and how much friction may
    it have? The keys are those of `talus analyze --json`. Without a time it is the start.
    A blow is given as on the command line, `"BODY:[px, py]@[x, y]"`.

    >>> found = talus.analyze(talus.example("painleve"))
    >>> found["friction"], round(found["friction_bound"], 3)
    (1.5, 1.333)
    """
    options = _core.AnalysisOptions(list(massless), list(particles), list(blows), seconds)
    if isinstance(source, Run):
        return json.loads(_core.analyze_run(source.path, at, options))
    if isinstance(source, (str, os.PathLike)) and os.fspath(source).endswith(".h5"):
        return json.loads(_core.analyze_run(os.fspath(source), at, options))
    return json.loads(_core.analyze_scene(as_scene(source)._core, at, options))
