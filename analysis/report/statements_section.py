"""A campaign beside published statements, as a section of its page."""

from collections.abc import Iterator, Sequence

from analysis.campaign.campaign import Campaign
from analysis.campaign.numbers import is_number
from analysis.published.statements import Answer, Statement, answer
from analysis.report.markdown import markdown


def lines(statements: Sequence[Statement], campaign: Campaign) -> Iterator[str]:
    """One table per case of MPTCP, with the statements that the campaign answers."""
    if not statements or not campaign.mptcp_cases:
        return
    yield "## Ours beside the published"
    yield ""
    numeric = tuple(f for f in campaign.factors if is_number(campaign.runs, f))
    for case, rows in campaign.mptcp_cases.items():
        if len(campaign.mptcp_cases) > 1:
            yield f"### {case}"
            yield ""
        answers = [
            answer(statement, rows, numeric, campaign.mptcp_runs)
            for statement in statements
            if statement.of(campaign.name)
            and (not statement.rows.cases or case in statement.rows.cases)
        ]
        head = ["published", "where", "ours", "n", "agrees"]
        yield from markdown(head, [_cells(given) for given in answers])
    yield (
        "A trend is Spearman's rank correlation. Whether there is a trend is tested at"
        " p < 0.05. The file of published statements says how each statement is read as"
        " a number."
    )
    yield ""


def _cells(given: Answer) -> list[str]:
    statement = given.statement
    where = f"sec. {statement.section}"
    where += f", p. {statement.page}" if statement.page else ""
    where += f", Fig. {statement.figure}" if statement.figure else ""
    verdict = {True: "yes", False: "**no**", None: "-"}[given.agrees]
    return [statement.statement, where, given.ours, str(given.n or "-"), verdict]
