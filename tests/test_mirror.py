"""Places of the user's, instead of archives."""

import functools
import http.server
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from mpbench import carried, mirror
from mpbench.errors import UserError


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    """Serves the folder `served`."""
    (tmp_path / "served/debs").mkdir(parents=True)
    handler = functools.partial(Quiet, directory=str(tmp_path / "served"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_places_are_asked_in_their_order(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "served/debs/a+b.deb").write_text("served")
    (tmp_path / "served/debs/two.deb").write_text("served")
    (tmp_path / "folder/debs").mkdir(parents=True)
    (tmp_path / "folder/debs/two.deb").write_text("of the folder")
    monkeypatch.setenv(mirror.VARIABLE, f"{tmp_path}/folder {address}/")
    target = tmp_path / "target"
    assert mirror.fetch("debs/two.deb", target) == f"{tmp_path}/folder/debs/two.deb"
    assert target.read_text() == "of the folder"
    found = mirror.fetch("debs/a+b.deb", target)
    assert found == f"{address}/debs/a%2Bb.deb"
    assert target.read_text() == "served"
    assert mirror.fetch("debs/none.deb", target) is None


def test_nothing_is_asked_without_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(mirror.VARIABLE, raising=False)
    monkeypatch.setattr(carried, "ROOT", tmp_path)
    assert mirror.places() == []
    (tmp_path / "mirror").mkdir()  # of an archive of sources
    assert mirror.places() == [str(tmp_path / "mirror")]


@pytest.mark.parametrize("place", ["/no/such/folder", "http://127.0.0.1:1"])
def test_a_place_that_is_not_there(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(mirror.VARIABLE, place)
    with pytest.raises(UserError, match=place):
        mirror.fetch("x", tmp_path / "target")


def test_a_file_without_end_is_refused(
    tmp_path: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "served/x").write_bytes(b"x" * 1000)
    monkeypatch.setattr(mirror, "MOST_BYTES", 999)
    monkeypatch.setenv(mirror.VARIABLE, address)
    with pytest.raises(UserError, match="more than"):
        mirror.fetch("x", tmp_path / "target")
