"""The pages of a publication as files: a page per figure, an index, the points."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.figures.data import metric_column
from analysis.figures.drawn_figure import UndrawableError
from analysis.figures.request import FigureRequest
from analysis.figures.style import Look, Target
from analysis.figures.titles import within_sentence
from analysis.published import resampling
from analysis.published.publication import Answered, Cause, Sheet, answer_statements
from analysis.published.statements import Statement
from analysis.published.statistics import SIGNIFICANCE
from analysis.report import figures_section
from analysis.report.figures_section import Outcome
from analysis.report.markdown import inert, markdown

MADE = ("source", "spec", "backend", "kernel", "guest", "mpbench", "commit")
"""The rows of the table at the foot of a page that says how a campaign was made."""
AGREES, OPEN = "agrees", "differs, open"
READING = (
    "The files of published statements say how each statement is read as a number. A"
    " trend is Spearman's rank correlation. Tests are at p < 0.05."
)


@dataclass(frozen=True)
class Publication:
    """A publication that is compared with campaigns.

    source : the publication, for headings
    file : the file that says all this, as the index names it
    sheets : its pages
    causes : why ours differs, by the statement's id
    """

    source: str
    file: str
    sheets: Sequence[Sheet]
    statements: Sequence[Statement]
    causes: Mapping[str, Cause]


@dataclass(frozen=True)
class Reproduced:
    """What a page shows. missing : names of campaigns without results"""

    sheet: Sheet
    figures: tuple[Outcome, ...]
    answers: tuple[Answered, ...]
    missing: tuple[str, ...]

    @property
    def agreeing(self) -> int:
        return sum(answer.given.agrees is True for answer in self.answers)

    @property
    def differing(self) -> tuple[Answered, ...]:
        return tuple(a for a in self.answers if a.given.agrees is False)


def write(
    publication: Publication,
    campaigns: Mapping[str, Campaign],
    requests: Mapping[str, Sequence[FigureRequest]],
    folder: Path,
    look: Look,
) -> tuple[Reproduced, ...]:
    """Write every page that there are results for, README.md and the points.

    requests : the figures of each campaign, by the campaign's name

    The same tables give the same bytes. A page without any results is named in the
    index alone.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done = []
    for sheet in publication.sheets:
        target = Target(folder, "", look)
        made = reproduce(sheet, publication, campaigns, requests, target)
        done.append(made)
        if _written(made):
            lines = list(_page(made, publication.source, campaigns, look.formats[0]))
            _write(folder / f"{sheet.name}.md", lines)
    for campaign in campaigns.values():
        points = _points(campaign, requests.get(campaign.name, ()))
        if not points.empty:
            path = folder / "points" / f"{campaign.name}.csv"
            path.parent.mkdir(exist_ok=True)
            points.to_csv(path, index=False, float_format="%.4g")
    _write(folder / "README.md", list(_index(done, publication, campaigns)))
    return tuple(done)


def reproduce(
    sheet: Sheet,
    publication: Publication,
    campaigns: Mapping[str, Campaign],
    requests: Mapping[str, Sequence[FigureRequest]],
    target: Target,
) -> Reproduced:
    """Draw a page's figures into the target's folder and answer its statements."""
    taken: set[str] = set()
    figures: list[Outcome] = []
    for name in sheet.campaigns:
        if name in campaigns:
            wanted = requests.get(name, ())
            figures += _draw(sheet, campaigns[name], wanted, target, taken)
    answers = answer_statements(
        sheet, campaigns, publication.statements, publication.causes
    )
    missing = tuple(name for name in sheet.campaigns if name not in campaigns)
    return Reproduced(sheet, tuple(figures), answers, missing)


