"""Guests that attack the host they run on: they harm their own run and nothing else."""

import json
import os
import stat
import time
from pathlib import Path

import pytest

from mpbench.backends import boot, confinement
from mpbench.backends.base import Bounds, Exit
from mpbench.backends.confinement import Limits
from mpbench.backends.endings import judge
from mpbench.backends.virtual import VirtualBackend

from .lab import Lab, script

BOTH = confinement.BARRIERS
JOB = {"seed": 1}


def attack(
    root: Path, text: str, limits: Limits | None = None, *arguments: object
) -> tuple[Exit, Path]:
    """The end of a guest that ran Python text as its root, and the run's folder."""
    argv = (*script(f"exec({text!r})"), *map(str, arguments))
    backend = VirtualBackend(boot.Machine(memory_mib=256), argv, limits=limits)
    ended, artefacts = Lab(root / "runs", backend).execute(JOB)
    return ended, artefacts.parent


def assert_harmless(folder: Path) -> None:
    """All that the guest left can be read without following it anywhere."""
    assert sorted(path.name for path in folder.iterdir()) == [
        "artefacts",
        "boot",
        "job.json",
    ]
    for name in ("artefacts", "boot"):
        assert stat.S_ISDIR((folder / name).lstat().st_mode)
        for path in (folder / name).iterdir():
            assert stat.S_ISREG(path.lstat().st_mode), path
    assert json.loads((folder / "job.json").read_text()) == JOB
    assert (folder / "artefacts" / "console.log").read_text().startswith("began\n")


@pytest.fixture(params=[BOTH, ("namespaces",), ("landlock",)], ids="+".join)
def barriers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The host offers these barriers and no others."""
    lacking = {*request.param} - {*confinement.offered()}
    if lacking:
        pytest.skip(f"this host does not offer {', '.join(sorted(lacking))}")
    monkeypatch.setattr(confinement, "offered", lambda: request.param)


@pytest.fixture
def precious(tmp_path: Path) -> Path:
    file = tmp_path / "precious"
    file.write_text("as it was")
    return file


@pytest.mark.usefixtures("barriers")
def test_the_host_s_files_through_a_mount_of_its_own(
    tmp_path: Path, precious: Path
) -> None:
    text = """
import ctypes, os, sys
print("began", flush=True)
libc = ctypes.CDLL(None, use_errno=True)
for root in ("/", os.path.dirname(sys.argv[1]), "/proc/self/root", "/etc", "/proc"):
    os.makedirs("/mnt", exist_ok=True)
    if libc.mount(b"none", b"/mnt", b"hostfs", 0, root.encode()):
        print("refused", root)
        continue
    for name in (sys.argv[1], "precious", "shadow", "self/mem", "kmsg"):
        path = "/mnt/" + name.lstrip("/")
        for mode in ("r", "r+", "a"):
            try:
                with open(path, mode) as file:
                    print("OPENED", root, name, mode)
                    file.write("changed")
            except OSError:
                pass
        try:
            os.rename(path, "/mnt/gone")
            print("MOVED", root, name)
        except OSError:
            pass
    libc.umount(b"/mnt")
"""
    ended, folder = attack(tmp_path, text, None, precious)
    console = (folder / "artefacts" / "console.log").read_text()
    assert ended.status == "finished", console
    assert "OPENED" not in console and "MOVED" not in console, console
    assert console.count("refused") == 5, console
    assert precious.read_text() == "as it was"
    assert_harmless(folder)


def test_mounts_of_the_host_cannot_be_allowed_again(tmp_path: Path) -> None:
    text = """
print("began", flush=True)
path = "/sys/module/hostfs/parameters/closed"
for word in ("0", "N"):
    try:
        with open(path, "w") as file:
            file.write(word)
    except OSError:
        pass
print("closed", open(path).read(), end="")
"""
    _, folder = attack(tmp_path, text)
    assert "closed Y\n" in (folder / "artefacts" / "console.log").read_text()


@pytest.mark.usefixtures("barriers")
def test_the_memory_of_its_own_kernel(tmp_path: Path) -> None:
    """The host's /proc lies below the guest's own, which its root can unmount."""
    text = """
