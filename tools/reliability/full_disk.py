# SPDX-License-Identifier: Apache-2.0
"""Disks that fill up: a small file system in memory, of a size by chance, which then grows."""
import subprocess
import sys

from kit import differences, experiment

# In a user namespace, where a file system may be mounted without rights.
SCRIPT = """
mount -t tmpfs -o size={kilobytes}k none disk || exit 99
{talus} {run} -o disk/run.h5 2> first.txt; echo $? > first
if test -e disk/run.h5; then
  {python} -c "import kit; kit.contents('disk/run.h5')" 2> reading.txt; echo $? > reading
fi
mount -o remount,size=100m disk
{talus} {run} -o disk/run.h5 --resume 2> second.txt; echo $? > second
cp disk/run.h5 run.h5
"""


@experiment("disk full at any moment of a run, then --resume with more room", trials=60)
def full_disk(kit, trial):
    # The first flushes are tried in small steps.
    kilobytes = 1200 + 16 * trial if trial % 2 else kit.rng.randint(1000, 6000)
    run = f"run {kit.scenes}/wall.toml --until 0.2 --set time.save_every=5 --threads 1 --quiet --checkpoint-interval 0.05"
    whole = kit.run(*run.split(), "-o", "whole.h5")
    if whole.returncode != 0:
        return whole.stderr
    (kit.folder / "disk").mkdir()
    text = SCRIPT.format(kilobytes=kilobytes, talus=kit.talus, run=run, python=sys.executable)
    outcome = subprocess.run(["unshare", "-rm", "sh", "-c", text], cwd=kit.folder, capture_output=True, text=True,
                             env={"PYTHONPATH": sys.path[0], "PATH": "/usr/bin:/bin"}, timeout=120)
    if outcome.returncode != 0:
        return f"cannot be tried: {outcome.stderr}"

    def said(name):
        path = kit.folder / name
        return path.read_text().strip() if path.exists() else ""

    if said("first") not in ("0", "1", "2") or (said("first") != "0" and said("first.txt").count("\n") > 0):
        return f"{kilobytes} kB: exit code {said('first')}: {said('first.txt')}"
    if said("reading") not in ("", "0"):
        return f"{kilobytes} kB: h5py: {said('reading.txt')[-200:]}"
    if said("second") != "0":
        return f"{kilobytes} kB: --resume: {said('second.txt')}"
    differ = differences(kit.folder / "whole.h5", kit.folder / "run.h5")
    return f"{kilobytes} kB: differs: {differ}" if differ else None
