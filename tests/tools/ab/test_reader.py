"""The reader on captured output of ab 2.3, ugly cases too."""

from pathlib import Path

import pytest

from tools.ab import reader as ab

CAPTURED = Path(__file__).parents[2] / "analysis/captured"


def ab_files(scenario: str) -> tuple[Path, Path]:
    folder = CAPTURED / scenario
    return folder / "traffic-0-client.txt", folder / "traffic-0-percentiles.csv"


def test_ab() -> None:
    report = ab.read(*ab_files("ab"))
    assert report.server.startswith("nginx/")
    assert (report.complete, report.failed, report.refused) == (19, 0, 0)
    assert report.concurrency == 1 and report.kept_alive is None
    assert report.body_bytes == 19 * 300_000
    assert 4 <= report.seconds < 4.3
    assert report.times_ms[0] <= report.times_ms[50] <= report.times_ms[100]


def test_percentiles_that_ab_reads_past_its_end() -> None:
    """Of 19 requests, ab's 98 and 99 are of index 19, which is what lies behind."""
    report = ab.read(*ab_files("ab"))
    assert 97 in report.times_ms
    assert 98 not in report.times_ms and 99 not in report.times_ms


def test_ab_that_kept_connections() -> None:
    report = ab.read(*ab_files("ab-keep-alive"))
    assert report.kept_alive == report.complete == 60
    assert report.concurrency == 4


def test_ab_with_failed_requests() -> None:
    report = ab.read(*ab_files("ab-failed"))
    assert report.complete == 60
    assert report.failed == report.failures["length"] == 51
    assert sum(report.failures.values()) == 51


def test_ab_with_answers_that_are_no_success() -> None:
    report = ab.read(*ab_files("ab-not-found"))
    assert report.refused == report.complete == 60


@pytest.mark.parametrize("scenario", ["ab-refused", "ab-silence"])
def test_ab_that_gave_up(scenario: str) -> None:
    report, percentiles = ab_files(scenario)
    with pytest.raises(ValueError, match=r"percentiles\.csv: missing"):
        ab.read(report, percentiles)
    with pytest.raises(ValueError, match="gave up before the end"):
        ab.parse(report.read_text(), "", "ab.txt")


@pytest.mark.parametrize("lines", [0, 6, 12, 18])
def test_ab_cut_short(lines: int) -> None:
    text, percentiles = (path.read_text() for path in ab_files("ab"))
    cut = "\n".join(text.splitlines()[:lines])
    with pytest.raises(ValueError, match=r"ab\.txt: no report of ab"):
        ab.parse(cut, percentiles, "ab.txt")


@pytest.mark.parametrize(
    ("percentiles", "words"),
    [
        ("", "begin with ''"),
        ("Percentage served,Time in ms\n0,1.0\n", "truncated"),
        ("Percentage served,Time in ms\n0,soon\n", "'0,soon' is not a percentile"),
    ],
)
def test_damaged_percentiles(percentiles: str, words: str) -> None:
    text = ab_files("ab")[0].read_text()
    with pytest.raises(ValueError, match=words):
        ab.parse(text, percentiles, "ab.txt")
