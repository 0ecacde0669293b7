"""A range of commits at an https address, searched to a verdict."""

from pathlib import Path

import pytest

from mpbench.engine.bisect import Found
from tests.kernel.https_server import make_certificates, served

from .test_bisect import outcomes
from .test_bisect_ranges import TEXT, Series

OLDER = "VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 118\nEXTRAVERSION =\n"

pytestmark = pytest.mark.slow


def test_commits_between_two_releases_of_an_address(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bad commit stands before the newer release."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    certificates = tmp_path / "certificates"
    certificates.mkdir()
    monkeypatch.setenv("GIT_SSL_CAINFO", str(make_certificates(certificates)))
    series = Series(tmp_path)
    newer = (series.linux.folder / "Makefile").read_text()
    series.linux.write("Makefile", OLDER)
    series.commit("Linux 6.12.118", "same")
    series.linux.git("tag", "v6.12.118")
    series.commit("null", "same")
    bad = series.commit("a window that is too small", -10.0)
    series.linux.write("Makefile", newer)
    series.commit("Linux 7.3.9 again", -10.0)
    series.commit("one more", -10.0)
    with served(tmp_path, certificates) as port:
        place = f"git: 'https://localhost:{port}/linux', commit: main"
        series.file.write_text(TEXT.replace("git: linux", place))
        found, search, _ = series.searched("v6.12.118..main", tmp_path)
    assert found == Found(2, (2,))
    assert search.series[1].name.startswith(bad[:12])
    assert search.series[1].linux().tree.version == "6.12.118"  # type: ignore[union-attr]
    assert outcomes(search)[2] == outcomes(search)[4] == "bad"
    assert outcomes(search)[1] == "good"
