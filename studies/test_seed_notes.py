"""Pages say where networks shared a seed, and kept rows are as the pages say."""

import lzma
from itertools import chain
from pathlib import Path
from unittest import mock

import pytest

from mpbench.experiment_files import load
from mpbench.plan import make_plan, seeds
from mpbench.store import kept_rows
from studies import kept, seed_notes
from studies.reproduction import REFERENCE

PAPERS = ("papers.tar.xz", "seed-per-network.tar.xz")
SHARED = ("nsdi11-torus-ewtcp-half", "nsdi11-torus-control")
"""Campaigns whose networks had one seed per repetition."""


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The kept rows of the papers' campaigns, in folders."""
    out = tmp_path_factory.mktemp("rows")
    archives = (kept.read(kept.ARCHIVES / name, kept.sums()[name]) for name in PAPERS)
    for found in chain.from_iterable(archives):
        folder = out / found.name
        folder.mkdir()
        (folder / kept_rows.FILE).write_bytes(lzma.compress(found.rows, preset=0))
        (folder / "experiment.yaml").write_bytes(found.experiment)
    return out


def test_pages_have_the_note_that_their_campaigns_need(rows: Path) -> None:
    known = {folder.name: folder for folder in rows.iterdir()}
    seen = []
    for page in seed_notes.pages():
        text = page.read_text(encoding="utf-8")
        if text.startswith(seed_notes.INDEX) or page.parent.name not in known:
            continue  # an index is of many campaigns, which takes minutes
        of = seed_notes.shown(page, known)
        assert seed_notes.noted(text, of) == text, "python -m studies.seed_notes"
        seen.append(of[0].shared_seed)
    assert seen and not any(seen), "executed again, all of them"


@pytest.mark.parametrize(("name", "shared"), [("mpcc", False), ("thesis", False)])
def test_an_index_has_the_note_that_it_needs(name: str, shared: bool) -> None:
    text = (REFERENCE / name / "README.md").read_text(encoding="utf-8")
    notes = [p for p in text.split("\n\n") if p.startswith(seed_notes.MARK)]
    assert ["The campaigns: `" in note for note in notes] == [True] * shared


@pytest.mark.parametrize("name", SHARED)
def test_rows_that_say_nothing_of_seeds_shared_one(rows: Path, name: str) -> None:
    """Their ids are those that one seed per repetition gives, and no others."""
    folder = rows / name
    found = kept_rows.read(folder)
    assert found.head.shared_seed is None, "executed since: name another campaign"
    ids = {row["id"] for row in found.rows}
    spec = load(folder / "experiment.yaml", of_results=True)
    own = seeds.run_seed
    with mock.patch.object(seeds, "run_seed", lambda s, r, _: own(s, r, {})):
        before = {run.id for run in make_plan(spec, found.head.build).runs}
    now = {run.id for run in make_plan(spec, found.head.build).runs}
    assert ids <= before
    assert not ids & now
    assert seed_notes.judged(folder).shared_seed


def test_a_note_is_put_in_once_and_taken_away(rows: Path) -> None:
    shared = seed_notes.judged(rows / SHARED[0])
    alone = seed_notes.judged(rows / "random-loss")
    page = "# name\n\nWords.\n\n| a |\n| --- |\n\n## Network\n\nMore.\n"
    once = seed_notes.noted(page, [shared])
    assert once.index(seed_notes.MARK) < once.index("## Network")
    assert seed_notes.noted(once, [shared]) == once
    assert seed_notes.noted(once, [alone]) == page
