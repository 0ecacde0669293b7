"""The features of a kernel, asked of the kernel itself in a guest, once.

A variant of mpbench's kernel may lack a scheduler, a controller or a sysctl, and a
patch may add one. The folder of a variant has its features in `features.json`.
"""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from jobs import Job, Transport
from mpbench.backends.base import Bounds, Exit
from mpbench.errors import UserError
from mpbench.kernel.faults import KernelFault
from mpbench.spec.suggestions import nearest
from mpbench.store import scratch

FILE = "features.json"
BOUND_S = 60.0
BOUNDS = Bounds(virtual_s=BOUND_S, wall_s=5 * BOUND_S, silence_s=2 * BOUND_S)
PATIENT = Bounds(virtual_s=BOUND_S, wall_s=30 * BOUND_S, silence_s=10 * BOUND_S)
"""Of a second attempt, where a busy machine gave the first one next to no time."""
LEAST_CPU_S = 30.0
"""CPU time in which every kernel that works says something, in QEMU too."""
CONSOLE = "; its console ends with: "
"""Between the reason why a kernel does not run and the last lines of its console."""
TAIL = 5
"""Lines of the console that a kernel which does not boot is told with."""
LEVEL = re.compile(r"^<\d>")
"""The level of a line of the kernel's log."""
REGISTERS = re.compile(r"(?:[A-Z]{2,3}|R\d\d|CR\d|EFLAGS): ?[0-9a-f(]|Code: |Stack:")
"""The beginning of lines that say nothing to a reader."""
Execute = Callable[[Path, Bounds], Exit]
"""Boots the kernel within bounds, and leaves what its command left in a folder."""
PROBE = "import sys; from mpbench.guest.features import main; sys.exit(main())"


class DoesNotRunError(KernelFault):
    """A kernel that never finished a run."""

    def __init__(self, words: str, reason: str) -> None:
        super().__init__("", {"": reason})
        self._words = words

    def __str__(self) -> str:
        return f"kernel ({self._words}): {super().__str__()}"


@dataclass(frozen=True)
class Features:
    """The names of all that a kernel has.

    schedulers : of MPTCP; none if the kernel has no MPTCP
    sysctls : names below net.
    counters : names of nstat
    """

    controllers: tuple[str, ...]
    schedulers: tuple[str, ...]
    path_managers: tuple[str, ...]
    sysctls: tuple[str, ...]
    counters: tuple[str, ...]
    fabric: bool
    release: str


@dataclass(frozen=True)
class Lack:
    """A need that a kernel does not meet.

    key : of the part of the experiment file, below the transport
    """

    key: tuple[str, ...]
    words: str


def kept(folder: Path) -> Features | None:
    """The features of a kernel, from its folder; None if it was not asked yet."""
    try:
        return _read(folder / FILE)
    except (OSError, ValueError, TypeError, KeyError):
        return None


def of(folder: Path, words: str, execute: Execute) -> Features:
    """The features of a kernel: from its folder, or from a guest that boots now.

    folder : of the kernel, in the cache
    words : the kernel in messages
    execute : PROBE in a guest with this kernel

    Raises DoesNotRunError, one line, for a kernel that does not boot, and UserError
    where the machine is too busy to tell.
    """
    known = kept(folder)
    if known is not None:
        return known
    file = folder / FILE
    found = _ask(words, execute, BOUNDS) or _ask(words, execute, PATIENT)
    if found is None:
        raise UserError(
            f"kernel ({words}): this machine is too busy to boot it; start mpbench"
            " again when there is less to do here"
        )
    part = file.with_suffix(".new")
    try:
        part.write_text(json.dumps(asdict(found), indent=1) + "\n")
        part.replace(file)
    except OSError as error:
        raise UserError(f"{file}: cannot be kept: {error.strerror}") from error
    return found


def _read(file: Path) -> Features:
    document = json.loads(file.read_text())
    lists = ("controllers", "schedulers", "path_managers", "sysctls", "counters")
    return Features(
        **{name: tuple(map(str, document[name])) for name in lists},
        fabric=bool(document["fabric"]),
        release=str(document["release"]),
    )


def _ask(words: str, execute: Execute, bounds: Bounds) -> Features | None:
    """The features; None if a busy machine gave the kernel no time to tell them."""
    with scratch.folder("features") as folder:
        artefacts = folder / "artefacts"
        artefacts.mkdir()
        ended = execute(folder, bounds)
        try:
            return _read(artefacts / FILE)
        except (OSError, ValueError, TypeError, KeyError):
            console = (artefacts / "console.log").read_text(errors="replace")
    if ended.status == "timeout" and ended.host_accident and _was_starved(ended):
        return None
    reason = ended.reason or "it left no list of its features"
    raise DoesNotRunError(words, f"does not run: {reason}{CONSOLE}{tail(console)}")


def _was_starved(ended: Exit) -> bool:
    return ended.cpu_s is not None and ended.cpu_s < LEAST_CPU_S


def tail(console: str) -> str:
    """The last lines of a console, without registers, in one line."""
    lines = (LEVEL.sub("", line).strip() for line in console.splitlines())
    said = [line for line in lines if line and not REGISTERS.match(line)]
    return " | ".join(said[-TAIL:])[:600] or "nothing"


def lacking(job: Job, has: Features) -> Iterator[str]:
    """Needs of a job that a kernel lacks, in words."""
    for transport in _transports(job):
        yield from (lack.words for lack in of_transport(transport, has))
    for host in (job.host_settings or {}).values():
        yield from (lack.words for lack in of_sysctls(host.sysctls or {}, has))
    if job.fabric is not None and not has.fabric:
        yield "no fabric; take the key away"
    if job.kernel:
        names = ", ".join(job.kernel)
        yield f"no {names}: code of one's own needs mpbench's kernel; patch it in"


def of_transport(transport: Transport, has: Features) -> Iterator[Lack]:
    """Needs of a transport that a kernel lacks."""
    wanted = transport.kernel_control
    if wanted not in has.controllers:
        key = "congestion_control"
        yield Lack((key,), _no("congestion control", wanted, has.controllers))
    if transport.protocol == "mptcp":
        if not has.schedulers:
            yield Lack(("protocol",), "no MPTCP; set CONFIG_MPTCP: y")
        elif (transport.scheduler or "default") not in has.schedulers:
            words = _no("scheduler", str(transport.scheduler), has.schedulers)
            yield Lack(("scheduler",), words)
    yield from of_sysctls(transport.sysctls, has)


def of_sysctls(names: Iterable[str], has: Features) -> Iterator[Lack]:
    """The sysctls that a kernel lacks."""
    for name in names:
        if name not in has.sysctls:
            hint = nearest(name, has.sysctls)
            yield Lack(("sysctls", name), f"no sysctl '{name}'; {hint}")


def _transports(job: Job) -> Iterator[Transport]:
    yield job.transport
    yield from (entry.transport for entry in job.traffic if entry.transport)


def _no(kind: str, name: str, known: Iterable[str]) -> str:
    return f"no {kind} '{name}'; it has: {', '.join(known)}"
