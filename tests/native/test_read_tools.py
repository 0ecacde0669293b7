"""`mpbench-read` is compiled once, as a whole or not at all."""

import shutil
import subprocess
import sys
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


POLLS = """
import ctypes, os, sys, time
libc = ctypes.CDLL(None)
reader, writer = os.pipe()
def poll():
    reads = (ctypes.c_long * 16)()
    reads[reader // 64] = 1 << reader % 64
    now = (ctypes.c_long * 2)()
    return libc.select(reader + 1, reads, None, None, now)
begun = time.monotonic()
assert poll() == 0
first_s = time.monotonic() - begun
assert [poll() for _ in range(10)] == [0] * 10
others_s = time.monotonic() - begun - first_s
os.write(writer, b"x")
assert [poll() for _ in range(10)] == [1] * 10
ready_s = time.monotonic() - begun - first_s - others_s
print(first_s, others_s, ready_s)
"""


@compiler
def test_polls_in_a_row_wait(tmp_path: Path) -> None:
    """The first poll returns at once, those after it wait 10 ms each, unless there
    is something."""
    tool = read_tools.folder(tmp_path) / "mpbench-read"
    command = [str(tool), "0", sys.executable, "-c", POLLS]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    first_s, others_s, ready_s = map(float, shown.stdout.split())
    assert others_s >= 10 * 0.010
    assert min(first_s, ready_s) < 0.010


WRITABLE = """
import ctypes, os, sys, time
libc = ctypes.CDLL(None)
reader, writer = os.pipe()
answers, asks = os.pipe()
os.set_blocking(writer, False)
def ready():
    reads, writes = (ctypes.c_long * 16)(), (ctypes.c_long * 16)()
    reads[answers // 64] = 1 << answers % 64
    writes[writer // 64] = 1 << writer % 64
    long = (ctypes.c_long * 2)(5, 0)
    begun = time.monotonic()
    count = libc.select(1 + max(answers, writer), reads, writes, None, long)
    return count, bool(any(reads)), bool(any(writes)), time.monotonic() - begun
ignored = [ready() for _ in range(11)]
assert {each[:3] for each in ignored} == {(1, False, True)}
libc.write(writer, b"x", 1)
written = ready()
os.write(asks, b"x")
answered = ready()
assert answered[:3] == (1, True, False), answered
after = ready()
assert after[:3] == (2, True, True), after
print(ignored[0][3], sum(each[3] for each in ignored[1:]), written[3], answered[3])
"""


@compiler
def test_a_socket_that_nobody_writes_to_is_writable_after_a_while(
    tmp_path: Path,
) -> None:
    """It is found writable at once the first time and after a write, and else after
    10 ms, unless there is something to read."""
    tool = read_tools.folder(tmp_path) / "mpbench-read"
    command = [str(tool), "0", sys.executable, "-c", WRITABLE]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    first_s, ignored_s, written_s, answered_s = map(float, shown.stdout.split())
    assert ignored_s >= 10 * 0.010
    assert max(first_s, written_s, answered_s) < 0.010


RECEIVES = """
import fcntl, socket, sys, termios, threading, time
pause_s, rounds = float(sys.argv[1]), int(sys.argv[2])
listener = socket.create_server(("127.0.0.1", 0))
sender = socket.create_connection(listener.getsockname())
def send():
    try:
        while True:
            sender.sendall(bytes(1 << 20))
    except OSError:
        pass
threading.Thread(target=send, daemon=True).start()
receiver, _ = listener.accept()
portions = []
def queued():
    return int.from_bytes(fcntl.ioctl(receiver, termios.FIONREAD, bytes(4)), "little")
buffer = 1 << 30
for _ in range(rounds):
    end_s = time.monotonic() + pause_s
    while queued() < buffer * 3 / 8 and time.monotonic() < end_s:
        time.sleep(0.001)
    receiver.recv(1 << 24)
    portion = receiver.getsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT)
    buffer = receiver.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF)
    portions.append((portion, buffer))
    assert portion <= buffer / 8 or portion == 1, portions
print(*portions[0], *portions[-1])
"""


