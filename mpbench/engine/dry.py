"""Shows what `mpbench run` would do, without doing it."""

from pathlib import Path

from rich.console import Console
from rich.table import Table

from analysis.words import many
from mpbench.engine.durations import duration
from mpbench.engine.select import pending, standing
from mpbench.engine.types import Experiment, Options
from mpbench.plan.estimate import estimate, total
from mpbench.store.folder import check
from mpbench.store.layout import Results


def show(
    experiment: Experiment,
    root: Path,
    options: Options,
    console: Console,
    workers: int = 1,
    real_time: bool = False,
) -> None:
    """List every run of the plan with its state; write nothing.

    workers : runs at a time
    real_time : whether the backend goes by the host's clock

    Raises UserError for a folder that `mpbench run` would refuse, or for an unknown
    case.
    """
    planned, results = experiment.plan.runs, Results(root)
    check(results, experiment.name)
    stands = standing(results, planned)
    due = {run.id: run for run in pending(planned, stands, options)}
    table = Table("run", "point", "case", "repetition", "state", box=None)
    for run in planned:
        row = stands.rows.get(run.id)
        done = row["verdict"] if row else "not now"
        state = "to do" if run.id in due else done
        table.add_row(run.id, str(run.point), run.case, str(run.repetition), state)
    console.print(table)
    whole = total((estimate(run.job, real_time) for run in due.values()), workers)
    console.print(
        f"{experiment.name}: {many(len(planned), 'run')} in the plan, "
        f"{len(stands.rows)} finished, {len(due)} to do now "
        f"in {root}: {duration(whole, workers)}",
        markup=False,
        soft_wrap=True,
    )
