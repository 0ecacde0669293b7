"""The file of published statements, and what a campaign says to them."""

from pathlib import Path

import pandas as pd
import pytest

from analysis.campaign import table
from analysis.published import statements
from analysis.published.statistics import STATISTICS, Question
from tests.analysis import campaign

THESIS = Path(__file__).parents[2] / "results/published/thesis-ch3.csv"


@pytest.fixture(scope="module")
def mptcp() -> pd.DataFrame:
    frame = table.build(campaign.rows())
    return frame[frame["case"] == "mptcp"]


def answers(rows: pd.DataFrame) -> dict[str, statements.Answer]:
    known = statements.read(THESIS)
    return {each.id: statements.answer(each, rows, campaign.FACTORS) for each in known}


def test_every_statement_says_where_it_stands() -> None:
    known = statements.read(THESIS)
    assert len({each.id for each in known}) == len(known) >= 10
    assert all(each.section and each.page and each.statement for each in known)


def test_a_campaign_like_the_thesis_agrees(mptcp: pd.DataFrame) -> None:
    given = answers(mptcp)
    for name in ("points", "factors", "ab-falls", "ab-beyond-80", "eab-aggregates"):
        assert given[name].agrees is True, given[name]
    assert given["eab-delay"].agrees is True
    assert given["eab-outliers"].agrees is None
    assert given["ab-beyond-80"].n == 5


def test_a_campaign_that_differs_does_not(mptcp: pd.DataFrame) -> None:
    other = mptcp.assign(
        aggregation_benefit=0.5 + mptcp["capacity_difference_mbps"].abs() / 1000,
        experimental_aggregation_benefit=mptcp["delay_difference_ms"].abs() / 100,
    )
    given = answers(other[other["point"] < 90])
    for name in ("points", "ab-falls", "ab-beyond-80", "eab-aggregates", "eab-delay"):
        assert given[name].agrees is False, given[name]


def test_what_is_not_there_is_not_measured(mptcp: pd.DataFrame) -> None:
    given = answers(mptcp)["reinjections-delay"]
    assert given.agrees is None and "not measured" in given.ours
    assert answers(mptcp.iloc[:1])["ab-falls"].agrees is None


def test_a_median_is_as_far_from_0_below_as_above(mptcp: pd.DataFrame) -> None:
    question = Question("x", "", None, None, ())
    distance = STATISTICS["median_distance"]
    found = [distance(mptcp.assign(x=x), question) for x in (-2, 2)]
    assert [each.value for each in found] == [2, 2]
    assert [each.text for each in found] == ["median -2", "median 2"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("id,section", "id,part", ":1: columns must be"),
        (",trend,", ",trand,", "statistic 'trand'; has points"),
        (",<,0,", ",!,0,", "relation '!'; has <"),
        (",80,,", ",eighty,,", "could not convert"),
    ],
)
def test_a_file_that_is_wrong_says_where(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    path = tmp_path / "wrong.csv"
    path.write_text(THESIS.read_text().replace(old, new, 1))
    with pytest.raises(ValueError, match=message) as error:
        statements.read(path)
    assert str(error.value).startswith(f"{path}:")
