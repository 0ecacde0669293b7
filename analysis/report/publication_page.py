"""One page of a publication: figures, statements and cells beside the printed ones."""

from collections.abc import Iterator, Mapping, Sequence

from analysis.campaign.campaign import Campaign
from analysis.figures.titles import within_sentence
from analysis.published.publication import Scored
from analysis.report import (
    answers_section,
    cells_section,
    figures_section,
    sentences_section,
)
from analysis.report.markdown import markdown
from analysis.report.publication import Publication, Reproduced

MADE = ("source", "spec", "backend", "kernel", "guest", "mpbench", "commit")
"""The rows of the table at the foot of a page that says how a campaign was made."""


def lines(
    made: Reproduced,
    publication: Publication,
    campaigns: Mapping[str, Campaign],
    scored: Sequence[Scored],
    suffix: str,
) -> Iterator[str]:
    sheet = made.sheet
    used = [
        one.campaigns[name]
        for one in scored
        for name in sheet.campaigns
        if name in one.campaigns
    ]
    yield f"# {sheet.where.partition(',')[0]}: {sheet.title}"
    yield ""
    yield f"{publication.source}, {sheet.where}. [All pages](README.md)"
    yield ""
    if sheet.link:
        yield f"- [The campaign's own page]({sheet.link})"
    for name in made.missing:
        yield f"- No results of `{name}` yet."
    for campaign in used:
        yield from (f"- `{campaign.name}`: {line}" for line in campaign.state)
    yield ""
    for figure in made.figures:
        heading = within_sentence(figure.title)
        yield f"## {figure.campaign}: {heading}"
        yield ""
        yield from figures_section.lines(figure, suffix)
    yield from figures_section.readings(made.figures)
    if made.statements:
        yield "## Ours beside the published"
        yield ""
        sentences = publication.sentences_of(made.statements)
        yield from sentences_section.table(
            sentences, sentences_section.verdicts(sentences, scored)
        )
        yield from answers_section.lines(made.statements, scored)
    for one in scored:
        if compared := one.cells.get(sheet.name):
            yield f"## Cells, {one.configuration.name}"
            yield ""
            yield from cells_section.table(compared)
    if sheet.cells:
        yield cells_section.READING
        yield ""
    if sheet.notes.strip():
        yield sheet.notes.strip()
        yield ""
    yield from _made(used)


def _made(campaigns: Sequence[Campaign]) -> Iterator[str]:
    if not campaigns:
        return
    yield "## How this was made"
    yield ""
    rows = []
    for name in MADE:
        values = [campaign.made.get(name, "-") for campaign in campaigns]
        rows.append([name, *(f"`{value}`" for value in values)])
    yield from markdown(["", *(f"`{campaign.name}`" for campaign in campaigns)], rows)
