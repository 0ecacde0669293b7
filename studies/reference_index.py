"""Write the index of results/reference: every figure and table of the five papers.

    python -m studies.reference_index [--check]

writes results/reference/README.md from the pages beside it, the files of
results/published that name the pages, and the experiment files. With --check it writes
nothing, and its exit status is 1 if the page is another one.
"""

import argparse
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from os.path import relpath
from pathlib import Path

from analysis.published import ages
from analysis.report import verdicts_table
from analysis.report.markdown import markdown
from analysis.report.sentences_section import AGES
from mpbench.errors import UserError
from mpbench.report.pages_file import Pages
from studies import reference_verdicts as verdicts
from studies.reference_verdicts import CELLS, SENTENCES, STATEMENTS, Entry, Tally

ROOT = Path(__file__).parents[1]
PUBLISHED = ROOT / "results/published"
REFERENCE = ROOT / "results/reference"
KINDS = (SENTENCES, STATEMENTS, CELLS)
PAPERS = {
    "thesis": ("The thesis", "Chauvenne and Libioulle, UCLouvain 2017"),
    "mpcc": ("MPCC", "Gilad et al., CoNEXT 2020"),
    "olia": ("OLIA", "Khalili et al., IEEE/ACM Transactions on Networking 2013"),
    "balia": ("Balia", "Peng et al., IEEE/ACM Transactions on Networking 2016"),
    "nsdi11": ("NSDI 2011", "Wischik et al., NSDI 2011"),
}
"""Each publication's name and its authors, by the first word of a `source`."""
DATA_CENTRE = re.compile("fattree|bcube")
"""In the folders of pages about data centres."""
SOURCE = re.compile(r"^\| source \| `(\w+)", re.MULTILINE)
SEED = "All networks of a repetition drew from one random seed"
PAPER_OF = {
    "responsiveness": "balia",
    "mpcc": "mpcc",
    "olia-scenario-a": "olia",
}
"""A page of each paper whose theorems are looked at in numbers."""
UNPRINTED = {"balia": "friendliness", "nsdi11": "arrivals"}
"""A page of each paper that has a page on networks that it does not print."""
RULES = "follow the rules before"
PARTS = ("data centres", "everything else")
ROMAN = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5}
HEAD = """\
# Every figure and table, with its verdicts

The papers measured or calculated, and we executed the same networks again. Each row
links to the page with our figures beside the published words and numbers.

- Verdicts are counted as **agree / differ / undecided** ([how they are
  reached](../../docs/criteria.md)).
- A **sentence** of a paper agrees only if all of its statements agree, and differs if
  one of them differs. What several pages judge counts on each of them, and once in the
  first table.
- The last column names the experiment file: `mpbench run FILE` executes the row again.
- [Five papers](../../docs/papers.md) says in words what holds, what does not, and what
  the print leaves open.
- [Undecided sentences](undecided.md) says how many networks would decide each.
- [What we found out](../../docs/findings.md) has answers in plain words.
- `python -m studies.reference_index` writes this page from the pages that it links to.
"""


@dataclass
class Paper:
    """The rows of a publication.

    main : figures under the settings of the paper
    others : figures under other settings, to find a cause
    indices : folders of `mpbench pages` that main rows come from
    pages : folders of `mpbench report` that main rows come from
    """

    main: list[Entry] = field(default_factory=list)
    others: list[Entry] = field(default_factory=list)
    indices: list[str] = field(default_factory=list)
    pages: list[str] = field(default_factory=list)

    @property
    def folders(self) -> list[str]:
        return self.indices + self.pages

    def rows(
        self, reference: Path, setting: str, data_centres: bool | None = None
    ) -> list[verdicts_table.Row]:
        """The verdicts of the main rows, each statement and cell once.

        data_centres : those of data centres, or of everything else; None for all
        """
        folders = self.folders
        if data_centres is not None:
            folders = [
                name
                for name in folders
                if bool(DATA_CENTRE.search(name)) == data_centres
            ]
        found = [verdicts.rows(reference / name) for name in folders]
        if setting:
            found = [[r for r in page if r.configuration == setting] for page in found]
        else:
            found = [[replace(r, configuration="") for r in page] for page in found]
        return verdicts.unique(found)


