"""The patches of the experiments that test causes apply to the present tree."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PATCHES = sorted((ROOT / "studies/causes").glob("*.patch"))


@pytest.mark.parametrize("patch", PATCHES, ids=[patch.stem for patch in PATCHES])
def test_it_applies(patch: Path) -> None:
    command = ["patch", "-p1", "--dry-run", "--force", "-i", str(patch)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def test_there_are_some() -> None:
    assert PATCHES
