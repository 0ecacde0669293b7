"""`mpbench-read` is compiled once, as a whole or not at all."""

import shutil
import subprocess
from pathlib import Path

import pytest

from mpbench.backends import read_tools
from mpbench.errors import UserError

compiler = pytest.mark.skipif(not shutil.which("gcc"), reason="no gcc")


@compiler
def test_compiled_once_by_content(tmp_path: Path) -> None:
    made = read_tools.folder(tmp_path)
    stamp = (made / "mpbench-read").stat().st_mtime_ns
    assert read_tools.folder(tmp_path) == made
    assert (made / "mpbench-read").stat().st_mtime_ns == stamp
    assert [path.name for path in tmp_path.iterdir()] == [made.name]


@compiler
def test_it_puts_its_library_behind_what_is_there(tmp_path: Path) -> None:
    made = read_tools.folder(tmp_path)
    shown = subprocess.run(
        [str(made / "mpbench-read"), "4096", "env"], capture_output=True, text=True
    ).stdout
    assert f"LD_PRELOAD={made / 'libmpbench-read.so'}\n" in shown
    assert "MPBENCH_READ_BYTES=4096\n" in shown


@compiler
def test_a_source_that_does_not_compile(tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "mpbench-read.c").write_text("int main(void) { return 0; }\n")
    (sources / "read-library.c").write_text("no C at all\n")
    cache = tmp_path / "cache"
    with pytest.raises(UserError, match=r"read-library\.c: gcc fails"):
        read_tools.folder(cache, sources)
    assert list(cache.iterdir()) == []


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_tools.shutil, "which", lambda _name: None)
    with pytest.raises(UserError, match=r"gcc: not found.*apt-get install gcc"):
        read_tools.folder(tmp_path)


def test_a_cache_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="set XDG_CACHE_HOME"):
        read_tools.folder(tmp_path / "file" / "cache")
