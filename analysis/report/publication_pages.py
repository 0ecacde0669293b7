"""The pages of a publication as files: figures, answers, criteria, matrix, index."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
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
from analysis.figures.titles import within_sentence
from analysis.published import matrix as matrices
from analysis.published import sentences as published_sentences
from analysis.published.cell_changes import cell_changes
from analysis.published.judging import REDRAWS, Verdict
from analysis.published.publication import (
    Configuration,
    Matrix,
    Scored,
    Sheet,
    named_campaigns,
    score,
)
from analysis.published.sentences import Sentence
from analysis.published.statements import Statement
from analysis.report import (
    answers_section,
    cells_section,
    criteria_page,
    figures_section,
    matrix_page,
    seeds_note,
    sentences_section,
    verdicts_table,
)
from analysis.report.figures_section import Outcome
from analysis.report.markdown import inert, markdown

MADE = ("source", "spec", "backend", "kernel", "guest", "mpbench", "commit")
"""The rows of the table at the foot of a page that says how a campaign was made."""
BUILD = ("kernel", "commit")
"""Features that all campaigns of the pages should have in common."""


@dataclass(frozen=True)
class Publication:
    """A publication that is compared with campaigns.

    source : the publication, for headings
    file : the file that says all this, as the index names it
    sheets : its pages
    configurations : the sets of campaigns that are judged
    matrix : which parts of a configuration are compared, if any
    findings : Markdown for the head of the index
    """

    source: str
    file: str
    sheets: Sequence[Sheet]
    statements: Sequence[Statement]
    configurations: Sequence[Configuration] = (Configuration("upstream"),)
    matrix: Matrix | None = None
    findings: str = ""

    def of(self, sheet: Sheet) -> list[Statement]:
        """The statements of a page."""
        return [one for one in self.statements if sheet.has(one.figure)]

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """All sentences, each with its statements of all pages."""
        return published_sentences.sentences(self.statements)

    def sentences_of(self, statements: Sequence[Statement]) -> tuple[Sentence, ...]:
        """The whole sentences that some statements belong to."""
        counted = filter(published_sentences.counted, statements)
        named = {published_sentences.of(one) for one in counted}
        return tuple(one for one in self.sentences if one.id in named)


@dataclass(frozen=True)
class Reproduced:
    """The contents of a page. missing : names of campaigns without results"""

    sheet: Sheet
    figures: tuple[Outcome, ...]
    statements: tuple[Statement, ...]
    missing: tuple[str, ...]


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
        if _written(made, counted):
            lines = _page(made, publication, campaigns, counted, look.formats[0])
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
        list(_index(done, publication, used, counted, written)),
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
            yield from verdicts_table.elsewhere(table, sheet.elsewhere, name)


def _verdicts(
    sentences: Sequence[Sentence], scored: Sequence[Scored]
) -> dict[str, sentences_section.Verdicts]:
    """The verdict on each sentence by its id, by configuration."""
    return {
        one.configuration.name: {
            sentence.id: one.sentence(sentence) for sentence in sentences
        }
        for one in scored
    }


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
    verdicts = _verdicts(found, scored)
    yield from sentences_section.by_age(found, verdicts)
    yield from sentences_section.table(found, verdicts)


def _linked(sheet: Sheet, folder: Path) -> Sheet:
    """The sheet, without its link if that leads nowhere yet.

    The page that a link leads to has its own count of what is compared elsewhere.

    folder : where the pages are, which the link begins at
    """
    there = sheet.link and (folder / sheet.link.partition("#")[0]).exists()
    return replace(sheet, elsewhere=0) if there else replace(sheet, link="")


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
            publication.statements, whole, baseline, rows, again, parts
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


def _written(made: Reproduced, scored: Sequence[Scored]) -> bool:
    """Whether there is anything for the page to show."""
    measured = any(
        one.answers[statement.id].main.n
        for one in scored
        for statement in made.statements
    )
    compared = any(
        cell.n for one in scored for cell in one.cells.get(made.sheet.name, ())
    )
    return bool(made.figures) or measured or compared


def _page(
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
        yield from sentences_section.table(sentences, _verdicts(sentences, scored))
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


def _index(
    done: Sequence[Reproduced],
    publication: Publication,
    campaigns: Mapping[str, Campaign],
    scored: Sequence[Scored],
    matrix: bool,
) -> Iterator[str]:
    yield "# Every statement, figure and table, ours beside the published"
    yield ""
    yield (
        f"{publication.source}. These pages were made from results folders by `mpbench"
        f" pages {publication.file} RESULTS...`. The same results give the same bytes."
        " The folder `points/` has the plotted values."
    )
    yield ""
    yield from _builds(campaigns)
    yield from seeds_note.lines(list(campaigns.values()))
    found = publication.sentences
    verdicts = _verdicts(found, scored)
    for one in scored:
        configuration = one.configuration
        text = " ".join(configuration.text.split())
        statements = one.counts(publication.statements)
        yield f"**{configuration.name}**{f' ({text})' if text else ''}:"
        yield ""
        yield f"- {sentences_section.line(found, verdicts[configuration.name])}"
        yield f"- {answers_section.counts(statements, 'statements')}"
        if (cells := one.cell_counts()).all:
            yield f"- {answers_section.counts(cells, 'cells')}"
        yield ""
    if any(one.sentence for one in publication.statements):
        yield f"[sentences.md](sentences.md) lists them. {sentences_section.RULE}"
        yield ""
        yield from sentences_section.by_age(found, verdicts)
    yield (
        "[criteria.md](criteria.md) lists every change of a criterion, with the verdict"
        " before and after it."
        + (
            " [matrix.md](matrix.md) shows which part of a configuration explains what."
            if matrix
            else ""
        )
    )
    yield ""
    if publication.findings.strip():
        yield publication.findings.strip()
        yield ""
    yield "## By chapter"
    yield ""
    yield from _by_chapter(publication, scored)
    yield "## By page"
    yield ""
    yield from _by_page(done, publication, scored)
    for wanted in (Verdict.DIFFERS, Verdict.UNDECIDED):
        yield from _listed(wanted, done, scored)
    noted = [campaign for campaign in campaigns.values() if campaign.state]
    if noted:
        yield "## What was run"
        yield ""
    for campaign in noted:
        yield from (f"- `{campaign.name}`: {line}" for line in campaign.state)


def _builds(campaigns: Mapping[str, Campaign]) -> Iterator[str]:
    """The kernel build and the commit that made the results."""
    for name in BUILD:
        builds = sorted({one.made.get(name, "-") for one in campaigns.values()})
        shown = ", ".join(f"`{build}`" for build in builds)
        yield f"- {name}: {shown}"
        if len(builds) > 1:
            yield f"  ({len(builds)} of them, so that campaigns are not comparable)"
    yield ""


def _by_chapter(publication: Publication, scored: Sequence[Scored]) -> Iterator[str]:
    """One table row per chapter and configuration."""
    chapters: dict[str, list[Statement]] = {}
    for statement in publication.statements:
        section = statement.section
        chapter = section.partition(".")[0] if section[:1].isdigit() else section
        chapters.setdefault(chapter, []).append(statement)
    rows = []
    for chapter, statements in chapters.items():
        found = publication.sentences_of(statements)
        for one in scored:
            counts = one.sentence_counts(found)
            numbers = (counts.agrees, counts.differs, counts.undecided, counts.open)
            shown = [str(number) for number in (counts.all, *numbers)]
            below = sentences_section.triple(one.counts(statements))
            rows.append([chapter, one.configuration.name, *shown, below])
    head = ["chapter", "configuration", "sentences", "agree", "differ", "undecided"]
    yield from markdown([*head, "not measured", "statements"], rows, numbers_from=2)


def _by_page(
    done: Sequence[Reproduced], publication: Publication, scored: Sequence[Scored]
) -> Iterator[str]:
    """One table row per page, and per configuration agree, differ and undecided."""
    head = ["page", "shows"]
    head += [f"{one.configuration.name}: sentences" for one in scored]
    head += [f"{one.configuration.name}: statements" for one in scored]
    head += [f"{one.configuration.name}: cells" for one in scored]
    rows = []
    for made in done:
        sheet = made.sheet
        name = sheet.where.partition(",")[0]
        link = f"{sheet.name}.md" if _written(made, scored) else sheet.link
        sentences = publication.sentences_of(made.statements)
        counts = [one.sentence_counts(sentences) for one in scored]
        counts += [one.counts(made.statements) for one in scored]
        counts += [one.cell_counts([sheet.name]) for one in scored]
        cells = [
            f"{c.agrees} / {c.differs} / {c.undecided}" if c.all else "-"
            for c in counts
        ]
        rows.append([f"[{name}]({link})" if link else name, sheet.title, *cells])
    yield from markdown(head, rows)
    yield (
        "The numbers are those that agree, differ and are undecided. A sentence with"
        " statements on several pages counts on each of them."
    )
    yield ""


def _listed(
    wanted: Verdict, done: Sequence[Reproduced], scored: Sequence[Scored]
) -> Iterator[str]:
    """Every statement with a verdict, by configuration."""
    for one in scored:
        found = [
            (made, answer)
            for made in done
            for statement in made.statements
            for answer in [one.answers[statement.id]]
            if answer.verdict is wanted
        ]
        if not found:
            continue
        title = {Verdict.DIFFERS: "What differs", Verdict.UNDECIDED: "Undecided"}
        yield f"## {title[wanted]}: {one.configuration.name}"
        yield ""
        for made, answer in found:
            statement = answer.statement
            page = f"[{answers_section.figure(statement.figure)}]({made.sheet.name}.md)"
            verdict = answers_section.verdict(answer).replace("**", "")
            yield f"- {page}: *{statement.statement}*. {answer.main.ours} ({verdict})."
        yield ""


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
