# SPDX-License-Identifier: Apache-2.0
"""Parameter studies, by the runner of `talus batch`."""

import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, List, Optional, Sequence, Tuple, Union

from talus import _toml
from talus._errors import InputError
from talus._results import Run
from talus._run import RunWarning
from talus._scene import Scene, _bytes_of, _write, as_scene

_HEADER = "# written by talus.study\n"


class Study:
    """The cases of a study in their folder."""

    def __init__(self, folder: Path):
        self.folder = folder

    @cached_property
    def summary(self) -> Any:
        """A DataFrame with a row for every case: its values, energies, errors and measures."""
        import pandas

        return pandas.read_csv(self.folder / "summary.csv")

    def run(self, case: int) -> Run:
        """The run of a case, by its number from 1."""
        return Run(self.folder / f"case-{case:04d}" / "run.h5")

    def __repr__(self) -> str:
        return f"<Study {self.folder}: {len(self.summary)} cases>"


def study(
    source: Union[Scene, Mapping, str, os.PathLike],
    axes: Optional[Mapping[str, Any]] = None,
    *,
    folder: Union[str, os.PathLike, None] = None,
    repeat: Optional[int] = None,
    workers: Optional[int] = None,
    threads: int = 1,
    progress: bool = False,
) -> Study:
    """Runs every combination of the values of some keys of a scene, several at a time.

    `source` is a scene, with `axes` from keys to lists of values, or a study file. `repeat` runs
    each case that often with other seeds. Complete cases are not run again, interrupted ones go
    on: the same call again completes a study that was stopped.

    >>> slides = talus.study(talus.example("incline"), folder="slides",
    ...                      axes={"contact.0.friction": [0.2, 0.8], "time.end": [0.05]})
    >>> list(slides.summary["contact.0.friction"])
    [0.2, 0.8]
    >>> slides.run(2).complete
    True
    """
    if axes is None and repeat is None:
        if isinstance(source, (Scene, Mapping)):
            raise InputError("a study of a scene needs axes: { key: values }, or repeat")
        path = Path(source)
        target = Path(folder) if folder is not None else Path(path.stem)
    else:
        if folder is None:
            raise InputError("a study of a scene needs a folder for its cases")
        target = Path(folder)
        path = _write_study(as_scene(source), axes or {}, repeat, target)
    words = ["batch", str(path), "-o", str(target), "--threads", str(threads)]
    if workers is not None:
        words += ["--workers", str(workers)]
    code, said = _run_program(words, progress)
    if code == 2:
        raise InputError(said.strip())
    if code not in (0, 3):
        raise RuntimeError(said.strip() or f"the study ended with exit code {code}")
    if code == 3:
        warnings.warn(said.strip().splitlines()[-1], RunWarning, stacklevel=2)
    return Study(target)


def _write_study(scene: Scene, axes: Mapping, repeat: Optional[int], folder: Path) -> Path:
    """Writes the scene and the study beside the folder of the cases."""
    scene_file = folder.with_name(folder.name + ".scene.toml")
    study_file = folder.with_name(folder.name + ".study.toml")
    lines = [_HEADER, f"scene = {_toml.value(scene_file.name, 'scene')}\n"]
    for key, values in axes.items():
        lines.append(f"\n[[axis]]\nkey = {_toml.value(key, 'axis')}\n")
        if isinstance(values, Mapping):
            lines += [f"{k} = {_toml.value(v, f'{key}.{k}')}\n" for k, v in values.items()]
        else:
            lines.append(f"values = {_toml.value(list(values), key)}\n")
    if repeat is not None:
        lines.append(f"\n[[repeat]]\nseeds = {_toml.value(repeat, 'repeat')}\n")
    for file in (scene_file, study_file):
        if file.exists() and not file.read_text().startswith(_HEADER):
            raise InputError(f"{file}: exists already, and was not written by talus.study")
    folder.parent.mkdir(parents=True, exist_ok=True)
    scene_file.write_text(_HEADER + scene.text, encoding="utf-8")
    for name, text in scene._core.records:
        record = scene_file.parent / name
        if not (record.exists() and record.read_bytes() == _bytes_of(text)):
            _write(record, text, False)
    study_file.write_text("".join(lines), encoding="utf-8")
    return study_file


def _run_program(words: Sequence[str], progress: bool) -> Tuple[int, str]:
    """Exit code and messages of a command of Talus. Ctrl-C stops it in good order."""
    command = [sys.executable, str(Path(__file__).with_name("__main__.py")), *words]
    said: List[str] = []
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            for line in process.stderr:
                said.append(line)
                if progress:
                    sys.stderr.write(line)
        except KeyboardInterrupt:
            process.send_signal(signal.SIGINT)
            process.wait()
            raise
    return process.returncode, "".join(said)
