"""The files of published statements: what they must say, and what is refused."""

from pathlib import Path

import pandas as pd
import pytest

from analysis.campaign import table
from analysis.campaign.campaign import Campaign
from analysis.published import answers, criterion, statements
from analysis.published.criterion import Less
from analysis.published.judging import Verdict
from analysis.published.statistics import STATISTICS, Question
from tests.analysis import campaign

PUBLISHED = Path(__file__).parents[2] / "results/published"
FILES = sorted(
    path
    for path in PUBLISHED.glob("*.yaml")
    if path.name != "rules.yaml" and not path.name.endswith("-pages.yaml")
)
WITHOUT_PAGES = ("balia", "olia", "mpcc", "nsdi11")
"""Papers whose page numbers are not known here."""
WITH_DROP_TAIL = ("olia-scenario-a", "olia-scenario-c")
"""Statements on RED, whose numbers under drop tail are printed beside them."""
THESIS = PUBLISHED / "thesis-ch3.yaml"
REDRAWS = 50


@pytest.fixture(scope="module")
def mptcp() -> pd.DataFrame:
    frame = table.build(campaign.rows())
    return frame[frame["case"] == "mptcp"]


def given(rows: pd.DataFrame, *names: str) -> dict[str, answers.Answer]:
    loaded = {"bulk-low-bdp": Campaign("bulk-low-bdp", rows, campaign.FACTORS)}
    return {
        known.id: answers.answer(known, loaded, REDRAWS)
        for known in statements.read(THESIS)
        if known.id in names
    }


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_statement_says_where_it_stands(path: Path) -> None:
    known = statements.read(path)
    assert known
    scored = {one.id: one for one in known if one.criterion.scored}
    for one in known:
        assert one.text and one.statement and one.registered and one.section, one.id
        assert one.page or path.stem.startswith(WITHOUT_PAGES), one.id
        if one.id not in scored:
            # Registered without a verdict: the paper had RED, which is judged.
            assert path.stem in WITH_DROP_TAIL and one.id.endswith("-tail"), one.id
            judged = scored[one.id.removesuffix("-tail") + "-red"]
            metric = one.criterion.measure.metric.replace("_tail.", "_red.")
            assert (judged.text, judged.criterion.measure.metric) == (
                one.text,
                metric,
            ), one.id


def test_a_criterion_that_names_a_case_of_tcp_has_its_runs() -> None:
    """Statements were about MPTCP alone, so `against: case=tcp1` had no rows."""
    loaded = {"": Campaign("x", table.build(campaign.rows()), campaign.FACTORS)}
    asked = {
        "statistic": "mean_difference",
        "metric": "goodput_mbps",
        "relation": ">",
        "rows": "case=mptcp",
        "against": "case=tcp1",
    }
    found = answers.outcome(criterion.parse(asked), loaded, REDRAWS)
    assert found.n == 2 * 98 and found.verdict is Verdict.AGREES
    assert len(answers.runs_of(criterion.parse(asked), loaded).rows) == 3 * 98
    mptcp = criterion.parse({"statistic": "mean", "metric": "goodput_mbps"})
    assert len(answers.runs_of(mptcp, loaded).rows) == 98


def test_the_original_criteria_are_in_force() -> None:
    """Those that the history shows were changed after a result was seen."""
    known = {one.id: one for path in FILES for one in statements.read(path)}
    for name in ("only-first-capacity", "only-first-delay"):
        assert known[name].criterion.measure.threshold == 0.99
        assert known[name].readings[0].criterion.measure.threshold == 0.999
    for name in ("curl-split-grows", "better-low-olia", "better-high-balia"):
        assert known[name].criterion.measure.statistic == "paired"
        assert known[name].readings[0].criterion.measure.statistic == "part_ahead"
    for size in ("32", "128", "512"):
        assert known[f"capacity-{size}kB"].criterion.measure.statistic == "signed_trend"
    for case in ("lia", "olia", "balia"):
        assert isinstance(known[f"loss-eab-high-{case}"].criterion.relation, Less)
        assert known[f"loss-zero-high-{case}"].criterion.measure.statistic == "median"
    assert {"7b-flap", "8b-much"} <= set(known)
    commits = {change.commit for one in known.values() for change in one.changes}
    assert {"a692ac1", "18dbfe1", "9258878", "c062bd6", "008f194"} <= commits


