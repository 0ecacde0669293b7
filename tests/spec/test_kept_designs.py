"""Points of designs in the cache are those that would be drawn."""

import hashlib
import json
import os
from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.kernel import cache
from mpbench.plan import kept_designs, make_plan
from mpbench.plan.points import points
from mpbench.spec import Spec
from tests.spec.files import TEXT, swapped


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "mpbench" / kept_designs.FOLDER


def spec(text: str = TEXT) -> Spec:
    return loads(text, "f.yaml")


def test_a_design_is_drawn_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = points(spec())
    (file,) = folder.iterdir()
    monkeypatch.setattr(kept_designs, "_write", lambda *_: pytest.fail("drawn again"))
    assert points(spec()) == drawn
    assert (
        points(spec(swapped("iperf3", "curl").replace("duration: 30 s", "size: 1 MB")))
        == drawn
    )
    assert len(json.loads(file.read_text().partition("\n")[2])) == 4
    values = tuple(tuple(point.values()) for point in drawn)
    assert make_plan(spec(), {}).design == values


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("points: 4", "points: 5"),
        ("max: 100,", "max: 99,"),
        ("name: small", "name: small\nseed: 2"),
        ("points: 4", "points: 4\n  candidates: 500"),
        ("points: 4", "points: 4\n  boundary: torus"),
    ],
)
def test_another_design_is_another_file(folder: Path, old: str, new: str) -> None:
    first = points(spec())
    assert points(spec(swapped(old, new))) != first
    assert len(list(folder.iterdir())) == 2
    assert points(spec()) == first


@pytest.mark.parametrize(
    "content",
    [
        "",
        "[]",
        "{}",
        "[[1.0, 2.0]]",
        "[[1.0], [3.0], [5.0], [7.0]]",
        '[["a", 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]',
        "[[1e9, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]",
        "[[NaN, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]",
    ],
)
def test_a_damaged_file_is_drawn_again(folder: Path, content: str) -> None:
    drawn = points(spec())
    (file,) = folder.iterdir()
    good = file.read_text()
    for head in ("", hashlib.sha256(content.encode()).hexdigest() + "\n"):
        file.write_text(head + content)
        assert points(spec()) == drawn
        assert file.read_text() == good


def test_a_value_changed_within_its_range_is_noticed(folder: Path) -> None:
    drawn = points(spec())
    (file,) = folder.iterdir()
    good = file.read_text()
    digit = next(c for c in good.partition(".")[2] if c in "12345678")
    head, text = good.split("\n")
    file.write_text(f"{head}\n{text.replace(digit, str(int(digit) + 1), 1)}")
    assert points(spec()) == drawn
    assert file.read_text() == good


@pytest.mark.parametrize("kind", ["pipe", "folder", "link", "deep"])
def test_what_is_no_file_of_ours_keeps_nobody_waiting(
    folder: Path, tmp_path: Path, kind: str
) -> None:
    drawn = points(spec())
    (file,) = folder.iterdir()
    good = file.read_text()
    file.unlink()
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    elif kind == "link":
        (tmp_path / "elsewhere").write_text(good)
        file.symlink_to(tmp_path / "elsewhere")
    else:
        text = b"[" * 100_000
        file.write_bytes(hashlib.sha256(text).hexdigest().encode() + b"\n" + text)
    assert points(spec()) == drawn
    assert kind == "folder" or (file.read_text() == good and not file.is_symlink())


def test_a_folder_that_cannot_be_written(folder: Path) -> None:
    folder.parent.mkdir(parents=True)
    folder.write_text("a file")
    assert len(points(spec())) == 4


def test_constraints_are_never_kept(folder: Path) -> None:
    text = swapped("  points: 4", "  points: 4\n  constraints: [path1.capacity > 20]")
    assert all(float(point["path1.capacity"]) > 20 for point in points(spec(text)))
    assert not folder.exists()


def test_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise UserError("no cache folder")

    monkeypatch.setattr(cache, "root", homeless)
    assert len(points(spec())) == 4
