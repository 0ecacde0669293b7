"""The reader on captured output of curl 7.88, ugly cases too."""

import json
from pathlib import Path

import pytest

from tools.curl import reader as curl

CAPTURED = Path(__file__).parents[2] / "analysis/captured"


def curl_report(scenario: str) -> curl.Report:
    return curl.read(CAPTURED / scenario / "traffic-0-client.json")


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
