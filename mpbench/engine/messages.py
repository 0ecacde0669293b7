"""The lines that a campaign prints at its beginning and at its end."""

import shlex
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from analysis.words import many
from mpbench import extras
from mpbench.engine.display import summary
from mpbench.engine.drive import Driven
from mpbench.engine.limits import MOST_ATTEMPTS
from mpbench.engine.progress import counts
from mpbench.engine.select import Standing
from mpbench.engine.types import Options, PlannedRun, Shard
from mpbench.store import campaign, layout


def opening(
    head: campaign.Campaign,
    stands: Standing,
    due: Sequence[PlannedRun],
    where: str,
    root: Path,
) -> list[str]:
    """Contents of the folder, runs to be executed, and the place of execution."""
    lines = []
    if stands.others:
        lines.append(
            f"{many(stands.others, 'run')} of an earlier plan (another experiment "
            f"file or build) stay in {root / 'runs'}; the table shows the present "
            "plan's only."
        )
    lines += [
        f"{root / 'runs' / run_id}: damaged ({fault}), will be run again."
        for run_id, fault in sorted(stands.damaged.items())
    ]
    if stands.uncovered:
        lines.append(uncovered(stands.uncovered, root))
    lines.append(
        f"{head.name}: {many(len(head.plan), 'run')} in the plan, "
        f"{_finished(stands)}, {len(due)} to do now"
        + (f", backend {head.backend}, {where}." if due else ".")
    )
    return lines


def closing(
    driven: Driven,
    stands: Standing,
    results: layout.Results,
    head: campaign.Campaign,
    options: Options,
) -> list[str]:
    """The campaign's end, the place of its results, and the next step."""
    again = shlex.join(head.invocations[-1]["argv"])
    left = len(head.plan) - len(stands.rows)
    lines = []
    if driven.signal_status:
        lines.append(
            f"Stopped: {many(driven.given_up, 'run')} in flight given up, "
            f"{len(stands.rows)} of {len(head.plan)} finished and safe."
        )
        lines.append(f"Go on with the same command: {again}")
    elif driven.progress.total:
        lines.append(summary(driven.progress))
    if driven.hopeless:
        lines.append(
            f"Given up: the last {many(options.give_up, 'run')} failed, timed out or "
            "were interrupted. --give-up 0 goes on regardless."
        )
    if left and not driven.signal_status:
        lines.append(f"{many(left, 'run')} of the plan not yet done.")
        if options.shard:
            lines.append(_shards(options.shard, results.root))
    verdicts = stands.verdicts()
    if not options.retry_failed and (verdicts["failed"] or verdicts["timeout"]):
        lines.append(
            f"In all {counts(verdicts)}. A failed run would fail again, so it is left "
            "alone; --retry-failed runs it once more."
        )
    lines += _interrupted(stands, again)
    if extras.knows_parquet():
        lines.append(f"Table: {results.csv} and {results.parquet.name}.")
    else:
        lines.append(f"Table: {results.csv}. `pip install pyarrow` adds Parquet.")
    if stands.rows and not driven.signal_status:
        lines.append(f"Next: mpbench report {shlex.quote(str(results.root))}")
    return lines


def _shards(shard: Shard, root: Path) -> str:
    """The way in which the folders of all parts become one folder."""
    if shard.count == 1:
        return "This was the only part of the plan."
    return (
        f"This was part {shard} of the plan. When the others are done: "
        f"mpbench merge {shlex.quote(str(root))} OTHERS... --out DIR"
    )


def uncovered(count: int, root: Path) -> str:
    """That rows cannot be compared, because an older mpbench stored them."""
    return (
        f"{root}: {many(count, 'run')} stored by an older mpbench: their manifests do "
        "not cover their rows, so a changed row would go unnoticed; "
        f"`mpbench analyse {shlex.quote(str(root))}` computes the rows again and "
        "covers them."
    )


def _interrupted(stands: Standing, again: str) -> list[str]:
    """The next step for the runs that the host cut short."""
    count = stands.verdicts()["interrupted"]
    given_up = len(stands.given_up())
    lines = []
    if count > given_up:
        lines.append(
            f"{many(count - given_up, 'run')} interrupted by this machine (killed, "
            "paused, or refused memory or files), which says nothing of the "
            f"experiment. The same command executes them again: {again}"
        )
    if given_up:
        lines.append(
            f"{many(given_up, 'run')} interrupted {MOST_ATTEMPTS} times in a row and "
            "left alone from now on; --retry-failed executes them once more."
        )
    return lines


def _finished(stands: Standing) -> str:
    if not stands.rows:
        return "none finished"
    verdicts: Counter[str] = stands.verdicts()
    return f"{len(stands.rows)} finished ({counts(verdicts)})"
