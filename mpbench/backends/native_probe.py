"""Try in an enclosure what a run will do; Mininet and the standard library only.

Prints a JSON object. Each key is a step, and its value is the error's words, or null if
the step worked. A further key `kernel` holds what the kernel offers.
"""

import json
import subprocess
import sys
from pathlib import Path

VETH = ["ip", "link", "add", "probe0", "type", "veth", "peer", "name", "probe1"]
NETEM = [
    "tc",
    "qdisc",
    "add",
    "dev",
    "probe0",
    "root",
    "netem",
    "limit",
    "1000",
    "delay",
    "1ms",
]
TBF = [
    "tc",
    "qdisc",
    "add",
    "dev",
    "probe1",
    "root",
    "tbf",
    "rate",
    "1mbit",
    "burst",
    "3028",
    "limit",
    "15140",
]
MPTCP = ["ip", "mptcp", "limits", "set", "subflow", "8", "add_addr_accepted", "0"]

SYSCTLS = {
    "mptcp": "net/mptcp/enabled",
    "congestion_controls": "net/ipv4/tcp_available_congestion_control",
    "schedulers": "net/mptcp/available_schedulers",
    "userspace_pm": "net/mptcp/pm_type",
}


def main() -> int:
    """Try all steps; the exit status is 0 even if a step fails."""
    tried: dict[str, object] = {"mininet": _import_mininet()}
    for name, argv in (("veth", VETH), ("netem", NETEM), ("tbf", TBF), ("pm", MPTCP)):
        tried[name] = _attempt(argv)
    tried["kernel"] = {name: _read(path) for name, path in SYSCTLS.items()}
    print(json.dumps(tried))
    return 0


def _import_mininet() -> str | None:
    try:
        import mininet.link
        import mininet.node
        import mininet.topo  # noqa: F401
    except ImportError as error:
        return str(error)
    return None


def _attempt(argv: list[str]) -> str | None:
    try:
        done = subprocess.run(argv, capture_output=True, text=True)
    except OSError as error:
        return f"{argv[0]}: {error.strerror}"
    words = " ".join((done.stderr or done.stdout).split())
    return None if done.returncode == 0 else words or f"exit {done.returncode}"


def _read(name: str) -> str | None:
    try:
        return (Path("/proc/sys") / name).read_text().strip()
    except OSError:
        return None


if __name__ == "__main__":
    sys.exit(main())
