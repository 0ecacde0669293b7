"""The list that mpbench-flows reads: the connections of a run, with their addresses.

The format stands at the head of kernel/guest/flows/main.c. The list lies in the run's
folder before the run begins, and follows from the job alone.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from jobs import Job
from mpbench.errors import UserError
from mpbench.plan.flow_list import drawn, ends_of
from tools.flows.processes import LIST
from tools.flows.record import Flows

FORMAT = 1
HASH_DIGITS = 16


def write(job: Job, directory: Path) -> None:
    """Write the list of a run into its folder, if the run needs one.

    Raises UserError if this version would draw other connections than the job's.
    """
    if not any(isinstance(entry, Flows) for entry in job.traffic):
        return
    try:
        content = text(job)
    except ValueError as error:
        raise UserError(f"{directory.name}: {error}") from error
    file = directory / LIST
    file.parent.mkdir(exist_ok=True)
    file.write_text(content)


def text(job: Job) -> str:
    """The list of a job that has traffic of the tool `flows`.

    Raises ValueError if this version would draw other connections than the job's.
    """
    body = "".join(f"{line}\n" for line in _lines(job))
    digest = hashlib.sha256(body.encode()).hexdigest()[:HASH_DIGITS]
    return f"mpbench-flows {FORMAT}\ndigest {digest}\n{body}"


def _lines(job: Job) -> Iterator[str]:
    """The lines below the head. Entries have their numbers in the job."""
    wiring = job.wiring
    entries = {
        number: entry
        for number, entry in enumerate(job.traffic)
        if isinstance(entry, Flows)
    }
    for number, entry in entries.items():
        transport = job.transport_of(entry)
        words = (
            "tcp" if transport.is_quic else transport.protocol,
            transport.kernel_control,
            "reverse" if entry.reverse else "forward",
            str(entry.read_bytes),
            str(round(entry.interval_s * 1e9)),
        )
        yield f"entry {number} {' '.join(words)}"
    for number, entry in entries.items():
        for host in entry.destinations:
            yield f"listen {number} {host} {wiring.address(host)} {entry.port}"
    for number, entry in entries.items():
        path = job.transport_of(entry).path
        for flow in drawn(entry, job.seed):
            here, there, user = ends_of(entry, flow.user)
            taken = entry.paths[flow.user - 1] if entry.paths else path
            source = wiring.address(here, taken) if taken else "-"
            target = f"{there} {wiring.address(there)} {entry.port}"
            times = f"{flow.start_ns} {flow.end_ns}"
            yield (f"flow {number} {user} {here} {source} {target} {flow.size} {times}")
