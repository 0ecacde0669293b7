"""flows: many connections by mpbench-flows, one program for all entries of a run.

The list of the connections is in the run's folder before the guest boots
(`tools.flows.prepare`). The program owns the sockets of all hosts.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

from jobs import Transport
from tools.flows.record import Flows
from tools.processes import Process

NAME = "flows"
LIST = "boot/flows.txt"
INTERVALS = "artefacts/flow-intervals.csv"
SYSCTLS: Mapping[str, str | int] = {
    "net.core.somaxconn": 65535,
    "net.ipv4.tcp_max_syn_backlog": 65535,
    "net.ipv4.ip_local_port_range": "10000 65535",
}
"""Of hosts with such traffic, so that thousands of connections can open at once."""
OWN_CONTROL = True
"""Each connection sets its own congestion control, so none is needed of the host."""


def processes(
    index: int,
    entry: Flows,
    transport: Transport,
    address: Callable[[str, int | None], str],
) -> list[Process]:
    """The program, which is the same for all entries of this tool."""
    here = Path.cwd()
    return [
        Process(
            name=NAME,
            host=entry.source,
            argv=("mpbench-flows", str(here / LIST), str(here / INTERVALS)),
            role="client",
            output=f"{NAME}.csv",
            zero=True,
        )
    ]
