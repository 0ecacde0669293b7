"""Verdicts that stand on the pages of results/reference, by figure and table.

Pages of two kinds are read. The index of a publication (`mpbench pages`) has one table
row per figure. The page of a campaign (`mpbench report`) has a table of statements,
each with the figure that it is about, and one table per published table of cells.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from analysis.published import sentences as published_sentences
from analysis.published.judging import Verdict
from analysis.report import answers_section, verdicts_table
from analysis.report.verdicts_table import Row
from mpbench.errors import UserError
from mpbench.report.pages_file import Pages

SENTENCES, STATEMENTS, CELLS = "sentences", "statements", "cells"
COUNT = re.compile(r"(\d+) of \d+ cells agree, (\d+) differ and (\d+) are undecided")
ROW = re.compile(r"^\| (experiment|source) \| `(.+)` \|$", re.MULTILINE)
BY_PAGE = re.compile(r"^## By page\n\n(.*?)\n\n", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[(.+)\]\((.+)\)")
FIGURES = re.compile(
    r"(?P<kind>Fig|Table)s?\.? (?P<first>[\dIVX.]+\d?)[a-z]?\b"
    r"(?P<more>(?:, [\dIVX]+[a-z]?\b)*)"
)
SECTION = re.compile(r"sec(?:s?\.?|tion) ([\dIVX.]+(?:-[A-Z])?)")
NUMBERED = re.compile(r", sentence \d+")
SEPARATED = re.compile(r"(?<!\\) \| ")
PAPER = re.compile(r"^\w+( et al\. \d+)?,? ")
"""The paper at the beginning of a source: `olia`, `Wischik et al. 2011,`."""
SENTENCE = re.compile(r"(?<!Fig)(?<!sec)[.?](?= [\"`A-Z\d]|$)")
OF_DIFFERENCES = "Each difference is one of two cases"
"""The answer's last paragraph begins so. It stands before the runs where the page has
no description."""
LONGEST = 88
"""Characters of a campaign's description that are shown."""


@dataclass(frozen=True)
class Tally:
    """Counts of verdicts.

    open : what was not measured; it is not shown beside the others
    """

    agree: int = 0
    differ: int = 0
    undecided: int = 0
    open: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.agree + other.agree,
            self.differ + other.differ,
            self.undecided + other.undecided,
            self.open + other.open,
        )

    @classmethod
    def of(cls, verdicts: Iterable[Verdict | None]) -> "Tally":
        """The counts of some verdicts, of which None is not measured."""
        given = list(verdicts)
        kinds = (Verdict.AGREES, Verdict.DIFFERS, Verdict.UNDECIDED, None)
        return cls(*(given.count(kind) for kind in kinds))

    def __bool__(self) -> bool:
        return bool(self.agree or self.differ or self.undecided)

    def __str__(self) -> str:
        if not self:
            return "-"
        return f"{self.agree} / {self.differ} / {self.undecided}"


Tallies = dict[tuple[str, str], Tally]
"""Verdicts by SENTENCES, STATEMENTS or CELLS and the configuration, empty if it has no
name."""


@dataclass
class Entry:
    """A figure or table as one page shows it.

    label : `Fig. 3.3`
    shows : what it shows, in a few words
    page : the page below results/reference, empty if there is none
    campaigns : names of the campaigns that it is made from
    """

    label: str
    shows: str
    page: str
    campaigns: tuple[str, ...]
    tallies: Tallies = field(default_factory=dict)
    pages: dict[str, str] = field(default_factory=dict)
    """The page of a kind of verdicts, where it is not `page`."""

    def add(self, kind: str, tally: Tally) -> None:
        """Count more verdicts of the configuration without a name."""
        self.tallies[kind, ""] = self.tallies.get((kind, ""), Tally()) + tally

    def of(self, kind: str) -> Tally:
        """Verdicts of one kind, over all configurations."""
        return sum((t for (k, _), t in self.tallies.items() if k == kind), Tally())


