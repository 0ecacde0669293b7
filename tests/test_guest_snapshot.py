"""The copy of the guest's code in the cache is made once, and then left alone."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from mpbench.backends import guest_snapshot
from mpbench.image import Image


def test_two_at_once_do_not_replace_the_folder_of_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    image = Image(tmp_path / "image", "key", "0" * 64, frozenset(), {})
    both, made = Barrier(2), []

    def make(work: Path, *_: object) -> Path:
        made.append(work)
        (work / "code").mkdir()
        (work / "code" / "code.pyc").write_bytes(b"x")
        return work / "code"

    def snapshot(_: int) -> tuple[Path, int]:
        both.wait(10)
        place = guest_snapshot.snapshot(tmp_path / "kernel", image)
        return place, place.stat().st_ino

    monkeypatch.setattr(guest_snapshot, "_brought", lambda *_: None)
    monkeypatch.setattr(guest_snapshot, "_make", make)
    # Neither process has seen the folder when it begins.
    seen = iter([False, False])
    whole = guest_snapshot._is_whole
    monkeypatch.setattr(
        guest_snapshot, "_is_whole", lambda *where: next(seen, True) and whole(*where)
    )
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(snapshot, range(2))
    assert first == second
    assert len(made) == 1
