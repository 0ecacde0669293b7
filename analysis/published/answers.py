"""Answers of campaigns to published statements."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from analysis.campaign.campaign import Campaign
from analysis.campaign.numbers import is_number
from analysis.published import criterion as criteria
from analysis.published.cells import with_drop_shares
from analysis.published.criterion import Criterion
from analysis.published.estimates import estimator
from analysis.published.findings import Runs, find, judged_earlier
from analysis.published.judging import REDRAWS, Judged, Verdict, judge
from analysis.published.statements import Change, Statement

Campaigns = Mapping[str, Campaign]
NOT_SCORED = "not scored"


@dataclass(frozen=True)
class Outcome:
    """The answer to one criterion.

    ours : our value in words, or why there is none
    n : number of rows behind it
    judged : None where nothing is judged
    earlier : whether it agreed by the rule in force until 2026-11-22
    """

    ours: str
    n: int = 0
    judged: Judged | None = None
    earlier: bool | None = None

    @property
    def verdict(self) -> Verdict | None:
        return self.judged.verdict if self.judged else None


@dataclass(frozen=True)
class Answer:
    """The answer to a statement.

    main : the answer to the registered criterion
    readings : the answers to the other readings of the text, in their order
    """

    statement: Statement
    main: Outcome
    readings: tuple[Outcome, ...] = ()

    @property
    def measured(self) -> bool:
        return self.main.judged is not None

    @property
    def depends(self) -> bool:
        """Whether another reading of the text has another verdict."""
        return self.measured and any(
            reading.judged is not None and reading.verdict is not self.main.verdict
            for reading in self.readings
        )

    @property
    def verdict(self) -> Verdict | None:
        """The verdict. One that depends on the reading does not count as agreement."""
        if self.depends and self.main.verdict is Verdict.AGREES:
            return Verdict.UNDECIDED
        return self.main.verdict

    @property
    def fragile(self) -> bool:
        return self.main.judged is not None and self.main.judged.fragile


def answer(
    statement: Statement,
    campaigns: Campaigns,
    redraws: int = REDRAWS,
    with_chance: bool = True,
) -> Answer:
    """Answer a statement, and every other reading of it, from campaigns by name."""
    judged = statement.kind != "input"
    return Answer(
        statement,
        outcome(statement.criterion, campaigns, redraws, judged, with_chance),
        tuple(
            outcome(reading.criterion, campaigns, redraws, judged, with_chance)
            for reading in statement.readings
        ),
    )


def outcome(
    criterion: Criterion,
    campaigns: Campaigns,
    redraws: int = REDRAWS,
    judged: bool = True,
    with_chance: bool = True,
) -> Outcome:
    """The answer to one criterion."""
    sets = criterion.sets
    if sets.rows.campaign not in campaigns and not sets.rows.campaign:
        return Outcome("not measured: the criterion names no campaign")
    missing = sorted(sets.campaigns() - set(campaigns))
    if missing:
        return Outcome(f"not measured: no results of {missing[0]}")
    try:
        runs = runs_of(criterion, campaigns)
        finding, wanted = find(criterion, runs, _independent(criterion, runs))
        earlier = judged_earlier(criterion, finding, wanted)
        if not judged or not criterion.scored:
            return Outcome(finding.text, finding.n, None, earlier)
        verdict = judge(criterion, runs, redraws, with_chance)
        return Outcome(finding.text, finding.n, verdict, earlier)
    except KeyError as error:
        return Outcome(f"not measured: no column {error}")
    except ValueError as error:
        return Outcome(f"not measured: {error}")


def _independent(criterion: Criterion, runs: Runs) -> bool:
    """Whether the values of a criterion are independent of one another."""
    try:
        samples = estimator(criterion, runs).samples
    except (KeyError, ValueError):
        return True  # nothing is tested
    return not (samples.clustered or samples.paired)


def either_side(
    change: Change, campaigns: Campaigns, redraws: int
) -> tuple[Outcome, Outcome]:
    """The answers to the criterion before a change, and after it."""

    def of(values: Mapping[str, object]) -> Outcome:
        if not values:
            return Outcome(NOT_SCORED)
        return outcome(criteria.parse(values), campaigns, redraws, with_chance=False)

    return of(change.old), of(change.new)


def changed(
    statements: tuple[Statement, ...],
) -> Iterator[tuple[Statement, Change]]:
    """Every change of every statement."""
    for statement in statements:
        for change in statement.changes:
            yield statement, change


def runs_of(criterion: Criterion, campaigns: Campaigns) -> Runs:
    """The runs that a criterion is answered from, among campaigns by name."""
    sets = criterion.sets
    name = sets.rows.campaign
    campaign = campaigns[name]
    other = sets.against.campaign if sets.against else ""
    others = None
    if other and other != name:
        others = with_drop_shares(campaigns[other].mptcp_runs)
    numeric = tuple(f for f in campaign.factors if is_number(campaign.runs, f))
    rows = campaign.ok_runs if _names_tcp(criterion, campaign) else campaign.mptcp_runs
    return Runs(with_drop_shares(rows), numeric, others)


def _names_tcp(criterion: Criterion, campaign: Campaign) -> bool:
    """Whether a criterion names all its cases, and a case of TCP among them."""
    sets = criterion.sets
    given = sets.rows, sets.against, sets.over
    selections = [s for s in given if s is not None]
    named = {case for selection in selections for case in selection.cases}
    every = all(selection.cases for selection in selections)
    return every and bool(named - set(campaign.mptcp_cases))