def papers(published: Path, reference: Path) -> dict[str, Paper]:
    """Every publication, from its pages.

    Raises UserError for a page that has no verdicts where they should be.
    """
    found = {key: Paper() for key in PAPERS}
    for file in sorted(published.glob("*-pages.yaml")):
        folder = file.stem.removesuffix("-pages")
        paper = found[folder.partition("-")[0]]
        pages = Pages(file)
        entries = verdicts.publication(pages, reference)
        if "configurations" in pages.file.model_fields_set and folder not in PAPERS:
            paper.others += by_setting(entries, pages)
        else:
            paper.main += entries
            paper.indices.append(folder)
    for page in sorted(reference.glob("*/README.md")):
        source = SOURCE.search(page.read_text(encoding="utf-8"))
        if source is None:
            continue
        key = "nsdi11" if source[1] == "Wischik" else source[1]
        entries = verdicts.campaign(page)
        if file_of(page.parent.name).startswith("studies/"):
            found[key].others += entries
        else:
            join(found[key].main, entries)
            found[key].pages.append(page.parent.name)
    for key, paper in found.items():
        if paper.indices != [key]:
            paper.main.sort(key=order)
    return found


def by_setting(entries: Sequence[Entry], pages: Pages) -> Iterator[Entry]:
    """One entry per figure and configuration that has verdicts."""
    for entry in entries:
        for name, setting in pages.file.configurations.items():
            tallies = {
                (kind, ""): tally
                for (kind, configuration), tally in entry.tallies.items()
                if configuration == name and tally
            }
            if tallies:
                names = [f"{one}{setting.suffix}" for one in entry.campaigns]
                there = tuple(one for one in names if one in files())
                text = verdicts.shortened(" ".join(setting.text.split()))
                shows = f"{entry.shows}, `{name}`: {text}"
                yield Entry(entry.label, shows, entry.page, there, tallies)


def join(main: list[Entry], entries: Iterable[Entry]) -> None:
    """Add the figures of a campaign's page, but not those that an index has.

    Of a figure that both have, the index's row takes the verdicts that it lacks.
    """
    before = list(main)
    for entry in entries:
        (campaign,) = entry.campaigns
        there = [one for one in before if campaign in one.campaigns]
        judged = {kind for one in there for kind in KINDS if one.of(kind)}
        left = {kind for kind in KINDS if entry.of(kind)} - judged
        entry.tallies = {k: t for k, t in entry.tallies.items() if k[0] in left}
        same = next((one for one in there if one.label == entry.label), None)
        if same is not None:
            same.tallies |= entry.tallies
            same.pages |= dict.fromkeys(left, entry.page)
        elif left or entry.label not in {one.label for one in before}:
            main.append(entry)


def order(entry: Entry) -> tuple[int, int, str]:
    """Figures by number, then tables, then what has neither."""
    kind, _, number = entry.label.partition(" ")
    place = {"Fig.": 0, "Table": 1}.get(kind, 2)
    value = ROMAN.get(number) or int(number if number.isdigit() else 0)
    return (place, 0 if place == 2 else value, entry.label if place == 2 else "")


@cache
def files() -> dict[str, str]:
    """The experiment file of each campaign, relative to the repository."""
    places = ("experiments/*/*.yaml", "studies/causes/*.yaml")
    found = [path for place in places for path in sorted(ROOT.glob(place))]
    return {path.stem: path.relative_to(ROOT).as_posix() for path in found}


def file_of(campaign: str) -> str:
    """The experiment file of a campaign. Raises UserError if there is none."""
    if campaign not in files():
        raise UserError(f"{campaign}: no experiment file of this name")
    return files()[campaign]


