"""Faults in what an experiment file says of a kernel, found as it is built or booted.

The builder knows no experiment file. So a fault says which part of a kernel is to
blame, and whoever has the file finds the line (`mpbench.kernel_facts`).
"""

from jobs.linux import Linux
from mpbench.errors import UserError

OPTIONS, PATCHES = "options", "patches"


class KernelFault(UserError):
    """A kernel that cannot be built or booted as the user describes it.

    key : the part of it that is at fault, OPTIONS or PATCHES; empty for all of it
    reasons : an option's name, or a patch's, to what is wrong with it; the name is
        empty where it is not known
    linux : the kernel, once it is known
    """

    def __init__(self, key: str, reasons: dict[str, str]) -> None:
        super().__init__("; ".join(_line(*one) for one in reasons.items()))
        self.key = key
        self.reasons = reasons
        self.linux: Linux | None = None


def _line(name: str, reason: str) -> str:
    return f"{name}: {reason}" if name else reason
