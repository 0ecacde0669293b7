"""The machine that QEMU emulates: its command line, and whether QEMU is there.

The clock counts instructions (`-icount`): each takes 1 ns, and while all of the machine
waits, the clock jumps to the next timer. So neither the speed of the host nor its load
has an influence. Randomness comes from the seed.
"""

import functools
import re
import resource
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from mpbench import guest_memory
from mpbench.backends import confinement, tools
from mpbench.backends.confinement import Limits
from mpbench.errors import UserError
from mpbench.kernel import barriers
from mpbench.kernel.barriers import Bounds

PROGRAM = "qemu-system-x86_64"
PACKAGE = "qemu-system-x86"
TOOL = tools.Tool(PROGRAM, PACKAGE)
INSTALL = f"apt-get install --no-install-recommends {PACKAGE}"
ASK_S = 30
MIB, PAGE_BYTES = guest_memory.MIB, 4096
BACKLOG_PACKETS = 100_000
"""As `mpbench.guest.lab.lengthen_backlog` sets it in a guest of the virtual lab."""
CODE_MIB = 256
"""Memory for translated code."""
OWN_BYTES = 2 << 30
"""Address space of QEMU beside the machine's memory and the translated code."""
SERIAL = "serial"
"""The file in the run's folder that the second serial line goes to."""
DATE = "2026-01-01T00:00:00"


@dataclass(frozen=True)
class Machine:
    """A machine with one CPU, no disk and no network card.

    memory_mib : the size of its memory
    """

    memory_mib: int = guest_memory.USUAL_MIB

    def kernel_line(self) -> tuple[str, ...]:
        """The kernel's command line; nothing in it may differ from run to run."""
        pages = self.memory_mib * MIB // PAGE_BYTES
        return (
            "console=ttyS0",
            "quiet",
            "cryptomgr.notests",
            "panic=-1",
            "norandmaps",
            "nokaslr",
            "tsc=reliable",
            "net.ifnames=0",
            "mitigations=off",
            "random.trust_cpu=on",
            f"sysctl.net.core.netdev_max_backlog={BACKLOG_PACKETS}",
            f'sysctl.net.ipv4.tcp_mem="{pages} {pages} {pages}"',
        )

    def options(self) -> tuple[str, ...]:
        """QEMU's options apart from files and the seed."""
        return (
            "-nodefaults",
            "-no-user-config",
            "-no-reboot",
            *("-display", "none"),
            *("-machine", "pc"),
            *("-accel", f"tcg,thread=single,tb-size={CODE_MIB}"),
            *("-cpu", "max"),
            *("-smp", "1"),
            *("-m", str(self.memory_mib)),
            *("-icount", "shift=0,sleep=off"),
            *("-rtc", f"base={DATE},clock=vm"),
            *("-append", " ".join(self.kernel_line())),
        )

    def command(
        self, kernel: Path, archive: Path, seed: int, cpu: int | None, limits: Limits
    ) -> list[str]:
        """QEMU behind the launcher's barriers, with this user's rights and less.

        Its working directory is the run's folder, the only place where it can write.

        archive : the first file system
        cpu : to pin to, None for any
        """
        argv = [
            str(program()),
            *self.options(),
            *("-seed", str(seed)),
            *("-kernel", str(kernel)),
            *("-initrd", str(archive)),
            *("-chardev", "stdio,id=console,signal=off"),
            *("-serial", "chardev:console"),
            *("-chardev", f"file,id=files,path={SERIAL}"),
            *("-serial", "chardev:files"),
        ]
        memory_bytes = self.memory_mib * MIB
        kept_bytes = confinement.MEMORY_SLACK_BYTES
        bounds = Bounds(
            limits.file_bytes,
            kept_bytes,
            confinement.memory_folder(kept_bytes),
            address_bytes=memory_bytes + CODE_MIB * MIB + OWN_BYTES,
        )
        reads = (*confinement.SYSTEM, kernel.parent, archive)
        return barriers.command(argv, bounds, reads, barriers.offered(), cpu=cpu)


def program() -> Path:
    """QEMU's program. Raises UserError, one line, that says how to get it."""
    found = shutil.which(PROGRAM)
    if found is None:
        raise UserError(f"machine: qemu: no {PROGRAM} here; as root: {INSTALL}")
    return Path(found).resolve()


def require(memory_mib: int) -> None:
    """Raise UserError if this host cannot emulate a machine of this size."""
    program()
    _, most_bytes = resource.getrlimit(resource.RLIMIT_AS)
    wanted_bytes = memory_mib * MIB + CODE_MIB * MIB + OWN_BYTES
    if most_bytes != resource.RLIM_INFINITY and most_bytes < wanted_bytes:
        raise UserError(
            f"machine: qemu: a process may have {most_bytes >> 20} MiB here (ulimit"
            f" -v), and QEMU needs {wanted_bytes >> 20} MiB; start mpbench where"
            " `ulimit -v` says unlimited"
        )
    confinement.require_memory(memory_mib * MIB)


@functools.cache
def version() -> str:
    """QEMU's version, such as `7.2.22`. Raises UserError if it does not say one."""
    argv = [str(program()), "--version"]
    try:
        said = subprocess.run(
            argv, capture_output=True, text=True, timeout=ASK_S
        ).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UserError(f"{argv[0]}: does not say its version: {error}") from None
    found = re.search(r"version (\d+(?:\.\d+)+)", said)
    if found is None:
        raise UserError(f"{argv[0]}: does not say its version; {INSTALL}")
    return found[1]