import ctypes, os
print("began", flush=True)
libc = ctypes.CDLL(None, use_errno=True)
assert libc.umount2(b"/proc", 2) == 0
for name in ("self/mem", "1/mem", "self/environ", "1/environ"):
    for mode in ("rb", "r+b"):
        try:
            with open("/proc/" + name, mode) as file:
                file.seek(0x60000000 if name.endswith("mem") else 0)
                if file.read(16):
                    print("READ", name, mode)
        except OSError:
            pass
"""
    ended, folder = attack(tmp_path, text)
    console = (folder / "artefacts" / "console.log").read_text()
    assert ended.status == "finished", console
    assert "READ" not in console, console


@pytest.mark.usefixtures("barriers")
def test_modes_and_dates_of_the_host_s_files_stay(tmp_path: Path) -> None:
    """A guest's root asks for them through its own kernel, which asks the host."""
    text = """
import os
print("began", flush=True)
for path in ("job.json", "artefacts/console.log", "artefacts", "."):
    for act in (lambda: os.chmod(path, 0o777), lambda: os.utime(path, (0, 0))):
        try:
            act()
            print("CHANGED", path)
        except OSError as error:
            print(error.errno, path)
"""
    ended, folder = attack(tmp_path, text)
    console = (folder / "artefacts" / "console.log").read_text()
    assert ended.status == "finished", console
    assert "CHANGED" not in console and console.count("1 ") == 8, console
    for path in (folder / "job.json", folder / "artefacts", folder):
        about = path.stat()
        assert stat.S_IMODE(about.st_mode) != 0o777 and about.st_mtime > 1
    assert_harmless(folder)


def test_a_guest_works_without_barriers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host that offers neither still has the launcher's filter."""
    monkeypatch.setattr(confinement, "offered", lambda: ())
    text = """
import socket
print("began", flush=True)
socket.socket()
open("artefacts/made", "w").write("here")
"""
    ended, folder = attack(tmp_path, text)
    assert ended.status == "finished", ended.reason
    assert (folder / "artefacts" / "made").read_text() == "here"
    assert_harmless(folder)


@pytest.mark.usefixtures("barriers")
def test_what_is_left_for_the_host_to_follow(tmp_path: Path, precious: Path) -> None:
    text = """
import contextlib, os, sys
print("began", flush=True)
acts = [
    lambda: os.symlink(sys.argv[1], "artefacts/link.json"),
    lambda: os.symlink("/", "artefacts/root"),
    lambda: os.symlink("/dev/zero", "artefacts/endless"),
    lambda: os.mkfifo("artefacts/pipe"),
    lambda: os.mkdir("artefacts/folder"),
    lambda: os.symlink(sys.argv[1], "artefacts/folder/link"),
    lambda: os.symlink(sys.argv[1], "beside"),
    lambda: os.mkdir("more"),
    lambda: os.unlink("job.json"),
    lambda: os.symlink(sys.argv[1], "job.json"),
    lambda: os.rename("artefacts/console.log", "artefacts/old.log"),
    lambda: os.symlink(sys.argv[1], "artefacts/console.log"),
    lambda: os.unlink("artefacts/outcome.json"),
    lambda: os.symlink(sys.argv[1], "artefacts/outcome.json"),
    lambda: os.chmod("boot", 0),
    lambda: os.chmod("artefacts", 0),
]
for act in acts:
    with contextlib.suppress(OSError):
        act()
"""
    ended, folder = attack(tmp_path, text, None, precious)
    assert ended.status == "finished"
    assert_harmless(folder)
    assert precious.read_text() == "as it was"


@pytest.mark.usefixtures("barriers")
def test_another_folder_in_the_place_of_the_artefacts(
    tmp_path: Path, precious: Path
) -> None:
    text = """
import contextlib, os, sys
print("began", flush=True)
os.rename("artefacts", "artefacts-of-old")
with contextlib.suppress(OSError):
    os.symlink(os.path.dirname(sys.argv[1]), "artefacts")
os.rename("boot", "boot-of-old")
with contextlib.suppress(OSError):
    os.symlink(os.path.dirname(sys.argv[1]), "boot")
"""
    _, folder = attack(tmp_path, text, None, precious)
    assert_harmless(folder)
    assert precious.read_text() == "as it was"