def test_a_campaign_like_the_thesis_agrees(mptcp: pd.DataFrame) -> None:
    names = ("ab-falls", "ab-beyond-80", "eab-aggregates", "eab-delay", "points")
    found = given(mptcp, *names)
    for name in names[:3]:
        assert found[name].verdict is Verdict.AGREES, found[name]
    assert found["eab-delay"].main.earlier is True
    assert found["ab-beyond-80"].main.n == 5
    assert found["points"].verdict is None and found["points"].main.earlier is True


def test_a_campaign_that_differs_does_not(mptcp: pd.DataFrame) -> None:
    other = mptcp.assign(
        aggregation_benefit=0.5 + mptcp["capacity_difference_mbps"].abs() / 1000,
        experimental_aggregation_benefit=mptcp["delay_difference_ms"].abs() / 100,
    )
    names = ("ab-falls", "ab-beyond-80", "eab-aggregates", "eab-delay")
    found = given(other[other["point"] < 90], *names)
    for name in names:
        assert found[name].verdict is Verdict.DIFFERS, found[name]


def test_what_is_not_there_is_not_measured(mptcp: pd.DataFrame) -> None:
    missing = given(mptcp, "reinjections-delay")["reinjections-delay"]
    assert missing.verdict is None and "not measured" in missing.main.ours
    assert given(mptcp.iloc[:1], "ab-falls")["ab-falls"].verdict is None


def test_a_verdict_that_depends_on_the_reading_is_no_agreement() -> None:
    """15 % above 0.99 of the traffic, but none above 0.999."""
    shares = [0.995] * 30 + [0.5] * 70
    frame = pd.DataFrame(
        {
            "point": range(100),
            "repetition": 0,
            "verdict": "ok",
            "protocol": "mptcp",
            "path1.capacity_mbps": [float(i) for i in range(100)],
            "capacity_difference_mbps": 1.0,
            "path1.share": shares,
        }
    )
    loaded = {"bulk-high-bdp": Campaign("bulk-high-bdp", frame)}
    (known,) = (
        one for one in statements.read(THESIS) if one.id == "only-first-capacity"
    )
    found = answers.answer(known, loaded, REDRAWS)
    assert found.readings[0].verdict is Verdict.DIFFERS
    assert found.main.verdict is not Verdict.DIFFERS
    assert found.depends and found.verdict is Verdict.UNDECIDED


def test_a_median_is_as_far_from_0_below_as_above(mptcp: pd.DataFrame) -> None:
    question = Question("x", "", None, None, ())
    distance = STATISTICS["median_distance"]
    found = [distance(mptcp.assign(x=x), question) for x in (-2, 2)]
    assert [finding.value for finding in found] == [2, 2]
    assert [finding.text for finding in found] == ["median -2", "median 2"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("kind: input", "kind: inputs", r":\d+: kind 'inputs'; has statement, input"),
        (
            "  figure: 3.2a",
            "  figur: 3.2a",
            r":\d+: figur: unknown key; did",
        ),
        ("statistic: points", "statistic: point", r":\d+: statistic 'point'; has"),
        ("relation: <\n", "relation: '!'\n", r":\d+: relation '!'; has <"),
        ("above: 80", "above: eighty", r":\d+: could not convert"),
        ("- id: factors", "- id: points", r":\d+: a second statement with the id"),
        ('registered: "2026-11-21"', 'registered: "soon"', r":\d+: 'soon' is no date"),
        (
            "      margin: null\n",
            "      count: null\n",
            r":\d+: 'from' and 'to' have different keys",
        ),
        ("      margin: 0.1\n    why", "      margin: 0.2\n    why", "in what follows"),
    ],
)
def test_a_file_that_is_wrong_says_where(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    text = THESIS.read_text()
    assert old in text
    path = tmp_path / "wrong.yaml"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(ValueError, match=message) as error:
        statements.read(path)
    assert str(error.value).startswith(f"{path}:")


HEAD = ",".join(statements.COLUMNS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("id,part\n", ":1: columns must be"),
        (f"{HEAD}\nx,1,2,3.4,text,trand,m,,,,<,0,\n", ":2: statistic 'trand'; has"),
        (f"{HEAD}\nx,1,2,3.4,text,trend,m,,,,!,0,\n", ":2: relation '!'; has <"),
        (f"{HEAD}\nx,1,2,3.4,text,trend,m,c,x,,<,0,\n", ":2: could not convert"),
    ],
)
def test_a_users_csv_file_that_is_wrong_says_where(
    tmp_path: Path, text: str, message: str
) -> None:
    path = tmp_path / "wrong.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=message) as error:
        statements.read(path)
    assert str(error.value).startswith(f"{path}:")
