"""The index of a publication's pages: counts of verdicts, and what differs."""

from collections.abc import Iterator, Mapping, Sequence

from analysis.campaign.campaign import Campaign
from analysis.published.judging import Verdict
from analysis.published.publication import Scored
from analysis.published.statements import Statement
from analysis.report import answers_section, seeds_note, sentences_section
from analysis.report.markdown import markdown
from analysis.report.publication import Publication, Reproduced, has_results

BUILD = ("kernel", "commit")
"""Features that all campaigns of the pages should have in common."""


def lines(
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
    yield from builds(campaigns)
    yield from seeds_note.lines(list(campaigns.values()))
    found = publication.sentences
    verdicts = sentences_section.verdicts(found, scored)
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


def builds(campaigns: Mapping[str, Campaign]) -> Iterator[str]:
    """The kernel build and the commit that made the results.

    Of several builds, each has a line with its campaigns.
    """
    made: dict[tuple[str, ...], list[str]] = {}
    for name, one in campaigns.items():
        made.setdefault(tuple(one.made.get(key, "-") for key in BUILD), []).append(name)
    if len(made) == 1:
        for name, value in zip(BUILD, next(iter(made)), strict=True):
            yield f"- {name}: `{value}`"
    for build, names in sorted(made.items()) if len(made) > 1 else ():
        said = ", ".join(f"{k} `{v}`" for k, v in zip(BUILD, build, strict=True))
        yield f"- {said}: {seeds_note.named(names)}"
    if len(made) > 1:
        yield ""
        yield (
            "Campaigns of different builds cannot be compared run by run. Each page "
            "names the builds of its campaigns."
        )
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
        link = f"{sheet.name}.md" if has_results(made, scored) else sheet.link
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
