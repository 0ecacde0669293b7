"""The requirements of the native backend, and the remedy for each missing one."""

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jobs import Job, Transport
from mpbench.backends import read_tools, tools
from mpbench.backends.boot import PYTHON
from mpbench.backends.guest_process import Enclosed, environment
from mpbench.errors import UserError
from mpbench.spec.vocabulary import (
    CONGESTION_CONTROLS,
    OF_LINUX,
    PATH_MANAGERS,
    SCHEDULERS,
)

PROBE_S = 60.0
PROBE = Path(__file__).with_name("native_probe.py")
COMPILER = tools.Tool(read_tools.COMPILER, "gcc libc6-dev")
"""Needed once, to compile `mpbench-read`."""
OURS = {*CONGESTION_CONTROLS, *SCHEDULERS, *PATH_MANAGERS} - OF_LINUX
"""Controllers, schedulers and path managers that only the guest kernel has."""


@dataclass(frozen=True)
class Need:
    """A requirement.

    detail : its version, or what is wrong with it
    remedy : what the user can do about it
    """

    name: str
    found: bool
    detail: str = ""
    remedy: str = ""


@dataclass(frozen=True)
class Machine:
    """The properties of a machine that decide whether runs are possible on it.

    tried : the results of `native_probe` in an enclosure, or ``enclosure`` with the
        reason if there was none; empty without root
    """

    root: bool
    has: Callable[[tools.Tool], bool] = tools.Tool.found
    tried: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kernel(self) -> Mapping[str, str | None]:
        return self.tried.get("kernel") or {}


def look() -> Machine:
    """This machine."""
    root = os.geteuid() == 0
    return Machine(root=root, tried=_probe() if root else {})


def needs(machine: Machine) -> list[Need]:
    """All requirements of native runs, whether or not they are met."""
    found = [Need("root", machine.root, remedy="run it through sudo")]
    for tool in (*tools.GUEST, COMPILER):
        here = machine.has(tool)
        remedy = f"apt-get install {tool.package}"
        found.append(Need(tool.name, here, "" if here else "not found", remedy))
    return [*found, *_tried_needs(machine)] if machine.root else found


def refuse_missing(listed: Iterable[Need]) -> None:
    """Raises UserError, naming each missing requirement and its remedy."""
    missing = [need for need in listed if not need.found]
    if missing:
        words = "; ".join(
            f"{need.name}{': ' if need.detail else ''}{need.detail} ({need.remedy})"
            for need in missing
        )
        raise UserError(f"--backend native: this machine lacks {words}")


def refuse_fabric(jobs: Iterable[Job]) -> None:
    """Raises UserError if a job's network is on the fabric, whatever this machine has.

    The commands name the line of the experiment file before (`feasible.check_backend`);
    a job that is read from results has none.
    """
    if any(job.fabric for job in jobs):
        raise UserError(
            "--backend native: fabric: only the guest's kernel has the fabric; run it"
            " in the virtual lab"
        )


def check_jobs(jobs: Iterable[Job], machine: Machine) -> None:
    """Raises UserError that names all that jobs need and the kernel lacks: controllers,
    schedulers and features of links."""
    lacking = dict.fromkeys(
        words
        for job in jobs
        for words in (
            *(w for t in _transports(job) for w in _lacking(t, machine)),
            *patched(job, _GUEST_ONLY),
            *_other(job),
            *_userspace(job, machine),
        )
    )
    if lacking:
        raise UserError(f"--backend native: {'; '.join(lacking)}")


def _other(job: Job) -> Iterator[str]:
    """A kernel of the experiment file's, and middleboxes, which need one."""
    if job.middleboxes:
        yield f"middlebox: needs a kernel of its own, and runs {_IN_GUESTS}"
    elif job.linux is not None:
        yield f"kernel ({job.linux.words}): runs {_IN_GUESTS}"


def _userspace(job: Job, machine: Machine) -> Iterator[str]:
    """A path manager in user space, which Linux has since 5.19."""
    wanted = any(own.in_userspace for own in (job.host_settings or {}).values())
    if wanted and machine.kernel.get("userspace_pm") is None:
        yield f"pm: userspace: not in this kernel (Linux 5.19 or later); {_GUEST}"


