"""The program that confines guests: its building, its words and its limits."""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mpbench.backends import boot, confinement, roots, session
from mpbench.backends.confinement import Limits
from mpbench.errors import UserError
from mpbench.kernel import launcher
from mpbench.store import scratch

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
MEMORY_BYTES = 1 << 20
KEPT_BYTES = MEMORY_BYTES + confinement.MEMORY_SLACK_BYTES


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    launcher._ready.cache_clear()
    return tmp_path / "cache"


def say(*words: str, parent: int | None = None) -> "subprocess.CompletedProcess[str]":
    argv = [str(launcher.find()), f"parent={parent or os.getpid()}", *words]
    return subprocess.run(argv, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["colour=red", "--", "/bin/true"], "no option of the launcher: colour=red"),
        (["files=1", "--", "/bin/true"], "no option of the launcher: files=1"),
        (["barrier=wall", "--", "/bin/true"], "no barrier of the launcher: wall"),
        (["file=1 MiB", "--", "/bin/true"], "not a number: file=1 MiB"),
        (["file=-1", "--", "/bin/true"], "not a number: file=-1"),
        (["memory=" + "9" * 30, "--", "/bin/true"], "not a number: memory=" + "9" * 30),
        (["cpu=", "--", "/bin/true"], "not a number: cpu="),
        (["file=1", "--"], "no command after --"),
        (["file=1"], "no command after --"),
        (["below=/", "--", "/bin/true"], "below needs below-work, and namespaces"),
        (
            ["below=/", "below-work=/tmp", "--", "/bin/true"],
            "below needs below-work, and namespaces",
        ),
    ],
)
def test_options_that_it_does_not_know(words: list[str], complaint: str) -> None:
    done = say(*words)
    assert done.stdout == f"mpbench: cannot be confined: {complaint}\n"
    assert (done.returncode, done.stderr) == (launcher.CANNOT_CONFINE, "")


def test_a_long_complaint_is_one_line() -> None:
    done = say("colour=" + "x" * 100_000, "--", "/bin/true")
    assert done.stdout.count("\n") == 1 and len(done.stdout) < 10_000
    assert done.returncode == launcher.CANNOT_CONFINE


def test_a_cpu_that_the_host_lacks() -> None:
    done = say("cpu=100000", f"file={1 << 20}", "--", "/bin/true")
    assert done.stdout == "mpbench: cannot be confined: CPU: Invalid argument\n"


TABLE = r"""
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#undef _GNU_SOURCE
#include "landlock.c"

void cannot_confine(int error, const char *format, ...) { abort(); }
int check(int result, const char *what, const char *path) { return result; }

int main(void)
{
	for (int version = 1; version <= 99; version++) {
		struct refusals r = landlock_refusals(version);

		printf("%d %lu %lu %lu\n", version, r.files, r.net, r.scoped);
	}
}
"""


