"""System calls that a guest does not need are refused, whatever barriers the host has.

The launcher's filter must hold without namespaces and without Landlock, so every attack
is tried with neither, with each alone, and with both.
"""

import errno
import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from mpbench.backends import confinement
from mpbench.kernel import launcher
from tests.hostile import own_filter
from tests.virtual.confined import execute

pytestmark = pytest.mark.slow

BOTH = confinement.BARRIERS
NUMBERS = Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
ATTEMPT = """
import ctypes, errno, json, os, resource, socket, stat, sys
libc = ctypes.CDLL(None, use_errno=True)

def attempt(act, *arguments):
    try:
        result = act(*arguments)
    except OSError as error:
        return errno.errorcode[error.errno]
    if isinstance(result, int) and result < 0:
        return errno.errorcode[ctypes.get_errno()]
    return "done"

def call(number, *arguments):
    return attempt(lambda: libc.syscall(number, *map(ctypes.c_long, arguments)))
"""


@pytest.fixture(params=[(), *((name,) for name in BOTH), BOTH], ids="+".join)
def barriers(request: pytest.FixtureRequest) -> tuple[str, ...]:
    chosen: tuple[str, ...] = request.param
    lacking = sorted({*chosen} - {*confinement.offered()})
    if lacking:
        pytest.skip(f"this host does not offer {', '.join(lacking)}")
    return chosen


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run's folder, beside which a user has files of their own."""
    (tmp_path / "precious").write_text("as it was")
    folder = tmp_path / "run"
    (folder / "artefacts").mkdir(parents=True)
    (folder / "job.json").write_text("{}")
    return folder


@pytest.fixture
def bystander() -> Iterator["subprocess.Popen[bytes]"]:
    """Another process of the same user, with a process group of its own."""
    process = subprocess.Popen(["/bin/sleep", "1000"], process_group=0)
    yield process
    process.kill()
    process.wait()


def told(
    text: str, run: Path, barriers: tuple[str, ...], *arguments: object
) -> dict[str, str]:
    """Outcome of each attempt of a confined program."""
    ended = execute(ATTEMPT + text, run, barriers, arguments)
    assert isinstance(ended.told, dict), ended.output
    return ended.told


def attributes(path: Path) -> tuple[object, ...]:
    about = path.stat()
    assert about.st_atime > 1
    return about.st_mode, about.st_uid, about.st_gid, about.st_mtime_ns


def test_modes_owners_and_dates_stay(run: Path, barriers: tuple[str, ...]) -> None:
    files = (run.parent / "precious", run / "job.json", run)
    before = [attributes(path) for path in files]
    text = """
outcomes = {}
for path in sys.argv[1:]:
    acts = {
        "mode": lambda: os.chmod(path, 0o777),
        "owner": lambda: os.chown(path, os.getuid(), os.getgid()),
        "link's owner": lambda: os.lchown(path, os.getuid(), os.getgid()),
        "dates": lambda: os.utime(path, (0, 0)),
        "attribute": lambda: os.setxattr(path, "user.x", b"x"),
        "attribute gone": lambda: os.removexattr(path, "user.x"),
    }
    outcomes |= {f"{name} of {path}": attempt(act) for name, act in acts.items()}
file = os.open(sys.argv[2], os.O_RDWR)
outcomes |= {
    "open file's mode": attempt(os.fchmod, file, 0o777),
    "open file's owner": attempt(os.fchown, file, os.getuid(), os.getgid()),
    "open file's dates": attempt(lambda: os.utime(file, (0, 0))),
    "mode by the newest call": call(452, -100, 0, 0, 0),
}
print(json.dumps(outcomes))
"""
    outcomes = told(text, run, barriers, *files)
    assert outcomes.pop("mode by the newest call") == "ENOSYS"
    assert {*outcomes.values()} <= {"EPERM", "ENOENT"}, outcomes
    assert [attributes(path) for path in files] == before


def test_files_that_are_only_read_keep_their_length(
    run: Path, barriers: tuple[str, ...]
) -> None:
    """Landlock before version 3 allows both of these everywhere."""
    text = """
print(json.dumps({
    "by name": attempt(os.truncate, sys.argv[1], 0),
    "while reading": attempt(os.open, sys.argv[1], os.O_RDONLY | os.O_TRUNC),
    "while reading, relative": attempt(
        lambda: os.open("job.json", os.O_RDONLY | os.O_TRUNC)),
    "old call": attempt(lambda: libc.syscall(2, sys.argv[1].encode(), os.O_TRUNC)),
}))
"""
    outcomes = told(text, run, barriers, run.parent / "precious")
    assert {*outcomes.values()} == {"EPERM"}
    assert (run.parent / "precious").read_text() == "as it was"
    assert (run / "job.json").read_text() == "{}"


