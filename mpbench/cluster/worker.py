"""What a worker does: execute one run aside, and send its folder back.

These functions are called on the worker, by name, with plain values. Nothing of the
worker's is shared with this machine, neither files nor caches.
"""

import io
import platform
import tarfile
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from mpbench.errors import UserError

REPORT_EVERY_S = 1.0
COMPRESSION = 1
"""Of gzip. Text halves at once; a higher level costs more than a network does."""

_cancelled: dict[str, threading.Event] = {}
_lock = threading.Lock()


@dataclass(frozen=True)
class Order:
    """A run to execute, as plain values.

    campaign : a name of this invocation, by which its runs are cancelled
    backend, build : where, and what it has to be
    run : id, point, case, repetition, factors and job of the run
    options : of mpbench.engine.types.Options, those that the execution needs
    earlier : how many executions in a row the host has cut short before
    invocation : kept beside the run
    """

    campaign: str
    backend: str
    build: Mapping[str, str]
    run: Mapping[str, Any]
    options: Mapping[str, Any]
    earlier: int
    invocation: Mapping[str, Any]


@dataclass(frozen=True)
class Answer:
    """What a worker sends back.

    worker : its host's name
    address : the worker's, as the scheduler knows it
    packed : the run's folder, as a compressed tar archive; None if the run was
        cancelled or could not be executed
    exit : how the execution ended (mpbench.backends.base.Exit)
    error : why no run can be executed on this worker; "" if one can
    """

    worker: str
    address: str
    packed: bytes | None = None
    exit: Mapping[str, Any] | None = None
    error: str = ""


def identity(backend: str) -> dict[str, str]:
    """The worker's build, or its `error`."""
    from mpbench.backends import registry

    try:
        return registry.create(backend).identity()
    except UserError as error:
        return {"error": str(error)}


def cancel(campaign: str) -> None:
    """Give up all runs of a campaign on this worker, those to come included."""
    _event(campaign).set()


def execute(order: Order) -> Answer:
    """Execute a run in a temporary folder, and pack it."""
    import distributed

    from analysis.run.row import row
    from mpbench.backends import registry
    from mpbench.engine.execute import ExecutionContext
    from mpbench.engine.execute import execute as execute_here
    from mpbench.engine.types import Options
    from mpbench.plan import Run
    from mpbench.store import layout, provenance, scratch

    worker = distributed.get_worker()
    here = (platform.node(), worker.address)
    name = f"{here[0]} ({here[1]})"
    stop = _event(order.campaign)
    if stop.is_set():
        return Answer(*here)
    last_s = 0.0

    def report(virtual_s: float) -> None:
        nonlocal last_s
        if time.monotonic() - last_s >= REPORT_EVERY_S:
            last_s = time.monotonic()
            worker.log_event(order.campaign, [order.run["id"], virtual_s])

    try:
        backend = registry.create(order.backend)
        build = backend.identity()
        if build != dict(order.build):
            return Answer(*here, error=difference(build, order.build))
        worker.log_event(order.campaign, [order.run["id"], 0.0, name])
        with scratch.folder("worker") as folder:
            results = layout.Results(folder)
            results.runs.mkdir()
            context = ExecutionContext(
                results=results,
                backend=backend,
                build=build,
                measure=row,
                options=Options(**order.options),
                provenance=provenance.collect(backend.provenance()),
                invocation=order.invocation,
            )
            run = Run(**order.run)
            outcome = execute_here(
                run, context, None, report, stop, earlier=order.earlier
            )
            if outcome is None:
                return Answer(*here)
            packed = pack(results.run(run.id))
            return Answer(*here, packed, asdict(outcome.exit))
    except UserError as error:
        return Answer(*here, error=str(error))


def pack(run: Any) -> bytes:
    """The files of a stored run as a compressed archive."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz", compresslevel=COMPRESSION) as archive:
        archive.add(run.root, run.root.name)
    return data.getvalue()


def difference(one: Mapping[str, str], other: Mapping[str, str]) -> str:
    """What differs between a worker's build and the campaign's, in a few words."""
    if "error" in one:
        return one["error"]
    names = sorted(n for n in {*one, *other} if one.get(n) != other.get(n))
    name = names[0]
    return (
        f"another build: {name} is {one.get(name, 'missing')} there and "
        f"{other.get(name, 'missing')} here; install the same mpbench on both, and "
        "build the same guest (`mpbench doctor`)"
    )


def _event(campaign: str) -> threading.Event:
    with _lock:
        return _cancelled.setdefault(campaign, threading.Event())
