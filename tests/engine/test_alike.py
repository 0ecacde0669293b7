"""Runs that left the same bytes."""

from pathlib import Path

import pytest

from mpbench.store import alike, manifest
from mpbench.store.layout import Run


def run(folder: Path, files: dict[str, str]) -> Run:
    """A stored run with these artefacts."""
    made = Run(folder)
    made.artefacts.mkdir(parents=True)
    for name, text in files.items():
        (made.artefacts / name).write_text(text)
    manifest.write(made, manifest.take(made.artefacts))
    return made


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": "1"}, {"a": "1"}, True),
        ({"a": "1"}, {"a": "2"}, False),
        ({"a": "1", "b": "1"}, {"a": "1"}, False),
        ({"a": "1", "events.csv": "x"}, {"a": "1"}, True),
        ({"a": "1"}, {"a": "1", "events.csv": "x"}, True),
        ({"a": "1", "events.csv": "x"}, {"a": "2"}, False),
        ({"a": "1", "events.csv": "x"}, {"a": "1", "events.csv": "y"}, False),
    ],
)
def test_the_bytes_of_two_runs(
    tmp_path: Path, one: dict[str, str], other: dict[str, str], same: bool
) -> None:
    runs = run(tmp_path / "1", one), run(tmp_path / "2", other)
    assert alike.same(*runs) == same


def test_a_run_without_a_manifest_is_like_none(tmp_path: Path) -> None:
    assert not alike.same(Run(tmp_path), Run(tmp_path))
