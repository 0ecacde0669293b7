"""Execute a finished run again with a capture, and prove that it is the same run."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from jobs import Job
from jobs.capture import Capture
from mpbench.backends.base import Backend, Exit
from mpbench.engine import cpus
from mpbench.engine.bounds import bounds
from mpbench.engine.verify import (
    Check,
    check_of,
    choose,
    differences,
    first_of_another_build,
)
from mpbench.errors import UserError
from mpbench.store import atomic, campaign, layout, manifest, runs
from mpbench.store.disk_space import check_space, explained
from mpbench.store.trees import remove_tree

OWN = "capture"
"""Beginning of the names of a capture's artefacts. The artefacts of another capture
than the run's own are not compared."""


@dataclass(frozen=True)
class Made:
    """Result of an execution with a capture.

    files : the captures
    compared : how many artefacts were compared; captures are among them where the
        run's first execution made the same ones
    differences : among the compared artefacts
    dropped : packets that are missing because the buffer was full
    """

    run: str
    name: str
    files: tuple[Path, ...]
    compared: int
    differences: tuple[manifest.Difference, ...]
    dropped: int
    exit: Exit


def recapture(
    results: layout.Results,
    wanted: str,
    backend: Backend,
    target: Path,
    full: bool = False,
    interfaces: Sequence[str] = (),
) -> Made:
    """Execute the run `wanted` (an id, or how one begins) again, capturing.

    interfaces : where; those of the job, or all of the hosts, if none is given
    target : folder for the captures, made if it is not there
    Raises UserError if there is no such run, another build made it, or an interface
    is not there.
    """
    head = campaign.read(results.campaign)
    chosen = choose(results, head, None, 1, [wanted])
    if len(chosen) > 1:
        names = ", ".join(run.entry.id for run in chosen)
        raise UserError(f"{wanted}: several runs begin so: {names}")
    run_id, name = chosen[0].entry.id, chosen[0].name
    if other := first_of_another_build(chosen, backend.identity()):
        raise UserError(
            f"{other.words}; only the build that made a run{other.maker} makes the "
            "same again"
        )
    check = check_of(results, chosen[0])
    job = check.job
    if job.linux is not None and job.linux.in_qemu:
        raise UserError(
            f"{wanted}: ran in QEMU, where captures are made by tcpdump, which changes"
            " the run; put 'capture:' into the experiment, and run it again"
        )
    # Of UDP, captures keep whole packets or none.
    whole = full or any(job.transport_of(entry).is_quic for entry in job.traffic)
    asked = Capture(interfaces=_interfaces(job, interfaces), full=whole)
    scratch = layout.Run(target / f"{layout.PARTIAL}{run_id}")
    try:
        with explained(target):
            remove_tree(scratch.root)
            scratch.artefacts.mkdir(parents=True)
            again = replace(job, capture=asked)
            atomic.write_json(scratch.job, runs.document(again))
            ended = backend.execute(
                again,
                scratch.root,
                cpus.choose(1, backend.max_parallel)[0],
                bounds(job),
                lambda _: None,
                threading.Event(),
            )
            check_space(target)
            return _made(run_id, name, scratch, check, asked, target, ended)
    finally:
        remove_tree(scratch.root)


def _made(
    run: str,
    name: str,
    scratch: layout.Run,
    check: Check,
    asked: Capture,
    target: Path,
    ended: Exit,
) -> Made:
    """Compare with the manifest and with the stored artefacts, and move the captures
    to `target`."""
    now = manifest.take(scratch.artefacts)
    found = {*manifest.compare(check.manifest, now), *differences(check, now)}
    ours = {name for name in check.manifest if _compared(name, check.job, asked)}
    differing = sorted(
        (
            difference
            for difference in found
            if difference.artefact in ours or not difference.artefact.startswith(OWN)
        ),
        key=lambda difference: difference.artefact,
    )
    files = []
    for capture in sorted(scratch.artefacts.glob(f"{OWN}-*.pcap")):
        place = target / capture.name.removeprefix(f"{OWN}-")
        capture.replace(place)
        files.append(place)
    record = runs.read_json(scratch.artefacts / f"{OWN}.json") or {}
    return Made(
        run=run,
        name=name,
        files=tuple(files),
        compared=len(ours),
        differences=tuple(differing),
        dropped=sum((record.get("dropped") or {}).values()),
        exit=ended,
    )


def _compared(name: str, job: Job, asked: Capture) -> bool:
    """Whether an artefact of the first execution must come out again."""
    first = job.capture
    if not name.startswith(OWN):
        return True
    if not first or first.full != asked.full:
        return False
    if set(first.interfaces) == set(asked.interfaces):
        return True
    captured = name.removeprefix(f"{OWN}-").removesuffix(".pcap")
    return captured in asked.interfaces


def _interfaces(job: Job, wanted: Sequence[str]) -> tuple[str, ...]:
    wiring = job.wiring
    there = wiring.captures
    for name in wanted:
        if name not in there:
            has = ", ".join(sorted(there))
            raise UserError(f"no interface '{name}'; the network has {has}")
    if wanted:
        return tuple(dict.fromkeys(wanted))
    if job.capture:
        return job.capture.interfaces
    routers = {node.name for node in wiring.nodes if node.router}
    hosts = (name for name, (node, _) in there.items() if node not in routers)
    return tuple(sorted(hosts))
