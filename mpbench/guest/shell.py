"""Mininet's prompt in a run's network."""

import contextlib
import fcntl
import json
import os
import sys
import termios
import time
from collections.abc import Iterable
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
    take_terminal((0, 1, 2))
    network = _network()
    print(f"Nodes: {', '.join(network.nodes)}. `help` lists commands, `exit` leaves.")
    print("MPTCP for a program: `client mptcpize run PROGRAM ...`.", flush=True)
    CLI(Prompted(network))
    return 0


def execute() -> int:
    """Build the network of `job.json` and give the lines of `commands` to the prompt.

    Programs that the lines start read an empty input that does not end.
    """
    silent, _held = os.pipe()
    os.dup2(silent, 0)
    take_terminal((1, 2))
    prompted = Prompted(_network())
    # `ping` takes a machine that has been up for less than a second for its own state
    # "nothing sent yet", and then keeps no interval.
    time.sleep(max(0.0, 1 - time.clock_gettime(time.CLOCK_MONOTONIC_RAW)))
    # With a script of its own, Mininet would go on after `exit`.
    prompt = CLI(prompted, script=os.devnull)
    for line in Path("commands").read_text().splitlines():
        print(f"{prompt.prompt}{line}", flush=True)
        if prompt.onecmd(prompt.precmd(line)):
            break
    return 0


def _network() -> LabNetwork | FabricNetwork:
    setLogLevel("info")
    folder = Path("artefacts")
    folder.mkdir(exist_ok=True)
    job = load(json.loads(Path("job.json").read_text()))
    _, network = build_network(job, folder, contextlib.ExitStack())
    for node in network.nodes.values():
        node.open_shell()
    return network


def take_terminal(descriptors: Iterable[int]) -> None:
    """Make the guest's console this session's terminal, so that Ctrl-C works.

    descriptors : those that the console takes the place of
    """
    terminal = os.open(TERMINAL, os.O_RDWR)
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    for descriptor in descriptors:
        os.dup2(terminal, descriptor)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
