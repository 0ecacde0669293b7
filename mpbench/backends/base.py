"""What the engine asks of a place where runs happen.

A backend runs one job in one folder and says how it ended. It judges no
number: whether the network was the one asked for is read from the artefacts
afterwards. Three rules hold for every backend:

* What it leaves in ``artefacts/`` is the same, byte for byte, whenever the
  same job runs on the same build (``identity``). Wall time, dates, CPU numbers
  and paths of the host belong elsewhere.
* ``cancel`` is looked at at least every 200 ms. A cancelled run ends its
  processes before ``execute`` returns.
* Its processes die with the engine, also when that is killed outright
  (``PR_SET_PDEATHSIG``), and live in a process group of their own, so that a
  terminal's Ctrl-C reaches the engine alone.
"""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

Job = Mapping[str, Any]
Report = Callable[[float], None]

Status = Literal["finished", "panicked", "timeout", "killed", "failed", "cancelled"]


@dataclass(frozen=True)
class Bounds:
    """How long a run may take before it counts as hung.

    virtual_s : seconds of the run's own clock, boot and set-up excluded
    wall_s : seconds of the host's clock, all included
    silence_s : seconds of the host's clock without a sign of life
    """

    virtual_s: float
    wall_s: float
    silence_s: float


@dataclass(frozen=True)
class Exit:
    """How an execution ended.

    status : ``finished`` (the guest did all and said so), ``panicked`` (its
        kernel did), ``timeout`` (a bound was reached; `reason` names it),
        ``killed`` (by a signal from outside, out of memory included),
        ``failed`` (it ended without finishing), ``cancelled`` (by the engine)
    reason : one line, empty when finished
    wall_s, virtual_s : what it took, seconds
    host_accident : whether the cause lies with the host and not with the job: a signal
        from outside, memory or files that the host refused, a pause
    cpu_s : CPU time of all its processes, user and system, seconds; None where the
        backend does not know. Unlike `wall_s` it does not count waiting for a CPU
    """

    status: Status
    reason: str
    wall_s: float
    virtual_s: float
    cpu_s: float | None = None
    host_accident: bool = False


class Backend(Protocol):
    """Where runs happen: virtual, native or fake.

    name : as given to ``--backend``
    max_parallel : how many runs may go on at once; None for one a CPU
    """

    name: str
    max_parallel: int | None

    def identity(self) -> dict[str, str]:
        """What else than the job determines the outcome; enters a run's id.

        Raises UserError if a requirement is missing on this machine.
        """
        ...

    def provenance(self) -> dict[str, Any]:
        """What a reader of the results wants to know of this backend; JSON-able."""
        ...

    def check(self, jobs: Sequence[Job]) -> None:
        """Raises UserError, before the first run, for jobs that cannot run here."""
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
        """Run `job`, leave its artefacts in ``directory/artefacts``.

        directory : the run's own folder; holds ``job.json`` and an empty
            ``artefacts/``
        cpu : the CPU to pin to, None for any
        report : to be called now and then with the virtual seconds passed
        cancel : set when the run is to be given up

        A guest's misfortune is an Exit. UserError is for what would befall
        every run (a tool missing); OSError for the host's own trouble (no
        space left).
        """
        ...
