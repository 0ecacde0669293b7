"""The JSON Schema of a job, which the annotations of its records give."""

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import jobs
from jobs import dump
from jobs.entries import RECORDS
from jobs.reading import Fault
from jobs.schema import schema
from mpbench.experiment_files import load
from mpbench.plan import make_plan
from tests.calls import Command

EXPERIMENTS = Path(__file__).resolve().parents[2] / "experiments"
FILES = (
    "quickstart.yaml",
    "examples/phone.yaml",
    "networks/phone-handover.yaml",
    "nsdi11/fattree-tp1.yaml",
    "mpcc/mpcc-fig-5a.yaml",
)
VALIDATOR = jsonschema.Draft202012Validator(schema())


def planned(name: str) -> Any:
    """The JSON of the first job of an experiment."""
    job = make_plan(load(EXPERIMENTS / name), {}).runs[0].job
    return json.loads(json.dumps(dump(job)))


def test_it_is_a_schema_and_has_a_record_for_every_tool() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    records = {record.__name__ for record in RECORDS.values()}
    assert records <= schema()["$defs"].keys()


@pytest.mark.parametrize("name", FILES)
def test_a_planned_job_fits(name: str) -> None:
    assert list(VALIDATOR.iter_errors(planned(name))) == []


@pytest.mark.parametrize(
    "place, value",
    [
        (("seed",), -1),
        (("seed",), 1.5),
        (("format",), 3),
        (("more",), 1),
        (("links",), None),
        (("links", 0, "more"), 1),
        (("traffic",), []),
        (("traffic", 0, "tool"), "other"),
        (("traffic", 0, "parallel"), 129),
        (("traffic", 0, "read"), "slowly"),
        (("traffic", 0, "from"), "../up"),
        (("transport", "protocol"), "udp"),
    ],
)
def test_the_schema_refuses_what_load_refuses(place: Any, value: Any) -> None:
    document = copy.deepcopy(planned("quickstart.yaml"))
    inside = document
    for key in place[:-1]:
        inside = inside[key]
    inside[place[-1]] = value
    with pytest.raises(Fault):
        jobs.load(document)
    assert not VALIDATOR.is_valid(document)


def test_a_missing_key_is_refused() -> None:
    document = planned("quickstart.yaml")
    del document["transport"]
    assert not VALIDATOR.is_valid(document)


def test_the_command_prints_it(command: Command) -> None:
    assert json.loads(command("schema", "--job").out) == json.loads(
        json.dumps(schema())
    )
