"""`--points`: more points for a design, with the points so far kept."""

from pathlib import Path

import pytest

from mpbench.errors import UserError
from mpbench.experiment_files import load
from mpbench.plan import make_plan
from tests.spec.files import TEXT, factors, text

DELAYS = {"min": "1 ms", "max": "25 ms"}


def file(folder: Path, content: str = TEXT) -> Path:
    path = folder / "f.yaml"
    path.write_text(content)
    return path


def test_points_so_far_keep_numbers_values_and_ids(tmp_path: Path) -> None:
    path = file(tmp_path)
    before = make_plan(load(path), {})
    grown = load(path, points="+3")
    after = make_plan(grown, {})
    assert after.design[:4] == before.design and len(after.design) == 7
    assert [r.id for r in after.runs[: len(before.runs)]] == [r.id for r in before.runs]
    assert [r.point for r in after.runs[: len(before.runs)]] == [
        r.point for r in before.runs
    ]
    assert grown.question is not None
    assert (grown.question.points, grown.question.grown) == (7, True)
    assert make_plan(load(path, points="7"), {}).runs == after.runs


def test_results_keep_the_grown_file(tmp_path: Path) -> None:
    path = file(tmp_path)
    stored = file(tmp_path, load(path, points="+2").text)
    again = load(stored, points="+1")
    design = again.design
    assert design is not None
    assert (design.points, design.grown_from) == (7, 4)


def test_no_more_points_change_nothing(tmp_path: Path) -> None:
    path = file(tmp_path)
    assert load(path, points="4").text == TEXT


@pytest.mark.parametrize(
    ("content", "points", "reason"),
    [
        (TEXT, "x", "--points x: give a number of further points, such as +8"),
        (TEXT, "+0", "--points +0: give a number"),
        (TEXT, "-1", "--points -1: give a number"),
        (TEXT, "3", "f.yaml:4: --points: the file has 4 points already"),
        (TEXT, "+999999", "f.yaml:4: --points: 1000003 points are more than the 10000"),
        (TEXT, "+9997", "that this design can have; give +9996 at most, or more cand"),
        (
            TEXT.replace("points: 4", "points: 4\n  candidates: 9000000"),
            "+999997",
            "1000001 points are more than the 1000000",
        ),
        (text(design=None), "+3", "the experiment spreads no points over ranges"),
        (
            text(design=factors("lhs", path2__delay=DELAYS)),
            "+3",
            "only wsp's designs grow, not lhs, whose points would all change",
        ),
        (
            text(design={**factors(path2__delay=DELAYS), "thinned_to": 2}),  # type: ignore[dict-item]
            "+3",
            "take 'thinned_to' away",
        ),
        (TEXT, "+20000", "20004 points are more than the 10000"),
    ],
)
def test_a_design_that_cannot_grow(
    content: str, points: str, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError) as caught:
        load(file(tmp_path, content), points=points)
    [line] = str(caught.value).splitlines()
    assert reason in line
