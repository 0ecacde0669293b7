"""The dashboard of results folders, written to one file."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mpbench.errors import UserError
from mpbench.report.gather import Gathered
from mpbench.store import atomic

if TYPE_CHECKING:
    from analysis.dashboard.payload import Source


def write(gathered: Sequence[Gathered], path: Path) -> None:
    """Raises UserError if the file cannot be written, or a campaign comes twice."""
    from analysis.dashboard.html import dashboard

    roots = [each.results.root.resolve() for each in gathered]
    for root in roots:
        if roots.count(root) > 1:
            raise UserError(f"{root}: given twice; give each results folder once")
    names = list(dict.fromkeys(each.head.name for each in gathered))
    text = dashboard(", ".join(names), [source(each) for each in gathered])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic.write_with(
            path, lambda place: Path(place).write_text(text, encoding="utf-8")
        )
    except OSError as error:
        raise UserError(
            f"{path}: cannot be written: {error.strerror}; give another with --out"
        ) from error


def source(gathered: Gathered) -> "Source":
    """What the dashboard takes of one campaign."""
    from analysis.campaign import table
    from analysis.dashboard.payload import Source

    results, spec = gathered.results, gathered.spec
    return Source(
        name=gathered.head.name,
        shown=shown(results.root),
        folders={str(r["id"]): results.run(str(r["id"])).root for r in gathered.rows},
        runs=table.build(gathered.rows),
        factors=gathered.factors,
        metrics=spec.metrics if spec else ("goodput",),
        made=gathered.made,
        state=gathered.state,
    )


def shown(root: Path) -> str:
    """As commands name it: from the current folder, if it lies below it."""
    here, there = Path.cwd().resolve(), root.resolve()
    return os.path.relpath(there, here) if there.is_relative_to(here) else str(root)
