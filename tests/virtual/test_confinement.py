"""Abilities of code that controls a guest's host process: nothing but its run."""

import fcntl
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mpbench.backends import confinement
from mpbench.backends.confinement import Limits
from mpbench.kernel import launcher

from .confined import MEMORY_BYTES, execute
from .test_guest import assert_gone

VERSION = confinement.landlock_version()
BOTH = confinement.BARRIERS
ALONE = tuple((name,) for name in BOTH)

ATTEMPT = """
import ctypes, json, os, socket, sys
libc = ctypes.CDLL(None, use_errno=True)

def attempt(act):
    try:
        act()
    except OSError as error:
        return os.strerror(error.errno) if error.errno else str(error)
    return "done"

def check(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
"""


def needs(barriers: tuple[str, ...]) -> None:
    lacking = sorted({*barriers} - {*confinement.offered()})
    if lacking:
        pytest.skip(f"this host does not offer {', '.join(lacking)}")


def left_memory() -> set[Path]:
    """Folders of guests' memory that no launcher holds: those of guests that run beside
    this test are locked."""
    left = set(Path("/dev/shm").glob("mpbench-*"))
    for pause_s in (0.0, 0.2):  # one that was just made is not locked yet
        time.sleep(pause_s)
        left = {path for path in left if not locked(path)}
    return left


def locked(folder: Path) -> bool:
    """Whether a process holds a folder's lock, or has removed the folder."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def test_memory_that_nobody_holds_is_told(tmp_path: Path) -> None:
    assert not locked(tmp_path)
    descriptor = os.open(tmp_path, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    assert locked(tmp_path)
    os.close(descriptor)


@pytest.fixture(params=[*ALONE, BOTH], ids="+".join)
def barriers(request: pytest.FixtureRequest) -> tuple[str, ...]:
    chosen: tuple[str, ...] = request.param
    needs(chosen)
    return chosen


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run's folder, beside which a user has files of their own."""
    (tmp_path / "precious").write_text("as it was")
    folder = tmp_path / "run"
    (folder / "artefacts").mkdir(parents=True)
    return folder


def test_a_confined_program_works_in_its_folder(
    run: Path, barriers: tuple[str, ...]
) -> None:
    text = """
import json, os, tempfile
os.mkdir("artefacts/new")
open("artefacts/new/a", "w").write("kept")
os.rename("artefacts/new/a", "artefacts/b")
os.rmdir("artefacts/new")
memory = tempfile.TemporaryFile()
memory.write(bytes(1 << 20))
memory.flush()
cpu = open("/proc/cpuinfo").read()
print(json.dumps([os.path.exists("/usr/bin/python3"), "flags" in cpu]))
"""
    ended = execute(text, run, barriers)
    assert ended.told == [True, True], ended.output
    assert (run / "artefacts" / "b").read_text() == "kept"
    assert not left_memory()


def test_files_outside_cannot_be_read_or_written(
    run: Path, barriers: tuple[str, ...]
) -> None:
    text = (
        ATTEMPT
        + """
precious = sys.argv[1]
try:
    listed = os.listdir(os.path.dirname(precious))
except OSError:
    listed = []
print(json.dumps({
    "read": attempt(lambda: open(precious).read()),
    "list": "done" if "precious" in listed else "",
    "write": attempt(lambda: open(precious, "w")),
    "truncate": attempt(lambda: os.truncate(precious, 0)),
    "remove": attempt(lambda: os.unlink(precious)),
    "beside": attempt(lambda: open(precious + "2", "w")),
    "link": attempt(lambda: os.link(precious, "artefacts/stolen")),
    "move": attempt(lambda: os.rename(precious, "artefacts/moved")),
    "out": attempt(lambda: os.rename("artefacts", precious + "3")),
    "usr": attempt(lambda: open("/usr/new", "w")),
    "passwords": attempt(lambda: open("/etc/shadow").read()),
    "memory": attempt(lambda: open("/proc/self/mem", "r+b")),
    "disk": attempt(lambda: open("/dev/vda", "rb")),
}))
"""
    )
    ended = execute(text, run, barriers, [run.parent / "precious"])
    assert isinstance(ended.told, dict), ended.output
    assert "done" not in ended.told.values(), ended.told
    assert (run.parent / "precious").read_text() == "as it was"
    assert sorted(path.name for path in run.parent.iterdir()) == ["precious", "run"]


def test_attributes_of_files_outside_cannot_be_changed(run: Path) -> None:
    """Landlock leaves them alone; a root of its own does not show the files."""
    needs(("namespaces",))
    precious = run.parent / "precious"
    before = precious.stat()
    text = (
        ATTEMPT
        + """
precious = sys.argv[1]
print(json.dumps({
    "mode": attempt(lambda: os.chmod(precious, 0o777)),
    "times": attempt(lambda: os.utime(precious, (0, 0))),
    "attribute": attempt(lambda: os.setxattr(precious, "user.x", b"x")),
    "look": attempt(lambda: os.stat(precious)),
    "usr": attempt(lambda: os.utime("/usr", (0, 0))),
}))
"""
    )
    ended = execute(text, run, ("namespaces",), [precious])
    assert isinstance(ended.told, dict), ended.output
    assert "done" not in ended.told.values(), ended.told
    assert precious.stat() == before


