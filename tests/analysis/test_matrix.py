"""Which part of a configuration explains which statement and which cell."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from analysis.campaign.campaign import Campaign
from analysis.figures.style import Look
from analysis.published import (
    cell_changes,
    cells,
    matrix,
    publication,
    statements,
)
from analysis.published.answers import answer
from analysis.published.judging import Verdict
from analysis.report import publication_pages
from tests.analysis.publications import SHEETS, made, publication_of, said, write

pytestmark = pytest.mark.slow


def test_the_matrix_tells_what_a_part_mends_and_breaks(tmp_path: Path) -> None:
    """Without `rate` the goodput is small; without `seed` it is what it was."""
    known = (
        made("a", 1),
        made("a-v", 1, goodput_mbps=2000.0 + np.arange(40 * 3)),
        made("a-v-without-rate", 1),
        made("a-v-without-seed", 1, goodput_mbps=2000.5 + np.arange(40 * 3)),
        made("a-v-control", 3, goodput_mbps=2000.2 + np.arange(40 * 3)),
    )
    write(
        tmp_path,
        said("small", "it is small", relation="<"),
        said("huge", "it is huge", value=1e6),
        results=known,
        configurations=(
            publication.Configuration("up"),
            publication.Configuration("v", "-v"),
            publication.Configuration(
                "try", replaced={"a": "a-v-control"}, exploration=True, text="Nobody's."
            ),
            publication.Configuration("same", replaced={"a": "a"}, exploration=True),
        ),
        matrix=publication.Matrix("v", "up", "-v-without-", "-v-control"),
    )
    page = (tmp_path / "matrix.md").read_text()
    assert (
        "| `s` (Fig. 3.4a) | **differs** | agrees | **mended** | no change |"
        " no change |"
    ) in page
    assert "| `small` (Fig. 3.4a) | agrees | **differs** | **broken** |" in page
    assert "| rate | 3 | 1 | 1 | 1 | 0 |" in page and "| control | 3 | 0 | 0 |" in page
    assert "- `huge` differs under v: no part that was left out explains it." in page
    assert "## Exploration: try\n\nNobody's.\n" in page
    assert "| `small` | agrees | **differs** | **broken** |" in page
    assert "Exploration: same" not in page
    index = (tmp_path / "README.md").read_text()
    assert "[matrix.md](matrix.md)" in index and "**try**" not in index
    assert "its delays differ" not in page


def test_a_control_with_moved_delays_is_named(tmp_path: Path) -> None:
    moved = {"path1.delay_change_percent": np.tile([0.2, -0.1, 0.4], 40)}
    write(
        tmp_path,
        said("small", "it is small", relation="<"),
        results=(made("a", 1), made("a-v", 1), made("a-v-control", 3, **moved)),
        configurations=(
            publication.Configuration("up"),
            publication.Configuration("v", "-v"),
        ),
        matrix=publication.Matrix("v", "up", "-v-without-", "-v-control"),
    )
    page = (tmp_path / "matrix.md").read_text()
    assert "In `a-v-control` its delays differ a little too, because nothing" in page


def with_goodput(name: str, level: float) -> Campaign:
    """Five repetitions of one network, with a spread of 0.1 Mbit/s."""
    noise = np.random.default_rng(len(name)).normal(scale=0.1, size=5)
    same = {"point": 0, "case": "mptcp", "protocol": "mptcp", "verdict": "ok"}
    columns = {"repetition": range(5), "goodput_mbps": level + noise, **same}
    return Campaign(name, pd.DataFrame(columns))


def test_processes_find_what_one_process_finds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole = {"a": made("a-v", 1, goodput_mbps=2000.0 + np.arange(40 * 3))}
    without = {"rate": {"a": made("a", 1)}, "seed": {"a": made("a", 2)}}
    asked = [said(f"s{i}", value=1000 + i) for i in range(5)]
    known = {one.id: answer(one, whole, 50) for one in asked}
    alone = matrix.changes(asked, known, whole, without)
    monkeypatch.setattr(matrix, "LEAST_SHARED", 1)
    assert matrix.changes(asked, known, whole, without) == alone
    assert list(alone) == [one.id for one in asked]


def test_a_part_that_spares_a_campaign_needs_no_runs(tmp_path: Path) -> None:
    """`seed` was executed nowhere, and does not affect campaign a."""
    known = (
        made("a", 1),
        made("a-v", 1, goodput_mbps=2000.0 + np.arange(40 * 3)),
        made("a-v-without-rate", 1),
        made("b-v-without-seed", 1),
        made("a-v-control", 3, goodput_mbps=2000.2 + np.arange(40 * 3)),
    )
    write(
        tmp_path,
        said("small", "it is small", relation="<"),
        results=known,
        configurations=(
            publication.Configuration("up"),
            publication.Configuration("v", "-v"),
        ),
        matrix=publication.Matrix(
            "v", "up", "-v-without-", "-v-control", {"seed": ("a",), "rate": ("a",)}
        ),
    )
    page = (tmp_path / "matrix.md").read_text()
    assert "agrees | **differs** | **broken** | cannot matter | no change |" in page
    assert "| seed | 0 | 0 | 0 | 0 | 0 |" in page


def test_the_matrix_tells_what_a_part_does_to_the_cells(tmp_path: Path) -> None:
    """Without `rate` the first cell is hit, and the second is not any more."""
    cell = cells.Cell(
        "T", "goodput", "x", "mptcp", {}, "goodput_mbps", "Mbit/s", 1.0, 20.0, None, ""
    )
    sheet = replace(
        SHEETS[1],
        campaigns=("a",),
        cells=(cell, replace(cell, value=30.0), replace(cell, value=40.0)),
    )
    known = [
        with_goodput(name, level)
        for name, level in (
            ("a", 25.0),
            ("a-v", 20.0),
            ("a-v-without-rate", 30.0),
            ("a-v-without-seed", 20.0),
            ("a-v-control", 20.0),
        )
    ]
    publication_pages.write(
        replace(
            publication_of(()),
            sheets=(sheet,),
            configurations=(
                publication.Configuration("up"),
                publication.Configuration("v", "-v"),
            ),
            matrix=publication.Matrix("v", "up", "-v-without-", "-v-control"),
        ),
        {campaign.name: campaign for campaign in known},
        {},
        tmp_path,
        Look(formats=("png",)),
        redraws=20,
    )
    page = (tmp_path / "matrix.md").read_text()
    assert "| table | cell | up | v | rate | seed | control |" in page
    assert (
        "| T | goodput, x | **differs** | agrees | **mended** | no change | no change |"
    ) in page
    assert "| T | goodput, x | **differs** | **differs** | **broken** | no" in page
    assert "| rate | 3 | 1 | 1 | 1 | 0 |" in page and "| seed | 3 | 0 | 0 | 3 |" in page
    assert "and that no part explains that was left out: 1." in page


def test_means_that_chance_may_have_moved_have_no_small_p_value() -> None:
    cell = cells.Cell(
        "T", "goodput", "x", "mptcp", {}, "goodput_mbps", "Mbit/s", 1.0, 20.0, None, ""
    )
    generator = np.random.default_rng(1)
    found = []
    for _ in range(400):
        first, second = generator.normal(20.0, 1.0, size=(2, 5))
        pair = []
        for values in (first, second):
            runs = pd.DataFrame({"case": "mptcp", "goodput_mbps": values})
            pair.append(cells.compare(cell, runs, 0))
        p = cell_changes.change_p(*pair)
        assert p is not None
        assert p == pytest.approx(
            stats.ttest_ind(first, second, equal_var=False).pvalue, rel=1e-9
        )
        found.append(p)
    assert sum(p < 0.05 for p in found) < 32
    single = replace(pair[0], margin=None, n=1)
    assert cell_changes.change_p(single, pair[1]) is None


def test_a_part_left_out_in_fewer_networks_is_compared_in_these(tmp_path: Path) -> None:
    """In every other network the goodput is 2 Gbit/s, with the part and without."""
    high = np.where(np.arange(40 * 3) // 3 % 2, 2000.0, 900.0)
    whole = made("a-v", 1, goodput_mbps=high + np.arange(40 * 3) / 1000)
    fewer = replace(
        whole, name="a-v-without-rate", runs=whole.runs[whole.runs["point"] % 2 == 1]
    )
    assert matrix.in_networks_of({"a": whole}, {"a": whole})["a"] is whole
    same = matrix.in_networks_of({"a": fewer}, {"a": whole})["a"]
    assert set(same.runs["point"]) == set(range(1, 40, 2))
    one = said()
    answers = {one.id: answer(one, {"a": whole}, 50)}
    row = matrix.changes([one], answers, {"a": whole}, {"rate": {"a": fewer}})
    change = row[one.id]["rate"]
    assert answers[one.id].verdict is Verdict.UNDECIDED
    assert change.with_part is change.without is Verdict.AGREES
    assert change.effect is matrix.Effect.NONE and not change.by_chance


def repeated(seed: int, level: float = 1.0) -> dict[str, Campaign]:
    """Five repetitions of one network."""
    goodput = level + np.random.default_rng(seed).normal(size=5)
    same = {"point": 0, "case": "x", "protocol": "mptcp", "verdict": "ok"}
    runs = pd.DataFrame({"repetition": range(5), "goodput_mbps": goodput, **same})
    return {"a": Campaign("a", runs)}


def test_five_repetitions_change_no_more_often_by_chance_than_the_level_says() -> None:
    """With the normal distribution, 11 % of these have a p-value below 0.02."""
    asked = said(statistic="mean").criterion
    found = [
        matrix.change_p(asked, repeated(seed), repeated(1000 + seed))
        for seed in range(100)
    ]
    assert sum(p is not None and p < 0.02 for p in found) <= 5
    p = matrix.change_p(asked, repeated(8), repeated(7, 50.0))
    assert p is not None and p < 1e-4


def test_a_maximum_is_not_tested() -> None:
    """Redrawn designs mostly have the same one, so that its error looks small."""
    asked = said(statistic="maximum", relation="<").criterion
    one, other = ({"a": made("a", 1, goodput_mbps=np.arange(120) + k)} for k in (0, 9))
    assert matrix.change_p(asked, one, other) is None
    assert matrix.change_p(said().criterion, one, other) is not None
    untested = matrix.Change(Verdict.AGREES, Verdict.DIFFERS, None)
    assert untested.effect is matrix.Effect.NONE and not untested.by_chance


def test_another_reading_that_changes_is_tested_itself() -> None:
    """Its own statistic stays, so the change of the registered one mends nothing."""
    again = said(metric="jain", value=0.5)
    reading = statements.Reading("2026-11-22", "-", again.values, again.criterion)
    one = replace(said(), readings=(reading,))
    jain = np.tile([0.45, 0.56], 60)
    with_part, without = (
        {"a": made(name, 1, goodput_mbps=level + np.arange(120), jain=fair)}
        for name, level, fair in (
            ("a-v", 2000.0, jain + 0.06),
            ("a-v-without-rate", 4000.0, jain + np.tile([0.05, 0.0], 60)),
        )
    )
    answers = {one.id: answer(one, with_part, 50)}
    row = matrix.changes([one], answers, with_part, {"rate": without})
    change = row[one.id]["rate"]
    assert change.with_part is Verdict.AGREES
    assert change.without is Verdict.UNDECIDED
    assert change.p is not None and change.p > 1e-6