def _draw(
    sheet: Sheet,
    campaign: Campaign,
    requests: Sequence[FigureRequest],
    target: Target,
    taken: set[str],
) -> Iterator[Outcome]:
    """The sheet's figures of one campaign; `taken` grows by their files' names."""
    for request in requests:
        published = _published(request)
        if not sheet.has(published):
            continue
        stem = re.sub(r"\W+", "-", published.lower()).strip("-")
        stem = stem if stem.startswith("table") else f"figure-{stem}"
        name = figures_section.free_name(stem, taken)
        taken.add(name)
        yield figures_section.draw(request, campaign, target, name)


def _published(request: FigureRequest) -> str:
    return (request.after or "").removeprefix("thesis ").removeprefix("Fig. ")


def _write(path: Path, lines: Sequence[str]) -> None:
    path.write_text(inert("\n".join(lines).rstrip() + "\n"), encoding="utf-8")


def _written(made: Reproduced) -> bool:
    return bool(made.figures or made.answers)


def _page(
    made: Reproduced, source: str, campaigns: Mapping[str, Campaign], suffix: str
) -> Iterator[str]:
    sheet = made.sheet
    yield f"# {sheet.where.partition(',')[0]}: {sheet.title}"
    yield ""
    yield f"{source}, {sheet.where}. [All pages](README.md)"
    yield ""
    for name in made.missing:
        yield f"- No results of `{name}` yet."
    for name in sheet.campaigns:
        if name in campaigns:
            yield from (f"- `{name}`: {line}" for line in campaigns[name].state)
    yield ""
    for figure in made.figures:
        heading = within_sentence(figure.title)
        yield f"## {figure.campaign}: {heading}"
        yield ""
        yield from figures_section.lines(figure, suffix)
    yield from figures_section.readings(made.figures)
    if made.answers:
        yield "## Ours beside the published"
        yield ""
        yield from _answers(made.answers)
    if sheet.notes.strip():
        yield sheet.notes.strip()
        yield ""
    yield from _made([campaigns[n] for n in sheet.campaigns if n in campaigns])


def _answers(answers: Sequence[Answered]) -> Iterator[str]:
    rows = []
    for answered in answers:
        given = answered.given
        said = given.statement
        where = f"sec. {said.section}, p. {said.page}, {_figure(said.figure)}"
        verdict = {True: "yes", False: "**no**", None: "-"}[given.agrees]
        n = str(given.n or "-")
        rows.append([said.statement, where, given.ours, n, verdict])
    head = ["published", "where", "ours", "n", "agrees"]
    yield from markdown(head, rows)
    yield READING
    yield ""
    differing = [a for a in answers if a.given.agrees is False]
    if not differing:
        return
    yield "### What differs, and why"
    yield ""
    for answered in differing:
        yield f"- *{answered.given.statement.statement}*: {_why(answered)}"
    yield ""


def _figure(name: str) -> str:
    return name if name.startswith("Table") else f"Fig. {name}"


def _why(answered: Answered) -> str:
    if answered.cause is None:
        return "The cause is open."
    text = " ".join(answered.cause.text.split())
    if answered.untested and answered.cause.rows is not None:
        name = answered.cause.rows.campaign
        return f"{text} There are no results of `{name}` yet, so the cause is open."
    if answered.odds is not None:
        text += f" {_chance(answered.odds)}"
    if answered.tested is None:
        return text
    agrees = {
        True: "They agree with the published statement.",
        False: "They do not agree with the published statement"
        + ("." if answered.by_chance else ", so the cause is open."),
        None: "They cannot be compared, so the cause is open.",
    }
    rows = answered.tested.statement.rows
    conditions = ", ".join(f"{c} {how} {v}" for c, how, v in rows.conditions)
    of = f"`{rows.campaign}`" + (f" ({conditions})" if conditions else "")
    of += f", `{answered.cause.metric}`" if answered.cause.metric else ""
    tested = answered.tested
    said = f"{tested.ours} (n = {tested.n}). {agrees[tested.agrees]}"
    return f"{text} The runs of {of} have: {said}"