def publication(pages: Pages, reference: Path) -> list[Entry]:
    """The figures of a publication's index, in its order.

    pages : of `results/published/NAME-pages.yaml`, whose pages are in `reference/NAME`

    Raises UserError for an index whose table has other rows than the file.
    """
    file = pages.path
    folder = file.stem.removesuffix("-pages")
    index = reference / folder / "README.md"
    table = BY_PAGE.search(index.read_text(encoding="utf-8"))
    if table is None:
        raise UserError(f"{index}: no table below 'By page'; make the pages again")
    head, _, *lines = (cells(line) for line in table[1].splitlines())
    sheets = list(pages.file.pages.values())
    if [bare(line[0]) for line in lines] != [s.where.partition(",")[0] for s in sheets]:
        raise UserError(f"{index}: other pages than {file.name}; make the pages again")
    found = []
    for line, sheet in zip(lines, sheets, strict=True):
        link = LINK.fullmatch(line[0])
        page = f"{folder}/{link[2]}" if link else ""
        entry = Entry(bare(line[0]), sheet.title, page, sheet.campaigns)
        for name, cell in zip(head[2:], line[2:], strict=True):
            configuration, _, kind = name.partition(": ")
            if cell != "-" and not cell.startswith("0 / 0 / 0"):
                tally = Tally(*map(int, cell.split(" / ")))
                entry.tallies[kind, configuration] = tally
        found.append(entry)
    return found


def campaign(page: Path) -> list[Entry]:
    """The figures of a campaign's page: those that its verdicts are about first.

    page : `reference/NAME/README.md`
    """
    text = page.read_text(encoding="utf-8")
    made = dict(ROW.findall(text))
    source = PAPER.sub("", made["source"]).partition(";")[0]
    entries: dict[str, Entry] = {}

    def entry(place: str) -> Entry:
        label = figure(place) or section(place, source)
        return entries.setdefault(
            label,
            Entry(label, "", f"{page.parent.name}/README.md", (made["experiment"],)),
        )

    for place, verdict in statements(text):
        entry(place).add(STATEMENTS, verdict)
    for place, verdict in sentences(rows(page.parent)):
        entry(place).add(SENTENCES, verdict)
    for place, verdict in tables(text):
        entry(place).add(CELLS, verdict)
    for label in figures(source) or ["" if entries else section("", source)]:
        if label:
            entry(label)
    for one in entries.values():
        one.shows = description(text) or f"the campaign `{made['experiment']}`"
    return list(entries.values())


def rows(folder: Path) -> list[Row]:
    """The verdicts of a folder's pages, from its table; none without a table.

    Raises UserError for a table that cannot be read.
    """
    path = folder / verdicts_table.NAME
    if not path.is_file():
        return []
    try:
        return list(verdicts_table.read(path))
    except ValueError as error:
        raise UserError(str(error)) from None


def verdict_of(found: Iterable[Row]) -> Verdict | None:
    """The verdict on a sentence, from the rows of its statements."""
    words = [row.verdict for row in found]
    known = {verdict.value: verdict for verdict in Verdict}
    return published_sentences.verdict([known.get(word) for word in words])


def by_sentence(found: Iterable[Row]) -> dict[str, list[Row]]:
    """The rows of statements by their sentence."""
    grouped: dict[str, list[Row]] = {}
    for row in found:
        if row.kind == verdicts_table.STATEMENT:
            grouped.setdefault(row.sentence, []).append(row)
    return grouped


def sentences(found: Iterable[Row]) -> Iterator[tuple[str, Tally]]:
    """The place of each sentence's first statement, and its verdict."""
    for group in by_sentence(found).values():
        first = group[0]
        place = f"sec. {first.section}" if first.section else ""
        place += f", {answers_section.figure(first.figure)}" if first.figure else ""
        yield place, Tally.of([verdict_of(group)])


