"""A compiler that works on a stranger's file reads nothing of this user's.

The compiler reads whatever its input names. The tests put a secret beside the folder in
which it works, and name it in every way that a file in C has. None of them may change
what the compiler makes or says.
"""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mpbench.backends import confinement
from mpbench.errors import UserError
from mpbench.kernel import barriers as launching
from mpbench.kernel import confined, confined_gcc, launcher
from tests.calls import Command

BOTH = confinement.BARRIERS
SECRET = "of-this-user-alone"
pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is missing")


@pytest.fixture(params=[*((name,) for name in BOTH), BOTH], ids="+".join)
def barriers(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> tuple[str, ...]:
    chosen: tuple[str, ...] = request.param
    lacking = sorted({*chosen} - {*launching.offered()})
    if lacking:
        pytest.skip(f"this host does not offer {', '.join(lacking)}")
    monkeypatch.setattr(launching, "offered", lambda: chosen)
    return chosen


@pytest.fixture
def kit(tmp_path: Path) -> Path:
    """A kit with a secret of the user's beside it, and a link that leads there."""
    (tmp_path / "secret").write_text(f'"{SECRET}"\n')
    folder = tmp_path / "kit"
    (folder / "objects").mkdir(parents=True)
    (folder / "headers").mkdir()
    (folder / "headers/known.h").write_text("int known;\n")
    (folder / "link.h").symlink_to(tmp_path / "secret")
    return folder


def compiled(kit: Path, text: str, *words: str) -> str:
    """Output of gcc about a text; the object is `kit/objects/own.o`."""
    (kit / "own.c").write_text(text)
    command = ["gcc", "-I../headers", *words, "-c", "-o", "own.o", "../own.c"]
    try:
        confined_gcc.run(command, kit, kit / "objects")
    except confined_gcc.Failed as failed:
        return str(failed)
    return ""


def holds(folder: Path, content: bytes) -> bool:
    return any(
        content in path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink() and path.name != "own.c"
    )


def test_the_kit_is_readable(kit: Path, barriers: tuple[str, ...]) -> None:
    assert not compiled(kit, f'#include "known.h"\nchar here[] = "{SECRET}";\n')
    assert holds(kit, SECRET.encode())


@pytest.mark.parametrize(
    "text",
    [
        '__asm__(".incbin \\"{secret}\\"");',
        '__asm__(".incbin \\"../../secret\\"");',
        '__asm__(".incbin \\"/proc/self/cwd/../../secret\\"");',
        '__asm__(".include \\"{secret}\\"");',
        'char stolen[] =\n#include "{secret}"\n;',
        'char stolen[] =\n#include "../../secret"\n;',
        "char stolen[] =\n#include <../../secret>\n;",
        'char stolen[] =\n#include_next "../../secret"\n;',
        'char stolen[] =\n#include "link.h"\n;',
        'char stolen[] =\n#include "../link.h"\n;',
        'char stolen[] =\n#include "/proc/self/environ"\n;',
        'char stolen[] =\n#include "/proc/1/root{secret}"\n;',
        'char stolen[] =\n#include "/proc/self/root{secret}"\n;',
        '#if __has_include("{secret}")\nchar told[] = "of-this-user-" "alone";\n#endif',
    ],
)
def test_a_file_outside_is_not_read(
    kit: Path, barriers: tuple[str, ...], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN", SECRET)
    said = compiled(kit, text.replace("{secret}", str(kit.parent / "secret")))
    assert SECRET not in said.replace("of-this-user-alone\\", "")
    assert not holds(kit, SECRET.encode())


def test_an_option_in_the_environment_names_no_folder(
    kit: Path, barriers: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("CPATH", "C_INCLUDE_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH"):
        monkeypatch.setenv(name, str(kit.parent))
    assert "No such file" in compiled(kit, 'char stolen[] =\n#include "secret"\n;')


def test_nothing_outside_is_written(kit: Path, barriers: tuple[str, ...]) -> None:
    outside = kit.parent / "made"
    for place in (str(outside), "../made", "../../made"):
        compiled(
            kit, f'#pragma GCC pch_preprocess "{place}"\nint x;\n', "-MD", "-MF", place
        )
    assert not outside.exists() and not (kit / "made").exists()


ENDLESS = (
    '#if __INCLUDE_LEVEL__ < 60\n#include "../own.c"\n#include "../own.c"\n#endif\n'
)


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(confined_gcc, "WALL_S", 1)


def test_an_endless_text_ends(
    kit: Path, barriers: tuple[str, ...], short: None
) -> None:
    began_s = time.monotonic()
    with pytest.raises(UserError, match="not compiled after 1 s"):
        compiled(kit, ENDLESS)
    assert time.monotonic() - began_s < 15
    deadline_s = time.monotonic() + 5
    while any(running_in(kit)):
        assert time.monotonic() < deadline_s, "a compiler goes on"
        time.sleep(0.05)


def running_in(folder: Path) -> Iterator[str]:
    """The processes whose working directory is below a folder."""
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder) in str((process / "cwd").readlink()):
                yield process.name
        except OSError:
            continue


@pytest.mark.parametrize(
    "text",
    [
        '__asm__(".fill 4000000000");',
        "char large[3000000000ul] = {1};",
        '__asm__(".incbin \\"/dev/zero\\"");',
        "#define A(x) x x x x x x x x\n#define B(x) A(A(A(A(x))))\n"
        'char *all = B(B(B("xxxxxxxxxxxxxxxxxxxxxxxx")));',
    ],
)
def test_output_and_memory_are_bounded(
    kit: Path, barriers: tuple[str, ...], text: str
) -> None:
    assert compiled(kit, text)
    sizes = [path.stat().st_blocks * 512 for path in kit.rglob("*") if path.is_file()]
    assert sum(sizes) <= 300 << 20


def test_what_is_said_is_bounded(kit: Path, barriers: tuple[str, ...]) -> None:
    text = '#pragma message "x"\n' * 2_000 + "int x = nothing;\n"
    assert len(compiled(kit, text)) <= confined_gcc.MOST_SAID


def test_without_barriers_only_with_consent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launching, "offered", lambda: ())
    with pytest.raises(UserError, match=r"own: code in C, .* --trust-plugins") as no:
        confined.require("own", trusted=False)
    assert "\n" not in str(no.value)
    confined.require("own", trusted=True)
    monkeypatch.setattr(launching, "offered", lambda: ("landlock",))
    confined.require("own", trusted=False)


def test_a_trusted_topology_is_confined_too(
    tmp_path: Path,
    barriers: tuple[str, ...],
    command: Command,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    launchers = launcher.find().parent
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shutil.copytree(launchers, tmp_path / "cache/mpbench/launchers")
    (tmp_path / "secret").write_text(SECRET)
    text = f"raise SystemExit(open({str(tmp_path / 'secret')!r}).read())\n"
    (tmp_path / "own.py").write_text(text)
    (tmp_path / "e.yaml").write_text(
        "name: own\nplugins: {topologies: own.py}\ntopology: own\n"
        "cases: {a: {protocol: tcp, congestion_control: reno}}\n"
        "traffic: [{tool: iperf3, from: client, to: server, duration: 5 s}]\n"
    )
    done = command("plan", tmp_path / "e.yaml", "--backend", "fake", "--trust-plugins")
    assert done.status == 2 and "own.py:1: " in done.err
    assert SECRET not in done.err + done.out
