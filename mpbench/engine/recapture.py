"""A finished run once more, with a capture, and the proof that it is the same run."""

import shutil
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import topologies
from mpbench.backends.base import Backend, Exit
from mpbench.engine import cpus
from mpbench.engine.bounds import bounds
from mpbench.engine.verify import Check, builds, choose, differences
from mpbench.errors import UserError
from mpbench.store import atomic, campaign, layout, manifest, runs
from mpbench.store.trouble import check_space, explained

OWN = "capture"
"""How the names of artefacts of a capture begin; those of another are not compared."""


@dataclass(frozen=True)
class Made:
    """files : the captures; compared : how many artefacts were compared, captures too
    where the run's first execution made the same
    differences : among these; dropped : packets that a ring had no room for"""

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
        names = ", ".join(entry.id for entry, _, _ in chosen)
        raise UserError(f"{wanted}: several runs begin so: {names}")
    entry, run, name = chosen[0]
    if others := builds(chosen, backend.identity()):
        raise UserError(
            f"{others[0]}; only the build that made a run makes the same again"
        )
    job, before = runs.read_json(run.job), runs.read_json(run.manifest)
    if job is None or before is None:
        raise UserError(f"{run.root}: damaged (no readable job.json or manifest.json)")
    asked = {"interfaces": _interfaces(job, interfaces), "full": full}
    scratch = layout.Run(target / f".partial-{entry.id}")
    try:
        with explained(target):
            shutil.rmtree(scratch.root, ignore_errors=True)
            scratch.artefacts.mkdir(parents=True)
            again = {**job, "capture": asked}
            atomic.write_json(scratch.job, dict(sorted(again.items())))
            ended = backend.execute(
                again,
                scratch.root,
                cpus.choose(1, backend.max_parallel)[0],
                bounds(job),
                lambda _: None,
                threading.Event(),
            )
            check_space(target)
            check = Check(run, job, before)
            return _made(entry.id, name, scratch, check, asked, target, ended)
    finally:
        shutil.rmtree(scratch.root, ignore_errors=True)


def _made(
    run: str,
    name: str,
    scratch: layout.Run,
    check: Check,
    asked: Mapping[str, Any],
    target: Path,
    ended: Exit,
) -> Made:
    """Compare with what was noted and with what is kept, and put the captures in
    their place."""
    now = manifest.take(scratch.artefacts)
    found = {*manifest.compare(check.manifest, now), *differences(check, now)}
    ours = {name for name in check.manifest if _compared(name, check.job, asked)}
    there = sorted(
        (
            each
            for each in found
            if each.artefact in ours or not each.artefact.startswith(OWN)
        ),
        key=lambda each: each.artefact,
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
        differences=tuple(there),
        dropped=sum((record.get("dropped") or {}).values()),
        exit=ended,
    )


def _compared(name: str, job: Mapping[str, Any], asked: Mapping[str, Any]) -> bool:
    """Whether an artefact of the first execution must come out again."""
    first = job.get("capture")
    if not name.startswith(OWN):
        return True
    if not first or first["full"] != asked["full"]:
        return False
    if set(first["interfaces"]) == set(asked["interfaces"]):
        return True
    captured = name.removeprefix(f"{OWN}-").removesuffix(".pcap")
    return captured in asked["interfaces"]


def _interfaces(job: Mapping[str, Any], wanted: Sequence[str]) -> list[str]:
    wiring = topologies.wire_job(job)
    there = {
        end.interface: end.node for wire in wiring.wires for end in (wire.one, wire.two)
    }
    for name in wanted:
        if name not in there:
            has = ", ".join(sorted(there))
            raise UserError(f"no interface '{name}'; {job['topology']} has {has}")
    if wanted:
        return list(dict.fromkeys(wanted))
    if job.get("capture"):
        return list(job["capture"]["interfaces"])
    routers = {node.name for node in wiring.nodes if node.router}
    return sorted(name for name, node in there.items() if node not in routers)
