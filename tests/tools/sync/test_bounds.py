"""Results of a sync: each number of an entry that starts after 1 s."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.tools.sync import test_sync as syncs
from tests.tools.written import written
from tools.sync import reader, results

MS = 1_000_000


def test_times_reach_from_never_to_30_years() -> None:
    for value in (-1, 0, 10**18):
        reader.parse({**syncs.REPORT, "files": [[value] * 3]}, "x")
    refused: tuple[object, ...] = (-2, 10**18 + 1, True, 1.0)
    for other in refused:
        with pytest.raises(ValueError, match="is not a time in ns"):
            reader.parse({**syncs.REPORT, "files": [[other] * 3]}, "x")
    with pytest.raises(ValueError, match=f": {'9' * 40} is not a time in ns"):
        reader.parse({**syncs.REPORT, "files": [[int("9" * 60)] * 3]}, "x")
    with pytest.raises(ValueError, match=f": '{'e' * 40}' is not an end"):
        reader.parse({**syncs.REPORT, "end": "e" * 60}, "x")
    with pytest.raises(ValueError, match="a connection that never began"):
        reader.parse({**syncs.REPORT, "connections": [[-1, 5]]}, "x")


def test_a_sync_that_starts_later(tmp_path: Path) -> None:
    found = {**syncs.REPORT, "connections": [[0, 20 * MS], [0, -1], [0, 120 * MS]]}
    entry, read = written(syncs, results, tmp_path, syncs.GROUPS, found)
    assert results.connected(entry, read) == (2, 1.02)
    lasted = results.lasted(entry, read)
    assert lasted.connections == 2 and lasted.seconds == pytest.approx(0.18)
    lines = results.series(entry, read)
    times = [1, 1.05, 1.05, 1.06, 1.06, 1.3, 1.3]
    sizes = [0, 0, 10_000, 10_000, 20_000, 20_000, 1_020_000]
    for name, values in (
        ("sync.done_bytes", sizes),
        ("sync.done_files", [0, 0, 1, 1, 2, 2, 3]),
    ):
        assert list(lines[name].times) == pytest.approx(times)
        assert list(lines[name].values) == values
    stay = results.stays(entry, read)[1]
    assert stay and (stay.ready_s, stay.first_s, stay.end_s) == (1.02, 1.021, 1.06)
    run: Any = SimpleNamespace(traffic=[entry], reports=[read])
    title, goodput = results.over_time(run, 0) or ("", None)
    assert title == entry.title and goodput is not None
    # From 1.02 s: the two small files and 70 of 250 ms of the large one, then the rest.
    spread = [8 * (20_000 + 1e6 * 70 / 250) / 1e5, 8 * 1e6 / 250 / 1e3]
    spread.append(8 * 1e6 * 80 / 250 / 1e5)
    assert list(goodput.values) == pytest.approx(spread)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([[1, 1, 2], [1, 1, 2], [1, 1, 2]], ""),
        ([[1, 1, 2], [1, 1, 2]], "2 files, not 3"),
        ([[1, 1, 2], [1, 1, -1], [1, 1, 2]], "2 files, not 3"),
        ([[1, 1, 2]] * 4, "4 files, not 3"),
    ],
)
def test_a_sync_that_ends_needs_all_files(
    tmp_path: Path, files: list[list[int]], words: str
) -> None:
    found = {**syncs.REPORT, "files": files}
    entry, read = written(syncs, results, tmp_path, syncs.GROUPS, found)
    assert list(results.wrong(entry, read)) == ([words] if words else [])


@pytest.mark.parametrize(
    ("start_s", "end_s", "median"),
    [(0.02, 0.05, 0.035), (0.05, 9, 0.25), (0, 9, 0.04), (0, 0.02, None)],
)
def test_a_part_has_the_files_that_were_begun_in_it(
    tmp_path: Path, start_s: float, end_s: float, median: float | None
) -> None:
    """They begin at 20, 20 and 50 ms, and are done 30, 40 and 250 ms later."""
    entry, read = written(syncs, results, tmp_path, syncs.GROUPS, syncs.REPORT)
    found = results.part_columns(entry, read, start_s, end_s)
    assert found["sync.file_median_s"] == pytest.approx(median)


def test_a_sync_of_which_nothing_came(tmp_path: Path) -> None:
    found = {**syncs.REPORT, "end": "failed", "connections": [], "files": [[-1] * 3]}
    entry, read = written(syncs, results, tmp_path, syncs.GROUPS, found)
    assert results.connected(entry, read) == (0, None)
    assert results.lasted(entry, read).seconds == 0
    columns = results.columns(entry, read)
    assert (columns["sync.time_s"], columns["sync.file_median_s"]) == (None, None)
    run: Any = SimpleNamespace(traffic=[entry], reports=[read])
    assert results.over_time(run, 0) is None
    at_once = [[0, 0, 0]] * 3
    found = {**syncs.REPORT, "files": at_once}
    entry, read = written(syncs, results, tmp_path, syncs.GROUPS, found)
    assert results.flow(entry, read) is None
    (tmp_path / "sync.err").write_text("first\nlast word\n\n")
    assert results.explain(tmp_path, "sync") == "last word"