def test_no_links_or_devices_in_the_run_s_folder(run: Path) -> None:
    needs(("landlock",))
    text = (
        ATTEMPT
        + """
import stat
print(json.dumps({
    "link": attempt(lambda: os.symlink("/etc/passwd", "artefacts/l")),
    "pipe": attempt(lambda: os.mkfifo("artefacts/p")),
    "device": attempt(lambda: os.mknod("artefacts/d", stat.S_IFBLK | 0o600, 0x800)),
    "socket": attempt(
        lambda: socket.socket(socket.AF_UNIX).bind("artefacts/s")),
}))
"""
    )
    ended = execute(text, run, ("landlock",))
    assert isinstance(ended.told, dict), ended.output
    assert "done" not in ended.told.values(), ended.told
    assert not list((run / "artefacts").iterdir())


@pytest.fixture
def bystander() -> Iterator["subprocess.Popen[bytes]"]:
    """A process of the same user's, and no business of a guest's."""
    process = subprocess.Popen(["/bin/sleep", "1000"])
    yield process
    process.kill()
    process.wait()


def signals_are_kept_in(barriers: tuple[str, ...]) -> bool:
    return "namespaces" in barriers or VERSION >= 6


def test_other_processes_are_out_of_reach(
    run: Path, barriers: tuple[str, ...], bystander: "subprocess.Popen[bytes]"
) -> None:
    text = (
        ATTEMPT
        + """
other = int(sys.argv[1])
print(json.dumps({
    "trace": attempt(lambda: check(libc.ptrace(0x4206, other, 0, 0))),
    "memory": attempt(lambda: open(f"/proc/{other}/mem", "r+b")),
    "environment": attempt(lambda: open(f"/proc/{other}/environ").read()),
    "kill": attempt(lambda: os.kill(other, 9)) if sys.argv[2] == "True" else "",
}))
"""
    )
    kept_in = signals_are_kept_in(barriers)
    ended = execute(text, run, barriers, [bystander.pid, kept_in])
    assert isinstance(ended.told, dict), ended.output
    assert "done" not in ended.told.values(), ended.told
    assert bystander.poll() is None


def test_all_processes_that_it_can_name_are_its_own(
    run: Path, bystander: "subprocess.Popen[bytes]"
) -> None:
    needs(("namespaces",))
    execute("import os; os.kill(-1, 9)", run, ("namespaces",))
    assert bystander.poll() is None


def test_no_network(run: Path, barriers: tuple[str, ...]) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as hidden,
    ):
        port = server.getsockname()[1]
        name = f"mpbench-test-{os.getpid()}"
        hidden.bind(f"\0{name}")
        hidden.listen()
        text = (
            ATTEMPT
            + """
port, name = int(sys.argv[1]), sys.argv[2]
print(json.dumps({
    "tcp": attempt(lambda: socket.create_connection(("127.0.0.1", port), 5)),
    "udp": attempt(lambda: socket.socket(
        socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", port))),
    "abstract": attempt(lambda: socket.socket(socket.AF_UNIX).connect(chr(0) + name)),
}))
"""
        )
        ended = execute(text, run, barriers, [port, name])
    assert isinstance(ended.told, dict), ended.output
    if "namespaces" not in barriers:
        del ended.told["udp"]  # Landlock has no rule for it
        for key, since in (("tcp", 4), ("abstract", 6)):
            if since > VERSION:
                del ended.told[key]
    assert "done" not in ended.told.values(), ended.told


def test_no_power_of_root_and_none_to_be_had(
    run: Path, barriers: tuple[str, ...]
) -> None:
    text = (
        ATTEMPT
        + """
libc.prctl.restype = ctypes.c_int
bounded = sum(libc.prctl(23, number, 0, 0, 0) == 1 for number in range(64))
print(json.dumps({
    "new privileges": libc.prctl(39, 0, 0, 0, 0),
    "bounding set": bounded,
    "mount": attempt(lambda: check(libc.mount(b"x", b"/usr", b"tmpfs", 0, None))),
    "root": attempt(lambda: os.chroot("/usr")),
    "name": attempt(lambda: socket.sethostname("x")),
    "network": attempt(lambda: socket.socket(
        socket.AF_PACKET, socket.SOCK_RAW)),
}))
"""
    )
    ended = execute(text, run, barriers)
    assert isinstance(ended.told, dict), ended.output
    assert ended.told.pop("new privileges") == 1
    assert ended.told.pop("bounding set") == 0
    assert "done" not in ended.told.values(), ended.told


def test_a_file_has_a_bound(run: Path, barriers: tuple[str, ...]) -> None:
    text = (
        ATTEMPT
        + """
file = open("artefacts/large", "wb")
print(json.dumps([
    attempt(lambda: file.truncate(1 << 40)),
    attempt(lambda: os.pwrite(file.fileno(), b"x", 1 << 40)),
]))
"""
    )
    limits = Limits(file_bytes=1 << 20)
    ended = execute(text, run, barriers, (), limits)
    assert ended.told == ["File too large"] * 2, ended.output
    most = MEMORY_BYTES + confinement.MEMORY_SLACK_BYTES
    assert (run / "artefacts" / "large").stat().st_size <= most