def statements(text: str) -> Iterator[tuple[str, Tally]]:
    """The place in the publication of each judged statement, and its verdict."""
    head: list[str] = []
    for line in text.splitlines():
        if line.startswith("| published | where |"):
            head = cells(line)
        elif not line.startswith("| "):
            head = []
        elif head and not line.startswith("| ---"):
            row = dict(zip(head, cells(line), strict=True))
            if verdict := tally(row["verdict"]):
                yield row["where"], verdict


def tables(text: str) -> Iterator[tuple[str, Tally]]:
    """The name of each published table of cells, and the verdicts on its cells."""
    name = ""
    for line in text.splitlines():
        if line.startswith("### "):
            name = line.removeprefix("### ")
        elif count := COUNT.match(line):
            yield name, Tally(*map(int, count.groups()))


def tally(verdict: str) -> Tally:
    """A verdict as a page writes it; an agreement that depends on the reading is
    undecided (docs/criteria.md)."""
    word, _, more = verdict.replace("*", "").partition(", ")
    if word == "undecided" or (word == "agrees" and "depends" in more):
        return Tally(undecided=1)
    return Tally(agree=int(word == "agrees"), differ=int(word == "differs"))


def unique(pages: Iterable[Iterable[Row]]) -> list[Row]:
    """The rows of several pages, each statement and cell from the first page with it.

    A page with several rows of one statement, one per case, keeps all of them.
    """
    seen: set[tuple[str, str, str]] = set()
    found: list[Row] = []
    for page in pages:
        new = [r for r in page if (r.kind, r.id, r.configuration) not in seen]
        seen |= {(r.kind, r.id, r.configuration) for r in new}
        found += new
    return found


def figures(text: str) -> list[str]:
    """The figures and tables that a text names, without the letters of panels."""
    found = []
    for match in FIGURES.finditer(text):
        kind = "Fig." if match["kind"] == "Fig" else "Table"
        numbers = [match["first"], *match["more"].split(", ")[1:]]
        found += [f"{kind} {re.sub('[a-z]$', '', number)}" for number in numbers]
    return list(dict.fromkeys(found))


def figure(place: str) -> str:
    """The first figure or table that a place names; empty if it names none."""
    return next(iter(figures(place)), "")


def section(place: str, source: str) -> str:
    """A place without a figure: the source's own words if it is of the same section,
    or the source's figure if it has one figure and no other words."""
    place = NUMBERED.sub("", place)
    own, here = SECTION.search(source), SECTION.search(place)
    if here is not None and (own is None or own[1] != here[1]):
        return place
    rest = re.sub(r"(, )?\b(Fig|Table)s?\b.*", "", source).removesuffix(" and")
    named = figures(source)
    return named[0] if len(named) == 1 and SECTION.fullmatch(rest) else rest


def description(text: str) -> str:
    """The first sentence of a campaign's page; empty if it has no description."""
    paragraphs = text.split("\n\n")[1:]
    of_runs = [i for i, p in enumerate(paragraphs) if p.startswith("| case | ok |")]
    if of_runs and of_runs[0]:  # after the answer to the experiment's question
        paragraphs = paragraphs[of_runs[0] - 1 :]
    first = next(p for p in paragraphs if not p.startswith("Intervals and verdicts"))
    if first.startswith(("|", "#", OF_DIFFERENCES)):
        return ""
    return shortened(SENTENCE.split(" ".join(first.split()))[0])


def shortened(sentence: str) -> str:
    """The sentence, cut after a word to LONGEST characters."""
    if len(sentence) <= LONGEST:
        return sentence
    return sentence[:LONGEST].rsplit(" ", 1)[0].rstrip(",;") + " ..."


def bare(cell: str) -> str:
    """The text of a cell that may be a link."""
    link = LINK.fullmatch(cell)
    return link[1] if link else cell


def cells(line: str) -> list[str]:
    """The cells of a Markdown table's row."""
    return [cell.strip() for cell in SEPARATED.split(line.strip()[1:-1])]
