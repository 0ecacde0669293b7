"""Records of jobs: what is read comes back the same, and nothing else is read."""

import json
from dataclasses import FrozenInstanceError, dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest

import jobs
from jobs import dump, reading, writing
from jobs.entries import RECORDS
from jobs.marks import WRITTEN, Bounds, Key, Length, Tagged
from mpbench.experiment_files import load
from mpbench.plan import make_plan
from tests.parts import part

ROOT = Path(__file__).resolve().parents[2]
FILES = (
    "quickstart.yaml",
    "examples/phone.yaml",
    "networks/phone-handover.yaml",
    "nsdi11/fattree-tp1.yaml",
)


@dataclass(frozen=True, kw_only=True)
class Red:
    kind: Literal["red"]
    least: Annotated[int, Bounds(1, 9)]


@dataclass(frozen=True, kw_only=True)
class Blue:
    kind: Literal["blue"]
    share: Annotated[float, Bounds(above=0, below=1)] | None


@dataclass(frozen=True, kw_only=True)
class Sample:
    here: Annotated[str, Key("from")]
    each: Annotated[tuple[Annotated[Red | Blue, Tagged("kind")], ...], Length(1, 2)]
    pair: tuple[int, float] = (0, 0.0)
    note: Annotated[str | None, WRITTEN] = None
    more: bool = False

    def check(self) -> None:
        if self.more and self.note is None:
            raise ValueError("more needs a note")


WHOLE = {
    "from": "a",
    "each": [{"kind": "red", "least": 2}, {"kind": "blue", "share": None}],
    "pair": [1, 2],
    "note": None,
}


def test_what_is_read_is_written_again_with_its_numbers() -> None:
    made = reading.read(Sample, WHOLE)
    assert made.each == (Red(kind="red", least=2), Blue(kind="blue", share=None))
    assert json.dumps(writing.plain(made)) == json.dumps(WHOLE)
    with pytest.raises(FrozenInstanceError):
        made.here = "b"  # type: ignore[misc]


def test_defaults_are_left_out_unless_they_are_marked() -> None:
    short = {key: WHOLE[key] for key in ("from", "each")}
    assert writing.plain(reading.read(Sample, short)) == {**short, "note": None}


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"other": 1}, "other: Extra inputs are not permitted"),
        ({"here": 1}, "here: Extra inputs are not permitted"),
        ({"from": 1}, "from: Input should be a valid string"),
        ({"each": []}, "each: List should have at least 1 item after"),
        ({"each": [WHOLE["each"][0]] * 3}, "each: List should have at most 2 items"),  # type: ignore[index]
        ({"each": [{"kind": "red"}]}, "each.0.least: Field required"),
        (
            {"each": [{"kind": "red", "least": 0}]},
            "each.0.least: Input should be greater than or equal to 1",
        ),
        (
            {"each": [{"kind": "red", "least": True}]},
            "each.0.least: Input should be a valid integer",
        ),
        (
            {"each": [{"kind": "blue", "share": 1.0}]},
            "each.0.share: Input should be less than 1",
        ),
        (
            {"each": [{"kind": "blue", "share": float("inf")}]},
            "each.0.share: Input should be a finite number",
        ),
        ({"each": [{"kind": "green"}]}, "each.0: Input tag 'green' found"),
        ({"each": [{}]}, "each.0: Unable to extract tag using discriminator 'kind'"),
        ({"pair": [1]}, "pair: List should have at least 2 items"),
        ({"pair": [1.0, 1]}, "pair.0: Input should be a valid integer"),
        ({"more": 1}, "more: Input should be a valid boolean"),
        ({"more": True}, "more needs a note"),
    ],
)
def test_anything_else_is_refused_with_its_place(
    changed: dict[str, Any], words: str
) -> None:
    with pytest.raises(reading.Fault) as caught:
        reading.read(Sample, {**WHOLE, **changed})
    assert str(caught.value).startswith(words)


def test_each_tool_has_a_record_of_its_name() -> None:
    for tool, record in RECORDS.items():
        assert reading.tags(record, "tool") == (tool,)
        assert record.__doc__


@pytest.mark.parametrize("name", FILES)
def test_a_planned_job_comes_back_byte_for_byte(name: str) -> None:
    for run in make_plan(load(ROOT / "experiments" / name), {}).runs[:4]:
        document = dump(run.job)
        assert json.dumps(jobs.dump(jobs.load(document))) == json.dumps(document)


def test_entries_know_their_hosts() -> None:
    plan = make_plan(load(ROOT / "experiments/nsdi11/fattree-tp1.yaml"), {})
    job = jobs.load(dump(plan.runs[0].job))
    (entry,) = job.traffic
    assert isinstance(entry, part("flows", "record").Flows)
    assert len(entry.sources) == len(entry.destinations) == len(entry.between)
    job = jobs.load(
        dump(make_plan(load(ROOT / "experiments/quickstart.yaml"), {}).runs[0].job)
    )
    (entry,) = job.traffic
    assert isinstance(entry, part("iperf3", "record").Iperf3)
    assert entry.between == (("client", "server"),)
    assert [*job.transports] == ["client", "server"]