def test_a_tree_deeper_than_the_longest_path(tmp_path: Path) -> None:
    text = """
import os
print("began", flush=True)
os.chdir("artefacts")
for _ in range(300):
    os.mkdir("a" * 100)
    os.chdir("a" * 100)
"""
    _, folder = attack(tmp_path, text)
    assert_harmless(folder)


LIMITS = Limits(file_bytes=1 << 20, folder_bytes=64 << 20, files=200)


def test_many_files(tmp_path: Path) -> None:
    text = """
print("began", flush=True)
for number in range(10**9):
    open(f"artefacts/{number}", "w").close()
"""
    began_s = time.monotonic()
    ended, folder = attack(tmp_path, text, LIMITS)
    reason = "more than 200 files in the run's folder"
    assert (ended.status, ended.reason) == ("timeout", reason)
    assert time.monotonic() - began_s < 30
    assert_harmless(folder)


def test_endless_writing(tmp_path: Path) -> None:
    text = """
print("began", flush=True)
block = bytes(1 << 20)
for number in range(10**9):
    with open(f"artefacts/{number}", "wb") as file:
        for _ in range(32):
            file.write(block)
"""
    ended, folder = attack(tmp_path, text, LIMITS)
    reason = "more than 64 MiB in the run's folder"
    assert (ended.status, ended.reason) == ("timeout", reason)
    assert_harmless(folder)


def test_a_file_as_long_as_files_can_be(tmp_path: Path) -> None:
    """A length costs nothing here, and much where the file is copied or packed."""
    text = """
import os
print("began", flush=True)
file = open("artefacts/long", "wb")
for length in (1 << 50, 1 << 40, 1 << 30, 1 << 20):
    try:
        file.truncate(length)
        break
    except OSError as error:
        print(length, error)
"""
    ended, folder = attack(tmp_path, text, LIMITS)
    assert ended.status == "finished"
    assert (folder / "artefacts" / "long").stat().st_size == 1 << 20


def test_a_run_s_limits_leave_half_of_the_disk(tmp_path: Path) -> None:
    about = os.statvfs(tmp_path)
    half = about.f_bavail * about.f_frsize // 2
    usual = confinement.limits(False, tmp_path)
    assert usual.folder_bytes <= min(confinement.FOLDER_BYTES, half * 1.1)
    assert confinement.limits(True, tmp_path).folder_bytes >= usual.folder_bytes


BOUNDS = Bounds(30.0, 60.0, 60.0)


@pytest.mark.parametrize(
    "outcome",
    [
        b'{"virtual_s": "soon"}',
        b'{"virtual_s": 1e999}',
        b'{"virtual_s": -1}',
        b'{"virtual_s": true}',
        b"[" * 100_000,
        b'{"virtual_s": ' + b"1" * 5000 + b"}",
        b"\xff\xfe",
        b'{"virtual_s": 1, "x": "' + b"x" * (17 << 20) + b'"}',
    ],
    ids=["word", "infinite", "negative", "truth", "deep", "digits", "bytes", "large"],
)
def test_an_outcome_made_up(tmp_path: Path, outcome: bytes) -> None:
    (tmp_path / "console.log").write_text("mpbench: exit 0\n")
    (tmp_path / "outcome.json").write_bytes(outcome)
    ending = judge(tmp_path, 0, BOUNDS, 512)
    assert (ending.status, ending.virtual_s) == ("finished", None)


@pytest.mark.parametrize("error", [1, ["x"], {"a": "b"}, "", None, "long " * 10_000])
def test_a_reason_made_up(tmp_path: Path, error: object) -> None:
    (tmp_path / "console.log").write_text("mpbench: exit 1\n")
    (tmp_path / "outcome.json").write_text(json.dumps({"error": error}))
    reason = judge(tmp_path, 0, BOUNDS, 512).reason
    assert reason == "guest code ended with 1" or reason.startswith("long long")
    assert len(reason) <= 2000