def test_memory_has_a_bound(run: Path) -> None:
    needs(("namespaces",))
    text = (
        ATTEMPT
        + """
block = bytes(1 << 20)
def fill():
    for number in range(100):
        with open(os.environ["TMPDIR"] + f"/{number}", "wb") as file:
            for _ in range(10):
                file.write(block)
print(json.dumps(attempt(fill)))
"""
    )
    assert execute(text, run, ("namespaces",)).told == "No space left on device"


@pytest.mark.parametrize("end", ["os._exit(3)", "os.kill(os.getpid(), 11)"])
def test_the_launcher_ends_as_the_program_ends(
    run: Path, barriers: tuple[str, ...], end: str
) -> None:
    expected = 3 if "_exit" in end else -signal.SIGSEGV
    assert execute(f"import os; {end}", run, barriers).status == expected


def test_a_crash_is_told_as_its_signal(run: Path, barriers: tuple[str, ...]) -> None:
    text = "import ctypes; ctypes.string_at(0)"
    assert execute(text, run, barriers).status == -signal.SIGSEGV


def test_a_program_that_is_not_there(run: Path, tmp_path: Path) -> None:
    argv = confinement.command([str(tmp_path / "nosuch")], MEMORY_BYTES, None)
    done = subprocess.run(argv, cwd=run, capture_output=True, text=True)
    assert done.returncode == launcher.CANNOT_EXECUTE
    assert "nosuch: No such file or directory" in done.stdout


def test_a_barrier_that_fails_lets_nothing_run(run: Path) -> None:
    argv = confinement.command(
        ["/usr/bin/touch", "artefacts/ran"], MEMORY_BYTES, None, barriers=["landlock"]
    )
    argv = [word.replace("memory-folder=", "memory-folder=/nosuch") for word in argv]
    done = subprocess.run(argv, cwd=run, capture_output=True, text=True)
    assert done.returncode == launcher.CANNOT_CONFINE
    assert done.stdout.startswith("mpbench: cannot be confined: ")
    assert not (run / "artefacts" / "ran").exists()


@pytest.mark.parametrize("delay_s", [0.0, 0.005, 0.01, 0.02, 0.03, 0.05, 0.3])
def test_nothing_survives_the_parent(run: Path, delay_s: float) -> None:
    """Killed at any moment, also before the launcher has asked to be told of it."""
    root = Path(__file__).parents[2]
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-m", "tests.virtual.confined", str(run), str(delay_s)],
            cwd=root,
        )
        assert done.returncode == -signal.SIGKILL
        assert_gone(run)


def test_a_launcher_whose_parent_has_gone_starts_nothing(run: Path) -> None:
    """The parent ends before the launcher asks for a signal at its end."""
    argv = confinement.command(["/usr/bin/touch", "artefacts/ran"], MEMORY_BYTES, None)
    argv = [word if "parent=" not in word else "parent=1" for word in argv]
    assert subprocess.run(argv, cwd=run).returncode == launcher.CANNOT_CONFINE
    assert not (run / "artefacts" / "ran").exists()


def first_child(process: "subprocess.Popen[bytes]") -> str:
    """The number of a process's first child, as soon as it has one."""
    deadline_s = time.monotonic() + 20
    while not (
        children := Path(f"/proc/{process.pid}/task/{process.pid}/children")
        .read_text()
        .split()
    ):
        assert time.monotonic() < deadline_s
        time.sleep(0.01)
    return children[0]


def test_a_termination_ends_the_program(run: Path, barriers: tuple[str, ...]) -> None:
    argv = confinement.command(
        ["/bin/sleep", "99"], MEMORY_BYTES, None, confinement.SYSTEM, barriers
    )
    process = subprocess.Popen(argv, cwd=run, process_group=0)
    assert first_child(process)
    process.terminate()
    assert process.wait(20) == -signal.SIGKILL
    assert_gone(run)


def test_memory_has_huge_pages(run: Path) -> None:
    """A run without traffic took 1.3 times the CPU time without them."""
    needs(("namespaces",))
    if not Path("/sys/kernel/mm/transparent_hugepage").exists():
        pytest.skip("this host's kernel has no huge pages")
    argv = confinement.command(
        ["/bin/sleep", "99"], MEMORY_BYTES, None, confinement.SYSTEM, ("namespaces",)
    )
    process = subprocess.Popen(argv, cwd=run, process_group=0)
    mounts = Path(f"/proc/{first_child(process)}/mountinfo")
    deadline_s = time.monotonic() + 20
    while not (
        options := [
            line.split()[-1]
            for line in mounts.read_text().splitlines()
            if " /memory " in line
        ]
    ):
        assert time.monotonic() < deadline_s
        time.sleep(0.01)
    process.terminate()
    process.wait(20)
    assert "huge=within_size" in options[0].split(",")
