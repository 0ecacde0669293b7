"""The source packages of the root image."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.image import fetch, lock
from mpbench.kernel.shell import CommandFailed, Shell
from packing import debian_sources
from packing.debian_sources import Source

SHORT = lock.read()[:3]


def deb(folder: Path, name: str, version: str, source: str = "") -> Path:
    """A package without files."""
    control = folder / name / "DEBIAN" / "control"
    control.parent.mkdir(parents=True)
    lines = [f"Package: {name}", f"Version: {version}", "Architecture: amd64"]
    lines += [f"Source: {source}"] if source else []
    lines += ["Maintainer: A <a@b.org>", "Description: none"]
    control.write_text("\n".join([*lines, ""]))
    out = folder / f"{name}.deb"
    command = ["dpkg-deb", "--build", str(control.parents[1]), str(out)]
    subprocess.run(command, check=True, capture_output=True)
    return out


@pytest.fixture
def made(tmp_path: Path) -> list[Path]:
    return [
        deb(tmp_path, "tool", "2.0-1"),
        deb(tmp_path, "libone", "1:1.0-3+b2", "one (1:1.0-3)"),
        deb(tmp_path, "one-bin", "1:1.0-3", "one"),
    ]


def test_packages_of_one_source_share_it(made: list[Path], tmp_path: Path) -> None:
    """A package that was built again has the version of its source."""
    shell = Shell(tmp_path / "log")
    listed, sources = debian_sources.sources_of(shell, made)
    shell.close()
    assert sources == (Source("one", "1:1.0-3"), Source("tool", "2.0-1"))
    assert listed[0] == "libone 1:1.0-3+b2 one 1:1.0-3" and len(listed) == 3


def without_mirror(patch: pytest.MonkeyPatch, made: list[Path], has: set[str]) -> None:
    """Let packages be `made`, and apt have the files of some sources."""
    run = Shell.run

    def fake(self: Shell, argv: Sequence[str], cwd: Path | None = None) -> str:
        if argv[0] != "apt-get":
            return run(self, argv, cwd)
        name = argv[-1].partition("=")[0]
        if "source" in argv and name not in has:
            raise CommandFailed("apt-get source", 100, Path("log"), [])
        if "source" in argv and cwd:
            (cwd / f"{name}.dsc").write_text(f"Source: {name}\n")
        return ""

    files = dict(zip(SHORT, made, strict=True))
    patch.setattr(Shell, "run", fake)
    patch.setattr(lock, "read", lambda: SHORT)
    patch.setattr(fetch, "fetch", lambda *_: files)
    patch.setattr(fetch, "archives", lambda _, suites: dict.fromkeys(suites, "x://y/"))


def test_the_archive_has_the_sources_and_a_list(
    made: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_mirror(monkeypatch, made, {"one", "tool"})
    first, second = (debian_sources.write(tmp_path / x) for x in ("a", "b"))
    shown = subprocess.run(["tar", "tf", str(first)], capture_output=True, text=True)
    names = [Path(line).name for line in shown.stdout.splitlines()]
    assert names == ["packages.txt", "one.dsc", "tool.dsc"]
    assert first.read_bytes() == second.read_bytes()
    assert [path.name for path in (tmp_path / "a").iterdir()] == [first.name]


def test_sources_that_the_mirror_lacks_are_named(
    made: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without_mirror(monkeypatch, made, {"tool"})
    with pytest.raises(UserError, match=r"source of one=1:1.0-3; older ones"):
        debian_sources.write(tmp_path / "out")
    assert not list((tmp_path / "out").iterdir())
