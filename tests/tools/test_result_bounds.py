"""Results of pages, syncs and videos: each number of an entry that starts after 1 s."""

import json
from collections import Counter, defaultdict
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.tools import test_page as pages
from tests.tools import test_sync as syncs
from tests.tools import test_video as videos
from tools.page import model
from tools.page import reader as page_reader
from tools.page import results as page_results
from tools.sync import reader as sync_reader
from tools.sync import results as sync_results
from tools.video import reader as video_reader
from tools.video import results as video_results
from tools.video.programs import rules

MS, LATER = 1_000_000, ", start: 1 s"
Results = Any


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


@pytest.mark.parametrize("parse", [page_reader.parse, sync_reader.parse])
def test_times_reach_from_never_to_30_years(parse: Any) -> None:
    of_page = parse is page_reader.parse
    name, whole = ("objects", pages.REPORT) if of_page else ("files", syncs.REPORT)
    count = 4 if of_page else 3
    for value in (-1, 0, 10**18):
        parse({**whole, name: [[value] * count]}, "x")
    refused: tuple[object, ...] = (-2, 10**18 + 1, True, 1.0)
    for other in refused:
        with pytest.raises(ValueError, match="is not a time in ns"):
            parse({**whole, name: [[other] * count]}, "x")
    with pytest.raises(ValueError, match=f": {'9' * 40} is not a time in ns"):
        parse({**whole, name: [[int("9" * 60)] * count]}, "x")
    with pytest.raises(ValueError, match=f": '{'e' * 40}' is not an end"):
        parse({**whole, "end": "e" * 60}, "x")
    with pytest.raises(ValueError, match="a connection that never began"):
        start = [0, -1, 5] if of_page else [-1, 5]
        parse({**whole, "connections": [start]}, "x")


def test_a_video_has_times_up_to_30_years() -> None:
    document = videos.played("bitrates: 4 Mbit/s", 2.0)
    whole = video_reader.parse({**document, "start_ns": 10**18}, "x")
    assert whole.start_s == 1e9
    assert video_reader.parse({**document, "start_ns": -1}, "x").start_s is None
    chunk = [0, 0, 0, 0.0, 0.0]
    assert video_reader.parse({**document, "chunks": [chunk]}, "x").chunks[0].rate == 0
    for name, value in (("start_ns", 10**18 + 1), ("start_ns", -2), ("seconds", -0.1)):
        with pytest.raises(ValueError, match="is not a time"):
            video_reader.parse({**document, name: value}, "x")
    for place in (1, 2):
        broken = [-1 if place == n else each for n, each in enumerate(chunk)]
        with pytest.raises(ValueError, match="without a bitrate or a time"):
            video_reader.parse({**document, "chunks": [broken]}, "x")
    with pytest.raises(ValueError, match="without a bitrate or a time"):
        video_reader.parse({**document, "chunks": [[1.0, *chunk[1:]]]}, "x")


def written(module: Any, results: Any, folder: Path, keys: str, found: Any) -> Any:
    """An entry and its report, read back."""
    (folder / "traffic-0-client.json").write_text(json.dumps(found))
    entry = module.traffic_of(keys + LATER)
    return entry, results.read(folder, 0, entry)


def test_a_page_that_starts_later(tmp_path: Path) -> None:
    found = report(connections=[[0, 0, 20 * MS], [1, 0, -1], [1, 0, 120 * MS]])
    entry, read = written(pages, page_results, tmp_path, pages.THREE, found)
    assert page_results.connected(entry, read) == (2, 1.02)
    assert page_results.columns(entry, read)["page.connections"] == 3
    lasted = page_results.lasted(entry, read)
    assert lasted.connections == 2 and lasted.seconds == pytest.approx(0.09)
    line = page_results.series(entry, read)["page.loaded_bytes"]
    assert list(line.times) == pytest.approx([1, 1.05, 1.05, 1.1, 1.1, 1.2, 1.2])
    assert list(line.values) == [0, 0, 10_000, 10_000, 30_000, 30_000, 60_000]
    stays = page_results.stays(entry, read)
    assert [stay and stay.bytes for stay in stays] == [10_000, 20_000, 30_000]
    assert stays[0] and (stays[0].ready_s, stays[0].first_s) == (1.0, 1.04)
    run: Any = SimpleNamespace(traffic=[entry], reports=[read])
    title, goodput = page_results.over_time(run, 0) or ("", None)
    assert title == entry.title and goodput is not None
    # 10 kB of 10 ms, 20 kB of 25 ms, and of the last 60 ms none before 1.14 s.
    assert list(goodput.values) == pytest.approx([2.4, 2.4])
    assert list(goodput.times) == pytest.approx([1.09, 1.19])


