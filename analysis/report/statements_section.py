"""A campaign beside published statements, as a section of its page."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from analysis.campaign.campaign import Campaign
from analysis.published import sentences
from analysis.published.answers import Answer, answer
from analysis.published.statements import Statement
from analysis.report import answers_section, sentences_section
from analysis.report.markdown import markdown

ByCase = dict[str, list[Answer]]


def answers(statements: Sequence[Statement], campaign: Campaign) -> ByCase:
    """The answers of a campaign to its statements, by the case of MPTCP.

    A statement that names no case is answered for every case by itself.
    """
    found: ByCase = {}
    for case, rows in campaign.mptcp_cases.items() if statements else ():
        one_case = replace(campaign, runs=rows)
        found[case] = []
        for statement in statements:
            cases = statement.criterion.sets.rows.cases
            if statement.of(campaign.name) and (not cases or case in cases):
                used = campaign if cases else one_case
                given = answer(statement, {"": used, campaign.name: used})
                found[case].append(given)
    return found


def lines(by_case: ByCase) -> Iterator[str]:
    """The verdict on each sentence, then one table of statements per case of MPTCP."""
    if not by_case:
        return
    yield "## Ours beside the published"
    yield ""
    yield from _sentences([one for given in by_case.values() for one in given])
    for case, given in by_case.items():
        if len(by_case) > 1:
            yield f"### {case}"
            yield ""
        shown = [answers_section.cells_of(one) for one in given]
        yield from markdown(answers_section.HEAD, shown)
    yield answers_section.READING
    yield ""


def _sentences(given: Sequence[Answer]) -> Iterator[str]:
    """Counts and a table of the sentences, where the statements name some."""
    unique = {one.statement.id: one.statement for one in given}
    found = sentences.sentences(one for one in unique.values() if one.sentence)
    if not found:
        return
    verdicts: sentences_section.Verdicts = {
        sentence.id: sentences.verdict(
            [one.verdict for one in given if one.statement in sentence.statements]
        )
        for sentence in found
    }
    yield sentences_section.line(found, verdicts)
    yield ""
    yield from sentences_section.table(found, {"": verdicts})