def test_no_links_and_no_devices(run: Path, barriers: tuple[str, ...]) -> None:
    text = """
print(json.dumps({
    "symbolic": attempt(lambda: os.symlink("/etc/passwd", "artefacts/l")),
    "hard": attempt(lambda: os.link("job.json", "artefacts/j")),
    "pipe": attempt(os.mkfifo, "artefacts/p"),
    "device": attempt(lambda: os.mknod("artefacts/d", stat.S_IFCHR | 0o600, 0x103)),
}))
"""
    assert {*told(text, run, barriers).values()} == {"EPERM"}
    assert not list((run / "artefacts").iterdir())


def test_no_sockets(run: Path, barriers: tuple[str, ...]) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as server:
        server.bind(str(run.parent / "server"))
        server.settimeout(0.1)
        text = """
stream, _ = socket.socketpair()
def send(pair):
    message = [b"x"], [], 0, sys.argv[1]
    pair.sendmsg(*message)
print(json.dumps({
    **{
        f"{family}, {kind}": attempt(lambda: socket.socket(family, kind))
        for family in (1, 2, 10, 16, 17, 38, 40)
        for kind in (1, 2, 3, 5)
    },
    "pair of datagrams": attempt(lambda: socket.socketpair(type=socket.SOCK_DGRAM)),
    "pair with flags": attempt(lambda: socket.socketpair(
        type=socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)),
    "named from a pair": attempt(send, stream),
    "bind": attempt(lambda: stream.bind("artefacts/s")),
    "connect": attempt(lambda: stream.connect(sys.argv[1])),
    "sendto": attempt(lambda: stream.sendto(b"x", sys.argv[1])),
}))
"""
        outcomes = told(text, run, barriers, run.parent / "server")
        assert outcomes.pop("named from a pair") != "done"
        assert {*outcomes.values()} == {"EPERM"}, outcomes
        with pytest.raises(TimeoutError):
            server.recv(1)


def test_other_processes_are_left_alone(
    run: Path, barriers: tuple[str, ...], bystander: "subprocess.Popen[bytes]"
) -> None:
    """Signal 0 only asks for permission. Without the filter all calls would do more."""
    before = os.sched_getaffinity(bystander.pid), os.getpriority(0, bystander.pid)
    text = """
other = int(sys.argv[1])
CPUS = (ctypes.c_ulong * 16)(1)
print(json.dumps({
    "limits": attempt(lambda: resource.prlimit(
        other, resource.RLIMIT_NOFILE, (3, 3))),
    "CPUs": attempt(lambda: libc.sched_setaffinity(other, 128, CPUS)),
    "priority": attempt(lambda: os.setpriority(os.PRIO_PROCESS, other, 19)),
    "class": attempt(lambda: os.sched_setscheduler(
        other, os.SCHED_BATCH, os.sched_param(0))),
    "all": attempt(os.kill, -1, 0),
    "group": attempt(os.kill, -other, 0),
    "group's SIGIO": attempt(lambda: libc.fcntl(1, 8, -other)),
    "group's SIGIO, again": call(72, 1, 15, 0),
    "queue": call(129, other, 0, 0),
    "tkill": call(200, other, 0),
    "trace": attempt(lambda: libc.ptrace(0x4206, other, 0, 0)),
    "attach": attempt(lambda: libc.ptrace(16, other, 0, 0)),
    "read": call(310, other, 0, 0, 0, 0, 0),
    "write": call(311, other, 0, 0, 0, 0, 0),
    "compare": call(312, other, other, 0, 0, 0),
    "io priority": call(251, 1, other, 0),
    "memory's node": call(256, other, 0, 0, 0),
}))
"""
    outcomes = told(text, run, barriers, bystander.pid)
    assert {*outcomes.values()} == {"EPERM"}, outcomes
    assert bystander.poll() is None
    after = os.sched_getaffinity(bystander.pid), os.getpriority(0, bystander.pid)
    assert after == before


def test_no_namespaces_of_its_own(run: Path, barriers: tuple[str, ...]) -> None:
    """In a user namespace of its own, a process has all capabilities again."""
    text = """
CLONES = {"user": 1 << 28, "mount": 1 << 17, "process": 1 << 29, "network": 1 << 30}
print(json.dumps({
    **{f"unshare {name}": attempt(libc.unshare, flag) for name, flag in CLONES.items()},
    **{f"clone {name}": call(56, flag | 17, 0, 0, 0, 0)
       for name, flag in CLONES.items()},
    "clone3": call(435, 0, 0),
}))
"""
    outcomes = told(text, run, barriers)
    assert outcomes.pop("clone3") == "ENOSYS"
    assert {*outcomes.values()} == {"EPERM"}, outcomes


