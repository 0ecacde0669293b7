"""Put the note on networks that shared a seed into pages that were written before it.

    python -m studies.seed_notes

The pages of results/reference came from whole results, with the figures over time that
kept rows cannot give. So they are not written again. The note is the one that the page
writer makes of the kept rows, and it stands where the page writer puts it.
"""

import json
import lzma
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pandas as pd

from analysis.campaign.campaign import Campaign
from analysis.report import publication_pages, seeds_note
from mpbench.experiment_files import load
from mpbench.report import seeds
from mpbench.report.pages_file import Pages
from mpbench.store import kept_rows
from studies import kept
from studies.reproduction import MPCC, PUBLISHED, REFERENCE, ROWS, SETS, sources

MARK = "All networks of a repetition drew"
INDEX = "# Every statement"


def campaigns() -> dict[str, Path]:
    """The kept rows of every campaign, by the campaign's name."""
    found = sources(Path("nowhere"), (*SETS, MPCC))
    return {_of_rows(folder).name: folder for folder in found.values()}


def _of_rows(folder: Path) -> Campaign:
    """The name of a campaign, without its runs."""
    with lzma.open(folder / kept_rows.FILE, "rt", encoding="utf-8") as lines:
        name = json.loads(next(lines))["name"]
    return Campaign(name, pd.DataFrame())


def shown(page: Path, known: dict[str, Path]) -> Sequence[Campaign]:
    """The campaigns that a page shows; none if their rows are not kept."""
    if not page.read_text(encoding="utf-8").startswith(INDEX):
        names = [page.parent.name] if page.parent.name in known else []
    else:
        file = PUBLISHED / f"{page.parent.name}-pages.yaml"
        named = {name: Campaign(name, pd.DataFrame()) for name in known}
        of = publication_pages.campaigns_of(Pages(file).publication, named)
        names = list(of)
    return [judged(known[name]) for name in names]


@cache
def judged(folder: Path) -> Campaign:
    """A campaign without its runs, but with whether its networks shared a seed."""
    found = kept_rows.read(folder)
    spec = load(folder / "experiment.yaml", of_results=True)
    shared = seeds.noise_is_shared(found.head, found.rows, spec)
    return Campaign(found.head.name, pd.DataFrame(), shared_seed=shared)


def noted(text: str, of: Sequence[Campaign]) -> str:
    """The page with the note on these campaigns, and with no other."""
    paragraphs = [p for p in text.split("\n\n") if not p.startswith(MARK)]
    note = "\n".join(seeds_note.lines(of)).strip()
    if not note:
        return "\n\n".join(paragraphs)
    if text.startswith(INDEX):  # after the kernel and the commit
        place = next(i for i, p in enumerate(paragraphs) if p.startswith("- kernel:"))
        return "\n\n".join([*paragraphs[: place + 1], note, *paragraphs[place + 1 :]])
    place = next(i for i, p in enumerate(paragraphs) if p.startswith("## "))
    return "\n\n".join([*paragraphs[:place], note, *paragraphs[place:]])


def pages() -> Iterator[Path]:
    return iter(sorted(REFERENCE.glob("*/README.md")))


def main() -> None:
    kept.unpack(ROWS)
    known = campaigns()
    for page in pages():
        text = page.read_text(encoding="utf-8")
        if (of := shown(page, known)) and (now := noted(text, of)) != text:
            page.write_text(now, encoding="utf-8")
            print(page.relative_to(REFERENCE))


if __name__ == "__main__":
    main()
