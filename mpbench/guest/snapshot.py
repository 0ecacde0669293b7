"""Read the kernel's counters and save them unchanged."""

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jobs import Link
from mpbench.guest.network import LabNode

COUNTER_FILES = ("/proc/net/snmp", "/proc/net/netstat")


def counters(node: LabNode) -> dict[str, int]:
    """All SNMP and MIB counters of the node, under nstat's names."""
    values: dict[str, int] = {}
    with node.namespace.entered():
        for name in COUNTER_FILES:
            lines = Path(name).read_text().splitlines()
            for head, body in zip(lines[::2], lines[1::2], strict=True):
                group, *names = head.split()
                prefix = group.removesuffix(":")
                for key, value in zip(names, body.split()[1:], strict=True):
                    values[prefix + key] = int(value)
    return values


def qdisc_words(links: Sequence[Link]) -> list[str]:
    """The command that shows the queueing disciplines of a node.

    tc shows the weight of RED's average only in its details.

    links : the job's
    """
    ways = [way for link in links for way in (link, link.direction(False))]
    details = ["-d"] if any(way.discipline for way in ways) else []
    return ["tc", "-s", *details, "-j", "qdisc", "show"]


def tool_output(node: LabNode, argv: list[str]) -> Any:
    """The parsed output of a tool that prints JSON, run in a node."""
    return json.loads(tool_text(node, argv) or "[]")


def tool_text(node: LabNode, argv: list[str]) -> str:
    process = node.popen(argv, stdout=subprocess.PIPE)
    output, _ = process.communicate()
    if process.returncode:
        raise OSError(f"{node.name}: {' '.join(argv)}: exit {process.returncode}")
    return output.decode()


def classes(node: LabNode, qdiscs: list[dict[str, Any]]) -> dict[str, str]:
    """The text of `tc -s class show` for each htb of a node, by interface.

    tc has no JSON for these classes.
    """
    interfaces = [qdisc["dev"] for qdisc in qdiscs if qdisc["kind"] == "htb"]
    return {
        name: tool_text(node, ["tc", "-s", "class", "show", "dev", name])
        for name in interfaces
    }


def interface_statistics(node: LabNode) -> dict[str, dict[str, int]]:
    """The packets, bytes, errors and drops of each interface but `lo`."""
    with node.namespace.entered():
        lines = Path("/proc/thread-self/net/dev").read_text().splitlines()[2:]
    names = ("bytes", "packets", "errors", "dropped")
    table = {}
    for line in lines:
        interface, _, numbers = line.partition(":")
        values = [int(number) for number in numbers.split()]
        table[interface.strip()] = {
            **{f"rx_{name}": values[i] for i, name in enumerate(names)},
            **{f"tx_{name}": values[8 + i] for i, name in enumerate(names)},
        }
    table.pop("lo", None)
    return table


def write(path: Path, value: Any) -> None:
    """Save a value as JSON. The bytes depend on nothing but the value."""
    path.write_text(json.dumps(value, indent=1, sort_keys=True) + "\n")
