"""The task of a worker: execute one run aside, and send its folder back.

These functions are called on the worker, by name. What they are given and what they
return is text and bytes (see `messages`). Nothing of the worker's is shared with this
machine, neither files nor caches.
"""

import io
import platform
import tarfile
import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from jobs import load
from mpbench.cluster.messages import (
    MOST_PACKED_BYTES,
    Answer,
    Order,
    dump_build,
    too_large,
)
from mpbench.errors import UserError

REPORT_EVERY_S = 1.0
COMPRESSION = 1
"""Of gzip. Text halves at once; a higher level costs more than a network does."""

_cancelled: dict[str, threading.Event] = {}
_lock = threading.Lock()


def identity(backend: str) -> bytes:
    """The worker's build, or its `error`."""
    from mpbench.backends import registry

    try:
        return dump_build(registry.create(backend).identity())
    except UserError as error:
        return dump_build({"error": str(error)})
    except Exception as error:  # would travel as a pickle
        return dump_build({"error": f"{type(error).__name__}: {error}"})


def cancel(campaign: str) -> None:
    """Give up all runs of a campaign on this worker, those to come included."""
    _event(campaign).set()


def execute(order: bytes) -> bytes:
    """Execute a run in a temporary folder, and pack it.

    Raises ValueError outside of a worker.
    """
    import distributed

    worker = distributed.get_worker()
    here = (platform.node(), worker.address)
    try:
        return _execute(Order.load(order), worker, here).dump()
    except UserError as error:
        return Answer(*here, error=str(error)).dump()
    except Exception as error:  # would travel as a pickle
        return Answer(*here, error=f"{type(error).__name__}: {error}").dump()


def _execute(order: Order, worker: Any, here: tuple[str, str]) -> Answer:
    """`execute` on the worker whose host and address are `here`. Raises UserError."""
    from analysis.run.row import row
    from mpbench.backends import registry
    from mpbench.engine.execute import ExecutionContext
    from mpbench.engine.execute import execute as execute_here
    from mpbench.engine.types import Options
    from mpbench.plan import Run
    from mpbench.store import layout, provenance, scratch

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
        run = Run(**{**order.run, "job": load(order.run["job"])})
        outcome = execute_here(run, context, None, report, stop, earlier=order.earlier)
        if outcome is None:
            return Answer(*here)
        packed = pack(results.run(run.id))
        if len(packed) > MOST_PACKED_BYTES:
            return Answer(
                *here, exit=replace(outcome.exit, reason=too_large(len(packed)))
            )
        return Answer(*here, packed, outcome.exit)


def pack(run: Any) -> bytes:
    """The files of a stored run as a compressed archive.

    This format has one header per file; that of `tarfile` has a second one for the
    fractions of a date.
    """
    data = io.BytesIO()
    with tarfile.open(
        fileobj=data, mode="w:gz", compresslevel=COMPRESSION, format=tarfile.GNU_FORMAT
    ) as archive:
        archive.add(run.root, run.root.name)
    return data.getvalue()


def difference(one: Mapping[str, str], other: Mapping[str, str]) -> str:
    """Differences between a worker's build and the campaign's, in a few words."""
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
