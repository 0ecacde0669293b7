"""The interface between the engine and the places where runs are executed.

A backend executes one job in one folder and says how the execution ended. It does not
judge the results: the analysis reads from the artefacts whether the network was the one
asked for. Three rules hold for every backend:

* The files in ``artefacts/`` are the same, byte for byte, whenever the same job is
  executed on the same build (``identity``). So they hold no wall time, date, CPU number
  or path of the host. (The native backend measures in real time and cannot keep this
  rule.)
* The backend checks ``cancel`` at least every 200 ms. A cancelled run ends its
  processes before ``execute`` returns.
* The backend's processes end with the engine, even if the engine is killed
  (``PR_SET_PDEATHSIG``). They are in a process group of their own, so a terminal's
  Ctrl-C reaches the engine only.
"""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from jobs import Job

Report = Callable[[float], None]

ENDING_S = 30.0
"""Seconds of a run's own clock after its bound that the guest's code has to end the
programs that still run, and to save what they and the kernel counted."""


def at_most_s(virtual_s: float) -> float:
    """The time after which a run is ended from outside, in seconds of its own clock.

    virtual_s : the bound, at which the guest's code ends its traffic. As much time
        again is allowed, and ENDING_S at most
    """
    return virtual_s + min(ENDING_S, virtual_s)


Status = Literal["finished", "panicked", "timeout", "killed", "failed", "cancelled"]


@dataclass(frozen=True)
class Bounds:
    """Bounds of a run, beyond which it counts as hung.

    virtual_s : seconds of the run's own clock, without boot and set-up
    wall_s : seconds of the host's clock for the whole execution
    silence_s : seconds of the host's clock without a sign of life
    """

    virtual_s: float
    wall_s: float
    silence_s: float


@dataclass(frozen=True)
class Exit:
    """The end of an execution.

    status : ``finished`` (the guest completed its work and said so), ``panicked`` (the
        guest's kernel did), ``timeout`` (a bound was reached; `reason` names it),
        ``killed`` (by a signal from outside, also for lack of memory), ``failed`` (the
        guest ended without finishing), ``cancelled`` (by the engine)
    reason : one line, empty if finished
    wall_s, virtual_s : how long the execution took, seconds
    host_accident : whether the cause lies with the host and not with the job: a signal
        from outside, memory or files that the host refused, a pause
    cpu_s : the CPU time of all processes of the run, user and system, seconds; None if
        the backend does not know it. Unlike `wall_s`, it excludes waiting for a CPU
    """

    status: Status
    reason: str
    wall_s: float
    virtual_s: float
    cpu_s: float | None = None
    host_accident: bool = False


class Backend(Protocol):
    """A place where runs are executed: virtual, native or fake.

    name : the name that ``--backend`` takes
    max_parallel : how many runs may go on at once; None for one per CPU
    """

    name: str
    max_parallel: int | None

    def identity(self) -> dict[str, str]:
        """Determinants of the outcome beside the job; they are part of a run's id.

        Raises UserError if a requirement is missing on this machine.
        """
        ...

    def provenance(self) -> dict[str, Any]:
        """Facts about this backend for readers of the results, for JSON."""
        ...

    def check(self, jobs: Sequence[Job]) -> None:
        """Raises UserError, before the first run, for jobs that cannot run here."""
        ...

    def alike(self, job: Job) -> str | None:
        """A name that jobs share which have the same outcome, although they have
        different ids; None if nothing is known of that."""
        ...

    def execute(
        self,
        job: Job,
        directory: Path,
        cpu: int | None,
        bounds: Bounds,
        report: Report,
        cancel: threading.Event,
    ) -> Exit:
        """Execute `job` and leave its artefacts in ``directory/artefacts``.

        A failure of the guest is an Exit. Raises UserError for a cause that concerns
        every run, such as a missing tool, and OSError for a failure of the host, such
        as a full disk.

        directory : the run's own folder, with ``job.json`` and an empty ``artefacts/``
        cpu : the CPU to pin to, None for any
        report : called now and then with the virtual seconds that have passed
        cancel : set when the engine gives the run up
        """
        ...