def page(published: Path = PUBLISHED, reference: Path = REFERENCE) -> str:
    """The text of the index."""
    found = papers(published, reference)
    lines = [*HEAD.splitlines(), "", *totals(found, reference)]
    lines += caveats(reference)
    for key, paper in found.items():
        name, authors = PAPERS[key]
        lines += [f"## {name}", "", f"{authors}.", *indices(paper), ""]
        lines += table(paper.main, settings(paper.main))
        if paper.others:
            lines += [f"### {name}: other settings, to find causes", ""]
            lines += table(paper.others, ("",))
    return "\n".join(lines).rstrip() + "\n"


def settings(entries: Sequence[Entry]) -> tuple[str, ...]:
    """The configurations of a table's columns; one without a name if they mix."""
    names = list(dict.fromkeys(name for one in entries for _, name in one.tallies))
    return tuple(names) if len(names) > 1 and "" not in names else ("",)


def totals(found: dict[str, Paper], reference: Path) -> Iterator[str]:
    """The table of publications: sentences, also by age, then statements and cells."""
    rows = []
    for key, paper in found.items():
        name = PAPERS[key][0]
        link = f"[{name}](#{name.lower().replace(' ', '-')})"
        for setting in settings(paper.main):
            shown = f"{link}{f', {setting}' if setting else ''}"
            rows.append([shown, *total(paper.rows(reference, setting))])
        parts = [paper.rows(reference, "", of) for of in (True, False)]
        if paper.indices != [key] and all(parts):
            for words, part in zip(PARTS, parts, strict=True):
                rows.append([f"{name}, {words}", *total(part)])
    told = [f"criteria {AGES[age]}" for age in ages.AGES]
    yield from markdown(
        ["paper", SENTENCES, *told, STATEMENTS, CELLS, "not measured"], rows
    )
    yield (
        "The three columns of criteria split the sentences by when their criteria were"
        " registered. The last column counts the sentences, statements and cells that"
        " no result was compared with."
    )
    yield ""


def counted(rows: Sequence[verdicts_table.Row]) -> list[tuple[str, Tally]]:
    """The counts of sentences, statements and cells."""
    groups = verdicts.by_sentence(rows).values()
    return [
        (SENTENCES, Tally.of(map(verdicts.verdict_of, groups))),
        *(
            (name, Tally.of(verdicts.verdict_of([r]) for r in rows if r.kind == kind))
            for name, kind in (
                (STATEMENTS, verdicts_table.STATEMENT),
                (CELLS, verdicts_table.CELL),
            )
        ),
    ]


def total(rows: Sequence[verdicts_table.Row]) -> list[str]:
    """The cells of a row of totals, after its name."""
    sentences, *others = (tally for _, tally in counted(rows))
    groups = list(verdicts.by_sentence(rows).values())
    of_age = [
        Tally.of(
            verdicts.verdict_of(group)
            for group in groups
            if ages.weakest(row.age for row in group) == age
        )
        for age in ages.AGES
    ]
    opened = [tally.open for tally in (sentences, *others)]
    missing = " / ".join(map(str, opened)) if any(opened) else "none"
    return [*map(str, (sentences, *of_age, *others)), missing]


def tally(entry: Entry, kind: str, setting: str) -> Tally:
    """An entry's verdicts in a column."""
    if not setting:
        return entry.of(kind)
    return entry.tallies.get((kind, setting), Tally())


def caveats(reference: Path) -> Iterator[str]:
    """Paragraphs for what pages say of their intervals, with the pages that say it."""
    texts = {
        path.relative_to(reference).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(reference.glob("*/*.md"))
    }
    narrow = linked(name for name, text in texts.items() if SEED in text)
    if narrow:
        yield (
            "**Intervals that are too narrow.** Campaigns with loss, jitter or drawn"
            " starts were computed with one seed for all networks of a repetition."
            " Their intervals and p-values are too narrow until they are executed"
            f" again. These pages name them: {narrow}."
        )
        yield ""
    earlier = linked(name for name, text in texts.items() if RULES in text)
    if earlier:
        yield (
            "**Verdicts of earlier rules.** Some became undecided since"
            f" ([which](../../studies/notes/intervals.md)): {earlier}."
        )
        yield ""


