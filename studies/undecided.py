"""Say how many networks would decide each undecided sentence of the five papers.

    python -m studies.undecided [--check]

writes results/reference/undecided.md from kept rows (studies/kept.py) and from the
verdicts beside the pages. With --check it writes nothing, and its exit status is 1 if
the page differs. analysis/published/deciding.py has the forecast.
"""

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from analysis.campaign.campaign import Campaign
from analysis.published import deciding, statements
from analysis.published import sentences as published_sentences
from analysis.published.answers import Answer, answer, runs_of
from analysis.published.criterion import Criterion
from analysis.published.deciding import Forecast
from analysis.published.estimates import estimator
from analysis.published.judging import Verdict
from analysis.published.sentences import Sentence
from analysis.published.statements import Statement
from analysis.report import sentences_section
from analysis.report.markdown import markdown
from mpbench.errors import UserError
from mpbench.report.loading import load_campaign
from mpbench.report.pages_file import Pages
from mpbench.store import atomic
from studies import kept
from studies import reference_verdicts as verdicts
from studies.reference_index import PAPERS, PUBLISHED, REFERENCE, file_of

ROWS = kept.UNPACKED
TARGET = REFERENCE / "undecided.md"


@dataclass(frozen=True)
class Asked:
    """A sentence that is undecided on a page, and how many values would decide it.

    page : the folder of the page below results/reference
    setting : the configuration; empty on the page of one campaign
    open : the number of its statements that are undecided
    now : the least number of independent values behind them
    """

    page: str
    setting: str
    sentence: Sentence
    open: int
    now: int
    forecast: Forecast


@cache
def loaded(name: str) -> Campaign | None:
    """A campaign from its kept rows; None if none are kept."""
    folder = ROWS / name
    return load_campaign(folder)[0] if folder.is_dir() else None


def undecided(folder: Path) -> dict[str, set[str]]:
    """The undecided sentences of a folder's pages, by configuration."""
    found: dict[str, set[str]] = {}
    rows = verdicts.rows(folder)
    for setting in dict.fromkeys(row.configuration for row in rows):
        of_setting = [row for row in rows if row.configuration == setting]
        for name, group in verdicts.by_sentence(of_setting).items():
            if verdicts.verdict_of(group) is Verdict.UNDECIDED:
                found.setdefault(setting, set()).add(name)
    return found


def pages() -> Iterator[Asked]:
    """Every undecided sentence of every page of the papers' own settings."""
    for file in sorted(PUBLISHED.glob("*-pages.yaml")):
        folder = file.stem.removesuffix("-pages")
        given = Pages(file)
        if "configurations" in given.file.model_fields_set and folder not in PAPERS:
            continue  # settings of nobody, to find causes
        publication = given.publication
        for setting, names in undecided(REFERENCE / folder).items():
            (one,) = [c for c in publication.configurations if c.name == setting]
            found = [s for s in publication.sentences if s.id in names]
            for sentence in found:
                known = {
                    name
                    for statement in sentence.statements
                    for name in statement.criterion.sets.campaigns()
                }
                there = {
                    name: campaign
                    for name in known
                    if (campaign := loaded(f"{name}{one.suffix}"))
                }
                yield asked(folder, setting, sentence, there)
    for page in sorted(REFERENCE.glob("*/verdicts.csv")):
        name = page.parent.name
        named = (PUBLISHED / f"{name}-pages.yaml").is_file()
        if named or file_of(name).startswith("studies/"):
            continue
        campaign = loaded(name)
        for setting, wanted in undecided(page.parent).items():
            if campaign is None:
                raise UserError(f"{ROWS / name}: no kept rows")
            for sentence in published_sentences.sentences(said(name, campaign)):
                if sentence.id in wanted:
                    yield asked(name, setting, sentence, {"": campaign, name: campaign})


def said(name: str, campaign: Campaign) -> Sequence[Statement]:
    """The statements about a campaign that has a page of its own."""
    named = load_campaign(ROWS / name)[1]
    file = Path(named.expect or "") if named else Path()
    found = statements.read(PUBLISHED / file.with_suffix(".yaml").name)
    return [one for one in found if one.of(campaign.name)]


