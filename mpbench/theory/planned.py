"""The networks of an experiment's runs as models take them, from its plan."""

from typing import TYPE_CHECKING

from mpbench.errors import UserError

if TYPE_CHECKING:
    from analysis.models.setting import Setting, Stretch
    from jobs import Job
    from mpbench.spec import Spec


class PlannedSettings:
    """The settings of an experiment's runs, by point and case.

    The plan is made when the first one is asked for. Beside what `Settings` says,
    ValueError is raised for a point or case that the plan does not have.
    """

    def __init__(self, spec: "Spec") -> None:
        self._spec = spec
        self._jobs: dict[tuple[int, str], Job] = {}

    def __call__(self, point: int, case: str, part: str | None) -> "Setting":
        from mpbench.plan.settings import setting_of

        return setting_of(self._job(point, case), part)

    def over_time(self, point: int, case: str) -> "list[Stretch]":
        from mpbench.plan.settings import stretches_of

        return stretches_of(self._job(point, case))

    def _job(self, point: int, case: str) -> "Job":
        if not self._jobs:
            from mpbench.plan import make_plan

            try:
                plan = make_plan(self._spec, {})
            except UserError as error:
                raise ValueError(f"the experiment has no plan: {error}") from error
            for run in reversed(plan.runs):
                self._jobs[run.point, run.case] = run.job
        if (point, case) not in self._jobs:
            raise ValueError(f"the experiment has no point {point} of {case}")
        return self._jobs[point, case]
