"""Each barrier of the launcher by itself, so that no other one hides its loss.

What the host's kernel says about a confined process is read from outside. The filter of
system calls refuses most attacks before Landlock and namespaces are asked, so those two
are tried with a launcher that sets no filter.
"""

import contextlib
import errno
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mpbench.kernel import barriers as launching
from mpbench.kernel import launcher
from mpbench.kernel.barriers import Bounds
from tests.hostile import own_filter
from tests.hostile.test_system_calls import ATTEMPT
from tests.virtual.confined import PYTHON, execute

SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
BOUNDS = Bounds(4 << 20, 2 << 20, Path("/tmp"), address_bytes=1 << 30, cpu_s=77)
NAMESPACES = ("ipc", "mnt", "net", "pid", "user", "uts")
OUTSIDE_ERRNO = errno.EXFULL
FILTERED = "\tfilter_calls(options->builds);\n\texecv("


def needs(*barriers: str) -> None:
    lacking = sorted({*barriers} - {*launching.offered()})
    if lacking:
        pytest.skip(f"this host does not offer {', '.join(lacking)}")


@pytest.fixture(scope="module")
def no_filter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A launcher that is as it should be, but sets no filter of system calls."""
    folder = tmp_path_factory.mktemp("launcher")
    source = folder / "source"
    shutil.copytree(launcher.SOURCE, source)
    text = (source / "launcher.c").read_text()
    assert text.count(FILTERED) == 1
    (source / "launcher.c").write_text(text.replace(FILTERED, "\texecv("))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launcher, "SOURCE", source)
        patch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
        yield


@pytest.fixture
def run(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    (folder / "artefacts").mkdir(parents=True)
    return folder


def told(text: str, run: Path, barrier: str, *arguments: object) -> dict[str, str]:
    ended = execute(ATTEMPT + text, run, (barrier,), arguments)
    assert isinstance(ended.told, dict), ended.output
    return ended.told


@contextlib.contextmanager
def sleeper(run: Path, *barriers: str, inherited: int = 0) -> Iterator[Path]:
    """The host's files about a confined process that sleeps (/proc/PID).

    inherited : a descriptor of the caller's that the launcher is given; 0 for none
    """
    argv = launching.command(["/usr/bin/sleep", "99"], BOUNDS, SYSTEM, barriers)
    process = subprocess.Popen(
        argv, cwd=run, process_group=0, pass_fds=[inherited] if inherited else []
    )
    deadline_s = time.monotonic() + 30
    found = None
    while found is None:
        assert process.poll() is None and time.monotonic() < deadline_s
        found = sleeping(process.pid)
    try:
        yield found
    finally:
        process.terminate()
        process.wait(20)


def sleeping(parent: int) -> Path | None:
    """The process below another one that executes `sleep`."""
    below = [parent]
    for each in below:
        folder = Path(f"/proc/{each}")
        with contextlib.suppress(OSError):
            words = (folder / "cmdline").read_bytes()
            if words.endswith(b"sleep\x0099\x00") and b"parent=" not in words:
                return folder
            children = (folder / f"task/{each}/children").read_text().split()
            below += [int(word) for word in children]
    return None


@pytest.mark.parametrize("name", NAMESPACES)
def test_each_namespace_is_its_own(run: Path, name: str) -> None:
    needs("namespaces")
    with sleeper(run, "namespaces") as process:
        inside = (process / "ns" / name).readlink()
    assert inside != Path(f"/proc/self/ns/{name}").readlink()


def test_the_root_holds_what_is_shown_and_nothing_else(run: Path) -> None:
    needs("namespaces")
    with sleeper(run, "namespaces") as process:
        mounts = [line.split() for line in
                  (process / "mountinfo").read_text().splitlines()]  # fmt: skip
        names = {path.name for path in (process / "root").iterdir()}
    points = {words[4]: {*words[5].split(",")} for words in mounts}
    shown = {path for path in SYSTEM if Path(path).is_dir()}
    program = os.path.realpath("/usr/bin/sleep")
    expected = {"/", "/memory", "/proc/cpuinfo", program, str(run), *shown}
    real = {str(Path(path).resolve()) for path in shown}
    assert {path for path in points if not path.startswith("/usr/")} <= expected | real
    assert {"/", "/memory", "/proc/cpuinfo", str(run)} <= points.keys()
    for path, options in points.items():
        assert {"nosuid", "nodev"} <= options, path
        assert ("ro" in options) == (path not in ("/memory", str(run))), path
    listed = {f"/{part}".split("/")[1] for part in map(str.strip, expected)}
    first = {path.split("/")[1] for path in (*SYSTEM, str(run), "/memory")}
    empty = {"proc", "sys", "dev", "run", "root", "tmp"}
    assert names <= first | empty | listed, names


def test_it_has_no_capability_and_can_gain_none(run: Path) -> None:
    with sleeper(run) as process:
        lines = (process / "status").read_text().splitlines()
    status = dict(line.split(":\t", 1) for line in lines if ":\t" in line)
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert int(status[name], 16) == 0, name
    assert status["NoNewPrivs"] == "1"
    assert status["Seccomp"] == "2"


INHERITABLE = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
head, data = struct.pack("Ii", 0x20080522, 0), ctypes.create_string_buffer(24)
assert libc.syscall(125, head, data) == 0
_, permitted, _, _, more, _ = struct.unpack("6I", data.raw[:24])
full = struct.pack("6I", permitted, permitted, permitted, more, more, more)
assert libc.syscall(126, head, full) == 0
words = [w.replace("parent=PID", f"parent={os.getppid()}") for w in sys.argv[1:]]
os.execv(words[0], words)
"""