def asked(
    page: str, setting: str, sentence: Sentence, campaigns: Mapping[str, Campaign]
) -> Asked:
    """A sentence with the forecast of its undecided statements."""
    found = []
    for statement in sentence.statements:
        given = answer(statement, campaigns, with_chance=False)
        if given.verdict is Verdict.UNDECIDED:
            found.append(of_statement(given, campaigns))
    if not found:
        raise UserError(f"{page}: {sentence.id} is decided; make the pages again")
    forecasts = [forecast for _, forecast in found]
    now = min(values for values, _ in found)
    joint = deciding.of_sentence(forecasts)
    return Asked(page, setting, sentence, len(found), now, joint)


def of_statement(
    given: Answer, campaigns: Mapping[str, Campaign]
) -> tuple[int, Forecast]:
    """The number of values behind an undecided statement, and its forecast."""
    statement = given.statement
    criteria: list[Criterion] = [statement.criterion]
    criteria += [reading.criterion for reading in statement.readings]
    for criterion, outcome in zip(criteria, (given.main, *given.readings), strict=True):
        if outcome.judged and outcome.verdict is Verdict.UNDECIDED:
            units = estimator(criterion, runs_of(criterion, campaigns)).samples.units
            return units, deciding.forecast(criterion, outcome.judged, units)
    return given.main.n, Forecast(None, None, "its readings have different verdicts")


HEAD = """\
# Undecided sentences, and how many networks would decide them

A sentence is undecided if some of its statements are, and none differs. This page says
how many independent values would decide it: networks of a design, or seeds of one
network where the campaign has only one.

- The forecast takes the effect as it was measured. It lets the 95 % interval shrink
  with the square root of the number of values, and applies the registered criterion
  again. Where redrawn designs give the interval, its ends have an error of their own,
  which the forecast leaves out.
- One statement that differs decides a sentence; otherwise all of them have to agree.
  The last column has the verdict that the sentence would get.
- A forecast is no result. The effect of more networks may be another one.

`python -m studies.undecided` writes this page from kept rows.
"""


def page(found: Sequence[Asked]) -> str:
    """The page with one table per paper."""
    lines = HEAD.splitlines()
    for key, (name, _) in PAPERS.items():
        of_paper = list(once(one for one in found if paper(one.page) == key))
        if of_paper:
            known = sum(one.forecast.values is not None for one in of_paper)
            lines += ["", f"## {name}", ""]
            lines += [f"{known} of {len(of_paper)} have a number.", ""]
            head = ["sentence", "page", "setting", "open statements", "values now"]
            head += ["values needed", "then"]
            lines += list(markdown(head, list(map(row, of_paper))))[:-1]
    return "\n".join(lines).rstrip() + "\n"


def once(found: Iterable[Asked]) -> Iterator[Asked]:
    """The sentences of an index, then those of campaigns that no index has."""
    known = set()
    for one in found:
        if one.setting:
            known.add(one.sentence.id)
        if one.setting or one.sentence.id not in known:
            yield one


@cache
def paper(folder: str) -> str:
    """The paper that a folder of pages is about."""
    if folder.partition("-")[0] in PAPERS:
        return folder.partition("-")[0]
    text = (REFERENCE / folder / "README.md").read_text(encoding="utf-8")
    source = next(
        line for line in text.splitlines() if line.startswith("| source | `")
    ).split("`")[1]
    return "nsdi11" if source.startswith("Wischik") else source.split()[0]


def row(one: Asked) -> list[str]:
    """A sentence as the cells of a table."""
    place = sentences_section.where(one.sentence)
    open_ = f"{one.open} of {len(one.sentence.statements)}"
    forecast = one.forecast
    needed, then = "-", forecast.why
    if forecast.values is not None:
        at_least = "" if forecast.verdict else "at least "
        needed = f"{at_least}{rounded(forecast.values)}"
        then = forecast.verdict.value if forecast.verdict else forecast.why
    link = f"[{one.page}]({one.page}/README.md)"
    return [place, link, one.setting or "-", open_, str(one.now), needed, then]


def rounded(number: int) -> str:
    """A number with two digits, rounded up."""
    step = 10 ** max(0, len(str(number)) - 2)
    return f"{-(-number // step) * step:,}"


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args(words)
    try:
        kept.unpack()
        text = page(list(pages()))
        if options.check:
            return int(TARGET.read_text(encoding="utf-8") != text)
        atomic.write_bytes(TARGET, text.encode())
    except (OSError, ValueError, UserError) as error:
        print(f"undecided: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
