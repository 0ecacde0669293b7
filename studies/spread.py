"""Show how far chance alone moves campaigns in which nothing draws from the seed.

    python -m studies.spread [--check]

The controls of these campaigns (studies/control) repeat each network twice, with delays
that differ by up to 0.5 %. The command reads their kept rows (studies/kept.py), writes
results/reference/thesis/spread.md, and puts a paragraph on the page of each figure that
shows one of the campaigns. With --check it writes nothing, and its exit status is 1 if
a page differs.
"""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from os.path import relpath
from pathlib import Path

import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.campaign.columns import plain_label
from analysis.campaign.numbers import digits
from analysis.campaign.observations import CHANGED
from analysis.campaign.spread import spread
from analysis.report import publication_index, spread_section
from analysis.words import many
from mpbench.errors import UserError
from mpbench.report.loading import load_campaign
from mpbench.store import atomic, kept_rows
from studies import kept
from studies.paragraphs import placed

STUDIES = Path(__file__).parent
PAGES = STUDIES.parent / "results/reference"
PAGE = "thesis/spread.md"
OWN_PAGES = ("bulk-low-bdp/README.md",)
"""Pages of single campaigns that have a control here."""
SUFFIXES = ("", "-v091")
CONTROL = "-control"
MARK = "**Spread within networks.**"
COLUMNS = re.compile(r"^\|  \|((?: `[\w.-]+` \|)+)$", re.MULTILINE)
"""The head of the table that names the campaigns of a figure's page."""
HEAD = """\
# What chance moves in networks that draw nothing

Without random loss, jitter and drawn starts, nothing in these campaigns of the thesis
draws from the seed: the same network gives the same bytes. Yet which packet meets a
full queue depends on microseconds. The control of each campaign repeats part of its
networks twice. The delay of each link is drawn again, up to 0.5 % off, which no user
would call another network. So what differs between two such runs is chance. What
differs between a run and that of the campaign itself is chance too, or comes from their
builds.

[Rule 8](../../../studies/notes/rerun.md) was registered before the first run.
`python -m studies.spread` writes this page from kept rows. [All pages](README.md)
"""


@dataclass(frozen=True)
class Control:
    """A campaign and its control.

    name : of the campaign, with the suffix of its configuration
    moved : the control, whose delays differ
    """

    name: str
    campaign: Campaign
    moved: Campaign

    @property
    def column(self) -> str:
        """The column of the metric that comes first in the experiment file."""
        return next(iter(self.moved.columns(self.moved.metrics[0])))

    @property
    def tried(self) -> str:
        """The case that it is about: the first one over MPTCP."""
        return next(iter(self.moved.mptcp_cases))

    def same(self) -> tuple[int, int]:
        """Runs over MPTCP that have the campaign's value to the last digit, and all."""
        both = _pairs(self.campaign, self.moved, self.column)
        return int((both["value"] == both["moved"]).sum()), len(both)


def _pairs(one: Campaign, other: Campaign, column: str) -> pd.DataFrame:
    """The runs over MPTCP of two campaigns, in the same networks and cases."""
    key = ["case", *one.factors]
    found = []
    for campaign, name in ((one, "value"), (other, "moved")):
        runs = campaign.ok_runs
        runs = runs[runs["case"].isin(campaign.mptcp_cases)]
        found.append(runs[[*key, column]].rename(columns={column: name}))
    return found[0].merge(found[1], on=key).dropna()


def controls(rows: Path) -> Iterator[Control]:
    """Every control whose rows are kept.

    rows : the folder of kept rows
    """
    for file in sorted((STUDIES / "control").glob("*.yaml")):
        for suffix in SUFFIXES:
            name = f"{file.stem}{suffix}"
            moved = rows / f"{name}{CONTROL}"
            if kept_rows.there(moved) and _is_moved(moved):
                loaded = [load_campaign(place)[0] for place in (rows / name, moved)]
                yield Control(name, *loaded)


def _is_moved(folder: Path) -> bool:
    return any(
        column.endswith(CHANGED)
        for row in kept_rows.read(folder).rows[:1]
        for column in row
    )


def page(found: Sequence[Control]) -> str:
    """The page with the builds and a section per control."""
    made = {one.name: one.campaign for one in found}
    made |= {f"{one.name}{CONTROL}": one.moved for one in found}
    reading = spread_section.READING
    lines = [*HEAD.splitlines(), "", reading, "", *publication_index.builds(made)]
    for one in found:
        same, runs = one.same()
        lines += [f"## `{one.name}`", ""]
        lines += [
            f"Of {many(runs, 'run')} over MPTCP, {same or 'none'}"
            f" {'has' if same < 2 else 'have'} the {plain_label(one.column)} of the"
            " campaign to the last digit.",
            "",
        ]
        still = ["No repetitions of a network differ.", ""]
        lines += list(spread_section.table(one.moved)) or still
    return "\n".join(lines).rstrip() + "\n"


def sentence(one: Control) -> str:
    """The sentence for the pages that show a campaign: how far chance moves it."""
    runs = one.moved.ok_runs
    found = spread(runs[runs["case"] == one.tried], one.column)
    head = f"In `{one.name}`, the {plain_label(one.column)} of `{one.tried}`"
    if found is None or found.percent is None:
        return f"{head} does not vary within a network."
    between = ""
    if found.share is not None:
        between = f", {digits(found.share)} times that between networks"
    return (
        f"{head} has a standard deviation within networks of"
        f" {digits(found.percent)} % of its mean{between}."
    )


def paragraph(found: Sequence[Control], place: str) -> str:
    """The paragraph of a page.

    place : of the page below results/reference
    """
    link = relpath(PAGE, Path(place).parent)
    said = " ".join(map(sentence, found))
    return (
        f"{MARK} Nothing draws from the seed here, so the delays of the control differ"
        f" by up to 0.5 %. {said} [All cases and metrics]({link})"
    )


def shown(text: str) -> list[str]:
    """The campaigns that a figure's page shows."""
    heads = COLUMNS.findall(text)
    return re.findall(r"`([\w.-]+)`", heads[-1]) if heads else []


def written(rows: Path, pages: Path = PAGES) -> dict[Path, str]:
    """The text of each page that this module writes or adds to.

    Raises UserError if no control has rows.
    """
    found = list(controls(rows))
    if not found:
        raise UserError(f"{rows}: no rows of a control with moved delays")
    texts = {pages / PAGE: page(found)}
    figures = (pages / "thesis").glob("*.md")
    for path in [*sorted(figures), *(pages / name for name in OWN_PAGES)]:
        place = path.relative_to(pages).as_posix()
        text = path.read_text(encoding="utf-8")
        own = [path.parent.name] if place in OWN_PAGES else shown(text)
        here = [one for one in found if one.name in own]
        if here:
            texts[path] = placed(text, [paragraph(here, place)], [MARK])
    return texts


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args(words)
    try:
        kept.unpack()
        texts = written(kept.UNPACKED)
        if options.check:
            return int(any(p.read_text("utf-8") != t for p, t in texts.items()))
        for path, text in texts.items():
            atomic.write_bytes(path, text.encode())
    except (OSError, ValueError, UserError) as error:
        print(f"spread: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
