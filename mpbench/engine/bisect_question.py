"""The inputs of a search for the change that makes a metric worse."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from analysis.campaign.directions import NONE, Direction
from jobs.linux import OWN, Linux
from mpbench.engine.bisect_log import Noted
from mpbench.errors import UserError, printable
from mpbench.plan import absent_metrics
from mpbench.spec import Spec, compare_checks, kernels
from mpbench.spec.own_metrics import DOT
from mpbench.spec.suggestions import nearest
from mpbench.spec.vocabulary import METRICS


@dataclass(frozen=True)
class Change:
    """A change of a series.

    name : of the patch; of a commit, its hash and subject
    linux : the kernel that has this change and those before it
    """

    name: str
    linux: Callable[[], Linux]


@dataclass(frozen=True)
class Range:
    """A series that does not follow from two kernels of the experiment.

    good : the kernel without any change
    git : the repository, as the experiment file names it
    bad : the other end, in messages
    """

    good: Linux
    changes: tuple[Change, ...]
    git: str
    bad: str


@dataclass(frozen=True)
class Question:
    """The inputs of a search.

    case : the transport, a case of the experiment
    good, bad : names of kernels of the experiment; None for mpbench's own
    commits : a range, in the place of the two kernels
    replayed : steps that are not executed, by their names
    worse_percent : the difference that is tolerated, in percent
    confidence : that a step is on the side where it is put, however often it is looked
        at
    """

    spec: Spec
    case: str
    good: str | None
    bad: str | None
    metric: str
    worse_percent: float
    confidence: float = 0.95
    seed: int = 1
    commits: Range | None = None
    replayed: Mapping[str, Noted] = field(default_factory=dict)

    @property
    def range(self) -> Range:
        """The series. Raises UserError for kernels that make none."""
        if self.commits is not None:
            return self.commits
        good, bad = self.ends
        count = len(good.patches)

        def until(number: int) -> Callable[[], Linux]:
            return lambda: replace(good, patches=bad.patches[: count + number])

        named = enumerate(bad.patches[count:], start=1)
        changes = tuple(Change(p.name, until(number)) for number, p in named)
        assert self.bad is not None
        where = self.spec.where("kernels", self.bad)
        return Range(good, changes, "", f"{where}: kernel '{self.bad}'")

    @property
    def direction(self) -> Direction:
        """The direction in which the metric is good. Raises UserError for a metric that
        no run has, or of which neither direction is better."""
        name, spec = self.metric, self.spec
        at = f"--limit {printable(name[:80])}"
        fault: str | None
        if DOT in name:
            fault = compare_checks.unknown_part(spec, name)
        elif name not in METRICS:
            fault = f"no metric has this name; {nearest(name, METRICS)}"
        else:
            fault = absent_metrics.lacking(spec, name)
        if fault is not None:
            raise UserError(f"{at}: {fault}")
        good = compare_checks.limit_direction(spec, name)
        if good == NONE:
            raise UserError(
                f"{at}: neither more nor less of it is better; say which in the file,"
                f" such as 'compare: {{better: {{{name}: more}}}}'"
            )
        return good

    @property
    def ends(self) -> tuple[Linux, Linux]:
        """The two kernels. Raises UserError if the second does not begin as the
        first."""
        known = self.spec.kernels
        assert self.bad is not None
        for label in filter(None, (self.good, self.bad)):
            if label not in known:
                hint = nearest(label, known) if known else "name some in `kernels`"
                option = "--good" if label == self.good else "--bad"
                raise UserError(f"{option} {label}: no such kernel; {hint}")
        if self.good == self.bad:
            raise UserError(
                f"--good {self.good} --bad {self.bad}: one kernel; a search needs one"
                " without the series and one with it"
            )
        good = kernels.resolved(known, self.good) if self.good else OWN
        bad = kernels.resolved(known, self.bad)
        if good.in_qemu or bad.in_qemu:
            which = self.good if good.in_qemu else self.bad
            raise UserError(
                f"kernel '{which}' is a finished binary and takes no patches; name"
                " kernels that are built"
            )
        count = len(good.patches)
        if replace(good, patches=()) != replace(bad, patches=()) or (
            bad.patches[:count] != good.patches or len(bad.patches) <= count
        ):
            name = self.good or "mpbench's own"
            where = self.spec.where("kernels", self.bad)
            raise UserError(
                f"{where}: kernel '{self.bad}' is not {name} with more patches; write"
                f" it as {{base: {self.good or '...'}, patches: ...}}"
            )
        return good, bad
