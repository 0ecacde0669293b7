"""Run the traffic: start servers first and clients at their times, until all end."""

import contextlib
import json
import math
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from mpbench.guest import ready
from mpbench.guest.changes import Changes
from mpbench.guest.events import KernelEvents
from mpbench.guest.fabric_changes import FabricChanges
from mpbench.guest.host_changes import HostChanges
from mpbench.guest.middleboxes import Boxes
from mpbench.guest.network import Nodes
from mpbench.guest.sampling import Trace
from tools.processes import Process

LISTEN_DEADLINE_S = 10.0
LISTEN_POLL_S = 0.0005
SERVER_GRACE_S = 5.0
"""Time that a server may run after its clients have ended."""
ALIGNED_NS = 100_000_000
PREPARATION_NS = 1_000_000
PATIENCE_S, FAR_S = 3600.0, math.inf
TCP_LISTEN, UDP_OPEN = "0A", "07"
TCP_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
UDP_TABLES = ("/proc/net/udp", "/proc/net/udp6")


class LateTimers:
    """Measures how much time a machine in real time loses, by timers that fire late.

    It has no part in virtual time, where timers fire at their very instant and a
    further timer would change the run.
    """

    PERIOD_S = 0.01
    USUAL_S = 0.001
    """Lateness that an idle machine has, too."""

    def __init__(self) -> None:
        self.watched_s = self.lost_s = self.longest_s = 0.0

    def note(self, asked_s: float, took_s: float, fired: bool) -> None:
        """Count a wait for so long, which ended by its timer if `fired`."""
        self.watched_s += took_s
        late_s = took_s - asked_s
        if fired and late_s > self.USUAL_S:
            self.lost_s += late_s
            self.longest_s = max(self.longest_s, late_s)

    def record(self) -> dict[str, float]:
        return {
            "traffic_s": round(self.watched_s, 6),
            "lost_s": round(self.lost_s, 6),
            "longest_s": round(self.longest_s, 6),
        }


class TrafficError(Exception):
    """Traffic could not start, or did not end by itself."""


class Started:
    """A process that was started, its times, and the files of its output."""

    def __init__(
        self, process: Process, network: Nodes, folder: Path, zero_s: float = 0.0
    ) -> None:
        self.process = process
        self.argv = list(process.argv)
        if process.zero:
            self.argv.append(str(round(zero_s * 1e9)))
        self.ended: float | None = None
        self.stopped: float | None = None
        self.output = folder / process.output
        self.error = self.output.with_suffix(".err")
        for name, content in process.files:
            _make(Path(name), content)
        for name, _ in process.leaves:
            Path(name).parent.mkdir(parents=True, exist_ok=True)
        self.began = time.monotonic()
        with (
            (folder / process.output).open("wb") as out,
            self.error.open("wb") as err,
        ):
            self.popen = network.nodes[process.host].popen(
                self.argv,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                cwd="/tmp",
                preexec_fn=ready.bounded(process.most_bytes),
            )

    def keep(self, folder: Path) -> None:
        """Move the files that it has written, if there are any, to the artefacts."""
        for path, name in self.process.leaves:
            # The host lets no guest change the mode or the dates of a file.
            if Path(path).is_dir():
                for file in sorted(Path(path).iterdir()):
                    if file.is_file() and not file.name.startswith("."):
                        shutil.copyfile(file, folder / f"{name}-{file.name}")
            elif Path(path).exists():
                shutil.move(path, folder / name, shutil.copyfile)

    def record(self, zero: float) -> dict[str, Any]:
        record = {
            "name": self.process.name,
            "host": self.process.host,
            "argv": self.argv,
            "exit_code": self.popen.returncode,
            "start_s": round(self.began - zero, 9),
            "end_s": None if self.ended is None else round(self.ended - zero, 9),
        }
        if self.stopped is not None:
            record["stopped_s"] = round(self.stopped - zero, 9)
        return record