def test_a_caller_s_inheritable_capabilities_end_with_it(run: Path) -> None:
    """An empty bounding set does not take these away."""
    if os.getuid():
        pytest.skip("an ordinary user has none")
    argv = launching.command(["/usr/bin/grep", "Cap", "/proc/self/status"], BOUNDS,
                             SYSTEM, ())  # fmt: skip
    done = subprocess.run(
        ["/usr/bin/python3", "-c", INHERITABLE, argv[0], "parent=PID", *argv[2:]],
        cwd=run, capture_output=True, text=True,
    )  # fmt: skip
    assert {int(line.split()[1], 16) for line in done.stdout.splitlines()} == {0}


def test_its_limits_are_those_that_it_was_given(run: Path) -> None:
    with sleeper(run) as process:
        text = (process / "limits").read_text()
    limits = {line[:26].strip(): line[26:].split()[:2] for line in text.splitlines()}
    assert limits["Max core file size"] == ["0", "0"]
    assert limits["Max file size"] == [str(4 << 20)] * 2
    assert limits["Max address space"] == [str(1 << 30)] * 2
    assert limits["Max cpu time"] == ["77", "77"]


@pytest.mark.parametrize("barriers", [(), ("namespaces",), ("landlock",)])
def test_it_has_a_session_of_its_own(run: Path, barriers: tuple[str, ...]) -> None:
    """In that of the user it could type into the user's terminal."""
    needs(*barriers)
    with sleeper(run, *barriers) as process:
        fields = (process / "stat").read_text().rpartition(")")[2].split()
    assert fields[3] == process.name


@pytest.mark.parametrize("barriers", [(), ("namespaces",), ("landlock",)])
def test_a_descriptor_of_the_caller_s_is_closed(
    run: Path, barriers: tuple[str, ...]
) -> None:
    needs(*barriers)
    read, write = os.pipe()
    try:
        with sleeper(run, *barriers, inherited=write) as process:
            # The program may just be reading a library or a locale.
            end = time.monotonic() + 10
            while True:
                open_ones = {path.name for path in (process / "fd").iterdir()}
                if open_ones == {"0", "1", "2"} or time.monotonic() > end:
                    break
                time.sleep(0.05)
    finally:
        os.close(read)
        os.close(write)
    assert open_ones == {"0", "1", "2"}


# ld nr; jge 512, 0, 1; ret OUTSIDE_ERRNO; ret ALLOW
OUTER = own_filter.program(
    "(0x20, 0, 0, 0), (0x35, 0, 1, 512), (6, 0, 0, 0x50000 | int(sys.argv[1])),"
    " (6, 0, 0, 0x7FFF0000)",
    first=2,
)
INNER = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for number in (512, 600, 0x40000000 + 39):
    libc.syscall(number)
    print(ctypes.get_errno())
