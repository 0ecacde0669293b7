"""Execute a plan and return the table of its runs, for searches of several steps."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from rich.console import Console

from analysis.campaign import table
from analysis.run.row import row
from mpbench.backends.base import Backend
from mpbench.engine.campaign import run_campaign
from mpbench.engine.types import AnalysisFunctions, Experiment, Options
from mpbench.plan.runs import Plan
from mpbench.spec import Spec
from mpbench.store import campaign, layout
from mpbench.store.table import collect


class EndedError(Exception):
    """The runs were stopped. status : the exit status of the command"""

    def __init__(self, status: int) -> None:
        super().__init__(f"exit status {status}")
        self.status = status


def execute(
    spec: Spec,
    plan: Plan,
    folder: Path,
    others: Sequence[Path],
    backend: Backend,
    jobs: int | None,
    console: Console,
) -> pd.DataFrame:
    """The table of a plan's runs, whose attribute `factors` names those of the design.

    folder : of the results; runs that are finished there are not executed again
    others : results folders from which the same runs are taken over
    jobs : runs at a time; None for as many as there are CPUs

    Raises EndedError if the runs were stopped.
    """
    known = tuple(path for path in others if (path / "campaign.json").exists())
    status = run_campaign(
        Experiment(spec.name, spec.text.encode(), plan),
        folder,
        backend,
        backend.identity(),
        AnalysisFunctions(measure=row, tabulate=table.build),
        Options(jobs=jobs, reuse=known),
        console,
    )
    if status > 1:
        raise EndedError(status)
    results = layout.Results(folder)
    rows = table.build(collect(results, campaign.read(results.campaign).plan))
    rows.attrs["factors"] = plan.factor_keys
    return rows
