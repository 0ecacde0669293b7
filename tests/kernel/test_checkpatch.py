"""Linux's checkpatch over the kernel's C and patches, where the cache has Linux."""

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from mpbench.errors import UserError
from mpbench.kernel import sources

ROOT = Path(__file__).parents[2]
BAD = """\
// SPDX-License-Identifier: GPL-2.0
int f( int a )
{
\treturn a;
}
"""


@pytest.fixture(scope="module")
def checkpatch() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "checkpatch", ROOT / ".ci" / "checkpatch.py"
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def linux() -> Path:
    stored = sources.stored()
    if not stored:
        pytest.skip("no Linux in the cache; `mpbench kernel build` fetches it")
    return stored[-1].tree


def test_a_source_file_and_a_patch_are_clean(
    checkpatch: ModuleType, linux: Path
) -> None:
    """`make lint` checks all of them. git tracks the patch, which must not matter."""
    files = checkpatch.everything()
    assert {path.suffix for path in files} == {".c", ".h", ".patch"}
    chosen = [path for path in files if path.name in ("lab.c", files[-1].name)]
    assert len(chosen) == 2 and files[-1].suffix == ".patch"
    assert checkpatch.complaints(chosen, linux) == []


def test_a_complaint_names_file_line_and_type(
    checkpatch: ModuleType, linux: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.c"
    bad.write_text(BAD)
    found = checkpatch.complaints([bad], linux)
    assert found and all("bad.c:2: ERROR:SPACING" in line for line in found)


def test_a_checkpatch_that_does_not_run(checkpatch: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts" / "checkpatch.pl").write_text("use Some::Missing::Module;\n")
    file = tmp_path / "any.c"
    file.write_text(BAD)
    with pytest.raises(UserError, match="Missing"):
        checkpatch.complaints([file], tmp_path)


def test_checkpatch_leaves_no_file_in_the_checkout(
    checkpatch: ModuleType, tmp_path: Path
) -> None:
    """With --strict it writes a cache of names into its working folder."""
    (tmp_path / "scripts").mkdir()
    cache = ".checkpatch-camelcase.date.0"
    script = f'open(my $file, ">", "{cache}"); print "a.c:1: ERROR:X: y\\n"; exit 1;'
    (tmp_path / "scripts" / "checkpatch.pl").write_text(script)
    try:
        assert checkpatch.complaints([Path(__file__)], tmp_path) == [
            "a.c:1: ERROR:X: y"
        ]
        assert not (ROOT / cache).exists()
    finally:
        (ROOT / cache).unlink(missing_ok=True)
