"""The pages of a publication as files: figures, answers, criteria, matrix, index."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.campaign.figure_request import (
    ByCriterion,
    FigureRequest,
    OfMetric,
    part_of,
)
from analysis.figures.data import metric_column
from analysis.figures.drawn_figure import UndrawableError
from analysis.figures.style import Look, Target
from analysis.published import matrix as matrices
from analysis.published import sentences as published_sentences
from analysis.published.cell_changes import cell_changes
from analysis.published.judging import REDRAWS
from analysis.published.publication import (
    Configuration,
    Matrix,
    Scored,
    Sheet,
    named_campaigns,
    score,
)
from analysis.report import (
    criteria_page,
    deviations_page,
    figures_section,
    matrix_page,
    publication_index,
    publication_page,
    sentences_section,
    verdicts_table,
)
from analysis.report.figures_section import Outcome
from analysis.report.markdown import inert
from analysis.report.publication import Publication, Reproduced, has_results


def write(
    publication: Publication,
    campaigns: Mapping[str, Campaign],
    requests: Mapping[str, Sequence[FigureRequest]],
    folder: Path,
    look: Look,
    redraws: int = REDRAWS,
) -> tuple[Reproduced, ...]:
    """Write every page that there are results for, README.md and the points.

    campaigns : results by name; those that the publication does not name are left out
    requests : the figures of each campaign, by the campaign's name
    folder : where to write; links of the publication's file begin here

    The same tables give the same bytes. A page without any results is named in the
    index alone.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sheets = [_linked(sheet, folder) for sheet in publication.sheets]
    publication = replace(publication, sheets=sheets)
    scored = [
        score(one, campaigns, publication.statements, publication.sheets, redraws)
        for one in publication.configurations
    ]
    scored = [one for one in scored if one.campaigns]
    counted = [one for one in scored if not one.configuration.exploration]
    # A configuration that nobody has run yet is missing as a whole, so no page names
    # its campaigns.
    configurations = tuple(one.configuration for one in scored)
    shown = replace(publication, configurations=configurations)
    done = []
    for sheet in sheets:
        target = Target(folder, "", look)
        made = reproduce(sheet, shown, campaigns, requests, target)
        done.append(made)
        if has_results(made, counted):
            lines = publication_page.lines(
                made, publication, campaigns, counted, look.formats[0]
            )
            _write(folder / f"{sheet.name}.md", list(lines))
    told = [one.configuration for one in counted]
    for campaign in _named(publication, campaigns, told).values():
        points = _points(campaign, requests.get(campaign.name, ()))
        if not points.empty:
            path = folder / "points" / f"{campaign.name}.csv"
            path.parent.mkdir(exist_ok=True)
            points.to_csv(path, index=False, float_format="%.4g")
    lines = criteria_page.lines(publication.statements, counted, redraws)
    _write(folder / "criteria.md", list(lines))
    if any(one.sentence for one in publication.statements):
        _write(folder / "sentences.md", list(_sentences(publication, counted)))
    verdicts_table.write(folder, _rows(publication, counted))
    written = _write_matrix(publication, campaigns, scored, folder)
    used = campaigns_of(publication, campaigns)
    _write(
        folder / "README.md",
        list(publication_index.lines(done, publication, used, counted, written)),
    )
    return tuple(done)


def campaigns_of(
    publication: Publication, campaigns: Mapping[str, Campaign]
) -> dict[str, Campaign]:
    """The campaigns that the index of a publication's pages is about, by name.

    campaigns : results by name; those that the publication does not name are left out
    """
    known = named_campaigns(publication.statements, publication.sheets)
    there = [
        one for one in publication.configurations if one.campaigns(campaigns, known)
    ]
    return _named(publication, campaigns, there, publication.matrix)


def _named(
    publication: Publication,
    campaigns: Mapping[str, Campaign],
    configurations: Sequence[Configuration],
    matrix: Matrix | None = None,
) -> dict[str, Campaign]:
    """The campaigns that configurations, and parts of a matrix, have results in."""
    known = named_campaigns(publication.statements, publication.sheets)
    configurations = list(configurations)
    if matrix:
        parts = matrix.parts(campaigns, known)
        configurations += [matrix.without(part) for part in parts]
        configurations.append(Configuration("control", matrix.control))
    names = {
        campaign.name
        for one in configurations
        for campaign in one.campaigns(campaigns, known).values()
    }
    return {name: one for name, one in campaigns.items() if one.name in names}


def _rows(
    publication: Publication, scored: Sequence[Scored]
) -> Iterator[verdicts_table.Row]:
    """Every verdict, by configuration: statements, then cells."""
    for one in scored:
        name = one.configuration.name
        for statement in filter(published_sentences.counted, publication.statements):
            yield verdicts_table.of_answer(one.answers[statement.id], name)
        for sheet in publication.sheets:
            table = sheet.where.partition(",")[0]
            for compared in one.cells.get(sheet.name, ()):
                yield verdicts_table.of_cell(table, compared, name)
            given = one.elsewhere.get(sheet.name, ())
            yield from verdicts_table.elsewhere(table, given, name)