def linked(names: Iterable[str]) -> str:
    """Links to pages, as words: `a`, `b` and `c`."""
    links = [
        f"[{name.removesuffix('/README.md').removesuffix('.md')}]({name})"
        for name in names
    ]
    return " and ".join([part for part in (", ".join(links[:-1]), *links[-1:]) if part])


def indices(paper: Paper) -> Iterator[str]:
    """The sentence that leads to all statements of a publication."""
    links = [f"[{name}]({name}/README.md)" for name in paper.indices]
    if links:
        yield f"Statement by statement, all that differs: {', '.join(links)}."
    for name in ("balia", "mpcc", "olia"):
        if any(PAPER_OF.get(folder) == name for folder in paper.folders):
            yield (
                "Its theorems, by numbers:"
                f" [counterexamples that were looked for]({name}-theorems.md)."
            )
    for name, folder in UNPRINTED.items():
        page = f"{name}-reachability.md"
        if folder in paper.folders and (REFERENCE / page).is_file():
            yield (
                "Networks that the paper does not print:"
                f" [which of them give its numbers]({page})."
            )
    if paper.indices == ["thesis"]:
        file = "experiments/thesis/configurations/v091.yaml"
        yield (
            "`v091` has what is known of the thesis's machine in today's kernel; nobody"
            " compared it with that machine. Add"
            f" `--with {file}` to the command."
        )
        yield (
            "Networks that the thesis does not print:"
            " [which of them give its numbers](thesis/reachability.md)."
        )
        yield (
            "Networks that draw nothing from a seed:"
            " [what chance moves in them](thesis/spread.md)."
        )
        yield (
            "Tables 3.2, 4.1 and 5.2 are deviations over three designs, which were"
            " executed under `upstream` alone."
        )


def table(entries: Sequence[Entry], columns: Sequence[str]) -> Iterator[str]:
    """One row per figure; without a column for a kind that no entry has."""
    kinds = [kind for kind in KINDS if any(entry.of(kind) for entry in entries)]
    named = [(kind, name) for kind in kinds for name in columns]
    head = [f"{kind}{f', {name}' if name else ''}" for kind, name in named]
    rows = []
    for entry in entries:
        label = f"[{entry.label}]({entry.page})" if entry.page else entry.label
        cells = [verdict(entry, kind, name) for kind, name in named]
        rows.append([label, entry.shows, *cells, commands(entry)])
    yield from markdown(["figure", "shows", *head, "`mpbench run`"], rows)


def verdict(entry: Entry, kind: str, setting: str) -> str:
    """A cell with verdicts, linked if another page than the row's has them."""
    shown = str(tally(entry, kind, setting))
    page = entry.pages.get(kind, entry.page)
    return shown if page == entry.page else f"[{shown}]({page})"


def commands(entry: Entry) -> str:
    """The experiment files of an entry; of one that needs a patch, the command."""
    words = []
    for campaign in entry.campaigns:
        file = file_of(campaign)
        link = relpath(ROOT / file, REFERENCE)
        patch = re.search(r"run with (\S+\.patch)", (ROOT / file).read_text("utf-8"))
        shown = file
        if patch:
            shown = f"python -m studies.patched_kernel studies/causes/{patch[1]} {file}"
        words.append(f"[`{shown}`]({link})")
    return " ".join(words) or "-"


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args(words)
    target = REFERENCE / "README.md"
    try:
        text = page()
        if options.check:
            same = target.is_file() and target.read_text(encoding="utf-8") == text
            print(f"{target}: {'is as its pages say' if same else 'differs'}")
            return 0 if same else 1
        target.write_text(text, encoding="utf-8")
    except (OSError, UserError) as error:
        print(f"reference_index: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