def received(
    tool: Path, asked_bytes: int, pause_s: float, rounds: int
) -> tuple[list[int], str]:
    """The portion and the buffer after the first read and after the last, and what
    `mpbench-read` said."""
    command = [str(tool), str(asked_bytes), sys.executable, "-c", RECEIVES]
    command += [str(pause_s), str(rounds)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    return [int(word) for word in shown.stdout.split()], shown.stderr


@compiler
def test_a_portion_is_a_quarter_of_the_window_at_most(tmp_path: Path) -> None:
    """A portion as large as the window stopped the sender, for ever."""
    tool = read_tools.folder(tmp_path) / "mpbench-read"
    (first, buffer, _, _), _ = received(tool, 1 << 20, 0.0, 50)
    assert 16384 <= first <= buffer // 8
    (first, _, last, _), _ = received(tool, 1000, 0.0, 50)
    assert (first, last) == (1000, 1000)
    (_, _, last, _), _ = received(tool, 0, 0.0, 5)
    assert last == 1


@compiler
def test_a_reader_that_holds_its_connection_says_so(tmp_path: Path) -> None:
    """A program that reads late finds the window full."""
    tool = read_tools.folder(tmp_path) / "mpbench-read"
    _, said = received(tool, 16384, 0.05, 25)
    assert said.startswith("mpbench-read: ")
    assert " of 25 reads found the receive window full" in said


IPERF3 = """#!{python}
import fcntl, os, select, socket, sys, termios
size, blocks = 16384, 10
listener = socket.create_server(("127.0.0.1", 0))
listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
sender = socket.create_connection(listener.getsockname())
sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
receiver, _ = listener.accept()
for each in (sender, receiver):
    flags = fcntl.fcntl(each, fcntl.F_GETFL)
    fcntl.fcntl(each, fcntl.F_SETFL, flags | os.O_NONBLOCK)
def queued():
    return int.from_bytes(fcntl.ioctl(receiver, termios.FIONREAD, bytes(4)), "little")
def read():
    assert select.select([receiver], [], [], 5) == ([receiver], [], [])
    return os.read(receiver.fileno(), size)
sent, block = [], b"x" * size
for _ in range(blocks):
    assert os.write(sender.fileno(), block) == size
    sent.append(queued() // size)
first = read()
left = queued() // size
others = [len(read()) // size for _ in range(blocks - 1)]
assert queued() == 0
print(sent[0], sent[-1], first.count(b"x") // size, left, *others)
"""


def bulk(folder: Path, *words: str, name: str = "iperf3") -> list[int]:
    """Blocks that had arrived after the first of ten writes and after the last, whether
    the first read gave data, blocks left then, and blocks that each other read gave."""
    tool = read_tools.folder(folder) / "mpbench-read"
    program = folder / name
    program.write_text(IPERF3.replace("{python}", sys.executable))
    program.chmod(0o755)
    command = [str(tool), *words, str(program)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True)
    return [*map(int, shown.stdout.split())]


@compiler
def test_only_what_iperf3_reads_is_not_copied(tmp_path: Path) -> None:
    assert bulk(tmp_path, "0") == [1, 10, 0, 9, *[1] * 9]
    assert bulk(tmp_path, "0", name="other") == [1, 10, 1, 9, *[1] * 9]


@compiler
def test_reads_at_once_what_is_read_in_turn(tmp_path: Path) -> None:
    assert bulk(tmp_path, "--all", "1048576") == [1, 10, 0, 0, *[1] * 9]


@compiler
def test_writes_at_once_what_is_written_in_turn(tmp_path: Path) -> None:
    assert bulk(tmp_path, "--ahead", "0") == [10, 10, 0, 9, *[1] * 9]


@compiler
def test_a_source_that_does_not_compile(tmp_path: Path) -> None:
    sources = tmp_path / "sources"
    sources.mkdir()
    (sources / "flows").mkdir()
    for name in ("mpbench-read.c", "flows/main.c"):
        (sources / name).write_text("int main(void) { return 0; }\n")
    (sources / "read-library.c").write_text("no C at all\n")
    cache = tmp_path / "cache"
    with pytest.raises(UserError, match=r"read-library\.c: gcc fails"):
        read_tools.folder(cache, sources)
    assert list(cache.iterdir()) == []


def test_no_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(UserError, match=r"gcc: not found.*apt-get install gcc"):
        read_tools.folder(tmp_path)


def test_a_cache_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="set XDG_CACHE_HOME"):
        read_tools.folder(tmp_path / "file" / "cache")
