"""Results of a video: each number of an entry that starts after 1 s."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.tools.video import test_video as videos
from tests.tools.written import LATER, written
from tools.video import reader, results
from tools.video.programs import rules


def test_a_video_has_times_up_to_30_years() -> None:
    document = videos.played("bitrates: 4 Mbit/s", 2.0)
    whole = reader.parse({**document, "start_ns": 10**18}, "x")
    assert whole.start_s == 1e9
    assert reader.parse({**document, "start_ns": -1}, "x").start_s is None
    chunk = [0, 0, 0, 0.0, 0.0]
    assert reader.parse({**document, "chunks": [chunk]}, "x").chunks[0].rate == 0
    for name, value in (("start_ns", 10**18 + 1), ("start_ns", -2), ("seconds", -0.1)):
        with pytest.raises(ValueError, match="is not a time"):
            reader.parse({**document, name: value}, "x")
    for place in (1, 2):
        broken = [-1 if place == n else each for n, each in enumerate(chunk)]
        with pytest.raises(ValueError, match="without a bitrate or a time"):
            reader.parse({**document, "chunks": [broken]}, "x")
    with pytest.raises(ValueError, match="without a bitrate or a time"):
        reader.parse({**document, "chunks": [[1.0, *chunk[1:]]]}, "x")


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
    read = reader.parse(document, "x")
    assert results.connected(entry, read) == (1, 1.5)
    lasted = results.lasted(entry, read)
    assert (lasted.connections, lasted.seconds) == (1, 11.5)
    columns = results.columns(entry, read)
    assert columns["video.startup_s"] == 2
    assert (columns["video.stalls"], columns["video.stalled_s"]) == (1, 1)
    assert (columns["video.bitrate_mbps"], columns["video.changes"]) == (2.5, 1)
    assert columns["video.chunk_median_s"] == 2.5
    flow = results.flow(entry, read)
    assert flow and (flow.seconds, flow.bytes, flow.stream_bytes) == (7, 2_500_000, ())
    lines = results.series(entry, read)
    buffer, quality = lines["video.buffer_s"], lines["video.quality_mbps"]
    assert list(buffer.times) == [1, 2, 3, 3, 4, 7, 8, 8]
    assert list(buffer.values) == [0, 0, 0, 4, 3, 0, 0, 4]
    assert list(quality.values) == [0, 1, 1, 1, 4, 4, 4, 4]
    run: Any = SimpleNamespace(traffic=[entry], reports=[read])
    title, goodput = results.over_time(run, 0) or ("", None)
    assert title == entry.title and goodput is not None
    assert list(goodput.times) == pytest.approx([2.25 + n / 2 for n in range(12)])
    assert list(goodput.values) == pytest.approx([4, 4, 0, 0] + [4] * 8)


@pytest.mark.parametrize(
    ("start_s", "end_s", "bitrate", "median", "stalls", "stalled"),
    [
        (0, 9, 2.5, 2.5, 1, 1),
        (1, 3, 1, 1, 0, 0),
        (0, 1, None, None, 0, 0),
        (3, 6.5, 4, 4, 1, 0.5),
        (0, 6, 2.5, 2.5, 0, 0),
        (6, 7, None, None, 1, 1),
        (6.25, 6.5, None, None, 0, 0.25),
        (7, 9, None, None, 0, 0),
    ],
)
def test_a_part_of_a_video(
    start_s: float,
    end_s: float,
    bitrate: float | None,
    median: float | None,
    stalls: int,
    stalled: float,
) -> None:
    """Chunks at 1 and 4 Mbit/s are requested at 1 and 3 s, and take 1 and 4 s. The
    video stands still from 6 to 7 s."""
    second = 10**9
    entry = videos.traffic_of("bitrates: [1 Mbit/s, 4 Mbit/s], duration: 8 s")
    document = {
        **{"end": "complete", "error": "", "seconds": 12.0},
        **{"connected_ns": 0, "start_ns": 2 * second},
        "stalls": [[6 * second, 7 * second]],
        "chunks": [
            [0, second, 2 * second, 0.0, 4.0],
            [1, 3 * second, 7 * second, 3.0, 4.0],
        ],
    }
    found = results.part_columns(entry, reader.parse(document, "x"), start_s, end_s)
    assert found["video.bitrate_mbps"] == bitrate
    assert found["video.chunk_median_s"] == median
    assert (found["video.stalls"], found["video.stalled_s"]) == (stalls, stalled)


def test_a_video_without_a_chunk() -> None:
    keys = "bitrates: 4 Mbit/s, duration: 8 s"
    entry = videos.traffic_of(keys)
    document = {
        **{"end": "failed", "error": "", "seconds": 3.0, "connected_ns": -1},
        **{"start_ns": -1, "stalls": [], "chunks": []},
    }
    read = reader.parse(document, "x")
    assert results.connected(entry, read) == (0, None)
    lasted = results.lasted(entry, read)
    assert (lasted.connections, lasted.seconds) == (0, 3)
    assert results.flow(entry, read) is None
    run: Any = SimpleNamespace(traffic=[entry], reports=[read])
    assert results.over_time(run, 0) is None
    columns = results.columns(entry, read)
    assert columns["video.bitrate_mbps"] is columns["video.chunk_p95_s"] is None
    assert list(results.wrong(entry, read)) == ["failed after 0 chunks"]
    whole = reader.parse({**document, "end": "complete"}, "x")
    assert list(results.wrong(entry, whole)) == ["0 chunks, not 2"]


@pytest.mark.parametrize(
    ("end", "ended"),
    [("complete", "complete"), ("failed", "complete"), ("given up", "given up")],
)
def test_how_a_video_ended(tmp_path: Path, end: str, ended: str) -> None:
    document = videos.played("bitrates: 4 Mbit/s", 2.0) | {"end": end, "error": "why"}
    keys = "bitrates: 4 Mbit/s"
    entry, read = written(videos, results, tmp_path, keys, document)
    assert results.ending(entry, read) == (ended, "why")
    assert results.samples(entry, read)["video.chunk_s"].size == entry.record.chunks
    (tmp_path / "video.err").write_text("first\nlast word\n\n")
    assert results.explain(tmp_path, "video") == "last word"


def test_the_rule_of_the_buffer_at_its_bounds() -> None:
    """f rises from 1 at 90 s to 4 at 216 s of 240 s; it meets 2 at 132 s."""
    rates = [1, 2, 4]
    assert [rules.buffer_based(rates, 1, s, 240) for s in (90, 90.1)] == [0, 1]
    assert [rules.buffer_based(rates, 1, s, 240) for s in (215.99, 216)] == [1, 2]
    assert [rules.buffer_based(rates, 0, s, 240) for s in (131.9, 132)] == [0, 0]
    assert [rules.buffer_based(rates, 2, s, 240) for s in (132, 132.1)] == [2, 2]
    assert rules.buffer_based([1, 2, 3, 4], 0, 90 + 126 * 2.5 / 3, 240) == 2
    assert rules.buffer_based([3], 0, 100, 240) == 0
    # In the middle, at 153 s, f is 2: the bitrate that it has already.
    assert rules.buffer_based([1, 2, 3], 1, 153, 240) == 1


def test_the_rule_of_the_rate_takes_five_chunks() -> None:
    assert rules.rate_based([1, 2], [1, 9, 9, 9, 9, 9]) == 1
    assert rules.rate_based([1, 2], [0.5, 9, 9, 9, 9]) == 0
    # 0.85 of 2 is 1.7: a rate that just fits.
    assert rules.rate_based([1, 1.7], [2]) == 1
