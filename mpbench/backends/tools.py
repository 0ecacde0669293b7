"""The programs of the machine that a run uses: their presence and their versions."""

import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from mpbench.errors import UserError

SEARCH = "/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class Tool:
    """A program or file from a Debian package.

    name : the name that a user knows it by
    package : the name of the Debian package
    file : a path that must exist, for something that is not a program
    """

    name: str
    package: str
    file: str | None = None

    def found(self) -> bool:
        if self.file is not None:
            return Path(self.file).exists()
        return shutil.which(self.name, path=SEARCH) is not None


GUEST = (
    Tool("python3", "python3"),
    Tool("mininet", "mininet", "/usr/lib/python3/dist-packages/mininet/net.py"),
    Tool("iperf3", "iperf3"),
    Tool("nginx", "nginx"),
    Tool("curl", "curl"),
    Tool("ab", "apache2-utils"),
    Tool("mptcpize", "mptcpize"),
    Tool("ip", "iproute2"),
    Tool("tc", "iproute2"),
    Tool("tcpdump", "tcpdump"),
)
"""The tools that a run needs in the guest, which uses the host's programs."""

LIBRARIES = (
    "libc6",
    "libiperf0",
    "libmptcpwrap0",
    "libpython3.11-minimal",
    "libapr1",
    "libcurl4",
)


def require(tools: Iterable[Tool]) -> None:
    """Raises UserError, naming every missing tool and its package."""
    missing = [tool for tool in tools if not tool.found()]
    if missing:
        names = ", ".join(tool.name for tool in missing)
        packages = " ".join(sorted({tool.package for tool in missing}))
        raise UserError(
            f"missing in the guest, which uses this machine's programs: {names}; "
            f"as root: apt-get install --no-install-recommends {packages}"
        )


def versions(tools: Iterable[Tool]) -> dict[str, str | None]:
    """Debian package to its version, None where dpkg knows none."""
    packages = sorted({tool.package for tool in tools} | {*LIBRARIES})
    try:
        done = subprocess.run(
            ["dpkg-query", "-W", "-f=${Package} ${Version}\n", *packages],
            capture_output=True,
            text=True,
            timeout=30,
        )
    except (OSError, subprocess.TimeoutExpired):
        return dict.fromkeys(packages)
    known = dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)
    return {package: known.get(package) or None for package in packages}


def fingerprint(tools: Iterable[Tool]) -> str:
    """All versions in one line, for a run's identity."""
    return " ".join(f"{name}={version}" for name, version in versions(tools).items())
