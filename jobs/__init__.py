"""The job: one frozen record, with one loader and one writer.

The planner makes a job, a guest executes it, and the analysis reads what was asked
for. All of them use the records of this package. It needs the standard library and
`topologies` alone, because the guest imports it.

`docs/experiment-file.md` describes the keys of a job.
"""

from typing import Any

from jobs import fit, reading, writing
from jobs.entries import Entry
from jobs.job import FORMAT, Job, bare
from jobs.links import Link
from jobs.reading import Fault
from jobs.transport import Transport
from topologies.impairments import Impairments
from topologies.parameters import traits
from topologies.queues import FRAME_BYTES, Discipline
from topologies.shaping import SENDER_HANDLE, Shape

__all__ = [
    "FORMAT",
    "FRAME_BYTES",
    "SENDER_HANDLE",
    "Discipline",
    "Entry",
    "Fault",
    "Impairments",
    "Job",
    "Link",
    "Shape",
    "Transport",
    "bare",
    "dump",
    "load",
    "traits",
]


def load(document: object) -> Job:
    """The job in a JSON value, with all checks.

    A job from a stranger can therefore ask for nothing that an experiment file cannot
    ask for. Raises Fault, a ValueError of one line, for anything else.
    """
    job = reading.read(Job, document)
    try:
        fit.check(job)
    except ValueError as error:
        raise Fault(str(error)) from None
    return job


def dump(job: Job) -> dict[str, Any]:
    """The JSON of a job, from which `load` makes the same job again."""
    made: dict[str, Any] = writing.plain(job)
    return made