def test_a_page_of_which_nothing_came(tmp_path: Path) -> None:
    found = report(end="failed", error="reset", connections=[], objects=[[-1] * 4] * 3)
    entry, read = written(pages, page_results, tmp_path, pages.THREE, found)
    assert page_results.connected(entry, read) == (0, None)
    assert page_results.lasted(entry, read).seconds == 0
    assert page_results.flow(entry, read) is None
    run: Any = SimpleNamespace(traffic=[entry], reports=[read])
    assert page_results.over_time(run, 0) is None
    assert page_results.stays(entry, read) == (None, None, None)
    columns = dict(page_results.columns(entry, read))
    assert columns.pop("page.connections") == 0
    assert set(columns.values()) == {None}
    assert page_results.ending(entry, read) == ("complete", "reset")
    assert list(page_results.wrong(entry, read)) == ["failed: reset"]
    (tmp_path / "page.err").write_text("first\nlast word\n\n")
    assert page_results.explain(tmp_path, "page") == "last word"
    assert sync_results.explain(tmp_path, "page") == "last word"
    assert video_results.explain(tmp_path, "page") == "last word"


@pytest.mark.parametrize(("left", "words"), [(1, "1 object, not 3"), (3, "")])
def test_a_page_that_ends_needs_all_objects(
    tmp_path: Path, left: int, words: str
) -> None:
    every: Any = pages.REPORT["objects"]
    objects = [*every[:left], *[[-1] * 4] * (3 - left)]
    found = report(objects=objects)
    entry, read = written(pages, page_results, tmp_path, pages.THREE, found)
    assert list(page_results.wrong(entry, read)) == ([words] if words else [])


def test_a_sync_that_starts_later(tmp_path: Path) -> None:
    found = {**syncs.REPORT, "connections": [[0, 20 * MS], [0, -1], [0, 120 * MS]]}
    entry, read = written(syncs, sync_results, tmp_path, syncs.GROUPS, found)
    assert sync_results.connected(entry, read) == (2, 1.02)
    lasted = sync_results.lasted(entry, read)
    assert lasted.connections == 2 and lasted.seconds == pytest.approx(0.18)
    lines = sync_results.series(entry, read)
    times = [1, 1.05, 1.05, 1.06, 1.06, 1.3, 1.3]
    sizes = [0, 0, 10_000, 10_000, 20_000, 20_000, 1_020_000]
    for name, values in (
        ("sync.done_bytes", sizes),
        ("sync.done_files", [0, 0, 1, 1, 2, 2, 3]),
    ):
        assert list(lines[name].times) == pytest.approx(times)
        assert list(lines[name].values) == values
    stay = sync_results.stays(entry, read)[1]
    assert stay and (stay.ready_s, stay.first_s, stay.end_s) == (1.02, 1.021, 1.06)
    run: Any = SimpleNamespace(traffic=[entry], reports=[read])
    title, goodput = sync_results.over_time(run, 0) or ("", None)
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
    entry, read = written(syncs, sync_results, tmp_path, syncs.GROUPS, found)
    assert list(sync_results.wrong(entry, read)) == ([words] if words else [])


def test_a_sync_of_which_nothing_came(tmp_path: Path) -> None:
    found = {**syncs.REPORT, "end": "failed", "connections": [], "files": [[-1] * 3]}
    entry, read = written(syncs, sync_results, tmp_path, syncs.GROUPS, found)
    assert sync_results.connected(entry, read) == (0, None)
    assert sync_results.lasted(entry, read).seconds == 0
    columns = sync_results.columns(entry, read)
    assert (columns["sync.time_s"], columns["sync.file_median_s"]) == (None, None)
    run: Any = SimpleNamespace(traffic=[entry], reports=[read])
    assert sync_results.over_time(run, 0) is None
    at_once = [[0, 0, 0]] * 3
    found = {**syncs.REPORT, "files": at_once}
    entry, read = written(syncs, sync_results, tmp_path, syncs.GROUPS, found)
    assert sync_results.flow(entry, read) is None


