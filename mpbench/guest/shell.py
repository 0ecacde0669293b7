"""Mininet's prompt in a run's network."""

import contextlib
import fcntl
import json
import os
import sys
import termios
from pathlib import Path

from mininet.cli import CLI
from mininet.log import setLogLevel
from mininet.net import Mininet

from jobs import load
from mpbench.guest.fabric import FabricNetwork
from mpbench.guest.main import build_network
from mpbench.guest.network import LabNetwork

TERMINAL = "/dev/tty0"


class Prompted(Mininet):
    """A network that is built already, in the form that Mininet's prompt needs."""

    def __init__(self, network: LabNetwork | FabricNetwork) -> None:
        super().__init__(build=False)
        self.hosts = list(network.nodes.values())
        self.links = network.links
        self.nameToNode = dict(network.nodes)


def main() -> int:
    """Build the network of `job.json` and prompt until the user leaves."""
    take_terminal()
    setLogLevel("info")
    folder = Path("artefacts")
    folder.mkdir(exist_ok=True)
    job = load(json.loads(Path("job.json").read_text()))
    _, network = build_network(job, folder, contextlib.ExitStack())
    for node in network.nodes.values():
        node.open_shell()
    print(f"Nodes: {', '.join(network.nodes)}. `help` lists commands, `exit` leaves.")
    print("MPTCP for a program: `client mptcpize run PROGRAM ...`.", flush=True)
    CLI(Prompted(network))
    return 0


def take_terminal() -> None:
    """Make the guest's console this session's terminal, so that Ctrl-C works."""
    terminal = os.open(TERMINAL, os.O_RDWR)
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    for descriptor in (0, 1, 2):
        os.dup2(terminal, descriptor)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
