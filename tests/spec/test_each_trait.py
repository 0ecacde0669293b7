"""Every trait of a link that is a number: one declaration, and everything told of it.

A trait that is added to `Shape` or `Impairments` is tested here without a test of its
own.
"""

from dataclasses import fields, replace
from typing import Any

import pytest

from analysis.run import disciplines
from analysis.run.readers import qdiscs
from jobs import dump
from mpbench.drawing.traits import words
from mpbench.errors import UserError
from mpbench.experiment_files import loads
from mpbench.plan import job_format, make_plan
from mpbench.spec.json_schema import json_schema
from mpbench.spec.link_traits import LinkTraits
from mpbench.spec.worded_traits import WORDED
from tests.spec.files import text
from topologies import fabric
from topologies.impairments import Impairments
from topologies.parameters import Trait, traits
from topologies.shaping import OWN, Shape

EACH = [(of, n, t) for of in (Impairments, Shape) for n, t in traits(of).items()]
trait_fields = pytest.mark.parametrize(
    "record, field, trait", EACH, ids=[trait.key for _, _, trait in EACH]
)
TCP = {"protocol": "tcp", "congestion_control": "cubic", "path": 1}
IPERF3 = {"tool": "iperf3", "from": "client", "to": "server", "duration": "5 s"}


def other(record: type, field: str, trait: Trait) -> float:
    """A valid value that is not the usual one."""
    return next(
        value
        for value in (trait.example, trait.low + 1, trait.high - 1)
        if value != getattr(record, field)
    )


def given(trait: Trait, value: float) -> object:
    return value if trait.whole else f"{value:g} {trait.unit}"


def plan(**more: Any) -> Any:
    found = {"design": None, "traffic": [IPERF3], "cases": {"only": TCP}}
    return make_plan(loads(text(**{**found, **more})), {})


def value_in(shape: Shape, record: type, field: str) -> Any:
    at = shape if record is Shape else shape.impairments or Impairments()
    return getattr(at, field)


def test_every_number_of_a_record_is_a_parameter_or_a_trait() -> None:
    parameters = {"capacity_mbps", "delay_ms", "queue_packets", "loss_percent"}
    parameters |= {"jitter_ms", "tclink"}
    more = {"discipline", "impairments", "down", "burst_loss", "reordering", *OWN}
    for record in (Shape, Impairments):
        left = {each.name for each in fields(record)} - parameters - more
        forgotten = sorted(left - set(traits(record)))
        assert not forgotten, f"no trait says the key, unit and range of {forgotten}"


@trait_fields
def test_a_file_gives_it_and_a_job_has_it(
    record: type, field: str, trait: Trait
) -> None:
    value = other(record, field, trait)
    (run,) = plan(links={"path1": {trait.key: given(trait, value)}}).runs
    first, second = run.job.links
    assert value_in(first, record, field) == value
    assert value_in(second, record, field) == getattr(record, field)
    assert job_format.load(dump(run.job)) == run.job


@trait_fields
def test_the_usual_value_is_not_in_the_job(
    record: type, field: str, trait: Trait
) -> None:
    (run,) = plan().runs
    assert field not in str(dump(run.job))


@trait_fields
def test_a_design_varies_it(record: type, field: str, trait: Trait) -> None:
    value = other(record, field, trait)
    factor = {f"path1.{trait.key}": [given(trait, value)]}
    (run,) = plan(design={"method": "grid", "factors": factor}).runs
    assert value_in(run.job.links[0], record, field) == value


@trait_fields
def test_directions_differ_if_they_may(record: type, field: str, trait: Trait) -> None:
    value = other(record, field, trait)
    up = {"path1": {trait.key: {"up": given(trait, value)}}}
    if trait.alike:
        with pytest.raises(UserError, match="both directions have the same"):
            plan(links=up)
        return
    (link, _) = plan(links=up).runs[0].job.links
    assert value_in(link, record, field) == value
    assert value_in(link.down, record, field) == getattr(record, field)


@trait_fields
def test_values_out_of_range_are_refused(
    record: type, field: str, trait: Trait
) -> None:
    for value in (trait.low - 1, trait.high + 1):
        with pytest.raises(UserError, match=rf"links\.path1\.{trait.key}: "):
            plan(links={"path1": {trait.key: given(trait, value)}})
        (run,) = plan().runs
        link = dump(run.job)["links"][0]
        own = {field: value}
        link |= own if record is Shape else {"impairments": own}
        with pytest.raises(ValueError, match=field):
            job_format.load({**dump(run.job), "links": [link]})


@trait_fields
def test_it_changes_the_lines_for_tc(record: type, field: str, trait: Trait) -> None:
    plain = Shape(10.0, 5.0, 10)
    value: dict[str, Any] = {field: other(record, field, trait)}
    shape = (
        replace(plain, **value)
        if record is Shape
        else replace(plain, impairments=Impairments(**value))
    )
    lines = shape.tc_commands("eth0")
    assert lines != plain.tc_commands("eth0"), f"{trait.key} changes no line for tc"


@trait_fields
def test_the_analysis_reads_back_what_netem_does(
    record: type, field: str, trait: Trait
) -> None:
    if not trait.netem:
        pytest.skip("not of netem")
    options = {trait.netem: {trait.netem: 0.25}}
    line = {"kind": "netem", "dev": "eth0", "handle": "1:", "options": options}
    shown = disciplines.observed(qdiscs.parse({"router": [line]}, "tc.json"))
    assert shown.facts == {field: 25.0}


@trait_fields
def test_a_fabric_refuses_it(record: type, field: str, trait: Trait) -> None:
    value = other(record, field, trait)
    with pytest.raises(UserError, match=trait.on_fabric or f"no {trait.key}"):
        plan(links={"path1": {trait.key: given(trait, value)}}, fabric=True)
    shape = Shape(10.0, 5.0, 10)
    own: dict[str, Any] = {field: value}
    own = own if record is Shape else {"impairments": Impairments(**own)}
    assert fabric.fault({"path1": replace(shape, **own)})


@trait_fields
def test_plans_say_it(record: type, field: str, trait: Trait) -> None:
    value = other(record, field, trait)
    read = LinkTraits.model_validate({trait.key: given(trait, value)})
    (line,) = words(read.traits)
    assert line.startswith(f"{trait.key} {value:g}")


@trait_fields
def test_editors_know_it(record: type, field: str, trait: Trait) -> None:
    schema = json_schema()["$defs"]["LinkTraits"]["properties"][trait.key]
    assert schema["description"] == trait.doc


@pytest.mark.parametrize("key", WORDED)
def test_editors_know_a_trait_with_words(key: str) -> None:
    schema = json_schema()["$defs"]["LinkTraits"]["properties"][key]
    assert schema["description"] == WORDED[key].doc
    ways = [one for one in schema["anyOf"] if "up" in one.get("properties", {})]
    assert bool(ways) != WORDED[key].alike


@pytest.mark.parametrize(
    "given, said",
    [
        ({"tunnel": "gre"}, ["tunnel of 24 bytes"]),
        ({"shaper": "sender"}, ["shaped by its sender"]),
        ({"shaper": {"up": "sender"}}, ["up shaped by its sender"]),
    ],
)
def test_plans_say_a_trait_with_words(given: dict[str, Any], said: list[str]) -> None:
    assert list(words(LinkTraits.model_validate(given).traits)) == said
