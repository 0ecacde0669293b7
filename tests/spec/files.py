"""A small experiment that is right, for tests to break."""

import pytest
import yaml

from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.spec import Spec

TEXT = """\
name: small
topology: two_path
design:
  points: 4
  factors:
    path1.capacity: {min: 1, max: 100, unit: Mbit/s}
    path2.delay: {min: 1 ms, max: 25 ms}
cases:
  mptcp: {protocol: mptcp, congestion_control: lia}
  tcp1: {protocol: tcp, congestion_control: reno, path: 1}
  tcp2: {protocol: tcp, congestion_control: reno, path: 2}
traffic:
  - {tool: iperf3, from: client, to: server, duration: 30 s}
"""

FACTORS = """\
    path1.capacity: {min: 1, max: 100, unit: Mbit/s}
    path2.delay: {min: 1 ms, max: 25 ms}
"""

CASE = "  mptcp: {protocol: mptcp, congestion_control: lia}\n"
TCP1 = "  tcp1: {protocol: tcp, congestion_control: reno, path: 1}\n"
FLOW = "  - {tool: iperf3, from: client, to: server, duration: 30 s}\n"


def text(**sections: object) -> str:
    """TEXT with top-level sections replaced; None takes one away."""
    values = {**yaml.safe_load(TEXT), **sections}
    return yaml.safe_dump({k: v for k, v in values.items() if v is not None})


def spec(**sections: object) -> Spec:
    return loads(text(**sections))


def factors(method: str = "wsp", points: int | None = 4, **named: object) -> object:
    """A design over factors whose dots are written as double underscores."""
    varied = {name.replace("__", "."): how for name, how in named.items()}
    design = {"method": method, "points": points, "factors": varied}
    return {k: v for k, v in design.items() if v is not None}


def faults(text: str) -> list[str]:
    """The lines that say what is wrong with `text`."""
    with pytest.raises(UserError) as caught:
        loads(text, "f.yaml")
    return str(caught.value).splitlines()


def swapped(old: str, new: str) -> str:
    """TEXT with a part replaced."""
    assert old in TEXT
    return TEXT.replace(old, new)