def _sentences(publication: Publication, scored: Sequence[Scored]) -> Iterator[str]:
    """The page with every sentence."""
    found = publication.sentences
    yield "# Every sentence, with its verdict"
    yield ""
    yield (
        f"{publication.source}. A sentence has its section and a number that counts the"
        " judged sentences of the section, in their order in print. A row of a table,"
        " and an item of a list, is a sentence too. [All pages](README.md)"
    )
    yield ""
    verdicts = sentences_section.verdicts(found, scored)
    yield from sentences_section.by_age(found, verdicts)
    yield from sentences_section.table(found, verdicts)


def _linked(sheet: Sheet, folder: Path) -> Sheet:
    """The sheet, without its link if that leads nowhere yet.

    The page that a link leads to has the verdicts on what is compared elsewhere.

    folder : where the pages are, which the link begins at
    """
    page = folder / sheet.link.partition("#")[0]
    if not sheet.link or not page.exists():
        return replace(sheet, link="")
    if not sheet.elsewhere:
        return sheet
    return replace(sheet, judged=deviations_page.verdicts(page))


def _write_matrix(
    publication: Publication,
    campaigns: Mapping[str, Campaign],
    scored: Sequence[Scored],
    folder: Path,
) -> bool:
    """Write matrix.md if parts were left out or explored; returns whether it was."""
    by_name = {one.configuration.name: one for one in scored}
    known = named_campaigns(publication.statements, publication.sheets)
    lines: list[str] = []
    matrix = publication.matrix
    whole = by_name.get(matrix.configuration) if matrix else None
    if matrix and whole:
        parts = {
            part: matrix.campaigns_without(part, campaigns, known, whole.campaigns)
            for part in matrix.parts(campaigns, known)
        }
        control = Configuration("control", matrix.control).campaigns(campaigns, known)
        rows = matrices.changes(
            publication.statements, whole.answers, whole.campaigns, parts
        )
        again = matrices.changes(
            publication.statements, whole.answers, whole.campaigns, {"control": control}
        )
        baseline = by_name.get(matrix.baseline)
        lines += matrix_page.lines(
            publication.statements, whole, baseline, rows, again, parts, control
        )
        lines += matrix_page.cells(
            publication.sheets,
            whole,
            baseline,
            cell_changes(publication.sheets, whole.campaigns, parts),
            cell_changes(publication.sheets, whole.campaigns, {"control": control}),
            parts,
        )
    for one in scored:
        baseline = by_name.get(matrix.baseline) if matrix else None
        if one.configuration.exploration and baseline:
            lines += matrix_page.exploration(publication.statements, one, baseline)
    if lines:
        _write(folder / "matrix.md", lines)
    return bool(lines)


def reproduce(
    sheet: Sheet,
    publication: Publication,
    campaigns: Mapping[str, Campaign],
    requests: Mapping[str, Sequence[FigureRequest]],
    target: Target,
) -> Reproduced:
    """Draw a page's figures into the target's folder, in every configuration."""
    taken: set[str] = set()
    figures: list[Outcome] = []
    missing = []
    for configuration in publication.configurations:
        if configuration.exploration:
            continue
        given = configuration.campaigns(campaigns, sheet.campaigns)
        for campaign in given.values():
            wanted = requests.get(campaign.name, ())
            figures += _draw(sheet, campaign, wanted, target, taken)
        missing += [
            f"{name}{configuration.suffix}"
            for name in sheet.campaigns
            if name not in given
        ]
    statements = tuple(publication.of(sheet))
    return Reproduced(sheet, tuple(figures), statements, tuple(missing))


def _draw(
    sheet: Sheet,
    campaign: Campaign,
    requests: Sequence[FigureRequest],
    target: Target,
    taken: set[str],
) -> Iterator[Outcome]:
    """The sheet's figures of one campaign; `taken` grows by their files' names."""
    for request in requests:
        followed = published(request)
        if not sheet.has(followed):
            continue
        stem = re.sub(r"\W+", "-", followed.lower()).strip("-")
        stem = stem if stem.startswith("table") else f"figure-{stem}"
        name = figures_section.free_name(stem, taken)
        taken.add(name)
        yield figures_section.draw(request, campaign, target, name)


def published(request: FigureRequest) -> str:
    """The publications that a request follows: `5a` of `mpcc Fig. 5a`, `Table C.1` of
    `Table C.1`."""
    after = re.sub(r"^[\w-]+ (?=Fig\.|Table |Theorem |sec\.)", "", request.after or "")
    return after.removeprefix("Fig. ")


def _write(path: Path, lines: Sequence[str]) -> None:
    path.write_text(inert("\n".join(lines).rstrip() + "\n"), encoding="utf-8")


def _points(campaign: Campaign, requests: Sequence[FigureRequest]) -> pd.DataFrame:
    """Columns that are plotted: the factors of MPTCP's runs, and the figures'
    metrics."""
    rows = campaign.mptcp_runs
    columns = ["point", "repetition", "case", *campaign.factors]
    for request in requests:
        try:
            if isinstance(request, OfMetric):
                columns.append(metric_column(rows, request.metric, part_of(request)))
        except UndrawableError:
            continue
        if isinstance(request, ByCriterion) and request.criterion:
            factor = request.criterion.factor
            columns += [f"{factor}_percent", factor]
    return rows[[n for n in dict.fromkeys(columns) if n in rows.columns]]
