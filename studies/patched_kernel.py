"""Run an experiment with a patch of this repository, which may change the guest kernel.

    python -m studies.patched_kernel PATCH EXPERIMENT [OPTION of mpbench run]...

    python -m studies.patched_kernel studies/causes/quick-acks.patch \\
        studies/causes/rtt-mismatch-acks.yaml

This tests what the guest should not do by default and has no setting for. PATCH is a
patch of this repository (`patch -p1`). It is applied to a copy in build/patched. The
copy's kernel is built once, which takes as long as the first build. The experiment then
runs there, and its results go to results/NAME as usual.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = (
    "analysis",
    "experiments",
    "jobs",
    "kernel",
    "mpbench",
    "studies",
    "topologies",
    "wsp",
)


def patched_copy(patch: Path) -> Path:
    """A copy of the folders that a run needs, with the patch applied."""
    copy = ROOT / "build" / "patched" / patch.stem
    shutil.rmtree(copy, ignore_errors=True)
    for folder in FOLDERS:
        shutil.copytree(ROOT / folder, copy / folder)
    subprocess.run(["patch", "-p1", "-s", "-i", str(patch)], cwd=copy, check=True)
    results = ROOT / "results"
    (copy / "results").symlink_to(results, target_is_directory=True)
    return copy


def mpbench(copy: Path, *words: str) -> int:
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    command = [sys.executable, "-m", "mpbench.cli", *words]
    return subprocess.run(command, cwd=copy, env=environment, check=False).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("patch", type=Path)
    parser.add_argument("experiment", type=Path)
    given, options = parser.parse_known_args()
    copy = patched_copy(given.patch.resolve())
    experiment = str(given.experiment.resolve())
    status = mpbench(copy, "kernel", "build")
    return status or mpbench(copy, "run", experiment, *options)


if __name__ == "__main__":
    sys.exit(main())
