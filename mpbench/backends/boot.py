"""The boot of a guest: its command line, its orders and its environment."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from jobs import Job
from mpbench import guest_memory
from mpbench.backends import confinement
from mpbench.backends.base import at_most_s
from mpbench.backends.confinement import Limits
from mpbench.backends.roots import Root

START_NS = 1767225600 * 10**9
"""The guest's date at boot, ns since 1970: 2026-01-01 00:00 UTC."""

SETUP_S = 5.0
"""Virtual seconds allowed for the steps before and after the traffic."""

PYTHON = ("/usr/bin/python3", "-S")
"""Debian's own interpreter, because the guest code uses Debian's `mininet` package."""

MEASURE = (
    *PYTHON,
    "-c",
    "import sys; from mpbench.guest.main import main; sys.exit(main())",
)


def bundled(bundle: str) -> tuple[str, ...]:
    """MEASURE from one file of byte code."""
    return (*PYTHON, "-P", bundle)


MIB, PAGE_BYTES = guest_memory.MIB, 4096
GUEST_PATH = "/run/tools:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class Machine:
    """The machine that a guest sees.

    memory_mib : the size of its memory, MiB
    virtual_time : whether its clock is virtual; if not, it is the host's
    """

    memory_mib: int = guest_memory.USUAL_MIB
    virtual_time: bool = True

    def options(self) -> tuple[str, ...]:
        """The kernel's command line; nothing in it may differ from run to run."""
        # TCP may use all of the guest's memory. With a lower bound TCP would be under
        # pressure, and windows would shrink to some packets for no reason of a path.
        pages = self.memory_mib * MIB // PAGE_BYTES
        travel = ("time-travel=inf-cpu", f"time-travel-start={START_NS}")
        return (
            f"mem={self.memory_mib}M",
            "con=null",
            "con0=fd:0,fd:1",
            "quiet",
            f'sysctl.net.ipv4.tcp_mem="{pages} {pages} {pages}"',
            *(travel if self.virtual_time else ()),
            "seccomp=on",
            "norandmaps",
            "umid=guest",
            "uml_dir=boot/",
        )

    def of(self, job: Job) -> "Machine":
        """The machine that a job asks for; this one if it asks for none."""
        if not job.guest:
            return self
        return replace(self, memory_mib=job.memory_mib)

    def require(self) -> None:
        """Raise UserError if this host cannot boot such a guest."""
        confinement.require_guests(self.memory_mib * MIB)

    def command(
        self,
        kernel: Path,
        cpu: int | None,
        root: Root,
        reads: Sequence[Path] = (),
        limits: Limits | None = None,
    ) -> list[str]:
        """argv of the guest's host process, confined, and pinned to `cpu` if given.

        The process dies with the thread that starts it, and leaves no core dump.
        Every command that boots a guest comes here, so what this host lacks is said
        here (`require`).

        root : what the guest sees; the same that `write` was told
        reads : files and folders of the host that the guest may read, beside the root's
        """
        self.require()
        argv = [str(kernel), *self.options()]
        memory_bytes = self.memory_mib * MIB
        resolved = (path.resolve() for path in reads)
        return confinement.command(
            argv,
            memory_bytes,
            cpu,
            (*root.reads, *resolved),
            limits=limits,
            lists=root.lists,
        )


LAB = Machine()


@dataclass(frozen=True)
class Orders:
    """Orders to the guest's first process.

    argv : the command
    virtual_s : the seconds of virtual time that the command may take; None for no bound
    variables : environment variables, beside those that every guest has
    """

    argv: Sequence[str]
    virtual_s: float | None
    variables: Mapping[str, str] = field(default_factory=dict)


NO_CPU_RANDOM = "~0x4000000000000000:~0x40000"
"""For OpenSSL: the CPU has neither RDRAND nor RDSEED. Both give other numbers each
time, and a guest's kernel cannot catch them."""


def write(orders: Orders, directory: Path, root: Root) -> None:
    """Write the orders to the files that the guest's first process reads.

    Raises ValueError for a word with a line break, because each line is one word.
    """
    folder = directory / "boot"
    folder.mkdir(exist_ok=True)
    variables = {
        "PATH": GUEST_PATH,
        "PYTHONPATH": f"{root.code}:/usr/lib/python3/dist-packages",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "MPBENCH_LAB": "yes",
        "HOME": "/root",
        # Set, so that no program looks for files that only some hosts have.
        "LC_ALL": "C",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONUTF8": "1",
        "TZ": "UTC0",
        "OPENSSL_ia32cap": NO_CPU_RANDOM,
        **orders.variables,
    }
    files = {
        "argv": orders.argv,
        "environment": [f"{name}={value}" for name, value in variables.items()],
        "limit": [str(_limit_s(orders.virtual_s))],
        "root": root.lines,
    }
    for name, lines in files.items():
        if any("\n" in line for line in lines):
            raise ValueError(f"a line break in {name}: {list(lines)}")
        (folder / name).write_text("".join(f"{line}\n" for line in lines))


def _limit_s(virtual_s: float | None) -> int:
    return 0 if virtual_s is None else math.ceil(at_most_s(virtual_s) + SETUP_S)


def environment(seed: int) -> dict[str, str]:
    """The environment of the guest's host process.

    seed : 0 .. 2^64 - 1; everything random in the guest comes from it
    """
    return {
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
        "MPBENCH_SEED": str(seed),
    }