"""


def test_calls_above_the_list_are_refused_by_the_filter_itself(run: Path) -> None:
    """The host's kernel has no such calls and would refuse them with the same number.

    An outer filter refuses them with another number. Of two filters that refuse a call,
    the inner one's number counts.
    """
    argv = launching.command(
        [PYTHON, "-S", "-c", INNER], Bounds(1 << 20, 1 << 20), SYSTEM, ()
    )
    words = [argv[0], "parent=PID", *argv[2:]]
    done = subprocess.run(
        ["/usr/bin/python3", "-c", OUTER, str(OUTSIDE_ERRNO), *words],
        cwd=run, capture_output=True, text=True,
    )  # fmt: skip
    assert done.stdout.split() == [str(errno.ENOSYS)] * 3, done.stdout + done.stderr


@pytest.mark.usefixtures("no_filter")
def test_landlock_alone_refuses_links_devices_and_sockets(run: Path) -> None:
    needs("landlock")
    text = """
print(json.dumps({
    "symbolic": attempt(lambda: os.symlink("/etc/passwd", "artefacts/l")),
    "pipe": attempt(os.mkfifo, "artefacts/p"),
    "device": attempt(lambda: os.mknod("artefacts/d", stat.S_IFBLK | 0o600, 0x800)),
    "socket": attempt(lambda: socket.socket(socket.AF_UNIX).bind("artefacts/s")),
}))
"""
    outcomes = told(text, run, "landlock")
    assert outcomes.pop("device") in ("EACCES", "EPERM")  # by its lost capability
    assert {*outcomes.values()} == {"EACCES"}, outcomes


@pytest.mark.usefixtures("no_filter")
def test_landlock_alone_refuses_tcp(run: Path) -> None:
    needs("landlock")
    if launching.landlock_version() < 4:
        pytest.skip("Landlock has no rules for TCP here")
    with socket.create_server(("127.0.0.1", 0)) as server:
        text = """
print(json.dumps({
    "connect": attempt(lambda: socket.create_connection(
        ("127.0.0.1", int(sys.argv[1])), 5)),
    "bind": attempt(lambda: socket.socket().bind(("127.0.0.1", 0))),
}))
"""
        outcomes = told(text, run, "landlock", server.getsockname()[1])
    assert {*outcomes.values()} == {"EACCES"}, outcomes


@pytest.mark.usefixtures("no_filter")
def test_landlock_alone_keeps_signals_and_abstract_sockets_in(run: Path) -> None:
    needs("landlock")
    if launching.landlock_version() < 6:
        pytest.skip("Landlock has no scopes here")
    name = f"mpbench-single-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as hidden:
        hidden.bind(f"\0{name}")
        hidden.listen()
        text = """
print(json.dumps({
    "signal": attempt(os.kill, int(sys.argv[1]), 0),
    "socket": attempt(lambda: socket.socket(socket.AF_UNIX).connect(
        chr(0) + sys.argv[2])),
}))
"""
        outcomes = told(text, run, "landlock", os.getpid(), name)
    assert {*outcomes.values()} == {"EPERM"}, outcomes


@pytest.mark.usefixtures("no_filter")
def test_landlock_alone_lets_no_file_outside_be_opened_or_cut(run: Path) -> None:
    needs("landlock")
    precious = run.parent / "precious"
    precious.write_text("as it was")
    text = """
print(json.dumps({
    "read": attempt(lambda: open(sys.argv[1]).read()),
    "write": attempt(lambda: open(sys.argv[1], "w")),
    "cut": attempt(os.truncate, sys.argv[1], 0),
    "list": attempt(lambda: os.listdir(os.path.dirname(sys.argv[1])) and 0),
    "remove": attempt(os.unlink, sys.argv[1]),
    "usr": attempt(lambda: open("/usr/new-file", "w")),
}))
"""
    outcomes = told(text, run, "landlock", precious)
    assert {*outcomes.values()} == {"EACCES"}, outcomes
    assert precious.read_text() == "as it was"


@pytest.mark.usefixtures("no_filter")
def test_namespaces_alone_have_no_network(run: Path) -> None:
    needs("namespaces")
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as hidden,
    ):
        name = f"mpbench-alone-{os.getpid()}"
        hidden.bind(f"\0{name}")
        hidden.listen()
        text = """
print(json.dumps({
    "tcp": attempt(lambda: socket.create_connection(
        ("127.0.0.1", int(sys.argv[1])), 5)),
    "interfaces": ",".join(name for _, name in socket.if_nameindex()),
    "abstract": attempt(lambda: socket.socket(socket.AF_UNIX).connect(
        chr(0) + sys.argv[2])),
}))
"""
        outcomes = told(text, run, "namespaces", server.getsockname()[1], name)
    assert outcomes.pop("interfaces") == "lo"
    assert {*outcomes.values()} <= {"ENETUNREACH", "ECONNREFUSED"}, outcomes
