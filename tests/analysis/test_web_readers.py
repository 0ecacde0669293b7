"""Readers on captured output of curl 7.88 and ab 2.3, ugly cases too."""

import json
from pathlib import Path

import pytest

from tools.ab import reader as ab
from tools.curl import reader as curl

CAPTURED = Path(__file__).parent / "captured"


def curl_report(scenario: str) -> curl.Report:
    return curl.read(CAPTURED / scenario / "traffic-0-client.json")


def ab_files(scenario: str) -> tuple[Path, Path]:
    folder = CAPTURED / scenario
    return folder / "traffic-0-client.txt", folder / "traffic-0-percentiles.csv"


def test_curl() -> None:
    report = curl_report("curl")
    assert (report.status, report.error, report.http_status) == (0, None, 200)
    assert report.version.startswith("libcurl/7.88")
    assert report.received_bytes == 2_000_000
    assert report.connections == 1
    assert report.connected_s == pytest.approx(0.020, abs=1e-4)
    assert report.first_byte_s == pytest.approx(0.040, abs=1e-4)
    assert report.first_byte_s is not None and report.total_s is not None
    assert report.first_byte_s < report.total_s


def test_curl_that_broke_off() -> None:
    report = curl_report("curl-timeout")
    assert report.timed_out and "timed out after" in (report.error or "")
    assert 0 < report.received_bytes < 2_000_000
    assert report.total_s == pytest.approx(3, abs=0.01)


def test_curl_without_an_answer() -> None:
    report = curl_report("curl-no-answer")
    assert (report.timed_out, report.http_status, report.received_bytes) == (True, 0, 0)
    assert report.connected_s is None and report.first_byte_s is None


def test_curl_refused_and_not_found() -> None:
    assert curl_report("curl-refused").status == 7
    assert curl_report("curl-not-found").http_status == 404


@pytest.mark.parametrize("part", [0.0, 0.01, 0.5, 0.99])
def test_curl_cut_short(tmp_path: Path, part: float) -> None:
    text = (CAPTURED / "curl/traffic-0-client.json").read_text()
    path = tmp_path / "curl.json"
    path.write_text(text[: int(len(text) * part)])
    with pytest.raises(ValueError, match=r"curl\.json: (empty|broken)"):
        curl.read(path)


def test_curl_of_something_else() -> None:
    with pytest.raises(ValueError, match="not a report of curl"):
        curl.parse({"exitcode": 0}, "x.json")
    whole = json.loads((CAPTURED / "curl/traffic-0-client.json").read_text())
    with pytest.raises(ValueError, match="not a report of curl"):
        curl.parse({**whole, "time_total": "soon"}, "x.json")


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