def run(
    processes: Sequence[Process],
    network: Nodes,
    folder: Path,
    records: Sequence[Trace] = (),
    timers: LateTimers | None = None,
    changes: Changes | FabricChanges | HostChanges | Boxes | None = None,
    events: KernelEvents | None = None,
    until_s: float = FAR_S,
    hanging: Callable[[], None] = lambda: None,
    begun: Callable[[int], None] = lambda _: None,
) -> list[dict[str, Any]]:
    """Run all processes; returns a record of each.

    records : record windows or queues until all clients have ended
    events : begin with the traffic, and go on
    timers : measures the time that a machine in real time loses until then
    changes : makes the changes of links until then
    until_s : monotonic time at which clients that still go on are ended; `stopped_s`
        in the record of such a client is this time, and `end_s` is None
    hanging : called before such clients are ended
    begun : called with the beginning of the traffic, ns of the monotonic clock

    Raises TrafficError if a server does not start to listen. A client that fails raises
    nothing: its exit code and output say what happened.
    """
    if any(process.leaves for process in processes):
        # The bundle executes `shutil` now. After `align`, the failed look-ups of its
        # imports would take virtual time.
        _ = shutil.move
    # Blocked, so that sigtimedwait returns at the instant when a process ends.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    align(next_aligned_ns())
    servers = [
        Started(process, network, folder)
        for process in processes
        if process.role == "server"
    ]
    for server in servers:
        _wait_until_ready(server, network)
    _note_ended(servers)
    until = next_aligned_ns()
    if events:
        events.begin(until)
    align(until)
    zero = time.monotonic()
    begun(round(zero * 1e9))
    waiting = sorted(
        (process for process in processes if process.role == "client"),
        key=lambda process: process.start_s,
    )
    clients: list[Started] = []
    for record in records:
        record.begin(zero)
    if changes:
        changes.begin(zero)
    while waiting or any(client.ended is None for client in clients):
        if time.monotonic() >= until_s:
            break
        if changes:
            changes.take()
        while waiting and time.monotonic() - zero >= waiting[0].start_s:
            clients.append(Started(waiting.pop(0), network, folder, zero))
        due_s = min((_taken(record) for record in records), default=FAR_S)
        if waiting:
            due_s = min(due_s, zero + waiting[0].start_s)
        if changes:
            due_s = min(due_s, changes.due_s())
        due_s = min(due_s, until_s)
        left_s = max(min(due_s - time.monotonic(), PATIENCE_S), 0.0)
        if timers:
            left_s = min(left_s, timers.PERIOD_S)
        with timers_on_time() if changes else contextlib.nullcontext():
            _wait_for_child([*clients, *servers], left_s, timers)
    for record in records:
        record.end()
    _stop(clients, hanging)
    ending = [server for server in servers if not server.process.lasting]
    deadline = time.monotonic() + SERVER_GRACE_S
    while any(s.ended is None for s in ending) and time.monotonic() < deadline:
        _wait_for_child(ending, deadline - time.monotonic())
    for server in servers:
        if server.ended is None:
            ready.end(server.popen)
    for started in [*servers, *clients]:
        started.keep(folder)
    if changes:
        changes.end()
    return [started.record(zero) for started in [*servers, *clients]]


def _stop(clients: Sequence[Started], hanging: Callable[[], None]) -> None:
    """End the clients that still go on, after a call of `hanging` if there are any.

    Most tools report what they have measured when SIGTERM ends them.
    """
    left = [client for client in clients if client.ended is None]
    if not left:
        return
    hanging()
    now = time.monotonic()
    for client in left:
        client.stopped = now
        ready.end(client.popen)


def _taken(record: Trace) -> float:
    """Take the sample that is due, if one is. The monotonic time of the next one."""
    if time.monotonic() >= record.due_s():
        record.take()
    return record.due_s()