def _chance(odds: float) -> str:
    within = "within chance" if odds >= SIGNIFICANCE else "more than chance"
    return (
        f"We drew {resampling.RESAMPLES:,} designs with replacement from the points of"
        f" this design. The statement holds in {odds:.0%} of them, so the difference is"
        f" {within}."
    )


def verdict(made: Reproduced) -> str:
    """The verdict of a page in the index."""
    if not made.answers:
        return "drawn" if made.figures else "no results yet"
    differing = made.differing
    if not differing:
        known = any(a.given.agrees is not None for a in made.answers)
        return AGREES if known else "not measured"
    unexplained = sum(not answer.explained for answer in differing)
    if not unexplained:
        return "differs, with cause"
    return OPEN if unexplained == len(differing) else f"differs, {unexplained} open"


def _index(
    done: Sequence[Reproduced],
    publication: Publication,
    campaigns: Mapping[str, Campaign],
) -> Iterator[str]:
    yield "# Every figure and table, ours beside the published"
    yield ""
    yield (
        f"{publication.source}. These pages were made from results folders by `mpbench"
        f" pages {publication.file} RESULTS...`. The same results give the same bytes."
        " The folder `points/` has the plotted values."
    )
    yield ""
    rows = []
    for made in done:
        sheet = made.sheet
        name = sheet.where.partition(",")[0]
        link = sheet.link or (f"{sheet.name}.md" if _written(made) else "")
        page = f"[{name}]({link})" if link else name
        if sheet.link:
            rows.append([page, sheet.title, "-", "-", "on its own page"])
            continue
        counts = (str(made.agreeing), str(len(made.differing)))
        rows.append([page, sheet.title, *counts, verdict(made)])
    head = ["page", "shows", "agree", "differ", "verdict"]
    yield from markdown(head, rows)
    agreeing = sum(made.agreeing for made in done)
    differing = [answered for made in done for answered in made.differing]
    by_chance = sum(answered.by_chance for answered in differing)
    yield (
        f"{agreeing + len(differing)} statements can be answered by yes or no. Our"
        f" results agree with {agreeing} of them."
        + (f" {by_chance} differ by no more than chance." if by_chance else "")
    )
    yield ""
    if differing:
        yield "## What differs"
        yield ""
    for made in done:
        for answered in made.differing:
            said = answered.given.statement
            page = f"[{_figure(said.figure)}]({made.sheet.name}.md)"
            ours = f"*{said.statement}*. Ours: {answered.given.ours}"
            yield f"- {page}: {ours}. {_short(answered)}"
    yield ""
    noted = [campaign for campaign in campaigns.values() if campaign.state]
    if noted:
        yield "## What was run"
        yield ""
    for campaign in noted:
        yield from (f"- `{campaign.name}`: {line}" for line in campaign.state)


def _short(answered: Answered) -> str:
    """The first sentence of the cause."""
    if answered.cause is None:
        return "The cause is open."
    if answered.untested:
        return "A supposed cause is not tested yet, so the cause is open."
    if answered.by_chance and answered.odds is not None:
        share = f"{answered.odds:.0%}"
        told = f"the statement holds in {share} of resampled designs"
        return f"The difference is within chance: {told}."
    if not answered.explained:
        return (
            "A supposed cause was tested and does not explain it, so the cause is open."
        )
    return " ".join(answered.cause.text.split()).partition(". ")[0].rstrip(".") + "."


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


def _points(campaign: Campaign, requests: Sequence[FigureRequest]) -> pd.DataFrame:
    """What is plotted: the factors of MPTCP's runs, and the figures' metrics."""
    rows = campaign.mptcp_runs
    columns = ["point", "repetition", "case", *campaign.factors]
    for request in requests:
        try:
            columns += [metric_column(rows, request.metric)] if request.metric else []
        except UndrawableError:
            continue
        if request.criterion:
            factor = request.criterion.factor
            columns += [f"{factor}_percent", factor]
    return rows[[n for n in dict.fromkeys(columns) if n in rows.columns]]