_GUEST = "use --backend virtual"


def patched(job: Job, only: str) -> Iterator[str]:
    """Features of the job's links that need patches of the guest's kernel.

    only : ends each sentence, and says which kernel has them
    """
    for way in (
        link.direction(forward) for link in job.links for forward in (True, False)
    ):
        if way.discipline and dict(way.discipline.values).get("gentle"):
            yield f"gentle red exists {only}, or write 'gentle: false'"
        if way.impairments and way.impairments.reordering:
            yield f"reordering before a queue works {only}"


_IN_GUESTS = "in guests alone: use --backend virtual"
_GUEST_ONLY = "only in the guest kernel: use --backend virtual"


def _transports(job: Job) -> Iterator[Transport]:
    yield job.transport
    for entry in job.traffic:
        if entry.transport:
            yield entry.transport


def _lacking(transport: Transport, machine: Machine) -> Iterator[str]:
    controls = (machine.kernel.get("congestion_controls") or "").split()
    wanted = transport.kernel_control
    if wanted not in controls:
        remedy = _remedy(wanted, f"modprobe tcp_{wanted}")
        yield _unavailable("congestion control", wanted, controls, remedy)
    if not transport.is_mptcp:
        return
    # A kernel that does not list its schedulers has at least the default one.
    schedulers = (machine.kernel.get("schedulers") or "default").split()
    wanted = transport.scheduler or "default"
    if wanted not in schedulers:
        remedy = _remedy(wanted, f"use one of them, or load what brings {wanted}")
        yield _unavailable("scheduler", wanted, schedulers, remedy)


def _remedy(name: str, otherwise: str) -> str:
    if name in OURS:
        return f"{name} exists only in the guest kernel: use --backend virtual"
    return f"{otherwise}, or use --backend virtual"


def _unavailable(kind: str, name: str, available: Sequence[str], remedy: str) -> str:
    return (
        f"{kind} {name}: not in this kernel, "
        f"which has {', '.join(available) or 'none'}; {remedy}"
    )


def _tried_needs(machine: Machine) -> list[Need]:
    failure = machine.tried.get("enclosure")
    remedy = "run it on a machine or VM whose root may create namespaces"
    listed = [Need("namespaces", not failure, str(failure or ""), remedy)]
    if failure:
        return listed
    remedies = {
        "mininet": ("Mininet in python3", "apt-get install --reinstall mininet"),
        "veth": ("veth", "modprobe veth, or a kernel with CONFIG_VETH"),
        "netem": ("netem", "modprobe sch_netem, or a kernel with CONFIG_NET_SCH_NETEM"),
        "tbf": ("tbf", "modprobe sch_tbf, or a kernel with CONFIG_NET_SCH_TBF"),
    }
    if not all(machine.has(tool) for tool in tools.GUEST):
        del remedies["mininet"]  # said already
    for key, (name, remedy) in remedies.items():
        error = machine.tried.get(key)
        listed.append(Need(name, not error, error or "", remedy))
    enabled = machine.kernel.get("mptcp")
    if enabled is None:
        detail, remedy = "not in this kernel", "a kernel with CONFIG_MPTCP=y"
    elif enabled != "1":
        detail, remedy = "switched off", "sysctl -w net.mptcp.enabled=1"
    else:
        detail, remedy = machine.tried.get("pm") or "", "a newer iproute2 and kernel"
    return [*listed, Need("MPTCP", not detail, detail, remedy)]


def _probe() -> Mapping[str, Any]:
    with tempfile.TemporaryDirectory(prefix="mpbench-") as folder:
        said = Path(folder) / "said"
        with said.open("wb") as output:
            enclosed = Enclosed(
                [*PYTHON, str(PROBE)],
                Path(folder),
                environment(),
                output,
            )
            try:
                enclosed.wait(PROBE_S)
            except subprocess.TimeoutExpired:
                return {"enclosure": f"no answer within {PROBE_S:g} s"}
            finally:
                enclosed.end()
        lines = said.read_text(errors="replace").splitlines() or [""]
    try:
        answer = json.loads(lines[-1])
    except ValueError:
        return {"enclosure": " ".join(lines[-1].split()) or "no answer"}
    return dict(answer)
