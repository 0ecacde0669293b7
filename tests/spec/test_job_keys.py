"""Keys of the top level that stand in the job as they are, by their marks alone."""

from dataclasses import fields
from typing import Annotated

import pytest
from pydantic import Field, ValidationError

from jobs import Job
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan.jobs import job
from mpbench.spec import Spec, job_keys
from mpbench.spec.job_keys import ToJob
from mpbench.spec.values import Faults, Part, Quantity
from tests.spec.files import TEXT


class Keys(Part):
    """Two keys of another version, of which a design can vary one."""

    settle: Annotated[float, Quantity("s", 0, 60), ToJob("settle_s", varied=True)] = (
        Field(default=1.0, description="Time before all traffic.")
    )
    quiet: Annotated[bool, ToJob("silent")] = False
    other: int = 0


def test_marked_keys_are_fields_of_the_job() -> None:
    there = {field.name for field in fields(Job)}
    marks = dict(job_keys.marked(Spec))
    assert marks["link_seeds"].field == "link_seeds"
    assert {mark.field for mark in marks.values()} <= there


@pytest.mark.parametrize("given", [True, False])
def test_the_plan_passes_a_marked_key_on(given: bool) -> None:
    spec = loads(f"{TEXT}link_seeds: {str(given).lower()}\n")
    (case, *_) = spec.cases
    point = {name: factor.ends[0] for name, factor in spec.factors.items()}
    assert job(spec, point, case, 0).link_seeds is given


def test_a_job_has_the_keys_values_or_those_of_the_point() -> None:
    keys = Keys.model_validate({"settle": "2 s", "quiet": True})
    assert job_keys.of_job(keys, {}) == {"settle_s": 2, "silent": True}
    point = {"settle": 3.0, "quiet": False}
    assert job_keys.of_job(keys, point) == {"settle_s": 3, "silent": True}


def test_a_varied_key_is_a_factor_with_its_own_bounds() -> None:
    factors = {"settle": None, "quiet": None, "path1.delay": None}
    (found,) = job_keys.parameters(Keys, factors).values()
    assert (found.name, found.unit, found.key) == ("settle", "s", "settle_s")
    assert (found.minimum, found.maximum, found.default) == (0, 60, 1)
    assert not found.integer and found.doc == "Time before all traffic."
    assert job_keys.parameters(Keys, ["quiet", "path1.delay"]) == {}


def test_a_key_is_given_or_varied() -> None:
    for given, factor, count in (
        ({"settle": "2 s"}, "settle", 1),
        ({"settle": "2 s"}, "path1.delay", 0),
        ({}, "settle", 0),
        ({"quiet": True}, "quiet", 0),
    ):
        faults = Faults()
        job_keys.check(Keys.model_validate(given), [factor], faults)
        assert len(faults.found) == count


def test_bounds_hold() -> None:
    with pytest.raises(ValidationError, match="61 s is not within 0 to 60"):
        Keys.model_validate({"settle": "61 s"})


def test_a_key_that_no_design_varies_is_no_factor() -> None:
    with pytest.raises(UserError, match="link_seeds"):
        loads(TEXT.replace("path1.capacity:", "link_seeds:", 1))
