"""Results for notebooks and scripts: what `mpbench.load` returns."""

from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import pandas as pd

from analysis.words import many
from mpbench.errors import UserError

if TYPE_CHECKING:
    from analysis.campaign.campaign import Campaign
    from analysis.run.artefacts import Artefacts


Value = TypeVar("Value")


class Results:
    """A results folder, its runs compared with their manifests.

    Damaged and missing runs are left out, and `state` says so. Frames are made when
    they are asked for.
    """

    def __init__(self, root: Path, campaign: "Campaign") -> None:
        self._root = root
        self._campaign = campaign

    @property
    def name(self) -> str:
        """The experiment's name."""
        return self._campaign.name

    @property
    def state(self) -> tuple[str, ...]:
        """Sentences about runs that are missing or damaged; empty if none is."""
        return self._campaign.state

    @property
    def factors(self) -> tuple[str, ...]:
        """The columns of `runs` that the design varies."""
        return self._campaign.factors

    @property
    def runs(self) -> pd.DataFrame:
        """One row per finished run; docs/metrics.md describes the columns.

        Column names end with their units. Runs whose `verdict` is not `ok` have their
        place in the design and the reason, and no metrics; see `ok`.
        """
        return self._campaign.runs.copy()

    @property
    def ok(self) -> pd.DataFrame:
        """The rows of `runs` that enter statistics."""
        return self._campaign.ok_runs.copy()

    def __getitem__(self, run_id: str) -> "Run":
        """The run with this id, or the only one whose id begins so.

        Raises UserError if there is no such run, or there are several.
        """
        ids = [str(name) for name in self._campaign.runs["id"]]
        matching = [name for name in ids if name.startswith(run_id)]
        if len(matching) != 1 or not run_id:
            count = len(matching)
            several = f"{many(count, 'run')} begin{'s' if count == 1 else ''} so"
            several = several if matching else "no such run"
            raise UserError(
                f"{self._root}: {run_id!r}: {several}; `.runs['id']` has the ids"
            )
        return Run(self, matching[0])

    def __iter__(self) -> "Iterator[Run]":
        """Every run that is ok, in the order of the plan."""
        return (Run(self, str(name)) for name in self._campaign.ok_runs["id"])

    def __len__(self) -> int:
        return len(self._campaign.runs)

    def series(self, quantity: str, case: str | None = None) -> pd.DataFrame:
        """A quantity over time, of all runs that are ok and have it.

        quantity : a name of `mpbench list quantities`
        case : the one case to take; None for all

        Returns the columns id, point, case, repetition, line, time_s (after the
        beginning of the traffic) and value, in the unit of the quantity. Raises
        UserError if no run has the quantity.
        """
        return self._of_runs(lambda run: run.series(quantity), case)

    def subflows(self, case: str | None = None) -> pd.DataFrame:
        """The state of all subflows over time, of all runs that are ok and traced.

        case : the one case to take; None for all

        Returns the columns id, point, case and repetition, and those of
        `Run.subflows`. Raises UserError if no run was traced.
        """
        return self._of_runs(lambda run: run.subflows(), case)

    def _of_runs(
        self, frame_of: "Callable[[Run], pd.DataFrame]", case: str | None
    ) -> pd.DataFrame:
        frames, reason = [], "no run is ok"
        known = set(map(str, self._campaign.runs["case"]))
        if case is not None and case not in known:
            names = ", ".join(sorted(known))
            raise UserError(f"{self._root}: no case {case!r}; known: {names}")
        for run in self:
            if case is not None and run.case != case:
                continue
            try:
                frame = frame_of(run)
            except UserError as error:
                reason = str(error)
                continue
            place = run.row[["id", "point", "case", "repetition"]]
            for number, (name, value) in enumerate(place.items()):
                frame.insert(number, str(name), value)
            frames.append(frame)
        if not frames:
            raise UserError(reason)
        return pd.concat(frames, ignore_index=True)

    def _repr_html_(self) -> str:
        """The table of runs, which a notebook shows for the object."""
        shown: str = self._campaign.runs.to_html(max_rows=12, escape=True)
        return shown

    def __repr__(self) -> str:
        verdicts = self._campaign.runs["verdict"].value_counts()
        counted = ", ".join(f"{count} {name}" for name, count in verdicts.items())
        return f"<results of {self.name}: {counted}>"


class Run:
    """One finished run.

    id : 16 hexadecimal digits
    """

    def __init__(self, results: Results, run_id: str) -> None:
        self._results = results
        self.id = run_id

    @property
    def row(self) -> pd.Series:
        """The run's row in the table of runs."""
        runs = self._results._campaign.runs
        row: pd.Series = runs[runs["id"] == self.id].iloc[0]
        return row

    @property
    def case(self) -> str:
        return str(self.row["case"])

    @property
    def folder(self) -> Path:
        """The folder of the run: job.json, artefacts/ and the rest."""
        return self._results._root / "runs" / self.id

    @cached_property
    def _artefacts(self) -> "Artefacts":
        from analysis.run.artefacts import load

        return self._told(lambda: load(self.folder))

    def series(self, quantity: str) -> pd.DataFrame:
        """A quantity over time.

        quantity : a name of `mpbench list quantities`

        Returns the columns line (the user, path or subflow), time_s and value. Raises
        UserError if the run does not have it; all but the goodput need `trace:` in
        the experiment file.
        """
        from analysis.run.quantities import QUANTITIES
        from analysis.run.series import lines

        if quantity not in QUANTITIES:
            known = ", ".join(QUANTITIES)
            raise UserError(f"no quantity {quantity!r}; known: {known}")
        folder = self.folder / "artefacts"
        drawn = self._told(lambda: lines(self._artefacts, folder, quantity, ()))
        frames = [
            pd.DataFrame({"line": name, "time_s": line.times, "value": line.values})
            for name, line in drawn.items()
        ]
        return pd.concat(frames, ignore_index=True)

    def subflows(self) -> pd.DataFrame:
        """The state of every subflow over time, one row per subflow and sample.

        The columns are described in docs/keys.md (traces). Raises UserError
        if the run was not traced.
        """
        from analysis.run.readers import trace
        from analysis.run.series import FILE

        path = self.folder / "artefacts" / FILE
        if not path.exists():
            raise UserError(
                f"run {self.id} was not traced; put `trace: 100 ms` into the "
                "experiment file"
            )
        frame: pd.DataFrame = self._told(lambda: trace.data(trace.read(path)))
        return frame.reset_index(drop=True)

    def _told(self, read: "Callable[[], Value]") -> "Value":
        try:
            return read()
        except ValueError as error:
            raise UserError(f"run {self.id}: {error}") from error

    def __repr__(self) -> str:
        row = self.row
        return f"<run {self.id}: point {row['point']}, {self.case}, {row['verdict']}>"


def load(root: Path) -> Results:
    """The results in the folder `root`; raises UserError if there are none."""
    from mpbench.report.loading import load_campaign

    campaign, _ = load_campaign(root)
    return Results(root, campaign)