def test_what_each_version_of_landlock_can_refuse(tmp_path: Path) -> None:
    """The table of the kernel's documentation (userspace-api/landlock.rst)."""
    (tmp_path / "table.c").write_text(TABLE)
    argv = ["gcc", "-I", str(launcher.SOURCE), "-o", "table", "table.c"]
    subprocess.run(argv, cwd=tmp_path, check=True)
    lines = subprocess.run(
        [str(tmp_path / "table")], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    table = {int(line.split()[0]): line.split()[1:] for line in lines}
    expected = {
        1: (13, 0, 0),
        2: (14, 0, 0),
        3: (15, 0, 0),
        4: (15, 3, 0),
        5: (16, 3, 0),
        6: (16, 3, 3),
        99: (16, 3, 3),
    }
    for version, (rights, net, scoped) in expected.items():
        assert table[version] == [str((1 << rights) - 1), str(net), str(scoped)]


def test_a_damaged_program_is_made_again(cache: Path) -> None:
    program = launcher.find()
    assert program == cache / "mpbench" / "launchers" / launcher.key()
    whole = program.read_bytes()
    program.write_bytes(whole[:1000])
    launcher._ready.cache_clear()
    assert launcher.find().read_bytes() == whole


def test_another_source_is_another_program(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = launcher.find()
    changed = tmp_path / "source"
    changed.mkdir()
    for path in launcher.SOURCE.glob("*.[ch]"):
        (changed / path.name).write_text(path.read_text() + "\n/* More. */\n")
    monkeypatch.setattr(launcher, "SOURCE", changed)
    assert launcher.find() != before
    assert {path.stem for path in launcher.unneeded()} == {before.name}
    assert len(launcher.unneeded()) == 2, "the program and its hash"


@pytest.mark.usefixtures("cache")
def test_a_source_that_does_not_compile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "launcher.c").write_text("int main(void) { int unused; }\n")
    monkeypatch.setattr(launcher, "SOURCE", tmp_path)
    with pytest.raises(UserError, match=r"does not compile: .*unused") as caught:
        launcher.find()
    assert "\n" not in str(caught.value)


def test_no_compiler(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(UserError, match="needs gcc"):
        launcher.find()
    assert not cache.exists()


def limited(most_bytes: int, argv: list[str]) -> "subprocess.CompletedProcess[str]":
    """Run the command with a limit on the size of files, which is the user's own."""
    text = f'ulimit -f {most_bytes // 512}; exec "$@"'  # dash counts blocks of 512
    return subprocess.run(
        ["/bin/sh", "-c", text, "sh", *argv], capture_output=True, text=True
    )


SHOW = "import resource; print(*resource.getrlimit(resource.RLIMIT_FSIZE))"


@pytest.mark.parametrize(
    ("bound_bytes", "own_bytes", "expected_bytes"),
    [
        (KEPT_BYTES * 4, KEPT_BYTES * 2, KEPT_BYTES * 2),
        (KEPT_BYTES * 2, KEPT_BYTES * 4, KEPT_BYTES * 2),
    ],
)
def test_the_smaller_limit_on_files_holds(
    bound_bytes: int, own_bytes: int, expected_bytes: int
) -> None:
    """A limit of the user's that was below the run's gave a traceback."""
    show = ["/usr/bin/python3", "-S", "-c", SHOW]
    limits = Limits(file_bytes=bound_bytes)
    argv = confinement.command(show, MEMORY_BYTES, None, limits=limits)
    done = limited(own_bytes, argv)
    assert done.stdout.split() == [str(expected_bytes)] * 2, done.stdout


def test_a_limit_below_the_guest_s_memory_is_told() -> None:
    argv = confinement.command(["/bin/true"], MEMORY_BYTES, None)
    done = limited(4 << 20, argv)
    assert done.returncode == launcher.CANNOT_CONFINE
    assert done.stdout == (
        "mpbench: cannot be confined: files may have 4 MiB here (ulimit -f), and the "
        "guest's memory is a file of 17 MiB\n"
    )


def test_a_campaign_is_refused_before_its_first_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    confinement.require_files(1 << 30)
    monkeypatch.setattr(resource, "getrlimit", lambda which: (1 << 29, 1 << 29))
    with pytest.raises(UserError, match=r"files may have 512 MiB .* file of 1040 MiB"):
        confinement.require_files(1 << 30)


REFUSED = """
from mpbench.backends import boot, confinement, roots, session
from mpbench.errors import UserError
from tests import random_addresses

confinement.require_guests(1 << 20)
random_addresses.refuse()
try:
    confinement.require_guests(1 << 20)
except UserError as error:
    print(error)
"""


def test_a_container_that_refuses_fixed_addresses_is_told() -> None:
    """Behind a filter of system calls like the one that containers have."""
    if confinement.RANDOMIZE.read_text().strip() == "0":
        pytest.skip("addresses are not random here")
    done = subprocess.run(
        [sys.executable, "-c", REFUSED], capture_output=True, text=True, cwd=ROOT
    )
    assert "refuses fixed addresses (personality)" in done.stdout, done.stderr
    assert "seccomp=unconfined" in done.stdout


@pytest.mark.parametrize("machine", [boot.LAB, session.TYPED_AT], ids=["run", "shell"])
def test_no_guest_boots_with_random_addresses(
    monkeypatch: pytest.MonkeyPatch, machine: boot.Machine
) -> None:
    monkeypatch.setattr(confinement, "fixed_addresses", lambda: False)
    with pytest.raises(UserError, match="refuses fixed addresses"):
        machine.command(Path("linux"), None, roots.host())


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder in which the folders for guests' memory lie."""
    folder = tmp_path / "memory"
    folder.mkdir()
    monkeypatch.setattr(scratch, "MEMORY_PARENTS", (folder,))
    yield folder


def wait_for_folder(parent: Path) -> Path:
    deadline_s = time.monotonic() + 20
    while not (folders := list(parent.glob("mpbench-memory-*"))):
        assert time.monotonic() < deadline_s
        time.sleep(0.01)
    return folders[0]


@pytest.mark.parametrize("barriers", [(), ("landlock",)], ids=["none", "landlock"])
def test_the_memory_folder_of_a_killed_launcher_goes(
    memory: Path, tmp_path: Path, barriers: tuple[str, ...]
) -> None:
    if {*barriers} - {*confinement.offered()}:
        pytest.skip("this host does not offer Landlock")
    argv = confinement.command(
        ["/bin/sleep", "1000"], MEMORY_BYTES, None, confinement.SYSTEM, barriers
    )
    assert f"memory-folder={memory}" in argv
    process = subprocess.Popen(argv, cwd=tmp_path, process_group=0)
    left = wait_for_folder(memory)
    time.sleep(0.2)  # the launcher locks the folder just after it has made it
    scratch.remove_abandoned()
    assert left.exists(), "the folder of a living launcher stays"
    (left / "vm_file-abc").touch()
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert left.exists()
    deadline_s = time.monotonic() + 20
    while left.exists():  # the child's copy of the lock goes with the child
        assert time.monotonic() < deadline_s
        scratch.remove_abandoned()


def test_what_a_program_leaves_in_its_memory_folder_goes(
    memory: Path, tmp_path: Path
) -> None:
    argv = confinement.command(
        ["/bin/sh", "-c", ": > $TMPDIR/left"], MEMORY_BYTES, None, (), ()
    )
    assert subprocess.run(argv, cwd=tmp_path).returncode == 0
    assert not list(memory.iterdir())


def test_folders_of_others_stay(memory: Path) -> None:
    (memory / "mpbench-memory-link").symlink_to("/etc")
    (memory / "mpbench-memory-file").touch()
    (memory / "other").mkdir()
    scratch.remove_abandoned()
    assert len(list(memory.iterdir())) == 3