def test_a_terminal_cannot_be_typed_into(run: Path, barriers: tuple[str, ...]) -> None:
    text = """
import fcntl
print(json.dumps({
    "type": attempt(lambda: fcntl.ioctl(1, 0x5412, b"x")),
    "paste": attempt(lambda: fcntl.ioctl(1, 0x541C, b"x")),
    "take": attempt(lambda: fcntl.ioctl(1, 0x540E, 0)),
}))
"""
    assert {*told(text, run, barriers).values()} == {"EPERM"}


def test_every_call_that_the_filter_does_not_list_is_refused(
    run: Path, barriers: tuple[str, ...]
) -> None:
    listed = set(re.findall(r"\bSYS_(\w+)", (launcher.SOURCE / "filter.c").read_text()))
    defined = re.findall(r"#define __NR_(\w+) (\d+)", NUMBERS.read_text())
    numbers = {name: int(number) for name, number in defined}
    assert listed <= numbers.keys() and len(numbers) > 350
    allowed = {numbers[name] for name in listed}
    # These two belong to probes, and the kernel asks no filter. They do nothing outside
    # of a probe, but end the process.
    probes = {335, 336}
    refused = sorted({*range(600)} - allowed - probes)
    text = """
refused = json.loads(sys.argv[1])
print(json.dumps({number: call(number, -1, -1, -1, -1, -1, -1) for number in refused}))
"""
    outcomes = told(text, run, barriers, refused)
    expected = {str(n): "EPERM" if n < 424 else "ENOSYS" for n in refused}
    assert outcomes == expected


def test_calls_of_32_bit_programs_are_refused(
    run: Path, barriers: tuple[str, ...]
) -> None:
    """Their numbers stand for other calls: 20 is getpid there and writev here."""
    text = """
import mmap
# push rbx; mov eax, 20; int 0x80; pop rbx; ret
code = bytes.fromhex("53 b8 14000000 cd80 5b c3")
page = mmap.mmap(-1, 4096, prot=7)
page.write(code)
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
print(json.dumps([ctypes.CFUNCTYPE(ctypes.c_int)(address)()]))
"""
    ended = execute(ATTEMPT + text, run, barriers)
    if ended.status != -signal.SIGSEGV:  # the host has no such calls
        assert ended.told == [-errno.ENOSYS], ended.output


def test_what_a_guest_needs_is_allowed(run: Path, barriers: tuple[str, ...]) -> None:
    text = """
first, second = socket.socketpair()
socket.send_fds(first, [b"x"], [os.open("job.json", os.O_RDONLY)])
_, (passed,), _, _ = socket.recv_fds(second, 1, 1)
child = os.fork()
if child == 0:
    libc.prctl(38, 1, 0, 0, 0)
    os._exit(7)
print(json.dumps({
    "passed": os.read(passed, 2).decode(),
    "child": os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]),
    "memory": os.memfd_create("m") > 0,
    "limits": resource.getrlimit(resource.RLIMIT_CORE) == (0, 0),
    "signal": attempt(os.kill, os.getpid(), 0),
}))
"""
    outcomes = told(text, run, barriers)
    assert outcomes == {
        "passed": "{}",
        "child": 7,
        "memory": True,
        "limits": True,
        "signal": "done",
    }


def test_no_descriptor_of_the_launcher_is_left(
    run: Path, barriers: tuple[str, ...]
) -> None:
    """A pipe to the launcher would let a guest make up how its process ended."""
    text = """
left = []
for number in range(3, 100):
    try:
        os.fstat(number)
        left.append(number)
    except OSError:
        pass
print(json.dumps(left))
"""
    assert execute(ATTEMPT + text, run, barriers).told == []


def test_a_filter_that_cannot_be_set_lets_nothing_run(run: Path) -> None:
    """As in a sandbox that refuses seccomp; here, a filter of the test's own does."""
    inner = confinement.command(
        ["/usr/bin/touch", "artefacts/ran"], 1 << 20, None, barriers=[]
    )
    wrapped = [*inner[:1], "parent=PID", *inner[2:]]
    done = subprocess.run(
        ["/usr/bin/python3", "-c", WITHOUT_SECCOMP, *wrapped],
        cwd=run,
        capture_output=True,
        text=True,
    )
    assert done.returncode == launcher.CANNOT_CONFINE
    assert done.stdout == (
        "mpbench: cannot be confined: seccomp: Operation not permitted\n"
    )
    assert not (run / "artefacts" / "ran").exists()


# ld nr; jeq seccomp, 0, 1; ret EPERM; ret ALLOW
WITHOUT_SECCOMP = own_filter.program(
    "(0x20, 0, 0, 0), (0x15, 0, 1, 317), (6, 0, 0, 0x50001), (6, 0, 0, 0x7FFF0000)",
    first=1,
)
