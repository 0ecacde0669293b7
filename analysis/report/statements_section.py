"""A campaign beside published statements, as a section of its page."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from analysis.campaign.campaign import Campaign
from analysis.published.answers import answer
from analysis.published.statements import Statement
from analysis.report import answers_section
from analysis.report.markdown import markdown


def lines(statements: Sequence[Statement], campaign: Campaign) -> Iterator[str]:
    """One table per case of MPTCP, with the statements that the campaign answers.

    A statement that names no case is answered for every case by itself.
    """
    if not statements or not campaign.mptcp_cases:
        return
    yield "## Ours beside the published"
    yield ""
    for case, rows in campaign.mptcp_cases.items():
        if len(campaign.mptcp_cases) > 1:
            yield f"### {case}"
            yield ""
        one_case = replace(campaign, runs=rows)
        answers = []
        for statement in statements:
            cases = statement.criterion.sets.rows.cases
            if statement.of(campaign.name) and (not cases or case in cases):
                used = campaign if cases else one_case
                answers.append(answer(statement, {"": used, campaign.name: used}))
        shown = [answers_section.cells_of(given) for given in answers]
        yield from markdown(answers_section.HEAD, shown)
    yield answers_section.READING
    yield ""
