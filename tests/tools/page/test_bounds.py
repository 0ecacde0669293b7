"""Results of a page: each number of an entry that starts after 1 s."""

from collections import Counter, defaultdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.tools.page import test_page as pages
from tests.tools.written import written
from tools.page import model, reader, results

MS = 1_000_000


def report(**changed: object) -> dict[str, Any]:
    return {**pages.REPORT, **changed}


def test_the_median_page_has_as_many_objects_of_each_type() -> None:
    objects = model.median()
    kinds = Counter(one["name"].partition("-")[0] for one in objects)
    assert kinds == {"document": 1, "style": 8, "script": 24, "font": 5, "image": 18}
    sizes: dict[str, int] = defaultdict(int)
    for one in objects:
        sizes[one["name"].partition("-")[0]] += int(one["size"].removesuffix(" B"))
    assert sizes == {
        **{"document": 18_000, "style": 78_000, "script": 613_000},
        **{"font": 131_000, "image": 1_054_000},
    }
    waits = {one["name"]: len(one.get("after", ())) for one in objects}
    assert [waits[f"font-{n}"] for n in (1, 5)] == [8, 8]
    assert [waits[f"image-{n}"] for n in (12, 13, 18)] == [0, 24, 24]


def test_shares_are_as_1_to_a_half_to_a_third() -> None:
    assert model.shares(3, 1100) == [600, 300, 200]
    assert model.shares(1, 7) == [7]
    # 100 / (1 + 1/2 + 1/3) = 54.5, 27.3 and 18.2; the first takes the rest
    assert model.shares(3, 100) == [55, 27, 18]
    assert model.shares(3, 101) == [55, 28, 18]
    assert sum(model.shares(24, 613_000)) == 613_000


def test_times_reach_from_never_to_30_years() -> None:
    for value in (-1, 0, 10**18):
        reader.parse({**pages.REPORT, "objects": [[value] * 4]}, "x")
    refused: tuple[object, ...] = (-2, 10**18 + 1, True, 1.0)
    for other in refused:
        with pytest.raises(ValueError, match="is not a time in ns"):
            reader.parse({**pages.REPORT, "objects": [[other] * 4]}, "x")
    with pytest.raises(ValueError, match=f": {'9' * 40} is not a time in ns"):
        reader.parse({**pages.REPORT, "objects": [[int("9" * 60)] * 4]}, "x")
    with pytest.raises(ValueError, match=f": '{'e' * 40}' is not an end"):
        reader.parse({**pages.REPORT, "end": "e" * 60}, "x")
    with pytest.raises(ValueError, match="a connection that never began"):
        reader.parse({**pages.REPORT, "connections": [[0, -1, 5]]}, "x")


def test_a_page_that_starts_later(tmp_path: Path) -> None:
    found = report(connections=[[0, 0, 20 * MS], [1, 0, -1], [1, 0, 120 * MS]])
    entry, read = written(pages, results, tmp_path, pages.THREE, found)
    assert results.connected(entry, read) == (2, 1.02)
    assert results.columns(entry, read)["page.connections"] == 3
    lasted = results.lasted(entry, read)
    assert lasted.connections == 2 and lasted.seconds == pytest.approx(0.09)
    line = results.series(entry, read)["page.loaded_bytes"]
    assert list(line.times) == pytest.approx([1, 1.05, 1.05, 1.1, 1.1, 1.2, 1.2])
    assert list(line.values) == [0, 0, 10_000, 10_000, 30_000, 30_000, 60_000]
    stays = results.stays(entry, read)
    assert [stay and stay.bytes for stay in stays] == [10_000, 20_000, 30_000]
    assert stays[0] and (stays[0].ready_s, stays[0].first_s) == (1.0, 1.04)
    run: Any = SimpleNamespace(traffic=[entry], reports=[read])
    title, goodput = results.over_time(run, 0) or ("", None)
    assert title == entry.title and goodput is not None
    # 10 kB of 10 ms, 20 kB of 25 ms, and of the last 60 ms none before 1.14 s.
    assert list(goodput.values) == pytest.approx([2.4, 2.4])
    assert list(goodput.times) == pytest.approx([1.09, 1.19])


@pytest.mark.parametrize(
    ("start_s", "end_s", "median"),
    [
        (0, 0.055, 0.05),
        (0.055, 0.1, 0.045),
        (0.1, 9, 0.1),
        (0, 9, 0.05),
        (0.101, 9, None),
    ],
)
def test_a_part_has_the_objects_that_were_ready_in_it(
    tmp_path: Path, start_s: float, end_s: float, median: float | None
) -> None:
    """They are ready at 0, 55 and 100 ms, and there 50, 45 and 100 ms later."""
    entry, read = written(pages, results, tmp_path, pages.THREE, report())
    found = results.part_columns(entry, read, start_s, end_s)
    assert found["page.object_median_s"] == pytest.approx(median)


def test_a_page_of_which_nothing_came(tmp_path: Path) -> None:
    found = report(end="failed", error="reset", connections=[], objects=[[-1] * 4] * 3)
    entry, read = written(pages, results, tmp_path, pages.THREE, found)
    assert results.connected(entry, read) == (0, None)
    assert results.lasted(entry, read).seconds == 0
    assert results.flow(entry, read) is None
    run: Any = SimpleNamespace(traffic=[entry], reports=[read])
    assert results.over_time(run, 0) is None
    assert results.stays(entry, read) == (None, None, None)
    columns = dict(results.columns(entry, read))
    assert columns.pop("page.connections") == 0
    assert set(columns.values()) == {None}
    assert results.ending(entry, read) == ("complete", "reset")
    assert list(results.wrong(entry, read)) == ["failed: reset"]
    (tmp_path / "page.err").write_text("first\nlast word\n\n")
    assert results.explain(tmp_path, "page") == "last word"


@pytest.mark.parametrize(("left", "words"), [(1, "1 object, not 3"), (3, "")])
def test_a_page_that_ends_needs_all_objects(
    tmp_path: Path, left: int, words: str
) -> None:
    every: Any = pages.REPORT["objects"]
    objects = [*every[:left], *[[-1] * 4] * (3 - left)]
    found = report(objects=objects)
    entry, read = written(pages, results, tmp_path, pages.THREE, found)
    assert list(results.wrong(entry, read)) == ([words] if words else [])
