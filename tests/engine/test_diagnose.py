"""The search for unknown settings: on made-up numbers, and on the fake backend."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from analysis.campaign import diagnosis
from analysis.campaign.diagnosis import Observation, Unknown
from mpbench.engine import unknowns
from mpbench.engine.diagnose import Search
from mpbench.errors import UserError
from mpbench.experiment_files import load_with
from mpbench.plan.runs import Plan, Run
from mpbench.report import diagnosis_text
from mpbench.spec import Spec
from tests.calls import Command

TEXT = """\
name: slow
topology: two_path
parameters: {path1.capacity: 20 Mbit/s}
observed: {goodput: 12 Mbit/s, within: 5 %}
unknown:
  path1.queue: [10, 1000]
  path1.loss: any
  congestion_control: [cubic, bbr]
cases: {tcp: {protocol: tcp, congestion_control: cubic, path: 1}}
traffic: [{tool: iperf3, from: client, to: server, duration: 3 s}]
"""


def asked(tmp_path: Path, text: str = TEXT) -> unknowns.Asked:
    path = tmp_path / "slow.yaml"
    path.write_text(text)
    spec, keys, where = load_with(path, ("observed", "unknown"))
    return unknowns.read(spec, keys, where)


class Runs:
    """Executes runs by a formula: cubic's goodput follows the queue, bbr's is low."""

    def __init__(self) -> None:
        self.folders: list[str] = []

    def __call__(
        self, spec: Spec, plan: Plan, folder: Path, others: Sequence[Path]
    ) -> pd.DataFrame:
        self.folders.append(folder.name)
        return pd.DataFrame(
            [self._row(run, number) for number, run in enumerate(plan.runs)]
        )

    @staticmethod
    def _row(run: Run, number: int) -> dict[str, object]:
        queue = run.factors["path1.queue_packets"]
        bbr = run.job.transport.congestion_control == "bbr"
        return {
            "id": run.id,
            "case": run.case,
            "verdict": "invalid" if number == 0 else "ok",
            "goodput_mbps": 5.0 if bbr else 20 * queue / (queue + 200),
            "retransmission_ratio": 0.0,
            **run.factors,
        }


def searched(tmp_path: Path, text: str = TEXT, runs: int = 120) -> Search:
    return Search(
        asked(tmp_path, text), tmp_path / "out", {}, Runs(), lambda _: None, runs
    )


def test_a_queue_is_found_to_a_few_packets(tmp_path: Path) -> None:
    """12 of 20 Mbit/s is a queue of 300 packets; 5 % are 260 to 340 packets."""
    search = searched(tmp_path)
    found = search.run()
    queues = found.fits["path1.queue_packets"]
    assert 259 <= queues.min() <= queues.max() <= 341
    assert len(queues) >= 5
    assert set(found.fits["congestion_control"]) == {"cubic"}
    assert found.influence["path1.queue"] > found.influence["path1.loss"]
    assert found.influence["congestion_control"] > 0.14
    assert found.influence["path1.loss"] < 0.14
    assert found.failed == len(search.execute.folders)  # type: ignore[attr-defined]
    said = list(
        diagnosis_text.lines(found, search.asked.unknown, search.asked.observed)
    )
    assert "give goodput 12 within 5%" in said[0]
    assert any("bbr (0 runs)" in line and "it decides" in line for line in said)


def test_a_number_that_nothing_gives(tmp_path: Path) -> None:
    search = searched(tmp_path, TEXT.replace("12 Mbit/s", "40 Mbit/s"))
    found = search.run()
    assert found.fits.empty
    said = list(
        diagnosis_text.lines(found, search.asked.unknown, search.asked.observed)
    )
    assert said[0].startswith("None of ")
    assert said[1].startswith("The closest: goodput 16")


class Few(Runs):
    """Two runs of each round fit, and they lie far apart."""

    @staticmethod
    def _row(run: Run, number: int) -> dict[str, object]:
        fits = 12.0 if number in (1, 2) else 5.0
        return {**Runs._row(run, number), "goodput_mbps": fits}


def test_few_fitting_runs_are_examples_and_not_bounds(tmp_path: Path) -> None:
    """Two runs in four dimensions are no range: the search goes on, and says so."""
    text = TEXT.replace("  congestion_control: [cubic, bbr]\n", "")
    text = text.replace("path1.loss: any", "path1.loss: any\n  path1.delay: any")
    search = Search(
        asked(tmp_path, text), tmp_path, {}, Few(), lambda _: None, rounds=2
    )
    found = search.run()
    assert search.execute.folders == ["round-1", "round-2"]  # type: ignore[attr-defined]
    given = search.asked.unknown, search.asked.observed
    few = found.fits.head(2)
    assert not any("examples" in line for line in diagnosis_text.lines(found, *given))
    alone = replace(found, rows=found.rows.loc[few.index], off=found.off[few.index])
    said = list(diagnosis_text.lines(alone, *given))
    assert said[1].startswith("So few runs do not bound a range")


class Hill(Runs):
    """The goodput rises with the queue up to 500 packets, and then falls."""

    @staticmethod
    def _row(run: Run, number: int) -> dict[str, object]:
        queue = run.factors["path1.queue_packets"]
        return {
            **Runs._row(run, number),
            "verdict": "ok",
            "goodput_mbps": 14 - abs(queue - 500) / 100,
            "retransmission_ratio": 0.01 if queue < 500 else 0.1,
        }


@pytest.mark.parametrize("lines", [1, 2])
def test_two_separate_regions_are_searched_and_told(tmp_path: Path, lines: int) -> None:
    """12 Mbit/s is a queue of 300 and one of 700 packets; 2 % are 24 packets. A loss
    that changes nothing makes lines of these points."""
    text = TEXT.replace("  congestion_control: [cubic, bbr]\n", "")
    text = text.replace("within: 5 %", "within: 2 %")
    if lines == 1:
        text = text.replace("  path1.loss: any\n", "")
    said: list[str] = []
    search = Search(asked(tmp_path, text), tmp_path / "out", {}, Hill(), said.append)
    search.runs, search.rounds = 120, 3
    found = search.run()
    folders = search.execute.folders  # type: ignore[attr-defined]
    assert folders[:3] == ["round-1", "round-2-1", "round-2-2"]
    assert any(line.startswith("Round 2, region 2 of 2: ") for line in said)
    spans = sorted(
        (own["path1.queue_packets"].min(), own["path1.queue_packets"].max())
        for own in found.apart
    )
    assert len(spans) == 2
    assert 276 <= spans[0][0] <= spans[0][1] <= 324
    assert 676 <= spans[1][0] <= spans[1][1] <= 724
    given = search.asked.unknown, search.asked.observed
    told = list(diagnosis_text.lines(found, *given))
    assert told[1] == "They lie in 2 separate regions:"
    assert sum("closest goodput" in line for line in told) == 2
    assert any(" or 6" in line or " or 7" in line for line in told)
    assert any(line.startswith("To settle the region, look at") for line in told)
    answer = diagnosis_text.answer(found, *given)
    assert sum(len(one["fits"]) for one in answer["regions"]) == len(found.fits)


def test_one_region_stays_one(tmp_path: Path) -> None:
    search = searched(tmp_path)
    found = search.run()
    assert len(found.apart) == 1
    assert all("-1-" not in name for name in search.execute.folders)  # type: ignore[attr-defined]
    said = diagnosis_text.lines(found, search.asked.unknown, search.asked.observed)
    assert not any("separate" in line for line in said)


def test_lists_alone_need_one_round(tmp_path: Path) -> None:
    text = TEXT.replace("  path1.queue: [10, 1000]\n  path1.loss: any\n", "")
    search = searched(tmp_path, text)
    made = search._spec(search.asked.unknown, 1)
    assert made.design is None and len(made.cases) == 2


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        (
            "  path1.queue: [10, 1000]",
            "  path1.capacity: [1 Mbit/s, 2 Mbit/s]",
            "slow.yaml:6: unknown.path1.capacity: `parameters` sets it",
        ),
        (
            "name: slow",
            "name: slow\ndesign: {points: 3, factors: {path1.queue: {min: 1, max: 9}}}",
            "unknown.path1.queue: the design varies it as a factor",
        ),
        ("path1.queue", "path1.qeue", "unknown.path1.qeue: no parameter, setting or"),
        ("unknown:", "unknowns:", "unknowns: unknown key; did you mean 'unknown'?"),
        ("observed:", "observe:", "slow.yaml:4: observe: unknown key; did you mean"),
        ("[10, 1000]", "[1000, 10]", "1000 is not below 10 packets"),
        ("[10, 1000]", "7", "expected [LEAST, GREATEST], or any"),
        ("[cubic, bbr]", "[cubic]", "expected a list of two or more values"),
        ("[cubic, bbr]", "[bbr, bbr]", "a value stands there twice"),
        ("goodput: 12 Mbit/s", "goodputt: 12 Mbit/s", "observed.goodputt: no such"),
        ("12 Mbit/s", "12 ms", "slow.yaml:4: observed.goodput: '12 ms' is a time"),
        ("12 Mbit/s", "0 Mbit/s", "0 has no tolerance"),
        ("within: 5 %", "within: 500 %", "500 % is not from 1e-06 to 100 %"),
        ("within: 5 %", "within: 1e-320 %", "% is not from 1e-06 to 100 %"),
        ("12 Mbit/s", "1e-320 Mbit/s", "9.99989e-321 is no value of a metric; give"),
        ("12 Mbit/s", "1e306 Gbit/s", "observed.goodput: "),
        ("goodput: 12 Mbit/s", "jain: 1e-320", "9.99989e-321 is no value of a metric"),
        (
            "observed: {goodput: 12 Mbit/s, within: 5 %}\n",
            "",
            "observed: needs a metric",
        ),
        (
            "cases: {",
            "cases: {b: {protocol: tcp, congestion_control: reno, path: 1}, ",
            "cases: there are several; choose with --case: b, tcp",
        ),
    ],
)
def test_one_line_for_each_fault(
    old: str, new: str, fault: str, tmp_path: Path
) -> None:
    assert old in TEXT
    with pytest.raises(UserError) as raised:
        asked(tmp_path, TEXT.replace(old, new))
    assert fault in str(raised.value)
    assert len(str(raised.value).splitlines()) == 1


def test_a_metric_that_the_traffic_cannot_have(tmp_path: Path) -> None:
    text = TEXT.replace("goodput: 12 Mbit/s", "request_time: 12 ms")
    with pytest.raises(UserError, match=r"slow.yaml:4: observed.request_time: no run"):
        searched(tmp_path, text).check()


def test_too_many_combinations(tmp_path: Path) -> None:
    text = TEXT + ""
    for name in ("net.ipv4.tcp_sack", "net.ipv4.tcp_ecn", "net.ipv4.tcp_dsack"):
        text = text.replace(
            "  congestion_control:", f"  {name}: [0, 1, 2]\n  congestion_control:"
        )
    with pytest.raises(UserError, match="54 combinations; at most 24"):
        searched(tmp_path, text).check()


def test_more_runs_than_were_asked_for_are_told_or_refused(tmp_path: Path) -> None:
    said: list[str] = []
    search = searched(tmp_path, "repetitions: 2\n" + TEXT, runs=6)
    search.say = said.append
    search.check()
    words = "3 rounds x 5 points x 2 combinations x 2 repetitions are 60 runs"
    assert said == [f"{words}, more than the 6 of --runs."]
    search.runs = 5
    with pytest.raises(UserError) as told:
        search.check()
    remedy = "--runs asks for 5; repeat less, or give --runs 60"
    assert str(told.value).endswith(f"slow.yaml:1: {words}, and {remedy}")
    search.runs, said[:] = 60, []
    search.check()
    assert said == []


def test_settings_become_cases(tmp_path: Path) -> None:
    text = TEXT.replace("congestion_control: [cubic, bbr]", "net.ipv4.tcp_sack: [0, 1]")
    search = searched(tmp_path, text)
    made = search._spec(search.asked.unknown, 1)
    found = [dict(case.sysctls) for case in made.cases.values()]
    assert [one["net.ipv4.tcp_sack"] for one in found] == ["0", "1"]
    name = search.asked.case
    assert [*made.cases] == [f"{name}-1", f"{name}-2"]


QUEUE = Unknown("q", "q", "packets", (), 0, 100)
CONTROL = Unknown("control", "control", "", ("a", "b"))


def test_influence_is_the_share_of_the_variance() -> None:
    """Two groups apart, and a range that has no effect."""
    rng = np.random.default_rng(1)
    control = ["a", "b"] * 200
    rows = pd.DataFrame(
        {
            "control": control,
            "q": rng.uniform(0, 100, 400),
            "x": [3.0 if c == "a" else 5.0 for c in control] + rng.normal(0, 1, 400),
        }
    )
    found = diagnosis.influence(rows, [QUEUE, CONTROL], "x", rows.iloc[0])
    assert found["control"] == pytest.approx(0.5, abs=0.06)
    assert found["q"] < 0.03
    same = rows.assign(x=1.0)
    nothing = diagnosis.influence(same, [QUEUE, CONTROL], "x", rows.iloc[0])
    assert nothing == {"control": 0, "q": 0}


def test_a_range_is_judged_with_the_best_values_of_lists() -> None:
    """The queue matters with a, and b is far away."""
    rows = pd.DataFrame({"control": ["a", "b"] * 20, "q": np.arange(40.0) * 2.5})
    rows["x"] = rows["q"].where(rows["control"] == "a", 1000.0)
    found = diagnosis.influence(rows, [QUEUE, CONTROL], "x", rows.iloc[2])
    assert found["q"] == pytest.approx(1, abs=0.01)
    assert found["control"] > 0.9


def test_distances_are_in_tolerances() -> None:
    rows = pd.DataFrame({"x": [100.0, 105, 90, None], "y": [1.0, 1, 1, 1]})
    seen = [Observation("x", "x", 100, 0.05), Observation("y", "y", 2, 0.5)]
    assert diagnosis.distances(rows, seen).tolist() == [1, 1, 2, np.inf]
    assert diagnosis.distances(rows, [Observation("z", "z", 1, 0.1)]).tolist() == (
        [np.inf] * 4
    )


def test_a_column_tells_what_is_left_open_apart() -> None:
    fits = pd.DataFrame(
        {
            "control": ["a", "a", "b", "b"],
            "q": [10.0, 90, 15, 85],
            "x": [1.0] * 4,
            "retransmission_ratio": [0.1, 0.2, 0.01, 0.02],
            "reinjection_ratio": [0.1] * 4,
            "srtt_ms": [20.0, 80, 21, 79],
        }
    )
    seen = [Observation("x", "x", 1, 0.05)]
    one, two = diagnosis.differences(fits, [CONTROL, QUEUE], seen)
    assert (one.unknown, one.column, one.strength) == (
        "control",
        "retransmission_ratio",
        1.0,
    )
    assert one.means == {"a": pytest.approx(0.15), "b": pytest.approx(0.015)}
    assert (two.unknown, two.column) == ("q", "srtt_ms")
    assert list(two.means) == ["up to 50 packets", "above 50 packets"]
    assert diagnosis.differences(fits.head(2), [CONTROL], seen) == []


def test_ranges_narrow_around_the_best(tmp_path: Path) -> None:
    rows = pd.DataFrame({"q": np.arange(0.0, 100, 5), "control": ["a"] * 19 + ["b"]})
    off = (rows["q"] - 50).abs() / 5
    q, control = diagnosis.narrowed(rows, [QUEUE, CONTROL], off)
    assert (q.low, q.high) == (40, 60)
    assert control.values == ("a",)
    q, _ = diagnosis.narrowed(rows, [QUEUE, CONTROL], off + 3)
    assert (q.low, q.high) == (15, 85)


def test_the_command_on_the_fake_backend(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fake's goodput does not know the queue: nothing gives 99 Mbit/s."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "slow.yaml").write_text(TEXT.replace("12 Mbit/s", "99 Mbit/s"))
    words = ("diagnose", tmp_path / "slow.yaml", "--backend", "fake", "--runs", "12")
    done = command(*words, "--rounds", "1")
    assert done.status == 3, done.err
    assert "None of 12 runs gives goodput 99 within 5%." in done.out
    answer = json.loads(
        (tmp_path / "results/slow-diagnosis/diagnosis.json").read_text()
    )
    assert answer["runs"] == 12 and answer["fits"] == []
    before = sorted((tmp_path / "results").rglob("row.json"))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked/round-1").symlink_to(tmp_path / "elsewhere")
    refused = command(*words, "--out", "linked")
    assert refused.status == 2 and "round-1: is a symbolic link" in refused.err
    assert not list((tmp_path / "elsewhere").iterdir())
    again = command(*words, "--rounds", "1")
    assert again.status == 3 and "12 ok), 0 to do now" in again.out
    assert sorted((tmp_path / "results").rglob("row.json")) == before


def test_an_answer_stays_in_its_folder(tmp_path: Path) -> None:
    """A link of that name is replaced, and a folder is told."""
    other = tmp_path / "other"
    other.write_text("mine")
    root = tmp_path / "found"
    root.mkdir()
    (root / "diagnosis.json").symlink_to(other)
    search = Search(asked(tmp_path), root, {}, Runs(), print)
    assert json.loads(search.keep({"runs": 3}).read_text()) == {"runs": 3}
    assert other.read_text() == "mine" and not (root / "diagnosis.json").is_symlink()
    (root / "diagnosis.json").unlink()
    (root / "diagnosis.json").mkdir()
    with pytest.raises(UserError, match=r"diagnosis\.json: cannot be written: .*--out"):
        search.keep({"runs": 3})


def test_a_design_without_a_value(tmp_path: Path) -> None:
    text = TEXT.replace("unknown:", "design:\nunknown:")
    Search(asked(tmp_path, text), tmp_path, {}, Runs(), print).check()


def test_ten_thousand_faults_are_cut_short(tmp_path: Path) -> None:
    many = "".join(f"  k{number}: 1\n" for number in range(10_000))
    with pytest.raises(UserError, match=r"\.\.\. and \d+ more") as told:
        asked(tmp_path, TEXT.replace("unknown:\n", f"unknown:\n{many}"))
    assert len(str(told.value).splitlines()) < 100


def test_a_value_that_no_experiment_can_have(tmp_path: Path) -> None:
    """The line is one of the user's file, and not of a round's."""
    text = TEXT.replace("[cubic, bbr]", "[cubic, bbq]")
    search = Search(asked(tmp_path, text), tmp_path, {}, Runs(), print)
    with pytest.raises(UserError, match=r"slow\.yaml:5: unknown: .*'bbq'.*'bbr'"):
        search.check()
