"""packetdrill and its tests of MPTCP, from a checkout of the user's.

The project is `multipath-tcp/packetdrill`, which mpbench does not bring. A copy of
the checkout's program is compiled with two changes, because in virtual time no time
passes while a program computes: it sleeps until the next event, and never polls.
"""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mpbench.errors import UserError
from mpbench.kernel.shell import Shell

PLACE = Path("gtests/net")
"""Of the program and the tests in a checkout."""
TESTS = "mptcp"
CHANGES = {
    "const int MAX_SPIN_USECS = 20;": "const int MAX_SPIN_USECS = 0;",
    "\t\tclock_t jiffies = times(NULL);": (
        "\t\tusleep(1000);\n\t\tclock_t jiffies = times(NULL);"
    ),
}
"""Text of run.c that is replaced, and by what."""
FITS = "commit d57954e"
ALL_EVENTS = ("if (state->num_events > 0 && wait_usecs >", "if (wait_usecs >")
"""The first event is waited for by polling alone."""
FLAGS = "CFLAGS=-g -O1 -Wno-deprecated-declarations"
V4 = (
    *("--local_ip=192.168.0.2", "--gateway_ip=192.168.0.1"),
    *("--netmask_ip=255.255.0.0", "--remote_ip=192.0.2.1/24"),
)
V4_COOKIE = ("-D", "TFO_COOKIE=de4f234f0f433a55")
OF_IPV6 = ("-D", "CMSG_LEVEL_IP=SOL_IPV6", "-D", "CMSG_TYPE_RECVERR=IPV6_RECVERR")
VARIANTS = {
    "ipv4": (
        *("--ip_version=ipv4", *V4, *V4_COOKIE),
        *("-D", "CMSG_LEVEL_IP=SOL_IP", "-D", "CMSG_TYPE_RECVERR=IP_RECVERR"),
    ),
    "ipv4-mapped-v6": ("--ip_version=ipv4-mapped-ipv6", *V4, *V4_COOKIE, *OF_IPV6),
    "ipv6": (
        *("--ip_version=ipv6", "--mtu=1520", "--local_ip=fd3d:fa7b:d17d::0"),
        *("--gateway_ip=fd3d:fa7b:d17d:8888::0", "--remote_ip=2001:DB8::1/32"),
        *("-D", "TFO_COOKIE=6aa6ae70c288023b", *OF_IPV6),
    ),
}
"""The options of each variant, as in packetdrill's run_all.py."""


@dataclass(frozen=True)
class Test:
    """One script in one variant.

    script : below the folder of the tests, with `/`
    """

    script: str
    variant: str

    @property
    def name(self) -> str:
        return f"{self.script} ({self.variant})"


def prepare(checkout: Path, target: Path, shell: Shell) -> None:
    """Copy program and tests of a checkout to the new folder `target`, and compile.

    Raises UserError if it is no such checkout, or one that the changes do not fit.
    """
    source = checkout / PLACE
    if not (source / "packetdrill/run.c").is_file() or not (source / TESTS).is_dir():
        reason = f"no {PLACE}/packetdrill and {PLACE}/{TESTS} there"
        hint = "name a checkout of multipath-tcp/packetdrill"
        raise UserError(f"{checkout}: {reason}; {hint}")
    for name in ("packetdrill", TESTS):
        shutil.copytree(source / name, target / name)
    program = target / "packetdrill"
    text = (program / "run.c").read_text()
    for old, new in (*CHANGES.items(), ALL_EVENTS):
        if text.count(old) != 1:
            raise UserError(
                f"{source}/packetdrill/run.c: no longer has '{old.strip()}' once;"
                f" {FITS} has it"
            )
        text = text.replace(old, new)
    (program / "run.c").write_text(text)
    shell.run(["./configure"], cwd=program)
    shell.run(["make", "-s", FLAGS, "packetdrill"], cwd=program)


def tests(folder: Path) -> Iterator[Test]:
    """The tests below a folder `mptcp`, in the order of their names."""
    for path in sorted(folder.rglob("*.pkt")):
        script = path.relative_to(folder).as_posix()
        for variant in VARIANTS:
            is_v6 = variant == "ipv6"
            if not script.endswith("v4.pkt" if is_v6 else "v6.pkt"):
                yield Test(script, variant)
