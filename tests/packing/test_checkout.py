"""Sources of a build of the wheel, and the messages when it fails."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from mpbench.errors import UserError
from packing import checkout, pip

FILES = ("setup.py", "mpbench/a.py", "kernel/b.c", "results/c.csv")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A checkout without git."""
    top = tmp_path / "tree"
    for name in (*FILES, "mpbench/__pycache__/a.pyc", "build/lib/x.py", "mpbench/x.so"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(name)
    (top / "mpbench/a.py").chmod(0o700)
    return top


@pytest.fixture
def managed(tree: Path) -> Path:
    (tree / ".gitignore").write_text("__pycache__/\n*.so\n/build/\n")
    for words in (["init", "-q"], ["add", *FILES]):
        subprocess.run(["git", "-C", str(tree), *words], check=True)
    (tree / "mpbench/new.py").write_text("new")
    return tree


def copied(tree: Path) -> dict[str, str]:
    """The files of a copy, with their contents."""
    target = tree.with_name("copy")
    checkout.copy(tree, target)
    files = [path for path in target.rglob("*") if path.is_file()]
    return {path.relative_to(target).as_posix(): path.read_text() for path in files}


def test_a_copy_has_what_git_has_and_what_is_new(managed: Path) -> None:
    assert copied(managed) == {
        **{name: name for name in FILES[:3]},
        "mpbench/new.py": "new",
    }
    modes = [(managed.with_name("copy") / name).stat().st_mode for name in FILES[:2]]
    assert [mode & 0o777 for mode in modes] == [0o644, 0o755]


def test_without_git_a_copy_has_all_but_what_was_built(tree: Path) -> None:
    assert copied(tree) == {name: name for name in FILES[:3]}


def test_a_repository_around_the_folder_does_not_count(tree: Path) -> None:
    subprocess.run(["git", "-C", str(tree.parent), "init", "-q"], check=True)
    assert copied(tree) == {name: name for name in FILES[:3]}


@pytest.fixture
def vanish(monkeypatch: pytest.MonkeyPatch) -> Callable[[Path], None]:
    """Removes a file when the first file is copied."""

    def arrange(path: Path) -> None:
        def copyfile(source: Path, target: Path) -> None:
            path.unlink(missing_ok=True)
            target.write_bytes(source.read_bytes())

        monkeypatch.setattr("shutil.copyfile", copyfile)

    return arrange


def test_a_file_that_git_does_not_have_may_vanish(
    managed: Path, vanish: Callable[[Path], None]
) -> None:
    vanish(managed / "mpbench/new.py")
    assert copied(managed).keys() == {*FILES[:3]}


def test_a_file_that_git_has_may_not_vanish(
    managed: Path, vanish: Callable[[Path], None]
) -> None:
    vanish(managed / "mpbench/a.py")
    with pytest.raises(
        UserError, match=r"mpbench/a\.py: git has .* but it is not there"
    ):
        copied(managed)


def test_why_pip_failed_is_in_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "setup.py").write_text(
        "for number in range(50): print('line', number)\n"
        "raise SystemExit('error: the disk is full')\n"
    )
    with pytest.raises(UserError) as caught:
        pip.wheel(tmp_path, tmp_path / "out", {"PATH": "/usr/bin:/bin"})
    expected = "pip could not build the wheel: error: the disk is full"
    assert str(caught.value) == expected
    said = capfd.readouterr().err
    assert "line 49" in said and len(said.splitlines()) == pip.SHOWN


BUILD = """\
  \u2502 exit code: 1
  \u2570\u2500> [9 lines of output]
      x.c:3: fatal error: x

      [end of output]
  note: This error originates from a subprocess
  ERROR: Failed building wheel for x
ERROR: Failed to build one or more wheels
"""
INDEX = """\
ERROR: Could not find a version that satisfies x

[notice] A new release of pip is available
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (BUILD, "x.c:3: fatal error: x"),
        (INDEX, "ERROR: Could not find a version that satisfies x"),
        ("", "no output"),
    ],
)
def test_the_line_that_says_most(text: str, expected: str) -> None:
    assert pip.reason(text.splitlines()) == expected