def _make(path: Path, content: str | int) -> None:
    """Make a file of text, or a sparse file of zeros, which needs no memory."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, str):
        path.write_text(content)
    else:
        with path.open("wb") as file:
            file.truncate(content)


def next_aligned_ns() -> int:
    """The next tenth of a second, in nanoseconds of the monotonic clock.

    There is time left to prepare something that costs virtual time.
    """
    return ((time.monotonic_ns() + PREPARATION_NS) // ALIGNED_NS + 1) * ALIGNED_NS


def align(until: int) -> None:
    """Wait for this time of the monotonic clock, to the nanosecond.

    The steps before take longer on a host that lacks a file: a failed look-up costs
    virtual time. From here on, all runs are alike, and all begin at the same phase of
    the kernel's timers.
    """
    with timers_on_time():
        while (left_ns := until - time.monotonic_ns()) > 0:
            # Half a nanosecond less, because the call rounds up.
            signal.sigtimedwait([], (left_ns - 0.5) / 1e9)


@contextlib.contextmanager
def timers_on_time() -> Iterator[None]:
    """Let this process wake at the very nanosecond, not some microseconds later.

    Processes that are started meanwhile would inherit this.
    """
    slack = Path("/proc/self/timerslack_ns")
    before = slack.read_text()
    slack.write_text("1")
    try:
        yield
    finally:
        slack.write_text(before)


def _wait_for_child(
    started: Sequence[Started], timeout_s: float, timers: LateTimers | None = None
) -> None:
    """Wait until a child ends or the time is over, and note which children have ended.

    The signal of a child that ended before the call is still pending.
    """
    began_s = time.monotonic() if timers else 0.0
    ended = signal.sigtimedwait([signal.SIGCHLD], timeout_s) is not None
    if timers:
        timers.note(timeout_s, time.monotonic() - began_s, fired=not ended)
    if ended:
        _note_ended(started)


def _note_ended(started: Sequence[Started]) -> None:
    for child in started:
        if child.ended is None and child.popen.poll() is not None:
            child.ended = time.monotonic()


def _wait_until_ready(server: Started, network: Nodes) -> None:
    port, text = server.process.listens, server.process.says
    deadline = time.monotonic() + LISTEN_DEADLINE_S
    namespace = network.nodes[server.process.host].namespace

    def is_ready() -> bool:
        if text is not None:
            return ready.says(text, server.output, server.error)
        return port is None or _listens(namespace, port, server.process.udp)

    while not is_ready():
        ended = server.popen.poll() is not None
        if ended or time.monotonic() > deadline:
            late = f"was not up after {LISTEN_DEADLINE_S:g} s"
            what = "ended at once" if ended else late
            if server.popen.returncode == -signal.SIGXFSZ:
                most = server.process.most_bytes or 0
                what = f"wrote a file of more than {most >> 20} MiB"
            lacks = f"port {port} does not listen"
            if text is not None:
                lacks = f"no line of its output has '{text}'"
            raise TrafficError(
                f"{server.process.name}: {lacks}: "
                f"the server {what} ({' '.join(server.process.argv)})"
                f"{_last_words(server)}"
            )
        signal.sigtimedwait([signal.SIGCHLD], LISTEN_POLL_S)


def _last_words(server: Started) -> str:
    """The error in a server's report, or the last line of its errors, to be added to a
    reason; empty if none.

    iperf3 with --json says in its report why it ends, and only that it does in a line.
    """
    lines = server.error.read_text(errors="replace").split("\n")
    said = next((line.strip() for line in lines[::-1] if line.strip()), "")
    with server.output.open("rb") as output:
        report = output.read(ready.LOOKED_BYTES)
    with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
        said = json.loads(report)["error"] or said
    return f": {said}" if said else ""


def _listens(namespace: Any, port: int, udp: bool) -> bool:
    wanted = UDP_OPEN if udp else TCP_LISTEN
    with namespace.entered():
        for name in UDP_TABLES if udp else TCP_TABLES:
            if not Path(name).exists():
                continue
            for line in Path(name).read_text().splitlines()[1:]:
                _, local, _, state, *_ = line.split()
                if state == wanted and int(local.rpartition(":")[2], 16) == port:
                    return True
    return False
