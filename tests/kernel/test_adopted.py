"""Kernels of wheels that stand for a build."""

import hashlib
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from mpbench import carried
from mpbench.errors import UserError
from mpbench.kernel import adopted, cache, recipe
from mpbench.kernel.cache import Kernel
from mpbench.kernel.progress import Progress

COMPILER = "gcc 12.2.0; GNU ld 2.40"
LINUX = b"an executable"
KEY = "0123456789abcdef"


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout without wheels, an empty cache, and no mirror."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("MPBENCH_MIRROR", raising=False)
    checkout = tmp_path / "checkout"
    (checkout / "dist").mkdir(parents=True)
    wanted = recipe.read("guest")
    monkeypatch.setattr(recipe, "read", lambda _: wanted)
    monkeypatch.setattr(carried, "ROOT", checkout)
    return checkout


def info(**other: Any) -> dict[str, Any]:
    return {
        "key": KEY,
        "config": "guest",
        "recipe": recipe.read("guest").digest,
        "compiler": COMPILER,
        "source_hash": "0" * 64,
        "linux_hash": hashlib.sha256(LINUX).hexdigest(),
        "kit": False,
        **other,
    }


def wheel(path: Path, without: str = "", linux: bytes = LINUX, **other: Any) -> Path:
    path.parent.mkdir(exist_ok=True)
    files: dict[str, bytes | str]
    files = {"linux": linux, "config": b"", "info.json": json.dumps(info(**other))}
    with zipfile.ZipFile(path, "w") as packed:
        for name, data in files.items():
            if name != without:
                packed.writestr(adopted.PREFIX + name, data)
        packed.writestr(adopted.PREFIX + "../../evil", b"")
    return path


def adopt() -> Kernel | None:
    return adopted.adopt(recipe.read("guest"), COMPILER, Progress())


def test_a_wheel_beside_the_checkout_stands_for_a_build(places: Path) -> None:
    wheel(places / "dist/mpbench-0-py3-none-any.whl", recipe="another")
    wheel(places / "dist/mpbench-1-py3-none-any.whl")
    found = adopt()
    assert found is not None and found.key == KEY
    assert found.path.read_bytes() == LINUX and found.path.stat().st_mode & 0o100
    cache.check(found)
    kept = {path.name for path in (cache.root() / "kernels").iterdir()}
    assert kept == {KEY}, "nothing else is left"
    assert adopt() == found, "again"


def test_a_wheel_of_a_mirror_stands_for_a_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel(tmp_path / "mirror" / adopted.MIRRORED)
    monkeypatch.setenv("MPBENCH_MIRROR", str(tmp_path / "mirror"))
    found = adopt()
    assert found is not None and found.folder.name == KEY
    monkeypatch.setenv("MPBENCH_MIRROR", str(tmp_path / "nowhere"))
    with pytest.raises(UserError, match="no such folder"):
        adopt()


@pytest.mark.parametrize(
    "other",
    [
        {"recipe": "another"},
        {"compiler": "gcc 13"},
        {"profile_guided": True},
        {"key": "../../evil"},
        {"linux": b"cut sho"},
        {"without": "linux"},
        {"without": "info.json"},
    ],
)
def test_another_or_a_damaged_kernel_is_built(
    places: Path, other: dict[str, Any]
) -> None:
    wheel(places / "dist/mpbench-1-py3-none-any.whl", **other)
    assert adopt() is None
    assert not list((cache.root() / "kernels").iterdir())


def test_what_is_no_wheel_is_passed_over(places: Path) -> None:
    (places / "dist/mpbench-1-py3-none-any.whl").write_bytes(b"no archive")
    assert adopt() is None


def test_a_large_file_is_refused(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adopted, "MOST_BYTES", len(LINUX) - 1)
    wheel(places / "dist/mpbench-1-py3-none-any.whl")
    assert adopt() is None


def test_the_name_is_that_of_the_wheel_that_packing_makes() -> None:
    oldest = pytest.importorskip("packing.commands").OLDEST_GLIBC
    assert adopted.MIRRORED.endswith(f"-py3-none-manylinux_2_{oldest}_x86_64.whl")
