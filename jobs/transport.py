"""The transport of a case, or of one traffic entry."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from jobs.marks import Among, Bounds
from jobs.plugins import ProgramName
from jobs.protocol import Spoken
from jobs.values import Paths, Sysctl, SysctlValue, Word
from jobs.vocabulary import NDIFFPORTS, PROTOCOLS

SUBFLOWS = "net.mptcp.ndiffports"
"""The sysctl that says how many subflows `ndiffports` opens."""
KERNEL_CONTROL = "cubic"
"""That of hosts whose programs have their own."""
TIMESTAMPS = "net.ipv4.tcp_timestamps"


@dataclass(frozen=True, kw_only=True)
class Transport(Spoken):
    """The protocol and its settings.

    congestion_control, scheduler, path_manager : as the kernel names them; TCP has
        neither scheduler nor path manager
    path : number of the path that TCP or QUIC uses, from 1; None for the first, and for
        what uses all
    sysctls : other settings of the hosts, name to value
    backup : numbers of the paths, from 1, that MPTCP uses only when no other works;
        None for those that the network names
    program : the user's own program that speaks QUIC; it knows the congestion control
        and the scheduler by these names. None for what the kernel speaks
    keys, qlog : whether the program logs the keys of its connections, and a qlog
    """

    protocol: Annotated[str, Among(PROTOCOLS)]
    congestion_control: Word
    scheduler: Word | None
    path: Annotated[int, Bounds(1, 100)] | None
    path_manager: Word | None
    sysctls: Mapping[Sysctl, SysctlValue]
    backup: Paths | None = None
    program: ProgramName | None = None
    keys: bool = False
    qlog: bool = False

    def check(self) -> None:
        if self.is_mptcp and None in (self.scheduler, self.path_manager):
            raise ValueError("mptcp needs a scheduler and a path manager")
        if self.is_quic != (self.program is not None):
            raise ValueError(f"{self.protocol}: only QUIC has a program, and needs one")
        if (self.keys or self.qlog) and not self.is_quic:
            raise ValueError(f"{self.protocol}: only QUIC has keys and a qlog")
        if not self.over_all and not self.sysctls.get(SUBFLOWS, "").isdecimal():
            raise ValueError(f"{NDIFFPORTS} needs the sysctl {SUBFLOWS}, a number")

    @property
    def is_mptcp(self) -> bool:
        return self.protocol == "mptcp"

    @property
    def kernel_control(self) -> str:
        """The congestion control of the kernel's own connections."""
        return KERNEL_CONTROL if self.is_quic else self.congestion_control

    @property
    def over_all(self) -> bool:
        """Whether every address of the host gets a subflow.

        `ndiffports` needs the first address only, over which the kernel itself opens
        several subflows.
        """
        return self.path_manager != NDIFFPORTS

    @property
    def same_pair(self) -> int | None:
        """The number of subflows that an MPTCP connection opens between its first pair
        of addresses, if it uses no other pair; None if it opens one per path."""
        return None if self.over_all else int(self.sysctls[SUBFLOWS])

    @property
    def timestamps(self) -> bool:
        """Whether TCP's segments have timestamps, which take 12 bytes."""
        return self.sysctls.get(TIMESTAMPS) != "0"