def test_a_video_that_starts_later() -> None:
    """Chunks of 4 s at 1 and 4 Mbit/s, that is 0.5 and 2 MB."""
    keys = "bitrates: [1 Mbit/s, 4 Mbit/s], duration: 8 s"
    entry = videos.traffic_of(keys + LATER)
    second = 10**9
    document = {
        **{"end": "complete", "error": "", "seconds": 12.0},
        **{"connected_ns": second // 2, "start_ns": 2 * second},
        "stalls": [[6 * second, 7 * second]],
        "chunks": [
            [0, second, 2 * second, 0.0, 4.0],
            [1, 3 * second, 7 * second, 3.0, 4.0],
        ],
    }
    read = video_reader.parse(document, "x")
    assert video_results.connected(entry, read) == (1, 1.5)
    lasted = video_results.lasted(entry, read)
    assert (lasted.connections, lasted.seconds) == (1, 11.5)
    columns = video_results.columns(entry, read)
    assert columns["video.startup_s"] == 2
    assert (columns["video.stalls"], columns["video.stalled_s"]) == (1, 1)
    assert (columns["video.bitrate_mbps"], columns["video.changes"]) == (2.5, 1)
    assert columns["video.chunk_median_s"] == 2.5
    flow = video_results.flow(entry, read)
    assert flow and (flow.seconds, flow.bytes, flow.stream_bytes) == (7, 2_500_000, ())
    lines = video_results.series(entry, read)
    buffer, quality = lines["video.buffer_s"], lines["video.quality_mbps"]
    assert list(buffer.times) == [1, 2, 3, 3, 4, 7, 8, 8]
    assert list(buffer.values) == [0, 0, 0, 4, 3, 0, 0, 4]
    assert list(quality.values) == [0, 1, 1, 1, 4, 4, 4, 4]
    run: Any = SimpleNamespace(traffic=[entry], reports=[read])
    title, goodput = video_results.over_time(run, 0) or ("", None)
    assert title == entry.title and goodput is not None
    assert list(goodput.times) == pytest.approx([2.25 + n / 2 for n in range(12)])
    assert list(goodput.values) == pytest.approx([4, 4, 0, 0] + [4] * 8)


def test_a_video_without_a_chunk() -> None:
    keys = "bitrates: 4 Mbit/s, duration: 8 s"
    entry = videos.traffic_of(keys)
    document = {
        **{"end": "failed", "error": "", "seconds": 3.0, "connected_ns": -1},
        **{"start_ns": -1, "stalls": [], "chunks": []},
    }
    read = video_reader.parse(document, "x")
    assert video_results.connected(entry, read) == (0, None)
    lasted = video_results.lasted(entry, read)
    assert (lasted.connections, lasted.seconds) == (0, 3)
    assert video_results.flow(entry, read) is None
    run: Any = SimpleNamespace(traffic=[entry], reports=[read])
    assert video_results.over_time(run, 0) is None
    columns = video_results.columns(entry, read)
    assert columns["video.bitrate_mbps"] is columns["video.chunk_p95_s"] is None
    assert list(video_results.wrong(entry, read)) == ["failed after 0 chunks"]
    whole = video_reader.parse({**document, "end": "complete"}, "x")
    assert list(video_results.wrong(entry, whole)) == ["0 chunks, not 2"]


@pytest.mark.parametrize(
    ("end", "ended"),
    [("complete", "complete"), ("failed", "complete"), ("given up", "given up")],
)
def test_how_a_video_ended(tmp_path: Path, end: str, ended: str) -> None:
    document = videos.played("bitrates: 4 Mbit/s", 2.0) | {"end": end, "error": "why"}
    keys = "bitrates: 4 Mbit/s"
    entry, read = written(videos, video_results, tmp_path, keys, document)
    assert video_results.ending(entry, read) == (ended, "why")
    assert (
        video_results.samples(entry, read)["video.chunk_s"].size == entry.record.chunks
    )


def test_the_rule_of_the_buffer_at_its_bounds() -> None:
    """f rises from 1 at 90 s to 4 at 216 s of 240 s; it meets 2 at 132 s."""
    rates = [1, 2, 4]
    assert [rules.buffer_based(rates, 1, s, 240) for s in (90, 90.1)] == [0, 1]
    assert [rules.buffer_based(rates, 1, s, 240) for s in (215.99, 216)] == [1, 2]
    assert [rules.buffer_based(rates, 0, s, 240) for s in (131.9, 132)] == [0, 0]
    assert [rules.buffer_based(rates, 2, s, 240) for s in (132, 132.1)] == [2, 2]
    assert rules.buffer_based([1, 2, 3, 4], 0, 90 + 126 * 2.5 / 3, 240) == 2
    assert rules.buffer_based([3], 0, 100, 240) == 0


def test_the_rule_of_the_rate_takes_five_chunks() -> None:
    assert rules.rate_based([1, 2], [1, 9, 9, 9, 9, 9]) == 1
    assert rules.rate_based([1, 2], [0.5, 9, 9, 9, 9]) == 0
