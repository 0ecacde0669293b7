"""One experiment over several designs; each design is a campaign of its own."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from analysis.words import many
from mpbench.backends.base import Backend
from mpbench.engine import cpus
from mpbench.engine.campaign import run_campaign
from mpbench.engine.durations import duration
from mpbench.engine.select import pending, standing
from mpbench.engine.types import AnalysisFunctions, Experiment, Options
from mpbench.experiment_files import with_design
from mpbench.plan import new_plan
from mpbench.plan.estimate import estimate, total
from mpbench.spec import Spec
from mpbench.store import campaign, layout, table

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Designs:
    """The designs of `spec`, numbered from 1, and where their runs are.

    root : results folder of the first design, which is the experiment's own. Design k
        is in `root.designs/k` beside it, and its seed is that of the experiment's
        design plus k - 1
    real_time : whether the backend uses the host's clock
    """

    spec: Spec
    root: Path
    backend: Backend
    analysis: AnalysisFunctions
    options: Options
    console: Console
    real_time: bool = False
    _made: dict[tuple[int, int], Experiment] = field(default_factory=dict)

    def folder(self, number: int) -> Path:
        return self.root if number == 1 else self.beside / str(number)

    @property
    def beside(self) -> Path:
        return self.root.with_name(f"{self.root.name}.designs")

    @property
    def points(self) -> int:
        """The number of points in the experiment file."""
        assert self.spec.design is not None and self.spec.design.points is not None
        return self.spec.design.points

    @property
    def grown_from(self) -> int:
        """The number of points of a design before any are added."""
        assert self.spec.design is not None
        return self.spec.design.grown_from or self.points

    def varied(self, number: int, points: int) -> Spec:
        """The experiment over design `number`, grown to `points`.

        points : at least as many as the file says
        """
        design = self.spec.design
        assert design is not None
        changes = {}
        if number > 1:
            seed = self.spec.seed if design.seed is None else design.seed
            changes["seed"] = seed + number - 1
        if points > self.points:
            changes["points"] = points
            changes["grown_from"] = self.grown_from
        return with_design(self.spec, **changes) if changes else self.spec

    def outlook(self, numbers: range, points: int) -> str:
        """Runs of these designs that are left, and about how long they will take.

        Raises UserError if a design cannot have so many points.
        """
        due = []
        for number in numbers:
            runs = self._experiment(number, points).plan.runs
            stands = standing(layout.Results(self.folder(number)), runs)
            due += pending(runs, stands, self.options)
        head = f"{many(len(numbers), 'design')} of {many(points, 'point')}"
        if not due:
            return f"{head}: all has run"
        workers = len(cpus.choose(self.options.jobs, self.backend.max_parallel))
        whole = total((estimate(run.job, self.real_time) for run in due), workers)
        return f"{head}: {many(len(due), 'run')} to do, {duration(whole, workers)}"

    def run(self, number: int, points: int) -> "tuple[int, pd.DataFrame]":
        """Execute the unfinished runs of a design.

        Returns the exit status and the table of runs.
        """
        folder = self.folder(number)
        status = run_campaign(
            self._experiment(number, points),
            folder,
            self.backend,
            self.backend.identity(),
            self.analysis,
            self.options,
            self.console,
        )
        results = layout.Results(folder)
        rows = table.collect(results, campaign.read(results.campaign).plan)
        return status, self.analysis.tabulate(rows)

    def _experiment(self, number: int, points: int) -> Experiment:
        if (number, points) not in self._made:
            spec = self.varied(number, points)
            plan = new_plan(spec, self.backend.identity())
            made = Experiment(spec.name, spec.text.encode(), plan)
            self._made[number, points] = made
        return self._made[number, points]
