"""Flushes to the disk while a campaign runs, which take most of a run's overhead."""

from collections import Counter
from pathlib import Path

import pytest

from mpbench.store import atomic

from .conftest import Lab


def test_each_file_of_a_run_is_flushed_once(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: Counter[Path] = Counter()
    flush = atomic._sync

    def counted(path: Path) -> None:
        flushed[path] += 1
        flush(path)

    monkeypatch.setattr(atomic, "_sync", counted)
    assert lab.run() == 0
    for run_id in lab.folders():
        run, aside = lab.results.run(run_id), lab.results.partial(run_id)
        files = [path for path in run.root.rglob("*") if path.is_file()]
        assert {"job.json", "host.json", "row.json"} < {path.name for path in files}
        for path in files:
            assert flushed[aside.root / path.relative_to(run.root)] == 1, path.name
        assert flushed[aside.root] == 1
