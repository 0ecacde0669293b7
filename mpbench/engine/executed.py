"""Execute a plan and return the table of its runs, for searches of several steps."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
from rich.console import Console

from analysis.campaign import table
from analysis.run.row import row
from mpbench.backends import registry
from mpbench.backends.virtual import VirtualBackend
from mpbench.engine.campaign import run_campaign
from mpbench.engine.types import AnalysisFunctions, Experiment, Options
from mpbench.errors import printable
from mpbench.plan.runs import Plan
from mpbench.spec import Spec
from mpbench.store import campaign, layout
from mpbench.store.table import collect


class EndedError(Exception):
    """The runs were stopped. status : the exit status of the command"""

    def __init__(self, status: int) -> None:
        super().__init__(f"exit status {status}")
        self.status = status


class Steps:
    """Execution and words of a search, on one backend.

    backend_name : `virtual` or `fake`
    jobs : runs at a time; None for as many as there are CPUs
    trusted : whether code of plug-ins may run or be compiled on this machine
    """

    def __init__(self, backend_name: str, jobs: int | None, trusted: bool) -> None:
        self.backend = registry.create(backend_name)
        if isinstance(self.backend, VirtualBackend):
            self.backend.trusted = trusted
        self._jobs = jobs
        self._console = Console(highlight=False)

    def say(self, line: str) -> None:
        """Print a line, which may hold names of a stranger's file."""
        text = printable(line)
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def execute(
        self, spec: Spec, plan: Plan, folder: Path, others: Sequence[Path]
    ) -> pd.DataFrame:
        """The table of a plan's runs, whose attribute `factors` names the design's.

        folder : of the results; runs that are finished there are not executed again
        others : results folders from which the same runs are taken over

        Raises EndedError if the runs were stopped.
        """
        known = tuple(path for path in others if (path / "campaign.json").exists())
        status = run_campaign(
            Experiment(spec.name, spec.text.encode(), plan),
            folder,
            self.backend,
            self.backend.identity(),
            AnalysisFunctions(measure=row, tabulate=table.build),
            Options(jobs=self._jobs, reuse=known),
            self._console,
        )
        if status > 1:
            raise EndedError(status)
        results = layout.Results(folder)
        rows = table.build(collect(results, campaign.read(results.campaign).plan))
        rows.attrs["factors"] = plan.factor_keys
        return rows
