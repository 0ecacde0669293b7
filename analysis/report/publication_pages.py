"""The pages of a publication as files: a page a figure, an index, the points."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pandas as pd

from analysis.figures.drawn import title
from analysis.figures.request import UndrawableError, metric_column
from analysis.figures.style import Look, Target
from analysis.published import resampling
from analysis.published.publication import (
    Answered,
    Campaign,
    Cause,
    Reproduced,
    Sheet,
    reproduce,
)
from analysis.published.statements import Statement
from analysis.published.statistics import SIGNIFICANCE
from analysis.report.campaign_page import BOXES, drawn_lines
from analysis.report.markdown import markdown

MADE = ("source", "spec", "backend", "kernel", "guest", "mpbench", "commit")
"""Of how a campaign came about, what stands at the foot of a page."""
AGREES, OPEN = "agrees", "differs, open"
READING = (
    "How each statement is read as a number stands in the files of published"
    " statements. A trend is a rank correlation (Spearman); tests are at p < 0.05."
)


def write(
    source: str,
    sheets: Sequence[Sheet],
    campaigns: Mapping[str, Campaign],
    statements: Sequence[Statement],
    causes: Mapping[str, Cause],
    folder: Path,
    look: Look,
) -> tuple[Reproduced, ...]:
    """Write every page that there are results for, README.md and the points.

    The same tables give the same bytes. A page without any results is named in the
    index alone.
    """
    folder.mkdir(parents=True, exist_ok=True)
    done = []
    for sheet in sheets:
        target = Target(folder, "", look)
        made = reproduce(sheet, campaigns, statements, causes, target)
        done.append(made)
        if _written(made):
            lines = list(_page(made, source, campaigns, look.formats[0]))
            _write(folder / f"{sheet.name}.md", lines)
    for campaign in campaigns.values():
        points = _points(campaign)
        if not points.empty:
            path = folder / "points" / f"{campaign.name}.csv"
            path.parent.mkdir(exist_ok=True)
            points.to_csv(path, index=False, float_format="%.4g")
    _write(folder / "README.md", list(_index(done, source, campaigns)))
    return tuple(done)


def _write(path: Path, lines: Sequence[str]) -> None:
    path.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def _written(made: Reproduced) -> bool:
    return bool(made.panels or made.answers)


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
    boxes = False
    for panel in made.panels:
        heading = title(panel.wanted)
        yield f"## {panel.campaign}: {heading[0].lower()}{heading[1:]}"
        yield ""
        if isinstance(panel.drawn, str):
            yield f"Not drawn: {panel.drawn}."
            yield ""
            continue
        yield from drawn_lines(panel.drawn, heading, suffix)
        boxes = boxes or panel.wanted.kind == "box"
    if boxes:
        yield BOXES
        yield ""
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
    for each in answers:
        given = each.given
        said = given.statement
        where = f"sec. {said.section}, p. {said.page}, {_figure(said.figure)}"
        verdict = {True: "yes", False: "**no**", None: "-"}[given.agrees]
        n = str(given.n or "-")
        rows.append([said.statement, where, given.ours, n, verdict])
    head = ["published", "where", "ours", "n", "agrees"]
    yield from markdown(head, rows)
    yield READING
    yield ""
    differing = [each for each in answers if each.given.agrees is False]
    if not differing:
        return
    yield "### What differs, and why"
    yield ""
    for each in differing:
        yield f"- *{each.given.statement.statement}*: {_why(each)}"
    yield ""


def _figure(name: str) -> str:
    return name if name.startswith("Table") else f"Fig. {name}"


def _why(each: Answered) -> str:
    if each.cause is None:
        return "open."
    text = " ".join(each.cause.text.split())
    if each.untested and each.cause.rows is not None:
        return f"{text} No results of `{each.cause.rows.campaign}` yet: open."
    if each.odds is not None:
        text += f" {_chance(each.odds)}"
    if each.tested is None:
        return text
    agrees = {True: "agrees", False: "does not agree: open", None: "open"}
    rows = each.tested.statement.rows
    conditions = ", ".join(f"{c} {how} {v}" for c, how, v in rows.conditions)
    of = f"`{rows.campaign}`" + (f" ({conditions})" if conditions else "")
    of += f", `{each.cause.metric}`" if each.cause.metric else ""
    said = f"{each.tested.ours}, n = {each.tested.n}; {agrees[each.tested.agrees]}"
    return f"{text} There, in {of}: {said}."


def _chance(odds: float) -> str:
    within = "within chance" if odds >= SIGNIFICANCE else "more than chance"
    return (
        f"In {odds:.0%} of {resampling.RESAMPLES:,} designs, each drawn with"
        " replacement from the points of this one, it is as published: the difference"
        f" is {within}."
    )


def verdict(made: Reproduced) -> str:
    """In the index."""
    if not made.answers:
        return "drawn" if made.panels else "no results yet"
    differing = made.differing
    if not differing:
        known = any(each.given.agrees is not None for each in made.answers)
        return AGREES if known else "not measured"
    untold = sum(not each.explained for each in differing)
    if not untold:
        return "differs, with cause"
    return OPEN if untold == len(differing) else f"differs, {untold} open"


def _index(
    done: Sequence[Reproduced], source: str, campaigns: Mapping[str, Campaign]
) -> Iterator[str]:
    yield "# Every figure and table, ours beside the published"
    yield ""
    yield (
        f"{source}. Made from results folders by `mpbench pages"
        " results/published/thesis-pages.yaml RESULTS...`; the same results give the"
        " same bytes. `points/` has what is plotted."
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
    differing = [each for made in done for each in made.differing]
    by_chance = sum(each.by_chance for each in differing)
    told = (
        f"{agreeing} of {agreeing + len(differing)} statements that can be answered by"
    )
    more = f", {by_chance} differ by no more than chance" if by_chance else ""
    yield f"{told} yes or no come out as printed{more}."
    yield ""
    if differing:
        yield "## What differs"
        yield ""
    for made in done:
        for each in made.differing:
            said = each.given.statement
            page = f"[{_figure(said.figure)}]({made.sheet.name}.md)"
            ours = f"*{said.statement}*; ours: {each.given.ours}"
            yield f"- {page}: {ours}. {_short(each)}"
    yield ""
    noted = [each for each in campaigns.values() if each.state]
    if noted:
        yield "## What was run"
        yield ""
    for campaign in noted:
        yield from (f"- `{campaign.name}`: {line}" for line in campaign.state)


def _short(each: Answered) -> str:
    """The first sentence of the cause."""
    if each.cause is None:
        return "Open."
    if each.untested:
        return "A supposed cause is not tested yet; open."
    if each.by_chance and each.odds is not None:
        return f"Within chance: as published in {each.odds:.0%} of designs drawn again."
    if not each.explained:
        return "A supposed cause was tested and does not explain it; open."
    return " ".join(each.cause.text.split()).partition(". ")[0].rstrip(".") + "."


def _made(campaigns: Sequence[Campaign]) -> Iterator[str]:
    if not campaigns:
        return
    yield "## How this was made"
    yield ""
    rows = []
    for name in MADE:
        values = [each.made.get(name, "-") for each in campaigns]
        rows.append([name, *(f"`{value}`" for value in values)])
    yield from markdown(["", *(f"`{each.name}`" for each in campaigns)], rows)


def _points(campaign: Campaign) -> pd.DataFrame:
    """What is plotted: the MPTCP runs' factors, and metrics of the figures."""
    rows = campaign.mptcp
    columns = ["point", "repetition", "case", *campaign.factors]
    for wanted in campaign.figures:
        try:
            columns += [metric_column(rows, wanted.metric)] if wanted.metric else []
        except UndrawableError:
            continue
        columns += [f"{wanted.factor}_percent", wanted.factor] if wanted.factor else []
    return rows[[n for n in dict.fromkeys(columns) if n in rows.columns]]
