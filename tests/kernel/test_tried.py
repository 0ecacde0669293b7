"""A patch that does not apply is refused before its base is compiled."""

from pathlib import Path
from typing import Any, NoReturn

import pytest

from jobs.linux import Linux, Patch
from mpbench import kernel
from mpbench.kernel import building, cache, sources, variants
from mpbench.kernel.faults import KernelFault
from mpbench.kernel.patched import try_patches
from mpbench.kernel.progress import Progress
from mpbench.kernel.shell import Shell
from mpbench.kernel.sources import Source

RARE = {"CONFIG_NET_IPVTI": "y", "CONFIG_NET_IPGRE_DEMUX": "y"}
"""Options that no kernel in the cache has, so that the base is to be compiled."""


@pytest.fixture
def source() -> Source:
    stored = sources.stored()
    if not stored:
        pytest.skip("no Linux in the cache; `mpbench kernel build` fetches it")
    return stored[-1]


def change(source: Source, name: str, line: int, was: str | None = None) -> Patch:
    """A patch that changes one line of a file. was : the line as the patch has it"""
    lines = (source.tree / name).read_text().splitlines()
    old = lines[line - 1]
    text = (
        f"--- a/{name}\n+++ b/{name}\n@@ -{line},1 +{line},1 @@\n"
        f"-{old if was is None else was}\n+{old} /* own */\n"
    )
    return Patch(name=f"{line}.patch", text=text)


def test_nothing_is_compiled(
    source: Source,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("a compiler was asked for")

    monkeypatch.setattr(building, "Maker", refuse)
    good = change(source, "net/mptcp/pm.c", 3)
    bad = change(source, "net/mptcp/sched.c", 5, "a line that it does not have")
    own = Linux(lab=False, options=RARE, patches=(good, bad))
    words = r"5\.patch: does not apply: net/mptcp/sched\.c, hunk 1 of 1, at line 5"
    shell = Shell(tmp_path / "log")
    try:
        with pytest.raises(KernelFault, match=words):
            variants._build(kernel.find(), own, shell, Progress(), 1)
    finally:
        shell.close()
    assert "2 patches on" in capsys.readouterr().err


def test_patches_meet_the_overlay_and_each_other(
    source: Source, tmp_path: Path
) -> None:
    """mpbench's own patches change net/mptcp/sched.c; a user's come after them."""
    own = variants.recipe(Linux())
    named = {n for p in own.patches for n in p.read_text().split() if n[:2] == "b/"}
    name = next(n[2:] for n in sorted(named) if n.startswith("b/net/"))
    lines = (source.tree / name).read_text().splitlines()
    first = change(source, name, 1)
    second = change(source, name, 1, f"{lines[0]} /* own */")
    shell = Shell(tmp_path / "log")
    try:
        wanted = variants.recipe(Linux(patches=(first, second)))
        try_patches(wanted, source, False, shell)
        with pytest.raises(KernelFault, match=r"does not apply"):
            again = variants.recipe(Linux(patches=(first, first)))
            try_patches(again, source, False, shell)
    finally:
        shell.close()
    assert not list((cache.root() / "work").glob(f"{cache.NEW}*"))
