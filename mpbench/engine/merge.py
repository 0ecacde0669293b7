"""Puts the results folders of the parts of a campaign together into one folder."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from rich.console import Console
from rich.progress import track

from analysis.words import many
from mpbench.engine.progress import counts
from mpbench.engine.saving import Saving
from mpbench.engine.select import RETRIED, standing
from mpbench.errors import UserError
from mpbench.plan.stored_jobs import read_job
from mpbench.store import (
    atomic,
    campaign,
    content,
    design,
    json_file,
    layout,
    manifest,
    provenance,
    runs,
)
from mpbench.store.disk_space import explained
from mpbench.store.folder import refuse_links, working
from mpbench.store.json_file import DamagedError
from mpbench.store.table import Tabulate

COPIES_AT_A_TIME = 8
"""Most of the time of a copy is spent waiting for the disk to confirm it."""

MOST_EXPERIMENT_BYTES = 64 << 20
MOST_TOLD = 20

Fate = Literal["copied", "kept", "differs", "damaged"]


@dataclass(frozen=True)
class Copied:
    """Outcome for one run of one source.

    note : why it was not copied, for a run that differs or is damaged
    """

    source: Path
    run_id: str
    fate: Fate
    note: str = ""


def merge(
    sources: Sequence[Path], out: Path, tabulate: Tabulate, console: Console
) -> int:
    """Copy the finished runs of `sources` into the results folder `out`.

    `out` may be new, or hold a part of the same campaign. A run that `out` has is kept,
    unless it gave no result and the other one did. The sources are only read.

    Returns 0 if `out` then has every run of the plan and all are ok, else 1.
    Raises UserError if the folders do not hold parts of one campaign.
    """
    parts = [layout.Results(path) for path in sources]
    heads = [campaign.read(part.campaign) for part in parts]
    _check_parts(parts, heads, out)
    with working(out, heads[0].name) as results:
        if results.campaign.exists():
            head = campaign.read(results.campaign)
            _check_same(layout.Results(sources[0]), heads[0], results, head)
            heads.append(head)
        head = _head(heads)
        _write_head(results, head, parts[0])
        fates = _copy_all(parts, results, head, console)
        stands = standing(results, head.plan)
        saving = Saving(results, head, tabulate, dict(stands.rows))
        saving.save()
        lost = content.lost(results, stands.rows)
    told = [copied for copied in fates if copied.note]
    for copied in told[:MOST_TOLD]:
        console.print(
            f"{copied.source / 'runs' / copied.run_id}: {copied.note}",
            markup=False,
            soft_wrap=True,
        )
    if len(told) > MOST_TOLD:
        console.print(f"and {many(len(told) - MOST_TOLD, 'run')} more")
    for name in lost[:MOST_TOLD]:
        console.print(
            f"programs/{name}: none of the folders has the file that its name says, so"
            " the runs that need it cannot be verified",
            markup=False,
            soft_wrap=True,
        )
    number = sum(copied.fate == "copied" for copied in fates)
    verdicts = stands.verdicts()
    planned = {entry.id for entry in head.plan}
    missing = len(planned) - len(stands.rows)
    console.print(
        f"{head.name}: {many(number, 'run')} copied into {out}, which has "
        f"{len(stands.rows)} of {len(planned)} ({counts(verdicts)})"
        + (f"; {many(missing, 'run')} in none of the folders." if missing else "."),
        markup=False,
        soft_wrap=True,
    )
    sound = not missing and not told and not lost
    return 0 if sound and set(verdicts) <= {"ok"} else 1


def _check_parts(
    parts: Sequence[layout.Results], heads: Sequence[campaign.Campaign], out: Path
) -> None:
    """Raises UserError unless all parts belong to one campaign, and none is `out`."""
    for part, head in zip(parts, heads, strict=True):
        if part.root.resolve() == out.resolve():
            raise UserError(f"{out}: is one of the folders to merge; give another")
        refuse_links(part)
        _check_same(parts[0], heads[0], part, head)


def _check_same(
    first: layout.Results,
    first_head: campaign.Campaign,
    other: layout.Results,
    head: campaign.Campaign,
) -> None:
    """Raises UserError unless both folders hold runs of the same plan and build."""
    if first_head.name != head.name:
        theirs, ours = f"experiment {head.name!r}", f"holds {first_head.name!r}"
    elif first_head.backend != head.backend:
        theirs = f"runs of the backend {head.backend}"
        ours = f"holds runs of the backend {first_head.backend}"
    elif first_head.build != head.build:
        names = sorted({*first_head.build, *head.build})
        name = next(n for n in names if first_head.build.get(n) != head.build.get(n))
        theirs, ours = f"runs of another build ({name} differs)", "does not"
    elif first_head.spec_hash != head.spec_hash or first_head.plan != head.plan:
        theirs, ours = "another version of the experiment file", "does not"
    else:
        return
    raise UserError(
        f"{other.root}: holds {theirs}; {first.root} {ours}; merge the parts of one "
        "campaign, which one experiment file and one build of mpbench made"
    )


def _head(heads: Sequence[campaign.Campaign]) -> campaign.Campaign:
    """The head of the merged folder: the invocations of all parts, by date."""
    unique = {
        (*invocation["argv"], invocation["at"]): invocation
        for head in heads
        for invocation in head.invocations
    }
    earlier = sorted(unique.values(), key=lambda invocation: str(invocation["at"]))
    return replace(heads[0], invocations=(*earlier, provenance.invocation()))


def _write_head(
    results: layout.Results, head: campaign.Campaign, part: layout.Results
) -> None:
    try:
        text = json_file.read_bytes(part.experiment, MOST_EXPERIMENT_BYTES)
    except DamagedError as error:
        raise UserError(f"{part.experiment}: {error}") from error
    with explained(results.root):
        atomic.write_bytes(results.experiment, text)
        design.write(results.design, head.plan)
        campaign.write(results.campaign, head)


def _copy_all(
    parts: Sequence[layout.Results],
    results: layout.Results,
    head: campaign.Campaign,
    console: Console,
) -> list[Copied]:
    """Copy the runs of one part after the other; within a part several at a time."""
    planned = {entry.id for entry in head.plan}
    fates: list[Copied] = []
    with explained(results.root), ThreadPoolExecutor(COPIES_AT_A_TIME) as pool:
        for part in parts:
            content.copy(part, results)
            there = [name for name in runs.finished(part) if name in planned]
            copies = pool.map(lambda name, part=part: _copy(part, results, name), there)
            fates += track(
                copies,
                f"Copying {part.root}",
                total=len(there),
                console=console,
                disable=not console.is_terminal,
            )
    return fates


def _copy(part: layout.Results, results: layout.Results, run_id: str) -> Copied:
    """Copy one run, unless the folder has it already."""
    stored = runs.read(part, run_id)
    if stored is None:
        return Copied(part.root, run_id, "damaged", "is gone")
    if stored.row is None:
        return Copied(part.root, run_id, "damaged", f"damaged ({stored.fault})")
    try:
        read_job(part, run_id)
    except DamagedError as error:
        return Copied(part.root, run_id, "damaged", f"damaged ({error})")
    present = runs.read(results, run_id)
    there = present.row if present else None
    if there is not None and not _better(stored.row, there):
        return _compared(part, results, stored.row, there)
    runs.copy(part, results, run_id)
    return Copied(part.root, run_id, "copied")


def _better(row: Mapping[str, Any], than: Mapping[str, Any]) -> bool:
    """Whether a run gave a result where the other one did not."""
    return than["verdict"] in RETRIED and row["verdict"] not in RETRIED


def _compared(
    part: layout.Results,
    results: layout.Results,
    row: Mapping[str, Any],
    present: Mapping[str, Any],
) -> Copied:
    """The same run from two folders: its artefacts must be the same.

    A run without a result stops at a moment that the host decides, so it is not
    compared.
    """
    run_id = row["id"]
    if row["verdict"] in RETRIED or present["verdict"] in RETRIED:
        return Copied(part.root, run_id, "kept")
    differences = manifest.compare(
        manifest.read(results.run(run_id)).artefacts,
        manifest.read(part.run(run_id)).artefacts,
    )
    if not differences:
        return Copied(part.root, run_id, "kept")
    names = ", ".join(difference.artefact for difference in differences[:3])
    note = f"left out: not the same bytes as in {results.root} ({names})"
    return Copied(part.root, run_id, "differs", note)
